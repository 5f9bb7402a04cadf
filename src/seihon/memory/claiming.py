"""Recording a claim: where it stands, whether it can be confirmed, and what stands already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Row

from seihon import errors
from seihon.canonical import conversations
from seihon.canonical import profiles as store
from seihon.canonical.codec import to_json
from seihon.canonical.scope import Reader, Writer
from seihon.core.policies import Outcome, Reason
from seihon.core.resolve import Position, Statement
from seihon.core.values import Value
from seihon.memory import covering, door
from seihon.memory.fields import FIELD_DELETED, Place, judge, key_of, store_held, value_json
from seihon.model import ClaimState, Confidence, Message, Source, Trust, us

UNTRUSTED_SOURCE = "untrusted_source"
MOST_SOURCES = 100
_NEVER_THE_VALUE = frozenset({Reason.OLDER.value, Reason.LESS_PROBABLE.value})
_STATE_OF = {
    Outcome.ACCEPT: ClaimState.RECORDED,
    Outcome.KEEP: ClaimState.RECORDED,
    Outcome.CANDIDATE: ClaimState.CANDIDATE,
    Outcome.REJECT: ClaimState.REJECTED,
}


@dataclass(frozen=True, slots=True)
class Span:
    """A message and the words of it that a claim rests on, as the caller gave them."""

    message: str
    quote: str | None = None
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A claim that is not stored yet. ``observed_at`` in microseconds."""

    confidence: Confidence
    source: Source
    value: Value = ""
    spans: tuple[Span, ...] = ()
    observed_at: int | None = None
    extractor: str = "application"

    def of(self, value: Value) -> Draft:
        """Return the draft with its parsed value."""
        return replace(self, value=value)

    def request(self) -> list[Any]:
        """Return what an idempotent repetition must repeat, beside field, scope and value."""
        spans = [[span.message, span.quote, span.version] for span in self.spans]
        return [self.confidence.value, self.source.value, spans, self.observed_at, self.extractor]


@dataclass(frozen=True, slots=True)
class Found:
    """A live source message with the offsets of the quote in it."""

    message: Message
    start: int | None
    end: int | None


def asked_spans(
    message: str | None, quote: str | None, version: int | None, also: Sequence[tuple[str, str]]
) -> tuple[Span, ...]:
    """Return the spans that a caller named, the first one leading."""
    if message is None:
        lone = {"quote": quote is not None, "message_version": version is not None, "also": bool(also)}
        given = " and ".join(f"`{name}`" for name, is_given in lone.items() if is_given)
        if given:
            raise errors.InvalidArgument(f"To give {given}, give `message` as well, the id of the message.")
        return ()
    if len(also) > MOST_SOURCES:
        raise errors.InvalidArgument(f"A claim has at most {MOST_SOURCES} further sources in `also`.")
    first = Span(
        door.identifier(message, "message"),
        None if quote is None else door.text(quote, "quote"),
        door.maybe_whole(version, "message_version", least=1),
    )
    rest = [Span(door.identifier(one, "also"), door.text(words, "also")) for one, words in also]
    return (first, *rest)


def asked_source(value: Any) -> Source:
    """Return the source of an observation; what is named are those that ``observe`` takes."""
    try:
        return Source(value)
    except ValueError:
        raise errors.InvalidArgument(
            "`source` must be one of: message, system, import.", name="source"
        ) from None


def check_source(draft: Draft) -> None:
    """Refuse a source that contradicts the other arguments."""
    if draft.source is Source.SETTING:
        raise errors.InvalidArgument(
            "An explicit setting is recorded with `set`; `observe` takes message, system or import."
        )
    if (draft.source is Source.MESSAGE) != bool(draft.spans):
        raise errors.InvalidArgument(
            "A claim from a message needs `message`, its id; one from a system or an import takes none."
        )
    if draft.source is Source.MESSAGE and draft.observed_at is not None:
        raise errors.InvalidArgument(
            "A claim from a message is as old as its message; leave out `observed_at`."
        )
    if (
        draft.source is Source.MESSAGE
        and draft.confidence is Confidence.CONFIRMED
        and draft.spans[0].quote is None
    ):
        raise errors.InvalidArgument("A confirmed claim from a message needs `quote`, its own words.")


def observe(tx: Writer, at: Place, draft: Draft, *, schema: int) -> str:
    """Record an observation, or return the claim that stands for it already."""
    found = [_find(tx, span) for span in draft.spans]
    standing = _standing(tx, at, draft, found)
    if standing is not None:
        return standing
    return record(tx, at, draft, schema=schema, found=found)


def _find(tx: Reader, span: Span) -> Found:
    message = conversations.get(tx, span.message)
    if span.version is not None and span.version != message.version:
        raise errors.VersionConflict(
            f"The message was edited since it was read; it has version {message.version} now.",
            kind="message",
            id=message.id,
            current=message.version,
        )
    if span.quote is None:
        return Found(message, None, None)
    start = message.content.find(span.quote)
    if start < 0:
        raise errors.InvalidArgument(
            "The quote must stand in the message word for word.", kind="message", id=message.id
        )
    return Found(message, start, start + len(span.quote))


