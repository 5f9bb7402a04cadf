"""Nouns: what verbs take and give. Frozen, typed, free of any database.

Instants are aware UTC datetimes. ``version`` counts a record's own changes (compare-and-set), ``revision``
the owner's write transactions, ``turn`` the owner's user messages.
"""

from __future__ import annotations

from seihon.model.answers import (
    Context,
    ContextItem,
    ContextOmission,
    Hit,
    Superseded,
    Trace,
)
from seihon.model.certificates import (
    Checked,
    PublicKey,
    Verdict,
)
from seihon.model.originals import (
    BadLine,
    Change,
    Conversation,
    ImportReport,
    Message,
    Note,
    Owner,
)
from seihon.model.outside import (
    OutsideReceipt,
    OutsideState,
)
from seihon.model.profile import (
    Candidate,
    Claim,
    FieldReads,
    FieldState,
    Profile,
    Quote,
    Value,
)
from seihon.model.receipts import (
    OutOfReach,
    Reapplied,
    Receipt,
    StoreReceipt,
)
from seihon.model.records import (
    Page,
    Record,
    instant,
    maybe_instant,
    plain,
    us,
)
from seihon.model.summaries import (
    LineFlagged,
    NeedKept,
    NeedMissing,
    Summarised,
    Summary,
    SummaryEvaluation,
    SummaryLine,
    SummaryReport,
    SummaryState,
)
from seihon.model.words import (
    KEEP,
    ClaimState,
    Confidence,
    Derive,
    FieldStatus,
    HitKind,
    Locale,
    NoteState,
    Role,
    Source,
    StoreState,
    TargetKind,
    Trust,
    Unset,
)

__all__ = [
    "KEEP",
    "BadLine",
    "Candidate",
    "Change",
    "Checked",
    "Claim",
    "ClaimState",
    "Confidence",
    "Context",
    "ContextItem",
    "ContextOmission",
    "Conversation",
    "Derive",
    "FieldReads",
    "FieldState",
    "FieldStatus",
    "Hit",
    "HitKind",
    "ImportReport",
    "LineFlagged",
    "Locale",
    "Message",
    "NeedKept",
    "NeedMissing",
    "Note",
    "NoteState",
    "OutOfReach",
    "OutsideReceipt",
    "OutsideState",
    "Owner",
    "Page",
    "Profile",
    "PublicKey",
    "Quote",
    "Reapplied",
    "Receipt",
    "Record",
    "Role",
    "Source",
    "StoreReceipt",
    "StoreState",
    "Summarised",
    "Summary",
    "SummaryEvaluation",
    "SummaryLine",
    "SummaryReport",
    "SummaryState",
    "Superseded",
    "TargetKind",
    "Trace",
    "Trust",
    "Unset",
    "Value",
    "Verdict",
    "instant",
    "maybe_instant",
    "plain",
    "us",
]
