"""Numbers, dates and times of a text, in a form that compares across spellings and two languages.

``1,200円``, ``1200 yen`` and ``¥1200`` have the value ``1200 jpy``; ``10月15日``, ``October 15th`` and
``10/15`` the value ``--10-15``; ``午後3時`` and ``3pm`` the value ``t15:00``. What needs the day of speaking
(``next Friday``, ``来月の10日``) stays relative and compares as such.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from seihon.core.quantity_words import (
    AMOUNT,
    ANY,
    CLOCK,
    JAPANESE,
    KANJI,
    MONTHS,
    PATTERNS,
    RANGE,
    RELATIVE,
    SCALES,
    SIGNS,
    UNITS,
    WEEKDAYS,
    WORDS,
    flat,
)


class Measure(StrEnum):
    """What a quantity measures."""

    NUMBER = "number"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or a date, ``text[start:end]``.

    ``value`` is what must be the same elsewhere; ``implied`` are weaker values that it also vouches for:
    the ends of a range, a number without its unit, the month of a date. ``kind`` tells what can replace
    what: numbers of one unit, days, times of day.
    """

    measure: Measure
    start: int
    end: int
    value: str
    implied: frozenset[str] = frozenset()
    kind: str = ""

    @property
    def vouched(self) -> frozenset[str]:
        """Every value that a text with this quantity supports."""
        return self.implied | {self.value}


def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the numbers, dates and times of a text in their order, apart from each other."""
    folded = flat(text)
    if not ANY.search(folded):
        return ()
    found: list[Quantity] = []
    for match in _SCAN.finditer(folded):
        read = _READERS[match.lastgroup or "amount"]
        reading = read(match.group())
        if reading is not None:
            found.append(_quantity(match, reading))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a reader makes of a piece: its value, weaker values, and what it can be replaced by."""

    value: str
    implied: tuple[str, ...] = ()
    kind: str = "day"


def _quantity(match: re.Match[str], reading: _Reading) -> Quantity:
    measure = Measure.DATE if reading.kind in ("day", "clock") else Measure.NUMBER
    piece = match.group()
    end = match.start() + len(piece.rstrip())
    implied = frozenset(one for one in reading.implied if one)
    return Quantity(measure, match.start(), end, reading.value, implied, reading.kind)


def _amount(piece: str) -> _Reading | None:
    match = AMOUNT.fullmatch(piece)
    if not match:
        return None
    unit = _unit(match["sign"], match["unit"])
    return _number(_scaled(match["number"], match["scale"]), unit)


def _number(number: str, unit: str) -> _Reading:
    value = f"{number} {unit}" if unit else number
    return _Reading(value, (number,), f"number:{unit}")


def _unit(sign: str | None, unit: str | None) -> str:
    return SIGNS[sign] if sign else UNITS.get(unit or "", "")


def _scaled(number: str, scale: str | None) -> str:
    exact = Decimal(number.replace(",", "")) * SCALES.get(scale or "", 1)
    return format(exact.normalize(), "f")


def _range(piece: str) -> _Reading | None:
    match = RANGE.fullmatch(piece)
    if not match:
        return None
    unit = _unit(match["sign"] or match["sign2"], match["unit2"] or match["unit"])
    low, high = (
        _scaled(match["number"], match["scale"] or match["scale2"]),
        _scaled(match["number2"], match["scale2"]),
    )
    ends = [f"{number} {unit}".strip() for number in (low, high)]
    value = f"{low}..{high}"
    return _Reading(f"{value} {unit}".strip(), (low, high, value, *ends), f"number:{unit}")


def _spelled(piece: str) -> _Reading | None:
    """Read ``twenty-five people``: words of a number, then perhaps a unit."""
    words = piece.replace("-", " ").split()
    unit = UNITS.get(words[-1], "") if words[-1] not in WORDS else ""
    total = part = 0
    for word in words:
        if word not in WORDS:
            continue
        number = WORDS[word]
        if number < 100:
            part += number
        elif number == 100:
            part = max(part, 1) * 100
        else:
            total, part = total + max(part, 1) * number, 0
    return _number(str(total + part), unit)


def _kanji(piece: str) -> _Reading | None:
    digits = re.match(r"[一二三四五六七八九十百千万億]+", piece)
    if not digits:
        return None
    return _number(str(_numeral(digits.group())), UNITS.get(piece[digits.end() :], ""))


def _numeral(written: str) -> int:
    """Read a numeral in digits or in kanji."""
    if written.isdigit():
        return int(written)
    total = section = digit = 0
    for char in written:
        number = KANJI[char]
        if number < 10:
            digit = digit * 10 + number
        elif number < 10_000:
            section, digit = section + max(digit, 1) * number, 0
        else:
            total, section, digit = total + max(section + digit, 1) * number, 0, 0
    return total + section + digit


