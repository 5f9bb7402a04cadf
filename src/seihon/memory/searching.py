"""The verb ``search``: hits joined to the live original, with what no longer holds in them."""

from __future__ import annotations

from seihon.canonical.scope import Reader
from seihon.core import scopes
from seihon.core.snippet import snippet
from seihon.derived.fulltext import Found
from seihon.memory import door, marking
from seihon.memory.base import Base
from seihon.memory.summaries import require_conversation
from seihon.model import Hit, HitKind, instant

MAX_QUERY = 10_000
SNIPPET_WIDTH = 200


class Searching(Base):
    """Find messages and notes by their words, and by their meaning where there is an embedder."""

    def search(
        self,
        owner: str,
        query: str,
        *,
        k: int = 10,
        conversation: str | None = None,
        kind: HitKind | str | None = None,
        scope: str | None = None,
    ) -> tuple[Hit, ...]:
        """Return the ``k`` best live messages and notes, best first; neighbours of a hit rank behind it.

        Args:
            conversation: only its messages. kind: only messages, or only notes.
            scope: only notes that apply there; by default notes of every scope.

        Raises:
            Gone: the conversation that is named was deleted. NotFound: there is none.
        """
        wanted = door.text(query, "query", limit=MAX_QUERY, empty=True)
        size = door.whole(k, "k", least=1, most=door.MAX_PAGE)
        where = None if conversation is None else door.identifier(conversation, "conversation")
        only = None if kind is None else door.choice(kind, "kind", HitKind).value
        applying = None if scope is None else scopes.applicable(scope)

        asked = self.copies.ask(self.key(owner), wanted)

        def read(tx: Reader) -> tuple[list[Found], dict[str, marking.Spans]]:
            found = self.copies.search(
                tx, wanted, k=size, conversation=where, kind=only, scopes=applying, asked=asked
            )
            if where is not None and not found:
                # Nothing found, and no such conversation, are two answers; the second is told as elsewhere.
                require_conversation(tx, where)
            fields, locale = self.fields(tx), self.setup.locale
            messages = [one.id for one in found if one.kind == "message"]
            notes = {one.id: one.at for one in found if one.kind == "note"}
            return found, {
                "message": marking.superseded(tx, messages, fields, locale),
                "note": marking.superseded_notes(tx, notes, fields, locale),
            }

        found, spans = self.settled(owner, read)
        return tuple(
            Hit(
                id=one.id,
                kind=HitKind(one.kind),
                version=one.version,
                score=one.score,
                text=one.text,
                snippet=snippet(one.text, wanted, SNIPPET_WIDTH).text,
                observed_at=instant(one.observed_at),
                conversation=one.conversation,
                role=one.role,
                reason=why(one),
                superseded=spans[one.kind].get(one.id, ()),
            )
            for one in found
        )


def why(found: Found) -> str:
    """Return the reason of a hit: its own words, its own meaning, or a neighbour."""
    if found.own > 0:
        return "found"
    return "near" if found.near >= found.score / 2 and found.near > 0 else "beside"
