"""The words of the constraint language as a page of text, for people who write bidding systems."""

from __future__ import annotations

import inspect
import re
import textwrap

from agents.hierarchy.language.text import FLAGS
from agents.hierarchy.language.vocabulary import FLAG_WORDS, MEANINGS, SUIT_WORDS
from bridge_env import features

_HEAD = """\
A constraint is a list of conditions. A comma means and; "or" binds tighter than the comma, "and" than "or":

  15-17 hcp, balanced          5+ H or 5+ S          4 S, 0-3 H          12+ points, not vul
  H >= S   H > S   H = S+1     stopper:H             fit:M               partner-called:4N

A word with a suit behind a colon takes C D H S, or a variable that the call names: M a major, m a minor,
oM and om the other one, x and y two different suits.
"""


def words_text() -> str:
    """All words with what they mean, the hand's first."""
    suits = "Numbers of cards are written 5+ H; differences of two suits H >= S; suit_hcp is written hcp:H."
    parts = [
        _HEAD,
        "Words for the hand:\n",
        *_hand_lines(),
        f"\n  {suits}\n",
        "Words for the auction so far, alone or put together with the hand:\n",
        *(f"  {_written(word):<18} {meaning}" for word, meaning in MEANINGS.items()),
        "\nWithout a number stand:",
        textwrap.fill(", ".join(sorted(FLAG_WORDS)), 100, initial_indent="  ", subsequent_indent="  "),
        f"\nFlags of a call, behind its note: {' '.join('!' + flag for flag in FLAGS)}.",
    ]
    return "\n".join(parts)


def _hand_lines() -> list[str]:
    """The table in the docstring of ``bridge_env.features``, without its rules and its head."""
    _, _, table, _ = re.split(r"^=+ +=+$", inspect.getdoc(features) or "", flags=re.MULTILINE)
    lines = (re.sub(r"``(.*?)``", r"\1", line) for line in table.strip().splitlines())
    return [f"  {line[:17].strip():<18} {line[17:].strip()}" for line in lines]


def _written(word: str) -> str:
    return f"{word}:S" if word in SUIT_WORDS else word
