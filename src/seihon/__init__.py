"""Seihon: the system of record for what an AI application knows about its users.

from seihon import Memory

with Memory.open("memory.db", schema=MyProfile) as memory:
    memory.append("ann", "support-1", "user", "I'm on the Pro plan now.")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seihon import errors
from seihon.model import KEEP, Confidence, FieldStatus, HitKind, NoteState, Role, Source, StoreState

if TYPE_CHECKING:
    from seihon.aio import AsyncMemory
    from seihon.canonical.signing import verify_receipt
    from seihon.core.schema import ProfileSchema
    from seihon.core.schema_forms import FieldPolicy
    from seihon.derived.outside import Webhook
    from seihon.memory import Derive, Memory, Options
    from seihon.model import Context, FieldState, Hit, Message, Note, OutOfReach, Profile, Receipt

__version__ = "0.1.0"

__all__ = [
    "KEEP",
    "AsyncMemory",
    "Confidence",
    "Context",
    "Derive",
    "FieldPolicy",
    "FieldState",
    "FieldStatus",
    "Hit",
    "HitKind",
    "Memory",
    "Message",
    "Note",
    "NoteState",
    "Options",
    "OutOfReach",
    "Profile",
    "ProfileSchema",
    "Receipt",
    "Role",
    "Source",
    "StoreState",
    "Webhook",
    "errors",
    "verify_receipt",
]

_LAZY = {
    "Webhook": "seihon.derived.outside.webhook",
    "verify_receipt": "seihon.canonical.signing",
    "AsyncMemory": "seihon.aio",
    "Derive": "seihon.memory",
    "Memory": "seihon.memory",
    "Options": "seihon.memory",
    "FieldPolicy": "seihon.core.schema_forms",
    "ProfileSchema": "seihon.core.schema",
}


def __getattr__(name: str) -> Any:
    """Import the heavier names at first use, so that ``import seihon`` stays light."""
    from importlib import import_module

    if name in __all__:
        return getattr(import_module(_LAZY.get(name, "seihon.model")), name)
    raise AttributeError(f"module 'seihon' has no attribute {name!r}")
