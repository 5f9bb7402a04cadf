"""Verbs that carry an owner's memory in and out: transcripts, exports, and their way back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from seihon import errors
from seihon.canonical import transfer as store
from seihon.canonical.scope import Reader
from seihon.core.schema import Field
from seihon.memory import door, exports, transcripts
from seihon.memory.arrivals import Arrivals
from seihon.memory.base import Base
from seihon.memory.records import ExportKind
from seihon.memory.transcripts import Line
from seihon.model import BadLine, ImportReport

Progress = Callable[[int], None]

_UNRECOGNISED = (
    "Some messages of this owner carry fingerprints of another secret, so that lines without an id cannot be "
    "told from deleted ones; restore the secret file that was in use, or give every line its id."
)


class Transfer(Base):
    """Import what was said elsewhere, export what is known here; tombstones win on every way in."""

    def import_transcript(
        self,
        owner: str,
        lines: transcripts.Lines,
        *,
        conversation: str = "imported",
        source: str = "transcript",
        progress: Progress | None = None,
        batch: int = 500,
    ) -> ImportReport:
        """Add the messages of a transcript, as ``seihon.memory.transcripts`` reads it, in their order.

        A bad line is reported by its number and the others are stored. Each batch is one transaction, so an
        import that was cut off is finished by running it again: what stands is ``present``, what was deleted
        here stays ``deleted``. Imported history takes its place in time among the live messages and ages
        nothing; a date in the future is kept as ``observed_at`` and orders as now.

        Args:
            conversation: where lines go that name none. source: a word for the owner's history.
            progress: called after each batch with how many lines it had. batch: lines in one transaction.

        Raises:
            OwnerDeleted: the owner was deleted and not reopened.
            Conflict: lines without ids cannot be told from deleted ones, since the secret of this owner's
                fingerprints is another one; nothing was stored.
        """
        read = transcripts.read(lines, conversation=door.identifier(conversation, "conversation"))
        size = door.whole(batch, "batch", least=1, most=10_000)
        arrivals = Arrivals(self.setup.secret, door.identifier(source, "source"))
        with self.reading(owner) as tx:
            foreign = self._is_foreign(tx)
        try:
            for chunk in _chunks(_with_ids(read) if foreign else read, size):
                self._admit(owner, chunk, arrivals)
                if progress is not None:
                    progress(len(chunk))
        finally:
            if arrivals.tally.added:
                self.after_commit(self.key(owner))
        return arrivals.tally.report()

    def export(self, owner: str, *, kind: ExportKind | str = ExportKind.PERSON) -> Iterator[str]:
        """Return an owner's memory as JSON lines: a header, records, and an end that counts them.

        The lines come from one snapshot, a page at a time; it is held until they are all read or dropped.
        Nothing is written, so a replica can be exported.

        Args:
            kind: ``person`` for what the person can read and take elsewhere, ``migration`` for every row,
                so that an import into an empty owner is equal field by field. A migration's fingerprints
                of deleted texts work with the secret that the header names: take its file along.

        Raises:
            OwnerDeleted: only a ``migration`` can be exported of a deleted owner.
            NotFound: nothing was ever stored for this owner.
        """
        wanted: ExportKind = door.choice(kind, "kind", ExportKind)
        lines = self._lines(owner, wanted)
        # The first line is taken here, so that a refusal meets the caller and not the loop.
        return chain([next(lines)], lines)

    def _lines(self, owner: str, kind: ExportKind) -> Iterator[str]:
        with self.reading(owner, deleted=kind is ExportKind.MIGRATION) as tx:
            if not tx.known:
                raise errors.NotFound("Nothing is stored for this owner.", kind="owner")
            yield exports.header(tx, kind, owner, self.setup.secret.id)
            if kind is ExportKind.MIGRATION:
                yield from exports.whole(exports.for_migration(tx))
            else:
                yield from exports.whole(exports.for_person(tx, self._fields(tx)))

    def _fields(self, tx: Reader) -> Mapping[str, Field]:
        """Return the declared fields; an owner can be carried without a schema."""
        try:
            return self.schema_of(tx).fields
        except errors.SchemaError:
            return {}

    def _admit(self, owner: str, chunk: list[Line | BadLine], arrivals: Arrivals) -> None:
        """Store one batch; the copies follow once, at the end of the import."""
        arrivals.tally.bad += [one for one in chunk if isinstance(one, BadLine)]
        lines = [one for one in chunk if isinstance(one, Line)]
        if lines:
            with self.db.write(self.key(owner)) as tx:
                tx.actor = "import"
                arrivals.admit(tx, lines)

    def _is_foreign(self, tx: Reader) -> bool:
        """Tell whether another secret made any of the owner's fingerprints."""
        prefix = f"{self.setup.secret.id}:"
        asked = {"prefix": prefix, "length": len(prefix)}
        return any(
            tx.first(statement, **asked) is not None
            for statement in (store.FOREIGN_GRAVE, store.FOREIGN_MESSAGE)
        )


def _with_ids(lines: Iterable[Line | BadLine]) -> list[Line | BadLine]:
    """Return the lines if each has an id; all are looked at before any is stored."""
    found = list(lines)
    if any(isinstance(one, Line) and one.id is None for one in found):
        raise errors.Conflict(_UNRECOGNISED)
    return found


# A batch looks each of its texts up in each of its conversations, so it takes a few of those at a time.
CONVERSATIONS_AT_ONCE = 32


def _chunks(lines: Iterable[Line | BadLine], size: int) -> Iterator[list[Line | BadLine]]:
    """Cut lines into batches of at most ``size`` and of at most ``CONVERSATIONS_AT_ONCE`` conversations."""
    chunk: list[Line | BadLine] = []
    places: set[str] = set()
    for line in lines:
        place = {line.draft.conversation} if isinstance(line, Line) else set[str]()
        if len(chunk) >= size or len(places | place) > CONVERSATIONS_AT_ONCE:
            yield chunk
            chunk, places = [], set()
        chunk.append(line)
        places |= place
    if chunk:
        yield chunk
