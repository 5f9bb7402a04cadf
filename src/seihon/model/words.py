"""The words of the nouns: closed sets, each value as it is stored and shown."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Final


class Unset(Enum):
    """The default of an argument that, left out, keeps what is stored; ``None`` then means "none"."""

    KEEP = "keep"


KEEP: Final = Unset.KEEP


class Derive(StrEnum):
    """Who brings the copies up to date after a write.

    ``inline``: the writing call, before it returns. ``background``: a thread of this process.
    ``external``: ``seihon worker`` processes.
    """

    INLINE = "inline"
    BACKGROUND = "background"
    EXTERNAL = "external"


class Locale(StrEnum):
    """The language in which contexts and hits show values: English or Japanese."""

    EN = "en"
    JA = "ja"


class Role(StrEnum):
    """Who speaks in a message."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class Trust(StrEnum):
    """What a message can prove about the person: only ``person`` and ``application`` can confirm."""

    PERSON = "person"
    # No message has it so far; stored and imported messages may, and one that cannot be read is lost.
    APPLICATION = "application"
    UNTRUSTED = "untrusted"


class Confidence(StrEnum):
    """``confirmed``: the person said so. ``inferred``: a model concluded so."""

    CONFIRMED = "confirmed"
    INFERRED = "inferred"


class Source(StrEnum):
    """Where a claim or a note comes from."""

    MESSAGE = "message"
    SETTING = "setting"
    SYSTEM = "system"
    IMPORT = "import"


class FieldStatus(StrEnum):
    """What a read of a field answers. Only ``current`` and ``stale`` carry a value."""

    CURRENT = "current"
    STALE = "stale"
    BLANK = "blank"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    DECLINED = "declined"


class ClaimState(StrEnum):
    """What became of a claim."""

    RECORDED = "recorded"
    CANDIDATE = "candidate"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class NoteState(StrEnum):
    """What became of a note; only ``current`` is ever searched or put into a context."""

    CURRENT = "current"
    CANDIDATE = "candidate"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class TargetKind(StrEnum):
    """What a deletion removes."""

    MESSAGE = "message"
    NOTE = "note"
    FIELD = "field"
    CONVERSATION = "conversation"
    OWNER = "owner"


class HitKind(StrEnum):
    """What a search finds."""

    MESSAGE = "message"
    NOTE = "note"


class StoreState(StrEnum):
    """How far a deletion is in one store, and as a whole."""

    PENDING = "pending"
    FAILED = "failed"
    VERIFIED = "verified"
