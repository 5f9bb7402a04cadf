"""Verbs that carry an owner's memory in and out: transcripts, exports, and their way back."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import Final

from seihon import errors
from seihon.canonical import transfer as store
from seihon.canonical.database import SKEW_US
from seihon.canonical.scope import Reader, Writer
from seihon.core.schema import Field
from seihon.memory import door, transcripts
from seihon.memory.base import Base
from seihon.memory.carrying import exports, records
from seihon.memory.carrying.arrivals import Arrivals, Tally, batches
from seihon.memory.carrying.merging import Merging
from seihon.memory.carrying.persons import Person
from seihon.memory.carrying.records import Entry, ExportKind, Header
from seihon.memory.carrying.restoring import Restoring
from seihon.memory.transcripts import Line
from seihon.model import BadLine, ImportReport, us

Progress = Callable[[int], None]
Entries = Iterator[Entry | BadLine]

# How many records of an export are checked and stored by one round of statements.
RECORDS_AT_ONCE: Final = 500

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
            for chunk in batches(_with_ids(read) if foreign else read, size):
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

    def import_export(
        self, lines: transcripts.Lines, *, owner: str | None = None, progress: Progress | None = None
    ) -> ImportReport:
        """Bring an export back in; importing it twice adds nothing, and tombstones win on both sides.

        A ``migration`` comes in whole or not at all, in one transaction: the owner (on SQLite every writer)
        waits until the last line is read. Into an owner that has nothing it is equal field by
        field, revisions and history included. Into one that has a life of its own it is united with it:
        records by their ids, the higher version of each, every deletion of either side, values resolved anew.
        A record that both lives changed to the same version stays as it is here and is reported.

        A ``person``'s export adds its messages and notes by their ids; its values are recorded as inferences
        from the source ``import``, which the fields' own rules judge.

        Args:
            owner: whose memory it becomes; left out, that of the owner and tenant whom the file names.
            progress: called with how many lines were read since the last call.

        Raises:
            BadFormat: the file is no export, or a migration that was cut off.
            Conflict: the file is another tenant's and ``owner`` does not say whose it becomes, or it was
                written later than this machine's clock, or two lives cannot be told apart.
            OwnerDeleted: the owner of a ``person``'s export was deleted here.
        """
        numbered = transcripts.items(lines)
        first = next(numbered, None)
        header = records.read_header(None if first is None else first[1])
        target = self._target(header, owner)
        entries = records.read_entries(numbered)
        take = self._take_person if header.kind is ExportKind.PERSON else self._take_migration
        tally = Tally()
        take(target, header, entries, tally, progress or _unheard)
        return tally.report()

    def _target(self, header: Header, owner: str | None) -> str:
        if header.exported_at > us(self.clock()) + SKEW_US:
            raise errors.Conflict("The export is of a time to come; set the clock of this machine right.")
        if owner is not None:
            return door.identifier(owner, "owner")
        if header.tenant != self.setup.tenant:
            raise errors.Conflict(
                "The export is of another tenant; give `owner` to say whose memory it becomes."
            )
        return header.owner

    def _take_migration(
        self, owner: str, header: Header, entries: Entries, tally: Tally, progress: Progress
    ) -> None:
        with self._importing(owner, revive=True) as tx:
            way = Restoring if tx.revision == 1 else Merging
            migration = way(self, tx, header, tally, self._fields(tx))
            for stretch in _stretches(entries):
                migration.take(stretch)
                progress(len(stretch))
            migration.finish()
        self.after_commit(self.key(owner), deletions=True)

    def _take_person(
        self, owner: str, header: Header, entries: Entries, tally: Tally, progress: Progress
    ) -> None:
        with self.reading(owner):
            pass  # an owner who was deleted is refused before the first line
        arrivals = Arrivals(self.setup.secret, header.kind.value, tally)
        person = Person(self, owner, arrivals, partial(self._importing, owner))
        try:
            for stretch in _stretches(entries):
                person.take(stretch)
                progress(len(stretch))
        except errors.BadFormat as error:
            # What came before the cut can be read by itself, and stays.
            tally.bad.append(BadLine(error.details["line"], error.code, error.message))
        finally:
            if tally.added:
                self.after_commit(self.key(owner))

    @contextmanager
    def _importing(self, owner: str, *, revive: bool = False) -> Generator[Writer]:
        """Open a write transaction of an import; the copies follow once, at its end."""
        with self.db.write(self.key(owner), revive=revive) as tx:
            tx.actor = "import"
            yield tx

    def _admit(self, owner: str, chunk: list[Line | BadLine], arrivals: Arrivals) -> None:
        """Store one batch."""
        arrivals.tally.bad += [one for one in chunk if isinstance(one, BadLine)]
        lines = [one for one in chunk if isinstance(one, Line)]
        if lines:
            with self._importing(owner) as tx:
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


def _stretches(entries: Entries) -> Iterator[list[Entry | BadLine]]:
    """Cut a file into stretches; one that breaks off is given as far as it goes."""
    stretch: list[Entry | BadLine] = []
    try:
        for entry in entries:
            stretch.append(entry)
            if len(stretch) == RECORDS_AT_ONCE:
                yield stretch
                stretch = []
    except errors.BadFormat:
        yield stretch
        raise
    yield stretch


def _unheard(_lines: int) -> None:
    pass
