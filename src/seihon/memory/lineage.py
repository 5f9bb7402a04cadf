"""What goes with a text: claims and notes drawn from messages that were edited or deleted.

A claim with another live source stays; one drawn only from what went is withdrawn. A withdrawn current value
leaves its field blank, its position becomes the field's floor, and the value it had superseded waits as a
candidate for the person's word. What the person set themselves does not go with a message that repeated it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row

from seihon.canonical import notes, profiles
from seihon.canonical.scope import Writer
from seihon.core.policies import Outcome, Reason
from seihon.core.resolve import Position, Statement, resolve
from seihon.core.schema import Field
from seihon.memory import covering
from seihon.memory.base import Base
from seihon.memory.fields import (
    SETTING_STANDS,
    SOURCE_DELETED,
    SOURCE_EDITED,
    Place,
    Spot,
    fold,
    place,
    position_of,
    spot,
    statement_of,
    store_blank,
    store_held,
)
from seihon.model import Confidence, Source

# Versions of a field that are searched for the value a withdrawn one had superseded.
LOOK_BACK: Final = 100
# Statements that rest on no message.
_ON_THEIR_OWN: Final = frozenset({Source.SETTING, Source.SYSTEM})
# What a statement that is written anew takes over.
_KEPT: Final = (
    "field",
    "scope",
    "value",
    "confidence",
    "source",
    "message",
    "extractor",
    "schema_version",
    "observed_at",
    "turn",
    "state",
    "outcome",
    "ended_revision",
)


@dataclass(frozen=True, slots=True)
class Taken:
    """How many claims, and which notes, went with a text."""

    claims: int
    notes: tuple[str, ...]


def message_edited(memory: Base, tx: Writer, message: str) -> None:
    """Withdraw what was drawn from a message's old text; its values stay in the history, its words do not."""
    covering.changed(tx, [message])
    drawn = tx.all(profiles.DRAWN_CLAIMS, messages=[message])
    tx.count(profiles.CUT_SOURCES, messages=[message])
    _withdraw(memory, tx, drawn, reason=SOURCE_EDITED, keep_values=True)
    _retract_notes(tx, [row.id for row in tx.all(notes.DRAWN_NOTES, messages=[message])])


def messages_deleted(memory: Base, tx: Writer, messages: Sequence[str]) -> Taken:
    """Withdraw, without their values, the claims drawn only from these messages, and erase their notes."""
    covering.changed(tx, messages)
    drawn = tx.all(profiles.DRAWN_CLAIMS, messages=list(messages))
    _erase_kept(tx, tx.all(profiles.KEPT_CLAIMS, messages=list(messages)))
    tx.count(profiles.CUT_SOURCES, messages=list(messages))
    gone = _withdraw(memory, tx, drawn, reason=SOURCE_DELETED, keep_values=False)
    erased = _retract_notes(tx, [row.id for row in tx.all(notes.DRAWN_NOTES, messages=list(messages))])
    return Taken(gone, erased)


def messages_expired(tx: Writer, messages: Sequence[str]) -> Taken:
    """Take with messages whose time has passed only the values that an edit had left in the history.

    A value drawn from them stands by the limits of its field; a note has theirs and is swept by itself, and a
    summary has theirs.
    """
    covering.changed(tx, messages)
    _erase_kept(tx, tx.all(profiles.KEPT_CLAIMS, messages=list(messages)))
    return Taken(0, ())


def conversation_deleted(memory: Base, tx: Writer, conversation: str) -> Taken:
    """As ``messages_deleted``, for every message of a conversation at once."""
    drawn = tx.all(profiles.DRAWN_CLAIMS_OF_CONVERSATION, conversation=conversation)
    _erase_kept(tx, tx.all(profiles.KEPT_CLAIMS_OF_CONVERSATION, conversation=conversation))
    tx.count(profiles.CUT_SOURCES_OF_CONVERSATION, conversation=conversation)
    gone = _withdraw(memory, tx, drawn, reason=SOURCE_DELETED, keep_values=False)
    found = tx.all(notes.DRAWN_NOTES_OF_CONVERSATION, conversation=conversation)
    return Taken(gone, _retract_notes(tx, [row.id for row in found]))


