"""Records without text that go with an owner: traces, replayable answers, marks of the outbox."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, func, not_, select, update

from seihon.canonical import tables as t
from seihon.canonical.idempotency import VOID
from seihon.canonical.outbox import is_outside
from seihon.canonical.scope import OWNER, Reader, Writer, p

r, i, d = t.traces.c, t.idempotency.c, t.dirty.c

_EARLIER_TRACES = (r.owner == OWNER, r.revision <= p("bound", t.Big))
_CONVERSATION_TRACES = (r.owner == OWNER, r.conversation == p("key"))
_EARLIER_ANSWERS = (i.owner == OWNER, i.created_at <= p("at", t.Big), i.answer != VOID)
# Not the messages to systems outside: they tell of this very deletion.
_EARLIER_MARKS = (d.owner == OWNER, d.revision <= p("bound", t.Big), not_(is_outside(d.store)))

DROP_TRACES = delete(t.traces).where(*_EARLIER_TRACES)
LEFT_TRACES = select(func.count()).where(*_EARLIER_TRACES)
DROP_TRACES_OF_CONVERSATION = delete(t.traces).where(*_CONVERSATION_TRACES)
LEFT_TRACES_OF_CONVERSATION = select(func.count()).where(*_CONVERSATION_TRACES)
# Voided rather than dropped: a late retry in a new life must find that it was answered, and be refused.
VOID_ANSWERS = update(t.idempotency).where(*_EARLIER_ANSWERS).values(answer=VOID)
LEFT_ANSWERS = select(func.count()).where(*_EARLIER_ANSWERS)
DROP_MARKS = delete(t.dirty).where(*_EARLIER_MARKS)
LEFT_MARKS = select(func.count()).where(*_EARLIER_MARKS)


def drop(tx: Writer, statement: Any, **named: Any) -> int:
    """Run one of the writes above; return how many rows it touched."""
    return tx.count(statement, **named)


def left(tx: Reader, statement: Any, **named: Any) -> int:
    """Run a statement that counts what is left, such as those above; return its number."""
    row = tx.first(statement, **named)
    return 0 if row is None else int(row[0])
