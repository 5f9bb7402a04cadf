"""The page of a receipt in Japanese."""

from __future__ import annotations

import re
from typing import Final

from seihon.core.receipt_words.contract import Words

WORDS: Final = Words(
    title="削除証明書",
    colon="：",
    comma="、",
    stop="。",
    aside="（{}）",
    sections=(
        "1. 対象者",
        "2. 削除したもの",
        "3. 日時と依頼者",
        "4. 保管場所ごとの結果",
        "5. 削除が及ぶ範囲",
        "6. 通知した外部システム",
        "7. 削除が及ばない場所",
        "8. 署名と確認方法",
    ),
    names={
        "result": "結果",
        "tenant": "アプリケーション",
        "owner": "対象者",
        "key": "記録",
        "counts": "削除数",
        "ids": "識別子",
        "opened_at": "削除",
        "verified_at": "確認完了",
        "as_of": "現在の状態",
        "actor": "依頼者",
        "reason": "理由",
        "fingerprint": "鍵",
        "digest": "要約値",
    },
    results={
        "verified": (
            "削除済み・確認済み。4に挙げたすべての場所を空にし、読み直して、何も残っていないことを確か"
            "めました。"
        ),
        "open": (
            "未完了。記録はすでに誰にも表示されませんが、4に挙げた場所のうち、まだ空になっていないもの"
            "があります。この書面は削除の証明になりません。あらためて発行を求めてください。"
        ),
        "outside": "6に挙げた外部システムのうち、削除したとの返答がまだないものがあります。",
    },
    kinds={
        "message": "メッセージと、そのメッセージだけから得られた情報。",
        "note": "アプリケーションが対象者について残していたメモ。",
        "field": (
            "プロフィールの一項目の値と、その時点までの、その項目に関するすべての発言の記録。その値を述"
            "べたメッセージは、この削除に含まれません。"
        ),
        "conversation": "一つの会話の全体と、その会話だけから得られた情報。",
        "owner": "この対象者について保存されていたすべて。",
    },
    counted={
        "messages": (
            "メッセージ {}件",
            "メッセージ {}件",
        ),
        "notes": (
            "メモ {}件",
            "メモ {}件",
        ),
        "claims": (
            "発言の記録 {}件",
            "発言の記録 {}件",
        ),
        "conversations": (
            "会話 {}件",
            "会話 {}件",
        ),
    },
    places={
        "original": "原本の記録",
        "fulltext": "検索用の索引",
        "vectors": "意味による検索用の索引（ベクトル）",
        "summaries": "要約",
        "cache": "一時保存された回答（キャッシュ）",
        "cache_server": "キャッシュサーバーに一時保存された回答",
        "traces": "モデルに渡した内容の記録",
        "idempotency": "再送に備えて保存した応答",
        "outbox": "作業の予定表",
        "files": "ディスク上のデータベースファイル",
    },
    other_place="その他の複製（{}）",
    states={
        "verified": "空にし、読み直して、残りなし",
        "pending": "未実施",
        "failed": "未実施（再試行します）",
    },
    removed=(
        "{}件を除去",
        "{}件を除去",
    ),
    attempts=(
        "試行 {}回",
        "試行 {}回",
    ),
    levels={
        "secure_delete": (
            "水準 secure_delete（SQLite）：記録が占めていた領域をゼロで上書きし、データベースのログを空"
            "にしました。データベースのファイルには、1バイトも残っていません。"
        ),
        "standard": (
            "水準 standard（PostgreSQL）：データベースに問い合わせるどのプログラムからも、記録は読めま"
            "せん。サーバーがその領域を再び使うまで、ファイルの未使用部分とログに古いバイトが残ることが"
            "あります。運用担当者が除去できます（seihon purge --strict）。"
        ),
        "strict": (
            "水準 strict（PostgreSQL）：表を書き直し、サーバーのログを入れ替えました。サーバーのファイ"
            "ルには、1バイトも残っていません。"
        ),
    },
    other_level="水準 {}。",
    outside={
        "intro": (
            "以下は他者が運用するシステムです。Seihon は削除を通知しましたが、内部を確かめることはでき"
            "ません。「削除した」とは、相手の返答です。"
        ),
        "none": "設定されていません。",
        "pending": "未通知",
        "failed": "通知できていません（再試行します）",
        "sent": "通知は届きましたが、削除したとの返答がありません",
        "acknowledged": "削除したとの返答がありました",
    },
    sentences={
        "person": "アプリケーションが使う対象者の名前",
        "deleted": "この時から誰にも表示されません",
        "verified": "最後の場所が空であることを確認",
        "no_words": "この書面には名前・件数・日時だけがあり、削除した内容の文言は一切ありません。",
        "utc": "時刻はすべて協定世界時（UTC）です。日本時間はこれより9時間進んでいます。",
        "more": "ほか{}件（署名した記録にすべてあります）",
        "no_places": (
            "削除の時点で挙げられた場所はありません。バックアップ、複製サーバー、モデル提供者のログ、ア"
            "プリケーション自身のログには、Seihon の削除は及びません。"
        ),
        "out_of_reach": (
            "以下の場所は Seihon の管理外です。ここに示す期間、削除したものが残っていることがあります。"
        ),
        "signed": (
            "この書面は、下記の鍵で署名した記録（Ed25519）を書き写したものです。記録そのものは小さなフ"
            "ァイルで、署名はそのファイルに対するものであり、この書面に対するものではありません。"
        ),
        "check": (
            "確かめるには、アプリケーションの運用者に、署名した記録（{file}）と公開鍵を求めてください。"
            "鍵の番号を電話など別の手段で読み上げてもらい、上の番号と比べます。その後、次を実行します。"
        ),
        "means": (
            "「valid」と上の要約値が返れば、記録は署名したときのまま、一字も変わっていません。最後に、"
            "その記録とこの書面を見比べてください。"
        ),
    },
    steps=(
        (
            re.compile(
                r"Freed space in the database file was overwritten with zeros, inside its pages too\."
            ),
            "データベースファイルの空き領域を、ページの内部も含めてゼロで上書きしました。",
        ),
        (
            re.compile(r"The database file was rewritten without its freed space\."),
            "データベースファイルを、空き領域を除いて書き直しました。",
        ),
        (
            re.compile(r"The write-ahead log was checkpointed and truncated to nothing\."),
            "先行書き込みログを本体に反映し、空にしました。",
        ),
        (
            re.compile(r"VACUUM gave the space of deleted rows back in (\d+) tables\."),
            "VACUUM により、\\1個の表で削除した行の領域を解放しました。",
        ),
        (
            re.compile(r"This role may not VACUUM; the server does it by itself in its own time\."),
            "この接続には VACUUM の権限がありません。サーバーが自らの時機に行います。",
        ),
        (
            re.compile(r"Old versions of deleted rows may lie in free space of tables and indexes .*"),
            (
                "削除した行の古い版が、表と索引の空き領域には再利用されるまで、先行書き込みログにはその"
                "ファイルが再利用されるか保管期間が終わるまで、残っていることがあります。`seihon purge "
                "--strict` でこのサーバーから除去できます。"
            ),
        ),
    ),
    retention="{name}：{retention}保存",
    retention_until="{name}：{retention}保存（遅くとも{until}まで）",
)
