"""Write the words of the bidding language as a page of text, for authors of systems."""

from __future__ import annotations

import textwrap

from agents.systems.language.text import FLAGS
from agents.systems.language.vocabulary import FLAG_WORDS, MEANINGS, SUIT_WORDS
from bridge_env.hands import features

_HEAD = """\
A constraint is a list of conditions. A comma means and; "or" binds tighter than the comma, "and" than "or":

  15-17 hcp, balanced          5+ H or 5+ S          4 S, 0-3 H          12+ points, not vul
  H >= S   H > S   H = S+1     stopper:H             fit:M               partner-called:4N

A word with a suit behind a colon takes C D H S, or a variable that the call names: M a major, m a minor,
oM and om the other one, x and y two different suits.
"""
_SUITS = "Numbers of cards are written 5+ H; differences of two suits H >= S; suit_hcp is written hcp:H."
_SECTIONS = {
    "Words for the hand": features.MEANINGS,
    "Words for the auction so far, alone or put together with the hand": {
        f"{word}:S" if word in SUIT_WORDS else word: meaning for word, meaning in MEANINGS.items()
    },
}


def words_text() -> str:
    """Return all words with what they mean, the hand's first, for a terminal."""
    hand, auction = (f"{title}:\n\n{_listed(words)}\n" for title, words in _SECTIONS.items())
    flags = textwrap.fill(", ".join(sorted(FLAG_WORDS)), 100, initial_indent="  ", subsequent_indent="  ")
    end = f"Flags of a call, behind its note: {' '.join('!' + flag for flag in FLAGS)}."
    return "\n".join([_HEAD, hand, f"  {_SUITS}\n", auction, "Without a number stand:", flags, "", end])


def words_markdown() -> str:
    """Return the same as a page of the documentation."""
    text, examples, variables = _HEAD.strip().split("\n\n")
    hand, auction = (f"## {title}\n\n{_table(words)}" for title, words in _SECTIONS.items())
    parts = [
        f"# The language of bidding systems\n\n{text}",
        f"```text\n{textwrap.dedent(examples)}\n```",
        variables,
        hand,
        _SUITS,
        auction,
        "## Words without a number",
        ", ".join(f"`{word}`" for word in sorted(FLAG_WORDS)),
        "## Flags of a call",
        "Write them behind the call's note: " + ", ".join(f"`!{flag}`" for flag in FLAGS) + ".",
    ]
    return "\n\n".join(parts) + "\n"


def _listed(words: dict[str, str]) -> str:
    return "\n".join(
        textwrap.fill(meaning, 110, initial_indent=f"  {word:<18} ", subsequent_indent=" " * 21)
        for word, meaning in words.items()
    )


def _table(words: dict[str, str]) -> str:
    rows = (f"| `{word}` | {meaning.replace('|', chr(92) + '|')} |" for word, meaning in words.items())
    return "\n".join(["| word | meaning |", "|---|---|", *rows])
