"""What of a text is embedded: the whole of a short one, a long one in parts, of the longest the beginning."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from seihon.canonical.codec import to_json
from seihon.models.embedder import passage

LONGEST: Final = 1_000
"""Characters of a part: most models read that much of any language, and a longer text says too many things
for one vector."""

MOST: Final = 16
"""Parts of a text; what comes after them is found by its words alone."""

_EARLIEST: Final = LONGEST // 2
_ENDS: Final = ("\n\n", "\n", "。", ". ", "! ", "? ", "！", "？", "、", ", ", " ")


def parts(text: str, speaker: str | None = None) -> tuple[str, ...]:
    """Return what is embedded for a text, at least one part; each names its speaker, if there is one."""
    found: list[str] = []
    start = 0
    while start < len(text) and len(found) < MOST:
        end = _end(text, start)
        if text[start:end].strip() or not found:
            found.append(passage(text[start:end], speaker=speaker))
        start = end
    return tuple(found) or (passage(text, speaker=speaker),)


def digest(inputs: tuple[str, ...]) -> str:
    """Return a fingerprint of what is embedded: equal inputs need no new vectors."""
    return sha256(to_json(inputs).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _end(text: str, start: int) -> int:
    """Return where a part that begins at ``start`` ends: after the last good place to cut."""
    if len(text) - start <= LONGEST:
        return len(text)
    for sign in _ENDS:
        at = text.rfind(sign, start + _EARLIEST, start + LONGEST)
        if at >= 0:
            return at + len(sign)
    return start + LONGEST
