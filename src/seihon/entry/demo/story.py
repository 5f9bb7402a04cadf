"""The story, chapter by chapter. Each returns what it showed, so that ``--json`` tells the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from seihon.entry import examples
from seihon.entry.demo import scan
from seihon.entry.demo.comparing import Verdict, verdicts
from seihon.entry.demo.stage import OWNERS, Line, Stage, learn, scripted
from seihon.entry.demo.telling import Told
from seihon.model import Context, Hit, ImportReport, Profile, Receipt

# The messages with a password that somebody pasted by mistake, and pieces of it that stand nowhere else: as
# they were typed, and as an index keeps them (the stem of an English word, two letters of a Japanese one).
SLIPS: Final = {"maya": "maya-15", "haruka": "haruka-15"}
PIECES: Final = ("marmalad", "ひぐ", "峠の")
QUESTIONS: Final = {
    "maya": "What is the password of the staging login?",
    "haruka": "検証用アカウントのパスワード",
}
PLAN: Final = "billing_plan"
STYLE: Final = "answer_style"
SOON: Final = timedelta(days=10)
BUDGET: Final = 600


class Story:
    """Plays on a stage and tells as it goes."""

    def __init__(self, stage: Stage, told: Told) -> None:
        self.stage = stage
        self.memory = stage.memory
        self.told = told

    def play(self) -> dict[str, Any]:
        """Play every chapter and return what they showed."""
        conversations = self._arrive()
        profiles = self._learn()
        styles = self._scopes()
        decisions = self._weeks_pass()
        correction = self._correct()
        context = self._assemble()
        before = self._ask("before")
        self.stage.settle()
        counted = scan.count(self.stage.file, PIECES)
        receipts = self._forget()
        after = self._ask("after")
        left = scan.count(self.stage.file, PIECES)
        self.told.scanned(counted, left)
        self.told.end()
        return {
            "file": str(self.stage.file),
            "conversations": conversations,
            "profile": profiles,
            "scopes": styles,
            "decisions": decisions,
            "correction": correction,
            "context": context,
            "searches": {"before": before, "after": after},
            "receipt": receipts["maya"],
            "receipts": receipts,
            "hits_before": scan.total(counted),
            "leftover_hits": scan.total(left),
            "scan": {"pieces": list(PIECES), "before": counted, "after": left},
        }

    def _arrive(self) -> list[dict[str, Any]]:
        self.memory.register_schema(examples.text("schemas/support.yaml"))
        found: list[dict[str, Any]] = []
        reports: dict[str, tuple[Sequence[Line], ImportReport]] = {}
        for owner in OWNERS:
            lines = self.stage.transcript(owner)
            report = self.memory.import_transcript(owner, [line.as_json() for line in lines])
            reports[owner] = (lines, report)
            found.append({"owner": owner, "id": lines[0].conversation, **report.as_dict()})
        self.told.arrived(reports)
        return found

    def _learn(self) -> dict[str, Any]:
        profiles: dict[str, Profile] = {}
        claims: dict[str, int] = {}
        for owner in OWNERS:
            claims[owner] = len(learn(self.memory, owner, scripted(owner)))
            profiles[owner] = self.memory.profile(owner)
        self.told.learned(profiles, claims)
        return {owner: profile.as_dict() for owner, profile in profiles.items()}

    def _scopes(self) -> dict[str, Any]:
        found = {
            owner: {scope: self.memory.field(owner, STYLE, scope=scope) for scope in ("default", "research")}
            for owner in OWNERS
        }
        self.told.scoped(found)
        return {owner: {scope: s.as_dict() for scope, s in by.items()} for owner, by in found.items()}

    def _weeks_pass(self) -> dict[str, Any]:
        """Let weeks pass, hear an inference, and ask every policy what it makes of it."""
        line = self.stage.later("maya")[0]
        passed = self._say("maya", line)
        stood = self.memory.field("maya", PLAN)
        confirmed = self.memory.history("maya", PLAN).items[0]
        inference = next(one for one in scripted("maya-later") if one["message"] == line.id)
        weeks = (line.at - confirmed.observed_at) // timedelta(weeks=1)
        moments = {
            f"{SOON.days} days later": confirmed.observed_at + SOON,
            f"{weeks} weeks later": line.at,
        }
        compared: list[Verdict] = list(
            verdicts(
                self.memory.schema().field(PLAN),
                confirmed,
                inference["value"],
                turn=self.memory.owner("maya").turn,
                moments=moments,
            )
        )
        (claim,) = learn(self.memory, "maya", [inference])
        self.told.weeks_passed(passed, line, stood, compared, claim)
        return {
            "passed_days": passed.days,
            "field_before": stood.as_dict(),
            "policies": [one.as_dict() for one in compared],
            "recorded": claim.as_dict(),
        }

    def _correct(self) -> dict[str, Any]:
        """Hear the person again: the newer statement wins, and what it replaces is marked."""
        line = self.stage.later("maya")[1]
        self._say("maya", line)
        learn(self.memory, "maya", [one for one in scripted("maya-later") if one["message"] == line.id])
        state = self.memory.field("maya", PLAN)
        hits = self.memory.search("maya", "upgrade from the Free plan", k=2)
        self.told.corrected(line, state, hits)
        return {"field": state.as_dict(), "search": [hit.as_dict() for hit in hits]}

    def _assemble(self) -> dict[str, Any]:
        line = self.stage.later("maya")[1]
        found: Context = self.memory.context(
            "maya",
            conversation=line.conversation,
            query="Which plan are they on, and how do we send updates?",
            budget=BUDGET,
        )
        self.told.assembled(found, self.memory.trace("maya", found.trace))
        return found.as_dict()

    def _ask(self, when: str) -> dict[str, Any]:
        """Ask the same question of each person's memory, before and after the deletion."""
        found: Mapping[str, Sequence[Hit]] = {
            owner: self.memory.search(owner, question, k=5) for owner, question in QUESTIONS.items()
        }
        held = {owner: any(item.id == SLIPS[owner] for item in self._context(owner).items) for owner in found}
        self.told.asked(when, QUESTIONS, found, SLIPS)
        return {
            owner: {
                "question": QUESTIONS[owner],
                "search_finds_it": any(hit.id == SLIPS[owner] for hit in hits),
                "context_holds_it": held[owner],
                "hits": [hit.as_dict() for hit in hits],
            }
            for owner, hits in found.items()
        }

    def _context(self, owner: str) -> Context:
        return self.memory.context(owner, query=QUESTIONS[owner], budget=BUDGET)

    def _forget(self) -> dict[str, Any]:
        self._say("haruka", self.stage.later("haruka")[0])
        receipts: dict[str, Receipt] = {}
        for owner, message in SLIPS.items():
            receipts[owner] = self.memory.forget_messages(owner, [message], reason="pasted by mistake").wait()
        self.told.forgotten(receipts)
        return {owner: receipt.as_dict() for owner, receipt in receipts.items()}

    def _say(self, owner: str, line: Line) -> timedelta:
        """Let the story's clock reach a message and store it as it is said."""
        passed = self.stage.clock.go(line.at)
        self.memory.append(owner, line.conversation, line.role, line.content, id=line.id)
        return passed
