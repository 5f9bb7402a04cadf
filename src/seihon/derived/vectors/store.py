"""The vectors as a derived store: gathered in one transaction, embedded outside any, published in another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Row

from seihon.canonical import outbox
from seihon.canonical import vectors as statements
from seihon.canonical.scope import Reader, Writer
from seihon.canonical.vectors import SET, STORE, sealed
from seihon.derived.contract import RECORDS, Page, Target
from seihon.derived.scopes import ended_scope
from seihon.derived.vectors import comparison, originals, removal, sets
from seihon.derived.vectors.embedding import Embedded, embedded, is_of_text, set_name
from seihon.derived.vectors.originals import Original, is_document, is_of
from seihon.models.embedder import Embedder

SCOPE_BATCH: Final = 500
"""How many texts of a deleted scope one pass takes out."""

INPUTS_AT_ONCE: Final = 32
"""About so many parts are embedded under one lease: a slow model takes a second for each."""

MOST_REMEMBERED: Final = 1000
"""Of how many owners it is kept in mind how far their sets are."""

Held = Mapping[tuple[str, str], Row[Any]]


@dataclass(frozen=True, slots=True)
class Work:
    """What one pass looks at: the texts by key, of each set those that it lacks, and what came of them.

    ``made``: by set and key the vectors of a text's parts, or the code of what went wrong with it.
    """

    texts: Mapping[str, Original]
    lacking: Mapping[str, Sequence[str]]
    made: Mapping[tuple[str, str], Embedded | str] = field(
        default_factory=dict[tuple[str, str], Embedded | str]
    )


class Vectors:
    """Vectors of messages and notes by one model, or by two while the first replaces the second.

    ``models``: the first is the wanted one. Without any nothing is made, and what is held is still purged.
    """

    name: str = STORE
    batch: int = INPUTS_AT_ONCE

    def __init__(self, models: Sequence[Embedder]) -> None:
        self.models = {set_name(model): model for model in models}
        self.follows: frozenset[str] = RECORDS if models else frozenset()
        # How far the wanted set was looked through for gaps: else each step would begin at the first text.
        self._came: dict[str, str] = {}

    def gather(self, tx: Reader, keys: Sequence[str]) -> Work:
        """Read the texts of these keys, as many as one pass embeds, and what each set lacks of them."""
        found = originals.read(tx, [key for key in keys if is_document(key)])
        names = self._followed(tx)
        held = _held(tx, list(found))
        texts: dict[str, Original] = {}
        lacking: dict[str, list[str]] = {name: [] for name in names}
        inputs = 0
        for key, text in found.items():
            wanting = [name for name in names if text.stands and not is_of(held.get((key, name)), text)]
            inputs += len(text.inputs) * len(wanting)
            if texts and inputs > INPUTS_AT_ONCE:
                break
            texts[key] = text
            for name in wanting:
                lacking[name].append(key)
        return Work(texts, lacking)

    def prepare(self, originals: Work) -> Work:
        """Embed; what a model fails at, a text or all of them, takes nothing else with it."""
        made: dict[tuple[str, str], Embedded | str] = {}
        for name, keys in originals.lacking.items():
            inputs = {key: originals.texts[key].inputs for key in keys}
            given = embedded(self.models[name], inputs) if inputs else {}
            made.update({(name, key): one for key, one in given.items()})
        return Work(originals.texts, originals.lacking, made)

    def failures(self, prepared: Work) -> Mapping[str, str]:
        """Return the keys of texts that a model could not embed, with a code each."""
        return {key: one for (_, key), one in prepared.made.items() if isinstance(one, str)}

    def publish(self, tx: Writer, keys: Sequence[str], prepared: Work) -> Sequence[str]:
        """Keep the vectors of texts that are as they were read; return the keys of the others."""
        docs = [key for key in keys if is_document(key)]
        again = self._publish(tx, docs, prepared)
        again += [key for key in keys if key.startswith(SET) and sets.drop(tx, key)]
        again += [key for key in keys if not is_document(key) and _take_scope(tx, key)]
        ready = not again and all(is_of_text(code) for code in self.failures(prepared).values())
        if self.models and ready and tx.state == "live":
            self._advance(tx, keys)
        return again

    def refresh(self, tx: Writer, keys: Sequence[str]) -> Sequence[str]:
        """Take out what no longer holds; return the keys that are to be embedded."""
        return self.publish(tx, keys, self.gather(tx, keys))

    def purge(self, tx: Writer, target: Target, limit: int) -> int:
        """Take out at most about ``limit`` texts of a deleted target; see the contract."""
        return removal.take(tx, target, limit)

    def leftovers(self, tx: Reader, target: Target) -> int:
        """Count the vectors of a deleted target that are still held."""
        return removal.left(tx, target)

    def keys(self, tx: Reader, after: str, limit: int) -> Sequence[str]:
        """Return keys that should have or have a vector, in their order after ``after``."""
        return comparison.keys(tx, after, limit)

    def differences(self, tx: Reader, after: str, limit: int) -> Page:
        """Compare a page of the sets that follow the original with it."""
        found = sets.states(tx)
        names = sets.followed(found, list(self.models))
        return comparison.page(tx, after, limit, names, sets.complete(found, names))

    def repair(self, tx: Writer, keys: Sequence[str]) -> None:
        """Take out what is of no text, and mark texts to be looked at: what they have serves until then."""
        docs = [key for key in keys if is_document(key)]
        standing = {doc for doc, text in originals.read(tx, docs).items() if text.stands}
        self._publish(tx, [doc for doc in docs if doc not in standing], Work({}, {}))
        outbox.mark(tx, self.name, sorted(standing))

    def _advance(self, tx: Writer, keys: Sequence[str]) -> None:
        if len(self._came) > MOST_REMEMBERED:
            self._came.clear()
        after = self._came.pop(tx.owner, "")
        after = sets.advance(tx, sets.states(tx), next(iter(self.models)), keys, after)
        if after:
            self._came[tx.owner] = after

    def _followed(self, tx: Reader) -> tuple[str, ...]:
        return sets.followed(sets.states(tx), list(self.models))

    def _publish(self, tx: Writer, docs: Sequence[str], prepared: Work) -> list[str]:
        now = originals.read(tx, docs)
        held, names = _held(tx, docs), self._followed(tx)
        unknown = [doc for doc in docs if doc not in now]
        if unknown:
            tx.count(statements.DROP, docs=unknown)
        for doc, text in now.items():
            if not text.stands:
                removal.bury(tx, [doc], text.version)
        standing = [doc for doc, text in now.items() if text.stands]
        same = [doc for doc in standing if prepared.texts.get(doc) == now[doc]]
        rest = [doc for doc in standing if prepared.texts.get(doc) != now[doc]]
        lacking = {
            doc
            for doc in same
            for name in names
            if not _keep(tx, doc, name, now[doc], held.get((doc, name)), prepared.made.get((name, doc)))
        }
        return [*rest, *lacking]


def _keep(
    tx: Writer, doc: str, name: str, text: Original, row: Row[Any] | None, made: Embedded | str | None
) -> bool:
    """Store what was made of one text for one set; ``False``: the set lacks it and nothing was made."""
    if row is not None and is_of(row, text):
        if row.version < text.version:
            tx.count(statements.RENEW, doc=doc, model=name, version=text.version)
        return True
    if made is None:
        return False
    if not isinstance(made, str):
        _store(tx, doc, name, text, made)
    return True


def _held(tx: Reader, docs: Sequence[str]) -> Held:
    """Return what is held of these texts, by key and set."""
    return {(row.doc, row.model): row for row in tx.all(statements.HELD, docs=list(docs))} if docs else {}


def _store(tx: Writer, doc: str, name: str, text: Original, made: Embedded) -> None:
    tx.count(statements.DROP_OF_MODEL, docs=[doc], model=name)
    shared = {"doc": doc, "model": name, "version": text.version, "input_hash": text.hash}
    tx.add(
        statements.PUT_VECTORS,
        [
            {**shared, "part": part, "dim": len(vector), "vector": sealed(tx, vector)}
            for part, vector in enumerate(made)
        ],
    )


def _take_scope(tx: Writer, key: str) -> bool:
    """Take a batch of a deleted scope out; ``True``: there may be more."""
    target = ended_scope(tx, key)
    return target is not None and removal.take(tx, target, SCOPE_BATCH) > 0