def _withdraw(memory: Base, tx: Writer, drawn: Sequence[Row[Any]], *, reason: str, keep_values: bool) -> int:
    gone = _without_a_source(tx, drawn)
    if not gone:
        return 0
    by_place: dict[tuple[str, str], list[Row[Any]]] = {}
    for claim in gone:
        by_place.setdefault((claim.field, claim.scope), []).append(claim)
    fields = memory.fields(tx)
    ids = [claim.id for claim in gone]
    tx.count(profiles.WITHDRAW_CLAIMS, ids=ids, reason_=reason, keep=int(keep_values))
    for (name, scope), claims in sorted(by_place.items()):
        withdraw_from(tx, fields.get(name), name, scope, claims, reason=reason)
    if not keep_values:
        tx.count(profiles.BLANK_VALUES_OF_CLAIMS, ids=ids, reason_=reason)
    for claim in gone:
        tx.change("claim.withdrawn", claim.id, reason)
    return len(gone)


def _erase_kept(tx: Writer, kept: Sequence[Row[Any]]) -> None:
    """Take the values that an edit had left in the history: their message is gone now."""
    if kept:
        ids = [row.id for row in kept]
        tx.count(profiles.WITHDRAW_CLAIMS, ids=ids, reason_=SOURCE_DELETED, keep=0)
        tx.count(profiles.BLANK_VALUES_OF_CLAIMS, ids=ids, reason_=SOURCE_DELETED)


def _without_a_source(tx: Writer, drawn: Sequence[Row[Any]]) -> list[Row[Any]]:
    """Return the claims that lost their last live source; the others are re-pointed to one they have.

    A confirmation shows the quote of its candidate and rests on the person's word: it stays as it is.
    """
    if not drawn:
        return []
    left: dict[str, str] = {}
    for link in tx.all(profiles.QUOTES, claims=[claim.id for claim in drawn]):
        if link.content is not None:
            left.setdefault(link.claim, link.message)
    gone: list[Row[Any]] = []
    for claim in drawn:
        if claim.source != "message":
            continue
        if claim.id in left:
            tx.run(profiles.RESOURCE_CLAIM, id=claim.id, message_=left[claim.id])
        else:
            gone.append(claim)
    return gone


def withdraw_from(
    tx: Writer, field: Field | None, name: str, scope: str, claims: Sequence[Row[Any]], *, reason: str
) -> None:
    """Let a field follow the withdrawal of some of its claims; ``field`` is ``None`` if none is declared."""
    at = spot(tx, name, scope) if field is None else place(tx, field, scope)
    current = None if at.row is None else at.row.claim
    counted = [one for one in claims if one.state == "recorded" and position_of(one).reaches(at.floor)]
    if any(one.id == current for one in counted) or _supported(tx, at, counted):
        floor = max(position_of(one) for one in counted)
        said = _said_before(tx, at)
        # Who deletes a message takes no setting back; who edits it may have corrected just that value.
        if isinstance(at, Place) and said is not None and reason == SOURCE_DELETED and _is_own(said):
            _leave_standing(tx, at, said, floor)
        else:
            _blank(tx, at, floor, said, reason=reason)
    elif isinstance(at, Place):
        found = fold(tx, at, without=frozenset(claim.id for claim in claims))
        store_held(tx, at, found.held if found.held is not None else at.held, reason=reason)


def _supported(tx: Writer, at: Spot, claims: Sequence[Row[Any]]) -> bool:
    """Tell whether a withdrawn claim spoke for the value of a policy that weighs all claims together."""
    if at.row is None or at.row.belief is None:
        return False
    if not isinstance(at, Place) or at.held is None:
        # Nothing can weigh the others anew without their field, and the weights hold what every claim said.
        return bool(claims)
    value = tx.open_json(at.row.value)
    return any(tx.open_json(claim.value) == value for claim in claims)


def _said_before(tx: Writer, at: Spot) -> Row[Any] | None:
    """Return the statement of the same value that a withdrawn one only repeated; a setting before others.

    Nothing that was the value, or would have been, may lie between: a value that came back is a new one.
    """
    if at.row is None or at.row.value is None:
        return None
    value, found = tx.open_json(at.row.value), None
    rows = tx.all(profiles.STATEMENTS, field=at.name, scope=at.scope)
    for row in reversed([one for one in rows if position_of(one).reaches(at.floor)]):
        if tx.open_json(row.value) == value:
            found = found or row
            if _is_own(row):
                return row
        elif _was_the_value(row):
            break
    return found


