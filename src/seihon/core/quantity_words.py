"""How numbers, dates and times are written in English and Japanese: words, units and patterns.

The patterns are matched against `flat` text, each where it stands in `PATTERNS`: the first that fits wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final


def _words(listed: str) -> list[str]:
    return listed.split()


def _table(rows: str) -> dict[str, str]:
    """Read ``name: spelling spelling`` lines."""
    pairs = (line.split(":", 1) for line in rows.strip().splitlines())
    return {spelling: name.strip() for name, spellings in pairs for spelling in spellings.split()}


UNITS: Final = _table(
    """
    jpy: 円 yen jpy ¥
    usd: ドル dollars dollar usd $
    eur: ユーロ euros euro eur €
    gbp: ポンド pounds pound gbp £
    %: % percent パーセント ％
    hour: 時間 hours hour hrs hr h
    minute: 分間 分 minutes minute mins min
    second: 秒間 秒 seconds secs sec
    day: 日間 日後 日前 日以内 days day
    week: 週間 weeks week
    month: ヶ月 か月 カ月 ヵ月 箇月 months month
    year: 年 年間 年後 年前 年目 years year yrs yr
    person: 人 名様 名 people persons person
    age: 歳 才
    piece: 個 つ pieces piece items item
    time: 回 times
    long: 本
    flat: 枚
    machine: 台
    case: 件 cases case
    floor: 階
    fold: 倍
    tenth: 割
    point: 点 points point
    unit: 単位 units unit
    kg: kg キロ kilos kilo kilograms kilogram
    g: g グラム grams gram
    km: km キロメートル kilometers kilometres
    m: m メートル meters metres
    cm: cm センチ
    mm: mm ミリ
    l: l リットル liters litres
    ml: ml
    celsius: ℃ 度 degrees degree °c
    mb: mb
    gb: gb ギガ
    tb: tb
    kcal: kcal カロリー calories
    """
)
SIGNS: Final = {"$": "usd", "¥": "jpy", "€": "eur", "£": "gbp"}
SCALES: Final[Mapping[str, int]] = {
    "千": 1_000,
    "万": 10_000,
    "億": 10**8,
    "百万": 10**6,
    "k": 1_000,
    "thousand": 1_000,
    "million": 10**6,
    "billion": 10**9,
}
_ONES: Final = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS: Final = _words("twenty thirty forty fifty sixty seventy eighty ninety")
WORDS: Final[Mapping[str, int]] = {
    **{word: number for number, word in enumerate(_ONES)},
    **{word: 10 * number for number, word in enumerate(_TENS, start=2)},
    "hundred": 100,
    "thousand": 1_000,
    "million": 10**6,
    "billion": 10**9,
}
KANJI: Final[Mapping[str, int]] = {
    **{char: number for number, char in enumerate("〇一二三四五六七八九")},
    "零": 0,
    "十": 10,
    "百": 100,
    "千": 1_000,
    "万": 10_000,
    "億": 10**8,
}
_MONTH_NAMES: Final = _words(
    "january february march april may june july august september october november december"
)
MONTHS: Final = {
    form: number
    for number, name in enumerate(_MONTH_NAMES, start=1)
    for form in {name, name[:3], "sept" if name == "september" else name}
}
_DAYS: Final = _words("monday tuesday wednesday thursday friday saturday sunday")
WEEKDAYS: Final = {
    **{form: day for day in _DAYS for form in (day, day[:3])},
    "tues": "tuesday",
    "thur": "thursday",
    "thurs": "thursday",
    **dict(zip("月火水木金土日", _DAYS, strict=True)),
}
RELATIVE: Final = _table(
    """
    today: today tonight 今日 本日 今夜 今晩 今朝
    tomorrow: tomorrow 明日 明朝 明晩
    in-2-days: 明後日 あさって
    yesterday: yesterday 昨日 昨夜 昨晩
    2-days-ago: 一昨日 おととい
    next-week: 来週 翌週
    in-2-weeks: 再来週
    last-week: 先週
    this-week: 今週
    next-month: 来月 翌月
    in-2-months: 再来月
    last-month: 先月
    this-month: 今月
    next-year: 来年 翌年
    in-2-years: 再来年
    last-year: 去年 昨年
    this-year: 今年 本年
    month-end: 月末
    year-end: 年末
    weekend: weekend 週末
    every-day: daily 毎日
    every-week: weekly 毎週
    every-month: monthly 毎月
    every-year: yearly annually 毎年
    every-morning: 毎朝
    t12:00: noon 正午
    t00:00: midnight
    """
)

# One character for one, so that places stay: full-width forms, dashes, tildes, ASCII letters in lower case.
_FLAT: Final[Mapping[int, int]] = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    **{code: code - 0xFEE0 + 32 for code in range(0xFF21, 0xFF3B)},
    **{code: code + 32 for code in range(ord("A"), ord("Z") + 1)},
    **dict.fromkeys((0x301C, 0x223C, 0x3030), ord("~")),
    **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2212), ord("-")),
    **dict.fromkeys((0x2018, 0x2019, 0x02BC), ord("'")),
    0xFFE5: ord("¥"),
    0xFFE1: ord("£"),
    0x3000: ord(" "),
}


def flat(text: str) -> str:
    """Return the text for comparing, character for character: half-width, ASCII letters in lower case."""
    return text.translate(_FLAT)


def any_of(words: Iterable[str]) -> str:
    """An alternation, longest first; a word in Latin letters ends where its letters end."""
    forms = sorted(words, key=lambda form: (-len(form), form))
    return "|".join(re.escape(form) + ("(?![a-z])" if form[-1] in _LATIN else "") for form in forms)


_LATIN: Final = "abcdefghijklmnopqrstuvwxyz"
_B: Final = r"(?<![a-z0-9])"
_N: Final = r"(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,9})?"
_J: Final = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_UNIT: Final = any_of(form for form in UNITS if form not in SIGNS)
_SCALE: Final = any_of(SCALES)
_MONTH: Final = any_of(MONTHS)
_CARDINAL: Final = rf"(?:{any_of(word for word in WORDS if word not in ('zero', 'one'))})"
_WORD_RUN: Final = (
    rf"(?:(?:an?|one)\s(?=hundred|thousand|million))?{_CARDINAL}"
    rf"(?:[ -](?:and )?{_CARDINAL}|-one(?![a-z]))*"
)
_WEEK_EN: Final = any_of(form for form in WEEKDAYS if form.isascii() and form not in ("sat", "sun", "wed"))

_PLAIN_MONTH: Final = any_of(set(_MONTH_NAMES) - {"may", "march"})
_BEFORE_MONTH: Final = r"(?:(?<=\bin )|(?<=\bby )|(?<=\buntil )|(?<=\bsince )|(?<=\bnext )|(?<=\blast ))"
_WEEK: Final = "(?:再来週|来週|今週|先週|毎週)の?"
# 十分 is "enough" more often than ten minutes; 一つ, 一点, 一本, 一度 are rarely counts.
_COUNTED: Final = any_of(form for form in UNITS if not form.isascii() and form not in "分つ点本度")
_WORDY: Final = any_of({form for form in (*WORDS, *MONTHS, *WEEKDAYS, *RELATIVE) if form.isascii()})
_RELATIVE_JA: Final = any_of(form for form in RELATIVE if not form.isascii())

PATTERNS: Final[Mapping[str, str]] = {
    "iso": r"(?<!\d)\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)",
    "japanese": rf"(?:(?:\d{{4}}|\d{{2}})年)?(?<!\d){_J}月{_J}日|(?<!\d)\d{{4}}年(?:{_J}月)?",
    "english": rf"{_B}(?:{_MONTH})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?![\d:])(?:,?\s+\d{{4}}(?![\d-]))?"
    rf"|{_B}\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})(?:,?\s+\d{{4}}(?![\d-]))?",
    "slash": r"(?<![a-z0-9/.-])\d{1,2}/\d{1,2}(?:/\d{2}(?:\d{2})?)?(?![\d/])",
    "clock": r"(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?!\d)(?:\s?[ap]\.?m(?![a-z])\.?)?"
    r"|(?<![\d:])(?<!\d\.)\d{1,2}\s?[ap]\.?m(?![a-z])"
    rf"|(?:午前|午後|朝|夜|夕方)?(?<!\d){_J}時(?!間)(?:{_J}分|半)?",
    "inmonth": rf"(?:再来月|来月|今月|先月|翌月|毎月)の?{_J}日",
    "monthalone": rf"(?<!\d){_J}月(?!曜)|{_B}(?:{_PLAIN_MONTH})(?:\s+\d{{4}}(?!\d))?"
    rf"|{_BEFORE_MONTH}(?:may|march)(?![a-z])",
    "dayalone": r"(?<!\d)(?:\d{1,2}|(?<![一-龯])[二三四五六七八九十]{1,3})日(?![間後前目以本程月])"
    r"|(?<=\bthe )\d{1,2}(?:st|nd|rd|th)(?![a-z]|\s+(?:time|place|floor|of|person|item))",
    "weekday": rf"(?:{_B}(?:next|this|last|every)\s+)?{_B}(?:{_WEEK_EN})s?(?![a-z])"
    rf"|(?<![一-龯])[月火水木金土日]曜日?|{_WEEK}[月火水木金土日]曜日?"
    r"|\([月火水木金土日]\)",
    "period": rf"{_B}(?:next|last|this|every)\s+(?:week(?:end)?|month|year|quarter|spring|summer"
    r"|autumn|fall|winter|morning|day)(?![a-z])|the day (?:after tomorrow|before yesterday)",
    "relative": rf"(?:{_RELATIVE_JA})|"
    rf"{_B}(?:{any_of(form for form in RELATIVE if form.isascii())})",
    "phone": r"(?<![a-z0-9-])\+?\d{1,4}-\d{2,4}-\d{3,4}(?![\d-])",
    "range": rf"(?<![a-z0-9.])(?:[$¥€£]\s?)?{_N}(?:{_SCALE})?(?:{_UNIT})?(?:\s[-~]\s|[-~]|\s?から\s?|\sto\s)"
    rf"[$¥€£]?{_N}(?![\d.-]\d)"
    rf"\s?(?:{_SCALE})?\s?(?:{_UNIT})?(?![a-z0-9])",
    "amount": rf"(?:(?<![a-z0-9.])|(?<=[a-z]\.))(?:(?<!\d)-)?(?:[$¥€£]\s?)?{_N}(?![\d.]\d)(?:st|nd|rd|th)?"
    rf"\s?(?:{_SCALE})?\s?(?:{_UNIT})?(?![a-z0-9])",
    "code": r"(?<![a-z0-9])(?=[a-z._/-]{0,40}\d)(?=[\d._/-]{0,40}[a-z])[a-z0-9]{1,40}"
    r"(?:[-._/][a-z0-9]{1,40}){0,8}"
    r"|(?<![\d.])\d{1,4}(?:\.\d{1,6}){2,5}(?!\d)",
    "kanji": rf"(?<![一-龯])(?:[一二三四五六七八九十百千万億]{{1,8}}(?:{_COUNTED})"
    r"|[一二三四五六七八九十百]{2,4}分)",
    "words": rf"{_B}{_WORD_RUN}(?:\s(?:{_UNIT}))?(?![a-z])",
}

_END: Final = rf"\s?(?P<scale>{_SCALE})?\s?(?P<unit>{_UNIT})?"
AMOUNT: Final = re.compile(rf"(?P<sign>[$¥€£])?\s?(?P<number>-?{_N})(?:st|nd|rd|th)?{_END}\s?")
RANGE: Final = re.compile(
    rf"(?P<sign>[$¥€£])?\s?(?P<number>{_N}){_END}\s?(?:-|~|から|to)\s?"
    rf"(?P<sign2>[$¥€£])?(?P<number2>{_N}){_END.replace('scale>', 'scale2>').replace('unit>', 'unit2>')}\s?"
)
JAPANESE: Final = re.compile(rf"(?:(?P<year>\d+)年)?(?:(?P<month>{_J})月)?(?:(?P<day>{_J})日)?")
CLOCK: Final = re.compile(
    rf"(?P<part>午前|午後|朝|夜|夕方)?(?P<hour>{_J})(?:[:時](?P<minute>{_J})?(?::\d+)?(?:分|(?P<half>半))?)?"
    r"\s?(?P<noon>[ap]\.?m\.?)?"
)
ANY: Final = re.compile(
    rf"\d|[一二三四五六七八九十]|曜|(?:{_RELATIVE_JA})|\([月火水木金土日]\)"
    rf"|{_B}(?:{_WORDY}|the day|next|last|this|every)"
)
"""What a text holds if it holds any quantity: a quick look before the patterns are tried."""
