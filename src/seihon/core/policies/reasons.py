"""The stable words for why a claim was accepted or kept out, and why a read is stale or blank."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """One word per rule. Words are stored and compared; :meth:`text` is for people."""

    FIRST = "first"
    NEWEST = "newest"
    CONFIRMED = "confirmed"
    INFERRED_REPLACES_INFERRED = "inferred_replaces_inferred"
    GUARDED = "guarded"
    GUARD_EXPIRED_TURNS = "guard_expired_turns"
    GUARD_EXPIRED_SECONDS = "guard_expired_seconds"
    MOST_PROBABLE = "most_probable"
    LESS_PROBABLE = "less_probable"
    NEEDS_CONFIRMATION = "needs_confirmation"
    BELOW_FLOOR = "below_floor"
    OLDER = "older"
    NO_VALUE = "no_value"
    BELOW_PROBABILITY = "below_probability"
    BLANK_AFTER_TURNS = "blank_after_turns"
    BLANK_AFTER_SECONDS = "blank_after_seconds"

    def text(self, locale: str = "en") -> str:
        """Return one sentence in English, or in Japanese for a locale that starts with ``ja``."""
        english, japanese = _TEXTS[self]
        return japanese if locale.startswith("ja") else english


_TEXTS: dict[Reason, tuple[str, str]] = {
    Reason.FIRST: (
        "The field held no value.",
        "この項目にはまだ値がありませんでした。",
    ),
    Reason.NEWEST: (
        "The newest claim is the value.",
        "いちばん新しい主張を値とします。",
    ),
    Reason.CONFIRMED: (
        "The person said so.",
        "本人がそう述べました。",
    ),
    Reason.INFERRED_REPLACES_INFERRED: (
        "A newer inference replaces an inference.",
        "新しい推測が以前の推測に代わります。",
    ),
    Reason.GUARDED: (
        "The held value was confirmed by the person, and an inference does not replace it.",
        "保持中の値は本人が確認したもので、推測では置き換えません。",
    ),
    Reason.GUARD_EXPIRED_TURNS: (
        "The confirmed value is older than its limit in turns, so an inference may replace it.",
        "確認された値がターン数の期限を過ぎたため、推測による更新を認めます。",
    ),
    Reason.GUARD_EXPIRED_SECONDS: (
        "The confirmed value is older than its limit in time, so an inference may replace it.",
        "確認された値が時間の期限を過ぎたため、推測による更新を認めます。",
    ),
    Reason.MOST_PROBABLE: (
        "All claims weighed together make this value the most probable.",
        "すべての主張を合わせると、この値がもっとも確からしいと判断されます。",
    ),
    Reason.LESS_PROBABLE: (
        "The claim was weighed, and another value remains more probable.",
        "主張は考慮しましたが、別の値のほうが確からしいままです。",
    ),
    Reason.NEEDS_CONFIRMATION: (
        "An inference in this field waits for the person's word.",
        "この項目では、推測は本人の確認を待ちます。",
    ),
    Reason.BELOW_FLOOR: (
        "The statement is not newer than one that was withdrawn.",
        "取り下げられた発言より新しくない主張です。",
    ),
    Reason.OLDER: (
        "A newer statement stands.",
        "より新しい発言が有効です。",
    ),
    Reason.NO_VALUE: (
        "Nothing is held for this field.",
        "この項目には保持している値がありません。",
    ),
    Reason.BELOW_PROBABILITY: (
        "The most probable value is less certain than the field demands.",
        "もっとも確からしい値でも、この項目が求める確かさに届きません。",
    ),
    Reason.BLANK_AFTER_TURNS: (
        "The value is older than the number of turns after which the field reads blank.",
        "空欄として扱うターン数を過ぎた値です。",
    ),
    Reason.BLANK_AFTER_SECONDS: (
        "The value is older than the time after which the field reads blank.",
        "空欄として扱う時間を過ぎた値です。",
    ),
}
