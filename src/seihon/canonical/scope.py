"""Owner-bound handles, and the subqueries that every statement starts from.

Below a verb nothing takes an owner: a handle *is* the owner's, fills the scope's parameters into each
statement, and dies with its transaction. ``live_*`` are the rows a read may show: this owner's, written
after the owner's floor, not deleted, not expired by any of the limits that apply to them.

Parameters of the scope are named ``s_…`` and filled by the handle; a statement's own are named ``p_…`` and
passed without the prefix: ``tx.first(MESSAGE, id="m_1")``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import BindParameter, Executable, Row, Select, and_, bindparam, exists, not_, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.expression import ColumnElement

from seihon import errors
from seihon.canonical import codec as codecs
from seihon.canonical import tables as t
from seihon.canonical.direct import Answer, Line

OWNER: Final = bindparam("s_owner", type_=t.Key)
NOW: Final = bindparam("s_now", type_=t.Big)
TURN: Final = bindparam("s_turn", type_=t.Big)
FLOOR: Final = bindparam("s_floor", type_=t.Big)
CUTOFF: Final = bindparam("s_cutoff", type_=t.Big)
REVISION: Final = bindparam("s_revision", type_=t.Big)
TENANT: Final = bindparam("s_tenant", type_=t.Key)
NO_CUTOFF: Final = -(2**62)

S = TypeVar("S", bound=Executable)


def p(name: str, kind: Any = None, *, many: bool = False) -> BindParameter[Any]:
    """Return a statement's own parameter; ``many`` for the list of an ``IN``."""
    return bindparam("p_" + name, type_=kind, expanding=many)


@dataclass(frozen=True, slots=True)
class ByDialect(Generic[S]):
    """One statement whose construct SQLAlchemy keeps per dialect (an upsert), written once."""

    sqlite: S
    postgresql: S


def by_dialect(build: Callable[[Any], S]) -> ByDialect[S]:
    """Build the same statement with each dialect's ``insert``."""
    return ByDialect(build(sqlite.insert), build(postgresql.insert))


Statement = Executable | ByDialect[Any]

# The derived stores by name, each with the kinds of keys that it follows: what stands before the colon.
Followers = Mapping[str, Collection[str]]


def on(statement: Statement, dialect: str) -> Executable:
    """Return what runs on ``sqlite`` or ``postgresql``."""
    return getattr(statement, dialect) if isinstance(statement, ByDialect) else statement


def _unexpired(row: Any) -> ColumnElement[bool]:
    """Tell whether a record is within its own limits and the tenant's.

    Retention counts from when something was said, and from its place in time where that is earlier: a message
    of last year that is imported today is a year old, and one dated ahead is as old as its commit.
    """
    return and_(
        or_(row.expires_at.is_(None), row.expires_at > NOW),
        or_(row.expires_turn.is_(None), row.expires_turn > TURN),
        # A sum, so that SQLite does not take the limit for a way in: by the index on ``at`` it would walk
        # all of an owner's rows to find a few by their keys.
        row.at + 0 > CUTOFF,
        row.observed_at > CUTOFF,
    )


live_conversations = (
    select(t.conversations)
    .where(
        t.conversations.c.owner == OWNER,
        t.conversations.c.deleted_revision.is_(None),
        t.conversations.c.created_revision > FLOOR,
    )
    .subquery("live_conversations")
)

_m, _c, _n, _s = t.messages.c, t.conversations.c, t.notes.c, t.note_sources.c
_IN_ITS_CONVERSATION = and_(_c.owner == _m.owner, _c.id == _m.conversation)
_MESSAGE_STANDS = and_(
    _m.deleted_revision.is_(None), _c.deleted_revision.is_(None), _m.created_revision > FLOOR
)
_RETAINED = or_(
    _c.retain_us.is_(None),
    and_(_m.at + _c.retain_us > NOW, _m.observed_at + _c.retain_us > NOW),
)
# What decides whether a standing message may be read: its own limits, its conversation's, its tenant's.
MESSAGE_IN_TIME = and_(_unexpired(_m), _RETAINED)


def standing_messages(*shown: Any) -> Select[*tuple[Any, ...]]:
    """Select from the messages that were not deleted, whether their time has passed or not."""
    return (
        select(*shown)
        .join(t.conversations, _IN_ITS_CONVERSATION)
        .where(_m.owner == OWNER, _c.owner == OWNER, _MESSAGE_STANDS)
    )


live_messages = standing_messages(t.messages).where(MESSAGE_IN_TIME).subquery("live_messages")

