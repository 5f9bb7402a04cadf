"""The starter profile as a Pydantic model; it declares the same as ``starter.yaml``, field by field."""

# ruff: noqa: INP001 - an example stands alone

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict
from pydantic import Field as Described

from seihon import FieldPolicy

USUAL = FieldPolicy("guard_ttl", ttl_turns=50, ttl_seconds=7_776_000)
LOOSE = ["nfkc", "trim", "case"]
WIDTH = ["nfkc", "trim"]


class AppDeveloper(BaseModel):
    """What a support desk for app developers keeps about the person it helps."""

    model_config = ConfigDict(
        title="App developer",
        extra="forbid",
        json_schema_extra={"x-seihon": {"version": 1, "default_policy": USUAL.block}},
    )

    primary_language: Annotated[
        Literal[
            "Swift",
            "Objective-C",
            "Kotlin",
            "Java",
            "Dart",
            "TypeScript",
            "JavaScript",
            "C#",
            "C++",
            "Rust",
            "Go",
            "Python",
        ]
        | None,
        FieldPolicy(
            "guard_ttl",
            ttl_turns=200,
            ttl_seconds=15552000,
            normalise=LOOSE,
            synonyms={
                "Objective-C": ["ObjC"],
                "TypeScript": ["TS"],
                "C#": ["csharp"],
                "C++": ["cpp"],
                "Go": ["golang"],
            },
        ),
        Described(description="The programming language most of the app is written in."),
    ] = None
    target_platform: Annotated[
        Literal["iOS", "iPadOS", "macOS", "watchOS", "visionOS", "Android", "web"] | None,
        FieldPolicy(
            "guard_ttl",
            ttl_turns=200,
            ttl_seconds=15552000,
            normalise=LOOSE,
            synonyms={
                "iOS": ["iPhone", "アイフォーン"],
                "Android": ["アンドロイド"],
                "web": ["ウェブ", "ブラウザ"],
            },
        ),
        Described(description="The platform the app is made for first."),
    ] = None
    billing_plan: Annotated[
        Literal["free", "pro", "ultra"] | None,
        FieldPolicy(
            "guard_ttl",
            ttl_turns=15,
            ttl_seconds=2592000,
            normalise=LOOSE,
            synonyms={
                "free": ["free plan", "無料", "無料プラン"],
                "pro": ["Pro plan", "プロ", "プロプラン"],
                "ultra": ["Ultra plan", "ウルトラ", "ウルトラプラン"],
            },
        ),
        Described(description="The plan the person pays for now."),
    ] = None
    preferred_locale: Annotated[
        Literal["ja", "en", "zh", "ko"] | None,
        FieldPolicy(
            "guard",
            blank_after_seconds=31536000,
            scoped=True,
            normalise=LOOSE,
            synonyms={
                "ja": ["日本語", "Japanese"],
                "en": ["英語", "English"],
                "zh": ["中国語", "Chinese"],
                "ko": ["韓国語", "Korean"],
            },
        ),
        Described(description="The language the person wants answers in."),
    ] = None
    build_tool: Annotated[
        Literal["Xcode", "Gradle", "Bazel", "Flutter", "Tuist", "npm"] | None,
        FieldPolicy(normalise=LOOSE, synonyms={"npm": ["Node"]}),
        Described(description="What builds the app."),
    ] = None
    notify_channel: Annotated[
        Literal["push", "email", "sms", "in_app", "none"] | None,
        FieldPolicy(
            "guard_ttl",
            ttl_turns=15,
            ttl_seconds=2592000,
            scoped=True,
            normalise=LOOSE,
            synonyms={
                "push": ["プッシュ", "プッシュ通知"],
                "email": ["メール", "mail"],
                "sms": ["ショートメッセージ"],
                "in_app": ["アプリ内"],
                "none": ["通知なし", "オフ"],
            },
        ),
        Described(description="How the person wants to be notified."),
    ] = None
    team_size: Annotated[
        int | None, FieldPolicy(), Described(description="How many people work on the app.", ge=1, le=10000)
    ] = None
    ci_provider: Annotated[
        Literal["Xcode Cloud", "GitHub Actions", "Bitrise", "CircleCI", "Codemagic", "GitLab CI", "none"]
        | None,
        FieldPolicy(normalise=LOOSE, synonyms={"none": ["なし"]}),
        Described(description="The service that builds and tests each change."),
    ] = None
    min_os_version: Annotated[
        str | None,
        FieldPolicy("guard_ttl", ttl_turns=200, ttl_seconds=15552000, normalise=WIDTH),
        Described(
            description="The oldest operating system the app supports, such as iOS 26.",
            pattern=r"^(iOS|iPadOS|macOS|watchOS|visionOS|Android) [0-9]{1,2}(\.[0-9]{1,2}){0,2}$",
            max_length=20,
        ),
    ] = None
    analytics_tool: Annotated[
        Literal["App Store Connect", "Google Play Console", "Firebase", "Mixpanel", "Amplitude", "none"]
        | None,
        FieldPolicy(normalise=LOOSE, synonyms={"Firebase": ["Google Analytics"], "none": ["なし"]}),
        Described(description="Where the person looks at usage."),
    ] = None
    paywall_style: Annotated[
        Literal["hard", "soft", "metered", "none"] | None,
        FieldPolicy(
            normalise=LOOSE,
            synonyms={"hard": ["ハード"], "soft": ["ソフト"], "metered": ["従量"], "none": ["なし"]},
        ),
        Described(description="When the app asks for money."),
    ] = None
    review_prompt_timing: Annotated[
        Literal["first_launch", "third_launch", "after_purchase", "after_success", "never"] | None,
        FieldPolicy(
            normalise=LOOSE,
            synonyms={
                "first_launch": ["初回起動"],
                "third_launch": ["3回目起動", "3回目の起動"],
                "after_purchase": ["購入後"],
                "after_success": ["成功後"],
                "never": ["表示しない"],
            },
        ),
        Described(description="When the app asks for a review."),
    ] = None
    asset_pipeline: Annotated[
        Literal["Figma and SwiftGen", "Figma export", "Sketch export", "manual"] | None,
        FieldPolicy(
            normalise=LOOSE,
            synonyms={"Figma and SwiftGen": ["Figma→SwiftGen", "SwiftGen"], "manual": ["手作業"]},
        ),
        Described(description="How images and colours get from design into the app."),
    ] = None
    crash_tool: Annotated[
        Literal["Crashlytics", "Sentry", "Bugsnag", "Xcode Organizer", "none"] | None,
        FieldPolicy(normalise=LOOSE, synonyms={"none": ["なし"]}),
        Described(description="Where crashes are reported."),
    ] = None
    localization_langs: Annotated[
        set[Literal["ja", "en", "zh", "ko", "fr", "de", "es", "pt"]] | None,
        FieldPolicy(
            normalise=LOOSE,
            synonyms={
                "ja": ["日本語"],
                "en": ["英語"],
                "zh": ["中国語"],
                "ko": ["韓国語"],
                "fr": ["フランス語"],
                "de": ["ドイツ語"],
                "es": ["スペイン語"],
                "pt": ["ポルトガル語"],
            },
        ),
        Described(description="The languages the app is translated into."),
    ] = None
    monetization: Annotated[
        Literal["subscription", "one_time", "ads", "freemium", "none"] | None,
        FieldPolicy(
            "belief",
            serve_at=0.5,
            blank_after_seconds=15552000,
            normalise=LOOSE,
            synonyms={
                "subscription": ["サブスク", "サブスクリプション", "定額"],
                "one_time": ["買い切り"],
                "ads": ["広告"],
                "none": ["なし"],
            },
        ),
        Described(description="How the app earns money."),
    ] = None
    test_device: Annotated[
        str | None,
        FieldPolicy(normalise=WIDTH),
        Described(
            description="The device the person tests on, by model, such as iPhone 15.",
            pattern=r"^(iPhone|iPad|Pixel|Galaxy) [A-Za-z0-9][A-Za-z0-9 ()+.-]{0,39}$",
            max_length=60,
        ),
    ] = None
    design_system: Annotated[
        Literal["custom", "Human Interface Guidelines", "Material Design"] | None,
        FieldPolicy(
            "guard_ttl",
            ttl_turns=200,
            ttl_seconds=15552000,
            normalise=LOOSE,
            synonyms={
                "custom": ["独自", "自作"],
                "Human Interface Guidelines": ["HIG"],
                "Material Design": ["Material", "マテリアルデザイン"],
            },
        ),
        Described(description="The design rules the app follows."),
    ] = None
    backend: Annotated[
        Literal[
            "Cloudflare Workers",
            "Firebase",
            "Supabase",
            "AWS",
            "Google Cloud",
            "Azure",
            "self_hosted",
            "none",
        ]
        | None,
        FieldPolicy(
            "guard_ttl",
            ttl_turns=200,
            ttl_seconds=15552000,
            normalise=LOOSE,
            synonyms={
                "AWS": ["Amazon Web Services"],
                "Google Cloud": ["GCP"],
                "self_hosted": ["自前", "自社サーバー"],
                "none": ["なし"],
            },
        ),
        Described(description="Where the server side runs."),
    ] = None
    push_provider: Annotated[
        Literal["APNs", "FCM", "OneSignal", "none"] | None,
        FieldPolicy(
            "guard_ttl",
            ttl_turns=200,
            ttl_seconds=15552000,
            normalise=LOOSE,
            synonyms={
                "APNs": ["Apple Push Notification service"],
                "FCM": ["Firebase Cloud Messaging"],
                "none": ["なし"],
            },
        ),
        Described(description="What delivers push notifications."),
    ] = None
