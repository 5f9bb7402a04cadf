"""Nouns: what verbs take and give. Frozen, typed, free of any database.

Instants are aware UTC datetimes. ``version`` counts a record's own changes (compare-and-set), ``revision``
the owner's write transactions, ``turn`` the owner's user messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, timedelta
from enum import Enum, StrEnum
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")
Scalar = str | int | float | bool | date
Value = Scalar | tuple[str, ...]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def us(instant: datetime) -> int:
    """Return microseconds since the epoch; a naive datetime is refused, since its zone is a guess."""
    if instant.tzinfo is None:
        raise ValueError("An instant needs a time zone: use an aware datetime.")
    return (instant - _EPOCH) // _MICROSECOND


def instant(microseconds: int) -> datetime:
    """Return the aware UTC datetime of microseconds since the epoch."""
    return _EPOCH + microseconds * _MICROSECOND


def maybe_instant(microseconds: int | None) -> datetime | None:
    """Return the aware UTC datetime, or ``None`` for ``None``."""
    return None if microseconds is None else instant(microseconds)


class Unset(Enum):
    """The default of an argument that, left out, keeps what is stored; ``None`` then means "none"."""

    KEEP = "keep"


KEEP: Final = Unset.KEEP


class Role(StrEnum):
    """Who speaks in a message."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class Trust(StrEnum):
    """What a message can prove about the person: only ``person`` and ``application`` can confirm."""

    PERSON = "person"
    APPLICATION = "application"
    UNTRUSTED = "untrusted"


class Confidence(StrEnum):
    """``confirmed``: the person said so. ``inferred``: a model concluded so."""

    CONFIRMED = "confirmed"
    INFERRED = "inferred"


class Source(StrEnum):
    """Where a claim or a note comes from."""

    MESSAGE = "message"
    SETTING = "setting"
    SYSTEM = "system"
    IMPORT = "import"


class FieldStatus(StrEnum):
    """What a read of a field answers. Only ``current`` and ``stale`` carry a value."""

    CURRENT = "current"
    STALE = "stale"
    BLANK = "blank"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    DECLINED = "declined"


class ClaimState(StrEnum):
    """What became of a claim."""

    RECORDED = "recorded"
    CANDIDATE = "candidate"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class NoteState(StrEnum):
    """What became of a note; only ``current`` is ever searched or put into a context."""

    CURRENT = "current"
    CANDIDATE = "candidate"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class TargetKind(StrEnum):
    """What a deletion removes."""

    MESSAGE = "message"
    NOTE = "note"
    FIELD = "field"
    CONVERSATION = "conversation"
    OWNER = "owner"


class HitKind(StrEnum):
    """What a search finds."""

    MESSAGE = "message"
    NOTE = "note"


class StoreState(StrEnum):
    """How far a deletion is in one store, and as a whole."""

    PENDING = "pending"
    FAILED = "failed"
    VERIFIED = "verified"


class Record:
    """What every noun can do: become plain JSON values."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: instants as ISO 8601 in UTC, enums and tuples as text and lists."""
        return plain(asdict(self))  # type: ignore[call-overload]  # every subclass is a dataclass


