"""Guess the intended word for a misspelt one."""

from __future__ import annotations

import difflib

from agents.hierarchy.language.vocabulary import WORDS

_SIGNS = {
    "\u2660": "S", "\u2665": "H", "\u2666": "D", "\u2663": "C", "\u2664": "S", "\u2661": "H", "\u2662": "D",
    "\u2667": "C", "\ufe0e": "", "\ufe0f": "",
}  # fmt: skip
_SUITS = {"spade": "S", "spades": "S", "heart": "H", "hearts": "H", "diamond": "D", "diamonds": "D", "club": "C",
          "clubs": "C", "major": "M", "minor": "m", "s": "S", "h": "H", "d": "D", "c": "C"}  # fmt: skip


def meant(word: str) -> str:
    """Write "did you mean …?" for the end of a message; empty if no word is similar."""
    plain = "".join(_SIGNS.get(sign, sign) for sign in word[:60])
    if plain != word[:60]:
        return f"; did you mean {plain}?"
    if word.lower() in _SUITS:
        return f"; did you mean {_SUITS[word.lower()]}?"
    stem, colon, suit = word[:60].partition(":")
    known = {name.partition(":")[0].lower(): name.partition(":")[0] for name in WORDS if len(name) > 1}
    near = difflib.get_close_matches(stem.lower(), list(known), n=1, cutoff=0.6)
    return f"; did you mean {known[near[0]]}{colon}{suit}?" if near else ""
