"""Replies of a model that are no summary: nothing, a refusal, an apology, or its own instructions."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from seihon.core.quantity_words import flat
from seihon.core.sentences import sentences
from seihon.core.text import normalise


class Refusal(StrEnum):
    """Why a reply is no summary."""

    EMPTY = "empty"
    REFUSAL = "refusal"
    APOLOGY = "apology"
    ECHO = "echo"


_HEAD: Final = 400  # a refusal says so at once; further on the words belong to what is summarised
_ECHO_SHARE: Final = 0.5
_ECHO_LETTERS: Final = 12

_NOTHING: Final = re.compile(
    r"\W*(?:(?:here(?:'s| is| are)(?: the| a| your)?|the|以下が|以下は)?\s*(?:summary|要約|まとめ)(?:です)?"
    r"|none|n/?a|null|nil|nothing|empty|なし|該当なし|無し|特になし)?\W*"
)
_TASK: Final = (
    r"(?:help|assist|provide|summari[sz]e|comply|fulfil|do (?:that|this)|process|access|create|generate"
    r"|continue|"
    r"complete|produce|write|share|discuss|answer|read|see|find|make|offer|perform|engage)"
)
_REFUSES: Final = re.compile(
    rf"(?<![a-z])i(?:'m| am)? (?:can(?:'t|not)|can not|could not|couldn't|won't|will not|unable to"
    rf"|not able to|do not|"
    rf"don't|must decline to)\s*(?:be able to )?{_TASK}(?![a-z])"
    r"|^\W*(?:(?:i'm |i am |we're )?(?:very |so |really )?sorry|my apologies|i apologi[sz]e"
    r"|unfortunately)[^.!?]{0,80}?"
    r"(?:can(?:'t|not)|unable|not able|won't|don't have|do not have|no (?:conversation|messages|content"
    r"|text))"
    r"|as an? (?:ai|artificial intelligence|(?:large )?language model)(?![a-z])"
    r"|(?:there is|there's|i see|i have|i don't (?:see|have)|no)\s?(?:nothing|no|any)? (?:content"
    r"|conversation|text|messages?)"
    r" (?:here )?(?:to summari[sz]e|provided|available|was provided)|^\W*(?:nothing"
    r"|no content) to summari[sz]e"
    r"|please (?:provide|share|paste|send)(?: me)?(?: with)? (?:the|a|your|some) (?:text|conversation"
    r"|messages?|content)"
    r"|^\W*(?:i must decline|i decline|i refuse|request denied|content policy)"
    r"|要約(?:する|できる|すべき)?(?:こと)?(?:は|が|を)?(?:会話|内容|テキスト|文章)?(?:は"
    r"|が)?(?:でき(?:ません|かね|ない)|"
    r"(?:あり|ござい)ません|致しかね|いたしかね)"
    r"|(?:ご?(?:依頼|要望|質問|要求|リクエスト)|その(?:内容|ような内容|件)|この(?:内容|会話"
    r"|リクエスト))(?:に|には|は|について)[^。]{0,20}"
    r"(?:お答え|応じ|対応|お手伝い|要約|処理)[^。]{0,8}(?:でき(?:ません|かね|ない)|かねます)"
    r"|(?:お手伝い|お答え|お応え)(?:する)?(?:こと)?(?:は|が)?でき(?:ません|かね)"
    r"|ai(?:アシスタント|モデル|言語モデル)?(?:として|なので|ですので|であるため)|言語モデルとして"
    r"|(?:会話|テキスト|文章|内容|メッセージ)(?:の内容)?を(?:入力|提供|提示|お送り|貼り付け|共有"
    r"|教えて)(?:して)?(?:ください|いただ)"
    r"|(?:会話|テキスト|文章|内容|メッセージ)が(?:提供|提示|入力)されて(?:い)?(?:ません|ない)"
)
_APOLOGISES: Final = re.compile(
    r"\W*(?:(?:i'm |i am |we're |we are )?(?:very |so |really |terribly )?sorry|i apologi[sz]e"
    r"|my (?:sincere )?apologies|"
    r"apologies|please accept my apologies)(?: for (?:the|any|this|that|my)[^.!?]{0,40}| about (?:that"
    r"|this))?\W*"
    r"|\W*(?:大変|誠に|本当に)?(?:申し訳(?:ございません|ありません|ないです)(?:でした)?"
    r"|すみません(?:でした)?|ごめんなさい|"
    r"失礼(?:いた|致)?しました|お詫び(?:いた|申し上げ|致)?(?:し)?ます|恐れ入ります)\W*"
)
_INSTRUCTS: Final = re.compile(
    r"^\W*(?:(?:please )?summari[sz]e (?:the|this|these|following)|you are (?:a|an"
    r"|the) [^.\n]{0,40}(?:assistant|summari|model)"
    r"|your task is|(?:instructions?|system prompt)\s*:|write a (?:short |brief |concise )?summary of"
    r"|(?:以下|次|下記)の(?:会話|メッセージ|文章|テキスト|やり取り|内容)を[^。\n]{0,20}(?:要約|まとめ)"
    r"|あなたは[^。\n]{0,40}(?:アシスタント|要約|ai|モデル)|(?:指示|プロンプト)\s*:)"
)


def refusal(text: str, *, prompt: str = "") -> Refusal | None:
    """Return why a model's reply is no summary, None for one that may be.

    ``prompt`` are the instructions that the model was given, without the messages (a faithful summary repeats
    those). What a summary reports of refusals and apologies (``the shop apologised``) is none.
    """
    folded = flat(text).replace("’", "'").strip()
    if _NOTHING.fullmatch(folded):
        return Refusal.EMPTY
    if _echoes(text, prompt) or _INSTRUCTS.search(folded):
        return Refusal.ECHO
    if _REFUSES.search(folded[:_HEAD]):
        return Refusal.REFUSAL
    pieces = sentences(folded)
    return Refusal.APOLOGY if all(_APOLOGISES.fullmatch(one.text) for one in pieces) else None


def _echoes(text: str, prompt: str) -> bool:
    """Tell whether half of the reply, by length, stands in the instructions."""
    given = _plain(prompt)
    if not given:
        return False
    said = [_plain(one.text) for one in sentences(text)]
    repeated = sum(len(one) for one in said if len(one) >= _ECHO_LETTERS and one in given)
    return repeated > _ECHO_SHARE * sum(map(len, said))


def _plain(text: str) -> str:
    return "".join(normalise(text).split())