def plain(value: Any) -> Any:
    """Return ``value`` in plain JSON types."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, StrEnum) else value


@dataclass(frozen=True, slots=True)
class Page(Record, Generic[T]):
    """One page of a listing; ``next`` is the cursor of the following one, ``None`` at the end."""

    items: tuple[T, ...]
    next: str | None = None

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Owner(Record):
    """An end user of the application, by counters."""

    id: str
    revision: int
    epoch: int
    turn: int
    deleted: bool


@dataclass(frozen=True, slots=True)
class Conversation(Record):
    """A conversation; ``retention`` limits the age of its messages at every read."""

    id: str
    messages: int
    version: int
    created_at: datetime
    retention: timedelta | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Message(Record):
    """One message. ``seq`` counts from 1 in its conversation; ``at`` is ``observed_at`` clamped to the
    time of its commit and to the order of its conversation: what later statements are compared by."""

    id: str
    conversation: str
    seq: int
    role: Role
    content: str
    observed_at: datetime
    at: datetime
    turn: int
    version: int
    trust: Trust
    revision: int
    expires_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Quote(Record):
    """The place in a message that a claim was drawn from; ``text`` is ``None`` once it cannot be read."""

    message: str
    version: int
    text: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Claim(Record):
    """One observation of a field, and what was decided about it."""

    id: str
    field: str
    scope: str
    value: Value | None
    confidence: Confidence
    source: Source
    state: ClaimState
    outcome: str
    reason: str
    observed_at: datetime
    recorded_at: datetime
    turn: int
    revision: int
    extractor: str
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldState(Record):
    """What is known of one field in one scope, and why.

    ``value`` is ``None`` unless ``status`` is ``current`` or ``stale``; ``last_known`` is what stood before
    a limit blanked it. ``version`` is what ``set(expect=…)`` compares. Ages are in turns and seconds.
    """

    field: str
    scope: str
    status: FieldStatus
    reason: str
    version: int = 0
    value: Value | None = None
    last_known: Value | None = None
    confidence: Confidence | None = None
    probability: float | None = None
    observed_at: datetime | None = None
    turn: int | None = None
    age_turns: int | None = None
    age_seconds: float | None = None
    claim: str | None = None
    source: Source | None = None
    quotes: tuple[Quote, ...] = ()


class Profile(Mapping[str, "Value | None"]):
    """An owner's typed values as code reads them: ``profile["billing_plan"]`` is a value or ``None``.

    ``states`` explains each field. Reading a value by key is counted, so that fields nobody reads are found.
    """

    __slots__ = ("_count", "revision", "scope", "states")

    def __init__(
        self,
        states: Mapping[str, FieldState],
        *,
        scope: str,
        revision: int,
        count: Callable[[str], None] | None = None,
    ) -> None:
        self.states = states
        self.scope = scope
        self.revision = revision
        self._count = count

    def __getitem__(self, name: str) -> Value | None:
        state = self.states[name]
        if self._count is not None:
            self._count(name)
        return state.value

    def __iter__(self) -> Iterator[str]:
        return iter(self.states)

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        return f"Profile(scope={self.scope!r}, revision={self.revision}, fields={len(self.states)})"

    def as_dict(self) -> dict[str, Any]:
        """Return ``{"scope", "revision", "fields": {name: state}}`` in plain JSON values."""
        fields = {name: state.as_dict() for name, state in self.states.items()}
        return {"scope": self.scope, "revision": self.revision, "fields": fields}


@dataclass(frozen=True, slots=True)
class Candidate(Record):
    """A claim that waits for the person's word. ``base_version``: the field's version when it was raised."""

    id: str
    field: str
    scope: str
    value: Value | None
    reason: str
    confidence: Confidence
    observed_at: datetime
    base_version: int
    current: Value | None
    current_version: int
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Note(Record):
    """A free-form memory, for what a model reads and no code branches on."""

    id: str
    text: str
    scope: str
    state: NoteState
    source: Source
    observed_at: datetime
    version: int
    revision: int
    expires_at: datetime | None = None
    expires_turn: int | None = None
    superseded_by: str | None = None
    sources: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Superseded(Record):
    """A stretch of a text that is no longer true, and what stands instead (``None``: blank)."""

    start: int
    end: int
    field: str
    scope: str
    replacement: str | None


@dataclass(frozen=True, slots=True)
class Hit(Record):
    """A search result, joined to the live original. ``id`` can be read, corrected and forgotten as it is."""

    id: str
    kind: HitKind
    version: int
    score: float
    text: str
    snippet: str
    observed_at: datetime
    conversation: str | None = None
    role: Role | None = None
    superseded: tuple[Superseded, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextItem(Record):
    """One thing the model was given."""

    id: str
    kind: str
    version: int
    reason: str
    tokens: int
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ContextOmission(Record):
    """One thing that was left out, and why."""

    id: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Context(Record):
    """What a model gets: rendered within the budget, each item explained. ``trace`` names the stored record."""

    trace: str
    text: str
    messages: tuple[Mapping[str, str], ...]
    tokens: int
    budget: int
    tokenizer: str
    revision: int
    epoch: int
    items: tuple[ContextItem, ...]
    omissions: tuple[ContextOmission, ...]


@dataclass(frozen=True, slots=True)
class Trace(Record):
    """The stored record of one context run: ids and versions, no text."""

    id: str
    at: datetime
    conversation: str | None
    purpose: str
    tokenizer: str
    budget: int
    tokens: int
    revision: int
    epoch: int
    items: tuple[ContextItem, ...]
    omissions: tuple[ContextOmission, ...]


@dataclass(frozen=True, slots=True)
class StoreReceipt(Record):
    """How far a deletion is in one store; ``removed`` counts what was taken out of it."""

    store: str
    state: StoreState
    attempts: int
    removed: int
    updated_at: datetime
    error: str = ""


@dataclass(frozen=True, slots=True)
class OutOfReach(Record):
    """A place that Seihon does not control and that may hold what was deleted, with its retention."""

    name: str
    retention: str


@dataclass(frozen=True, slots=True)
class Receipt(Record):
    """One deletion as it stands: per store, what the physical purge did, and what is out of reach."""

    id: str
    kind: TargetKind
    key: str
    state: StoreState
    level: str
    actor: str
    reason: str
    revision: int
    epoch: int
    opened_at: datetime
    verified_at: datetime | None
    counts: Mapping[str, int]
    stores: tuple[StoreReceipt, ...]
    purge: tuple[str, ...]
    out_of_reach: tuple[OutOfReach, ...]
    waiter: Callable[[str, float], Receipt] | None = field(default=None, repr=False, compare=False)

    def wait(self, timeout: float = 60.0) -> Receipt:
        """Return the receipt once it is verified.

        Raises:
            Incomplete: it was not within ``timeout`` seconds; details name the stores that are open.
        """
        if self.waiter is None or self.state is StoreState.VERIFIED:
            return self
        return self.waiter(self.id, timeout)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        found = {name: getattr(self, name) for name in self.__slots__ if name != "waiter"}
        found["stores"] = [store.as_dict() for store in self.stores]
        found["out_of_reach"] = [place.as_dict() for place in self.out_of_reach]
        return plain(found)


@dataclass(frozen=True, slots=True)
class FieldReads(Record):
    """How often code read a field; ``last`` is ``None`` for one that nobody ever read."""

    field: str
    reads: int
    last: datetime | None


@dataclass(frozen=True, slots=True)
class Change(Record):
    """One event of an owner's history, by ids."""

    revision: int
    ordinal: int
    at: datetime
    turn: int
    kind: str
    key: str
    actor: str
    reason: str


@dataclass(frozen=True, slots=True)
class BadLine(Record):
    """A line of an import that was not stored: its number from 1, a code and a sentence without its text."""

    line: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ImportReport(Record):
    """What an import did: ``added`` new, ``present`` already there, ``deleted`` refused by a tombstone."""

    added: int
    present: int
    deleted: int
    bad: tuple[BadLine, ...] = ()
