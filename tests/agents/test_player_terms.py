"""Every word of the language has a phrase of its own, which other conditions cannot be confused with."""

import re

from agents.systems.explain import player_terms
from agents.systems.language.text import parse_constraint
from agents.systems.language.tree import INFINITE, Atom
from agents.systems.language.vocabulary import CALL_WORDS, FLAG_WORDS, SUIT_LETTERS, SUIT_WORDS, WORDS


def atoms():
    """Every word of the language, with ranges of all kinds."""
    out = []
    for word in sorted({name.partition(":")[0] if ":" in name else name for name in WORDS} | {"M", "oM", "m", "om"}):
        named = [word]
        if word in SUIT_WORDS:
            named = [f"{word}:{suit}" for suit in (*SUIT_LETTERS, "M", "oM", "m", "om", "x", "y")]
        if word == "hcp":
            named += ["hcp"]
        for name in named:
            if word in FLAG_WORDS:
                out += [Atom(name, 0, 0), Atom(name, 1, 1)]
            elif word in CALL_WORDS:
                out += [Atom(name, call, call) for call in (0, 1, 2, 3, 22, 37)]
            else:
                spans = ((0, 0), (0, 3), (1, 1), (1, INFINITE), (4, INFINITE), (2, 7), (0, INFINITE))
                out += [Atom(name, *span) for span in spans]
    out += [Atom(f"{a}-{b}", lo, hi) for a, b in (("H", "S"), ("M", "oM"), ("m", "C"), ("x", "y"))
            for lo, hi in ((0, 0), (0, INFINITE), (1, INFINITE), (1, 1), (2, INFINITE))]  # fmt: skip
    return out


def test_phrases_hold_no_sign_that_separates_conditions():
    for atom in atoms():
        text = player_terms.condition(atom)
        assert not re.search(r" or | and |[,;:/()*]", text), text  # signs between conditions


def test_every_word_of_the_language_has_a_phrase():
    stems = {name.partition(":")[0] for name in WORDS} - {*SUIT_LETTERS} - CALL_WORDS
    assert stems <= {*player_terms._PHRASES, *player_terms._YES_NO}
    phrases = [*player_terms._PHRASES.values(), *player_terms._RANGES.values()]
    assert len(set(phrases)) == len(phrases)


def test_the_clause_of_an_agreed_suit_has_a_phrase():
    ways = " or ".join(f"{mine}+ shown:H and {his}+ partner:H" for mine, his in ((5, 3), (4, 4), (3, 5), (2, 6)))
    agreed = parse_constraint(f"{ways}, ours")
    assert player_terms.symbols(player_terms.promise(agreed)) == "♥ agreed; the last bid is ours"


def test_one_of_a_thing_is_in_the_singular():
    assert player_terms.term_text(1, "controls") == "1 control"
    assert player_terms.term_text(1, "passes") == "after a pass"
