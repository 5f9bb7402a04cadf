"""The arithmetic of ``belief``: a forward filter over (change rate × value), in place, in closed form.

``weights`` is one row of ``slots + 1`` numbers for each change rate: the joint probability of that rate with
each value seen so far, and, last, with all values not seen yet together. There are ``unseen`` of those, and
since nothing tells them apart they share their mass equally; so a closed set of fifty values costs no more
than the few that were ever mentioned, and the result is the same as with fifty columns.

Plain functions on numbers and indexable sequences: they run as they are, and compiled.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

RULED_OUT = 1e-200
"""Below this a probability says nothing any more: what is divided by it has lost its digits."""


def spread(
    weights: MutableSequence[float], rates: Sequence[float], slots: int, unseen: int, steps: float
) -> None:
    """Let ``steps`` turns pass. In each, a value changes with the row's rate into any other, evenly.

    With n values, one step multiplies the distance from the even distribution by 1 - rate·n/(n - 1), so any
    number of steps is one power. Rates are at most one half, which keeps that factor at 0 or above.
    """
    values = slots + unseen
    if values < 2 or steps <= 0.0:
        return
    for row in range(len(rates)):
        first = row * (slots + 1)
        stays = (1.0 - rates[row] * values / (values - 1)) ** steps
        total = 0.0
        for i in range(first, first + slots + 1):
            total += weights[i]
        share = total * (1.0 - stays) / values
        for i in range(first, first + slots):
            weights[i] = weights[i] * stays + share
        weights[first + slots] = weights[first + slots] * stays + share * unseen


def weigh(
    weights: MutableSequence[float], rates: Sequence[float], slots: int, unseen: int, slot: int, noise: float
) -> float:
    """Take in a claim for ``slot`` that is wrong with probability ``noise``, evenly among other values.

    Returns the probability that the claim had before; at 0 the weights are left as they were.
    """
    values = slots + unseen
    other = noise / (values - 1) if values > 1 else 0.0
    total = 0.0
    for row in range(len(rates)):
        first = row * (slots + 1)
        for i in range(slots + 1):
            total += weights[first + i] * ((1.0 - noise) if i == slot else other)
    if total <= 0.0:
        return 0.0
    for row in range(len(rates)):
        first = row * (slots + 1)
        for i in range(slots + 1):
            weights[first + i] *= ((1.0 - noise) if i == slot else other) / total
    return total


def settle(
    weights: MutableSequence[float], rates: Sequence[float], slots: int, unseen: int, slot: int, noise: float
) -> None:
    """Take in the person's word for ``slot``: it is at least ``1 - noise`` probable afterwards.

    Without noise this is Bayes' rule. With it, Bayes' rule could leave a correction less probable than the
    value it corrects; the person's word is then raised to its due and the rest shrunk in proportion.
    """
    before = 0.0
    for row in range(len(rates)):
        before += weights[row * (slots + 1) + slot]
    if before <= RULED_OUT:
        # Ruled out until now (nothing changed, says the model): what is known about the rates stays.
        for row in range(len(rates)):
            first = row * (slots + 1)
            for i in range(slots + 1):
                if i != slot:
                    weights[first + slot] += weights[first + i] * (1.0 - noise)
                    weights[first + i] *= noise
        return
    weigh(weights, rates, slots, unseen, slot, noise)
    raise_to(weights, rates, slots, slot, 1.0 - noise)


def raise_to(
    weights: MutableSequence[float], rates: Sequence[float], slots: int, slot: int, least: float
) -> None:
    """Scale ``slot`` up to the probability ``least`` if it is below, and all else down to the rest."""
    mass = 0.0
    for row in range(len(rates)):
        mass += weights[row * (slots + 1) + slot]
    if mass >= least or mass <= 0.0:
        return
    for row in range(len(rates)):
        first = row * (slots + 1)
        for i in range(slots + 1):
            weights[first + i] *= least / mass if i == slot else (1.0 - least) / (1.0 - mass)


def likeliest(weights: Sequence[float], rates: Sequence[float], slots: int) -> int:
    """Return the most probable slot, the earliest seen among equals; the unseen do not stand."""
    best = 0
    most = -1.0
    for slot in range(slots):
        mass = 0.0
        for row in range(len(rates)):
            mass += weights[row * (slots + 1) + slot]
        if mass > most:
            best = slot
            most = mass
    return best


def probability(weights: Sequence[float], rates: Sequence[float], slots: int, slot: int) -> float:
    """Return the probability of one slot, all rates together, between 0 and 1."""
    mass = 0.0
    for row in range(len(rates)):
        mass += weights[row * (slots + 1) + slot]
    return min(1.0, mass)