def _standing(tx: Writer, at: Place, draft: Draft, found: Sequence[Found]) -> str | None:
    """Return the claim that already says this: recorded, rejected or waiting."""
    if not found:
        return None
    first = found[0].message
    value = at.field.type.dump(draft.value)
    rows = [
        row
        for row in tx.all(store.SAME_FIELD, field=at.field.name, scope=at.scope, message=first.id)
        if tx.open_json(row.value) == value
    ]
    rejected = _rejected(tx, rows, found)
    if rejected is not None:
        tx.discard()
        return rejected
    for row in rows:
        if row.state == ClaimState.CANDIDATE and _waits(at, draft, found):
            if not _add_sources(tx, row.id, found, again=True):
                tx.discard()
            return row.id
        same_source = row.message == first.id and row.pos_version == first.version
        if same_source and row.state == ClaimState.RECORDED and row.confidence == draft.confidence:
            tx.discard()
            return row.id
    return None


def _rejected(tx: Reader, rows: Sequence[Row[Any]], found: Sequence[Found]) -> str | None:
    """Return the claim that was turned down and rested on one of these messages as it is now."""
    turned_down = [row.id for row in rows if row.state == ClaimState.REJECTED]
    if not turned_down:
        return None
    here = {(one.message.id, one.message.version) for one in found}
    links = tx.all(store.CLAIM_SOURCES, claims=turned_down)
    return next((link.claim for link in links if (link.message, link.message_version) in here), None)


def _waits(at: Place, draft: Draft, found: Sequence[Found]) -> bool:
    """Tell whether this observation could only ever be a candidate."""
    inferred = draft.confidence is Confidence.INFERRED
    return not _trusted(draft, found) or (inferred and at.field.inferred.value == "candidate")


def _trusted(draft: Draft, found: Sequence[Found]) -> bool:
    if draft.source is Source.MESSAGE:
        return all(one.message.trust is not Trust.UNTRUSTED for one in found)
    return draft.source is not Source.IMPORT or draft.confidence is Confidence.INFERRED


def record(tx: Writer, at: Place, draft: Draft, *, schema: int, found: Sequence[Found] = ()) -> str:
    """Store a claim with the policy's decision, move the field if it is accepted, and return its id."""
    turn, position, said_at = _position(tx, at, draft, found)
    deleted = is_deleted(tx, at, position)
    known = _rejected_with_its_field(tx, at, found) if deleted and found else None
    if known is not None:
        tx.discard()
        return known
    claim_id = tx.new_id("c")
    confirmed = draft.confidence is Confidence.CONFIRMED
    statement = Statement(claim_id, draft.value, confirmed, turn, position, said_at)
    held = at.held
    if deleted:
        state, outcome, reason = ClaimState.REJECTED, Outcome.REJECT, FIELD_DELETED
    elif not _trusted(draft, found):
        state, outcome, reason = ClaimState.CANDIDATE, Outcome.CANDIDATE, UNTRUSTED_SOURCE
    else:
        held, decision = judge(tx, at, statement)
        state, outcome, reason = _STATE_OF[decision.outcome], decision.outcome, decision.reason.value
    tx.add(store.ADD_CLAIM, [_row(tx, at, draft, statement, found, schema, state, outcome, reason)])
    _add_sources(tx, claim_id, found)
    tx.change("candidate.raised" if state is ClaimState.CANDIDATE else "claim.recorded", claim_id, reason)
    if state is ClaimState.RECORDED:
        store_held(tx, at, held, reason=reason)
    if reason in _NEVER_THE_VALUE:
        # Its quote is out of date from the start.
        covering.changed(tx, [one.message.id for one in found])
    return claim_id


def _position(tx: Writer, at: Place, draft: Draft, found: Sequence[Found]) -> tuple[int, Position, int]:
    """Return the turn of a statement, its place among all others of its owner, and when it was said (us).

    A date in the future is no later than the place it was given, and one in the past no newer for its place.
    """
    if found:
        newest = max((one.message for one in found), key=lambda one: (one.at, one.seq))
        place = Position(us(newest.at), newest.seq, newest.version, tx.revision, 0)
        return newest.turn, place, us(min(newest.at, newest.observed_at))
    if draft.source is Source.SETTING:
        last = tx.first(store.LAST_STATEMENT, field=at.field.name, scope=at.scope)
        floor = 0 if at.floor is None else at.floor.at
        newest_at = max(tx.monotonic, floor + 1, 0 if last is None else last.pos_at + 1)
        return tx.turn, Position(newest_at, 0, 0, tx.revision, 0), tx.now
    when, asked = tx.place(draft.observed_at), draft.observed_at
    said_at = tx.now if asked is None else min(asked, tx.now)
    turn = tx.turn if when == tx.monotonic else conversations.turn_at(tx, when)
    return turn, Position(when, 0, 0, tx.revision, 0), said_at


