"""Claims and the values they make: the statements, and the rows they become.

A field's value in a scope is a chain of ``field_values`` rows, one for each version; the open one is current,
and a unique index lets only one be open. A claim's quotes are offsets into its messages, so the words are
stored once and go with their message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Row, and_, case, delete, exists, not_, or_, select, tuple_, update
from sqlalchemy.sql.expression import ColumnElement

from seihon import errors
from seihon.canonical import summaries
from seihon.canonical import tables as t
from seihon.canonical.scope import (
    FLOOR,
    OWNER,
    REVISION,
    Reader,
    Writer,
    live_claims,
    live_messages,
    live_values,
    p,
)
from seihon.model import Quote

k, v, s, m = t.claims.c, t.field_values.c, t.claim_sources.c, t.messages.c
lc, lv, lm = live_claims.c, live_values.c, live_messages.c

_WITH_CLAIM = select(live_values, k.source.label("source"), k.message.label("message")).outerjoin(
    t.claims, and_(k.owner == lv.owner, k.id == lv.claim, k.owner == OWNER)
)
VALUES = _WITH_CLAIM.where(lv.scope.in_(p("scopes", many=True)))
VALUES_EVERYWHERE = _WITH_CLAIM.order_by(lv.field, lv.scope)
VALUE = _WITH_CLAIM.where(lv.field == p("field"), lv.scope == p("scope"))


def _is_over(claims: Any) -> ColumnElement[bool]:
    """Tell that a value which an edit left in the history has gone: its message cannot be read any more."""
    live = exists(select(lm.id).where(lm.id == claims.c.message)).correlate(claims)
    return and_(claims.c.state == "withdrawn", claims.c.message.is_not(None), not_(live))


_AS_OF = {
    "status": case((_is_over(t.claims), "withdrawn"), else_=v.status),
    "value": case((_is_over(t.claims), None), else_=v.value),
    "reason": case((_is_over(t.claims), "source_deleted"), else_=v.reason),
}
VALUES_AS_OF = (
    select(
        *(column for column in t.field_values.c if column.name not in _AS_OF),
        *(shown.label(name) for name, shown in _AS_OF.items()),
        k.source.label("source"),
        k.message.label("message"),
    )
    .outerjoin(t.claims, and_(k.owner == v.owner, k.id == v.claim, k.owner == OWNER))
    .where(
        v.owner == OWNER,
        v.opened_revision > FLOOR,
        v.opened_revision <= p("revision"),
        or_(v.closed_revision.is_(None), v.closed_revision > p("revision")),
        v.scope.in_(p("scopes", many=True)),
    )
)
# A value that a deletion took out of its version left its confidence: what stood there was another state than
# any that stands now.
_TAKEN_OUT = and_(v.status == "withdrawn", v.confidence.is_not(None))
VERSION = select(case((_TAKEN_OUT, "taken_out"), else_=v.status).label("status"), v.value).where(
    v.owner == OWNER, v.field == p("field"), v.scope == p("scope"), v.version == p("version")
)
CLOSE_VALUE = (
    update(t.field_values)
    .where(
        v.owner == OWNER,
        v.field == p("field"),
        v.scope == p("scope"),
        v.version == p("version"),
        v.closed_revision.is_(None),
    )
    .values(closed_revision=REVISION, superseded_by=p("successor"), belief=None)
    .returning(v.version)
)
ADD_VALUE = t.field_values.insert()
HIGHEST_VERSION = (
    select(v.version)
    .where(v.owner == OWNER, v.field == p("field"), v.scope == p("scope"))
    .order_by(v.version.desc())
    .limit(1)
)

# What a page of a field's history goes on from: the place of its last claim.
HISTORY_CURSOR = ("after_at", "after_seq", "after_version", "after_revision", "after_ordinal", "after_id")

ADD_CLAIM = t.claims.insert()
ADD_CLAIM_SOURCES = t.claim_sources.insert()
# Claims with what they said, for as long as it may be read.
_SHOWN_CLAIMS = select(
    *(column for column in lc if column is not lc.value),
    case((_is_over(live_claims), None), else_=lc.value).label("value"),
)
CLAIM = _SHOWN_CLAIMS.where(lc.id == p("id"))
STATEMENTS = (
    select(live_claims)
    .where(lc.field == p("field"), lc.scope == p("scope"), lc.state == "recorded")
    .order_by(lc.pos_at, lc.pos_seq, lc.pos_version, lc.revision, lc.ordinal)
)
_POSITION = (lc.pos_at.desc(), lc.pos_seq.desc(), lc.pos_version.desc(), lc.revision.desc())
LAST_STATEMENT = (
    select(lc.pos_at, lc.pos_seq, lc.pos_version, lc.revision, lc.ordinal)
    .where(lc.field == p("field"), lc.scope == p("scope"), lc.state == "recorded")
    .order_by(*_POSITION, lc.ordinal.desc())
    .limit(1)
)
_PLACE = (lc.pos_at, lc.pos_seq, lc.pos_version, lc.revision, lc.ordinal, lc.id)
_AFTER = tuple(p(name, column.type) for name, column in zip(HISTORY_CURSOR, _PLACE, strict=True))
HISTORY = (
    _SHOWN_CLAIMS.where(
        lc.field == p("field"),
        or_(p("scope", t.Key).is_(None), lc.scope == p("scope", t.Key)),
        tuple_(*_PLACE) > tuple_(*_AFTER),
    )
    .order_by(*_PLACE)
    .limit(p("limit", t.Big))
)
SAME_FIELD = select(live_claims).where(
    lc.field == p("field"),
    lc.scope == p("scope"),
    lc.state.in_(["recorded", "candidate", "rejected"]),
    or_(lc.message == p("message"), lc.state.in_(["candidate", "rejected"])),
)
END_CLAIM = (
    update(t.claims)
    .where(k.owner == OWNER, k.id == p("id"), k.state == p("was"))
    .values(state=p("state_"), reason=p("reason_"), base_version=p("base"), ended_revision=REVISION)
    .returning(k.id)
)
CANDIDATES = (
    select(
        live_claims,
        lv.value.label("current_value"),
        lv.status.label("current_status"),
        lv.version.label("current_version"),
    )
    .outerjoin(live_values, and_(lv.owner == lc.owner, lv.field == lc.field, lv.scope == lc.scope))
    .where(lc.state == "candidate", tuple_(lc.revision, lc.id) > tuple_(p("after", t.Big), p("after_id")))
    .order_by(lc.revision, lc.id)
    .limit(p("limit", t.Big))
)
CLAIM_SOURCES = select(t.claim_sources).where(s.owner == OWNER, s.claim.in_(p("claims", many=True)))
QUOTES = (
    select(s.claim, s.message, s.message_version, s.quote_start, s.quote_end, lm.content, lm.version, lm.role)
    .outerjoin(live_messages, and_(lm.owner == s.owner, lm.id == s.message))
    .where(s.owner == OWNER, s.claim.in_(p("claims", many=True)))
    .order_by(s.claim, s.message)
)

# What was drawn from messages into a claim that no longer is what its field says.
_NO_LONGER = (
    select(
        s.message,
        s.quote_start,
        s.quote_end,
        k.field,
        k.scope,
        k.value.label("said"),
        lv.value.label("current_value"),
        lv.status,
        lv.opened_at,
    )
    .select_from(t.claim_sources)
    .join(t.claims, and_(k.owner == s.owner, k.id == s.claim))
    .join(t.messages, and_(m.owner == s.owner, m.id == s.message, m.version == s.message_version))
    .join(live_values, and_(lv.owner == k.owner, lv.field == k.field, lv.scope == k.scope))
    .where(
        s.owner == OWNER,
        k.owner == OWNER,
        m.owner == OWNER,
        # Only what was the value once can have been superseded; the person's word made it so too.
        or_(
            and_(k.state.in_(["recorded", "withdrawn", "candidate", "rejected"]), k.outcome == "accept"),
            # What was older than the value, or one voice among those that a belief weighed.
            and_(k.state == "recorded", k.reason.in_(["older", "less_probable"])),
            k.state == "confirmed",
        ),
        or_(lv.claim.is_(None), lv.claim != k.id),
    )
)
SUPERSEDED = _NO_LONGER.add_columns(m.content).where(s.message.in_(p("messages", many=True)))
_ns = t.note_sources.c
# The same for the sources of notes.
SUPERSEDED_OF_NOTES = (
    _NO_LONGER.add_columns(_ns.note)
    .join(t.note_sources, and_(_ns.owner == s.owner, _ns.message == s.message))
    .where(_ns.owner == OWNER, _ns.note.in_(p("notes", many=True)))
)
_ys = t.summary_sources.c
# The same for the sources of summaries.
SUPERSEDED_OF_SUMMARIES = (
    _NO_LONGER.add_columns(_ys.summary)
    .join(t.summary_sources, and_(_ys.owner == s.owner, _ys.message == s.message))
    .where(_ys.owner == OWNER, _ys.summary.in_(p("summaries", many=True)))
)

# What a deletion or an edit of messages takes with it.
DRAWN_CLAIMS = (
    select(live_claims)
    .where(
        lc.id.in_(select(s.claim).where(s.owner == OWNER, s.message.in_(p("messages", many=True)))),
        lc.state != "withdrawn",
    )
    .order_by(lc.revision, lc.ordinal)
)
_CONVERSATION_MESSAGES = select(m.id).where(m.owner == OWNER, m.conversation == p("conversation"))
DRAWN_CLAIMS_OF_CONVERSATION = (
    select(live_claims)
    .where(
        lc.id.in_(select(s.claim).where(s.owner == OWNER, s.message.in_(_CONVERSATION_MESSAGES))),
        lc.state != "withdrawn",
    )
    .order_by(lc.revision, lc.ordinal)
)
# Claims that an edit withdrew before: their values go with the message at the latest.
_KEPT = (lc.state == "withdrawn", lc.value.is_not(None))
KEPT_CLAIMS = select(lc.id).where(lc.message.in_(p("messages", many=True)), *_KEPT)
KEPT_CLAIMS_OF_CONVERSATION = select(lc.id).where(lc.message.in_(_CONVERSATION_MESSAGES), *_KEPT)
CUT_SOURCES = delete(t.claim_sources).where(s.owner == OWNER, s.message.in_(p("messages", many=True)))
CUT_SOURCES_OF_CONVERSATION = delete(t.claim_sources).where(
    s.owner == OWNER, s.message.in_(_CONVERSATION_MESSAGES)
)
RESOURCE_CLAIM = (
    update(t.claims).where(k.owner == OWNER, k.id == p("id")).values(message=p("message_")).returning(k.id)
)
WITHDRAW_CLAIMS = (
    update(t.claims)
    .where(k.owner == OWNER, k.id.in_(p("ids", many=True)))
    .values(
        state="withdrawn",
        reason=p("reason_"),
        value=case((p("keep", t.Big) == 1, k.value), else_=None),
        ended_revision=REVISION,
    )
)
BLANK_VALUES_OF_CLAIMS = (
    update(t.field_values)
    .where(v.owner == OWNER, v.claim.in_(p("ids", many=True)))
    .values(value=None, belief=None, probability=None, claim=None, status="withdrawn", reason=p("reason_"))
)
CLAIMS_OF_FIELD = select(live_claims).where(lc.field == p("field"), lc.scope == p("scope"))
BLANK_FIELD_VALUES = (
    update(t.field_values)
    .where(v.owner == OWNER, v.field == p("field"), v.scope == p("scope"))
    .values(
        value=None,
        belief=None,
        claim=None,
        confidence=None,
        probability=None,
        status="withdrawn",
        reason=p("reason_"),
    )
)
PREVIOUS_VALUES = (
    select(v.claim, v.version, k.value)
    .join(t.claims, and_(k.owner == v.owner, k.id == v.claim))
    .where(
        v.owner == OWNER,
        k.owner == OWNER,
        v.field == p("field"),
        v.scope == p("scope"),
        v.status == "current",
        v.closed_revision.is_not(None),
        v.opened_revision > FLOOR,
        k.state == "recorded",
    )
    .order_by(v.version.desc())
    .limit(p("limit", t.Big))
)
REVISION_AT = (
    select(t.changes.c.revision, t.changes.c.turn, t.changes.c.at)
    .where(t.changes.c.owner == OWNER, t.changes.c.at <= p("at"))
    .order_by(t.changes.c.at.desc(), t.changes.c.revision.desc())
    .limit(1)
)
CHANGE_AT = (
    select(t.changes.c.revision, t.changes.c.turn, t.changes.c.at)
    .where(t.changes.c.owner == OWNER, t.changes.c.revision <= p("revision"))
    .order_by(t.changes.c.revision.desc())
    .limit(1)
)
CHANGES_SINCE = (
    select(t.changes)
    .where(
        t.changes.c.owner == OWNER,
        tuple_(t.changes.c.revision, t.changes.c.ordinal) > tuple_(p("after", t.Big), p("ordinal", t.Big)),
    )
    .order_by(t.changes.c.revision, t.changes.c.ordinal)
    .limit(p("limit", t.Big))
)


def quotes(tx: Reader, claims: Sequence[str]) -> Mapping[str, tuple[Quote, ...]]:
    """Return each claim's quotes; the words are there only while their message can be read unchanged."""
    found: dict[str, tuple[Quote, ...]] = {}
    for row in tx.all(QUOTES, claims=list(claims)) if claims else ():
        found[row.claim] = (*found.get(row.claim, ()), _quote(tx, row))
    return found