def _code(piece: str) -> _Reading:
    return _Reading(piece, kind="code")


def _calendar(year: int | None, month: int, day: int | None) -> _Reading | None:
    """A day or a month of the calendar, with the parts that it vouches for."""
    if not 1 <= month <= 12 or not (day is None or 1 <= day <= 31):
        return None
    months = f"--{month:02}"
    short = months if day is None else f"{months}-{day:02}"
    parts = (months, short, f"---{day:02}" if day else "")
    if year is None:
        return _Reading(short, parts)
    return _Reading(f"{year:04}{short[1:]}", (*parts, f"{year:04}", f"{year:04}{months[1:]}"))


def _iso(piece: str) -> _Reading | None:
    year, month, day = map(int, re.split(r"[-/.]", piece))
    return _calendar(year, month, day)


def _japanese(piece: str) -> _Reading | None:
    match = JAPANESE.fullmatch(piece)
    if not match:
        return None
    year = int(match["year"]) if match["year"] else None
    if year is not None and year < 100:
        year += 2000
    if not match["month"]:
        return _Reading(f"{year}")
    return _calendar(year, _numeral(match["month"]), _numeral(match["day"]) if match["day"] else None)


def _english(piece: str) -> _Reading | None:
    name = re.search(r"[a-z]{3,}", piece.replace("of", "  "))
    numbers = [int(one) for one in re.findall(r"\d+", piece)]
    if not name:
        return None
    day = next((one for one in numbers if one <= 31), None)
    year = next((one for one in numbers if one > 31), None)
    return _calendar(year, MONTHS[name.group()], day)


def _slash(piece: str) -> _Reading:
    first, second, *year = map(int, piece.split("/"))
    month, day = (first, second) if first <= 12 else (second, first)
    full = year[0] + 2000 if year and year[0] < 100 else year[0] if year else None
    return _calendar(full, month, day) or _code(piece)


def _clock(piece: str) -> _Reading | None:
    match = CLOCK.fullmatch(piece)
    if not match:
        return None
    hour = _numeral(match["hour"])
    minute = 30 if match["half"] else _numeral(match["minute"] or "0")
    if hour > 24 or minute > 59:
        return None
    plain = f"t{hour:02}:{minute:02}"
    late = match["part"] in ("午後", "夜", "夕方") or (match["noon"] or "").startswith("p")
    if late and hour < 12:
        return _Reading(f"t{hour + 12:02}:{minute:02}", (plain,), "clock")
    midnight = hour == 12 and match["noon"] is not None and not late
    return _Reading(f"t00:{minute:02}" if midnight else plain, (plain,), "clock")


def _day_alone(piece: str) -> _Reading | None:
    match = re.match(r"\d+|[一二三四五六七八九十]+", piece)
    day = _numeral(match.group()) if match else 0
    return _Reading(f"---{day:02}") if 1 <= day <= 31 else None


def _in_month(piece: str) -> _Reading | None:
    month, _, day = piece.partition("月")
    alone = _day_alone(day.lstrip("の"))
    word = RELATIVE[f"{month}月"]
    return _Reading(f"{word}{alone.value[2:]}", (word, alone.value)) if alone else None


def _weekday(piece: str) -> _Reading:
    japanese = re.search(r"([月火水木金土日])(?:曜|\))", piece)
    if japanese:
        day = WEEKDAYS[japanese[1]]
        week = RELATIVE.get(piece[: japanese.start()].strip("の("), "")
        return _Reading(f"{week} {day}".strip(), (day, week))
    *which, name = piece.split()
    day = WEEKDAYS.get(name) or WEEKDAYS[name.removesuffix("s")]
    return _Reading(" ".join((*which, day)), (day,))


def _relative(piece: str) -> _Reading:
    value = RELATIVE.get(piece) or "-".join(piece.split())
    if value.startswith("t") and value[1].isdigit():
        return _Reading(value, kind="clock")
    return _Reading(_DAYS_AROUND.get(value, value))


_DAYS_AROUND: Final = {
    "the-day-after-tomorrow": "in-2-days",
    "the-day-before-yesterday": "2-days-ago",
    "every-weekend": "weekend",
}
_READERS: Final[Mapping[str, Callable[[str], _Reading | None]]] = {
    "iso": _iso,
    "japanese": _japanese,
    "english": _english,
    "slash": _slash,
    "clock": _clock,
    "inmonth": _in_month,
    "monthalone": lambda piece: _japanese(piece) if piece.endswith("月") else _english(piece),
    "dayalone": _day_alone,
    "weekday": _weekday,
    "period": _relative,
    "relative": _relative,
    "phone": _code,
    "range": _range,
    "amount": _amount,
    "code": _code,
    "kanji": _kanji,
    "words": _spelled,
}
_SCAN: Final = re.compile("|".join(f"(?P<{name}>{PATTERNS[name]})" for name in PATTERNS))
