"""Damaged files: seeded mutations of what stands in them, for records, systems, JSON and files of arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

JSON_WORDS = (
    b"null", b"true", b"-1", b"1e999", b"NaN", b"{}", b"[]", b'""', b'"\\ud800"', b"9" * 30, b"9" * 5000, b"0.5", b",",
    b":", b"[" * 2000, b'{"a":' * 100, b"\xff", b"\0", b"\n", b'"',
)  # fmt: skip


ARRAY_WORDS = (
    b"PK\3\4", b"PK\1\2", b"PK\5\6", b"\x93NUMPY", b"\xff" * 8, b"\0" * 8, b"(", b"'", b"f8", b"O", b"|O",
)  # fmt: skip

RECORD_WORDS = (
    b"[", b"]", b'"', b"{", b"}", b";", b"%", b"\n", b"\r", b"\n\n", b"|", b"\\", b"#", b"##", b"-", b"AP", b"*", b"+",
    b"^", b"=1=", b"?", b"$1", b"\0", b"\x1a", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1f\x8b", b"\xc3", b"9" * 20,
    b"1NT", b"X", b"XX", b"P", b"[Deal ", b"[Auction ", b'[Note "', b"mb|", b"md|", b"qx|", b"pc|", b"(", b"(a)", b"!",
)  # fmt: skip

SYSTEM_WORDS = (
    "(any)", "(1any)", "1M", "2x", "oM", "lowest:y", "game:M", "after ", "when ", " or ", " and ", ",", ";", "!gf",
    "-", "  ", "\n", "\t", "9" * 6, "5+ H", "H >= S", "fit:x", "partner-called:", "٣", "\u2028", "\0", "(", ")", "X",
    ":",
)  # fmt: skip


def mutations(data: bytes, count: int, seed: int, words: tuple[bytes, ...] = JSON_WORDS) -> Iterator[bytes]:
    """``count`` damaged versions of ``data``: bytes changed, cut out, doubled, the end cut off, values replaced."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield _mutated(data, rng, words)


def _mutated(data: bytes, rng: np.random.Generator, words: tuple[bytes, ...]) -> bytes:
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        at, kind, byte = int(rng.integers(len(out) + 1)), int(rng.integers(7)), int(rng.integers(256))
        if kind == 0:
            out[at : at + 1] = bytes([byte])
        elif kind == 1:
            del out[at : at + 1 + byte // 16]
        elif kind == 2:
            out[at:at] = words[int(rng.integers(len(words)))]
        elif kind == 3:  # a value for another
            end = min((e for e in (out.find(sign, at) for sign in (b",", b"}", b"]")) if e >= 0), default=len(out))
            begin = max(out.rfind(sign, 0, at) for sign in (b":", b"[", b",")) + 1
            out[begin:end] = words[int(rng.integers(len(words)))]
        elif kind == 4 and byte < 80:
            del out[at:]
        elif kind == 5:
            start = int(rng.integers(len(out) + 1))
            out[at:at] = out[start : start + byte]
        else:  # a letter of a name or a digit for another
            out[at : at + 1] = bytes([32 + byte % 95])
    return bytes(out)


def damaged_record(data: bytes, rng: np.random.Generator) -> bytes:
    """A PBN or LIN file with one to five damages: signs of both kinds where they do not belong, pieces elsewhere."""
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 6))):
        at, kind, byte = int(rng.integers(len(out) + 1)), int(rng.integers(8)), int(rng.integers(256))
        if kind == 0:
            out[at : at + 1] = bytes([byte])
        elif kind == 1:
            out[at:at] = bytes([byte])
        elif kind == 2:
            del out[at : at + 1 + byte // 16]
        elif kind in (3, 4):
            out[at : at + byte % 3] = RECORD_WORDS[int(rng.integers(len(RECORD_WORDS)))]
        elif kind == 5:  # a piece again elsewhere
            start = int(rng.integers(len(out) + 1))
            out[at:at] = out[start : start + byte]
        elif kind == 6 and byte < 40:
            del out[at:]
        else:  # a printable character for another
            out[at : at + 1] = bytes([32 + byte % 95])
    return bytes(out)


def damaged_system(text: str, rng: np.random.Generator) -> str:
    """The text of a bidding system with one to three damages: words of the language where they do not belong."""
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(text)))
        end = at + int(rng.choice([0, 0, 1, 5, 40]))
        word = SYSTEM_WORDS[int(rng.integers(len(SYSTEM_WORDS)))]
        text = text[:at] + word * int(rng.choice([0, 1, 1, 30])) + text[end:]
    return text
