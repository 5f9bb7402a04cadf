"""The story on the screen: at most 80 columns, plain words, nothing that only a colour says."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from seihon.entry.cli.contexts import superseded
from seihon.entry.cli.output import Screen
from seihon.entry.cli.profiles import shown
from seihon.entry.demo import scan
from seihon.entry.demo.comparing import Verdict
from seihon.entry.demo.stage import Line
from seihon.model import Claim, Context, FieldState, Hit, ImportReport, Profile, Receipt, Trace

WIDTH = 80
Reports = Mapping[str, tuple[Sequence[Line], ImportReport]]


class Told:
    """Hears each chapter with what came out of it, and tells nothing: its caller wants the data."""

    def arrived(self, reports: Reports) -> None:
        """Two conversations were imported."""

    def learned(self, profiles: Mapping[str, Profile], claims: Mapping[str, int]) -> None:
        """The profiles filled."""

    def scoped(self, states: Mapping[str, Mapping[str, FieldState]]) -> None:
        """One setting has two scopes."""

    def weeks_passed(
        self, passed: timedelta, line: Line, stood: FieldState, found: Sequence[Verdict], claim: Claim
    ) -> None:
        """An inference came, and every policy said what it makes of it."""

    def corrected(self, line: Line, state: FieldState, hits: Sequence[Hit]) -> None:
        """The person corrected it."""

    def assembled(self, found: Context, trace: Trace) -> None:
        """A context was assembled."""

    def asked(
        self,
        when: str,
        questions: Mapping[str, str],
        found: Mapping[str, Sequence[Hit]],
        slips: Mapping[str, str],
    ) -> None:
        """A question was asked, ``before`` or ``after`` the deletion."""

    def forgotten(self, receipts: Mapping[str, Receipt]) -> None:
        """Two messages were deleted."""

    def scanned(self, before: Mapping[str, int], after: Mapping[str, int]) -> None:
        """The bytes were searched."""

    def end(self) -> None:
        """The story is over."""


class Teller(Told):
    """Tells each chapter on a screen."""

    def __init__(self, file: Path) -> None:
        probe = Screen()
        wide = probe.console.width if sys.stdout.isatty() else WIDTH
        self.screen = Screen(width=min(WIDTH, wide))
        self.file = file
        self._chapter = 0

    def arrived(self, reports: Reports) -> None:
        self._heading("Two conversations come in")
        self._say("The dates of the shipped files are moved so that the story ends today.")
        for owner, (lines, report) in reports.items():
            days = (lines[-1].at - lines[0].at).days
            self._say(f"{owner}: {report.added} messages over {days} days. It begins:")
            self._quote(lines[0])

    def learned(self, profiles: Mapping[str, Profile], claims: Mapping[str, int]) -> None:
        self._heading("The profiles fill")
        self._say(
            f"{sum(claims.values())} claims, each with a verbatim quote. A script made them here; the newest "
            "word of the person is the value, so push gave way to email and iOS 17 to iOS 18."
        )
        names = list(profiles)
        fields = [
            name for name in profiles[names[0]].states if any(p.states[name].value for p in profiles.values())
        ]
        rows = [(name, *(self._value(profiles[owner].states[name]) for owner in names)) for name in fields]
        self._table(["field", *names], rows)

    def scoped(self, states: Mapping[str, Mapping[str, FieldState]]) -> None:
        self._heading("One setting, two scopes")
        self._say("“Explain briefly” holds everywhere; “in detail” where the purpose is research.")
        rows = [
            (owner, scope, shown(state.value), state.quotes[0].text if state.quotes else "")
            for owner, by_scope in states.items()
            for scope, state in by_scope.items()
        ]
        self._table(["owner", "scope", "answer_style", "because of"], rows)

    def weeks_passed(
        self, passed: timedelta, line: Line, stood: FieldState, found: Sequence[Verdict], claim: Claim
    ) -> None:
        self._heading("Weeks pass, and an inference disagrees")
        self._say(f"The clock of this demo moves on by {passed.days} days. Then maya writes:")
        self._quote(line)
        self._say(
            f"billing_plan was confirmed as {shown(stood.last_known or stood.value)}. A model now infers "
            "“free”. The same inference under each policy:"
        )
        self._table(["policy", *self._moments(found), "why, at the later moment"], self._side_by_side(found))
        self._say(
            f"This field declares guard_ttl with 30 days, so in the file: {claim.outcome} "
            f"({claim.reason}). Before, it read {stood.status} rather than show an old value as today's."
        )

    def corrected(self, line: Line, state: FieldState, hits: Sequence[Hit]) -> None:
        self._heading("The person corrects it")
        self._quote(line)
        self._say(
            f"billing_plan is {shown(state.value)} again ({state.reason}). A search still finds what "
            "was said, and says what of it no longer holds:"
        )
        for hit in hits:
            self._say(f"{hit.id}: “{hit.snippet}”", by=6)
            if hit.superseded:
                self._say(f"no longer holds: {superseded(hit)}", by=9)

    def assembled(self, found: Context, trace: Trace) -> None:
        self._heading("A context for the model, within a budget")
        self._say(
            f"{found.tokens} of {found.budget} tokens, counted by {found.tokenizer} on the final text. "
            f"The run is recorded as {trace.id}, by ids and without text:"
        )
        self._table(
            ["held", "id", "tokens", "reason"],
            [(one.kind, one.id, one.tokens, one.reason) for one in trace.items],
        )
        left = Counter(f"{one.kind}: {one.reason}" for one in trace.omissions)
        self._say(
            "Left out, each with its reason: " + "; ".join(f"{n} {what}" for what, n in left.items()) + "."
        )
        marked = [line for line in found.text.splitlines() if "superseded" in line]
        if marked:
            self._say("In the text, what no longer holds says so:")
            self._say(marked[0], by=6)

    def asked(
        self,
        when: str,
        questions: Mapping[str, str],
        found: Mapping[str, Sequence[Hit]],
        slips: Mapping[str, str],
    ) -> None:
        self._heading("A password was pasted by mistake" if when == "before" else "The same questions again")
        for owner, question in questions.items():
            hit = next((one for one in found[owner] if one.id == slips[owner]), None)
            self._say(f"{owner}, “{question}”")
            if hit is not None:
                self._say(f"{hit.id} is found, and the context holds it:", by=6)
                self._say(f"“{hit.snippet}”", by=9)
            else:
                self._say(
                    f"{slips[owner]} is not among the {len(found[owner])} hits, nor in the context.", by=6
                )

    def forgotten(self, receipts: Mapping[str, Receipt]) -> None:
        self._heading("Both ask for it to be deleted")
        self._say("Each store is emptied, then read back; only then is it called verified.")
        stores = [one.store for one in next(iter(receipts.values())).stores]
        rows = [
            (
                store,
                *(
                    one.state.value
                    for receipt in receipts.values()
                    for one in receipt.stores
                    if one.store == store
                ),
            )
            for store in stores
        ]
        rows.append(("the receipt", *(receipt.state.value for receipt in receipts.values())))
        self._table(["store", *receipts], rows)
        for place in next(iter(receipts.values())).out_of_reach:
            self._say(
                f"Each receipt also names what a deletion cannot reach: {place.name}, kept {place.retention}."
            )

    def scanned(self, before: Mapping[str, int], after: Mapping[str, int]) -> None:
        self._heading("The bytes of the file")
        self._say("Pieces of both passwords, counted in the raw files before and after the deletion:")
        self._table(
            ["file", "before", "after"],
            [
                *((name, count, after[name]) for name, count in before.items()),
                ("all", scan.total(before), scan.total(after)),
            ],
        )

    def end(self) -> None:
        self.screen.line()
        self.screen.line(f"The file stays for you to look at: {self.file}", wrap=False)
        place = shlex.quote(str(self.file))
        for tried in ("profile maya --scope research", "history maya billing_plan", "search haruka プラン"):
            self.screen.line(f"  {_program()} {tried} --db {place}", wrap=False)

    def _heading(self, text: str) -> None:
        self._chapter += 1
        self.screen.line()
        self.screen.line(f"{self._chapter}. {text}", style="bold")

    def _say(self, text: str, *, by: int = 3) -> None:
        self.screen.indented(text, by=by)

    def _table(self, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        self.screen.line()
        self.screen.table(headings, rows, indent=3)
        self.screen.line()

    def _quote(self, line: Line) -> None:
        self.screen.indented(f"“{line.content}”", by=6)

    @staticmethod
    def _value(state: FieldState) -> str:
        if state.value is None:
            return ""
        return f"{shown(state.value)} ({state.confidence})"

    @staticmethod
    def _moments(found: Sequence[Verdict]) -> list[str]:
        return list(dict.fromkeys(one.when for one in found))

    def _side_by_side(self, found: Sequence[Verdict]) -> list[tuple[str, ...]]:
        """Return a row for each policy: what stands at each moment, and the rule behind the last."""
        rows: list[tuple[str, ...]] = []
        for policy in dict.fromkeys(one.policy for one in found):
            own = [one for one in found if one.policy == policy]
            rows.append((policy, *(_stands(one) for one in own), own[-1].text))
        return rows


def _stands(one: Verdict) -> str:
    chance = "" if one.probability is None else f" {one.probability:.0%}"
    return f"{one.outcome}: {one.value}{chance}"


def _program() -> str:
    """Return how this command line is called here: by its name where the shell finds the same one."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m seihon.entry.cli"
    found = shutil.which(called.name)
    if found is None or Path(found).resolve() != called.resolve():
        return shlex.quote(sys.argv[0])
    return called.name