def is_deleted(tx: Reader, at: Place, position: Position) -> bool:
    """Tell whether this field, or the owner's life, was deleted after the statement was made."""
    if tx.epoch == 0:
        return False
    graves = (("field", key_of(at.field.name, at.scope)), ("owner", ""))
    rows = (tx.first(conversations.TOMBSTONE, kind=kind, key=key) for kind, key in graves)
    return any(row is not None and position.at <= row.at for row in rows)


def _rejected_with_its_field(tx: Reader, at: Place, found: Sequence[Found]) -> str | None:
    """Return the claim from this message that a deletion of the field keeps out; what it said is not kept."""
    first = found[0].message
    rows = tx.all(store.SAME_FIELD, field=at.field.name, scope=at.scope, message=first.id)
    return next(
        (
            row.id
            for row in rows
            if row.reason == FIELD_DELETED and (row.message, row.pos_version) == (first.id, first.version)
        ),
        None,
    )


def _row(
    tx: Writer,
    at: Place,
    draft: Draft,
    statement: Statement,
    found: Sequence[Found],
    schema: int,
    state: ClaimState,
    outcome: Outcome,
    reason: str,
) -> dict[str, Any]:
    position = statement.position
    value = None if reason == FIELD_DELETED else tx.seal(to_json(at.field.type.dump(draft.value)))
    return {
        "id": statement.key,
        "field": at.field.name,
        "scope": at.scope,
        "value": value,
        "confidence": draft.confidence.value,
        "source": draft.source.value,
        "message": found[0].message.id if found else None,
        "extractor": draft.extractor,
        "schema_version": schema,
        "observed_at": statement.said_at,
        "turn": statement.turn,
        "pos_at": position.at,
        "pos_seq": position.seq,
        "pos_version": position.version,
        "ordinal": position.ordinal,
        "revision": tx.revision,
        "recorded_at": tx.now,
        "state": state.value,
        "outcome": outcome.value,
        "reason": reason,
        "base_version": at.version,
        "ended_revision": None,
    }


def _add_sources(tx: Writer, claim: str, found: Sequence[Found], *, again: bool = False) -> bool:
    """Link a claim to those messages that it does not rest on yet; tell whether there was any.

    ``again``: the claim waits already, and is drawn once more.
    """
    standing = {row.message for row in tx.all(store.CLAIM_SOURCES, claims=[claim])} if again else set[str]()
    rows = [
        {
            "claim": claim,
            "message": one.message.id,
            "message_version": one.message.version,
            "quote_start": one.start,
            "quote_end": one.end,
        }
        for one in {one.message.id: one for one in found}.values()
        if one.message.id not in standing
    ]
    tx.add(store.ADD_CLAIM_SOURCES, rows)
    if again and rows:
        tx.change("candidate.repeated", claim)
    return bool(rows)


def show_sources(tx: Writer, candidate: str, confirmation: str) -> None:
    """Let a confirmation show what its candidate was drawn from, for as long as that can be read.

    It does not rest on it: the person's word is its source.
    """
    links = tx.all(store.CLAIM_SOURCES, claims=[candidate])
    shown = ("message", "message_version", "quote_start", "quote_end")
    tx.add(
        store.ADD_CLAIM_SOURCES,
        [{"claim": confirmation, **{name: getattr(link, name) for name in shown}} for link in links],
    )


def require_candidate(tx: Reader, candidate: str) -> Row[Any]:
    """Return a claim that waits for the person's word."""
    row = tx.first(store.CLAIM, id=candidate)
    if row is None:
        raise errors.NotFound("No such candidate of this owner.", kind="candidate", id=candidate)
    if row.state == ClaimState.WITHDRAWN:
        raise errors.Gone("What the candidate was drawn from is gone.", kind="candidate", id=candidate)
    if row.state != ClaimState.CANDIDATE:
        raise errors.Conflict(f"The claim is {row.state}, not a candidate.", kind="candidate", id=candidate)
    return row


def require_fresh(tx: Reader, at: Place, candidate: Row[Any], expect: int | None) -> None:
    """Refuse a candidate whose field changed since it was raised, unless the caller saw the change."""
    if expect is not None:
        at.require(expect)
        return
    if candidate.base_version == at.version:
        return
    before = tx.first(store.VERSION, field=at.field.name, scope=at.scope, version=candidate.base_version)
    base = ("blank", None) if before is None else (before.status, tx.open_json(before.value))
    now = (at.status, None if at.row is None else tx.open_json(at.row.value))
    if base != now:
        raise errors.StaleCandidate(
            "The field changed since the candidate was raised; see both values and confirm with `expect`.",
            candidate=candidate.id,
            field=at.field.name,
            scope=at.scope,
            base_version=candidate.base_version,
            current=at.version,
            candidate_value=value_json(tx, candidate.value),
            current_value=None if at.row is None else value_json(tx, at.row.value),
        )


def end_candidate(tx: Writer, row: Row[Any], state: ClaimState, base: int) -> None:
    """Close a candidate as confirmed or rejected."""
    moved = tx.run(
        store.END_CLAIM, id=row.id, was="candidate", state_=state.value, reason_=row.reason, base=base
    )
    errors.certain(moved, "the owner's row lock lets nobody else end a candidate")
    tx.change(f"candidate.{state.value}", row.id)
