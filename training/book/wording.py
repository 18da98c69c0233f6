"""Constraints, calls and flags in a bridge player's words.

Suits are written as in BML, ``!c !d !h !s``, so that each kind of page can put its own symbols there.
"""

from __future__ import annotations

import re

from agents.hierarchy.language.text import atom_text, is_difference
from agents.hierarchy.language.tree import INFINITE, Atom, Clause, Constraint, Line, Step
from agents.hierarchy.language.vocabulary import CALL_WORDS

SUIT_MARKS = {"C": "!c", "D": "!d", "H": "!h", "S": "!s"}
SYMBOLS = {"!c": "♣", "!d": "♦", "!h": "♥", "!s": "♠"}
FLAG_TEXT = {
    "forcing": "forcing",
    "gf": "forcing to game",
    "invite": "invitational",
    "signoff": "sign-off",
    "artificial": "artificial",
    "forcing-2N": "forcing to 2NT",
    "forcing-3H": "forcing to three of a major",
    "forcing-4C": "forcing to four of a minor",
    "denies": "denies the calls above",
}

#: Words with a number in front.
_COUNTED = {
    "hcp": "HCP",
    "points": "points",
    "rule20": "HCP and cards in the two longest suits",
    "losers": "losers",
    "controls": "controls",
    "aces": "aces",
    "kings": "kings",
    "quick": "half quick tricks",
    "zar": "Zar points",
    "longest": "cards in the longest suit",
    "second-longest": "cards in the second longest suit",
    "shortest": "cards in the shortest suit",
    "combined": "HCP in both hands if partner has the least shown",
    "combined-max": "HCP in both hands if partner has the most shown",
    "combined-points": "points in both hands if partner has the least shown",
    "combined-aces": "aces in both hands",
    "likely": "HCP in both hands if partner has a little over the least shown",
    "fit-best": "cards in our longest fit",
    "fit-major": "cards in our longest major fit",
    "in-theirs": "cards in their suit",
    "trump-tricks": "of the top five in their suit",
    "i-bid": "bids of mine so far",
    "partner-bid": "bids of partner's so far",
    "they-bid": "bids of theirs so far",
    "partner-min": "points at least with partner",
    "partner-max": "points at most with partner",
    "partner-aces": "aces at least with partner",
    "partner-hcp-min": "HCP at least with partner",
    "partner-hcp-max": "HCP at most with partner",
    "combined-hcp": "HCP with partner's least HCP",
    "partner-controls": "controls at least with partner",
    "partner-losers": "losers at most with partner",
    "partner-kings": "kings at least with partner",
    "combined-controls": "controls with partner's least",
    "combined-losers": "losers with partner's most",
    "combined-kings": "kings with partner's",
    "partner-likely": "points that partner should have",
    "my-min": "points that I have shown at least",
    "my-max": "points that I have shown at most",
}
#: Words that put the number elsewhere.
_PHRASES = {
    "level": "at level {}",
    "last-level": "last bid at level {}",
    "passes": "after {} passes",
    "position": "in seat {}",
    "seat": "in seat {}",
    "doubled": "doublings {}",
}
#: Words of a suit.
_COUNTED_IN = {
    "top3": "of the top three {}",
    "top5": "of the top five {}",
    "hcp": "HCP in {}",
    "keycards": "key cards for {}",
    "support": "points in support of {}",
    "playing": "half playing tricks in {}",
    "fit": "{} in both hands",
    "total": "points for {} in both hands if partner has the least shown",
    "total-max": "points for {} in both hands if partner has the most shown",
    "likely-total": "points for {} in both hands if partner has a little over the least shown",
    "partner": "{} shown by partner",
    "partner-keycards": "key cards for {} with partner",
    "partner-top3": "of the top three {} with partner",
    "combined-keycards": "key cards for {} with partner's",
    "combined-top3": "of the top three {} with partner's",
    "partner-most": "{} possible with partner",
    "shown": "{} that I have shown",
    "theirs": "{} shown by them",
}
_FLAG_WORDS = {
    "balanced": ("balanced", "not balanced"),
    "semibalanced": ("semi-balanced", "not semi-balanced"),
    "stopper": ("stopper in {}", "no stopper in {}"),
    "control": ("control in {}", "no control in {}"),
    "partner-stops": ("{} stopped by partner", "{} not stopped by partner"),
    "best": ("{} our longest fit", "{} not our longest fit"),
    "long": ("{} a longest suit", "{} no longest suit"),
    "stopped": ("their suits stopped", "their suits not stopped"),
    "stopped-unbid": ("all but our suits stopped", "a suit that is not ours not stopped"),
    "best-not-theirs": ("{} our longest fit outside their suits", "{} not our longest fit outside their suits"),
    "long-not-theirs": ("{} my longest suit outside theirs", "{} not my longest suit outside theirs"),
    "long-unbid": ("{} my longest suit of those that nobody bid", "{} not my longest suit of those that nobody bid"),
    "favourable": ("they alone are vulnerable", "not they alone are vulnerable"),
    "unfavourable": ("we alone are vulnerable", "not we alone are vulnerable"),
    "vul": ("we are vulnerable", "we are not vulnerable"),
    "they-vul": ("they are vulnerable", "they are not vulnerable"),
    "last": ("the last bid in {}", "the last bid not in {}"),
    "last-notrump": ("the last bid no trump", "the last bid not no trump"),
    "ours": ("the last bid ours", "the last bid theirs"),
    "partner-last": ("the last bid partner's", "the last bid not partner's"),
    "forced": ("partner forces us", "nothing forces us"),
    "bound": ("a pass would end a forcing auction", "we may stop here"),
    "forcing-pass": ("a pass forces partner", "a pass does not force partner"),
    "we-opened": ("we opened", "we did not open"),
    "i-passed": ("by a passed hand", "not by a passed hand"),
}


