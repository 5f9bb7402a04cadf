"""English for the index: the stem of a word, and the words that carry grammar alone."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Final, Protocol, cast

_FUNCTION_WORDS: Final = """
    a about after all also am an and any are as at be because been before being between both but by can
    could did do does doing done during each either else ever few for from had has have having he her
    here hers herself him himself his how i if in into is it its itself just let many may me might more
    most much must my myself no nor not of off on once only or other our ours ourselves out over own same
    shall she should so some such than that the their theirs them themselves then there these they this
    those through to too under until up very was we were what when where which while who whom whose why
    will with would you your yours yourself yourselves s t d ll m re ve don didn doesn isn aren wasn
    weren hasn haven hadn won wouldn couldn shouldn mustn
"""
FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORDS.split())
"""Words, and what an apostrophe leaves of them, that say nothing about the subject of a question."""

# A question asks "what did she buy", the answer says "bought". Forms that are as often another word
# (left, found, saw, rose, lives) are not here. Evidence recall among ten rose by 0.9 points with these.
_IRREGULAR: Final = """
    go:went,gone buy:bought take:took,taken make:made get:got,gotten give:gave,given think:thought
    meet:met tell:told say:said see:seen come:came become:became begin:began,begun break:broke,broken
    bring:brought build:built catch:caught choose:chose,chosen draw:drew,drawn drink:drank,drunk
    drive:drove,driven eat:ate,eaten fall:fell,fallen fight:fought fly:flew,flown forget:forgot,forgotten
    forgive:forgave,forgiven freeze:froze,frozen grow:grew,grown hang:hung hear:heard hide:hid,hidden
    hold:held keep:kept know:knew,known lead:led learn:learnt lend:lent lose:lost mean:meant pay:paid
    ride:rode,ridden ring:rang,rung rise:risen run:ran seek:sought sell:sold send:sent shake:shook,shaken
    show:showed,shown sing:sang,sung sink:sank,sunk sit:sat sleep:slept speak:spoke,spoken spend:spent
    stand:stood steal:stole,stolen stick:stuck strike:struck swear:swore,sworn swim:swam,swum
    teach:taught tear:tore,torn throw:threw,thrown understand:understood wake:woke,woken wear:wore,worn
    win:won write:wrote,written bleed:bled blow:blew,blown breed:bred deal:dealt dig:dug dream:dreamt
    feed:fed flee:fled mistake:mistook,mistaken overcome:overcame prove:proved,proven spin:spun
    spring:sprang,sprung sweep:swept swing:swung child:children man:men woman:women foot:feet tooth:teeth
    mouse:mice goose:geese wife:wives knife:knives half:halves shelf:shelves wolf:wolves loaf:loaves
"""
_ENTRIES: Final = [entry.partition(":") for entry in _IRREGULAR.split()]
_BASES: Final = {form: base for base, _, forms in _ENTRIES for form in forms.split(",")}


def stem(word: str) -> str:
    """Return the Snowball stem of a lower-case ASCII word, of its base if the form is irregular."""
    # A stemmer keeps the word in itself: one for each call is what makes this safe between threads.
    return _library().EnglishStemmer().stemWord(_BASES.get(word, word))


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


class _Library(Protocol):
    def EnglishStemmer(self) -> _Stemmer: ...  # noqa: N802 - the library's name


@lru_cache(maxsize=1)
def _library() -> _Library:
    """Import on first use: the package loads every language it has (0.1 s)."""
    return cast("_Library", import_module("snowballstemmer.english_stemmer"))
