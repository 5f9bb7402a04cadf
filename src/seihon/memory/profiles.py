"""Verbs on the typed profile: set, observe, confirm, reject, decline, and the reads that explain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row

from seihon import errors
from seihon.canonical import profiles as store
from seihon.canonical.scope import Reader
from seihon.core import scopes
from seihon.core.policies import Clock
from seihon.core.schema import Field, ProfileSchema
from seihon.memory import claiming, door, reading
from seihon.memory.base import Base
from seihon.memory.fields import DECLINED, Place, floor_now, place, store_blank, value_json
from seihon.model import (
    Candidate,
    Claim,
    ClaimState,
    Confidence,
    FieldState,
    Page,
    Profile,
    Source,
    Value,
    instant,
    us,
)

DEFAULT = scopes.DEFAULT


class Profiles(Base):
    """Each write is judged by its field's policy; each read says what stands and why."""

    def set(
        self,
        owner: str,
        field: str,
        value: object,
        *,
        scope: str = DEFAULT,
        expect: int | None = None,
        idempotency_key: str | None = None,
        actor: str = "person",
    ) -> FieldState:
        """Record an explicit setting by the person: confirmed, and newest at its commit.

        Args:
            expect: the field's version that the caller saw (0: never set).

        Raises:
            InvalidValue: outside the field's type; the sentence says what is allowed.
            VersionConflict: the field moved on; details carry the current version.
        """
        expected = door.maybe_whole(expect, "expect")
        with self.writing(owner, actor=actor) as tx:
            at = self._place(tx, field, scope)
            parsed = at.field.parse(value)
            request = [at.field.name, at.scope, at.field.type.dump(parsed)]

            def act() -> str:
                at.require(expected)
                draft = claiming.Draft(value=parsed, confidence=Confidence.CONFIRMED, source=Source.SETTING)
                return claiming.record(tx, at, draft, schema=self.schema_version(tx))

            self.once(tx, idempotency_key, "set", request, act)
            return self._state(tx, at.field, at.scope)

    def observe(
        self,
        owner: str,
        field: str,
        value: object,
        *,
        confidence: Confidence | str,
        source: Source | str = Source.MESSAGE,
        scope: str = DEFAULT,
        message: str | None = None,
        quote: str | None = None,
        message_version: int | None = None,
        also: Sequence[tuple[str, str]] = (),
        observed_at: datetime | None = None,
        extractor: str = "application",
        idempotency_key: str | None = None,
        actor: str = "application",
    ) -> Claim:
        """Record one observation and let the field's policy decide; the claim says what became of it.

        Args:
            source: ``message`` (with ``message`` and a verbatim ``quote``; ``also`` gives further
                ``(message, quote)`` pairs), ``system`` for the application's own record, or ``import``.
            message_version: the version of the message that was read; refused if it was edited since.
            observed_at: for ``system`` and ``import``; clamped to the time of the commit.

        A claim that nobody can confirm (drawn from an assistant's or a tool's words, or imported) is never
        confirmed: it waits as a candidate. The same observation again, or one that the person rejected, or
        one that waits already, answers with the claim that stands.

        Raises:
            InvalidValue: outside the field's type. InvalidArgument: the quote is not in the message.
            Gone: the message was deleted. VersionConflict: it was edited since it was read.
        """
        draft = claiming.Draft(
            confidence=door.choice(confidence, "confidence", Confidence),
            source=claiming.asked_source(source),
            spans=claiming.asked_spans(message, quote, message_version, also),
            observed_at=door.moment(observed_at, "observed_at"),
            extractor=door.identifier(extractor, "extractor"),
        )
        claiming.check_source(draft)
        with self.writing(owner, actor=actor) as tx:
            at = self._place(tx, field, scope)
            full = draft.of(at.field.parse(value))
            request = [at.field.name, at.scope, at.field.type.dump(full.value), *full.request()]

            def act() -> str:
                return claiming.observe(tx, at, full, schema=self.schema_version(tx))

            found = self.once(tx, idempotency_key, "observe", request, act)
            return self._claim(tx, found)

    def confirm(
        self, owner: str, candidate: str, *, expect: int | None = None, actor: str = "person"
    ) -> FieldState:
        """Make a candidate the value by the person's word; the quotes it was drawn from go on being shown.

        The word is the person's own: the value stays when the quoted message is deleted, and the quote goes.

        Args:
            expect: the field's version that the person saw; allows a candidate that is older than it.

        Raises:
            StaleCandidate: the value changed since the candidate was raised; details carry both versions.
            NotFound, Gone: there is no such candidate, or what it was drawn from was deleted.
        """
        expected = door.maybe_whole(expect, "expect")
        with self.writing(owner, actor=actor) as tx:
            row = claiming.require_candidate(tx, door.identifier(candidate, "candidate"))
            at = self._place(tx, row.field, row.scope)
            claiming.require_fresh(tx, at, row, expected)
            claiming.end_candidate(tx, row, ClaimState.CONFIRMED, at.version)
            draft = claiming.Draft(
                value=at.field.load(tx.open_json(row.value)),
                confidence=Confidence.CONFIRMED,
                source=Source.SETTING,
                extractor=f"confirmation:{row.id}",
            )
            made = claiming.record(tx, at, draft, schema=self.schema_version(tx))
            claiming.show_sources(tx, row.id, made)
            return self._state(tx, at.field, at.scope)

    def reject(self, owner: str, candidate: str, *, actor: str = "person") -> Claim:
        """Turn a candidate down; the same thing drawn from the same source again stays rejected.

        Raises:
            NotFound, Gone: there is no such candidate, or what it was drawn from was deleted.
        """
        with self.writing(owner, actor=actor) as tx:
            row = claiming.require_candidate(tx, door.identifier(candidate, "candidate"))
            claiming.end_candidate(tx, row, ClaimState.REJECTED, row.base_version)
            return self._claim(tx, row.id)

    def decline(
        self,
        owner: str,
        field: str,
        *,
        scope: str = DEFAULT,
        expect: int | None = None,
        actor: str = "person",
    ) -> FieldState:
        """Record that the person does not want to say: blank, and closed to inferences until they speak.

        Raises:
            VersionConflict: the field moved on; details carry the current version.
        """
        expected = door.maybe_whole(expect, "expect")
        with self.writing(owner, actor=actor) as tx:
            at = self._place(tx, field, scope)
            at.require(expected)
            store_blank(tx, at, status=DECLINED, reason=DECLINED, floor=floor_now(tx, at))
            return self._state(tx, at.field, at.scope)

    def profile(self, owner: str, *, scope: str = DEFAULT, as_of: datetime | int | None = None) -> Profile:
        """Return every field's value in a scope, typed, ``None`` where it is blank.

        Args:
            as_of: a time, or a revision of the owner: what was known then, within what deletions left. Under
                ``belief`` a value that was replaced since has its ``probability`` at the moment it was stored
                only, and ``None`` for any later one: how it aged until then is not kept.

        Raises:
            InvalidArgument: ``as_of`` is a revision that does not exist yet; details name the newest.
        """
        names = scopes.applicable(scope)

        def read(tx: Reader) -> tuple[Mapping[str, FieldState], int]:
            schema = self.schema_of(tx)
            if as_of is None:
                rows = tx.all(store.VALUES, scopes=list(names))
                clock, revision = Clock(tx.turn, tx.now), tx.revision
            else:
                revision, clock = self._moment(tx, as_of)
                rows = tx.all(store.VALUES_AS_OF, scopes=list(names), revision=revision)
            return reading.states(tx, schema, names, rows, clock), revision

        found, revision = self.settled(owner, read)
        return Profile(found, scope=scope, revision=revision, count=self.reads.add)

    def field(
        self, owner: str, field: str, *, scope: str = DEFAULT, as_of: datetime | int | None = None
    ) -> FieldState:
        """Return one field's state in a scope, inherited from a broader one where it has none."""
        found = self.profile(owner, scope=scope, as_of=as_of)
        name = door.identifier(field, "field")
        state = found.state(name)
        self.reads.add(name)
        return state

    def require(self, owner: str, field: str, *, scope: str = DEFAULT) -> Value:
        """Return a field's value for code that must not guess.

        Raises:
            BlankField: the field has no value now; details carry its status and the reason.
        """
        state = self.field(owner, field, scope=scope)
        if state.value is None:
            raise errors.BlankField(
                f"The field {field} is {state.status}; ask the person before relying on it.",
                field=field,
                scope=scope,
                status=state.status.value,
                reason=state.reason,
            )
        return state.value

    def history(
        self,
        owner: str,
        field: str,
        *,
        scope: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Claim]:
        """Return a page of the claims about a field in the order of their statements, oldest first.

        Each tells what was decided. A claim whose source was deleted stays as a withdrawn one without its
        value, and so does one that an edit withdrew, once its message has expired.
        """
        where = None if scope is None else scopes.scope(scope)
        size = door.whole(limit, "limit", least=1, most=door.MAX_PAGE)
        place = dict(zip(store.HISTORY_CURSOR, _place_after(cursor), strict=True))

        def read(tx: Reader) -> tuple[Sequence[Row[Any]], tuple[Claim, ...]]:
            name = self.schema_of(tx).field(door.identifier(field, "field")).name
            rows = tx.all(store.HISTORY, field=name, scope=where, limit=size + 1, **place)
            return rows, reading.to_claims(tx, rows[:size])

        rows, items = self.settled(owner, read)
        if len(rows) <= size:
            return Page(items)
        last = rows[size - 1]
        return Page(
            items,
            door.make_cursor(
                last.pos_at, last.pos_seq, last.pos_version, last.revision, last.ordinal, last.id
            ),
        )

    def claim(self, owner: str, claim: str) -> Claim:
        """Return one claim.

        Raises:
            NotFound: there is none.
        """
        with self.reading(owner) as tx:
            return self._claim(tx, door.identifier(claim, "claim"))

    def candidates(self, owner: str, *, limit: int = 100, cursor: str | None = None) -> Page[Candidate]:
        """Return a page of the claims that wait for the person's word, oldest first."""
        size = door.whole(limit, "limit", least=1, most=door.MAX_PAGE)
        after = door.cursor(cursor, 2) or ("-1", "")
        with self.reading(owner) as tx:
            rows = tx.all(store.CANDIDATES, after=int(after[0]), after_id=after[1], limit=size + 1)
            shown = rows[:size]
            quotes = store.quotes(tx, [row.id for row in shown])
            items = tuple(
                Candidate(
                    id=row.id,
                    field=row.field,
                    scope=row.scope,
                    value=value_json(tx, row.value),
                    reason=row.reason,
                    confidence=Confidence(row.confidence),
                    observed_at=instant(row.observed_at),
                    base_version=row.base_version,
                    current=value_json(tx, row.current_value),
                    current_version=row.current_version or 0,
                    quotes=quotes.get(row.id, ()),
                )
                for row in shown
            )
        last = shown[-1] if len(rows) > size else None
        return Page(items, None if last is None else door.make_cursor(last.revision, last.id))

    def _place(self, tx: Reader, field: str, scope: str) -> Place:
        schema = self.schema_of(tx)
        return place(tx, *placed(schema, field, scope))

    def _state(self, tx: Reader, field: Field, scope: str) -> FieldState:
        row = tx.first(store.VALUE, field=field.name, scope=scope)
        quotes = store.quotes(tx, [row.claim] if row is not None and row.claim else [])
        return reading.state_of(tx, field, scope, row, Clock(tx.turn, tx.now), quotes)

    @staticmethod
    def _claim(tx: Reader, claim: str) -> Claim:
        row = tx.first(store.CLAIM, id=claim)
        if row is None:
            raise errors.NotFound("No such claim of this owner.", kind="claim", id=claim)
        return reading.to_claims(tx, [row])[0]

    @staticmethod
    def _moment(tx: Reader, as_of: datetime | int) -> tuple[int, Clock]:
        """Return the revision and the clock that ``as_of`` names; before the first write, revision 0."""
        if isinstance(as_of, datetime):
            at = door.moment(as_of, "as_of")
            row = tx.first(store.REVISION_AT, at=at)
            return (0, Clock(0, us(as_of))) if row is None else (row.revision, Clock(row.turn, us(as_of)))
        if isinstance(as_of, bool) or not isinstance(as_of, int):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise errors.InvalidArgument(
                "`as_of` must be a datetime with a time zone, or a revision (a whole number).", name="as_of"
            )
        wanted = door.whole(as_of, "as_of")
        if wanted > tx.revision:
            raise errors.InvalidArgument(
                f"`as_of` must be a revision that there is; the newest of this owner is {tx.revision}.",
                name="as_of",
                revision=tx.revision,
            )
        row = tx.first(store.CHANGE_AT, revision=wanted)
        return (wanted, Clock(0, 0)) if row is None else (wanted, Clock(row.turn, row.at))


def _place_after(cursor: str | None) -> tuple[int | str, ...]:
    """Return the place among a field's claims that a page goes on from."""
    found = door.cursor(cursor, len(store.HISTORY_CURSOR))
    if found is None:
        # What was observed before 1970 is a negative number of microseconds.
        return -(2**62), 0, 0, 0, 0, ""
    *numbers, last = found
    return *(door.numbers("~".join(numbers), len(numbers)) or ()), last


def placed(schema: ProfileSchema, field: str, scope: str) -> tuple[Field, str]:
    """Return a declared field and a scope that it takes.

    Raises:
        InvalidArgument: no such field, a malformed scope, or a scope for a field that takes none.
    """
    found = schema.field(door.identifier(field, "field"))
    where = scopes.scope(scope)
    if where != DEFAULT and not found.scoped:
        raise errors.InvalidArgument(
            f"The field {found.name} takes no scope; leave it out, or declare the field as scoped.",
            field=found.name,
        )
    return found, where