# A note lives no longer than any text that it was drawn from, whatever limit it was given itself.
_A_SOURCE_IS_OVER = exists(
    select(_s.message)
    .join(t.messages, and_(_m.owner == _s.owner, _m.id == _s.message))
    .join(t.conversations, _IN_ITS_CONVERSATION)
    .where(
        _s.owner == OWNER,
        _m.owner == OWNER,
        _c.owner == OWNER,
        _s.note == _n.id,
        not_(and_(_MESSAGE_STANDS, MESSAGE_IN_TIME)),
    )
    .correlate(t.notes)
)
NOTE_IN_TIME = and_(_unexpired(_n), not_(_A_SOURCE_IS_OVER))


def standing_notes(*shown: Any) -> Select[*tuple[Any, ...]]:
    """Select from the notes that were not deleted, whether their time has passed or not."""
    return select(*shown).where(_n.owner == OWNER, _n.deleted_revision.is_(None), _n.created_revision > FLOOR)


live_notes = standing_notes(t.notes).where(NOTE_IN_TIME).subquery("live_notes")

live_claims = (
    select(t.claims).where(t.claims.c.owner == OWNER, t.claims.c.revision > FLOOR).subquery("live_claims")
)

live_values = (
    select(t.field_values)
    .where(
        t.field_values.c.owner == OWNER,
        t.field_values.c.closed_revision.is_(None),
        t.field_values.c.opened_revision > FLOOR,
    )
    .subquery("live_values")
)


class Handle:
    """A connection inside one transaction; using it afterwards is an error."""

    def __init__(self, line: Line, scope: Mapping[str, Any]) -> None:
        self._line: Line | None = line
        self._dialect = line.dialect
        self._scope = dict(scope)

    @property
    def dialect(self) -> str:
        """Return ``sqlite`` or ``postgresql``."""
        return self._dialect

    def finish(self) -> bool:
        """Write what waits; ``False``: nothing of the transaction is to stay."""
        return True

    def close(self) -> None:
        """End the handle; called by whoever opened the transaction."""
        self._line = None

    @property
    def line(self) -> Line:
        """Return the line to the driver, or refuse."""
        if self._line is None:
            raise errors.OutOfScope(
                "The handle's transaction has ended; open a new one with db.read or db.write."
            )
        return self._line

    def execute(self, statement: Statement, own: Mapping[str, Any]) -> Answer:
        """Run one statement with its own parameters and those of the scope that it names."""
        values = dict(self._scope)
        for name, value in own.items():
            values["p_" + name] = value
        return self.line.execute(on(statement, self._dialect), values)

    def all(self, statement: Statement, **own: Any) -> Sequence[Row[Any]]:
        """Return every row."""
        return self.execute(statement, own).fetchall()

    def first(self, statement: Statement, **own: Any) -> Row[Any] | None:
        """Return the first row or ``None``."""
        return self.execute(statement, own).first()


class Reader(Handle):
    """One owner's snapshot: ``now`` and ``turn`` are fixed, and so is what is live.

    Attributes: ``owner`` key; ``now`` in microseconds; ``revision``, ``epoch``, ``turn`` of the owner;
    ``floor``: rows of that revision or older belong to an earlier life; ``state`` ``live`` or ``deleted``;
    ``schema_version``: the tenant's newest schema (``None``: none, or the owner is not known yet);
    ``retain``: its retention (us); ``written_at``: the time of the owner's last write (us).
    """

    def __init__(
        self, line: Line, row: Row[Any] | None, *, owner: str, now: int, codec: codecs.Codec
    ) -> None:
        self.owner = owner
        self.now = now
        self.revision: int = row.revision if row else 0
        self.epoch: int = row.epoch if row else 0
        self.turn: int = row.turn if row else 0
        self.floor: int = row.floor_revision if row else 0
        self.state: str = row.state if row else "live"
        self.known = row is not None
        self.schema_version: int | None = row.schema_version if row else None
        self.retain: int | None = row.retain_us if row else None
        self.written_at: int = row.active_at if row else 0
        self._codec = codec
        super().__init__(
            line,
            {
                "s_owner": owner,
                "s_now": now,
                "s_turn": self.turn,
                "s_floor": self.floor,
                "s_revision": self.revision,
                "s_cutoff": NO_CUTOFF if self.retain is None else now - self.retain,
                "s_tenant": owner.partition("/")[0],
            },
        )

    @property
    def tenant(self) -> str:
        """Return the part of the owner's key before the first slash."""
        return self._scope["s_tenant"]

    def open(self, stored: str) -> str:
        """Return the text behind a stored one."""
        return self._codec.open(self.owner, stored)

    def open_json(self, stored: str | None) -> Any:
        """Return the value behind stored JSON; ``None`` for ``None``."""
        return None if stored is None else codecs.from_json(self._codec.open(self.owner, stored))

    def blind(self, term: str) -> str:
        """Return what stands for an index term of this owner."""
        return self._codec.blind(self.owner, term)

    def open_bytes(self, stored: bytes) -> bytes:
        """Return the bytes of a vector behind stored ones."""
        return self._codec.open_bytes(self.owner, stored)

    def require_live(self) -> None:
        """Refuse when the owner was deleted and not reopened."""
        if self.state == "deleted":
            raise errors.OwnerDeleted(
                "The owner was deleted; only `reopen` starts a new life under this id.", epoch=self.epoch
            )