def _was_the_value(row: Row[Any]) -> bool:
    """Tell whether a statement was the value, or would have been but for a newer one."""
    accepted = row.outcome == Outcome.ACCEPT or row.reason == Reason.OLDER
    return accepted or row.confidence == Confidence.CONFIRMED


def _is_own(row: Row[Any]) -> bool:
    """Tell whether a statement is a setting, or a record of the application: it rests on no message."""
    return row.confidence == Confidence.CONFIRMED and row.source in _ON_THEIR_OWN


def _leave_standing(tx: Writer, at: Place, said: Row[Any], floor: Position) -> None:
    """Let the value rest on settings alone, above the floor that the withdrawn statement leaves.

    One that lies below is written anew above it, as old as it is: the floor keeps out whatever else does.
    """
    above = _above(tx, at, floor)
    stay = [row for row in above if row.value == said.value and _is_own(row)]
    kept = [one for one in (statement_of(tx, at.field, row) for row in stay) if one is not None]
    if not kept:
        kept = [_said_again(tx, at, said, floor)]
    held = resolve(kept, policy=at.field.policy).held
    version = store_held(tx, at, held, reason=SETTING_STANDS, floor=floor)
    _let_wait(tx, [row.id for row in above if row not in stay], version)


def _said_again(tx: Writer, at: Place, said: Row[Any], floor: Position) -> Statement:
    again = tx.new_id("c")
    place = Position(floor.at, floor.seq, floor.version + 1, tx.revision, 0)
    row = {
        **{name: getattr(said, name) for name in _KEPT},
        "id": again,
        "pos_at": place.at,
        "pos_seq": place.seq,
        "pos_version": place.version,
        "ordinal": place.ordinal,
        "revision": place.revision,
        "recorded_at": tx.now,
        "reason": SETTING_STANDS,
        "base_version": at.version,
    }
    tx.add(profiles.ADD_CLAIM, [row])
    tx.change("claim.recorded", again, SETTING_STANDS)
    value = at.field.load(tx.open_json(said.value))
    return Statement(
        again, value, confirmed=True, turn=said.turn, position=place, observed_at=said.observed_at
    )


def _blank(tx: Writer, at: Spot, floor: Position, said: Row[Any] | None, *, reason: str) -> None:
    earlier = [one for one in (_superseded(tx, at), None if said is None else said.id) if one is not None]
    version = store_blank(tx, at, status="withdrawn", reason=reason, floor=floor)
    above = [row.id for row in _above(tx, at, floor)]
    _let_wait(tx, dict.fromkeys([*above, *earlier]), version)


def _above(tx: Writer, at: Spot, floor: Position) -> list[Row[Any]]:
    """Return the statements above a withdrawn one, kept out by it or weighed with it.

    They do not become the value by its absence either: nothing is left to fold, and the field says the same
    whichever way it is read again.
    """
    rows = tx.all(profiles.STATEMENTS, field=at.name, scope=at.scope)
    return [row for row in rows if position_of(row).reaches(floor)]


def _let_wait(tx: Writer, claims: Iterable[str], version: int) -> None:
    for claim in claims:
        moved = tx.run(
            profiles.END_CLAIM,
            id=claim,
            was="recorded",
            state_="candidate",
            reason_="superseded_by_withdrawn",
            base=version,
        )
        if moved is not None:
            tx.change("candidate.raised", claim, "superseded_by_withdrawn")


def _superseded(tx: Writer, at: Spot) -> str | None:
    """Return the claim behind the last other value that the field had."""
    if at.row is None or at.row.value is None:
        return None
    value = tx.open_json(at.row.value)
    rows = tx.all(profiles.PREVIOUS_VALUES, field=at.name, scope=at.scope, limit=LOOK_BACK)
    return next((row.claim for row in rows if tx.open_json(row.value) != value), None)


def _retract_notes(tx: Writer, ids: Sequence[str]) -> tuple[str, ...]:
    if ids:
        tx.count(notes.ERASE_NOTES, ids=list(ids))
        tx.count(notes.CUT_NOTE_SOURCES, notes=list(ids))
        tx.mark(*(f"note:{note}" for note in ids))
        for note in ids:
            tx.change("note.withdrawn", note, "source_gone")
    return tuple(ids)
