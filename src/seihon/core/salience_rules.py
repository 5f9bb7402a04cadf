"""The rules by which a sentence is seen to deny, correct, decide, ask or name: English, then Japanese.

All are matched against `seihon.core.quantity_words.flat` text (half-width, ASCII in lower case), but for
those of names, which need capitals. ``unless`` is what only looks like the mark; it is painted over first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from seihon.core.sentences import CJK


@dataclass(frozen=True, slots=True)
class Rule:
    """What shows a mark, and what only looks like it."""

    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None = None


def _either(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts))


def _en(words: str) -> str:
    """English alternatives as words of their own."""
    return rf"(?<![a-z0-9'])(?:{words})(?![a-z0-9])"


_NEGATION: Final = Rule(
    _either(
        _en(
            "not|never|cannot|no longer|without|neither|nor|nobody|nothing|none|nowhere|hardly|barely|unable"
        ),
        r"(?<=[a-z])n't(?![a-z])",
        _en("no|dont|doesnt|didnt|cant|wont|isnt|arent"),
        _en(
            "refus(?:e|es|ed|ing)|avoid(?:s|ed|ing)?|forbid(?:s|den)?|prohibit(?:s|ed)?|banned"
            "|disallow(?:s|ed)?"
        ),
        _en(
            "except(?! that's)|unless|excluding|stopped|quit|allergic|intoleran(?:t|ce)|allerg(?:y|ies)"
            "|rather than"
        ),
        r"(?<!だけ)(?:では|じゃ|で)な(?:い|く|かった)",
        r"ない(?!か(?:な|[?。]|$))|ません(?!か)|なかった|なく(?:て|な(?:る|り|っ)|、)|ないで",
        r"(?:せ|[かがさたなばまらわけげてでねべめれきぎしじちにびみり](?<![わは]ず))ず(?:に|、|。|[!?]|$)",
        r"不可|禁止|厳禁|不要|無理|無効|未(?:完了|対応|払い?|設定|使用)|非(?:対応|公開|表示)|お断り"
        r"|だめ|ダメ|駄目",
        r"嫌い|苦手|避け|除(?:く|き|いて|外)|以外|拒否|反対|アレルギー|かねま|かねる|控え"
        r"|(?<![a-z])ng(?![a-z])",
        r"(?:や|辞|止)め(?:て|た|る|ま)|(?<![は話こ])なし(?![たてとい])|無し",
    ),
    _either(
        _en("no (?:problem|worries|doubts?|rush|wonder|matter)|not only|not just|why not|whether or not"),
        r"^\s*(?:no|nope|nah)\s*[,.!;-]+",
        _en("(?:if|is|are|was|were) not mistaken|can't wait|couldn't agree more|not to mention|no\\. ?\\d+"),
        r"(?:why|how come) (?:don't|doesn't|not)",
        r"(?<![a-z])(?:is|are|was|were|do|does|did|have|has|wo|would|ca|could|should)n't "
        r"(?:it|you|we|they|he|she|i|there|that|this)(?![a-z])(?=[^.!]*\?)",
        r"かもしれ(?:ない|ません)|に違いない|間違い(?:ない|ありません|なく)|問題(?:は)?(?:ない"
        r"|ありません|なし)",
        r"(?:なければ|なくては|ないと)(?:なら|いけ|だめ|ダメ)(?:ない|ません)?|なきゃ(?:いけない|ならない)?",
        r"すみません|すいません|まもなく|間もなく|なんとなく|少なく(?:とも|て)?|少ない|危ない|切ない"
        r"|もったいない",
        r"つまらない|くだらない|とんでもない|だけ(?:で(?:は)?|じゃ)なく|限らず|ないし(?=[一-龯ァ-ヺ])"
        r"|おかない",
        r"(?:じゃ|では)(?:ない(?:です)?か|ありませんか)|ませんか|ないでしょうか|仕方(?:が)?ない"
        r"|しょうがない",
        r"必ず|まず(?:は)?|先ず|はず|思わず|いわず|相変わらず|とりあえず|おもわず|いらっしゃい",
    ),
)

_CORRECTION: Final = Rule(
    _either(
        r"^\s*(?:oh,? )?(?:(?:no|nope|wait|oops|sorry|hmm|ah)[,.!;: -]+)+(?:no,? |wait,? )?"
        r"(?:i mea?nt?|actually|it's|it is|that's|make (?:it|that)|not |it should|i said|the |my "
        r"|change|let's)",
        _en("i meant|i misspoke|scratch that|let me correct|to correct|correction|typo|on second thoughts?"),
        r"^\s*(?:well,? |and |but )?actually[, ]+(?:it|i|i'm|i've|i'd|make|let's|no|not|the|we|we're|my"
        r"|that|change|can)",
        r",\s*actually\s*[.!]?$",
        _en("changed? (?:my|our) minds?|instead(?: of)?|rather than|no longer|not anymore|any ?more"),
        _en(
            "(?:was|were|is|are|that's|i'm) (?:wrong|mistaken|incorrect|outdated|out of date)"
            "|supersedes|replaces"
        ),
        r"(?<![a-z])should (?:be|have been|have said|read) (?=\d|[$€£]|on |at |called |named "
        r"|spelled |[a-z]+day|two|three|four|five|ten)",
        r"(?<![a-z])(?:(?:changed|switched|moved|updated|rescheduled|postponed|renamed|upgraded|downgraded)"
        r"|(?:(?<=please )|(?<=let's )|(?<=you )|(?<=we )|(?<=i )|(?<=to )|(?<=i'll )|(?<=we'll )|^)"
        r"(?:change|switch|move|update|reschedule|postpone|rename|upgrade|downgrade))"
        r"(?![a-z])[^.!?]{0,60}(?<![a-z])(?:to|from|until|by)(?![a-z])",
        r"(?<=\w), not (?!only|just|sure|to mention|really|bad|yet|at all|that )(?=\w)|, but not (?=\w)",
        r"(?<![a-z])(?:is|are|was|it's|that's|am)(?: not|n't) [^.,;!?]{1,50}(?:,| but| -) ?(?:but|it's"
        r"|it is)(?![a-z])",
        r"(?:では|じゃ)なくて?|でなく(?!て)|訂正|修正(?:します|です|:|しました)|撤回|取り消|取消|言い直"
        r"|正しくは",
        r"やっぱり?(?=[^。]{0,60}(?:に(?:し|変|する)|で(?:お願|いい|す)|やめ|の方|のほう|がいい|なし"
        r"|キャンセル))",
        r"やはり(?=[^。]{0,60}(?:に(?:し|変更)|で(?:お願|す)|やめ))|間違え(?:ました|た|てた|ていま)"
        r"|間違い(?:でした|です)",
        r"違いました|違います[。、]|^\s*(?:いや|いえ|いいえ|違う|ちがう|あ、?いや)、",
        r"変更(?:し|で|に|を|と|です|になり)|変わりました|変わった|改めます|に直して"
        r"|ではありません(?:でした)?。?$",
    ),
    _either(
        r"だけ(?:では|じゃ|で)なくて?|のみ(?:では|でも?)なく|ばかり(?:では|で)なく",
        _en(
            "for a change|change (?:is|of pace)|moved by|used to (?:it|this|that|the)"
            "|get(?:ting)? used to|is used to"
        ),
        _en("move on to|not any ?more than|nothing wrong|what(?:'s| is) wrong|something(?:'s| is) wrong"),
        r"変更(?:は)?(?:なし|ありません|ない|できますか)",
    ),
)

_DECISION: Final = Rule(
    _either(
        _en("let'?s (?:go with|use|take|pick|choose|make it|stick (?:with|to)|set|book|do|meet|settle on)"),
        _en(
            "(?:i|we)(?:'ve|'d| have| had)? (?:decided|chose|chosen|agreed|settled|picked|opted|booked"
            "|signed)"
        ),
        _en(
            "decided (?:on|to|that)|(?:it's|it is|is|was|been) (?:decided|agreed|approved|settled"
            "|confirmed|booked)"
        ),
        _en(
            "go(?:ing)? with|went with|settled on|agreed (?:on|to|that)|opted for|final decision|finali[sz]ed"
        ),
        _en("(?:i'll|we'll|i will|we will|i'd like to) (?:take|go with|use|choose|have the|stick with|book)"),
        r"に(?:決め(?:た|ました|ます|よう|て)|決ま(?:った|りました|りです)|しましょう|しよう)",
        r"に(?:します|する(?:ね|よ|。|ことに|$)|することに)|ことに(?:し(?:た|ました|ます)|なりました)",
        r"で(?:お願い(?:し|致|いた|でき)|いきましょう|行きましょう|いきます|行きます|決まり|決定|確定"
        r"|進め)",
        r"決定(?:し|で|です|事項|と|。|$)|確定(?:し|で|です|。|$)|採用(?:し|する|で|を)|承認(?:し|され"
        r"|を得)|合意",
        r"予約(?:し(?:ました|た)|済|を?取)|を選(?:び|ん)|決めました|決めた(?!い)|決まりました",
    ),
    _either(
        _en("(?:have|has|had)(?:n't| not)(?: yet)? (?:been )?(?:decided|agreed|settled|chosen|booked)"),
        _en(
            "(?:not|never|isn't|wasn't)(?: yet| been)? (?:decided|agreed|settled|approved|confirmed)"
            "|can't decide"
        ),
        _en(
            "(?:not|n't) go(?:ing)? with|what'?s going (?:on )?with|going with (?:him|her|them|me|us"
            "|you|my|friends)"
        ),
        r"(?:気|大切|大事|楽しみ|参考|目|耳|口|手|頼り|お世話|ばか|馬鹿)に(?:し|する)",
        r"(?:決定|確定|承認|決まって|決めて)(?:は|も)?(?:して|され)?(?:ない|ません|いない|いません|前)"
        r"|未(?:決定|確定)",
    ),
)

_PENDING: Final = Rule(
    _either(
        _en(
            "tbd|tbc|to be (?:decided|determined|confirmed|announced|discussed)|undecided|pending"
            "|open question"
        ),
        _en(
            "(?:haven't|hasn't|have not|has not|not)(?: yet)?(?: been)? (?:decided|confirmed|settled"
            "|finali[sz]ed|chosen)"
        ),
        _en(
            "still (?:deciding|unclear|open|unknown|undecided|(?:have|need) to (?:check|decide|confirm"
            "|choose|find))"
        ),
        _en(
            "(?:need|needs|have|has) to (?:check|confirm|verify|find out|decide|ask)|waiting (?:for|on)"
            "|not sure(?: yet)?"
        ),
        _en("can't decide|don't know (?:yet|which|when|whether|if|who|what|how)"),
        r"未定|未決|未確定|未確認|要確認|要検討|検討中|確認中|確認待ち|保留|調整中|相談中|迷っ",
        r"まだ[^。]{0,20}(?:決ま|決め|わから|分から|確認でき|返事|届い)(?:って|て)?(?:い?ない|い?ません"
        r"|ない|ません|が来)",
        r"(?:確認|検討|相談|決定)(?:が|する)?(?:必要|待ち)|確認しておきます|確認してみます|後で決め",
    )
)

_STATEMENT: Final = Rule(
    _either(
        _en(
            "my (?:[a-z]+(?:'s)? ){0,4}(?:is|are|was|has|lives|works|name)|mine is|call me"
            "|our (?:[a-z]+ ){1,3}(?:is|are)"
        ),
        _en(
            "(?:i|we) (?:live|work|prefer|like|love|hate|use|need|want|own|have|eat|drink|speak|study"
            "|drive|moved|"
            "always|usually|grew up|was born|come from|run|play|teach|manage|read|enjoy|keep|pay|only)"
        ),
        _en("i'm (?:a|an|the|from|in|allergic|vegetarian|vegan|based|using|on|married|learning|training)"),
        _en("i am (?:a|an|the|from|in|allergic|vegetarian|vegan|based|using|on|married|learning|training)"),
        r"(?:私|僕|俺|わたし|うち|弊社|当社)(?:は|の|が|も|たち)|名前は|と申します|といいます|と言います",
        r"住ん(?:で|だ)|勤め|働い(?:て|た)|飼って|通って|生まれ|出身|好き|趣味|使って(?:い|ま|る)|愛用"
        r"|希望|ほしい|欲しい",
        r"^[^。]{1,20}は[^。?]{1,40}(?:です|だ|ます|である)。?$",
    ),
    _either(
        _en("i (?:want|need|like|have) to (?:know|ask|see)|i have (?:a|one|another) question"),
        r"好きに|どう(?:です|します)",
    ),
)

RULES: Final[Mapping[str, Rule]] = {
    "negation": _NEGATION,
    "correction": _CORRECTION,
    "decision": _DECISION,
    "pending": _PENDING,
    "statement": _STATEMENT,
}
"""The rule of each mark that words alone show, by the name of its trait."""

ASKS: Final = re.compile(
    r"\?[\s!?」』\")\]*~\U0001f000-\U0001faff\u2600-\u27bf\ufe0f]*$"
    r"|(?:です|ます|でしょう|ません|ました|だろう|の|くれる|ない|いい|る|た)か[。.\s]*$"
)
"""The end of a question; Japanese asks without a sign as well."""

NOT_ONLY: Final = re.compile(
    r"だけ(?:では|じゃ|で)なくて?|のみ(?:では|で)なく|not (?:only|just|sure|really|bad|yet)"
)

_OLD: Final = r"(?P<old>[^、。,.;!?\s\0][^、。,.;!?\0]{0,40}?)"
_NEW: Final = r"(?P<new>[^、。,.;!?\s\0][^、。,.;!?\0]{0,60})"
_EN_OLD: Final = r"(?P<old>[a-z0-9$€£¥%][^、。,;!?\0]{0,50}?)"
_EN_NEW: Final = r"(?P<new>[a-z0-9$€£¥%][^、。,;!?\0]{0,60}?)"
_STOP: Final = r"(?=[.,;!?]|$)"
OLD_TOPIC: Final = re.compile(r".*[はがを](?=.)")
"""What stands before the thing itself in a Japanese phrase."""

CONTRASTS: Final = (
    re.compile(rf"(?:^|[、。,\s]|(?<=は)|(?<=を)|(?<=が)){_OLD}(?:では|じゃ)なくて?、?{_NEW}"),
    re.compile(
        rf"(?:^|[、。,\s]|(?<=は)|(?<=を)|(?<=が)){_OLD}から{_NEW}(?:に|へ)(?:変更|変え|変わ|切り替|移"
        rf"|引っ越)"
    ),
    re.compile(
        rf"(?:^|[、。,\s]|(?<=は)|(?<=を)|(?<=が)){_OLD}(?:は間違い|というのは間違い|は取り消|は撤回"
        rf"|はキャンセル)"
    ),
    re.compile(rf"(?<![a-z])not {_EN_OLD},? but (?!also){_EN_NEW}{_STOP}"),
    re.compile(rf"(?P<new>[a-z0-9$€£¥%][^、。,;!?\0]{{0,60}}), (?:and )?not {_EN_OLD}{_STOP}"),
    re.compile(rf"(?P<new>[a-z0-9$€£¥%][^、。,;!?\0]{{0,60}}) (?:instead of|rather than) {_EN_OLD}{_STOP}"),
    re.compile(
        rf"(?<![a-z])(?:changed?|switch(?:ed)?|moved?|updated?"
        rf"|rescheduled?)[^.!?]{{0,40}}? from {_EN_OLD} to {_EN_NEW}{_STOP}"
    ),
    re.compile(
        rf"(?<![a-z])(?:no longer|not) (?:in |on |at |the )?{_EN_OLD}(?: any ?more)?, (?:it's|i'm|it is"
        rf"|but) {_EN_NEW}{_STOP}"
    ),
    re.compile(rf"(?<![a-z])no longer (?:live |work |use |in |on |at |the |be ){{0,3}}{_EN_OLD}{_STOP}"),
)
"""Corrections that name what they take back."""

PLEASANTRY: Final = re.compile(
    r"[\s!.,、。~♪☆()笑w\U0001f000-\U0001faff\u2600-\u27bf\ufe0f]*(?:(?:oh|ah|wow|hey|hi|hello|ok|okay"
    r"|yes|yeah|yep|no|sure|"
    r"great|cool|nice|perfect|awesome|fine|good|right|alright|thanks?|thank you|so much|a lot|very much"
    r"|again|sounds "
    r"(?:good|great)|got it|i see|understood|you're welcome|no problem|no worries|see you"
    r"|good (?:morning|night|evening)|bye|"
    r"for (?:the|your) (?:help|info|information)|how are you(?: today| doing)?|how's it going|you too"
    r"|that's (?:great|good|all|it)|"
    r"how can i help(?: you)?(?: today)?|anything else|have a (?:good|great|nice) (?:day|one|weekend)"
    r"|glad to help|let me know|"
    r"はい|ええ|うん|いいえ|了解(?:です|しました|いたしました)?|承知(?:しました|いたしました|です)?"
    r"|わかりました|分かりました|"
    r"ありがとう(?:ございます|ございました)?|どうも|助かり(?:ます|ました)|よろしく(?:お願い(?:します"
    r"|いたします|致します))?|"
    r"お願いします|おはよう(?:ございます)?|こんにちは|こんばんは|お疲れ様(?:です|でした)?|なるほど"
    r"|そうですか?|そうですね|"
    r"いいですね|すみません|失礼します|元気ですか|お元気ですか|どういたしまして|他に何か(?:ありますか"
    r"|ございますか)|では|また|ね|よ)"
    r"[\s!?.,、。~♪☆…]*){1,6}[\s!?.,、。~♪☆()笑w\U0001f000-\U0001faff\u2600-\u27bf\ufe0f]*"
)
"""A whole sentence of courtesy."""

DEFERRAL: Final = re.compile(
    _en(
        "i'?ll (?:check|look|find out|ask|confirm|get back|let you know|think)|let me (?:check|look"
        "|think|see|ask|confirm|get back)|"
        "i(?:'m| am) not sure|not sure(?: yet)?|i don'?t know|no idea|get back to you|i(?:'d"
        "| would)? (?:need|have) to (?:check|ask|think)|later"
    )
    + r"|確認(?:します|して(?:おき|み)|いたします|中)|調べ(?:ます|て(?:おき|み))|わかりません"
    r"|分かりません|わからない|分からない|"
    r"未定|後で|のちほど|後ほど|追って|検討(?:します|中)|考え(?:ます|て(?:おき|み))|折り返し|保留"
)
"""An answer put off."""

GRAMMAR: Final = re.compile(r"[\u3041-\u309f]|^[\u30a1-\u30fc年月日時分秒円人名個回第的様方]$")
"""A Japanese gram that tells no subject: with hiragana in it, or one letter that counts."""

_ORDINARY: Final = """
    user users assistant customer client person people speaker agent system bot team company model ai ok okay
    tv pc id faq am pm url api etc usa ceo cto hr it dm yes yeah yep no nope hi hello hey thanks thank please
    sorry great good nice cool awesome perfect sure well actually also however maybe perhaps instead today
    tomorrow yesterday tonight monday tuesday wednesday thursday friday saturday sunday january february march
    april june july august september october november december wow oh ah hmm oops sounds got lets glad happy
    lunch dinner breakfast party trip flight hotel venue room project event class office order item
    filler dear note question answer summary meeting plan price budget deadline decision correction date
    time day
    ユーザー ユーザ アシスタント メッセージ データ システム サービス サポート メール プラン ページ ファイル
    アレルギー キャンセル オンライン コーヒー テスト スケジュール ミーティング リスト チーム ダメ パソコン
    アプリ ランチ ホテル レストラン カード ポイント パーセント ドル ユーロ キロ グラム ヶ月 カ月 ヵ月 カ所
    ケ月 メートル リットル カロリー ギガ メモ コメント お客様 皆様 皆さん お母さん お父さん お姉さん お兄さん
    母 父 姉 兄 客 子 奥 嬢 皆 神 王 みな お子さん 奥さん 奥様 お嬢さん 神様 王様 先生 課長 部長 社長 様 さん
