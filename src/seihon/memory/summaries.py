"""Verbs on summaries: look at those of a conversation, and have them made now."""

from __future__ import annotations

from collections.abc import Mapping

from seihon.canonical import conversations, outbox
from seihon.canonical import summaries as statements
from seihon.canonical.scope import Reader
from seihon.core import ranges
from seihon.core.schema import Field
from seihon.derived.summaries.reading import Found, page
from seihon.memory import door, marking
from seihon.memory.base import Base
from seihon.model import (
    Derive,
    Page,
    Summarised,
    Summary,
    SummaryLine,
    SummaryState,
    instant,
    maybe_instant,
)


class Summarising(Base):
    """Summaries are made by themselves as ranges fill up; these verbs show them, and do not wait for that."""

    def summaries(
        self, owner: str, conversation: str, *, limit: int = 100, cursor: str | None = None
    ) -> Page[Summary]:
        """Return a page of a conversation's summaries in the order of their ranges.

        A range whose summary may not be read now is listed with its state and without words.

        Raises:
            Gone: the conversation was deleted. NotFound: there is none.
        """
        wanted = door.identifier(conversation, "conversation")
        size = door.whole(limit, "limit", least=1, most=door.MAX_PAGE)
        after = door.numbers(cursor, 1) or (-1,)
        with self.reading(owner) as tx:
            require_conversation(tx, wanted)
            found = page(tx, wanted, after[0], size + 1)
            fields, locale = self.fields(tx), self.setup.locale
            items = tuple(to_summary(tx, one, fields, locale) for one in found[:size])
        following = door.make_cursor(found[size - 1].row.block) if len(found) > size else None
        return Page(items, following)

    def summarise(self, owner: str, conversation: str) -> Summarised:
        """Summarise every range of a conversation now, the last one too, which is not full yet.

        A range whose messages, model and prompt are the same as before keeps its summary. Under ``external``
        the ranges are marked and a worker makes them.

        Raises:
            Gone: the conversation was deleted. NotFound: there is none.
        """
        wanted, key = door.identifier(conversation, "conversation"), self.key(owner)
        with self.reading(owner) as tx:
            require_conversation(tx, wanted)
            end = statements.end_of(tx, wanted)
        if end == 0:
            return Summarised(0, 0)
        keys = self.copies.summarise(key, wanted, ranges.block_of(end))
        if self.setup.derive is not Derive.EXTERNAL:
            self.copies.follow(key, statements.STORE)
        with self.reading(owner) as tx:
            waiting = tx.all(outbox.WAITING, store=statements.STORE, keys=keys)
        codes = tuple(sorted({row.error for row in waiting if row.error}))
        return Summarised(len(keys), len(waiting), codes)


def require_conversation(tx: Reader, conversation: str) -> None:
    """Refuse a conversation that was deleted or never was."""
    if tx.first(conversations.CONVERSATION, id=conversation) is None:
        conversations.refuse_missing(tx, "conversation", conversation)


def to_summary(tx: Reader, found: Found, fields: Mapping[str, Field], locale: str) -> Summary:
    """Return the noun of a stored summary."""
    row = found.row
    hidden = SummaryState.RETRACTED if row.state == "retracted" else SummaryState.HIDDEN
    return Summary(
        id=row.id,
        conversation=row.conversation,
        first_seq=row.first_seq,
        last_seq=row.last_seq,
        version=row.version,
        state=SummaryState.CURRENT if found.readable else hidden,
        text=found.text,
        lines=tuple(
            SummaryLine(line.text, line.sources, line.corrected, line.heading) for line in found.stored.lines
        ),
        sources=found.stored.sources,
        model=row.model,
        prompt_version=row.prompt_version,
        made_at=instant(row.made_at),
        tokens=row.tokens,
        flagged=row.flagged,
        expires_at=maybe_instant(row.expires_at),
        superseded=marking.lost(tx, found.lost, fields, locale),
    )
