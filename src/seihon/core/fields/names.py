"""A closed list of names with synonyms: shared by the types whose values have names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from seihon.core.fields.contract import Synonyms
from seihon.core.fields.normal import LOOSE, Normal
from seihon.core.fields.shape import Shape, a_list, a_text, an_object, wrong

MOST_NAMES = 500
LONGEST = 200


def name_list(shape: Shape, normal: Normal, place: str) -> tuple[str, ...]:
    """Return the ``enum`` of a property: texts that stay apart under ``normal``."""
    place = f"{place}/enum"
    names = tuple(a_text(name, place) for name in a_list(shape.get("enum"), place))
    if not 1 <= len(names) <= MOST_NAMES or any(len(name) > LONGEST for name in names):
        raise wrong(place, f"must list 1 to {MOST_NAMES} values of at most {LONGEST} characters.")
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(normal.text(name), name)
        if other is not name or names.count(name) > 1:
            raise wrong(place, f'"{name}" and "{other}" are the same value under the declared normalisation.')
    return names


def synonym_map(block: object, names: Iterable[str] | None, normal: Normal, place: str) -> Synonyms:
    """Return checked synonyms: each belongs to one value (of ``names``, if closed) and says something new."""
    found: dict[str, tuple[str, ...]] = {}
    allowed = None if names is None else tuple(names)
    owners = {normal.text(name): name for name in allowed or ()}
    for name, listed in an_object(block, place).items():
        if allowed is not None and name not in allowed:
            raise wrong(place, f'"{name}" is not one of the values: {", ".join(allowed)}.')
        owners.setdefault(normal.text(name), name)
        here = f"{place}/{name}"
        found[name] = tuple(a_text(synonym, here) for synonym in a_list(listed, here))
        if not found[name]:
            raise wrong(here, "must list at least one synonym.")
    _claim_all(found, owners, normal, place)
    return found


def lookup(names: Iterable[str], synonyms: Synonyms, normal: Normal) -> dict[str, str]:
    """Return every accepted spelling, normalised, with the value it means."""
    table = {normal.text(name): name for name in names}
    for name, listed in synonyms.items():
        table.setdefault(normal.text(name), name)
        table.update((normal.text(synonym), name) for synonym in listed)
    return table


def nearest(raw: str, names: Iterable[str], synonyms: Synonyms) -> str | None:
    """Return the value that a near miss most likely means, from the schema's own words."""
    from difflib import get_close_matches  # only on the way to an error

    if len(raw) > LONGEST:
        return None
    table = lookup(names, synonyms, LOOSE)
    matches = get_close_matches(LOOSE.text(raw), list(table), n=1, cutoff=0.6)
    return table[matches[0]] if matches else None


def listing(names: Sequence[str]) -> str:
    """Return "one of a, b, c", shortened where there are very many."""
    shown = ", ".join(names[:20])
    more = len(names) - 20
    return f"one of {shown}" if more <= 0 else f"one of {shown} and {more} more"


def _claim_all(found: Synonyms, owners: dict[str, str], normal: Normal, place: str) -> None:
    for name, listed in found.items():
        for synonym in listed:
            other = owners.get(normal.text(synonym))
            if other is not None and other != name:
                raise wrong(f"{place}/{name}", f'"{synonym}" already means "{other}".')
            if other == name:
                raise wrong(f"{place}/{name}", f'"{synonym}" is there already, as the value or as a synonym.')
            owners[normal.text(synonym)] = name
