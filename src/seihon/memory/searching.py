"""The verb ``search``: hits joined to the live original, with what no longer holds in them."""

from __future__ import annotations

from collections.abc import Mapping

from seihon import errors
from seihon.canonical.scope import Reader
from seihon.core import scopes
from seihon.core.schema import Field
from seihon.core.snippet import snippet
from seihon.memory import door, marking
from seihon.memory.base import Base
from seihon.model import Hit, HitKind, Superseded, instant

MAX_QUERY = 10_000
SNIPPET_WIDTH = 200


class Searching(Base):
    """Find messages and notes by their words."""

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
        """Return the ``k`` best live messages and notes, best first.

        Args:
            conversation: only its messages. kind: only messages, or only notes.
            scope: only notes that apply there; by default notes of every scope.
        """
        wanted = door.text(query, "query", limit=MAX_QUERY, empty=True)
        size = door.whole(k, "k", least=1, most=door.MAX_PAGE)
        where = None if conversation is None else door.identifier(conversation, "conversation")
        only = None if kind is None else door.choice(kind, "kind", HitKind).value
        applying = None if scope is None else scopes.applicable(scope)
        with self.reading(owner) as tx:
            found = self.copies.search(tx, wanted, k=size, conversation=where, kind=only, scopes=applying)
            spans = marking.superseded(
                tx, [one.id for one in found if one.kind == "message"], self.fields(tx), self.setup.locale
            )
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
                superseded=spans.get(one.id, _NONE) if one.kind == "message" else _NONE,
            )
            for one in found
        )

    def fields(self, tx: Reader) -> Mapping[str, Field]:
        """Return the declared fields; none without a schema, which search and contexts do not need."""
        try:
            return self.schema_of(tx).fields
        except errors.SchemaError:
            return {}


_NONE: tuple[Superseded, ...] = ()