class Writer(Reader):
    """A reader that may also write; holds the owner's row lock until its transaction ends.

    ``discard()`` asks for a rollback at the end without an error (an idempotent replay). ``monotonic`` is
    ``now``, or, while the clock is behind an earlier write of this owner, a time above that: what is said in
    this transaction is ordered by it.
    """

    def __init__(self, *args: Any, new_id: Callable[[str], str], stores: Followers, **kw: Any) -> None:
        super().__init__(*args, **kw)
        self.new_id = new_id
        self.stores = stores
        self.discarded = False
        self.actor = "application"
        self.monotonic = self.now
        self._marks: dict[str, None] = {}
        self._changes: list[tuple[str, str, str]] = []

    def discard(self) -> None:
        """Roll back at the end, without an error."""
        self.discarded = True

    def place(self, observed_at: int | None) -> int:
        """Return where something observed then (us; ``None``: now) stands in the owner's order.

        A date ahead is now; what is said now stands above all that was said, also while the clock is behind.
        """
        return self.monotonic if observed_at is None or observed_at >= self.now else observed_at

    def seal(self, text: str) -> str:
        """Return what is stored in place of ``text``."""
        return self._codec.seal(self.owner, text)

    def seal_json(self, value: Any) -> str:
        """Return the stored form of a JSON value."""
        return self._codec.seal(self.owner, codecs.to_json(value))

    def seal_bytes(self, data: bytes) -> bytes:
        """Return what is stored in place of the bytes of a vector."""
        return self._codec.seal_bytes(self.owner, data)

    def run(self, statement: Statement, **own: Any) -> Row[Any] | None:
        """Run a write and return its ``RETURNING`` row, by which it is judged (``None``: nothing hit)."""
        result = self.execute(statement, own)
        return result.first() if result.returns_rows else None

    def count(self, statement: Statement, **own: Any) -> int:
        """Run an update or delete without ``RETURNING`` and return how many rows it touched."""
        return self.execute(statement, own).rowcount

    def add(self, statement: Statement, rows: Iterable[Mapping[str, Any]]) -> None:
        """Insert rows; the owner is filled in."""
        batch = [{"owner": self.owner, **row} for row in rows]
        if batch:
            self.line.insert(on(statement, self._dialect), batch)

    def mark(self, *keys: str) -> None:
        """Tell every store that follows such keys that it must look at them again (in this transaction)."""
        self._marks.update(dict.fromkeys(keys))

    def change(self, kind: str, key: str, reason: str = "") -> None:
        """Record what this transaction did, by ids, for the owner's history."""
        self._changes.append((kind, key, reason))

    def finish(self) -> bool:
        """Write the marks and changes; ``False`` after ``discard``."""
        if not self.discarded:
            self.flush()
        return not self.discarded

    def flush(self) -> None:
        """Write the marks and changes; called once, before the commit."""
        moment = {"revision": self.revision, "at": self.now, "turn": self.turn, "actor": self.actor}
        self.add(
            ADD_CHANGES,
            (
                {**moment, "ordinal": ordinal, "kind": kind, "key": key, "reason": reason}
                for ordinal, (kind, key, reason) in enumerate(self._changes)
            ),
        )
        fresh = {
            "revision": self.revision,
            "attempts": 0,
            "marked_at": self.now,
            "due_at": self.now,
            "leased_until": 0,
            "lease": "",
            "error": "",
        }
        self.add(
            MARK_DIRTY,
            (
                {**fresh, "store": store, "key": key}
                for store, kinds in self.stores.items()
                for key in self._marks
                if key.partition(":")[0] in kinds
            ),
        )


ADD_CHANGES = t.changes.insert()


def _mark_dirty(insert: Any) -> Any:
    statement = insert(t.dirty)
    new = statement.excluded
    return statement.on_conflict_do_update(
        index_elements=["owner", "store", "key"],
        set_={
            "revision": new.revision,
            "attempts": new.attempts,
            "marked_at": new.marked_at,
            "due_at": new.due_at,
            "error": new.error,
        },
    )


MARK_DIRTY = by_dialect(_mark_dirty)
