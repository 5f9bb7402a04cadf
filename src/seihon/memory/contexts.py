"""The verb ``context``: what a model gets, within its budget, each item explained and the run recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import Row

from seihon import __version__, errors
from seihon.canonical import conversations, index, notes, profiles, traces
from seihon.canonical.scope import Reader
from seihon.core import ranges, scopes
from seihon.core.assemble import Kind, Piece, Render, assemble
from seihon.core.policies import Clock
from seihon.core.render import profile_line
from seihon.core.schema import Field
from seihon.core.text import query_terms, terms
from seihon.derived.fulltext import Found
from seihon.derived.summaries import reading as summaries
from seihon.derived.vectors import Asked
from seihon.memory import door, keeping, marking, reading
from seihon.memory.base import ATTEMPTS, CHANGING, stands
from seihon.memory.fields import key_of
from seihon.memory.keeping import Made, Seen, made_of
from seihon.memory.pieces import found_piece, fresh_piece, note_piece, recent_piece, summary_piece
from seihon.memory.searching import MAX_QUERY, Searching
from seihon.model import (
    Context,
    FieldState,
    FieldStatus,
    Message,
    Page,
    Role,
    Trace,
    us,
)
from seihon.models.tokenizer import Tokenizer
from seihon.models.tokenizer import tokenizer as tokenizer_of

MAX_BUDGET = 1_000_000
NOTES_THAT_APPLY = 8
FRESH_AT_MOST = 50
WAITING_AT_MOST = 200


@dataclass(frozen=True, slots=True)
class Ask:
    """A checked request for a context."""

    conversation: str | None
    query: str | None
    purpose: str
    budget: int
    render: Render
    tokenizer: Tokenizer

    @property
    def recents(self) -> int:
        """How many recent messages can matter in this budget."""
        # With its heading of some 25 tokens, hardly one takes less than 40.
        return min(100, max(4, self.budget // 40))

    @property
    def hits(self) -> int:
        """How many retrieved records can matter in this budget."""
        return min(40, max(5, self.budget // 40))

    @property
    def summaries(self) -> int:
        """How many ranges can matter in this budget: of those with hits, and of the newest."""
        # A summary takes some 250 tokens, and all of them at most half of what recent messages leave.
        return min(20, max(3, self.budget // 400))


class Question(NamedTuple):
    """What a context looks for: words (``None``: the newest of the conversation), their vectors, and the
    epoch that words of a message were read at."""

    words: str | None
    asked: Asked | None = None
    epoch: int | None = None


class Contexts(Searching):
    """Assemble a context, and look at past ones by their traces."""

    def context(
        self,
        owner: str,
        *,
        conversation: str | None = None,
        query: str | None = None,
        purpose: str = scopes.DEFAULT,
        budget: int = 2_000,
        render: Render | str = Render.TEXT,
        tokenizer: str | None = None,
    ) -> Context:
        """Return what a model should get, in at most ``budget`` tokens of the final form.

        Args:
            conversation: the one that goes on; its newest messages come first.
            query: what to look for; by default the newest user message of the conversation.
            purpose: the scope whose settings and notes apply, such as ``research/legal``; what other verbs
                call ``scope``.
            render: ``text`` for one string, ``messages`` for a chat endpoint. Recalled text is quoted data
                in a user message, never in the system role.
            tokenizer: counts the budget, by name; by default the one that the memory was opened with.

        Raises:
            Gone: the conversation or the owner was deleted.
        """
        ask = Ask(
            conversation=None if conversation is None else door.identifier(conversation, "conversation"),
            query=None if query is None else door.text(query, "query", limit=MAX_QUERY, empty=True),
            purpose=scopes.scope(purpose),
            budget=door.whole(budget, "budget", least=0, most=MAX_BUDGET),
            render=door.choice(render, "render", Render),
            tokenizer=tokenizer_of(tokenizer or self.setup.tokenizer),
        )
        kept = self._kept(owner, ask)
        if kept is not None:
            return kept
        for attempt in range(1, ATTEMPTS + 1):
            question = self._question(owner, ask)
            with self.reading(owner) as tx:
                if question.epoch not in (None, tx.epoch):
                    continue
                pieces = list(self._pieces(tx, ask, question))
                seen = Seen(tx.epoch, tx.revision)
                key = self._kept_under(tx, ask)
                if key is not None:
                    seen = replace(seen, now=tx.now, until=self._until(tx, ask, pieces))
            made = self._assembled(owner, ask, pieces)
            found = self._recorded(owner, ask, made, seen, last=attempt == ATTEMPTS)
            if found is not None:
                if key is not None:
                    self._keep(owner, key, made, seen)
                return found
        raise errors.Busy(CHANGING)

    def _kept(self, owner: str, ask: Ask) -> Context | None:
        """Return a context from the cache, recorded as a run of its own; ``None``: it has to be made."""
        kept = self.copies.kept
        if not kept.is_on:
            return None
        with self.reading(owner) as tx:
            key, at = self._kept_under(tx, ask), (tx.epoch, tx.revision)
        text = None if key is None else kept.get(self.key(owner), key)
        if text is None:
            return None
        made, now, until = keeping.of_text(text)
        return self._recorded(owner, ask, made, Seen(*at, now, until), last=False)

    def _kept_under(self, tx: Reader, ask: Ask) -> list[object] | None:
        if not self.copies.kept.is_on:
            return None
        asked = (ask.conversation, ask.query, ask.purpose, ask.budget, ask.render, ask.tokenizer.name)
        setup = (self.setup.locale, *self.copies.models, __version__)
        return keeping.key_of_context(tx, (*asked, *setup))

    def _until(self, tx: Reader, ask: Ask, pieces: Sequence[Piece]) -> int:
        fields = self.fields(tx)
        rows = tx.all(profiles.VALUES, scopes=list(scopes.applicable(ask.purpose))) if fields else ()
        return keeping.until(tx, pieces, rows, fields)

    def _keep(self, owner: str, key: Sequence[object], made: Made, seen: Seen) -> None:
        seconds = (seen.until - seen.now) / keeping.SECOND
        text = keeping.to_text(made, seen)
        self.copies.kept.put(self.key(owner), key, text, epoch=seen.epoch, seconds=seconds)

    def _question(self, owner: str, ask: Ask) -> Question:
        """Return what is looked for; with an embedder its words and vectors, before the snapshot opens."""
        if ask.query is not None:
            return Question(ask.query, self.copies.ask(self.key(owner), ask.query))
        if not self.copies.embedders:
            return Question(None)
        with self.reading(owner) as tx:
            words, epoch = _newest_words(self._recent(tx, ask)), tx.epoch
        # Words of a message that is deleted before the snapshot opens are not searched for.
        return Question(words, self.copies.ask(self.key(owner), words), epoch)

    def trace(self, owner: str, trace: str) -> Trace:
        """Return the record of one context run.

        Raises:
            NotFound: there is none of this id.
        """
        wanted = door.identifier(trace, "trace")
        with self.reading(owner) as tx:
            row = tx.first(traces.TRACE, id=wanted)
            if row is None:
                raise errors.NotFound("No such trace of this owner.", kind="trace", id=wanted)
            return traces.to_trace(row)

    def traces(self, owner: str, *, limit: int = 100, cursor: str | None = None) -> Page[Trace]:
        """Return a page of an owner's context runs, newest first."""
        size = door.whole(limit, "limit", least=1, most=door.MAX_PAGE)
        before = door.cursor(cursor, 2) or (str(2**62), "")
        with self.reading(owner) as tx:
            rows = tx.all(traces.TRACES, before=int(before[0]), before_id=before[1], limit=size + 1)
            items = tuple(traces.to_trace(row) for row in rows[:size])
        last = rows[size - 1] if len(rows) > size else None
        return Page(items, None if last is None else door.make_cursor(last.at, last.id))

    def _assembled(self, owner: str, ask: Ask, pieces: Sequence[Piece]) -> Made:
        # Nobody outside can guess the fence, and it stays the same for an owner, so prompts can be cached.
        token = self.setup.secret.digest(self.key(owner), "fence").partition(":")[2][:6]
        count = ask.tokenizer.count
        return made_of(assemble(pieces, budget=ask.budget, count=count, fence=token, render=ask.render))

    def _recorded(self, owner: str, ask: Ask, made: Made, seen: Seen, *, last: bool) -> Context | None:
        """Check again, in a fresh statement, that what was read still stands; then record the run.

        Returns ``None`` when it changed, or its time has passed, and it is to be read again.
        """
        with self.db.derive(self.key(owner), lock=False) as tx:
            tx.require_live()
            if not stands(tx, seen.at, last=last) or not (last or seen.holds_at(tx.now)):
                tx.discard()
                return None
            trace = Trace(
                id=tx.new_id("t"),
                at=self.clock(),
                conversation=ask.conversation,
                purpose=ask.purpose,
                tokenizer=ask.tokenizer.name,
                budget=ask.budget,
                tokens=made.tokens,
                revision=seen.revision,
                epoch=seen.epoch,
                items=made.items,
                omissions=made.omissions,
            )
            traces.add(tx, trace, tx.now)
        return Context(
            trace=trace.id,
            text=made.text,
            messages=made.messages,
            tokens=made.tokens,
            budget=ask.budget,
            tokenizer=trace.tokenizer,
            revision=trace.revision,
            epoch=trace.epoch,
            items=trace.items,
            omissions=trace.omissions,
        )

    def _pieces(self, tx: Reader, ask: Ask, question: Question | None = None) -> Iterator[Piece]:
        words, asked, _ = question or Question(ask.query)
        fields = self.fields(tx)
        recent = self._recent(tx, ask)
        query = words if words is not None else _newest_words(recent)
        found = self.copies.search(
            tx,
            query,
            k=ask.hits,
            conversation=None,
            kind=None,
            scopes=scopes.applicable(ask.purpose),
            asked=asked,
        )
        fresh = _fresh(tx, query)
        shown = [*recent, *fresh]
        ids = {one.id for one in shown} | {one.id for one in found if one.kind == "message"}
        spans = marking.superseded(tx, sorted(ids), fields, self.setup.locale)
        yield from (recent_piece(one, spans.get(one.id, ())) for one in recent)
        yield from self._profile(tx, ask)
        yield from self._summaries(tx, ask, recent, found, fields)
        pending = {one.id for one in fresh}
        top = found[0].score if found else 1.0
        yield from (fresh_piece(one, spans.get(one.id, ()), top) for one in fresh)
        applying = self._applying(tx, ask, {one.id for one in found if one.kind == "note"})
        written = {one.id: one.at for one in (*found, *applying) if one.id not in ids}
        notes_spans = marking.superseded_notes(tx, written, fields, self.setup.locale)
        marked = {**spans, **notes_spans}
        yield from (found_piece(one, marked.get(one.id, ()), query) for one in found if one.id not in pending)
        for row in applying:
            yield note_piece(notes.to_note(tx, row, ()), notes_spans.get(row.id, ()))

    def _recent(self, tx: Reader, ask: Ask) -> list[Message]:
        """Return the newest messages of the conversation, oldest first."""
        if ask.conversation is None:
            return []
        if tx.first(conversations.CONVERSATION, id=ask.conversation) is None:
            if conversations.is_dead(tx, "conversation", ask.conversation):
                conversations.refuse_missing(tx, "conversation", ask.conversation)
            return []
        rows = tx.all(conversations.RECENT, conversation=ask.conversation, limit=ask.recents)
        return [conversations.to_message(tx, row) for row in reversed(rows)]

    def _profile(self, tx: Reader, ask: Ask) -> Iterator[Piece]:
        if not self.fields(tx):
            return
        schema = self.schema_of(tx)
        names = scopes.applicable(ask.purpose)
        rows = tx.all(profiles.VALUES, scopes=list(names))
        sources = {(row.field, row.scope): _source_of(row) for row in rows}
        states = reading.states(tx, schema, names, rows, Clock(tx.turn, tx.now), with_quotes=False)
        for name, state in states.items():
            piece = self._profile_piece(schema.field(name), state, sources)
            if piece is not None:
                yield piece

    def _profile_piece(
        self, field: Field, state: FieldState, sources: dict[tuple[str, str], str]
    ) -> Piece | None:
        if state.value is None or state.observed_at is None or state.confidence is None:
            return None
        at = us(state.observed_at)
        line = profile_line(
            state.field,
            field.type.render(state.value, locale=self.setup.locale),
            standing=state.confidence.value,
            at=at,
            source=sources[state.field, state.scope],
            stale=state.status is FieldStatus.STALE,
            scope=state.scope,
        )
        if line is None:
            return None
        key = key_of(state.field, state.scope)
        return Piece(
            Kind.PROFILE, key, state.version, f"{state.status}: {state.reason}", line, observed_at=at
        )

    def _summaries(
        self,
        tx: Reader,
        ask: Ask,
        recent: Sequence[Message],
        found: Sequence[Found],
        fields: Mapping[str, Field],
    ) -> Iterator[Piece]:
        """Yield the summaries of this conversation: those with a hit by its rank, then newer first."""
        if ask.conversation is None or not recent:
            return
        newest = ranges.block_of(recent[-1].seq)
        hits = [one.seq for one in found if one.conversation == ask.conversation and one.seq is not None]
        blocks = list(dict.fromkeys(map(ranges.block_of, hits)))[: ask.summaries]
        wanted = [*blocks, *(one for one in range(newest, newest - ask.summaries, -1) if one >= 0)]
        rank = {block: place for place, block in enumerate(dict.fromkeys(wanted))}
        read = summaries.current(tx, ask.conversation, sorted(rank))
        for one in sorted(read, key=lambda one: rank[one.row.block]):
            reason = "holds_a_hit" if one.row.block in blocks else "earlier"
            yield summary_piece(one, reason, marking.lost(tx, one.lost, fields, self.setup.locale))

    def _applying(self, tx: Reader, ask: Ask, known: set[str]) -> list[Row[Any]]:
        """Return the newest notes that apply to the purpose and were not found: they rank behind those."""
        names = list(scopes.applicable(ask.purpose))
        rows = tx.all(notes.RECENT_NOTES, scopes=names, limit=NOTES_THAT_APPLY)
        return [row for row in rows if row.id not in known]


def _source_of(row: Row[Any]) -> str:
    return f"message {row.message}" if row.message else str(row.source or "")


def _newest_words(recent: Sequence[Message]) -> str:
    return next((one.content[:MAX_QUERY] for one in reversed(recent) if one.role is Role.USER), "")


def _fresh(tx: Reader, query: str) -> list[Message]:
    """Return messages with a word of the query whose index entry is not made yet."""
    wanted = set(query_terms(query))
    if not wanted:
        return []
    rows = tx.all(index.FRESH, keys=WAITING_AT_MOST, limit=FRESH_AT_MOST)
    found = (conversations.to_message(tx, row) for row in rows)
    return [one for one in found if wanted & set(terms(one.content))]
