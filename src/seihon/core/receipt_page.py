"""A signed receipt as a page of plain text, for the officer who files it: nobody's words, and no jargon."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from seihon.core import paper
from seihon.core.receipt_words import WORDS, Words
from seihon.model import Locale
from seihon.model.certificates import SIGNATURE
from seihon.model.outside import OutsideState

MOST_IDS: Final = 40
COLUMN: Final = 18
_TIED: Final = "\u00a0"  # a space at which no line ends
_SEVERAL: Final = re.compile(r"\d+ (messages|records)")
_RETENTION: Final = re.compile(r"(\d{1,5}) ?(hours?|days?|weeks?|時間|日間?|週間?)")
_UNITS: Final = {"h": "hours", "d": "days", "w": "weeks", "時": "hours", "日": "days", "週": "weeks"}

Lines = Iterator[str]


def page(document: Mapping[str, Any], *, digest: str, fingerprint: str, locale: Locale) -> str:
    """Return the page of a signed document.

    ``digest``: the SHA-256 of what was signed. ``fingerprint``: that of the public key. Both in hex.
    """
    words, receipt = WORDS[locale], document["receipt"]
    parts = (
        _top(words, receipt),
        _whose(words, document),
        _what(words, receipt),
        _when(words, document),
        _places(words, receipt),
        _reach(words, receipt),
        _outside(words, receipt),
        _out_of_reach(words, receipt),
        _signature(words, document, digest, fingerprint),
    )
    return "\n".join(line for part in parts for line in part).replace(_TIED, " ") + "\n"


def _top(words: Words, receipt: Mapping[str, Any]) -> Lines:
    yield paper.heading(words.title, paper.visible(receipt["id"]))
    yield paper.rule()
    yield ""
    result = words.results["verified" if receipt["state"] == "verified" else "open"]
    if any(one["state"] != OutsideState.ACKNOWLEDGED for one in receipt["outside"]):
        result = _spaced(words, [result, words.results["outside"]])
    yield from paper.pair(words.names["result"], result, at=COLUMN)


def _section(words: Words, number: int) -> Lines:
    yield ""
    yield words.sections[number - 1]
    yield paper.rule("-")


def _whose(words: Words, document: Mapping[str, Any]) -> Lines:
    yield from _section(words, 1)
    yield from _named(words, "tenant", document["tenant"])
    yield from _named(words, "owner", document["owner"], words.sentences["person"])


def _what(words: Words, receipt: Mapping[str, Any]) -> Lines:
    yield from _section(words, 2)
    yield from paper.paragraph(words.kinds[receipt["kind"]])
    if receipt["key"] and not _SEVERAL.fullmatch(receipt["key"]):
        yield from _named(words, "key", receipt["key"])
    counts = [_count(words.counted[name], count) for name, count in receipt["counts"].items()]
    if counts:
        yield from paper.pair(words.names["counts"], words.comma.join(counts), at=COLUMN)
    yield from _ids(words, receipt["records"])
    yield from paper.paragraph(words.sentences["no_words"])


def _ids(words: Words, records: Sequence[str]) -> Lines:
    if records:
        shown = [paper.visible(one) for one in records[:MOST_IDS]]
        if len(records) > MOST_IDS:
            shown.append(words.sentences["more"].format(len(records) - MOST_IDS))
        yield from paper.pair(words.names["ids"], words.comma.join(shown), at=COLUMN)


def _when(words: Words, document: Mapping[str, Any]) -> Lines:
    receipt = document["receipt"]
    yield from _section(words, 3)
    yield from _named(words, "opened_at", _time(receipt["opened_at"]), words.sentences["deleted"])
    if receipt["verified_at"]:
        yield from _named(words, "verified_at", _time(receipt["verified_at"]), words.sentences["verified"])
    yield from _named(words, "as_of", _time(document["as_of"]))
    yield from _named(words, "actor", receipt["actor"])
    yield from _named(words, "reason", receipt["reason"])
    yield from paper.paragraph(words.sentences["utc"])


def _places(words: Words, receipt: Mapping[str, Any]) -> Lines:
    yield from _section(words, 4)
    for one in receipt["stores"]:
        yield words.places.get(one["store"]) or words.other_place.format(paper.visible(one["store"]))
        told = [words.states[one["state"]]]
        if one["removed"]:
            told.append(_count(words.removed, one["removed"]))
        if one["attempts"]:
            told += [_count(words.attempts, one["attempts"]), _time(one["updated_at"])]
        if one["error"]:
            told.append(paper.visible(one["error"]))
        yield from paper.paragraph(words.stop.join(told), indent=4)


def _reach(words: Words, receipt: Mapping[str, Any]) -> Lines:
    yield from _section(words, 5)
    level = receipt["level"]
    yield from paper.paragraph(words.levels.get(level) or words.other_level.format(paper.visible(level)))
    for step in receipt["purge"]:
        yield from paper.pair("  -", _step(words, step), at=5)


def _outside(words: Words, receipt: Mapping[str, Any]) -> Lines:
    yield from _section(words, 6)
    if not receipt["outside"]:
        yield words.outside["none"]
        return
    yield from paper.paragraph(words.outside["intro"])
    for one in receipt["outside"]:
        told = words.outside[one["state"]]
        if one["attempts"]:
            tries = [_count(words.attempts, one["attempts"]), _time(one["updated_at"])]
            told += words.aside.format(words.comma.join(tries))
        yield from paper.pair("  -", paper.visible(one["name"]) + words.colon + told, at=5)


def _out_of_reach(words: Words, receipt: Mapping[str, Any]) -> Lines:
    yield from _section(words, 7)
    if not receipt["out_of_reach"]:
        yield from paper.paragraph(words.sentences["no_places"])
        return
    yield from paper.paragraph(words.sentences["out_of_reach"])
    for place in receipt["out_of_reach"]:
        named = {name: paper.visible(place[name]) for name in ("name", "retention")}
        until = _until(receipt["opened_at"], place["retention"])
        told = words.retention if until is None else words.retention_until
        yield from paper.pair("  -", told.format(**named, until=until), at=5)


def _signature(words: Words, document: Mapping[str, Any], digest: str, fingerprint: str) -> Lines:
    file = f"{paper.visible(document['receipt']['id'])}.json"
    yield from _section(words, 8)
    yield from paper.paragraph(words.sentences["signed"])
    yield from paper.pair(words.names["fingerprint"], _grouped(fingerprint), at=COLUMN)
    yield from paper.pair(words.names["digest"], _grouped(digest), at=COLUMN)
    yield from paper.paragraph(words.sentences["check"].format(file=file))
    yield f"    seihon receipt verify {file} --key public.pem"
    yield from paper.paragraph(words.sentences["means"])
    yield ""
    yield paper.rule()
    yield paper.heading(document["schema"], f"Ed25519 {document[SIGNATURE]['key']}")


def _named(words: Words, name: str, text: str, told: str = "") -> Lines:
    more = words.aside.format(told) if told else ""
    yield from paper.pair(words.names[name], paper.visible(text) + more, at=COLUMN)


def _count(forms: tuple[str, str], count: int) -> str:
    return forms[count != 1].format(count)


def _step(words: Words, step: str) -> str:
    """Return what a purge did, in the page's language where it has the sentence."""
    for known, told in words.steps:
        found = known.fullmatch(step)
        if found is not None:
            return found.expand(told)
    return paper.visible(step)


def _time(iso: str) -> str:
    """Return an instant of a document as it is read best: 2026-03-01 09:00:00 UTC."""
    return f"{paper.visible(iso)[:10]}{_TIED}{paper.visible(iso)[11:19]}{_TIED}UTC"


def _until(opened_at: str, retention: str) -> str | None:
    """Return the day by which a retention is over; ``None`` where it does not say how long it is."""
    found = _RETENTION.fullmatch(retention.strip())
    if found is None:
        return None
    end = _instant(opened_at) + timedelta(**{_UNITS[found[2][0]]: int(found[1])})
    # A part of a day counts as one: nobody may look too early.
    whole = end if end == end.replace(hour=0, minute=0, second=0, microsecond=0) else end + timedelta(days=1)
    return whole.date().isoformat()


def _instant(iso: str) -> datetime:
    return datetime.fromisoformat(iso).astimezone(UTC)


def _grouped(hexadecimal: str) -> str:
    return " ".join(hexadecimal[start : start + 4] for start in range(0, len(hexadecimal), 4))


def _spaced(words: Words, sentences: Sequence[str]) -> str:
    return ("" if words is WORDS[Locale.JA] else " ").join(sentences)
