"""Conversations for the tests of summaries, and a strategy that makes them."""

from __future__ import annotations

from hypothesis import strategies as st

from seihon.core.reading import SourceMessage

DAY = 86_400_000_000
START = 1_772_323_200_000_000  # 2026-03-01


def talk(*lines: str) -> list[SourceMessage]:
    """Messages from ``role: text`` lines, ``m1`` first, one a day; without a role the user speaks."""
    made: list[SourceMessage] = []
    for place, line in enumerate(lines):
        role, mark, text = line.partition(": ")
        spoken = mark and role in ("user", "assistant", "tool", "system")
        made.append(
            SourceMessage(
                f"m{place + 1}", role if spoken else "user", text if spoken else line, START + place * DAY
            )
        )
    return made


PIECES = [
    "I live in Osaka.",
    "No, I meant Kobe.",
    "Actually, make it Friday.",
    "The meeting is on Monday at 3pm.",
    "It's Tuesday, not Monday.",
    "I don't eat pork, but fish is fine.",
    "I eat pork.",
    "Let's go with the Pro plan.",
    "Use Free instead of Pro.",
    "Which plan is best?",
    "I'll check.",
    "Thanks!",
    "The budget is 500 dollars.",
    "The budget is 700 dollars.",
    "Correction: 800 dollars.",
    "会議は10月15日です。",
    "会議は10月15日ではなく10月20日です。",
    "訂正します。",
    "予算は3万円です。",
    "予算は5万円に変更です。",
    "豚肉は食べません。",
    "豚肉を食べます。",
    "会場はまだ未定です。",
    "会場は本社に決めました。",
    "何時に来ますか？",
    "田中さんが来ます。",
    "了解です。",
    "やっぱり金曜でお願いします。",
    "金曜は無理です。",
    "- item one. no nuts",
    "\n",
    "```\nx = 1\n```\n",
    "そう。 Maybe 5?",
]

TALKS = st.lists(
    st.tuples(
        st.sampled_from(["user", "assistant", "tool", "system"]),
        st.lists(st.sampled_from(PIECES) | st.text(max_size=30), max_size=4).map(" ".join),
    ),
    max_size=12,
).map(
    lambda turns: [
        SourceMessage(f"m{place}", role, text, START + place * DAY)
        for place, (role, text) in enumerate(turns)
    ]
)
"""Conversations of sentences that correct, deny, ask and repeat one another, and of any text."""