def _quote(tx: Reader, row: Row[Any]) -> Quote:
    text = None
    unchanged = row.version == row.message_version and row.quote_start is not None
    if row.content is not None and unchanged:
        text = tx.open(row.content)[row.quote_start : row.quote_end]
    return Quote(row.message, row.message_version, text, row.quote_start, row.quote_end)


def close_and_open(tx: Writer, current: Row[Any] | None, fields: Mapping[str, Any]) -> int:
    """Close the current value, if any, and open its successor; return the new version."""
    field, scope = fields["field"], fields["scope"]
    highest = tx.first(HIGHEST_VERSION, field=field, scope=scope)
    version = (highest.version if highest is not None else 0) + 1
    if current is not None:
        # A correction names its successor; a blank leaves none to point to.
        successor = version if fields["status"] == "current" else None
        closed = tx.run(CLOSE_VALUE, field=field, scope=scope, version=current.version, successor=successor)
        errors.certain(closed, "the owner's row lock lets nobody else close a value")
    before = tx.open_json(current.value) if current is not None and current.status == "current" else None
    after = tx.open_json(fields["value"])
    summaries.retract_superseded(tx, field, scope, before=before, after=after, promoted=fields["claim"])
    tx.add(
        ADD_VALUE,
        [{**fields, "version": version, "opened_revision": tx.revision, "opened_at": tx.monotonic}],
    )
    return version
