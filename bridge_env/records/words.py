"""Read the words of other programs and languages: hands, vulnerabilities, contracts and dashes."""

from __future__ import annotations

import re

from bridge_env.rules.calls import Contract, parse_result
from bridge_env.rules.cards import SUITS, parse_seat, parse_vulnerability, plain_suits

HAND = r"(?:[AKQJT0-9-]*\.){3}[AKQJT0-9-]*"
DASH = "-\u2010-\u2015\u2212"  # inside the brackets of an expression
_SEAT = re.compile(r"([NESW])(?:orth|ast|outh|est)?\s*(?:[:;,]\s*|\s+)", re.IGNORECASE)
_SUIT = re.compile("([SHDC])([^SHDC]*)")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff]")
_VULNERABLE = {
    "-": 0, "keine": 0, "keiner": 0, "niemand": 0, "personne": 0, "nv": 0, "nonvul": 0, "0": 0,
    "n": 1, "s": 1, "nordsud": 1, "nordsüd": 1, "nz": 1, "e": 2, "w": 2, "eo": 2, "ow": 2, "ostwest": 2, "estouest": 2,
    "geen": 0, "nessuno": 0, "ninguno": 0, "beide": 3, "tutti": 3, "todos": 3, "nsew": 3, "nswe": 3,
    "nsonly": 1, "ewonly": 2, "notvul": 0, "bothsides": 3, "alle": 3, "allen": 3, "tous": 3,
}  # fmt: skip
_NAMES = "nord noord norte", "ost oost est este", "sud süd zuid sur", "west ouest ovest oeste"
_SEATS_ABROAD = {name: seat for seat, names in enumerate(_NAMES) for name in names.split()}
_DOUBLE = "(?:DOU?BLE[DT]?|[CK]ONTR[AEOÉ])"
_LETTERS = (
    # strains and seats
    (r"\bNO[\s-]*TRUMPS?\b", "NT"),
    (r"\b([1-7])\s*SA\b", r"\1NT"),
    (r"\b([SHDC])(?:PADE|EART|IAMOND|LUB)S?\b", r"\1"),
    (r"\b([NESW])(?:ORTH|AST|OUTH|EST)\b", r"\1"),
    # doubles
    ("[\u00d7\u2715]", "X"),
    (rf"\b(?:RE|SUR)-?{_DOUBLE}\b", "XX"),
    (rf"\b{_DOUBLE}\b", "X"),
    # bids: "3!D", "3 D"
    (r"(?<=[1-7])[!@]([CDHSN])\b", r"\1"),
    (r"(?<!\S)([1-7])\s+(?=(?:NT?|[CDHS])(?!\w))", r"\1"),
    # results: "down 2", "2 down", "made", "9 tricks"
    (r"\b(\d+)\s*(?:DOWN|OFF)$", r"-\1"),
    (r"(?:DOWN|OFF)\s*(?=\d)", "-"),
    (r"MADE$", "="),
    (r"\s*TRICKS?$", ""),
    # passes, and "all pass", "A/P", "passed out"
    (r"(?<!\S)(?:PASS?[EO]?(?!\s+OUT)|NB|NO BID)(?!\w)", "P"),
    (r"\(?(?<!\w)(?:ALL[\s_-]*P(?:ASS(?:ED|ES)?)?|A[./]?P\.?|PASS(?:ED)?\s+OUT)(?!\w)\)?", " AP "),
)


def plain_dashes(text: str) -> str:
    """Return a text with hyphens for dashes of other lengths and for the sign of minus."""
    return re.sub(f"[{DASH}]", "-", text)


def vulnerability_of(text: str) -> int:
    """Return the code of the words of PBN, of LIN and of other languages.

    Raises:
        ValueError: not a vulnerability.
    """
    found = _VULNERABLE.get(re.sub(r"[\W_]", "", text.lower()) or plain_dashes(text)[:1])
    return parse_vulnerability(text) if found is None else found


def seat_of(text: str) -> int:
    """Return the number of ``"N"``, ``"(East)"`` or ``"Süd"``; raise ``ValueError`` for another text."""
    word = text.strip(" .()")
    return parse_seat(_SEATS_ABROAD.get(word.lower(), word))


def plain_words(text: str) -> str:
    """Return a text in capitals with letters for suits, seats and doubles: ``"3NTX E"`` of ``"3 NT doubled, East"``."""
    text = plain_suits(text)
    for pattern, letters in _LETTERS:
        text = re.sub(pattern, letters, text)
    return text


def read_contract(text: str) -> tuple[Contract, int | None] | None:
    """Return the contract and the tricks of a text, as ``parse_result`` does, of words, too."""
    return parse_result(re.sub(r"[()!]|(?<=\w)-(?=[NESW]\b)", "", plain_words(plain_dashes(text))))


def plain_hand(text: str) -> str:
    """Return ``"AKQ2.T98.J7.A543"`` of ``"SAKQ2HT98DJ7CA543"``; text before the first suit stays before it."""
    text = text.replace("VOID", "")
    suits: dict[str, str] = {}
    for suit, ranks in _SUIT.findall(text):
        suits[suit] = suits.get(suit, "") + ranks.strip(".")  # of one that stands twice all cards, which are too many
    if suits:
        return _SUIT.sub("", text) + ".".join(suits.get(suit, "") for suit in SUITS[::-1])
    return re.sub(r"^((?:[^.]*\.){3}[^.]*)\.+$", r"\1", text)


def plain_deal(text: str) -> str:
    """Return ``"N:hand hand ..."`` of a deal whose first seat is a word, and whose hands have letters for suits."""
    text = _INVISIBLE.sub("", plain_suits(text))
    seat = _SEAT.match(text)
    rest = re.sub("[,;:]", " ", text[seat.end() if seat else 0 :])
    hands = rest.split()
    if len(hands) > 4 and any(suit in rest for suit in SUITS):
        hands = re.sub(r"\s+(?=[HDC])|(?<=[SHDC])\s+(?=[^S])", "", rest).split()
    return (f"{seat[1]}:" if seat else "") + " ".join(map(plain_hand, hands))
