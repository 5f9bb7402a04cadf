"""Convert the public LoCoMo format (snap-research/LoCoMo) into transcripts in the chat-completions form.

    python benchmarks/locomo.py locomo10.json OUT_DIR

writes one JSONL file per sample: a line per turn, with ``id`` (the turn's ``dia_id``), ``conversation`` (the
session), ``created_at`` (the session's date, one second further with each turn, UTC), ``role`` (the speaker
named first is the user, the other the assistant), ``name`` (the speaker) and ``content`` (the turn's own
words, an image as ``[image: caption]``). The speaker's name is not part of the content: an index entry is
what was said, and nothing else.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ANSWERABLE = (1, 2, 3, 4)
"""The categories that are scored; the fifth asks what was never said."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as it was said; ``conversation`` is the session."""

    id: str
    conversation: str
    created_at: datetime
    role: str
    name: str
    content: str

    def as_line(self) -> dict[str, str]:
        """Return the turn as one message of a transcript."""
        return {
            "id": self.id,
            "conversation": self.conversation,
            "created_at": self.created_at.isoformat(),
            "role": self.role,
            "name": self.name,
            "content": self.content,
        }


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the ids of the turns that answer it; at least one."""

    text: str
    evidence: tuple[str, ...]
    category: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One long conversation of two people in sessions, and what is asked about it."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def read(data: Any) -> list[Sample]:
    """Return the samples of a LoCoMo file that was parsed from JSON."""
    return [_sample(item) for item in data]


def _sample(item: Mapping[str, Any]) -> Sample:
    turns = tuple(_turns(item["conversation"]))
    known = {turn.id for turn in turns}
    asked = (_question(entry, known) for entry in item["qa"])
    return Sample(str(item["sample_id"]), turns, tuple(q for q in asked if q.evidence))


def _turns(conversation: Mapping[str, Any]) -> Iterator[Turn]:
    roles = {conversation["speaker_a"]: "user", conversation["speaker_b"]: "assistant"}
    for number in sorted(int(key[8:]) for key in conversation if re.fullmatch(r"session_\d+", key)):
        session = f"session_{number}"
        start = _date(conversation[f"{session}_date_time"])
        for index, turn in enumerate(conversation[session]):
            moment = start + timedelta(seconds=index)
            name = str(turn["speaker"])
            yield Turn(str(turn["dia_id"]), session, moment, roles[name], name, _content(turn))


def _content(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [image: {caption}]" if caption else str(turn["text"])


def _date(text: str) -> datetime:
    """Read ``1:56 pm on 8 May, 2023``; the data name no zone, UTC is as good as any."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _question(entry: Mapping[str, Any], known: set[str]) -> Question:
    found = (ident for text in entry.get("evidence", ()) for ident in repaired(text))
    evidence = tuple(dict.fromkeys(ident for ident in found if ident in known))
    return Question(str(entry["question"]), evidence, int(entry["category"]))


def repaired(evidence: str) -> list[str]:
    """Return the turn ids of one evidence text: several in one, ``D:11:26``, leading zeros."""
    return [f"D{int(s)}:{int(t)}" for s, t in re.findall(r"D:?(\d+):(\d+)", evidence)]


def main(source: str, target: str) -> None:
    """Write a transcript for each sample of ``source`` into the directory ``target``."""
    out = Path(target)
    out.mkdir(parents=True, exist_ok=True)
    for sample in read(json.loads(Path(source).read_text(encoding="utf-8"))):
        lines = (json.dumps(turn.as_line(), ensure_ascii=False) + "\n" for turn in sample.turns)
        (out / f"{sample.id}.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python benchmarks/locomo.py locomo10.json OUT_DIR")
    main(sys.argv[1], sys.argv[2])
