"""Statements of the way in and out: what an owner has of the lines that arrive, and what a person may take.

Those of the way in answer for hundreds of lines at once: their number does not grow with a batch.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Integer, and_, case, func, select, tuple_, update

from seihon.canonical import tables as t
from seihon.canonical.deletions import OLD_TEXT
from seihon.canonical.scope import OWNER, REVISION, by_dialect, live_claims, live_messages, p

m, c, g = t.messages.c, t.conversations.c, t.tombstones.c

# The life and death of messages by their ids; `ended` also when their conversation did.
MESSAGE_FATES = (
    select(
        m.id,
        m.conversation,
        m.role,
        m.fingerprint,
        m.version,
        m.created_revision,
        func.coalesce(m.deleted_revision, c.deleted_revision).label("ended"),
    )
    .join(t.conversations, and_(c.owner == m.owner, c.id == m.conversation))
    .where(m.owner == OWNER, c.owner == OWNER, m.id.in_(p("ids", many=True)))
)
CONVERSATION_ENDS = select(
    c.id, c.version, c.last_seq, c.last_at, c.created_revision, c.deleted_revision
).where(c.owner == OWNER, c.id.in_(p("ids", many=True)))
GRAVES = select(g.kind, g.key, g.fingerprint).where(
    g.owner == OWNER, g.kind.in_(p("kinds", many=True)), g.key.in_(p("keys", many=True))
)
GRAVE_TIMES = select(g.key, g.at).where(
    g.owner == OWNER, g.kind == p("kind"), g.key.in_(p("keys", many=True))
)
EQUAL_MESSAGES = (
    select(
        m.conversation,
        m.fingerprint,
        func.count().label("rows"),
        func.count(m.deleted_revision).label("dead"),
    )
    .where(
        m.owner == OWNER,
        m.conversation.in_(p("conversations", many=True)),
        m.fingerprint.in_(p("fingerprints", many=True)),
    )
    .group_by(m.conversation, m.fingerprint)
)
# Told by the key: a reason is whatever the person gave for a deletion.
_EDITED = func.substr(g.key, 1, 1) == OLD_TEXT
BURIED = (
    select(
        g.conversation,
        g.fingerprint,
        func.max(g.at).filter(~_EDITED).label("at"),
        func.count().filter(_EDITED).label("edited"),
    )
    .where(
        g.owner == OWNER,
        g.conversation.in_(p("conversations", many=True)),
        g.fingerprint.in_(p("fingerprints", many=True)),
    )
    .group_by(g.conversation, g.fingerprint)
)
# A fingerprint that another secret made: what it stands for cannot be recognised. In the order of the
# index, so that the search for the first one stays in it.
FOREIGN_GRAVE = (
    select(g.fingerprint)
    .where(
        g.owner == OWNER,
        g.fingerprint.is_not(None),
        func.substr(g.fingerprint, 1, p("length", Integer)) != p("prefix"),
    )
    .order_by(g.conversation, g.fingerprint)
    .limit(1)
)
FOREIGN_MESSAGE = (
    select(m.fingerprint)
    .where(m.owner == OWNER, func.substr(m.fingerprint, 1, p("length", Integer)) != p("prefix"))
    .order_by(m.conversation, m.fingerprint)
    .limit(1)
)
# From which time on each turn of the owner's runs: imported history takes its place among live messages.
TURN_STEPS = select(func.min(m.at).label("at"), m.turn).where(m.owner == OWNER).group_by(m.turn)


def _extend_conversations(insert: Any) -> Any:
    new = insert(t.conversations)
    return new.on_conflict_do_update(
        index_elements=["owner", "id"],
        set_={
            "last_seq": new.excluded.last_seq,
            "last_at": new.excluded.last_at,
            "version": c.version + 1,
            "revision": new.excluded.revision,
        },
    )


# Made on first use; the ends were read under the owner's lock, so nobody moved them since.
EXTEND_CONVERSATIONS = by_dialect(_extend_conversations)

ADD_CONVERSATION = t.conversations.insert()

lm, lc = live_messages.c, live_claims.c
MESSAGES_IN_ORDER = (
    select(live_messages)
    .where(tuple_(lm.conversation, lm.seq) > tuple_(p("after"), p("after_seq", t.Big)))
    .order_by(lm.conversation, lm.seq)
    .limit(p("limit", t.Big))
)
# What a withdrawn claim said is no longer the person's word.
CLAIMS_IN_ORDER = (
    select(live_claims)
    .where(lc.state != "withdrawn", lc.id > p("after"))
    .order_by(lc.id)
    .limit(p("limit", t.Big))
)

# --- One life of an owner meets another: what is newer is taken over, what ended ends. ---

n, k, o = t.notes.c, t.claims.c, t.owners.c
NOTE_FATES = select(n.id, n.version, n.text, n.created_revision, n.deleted_revision.label("ended")).where(
    n.owner == OWNER, n.id.in_(p("ids", many=True))
)
# The same words as those that were deleted in the other life.
EQUAL_STANDING = select(m.id, m.conversation, m.fingerprint, m.at).where(
    m.owner == OWNER,
    m.conversation.in_(p("conversations", many=True)),
    m.fingerprint.in_(p("fingerprints", many=True)),
    m.deleted_revision.is_(None),
)
BURIED_KEYS = select(g.key, g.conversation, g.fingerprint, g.at).where(
    g.owner == OWNER,
    g.conversation.in_(p("conversations", many=True)),
    g.fingerprint.in_(p("fingerprints", many=True)),
    ~_EDITED,
)
CLAIM_FATES = select(live_claims).where(lc.id.in_(p("ids", many=True)))
ADOPT_MESSAGE = (
    update(t.messages)
    .where(m.owner == OWNER, m.id == p("id"), m.deleted_revision.is_(None), m.version < p("version_", t.Big))
    .values(
        content=p("content_"),
        metadata=p("metadata_"),
        fingerprint=p("fingerprint_"),
        expires_at=p("expires_at_", t.Big),
        expires_turn=p("expires_turn_", t.Big),
        version=p("version_", t.Big),
        revision=REVISION,
    )
    .returning(m.id)
)
ADOPT_NOTE = (
    update(t.notes)
    .where(n.owner == OWNER, n.id == p("id"), n.deleted_revision.is_(None), n.version < p("version_", t.Big))
    .values(
        text=p("text_"),
        metadata=p("metadata_"),
        scope=p("scope_"),
        state=p("state_"),
        superseded_by=p("superseded_by_"),
        expires_at=p("expires_at_", t.Big),
        expires_turn=p("expires_turn_", t.Big),
        version=p("version_", t.Big),
        revision=REVISION,
    )
    .returning(n.id)
)
END_CLAIM = (
    update(t.claims)
    .where(k.owner == OWNER, k.id == p("id"), k.state == "candidate")
    .values(state=p("state_"), reason=p("reason_"), ended_revision=REVISION)
    .returning(k.id)
)
FIELD_CLAIMS_UNTIL = select(live_claims).where(
    lc.field == p("field"), lc.scope == p("scope"), lc.state != "withdrawn", lc.pos_at <= p("at", t.Big)
)
MERGE_OWNER = (
    update(t.owners)
    .where(o.owner == OWNER)
    .values(
        epoch=o.epoch + p("deletions", t.Big),
        turn=case((o.turn < p("turn_", t.Big), p("turn_", t.Big)), else_=o.turn),
    )
    .returning(o.epoch)
)