def suit(name: str) -> str:
    """``!h`` for H; a variable stays as it is."""
    return SUIT_MARKS.get(name, name)


def span(low: int, high: int, top: int = INFINITE) -> str:
    """``12+``, ``4`` or ``15-17``."""
    if high >= top:
        return f"{low}+"
    return f"{low}" if low == high else f"{low}-{high}"


def condition(atom: Atom) -> str:
    """One condition: ``15-17 HCP``, ``!h longer than !s``."""
    word, low, high = atom.word, atom.lo, atom.hi
    if is_difference(word):
        return _compared(atom)
    stem, colon, of = word.partition(":")
    if word in CALL_WORDS:
        who, what = ("partner's", "my")[word == "i-called"], atom_text(atom).partition(":")[2]
        return f"{who} last call {what}"
    if stem in _FLAG_WORDS and (low >= 1 or low == high == 0):
        return _FLAG_WORDS[stem][0 if low else 1].format(suit(of))
    if word == "doubled" and low == high and low in (0, 1, 2):
        return ("undoubled", "doubled", "redoubled")[low]
    if word in _PHRASES:
        return _PHRASES[word].format(span(low, high))
    if colon and stem in _COUNTED_IN:
        what = _COUNTED_IN[stem].format(suit(of))
    elif stem in _COUNTED:
        what = _COUNTED[stem]
    elif not colon and (word in SUIT_MARKS or word in ("M", "oM", "m", "om", "x", "y")):
        return f"{span(low, high)}{'' if word in SUIT_MARKS else ' '}{suit(word)}"
    else:
        return atom_text(atom)
    return f"{span(low, high)} {what}"


def _compared(atom: Atom) -> str:
    first, _, second = atom.word.partition("-")
    a, b = suit(first), suit(second)
    if atom.hi < INFINITE:
        return f"as many {a} as {b}" if atom.lo == 0 else f"{atom.lo} more {a} than {b}"
    if atom.lo <= 0:
        return f"{a} not shorter than {b}"
    return f"more {a} than {b}" if atom.lo == 1 else f"{atom.lo}+ more {a} than {b}"


def promise(constraint: Constraint) -> str:
    """A whole constraint; ``any hand`` where nothing is asked."""
    texts = [_clause(clause) for clause in constraint]
    mixed = any(len(clause) > 1 for clause in constraint)
    return ("; " if mixed else ", ").join(texts) or "any other hand"


def _clause(clause: Clause) -> str:
    return " or ".join(" and ".join(condition(atom) for atom in together) for together in clause)


def lines_promise(lines: list[Line]) -> str:
    """Return what the lines of one call promise, one or the other; with a note that not all of them have."""
    notes = {remark(line) for line in lines}
    if len(notes) == 1:
        return " / ".join(dict.fromkeys(promise(line.constraint) for line in lines))
    return " / ".join(f"{promise(line.constraint)}{_aside(remark(line))}" for line in lines)


def _aside(text: str) -> str:
    return f" ({text})" if text else ""


def remark(line: Line) -> str:
    """Note and flags of a line."""
    said = [line.note] if line.note else []
    return ", ".join(dict.fromkeys([*said, *(FLAG_TEXT[flag] for flag in line.flags)]))


def lines_remark(lines: list[Line]) -> str:
    """Note and flags that all lines of one call share."""
    notes = {remark(line) for line in lines}
    return notes.pop() if len(notes) == 1 else ""


def call(step: Step) -> str:
    """``1!h``, ``2NT``, ``(2x)``, ``X``, ``Pass``, ``cheapest M``."""
    token = step.token
    kind, colon, name = token.partition(":")
    if colon:
        what = {"lowest": "cheapest", "jump": "jump in", "game": "game in", "slam": "slam in", "grand": "grand slam in"}
        text = f"{what[kind]} {'NT' if name == 'N' else suit(name)}"
    elif token[0] in "1234567" and not token.endswith("any"):
        text = token[0] + ("NT" if token[1:] == "N" else suit(token[1:]))
    else:
        text = {"P": "Pass", "any": "any bid"}.get(token, token)
    return f"({text})" if step.theirs else text


def path(steps: tuple[Step, ...]) -> str:
    """``1!h - 2NT``."""
    return " - ".join(call(step) for step in steps)


def symbols(text: str) -> str:
    """With suit symbols in place of the marks."""
    return re.sub("![cdhs]", lambda match: SYMBOLS[match[0]], text)
