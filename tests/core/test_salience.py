"""Every mark is seen where it is meant, in English and Japanese, and not where it only looks like it."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seihon.core.salience import Contrast, Trait, content, contrasts, defers, findings, is_pleasantry, traits

TRUE: dict[Trait, str] = {
    Trait.NEGATION: """
        I do not eat pork.|I don't eat pork.|Never call me at night.|He can’t come.|Everything except nuts.
        I'm allergic to peanuts.|We ship without insurance.|Smoking is prohibited.|There is no parking.
        I no longer live in Osaka.|Please avoid mornings.|i dont like it
        Unless it rains, we go.|No pets allowed.
        豚肉は食べない。|明日は行きません。|返品は不可です。|館内は禁煙で撮影は禁止。|辛いものが苦手です。
        卵以外は大丈夫です。|連絡しないでください。|食べずに寝た。
        参加できず、申し訳ない。|電話ではなくメールで。
        安いが、壊れやすいわけではない。|小麦アレルギーがあります。
        夜の電話は控えてください。|砂糖なしでお願いします。
        予定がなくて困る。|お酒は飲まなかった。|まだ支払っていません。|未対応です。
    """,
    Trait.CORRECTION: """
        No, I meant Tuesday.|Actually, it's on Friday.
        Sorry, the 15th, not the 14th.|Scratch that, use blue.
        Let's use Free instead.|I changed my mind.|We moved the meeting to Friday.|That was wrong.
        Correction: the budget is 500.|It should be 20 people.
        I no longer live in Osaka.|Wait, make it three.
        It isn't Tuesday, it's Wednesday.
        Please change the address to Kobe.|The demo was rescheduled to May.
        10月15日ではなく10月20日です。|訂正します。|やっぱりProでお願いします。|すみません、間違えました。
        会議は金曜に変更です。|住所が変わりました。|正しくは8人です。|いや、火曜です。|水曜じゃなくて木曜。
    """,
    Trait.DECISION: """
        Let's go with the Pro plan.|We decided on Kyoto.
        I'll take the blue one.|It's settled.|We agreed to wait.
        We have booked the hall.|The design was approved.|I've chosen Osaka.
        京都に決めました。|Proプランでお願いします。|水曜にしましょう。|会場は本社に決定。|予約しました。
        Aを選びました。|この案で進めます。|来月から始めることにしました。|これにします。
    """,
    Trait.PENDING: """
        The venue is TBD.|We haven't decided yet.
        I still need to check the price.|Not sure yet.|It is pending.
        I can't decide between them.|We are waiting for the quote.
        会場はまだ未定です。|日程は要確認。|検討中です。|まだ決まっていません。
        返事待ちで保留です。|どちらにするか迷っています。
    """,
    Trait.QUESTION: """
        Which plan is best?|Really?!|"Is it open?"|OK? 😊
        いつ来ますか？|何時に来ますか。|これでいいですか|誰が来るの?|行けるでしょうか。
    """,
    Trait.NAME: """
        I met Kenji yesterday.|Kenji will come.|Mary Smith called.|I live in Osaka.|We use GitHub daily.
        Ask Dr. Brown about it.|J. Smith wrote to us.|He moved to New York City.
        田中さんが来ます。|佐藤様へ。|妻の名前は美咲です。|友人の健太が手伝う。|サンフランシスコへ行く。
        大阪に住んでいます。|港北区です。|鈴木が担当です。|ミケちゃんがいる。
    """,
    Trait.DATE: "See you next Friday.|Due 2026-03-01.|10月15日です。|来月の10日に。|at 3pm sharp|午後3時から",
    Trait.NUMBER: "It costs $5.|about two hundred people|三人で行く。|3万円です。|90%です|order POL-358",
    Trait.STATEMENT: """
        My favourite colour is green.|I live in Osaka.|I'm vegetarian.|Call me Ken.|I prefer tea.
        私は横浜に住んでいます。|柴犬を飼っています。|好きな作家は村上春樹です。
    """,
}
FALSE: dict[Trait, str] = {
    Trait.NEGATION: """
        I know nuts well.|No problem.|No worries at all.
        Not only cheap but fast.|Why don't we meet?|Isn't it nice?
        See No. 5.|No, I meant Tuesday.|The knot is tight.|Can't wait!|Whether or not it rains.|another note
        必ず来てください。|まずは登録から。|すみません。
        雨かもしれない。|来られるはずです。|行かなければならない。
        間違いないです。|一緒に行きませんか。|問題ありません。
        少なくとも3つ。|まもなく着く。|安いだけでなく速い。
        話をした。|梨を食べた。|ずっと好き。|一つずつ。|みずから進んで。
    """,
    Trait.CORRECTION: """
        I actually like it.|A change is good.|I am used to it.
        Not only red but also blue.|Let's move on to lunch.
        What's wrong with it?|It is not bad.
        安いだけではなく速い。|やっぱり猫はかわいいね。|実は甘党です。|変更はありません。
    """,
    Trait.DECISION: """
        We haven't decided.|I can't decide.|What's going with him?|We did not agree.
        気にします。|楽しみにします。|まだ決まっていません。|決定していません。|よろしくお願いします。
    """,
    Trait.PENDING: "I am sure.|We confirmed it.|決まりました。|確認しました。|Depending on rain.",
    Trait.QUESTION: """
        I asked why.|See https://a.jp/?q=1 now.
        静かな場所です。|いくらかあります。|明日か明後日。|確か
    """,
    Trait.NAME: """
        The meeting is on Monday.|Thanks a lot.|Yes, OK.
        I AM VERY HAPPY.|Great idea.|My TV is old.|what a day
        お母さんは元気。|皆さんこんにちは。|データを送る。
        ユーザーが増えた。|神様にお願い。|お客様のために。
    """,
    Trait.DATE: "You may go.|They march on.|The sun is out.|三日月",
    Trait.NUMBER: "No one came.|十分です。|一緒に行く。|千葉に行く。|1. Buy milk",
    Trait.STATEMENT: "I want to know more.|I have a question.|どうですか？|Green is nice.",
}


def rows(table: dict[Trait, str]) -> list[tuple[Trait, str]]:
    return [
        (trait, text.strip())
        for trait, texts in table.items()
        for line in texts.strip().splitlines()
        for text in line.split("|")
    ]


@pytest.mark.parametrize(("trait", "text"), rows(TRUE), ids=str)
def test_seen(trait: Trait, text: str) -> None:
    assert trait in traits(text)


@pytest.mark.parametrize(("trait", "text"), rows(FALSE), ids=str)
def test_not_seen(trait: Trait, text: str) -> None:
    assert trait not in traits(text)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("会議は10月15日ではなく10月20日です。", "10月15日", "10月20日"),
        ("It's Tuesday, not Monday.", "Monday", "Tuesday"),
        ("not red but blue.", "red", "blue"),
        ("Use Free instead of Pro.", "Pro", "Free"),
        ("I moved from Osaka to Kobe.", "Osaka", "Kobe"),
        ("住所は大阪から神戸に変わりました。", "大阪", "神戸"),
        ("I no longer live in Osaka.", "Osaka", ""),
    ],
)
def test_a_correction_that_names_what_it_takes_back(text: str, old: str, new: str) -> None:
    found = contrasts(text)
    assert any(old in one.old and new in one.new for one in found), found


@pytest.mark.parametrize("text", ["安いだけではなく速い。", "Not only red but blue.", "I like red.", ""])
def test_no_contrast(text: str) -> None:
    assert contrasts(text) == ()


def test_a_contrast_is_made_of_pieces_of_the_sentence() -> None:
    assert contrasts("それはＡ案ではなくＢ案。") == (Contrast("Ａ案", "Ｂ案"),)


@pytest.mark.parametrize(
    "text",
    [
        "Thanks!",
        "OK, got it.",
        "Thank you so much!",
        "了解です。",
        "ありがとうございます！😊",
        "はい、わかりました。",
    ],
)
def test_courtesy(text: str) -> None:
    assert is_pleasantry(text)


@pytest.mark.parametrize(
    "text", ["Thanks, use Pro.", "OK, 5 people.", "はい、8人です。", "了解、会議は金曜です。", ""]
)
def test_more_than_courtesy(text: str) -> None:
    assert not is_pleasantry(text)


def test_an_answer_put_off() -> None:
    assert (
        defers("I'll check and get back to you.") and defers("確認します。") and defers("まだ分かりません。")
    )
    assert not defers("It is Friday.") and not defers("金曜です。")


def test_content_leaves_grammar_aside() -> None:
    assert content("The meeting is on it") == content("a meeting")
    assert "会議" in content("会議はこれです") and "です" not in content("会議はこれです")


@given(st.text(max_size=120))
def test_places_fit_and_reading_never_fails(text: str) -> None:
    for one in findings(text):
        assert 0 <= one.start < one.end <= len(text)
        assert one.value in one.vouched
    contrasts(text)
    is_pleasantry(text)


@pytest.mark.parametrize(
    "unit",
    ["no, ", "A ", "Ab", "ok ", "a", "ない", "ではなく", "まだ", "やっぱ", "moved ", "は", "から", "not "],
)
def test_time_grows_with_the_length_only(unit: str) -> None:
    text = unit * (10_000 // len(unit))
    begun = perf_counter()
    for read in (findings, contrasts, is_pleasantry, defers):
        read(text)
    assert perf_counter() - begun < 4.0