"""
NOT_NAMES: Final = frozenset(_ORDINARY.split())
"""Words with a capital, in katakana or with an honorific that name nobody."""

ACTS: Final = re.compile(
    r"(?:['’]s)?\s+(?:is|was|will|has|had|said|says|asked|asks|wants|wanted|likes|liked|lives|lived"
    r"|works|worked|"
    r"told|agreed|agrees|decided|prefers|preferred|needs|needed|suggested|proposed|approved|confirmed"
    r"|called|"
    r"joined|joins|left|leads|owns|and [A-Z]|can|cannot|does|did|thinks|mentioned|recommended|became"
    r"|invited)\b"
    r"|['’]s\s+(?!go\b|a\b|the\b)[a-z]"
)
"""What follows a name at the beginning of a sentence."""

_SURNAMES: Final = (
    "佐藤|鈴木|高橋|田中|伊藤|渡辺|渡邊|山本|中村|小林|加藤|吉田|山田|佐々木|山口|松本|井上|木村|斎藤"
    "|齋藤|清水|山崎|阿部|"
    "池田|橋本|山下|石川|中島|前田|藤田|後藤|小川|岡田|村上|長谷川|近藤|石井|坂本|遠藤|藤井|青木|福田"
    "|三浦|西村|藤原|"
    "太田|松田|原田|岡本|中野|中川|小野|田村|竹内|金子|和田|中山|石田|上田|森田|柴田|酒井|宮崎|横山"
    "|宮本|内田|高木|安藤"
)
_PLACES: Final = (
    "北海道|青森|岩手|宮城|秋田|山形|福島|茨城|栃木|群馬|埼玉|千葉|東京|神奈川|新潟|富山|石川県|福井"
    "|山梨|長野|岐阜|静岡|"
    "愛知|三重|滋賀|京都|大阪|兵庫|奈良|和歌山|鳥取|島根|岡山|広島|山口県|徳島|香川|愛媛|高知|福岡|佐賀"
    "|長崎|熊本|大分県|"
    "宮崎県|鹿児島|沖縄|札幌|仙台|横浜|川崎|名古屋|神戸|金沢|渋谷|新宿|池袋|品川|梅田|博多"
)
_HAN: Final = r"[\u3005\u4e00-\u9fff]"
_NAMED: Final = rf"(?:{_HAN}{{1,4}}|[\u30a1-\u30fa\u30fc・]{{2,12}}|[\u3041-\u3096]{{2,4}})"
JAPANESE_NAME: Final = re.compile(
    rf"(?P<titled>(?:{_HAN}{{1,4}}|[\u30a1-\u30fa\u30fc・]{{1,12}}|(?<![{CJK}])[\u3041-\u3096]{{2,4}}))"
    r"(?=(?:さん|様|氏|君|くん|ちゃん|先生|部長|課長|社長|主任|店長|教授|先輩)(?![\u4e00-\u9fff]))"
    rf"|(?:名前は|(?:友人|友達|妻|夫|息子|娘|同僚|上司|部下|弟|妹|兄|姉|彼女|愛犬"
    rf"|愛猫)の(?!名前))(?P<introduced>{_NAMED})(?=[はがをにとでもの、。]|です|だ|と)"
    rf"|(?P<place>(?<!{_HAN}){_HAN}{{1,4}}(?:県|市|区|町|村|駅|大学|病院|高校)(?!{_HAN}))"
    rf"|(?P<known>(?:{_SURNAMES}|{_PLACES}){_HAN}{{0,2}}(?:県|都|府|市)?)"
    r"|(?P<katakana>(?<![\u30a1-\u30fc])[\u30a1-\u30fa][\u30a1-\u30fc・]{2,20})"
)
"""Names in Japanese text: with an honorific or a title, introduced, of a place, well known, in katakana."""
