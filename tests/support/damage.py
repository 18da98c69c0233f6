"""Damaged files, as a truncation, an editor or another program leaves them."""

import numpy as np
from hypothesis import strategies as st

JSON_WORDS = (
    b"null", b"true", b"-1", b"1e999", b"NaN", b"{}", b"[]", b'""', b'"\\ud800"', b"9" * 30, b"0.5", b",", b":",
    b"[" * 2000, b'{"a":' * 100, b"\xff", b"\0", b"\n", b'"',
)  # fmt: skip
ARRAY_WORDS = (b"PK\3\4", b"PK\1\2", b"PK\5\6", b"\x93NUMPY", b"\xff" * 8, b"\0" * 8, b"(", b"'", b"f8", b"|O")
RECORD_WORDS = (
    b"[", b"]", b'"', b"{", b"}", b";", b"%", b"\n", b"\r", b"\n\n", b"|", b"\\", b"#", b"-", b"AP", b"*", b"+", b"^",
    b"=1=", b"?", b"$1", b"\0", b"\x1a", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1f\x8b", b"9" * 20, b"1NT", b"X", b"P",
    b"[Deal ", b"[Auction ", b'[Note "', b"mb|", b"md|", b"qx|", b"pc|", b"(", b"!",
)  # fmt: skip
SYSTEM_WORDS = tuple(word.encode() for word in (
    "(any)", "(1any)", "1M", "2x", "oM", "lowest:y", "game:M", "after ", "when ", " or ", " and ", ",", ";", "!gf",
    "-", "  ", "\n", "\t", "9" * 6, "5+ H", "H >= S", "fit:x", "partner-called:", "\u0663", "\u2028", "(", ")", ":",
))  # fmt: skip


@st.composite
def damaged(draw, data, words):
    """``data`` with up to three damages: pieces cut out, overwritten, inserted, or the end cut off."""
    out = bytearray(data)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(out)))
        length = draw(st.sampled_from((0, 0, 1, 1, 5, 40)))
        piece = draw(st.one_of(st.sampled_from(words), st.binary(max_size=2), st.just(bytes(out[:30]))))
        out[at : at + length] = piece
    if draw(st.integers(0, 4)) == 0:
        del out[draw(st.integers(0, len(out))) :]
    return bytes(out)


def mutations(data, count, seed, words=JSON_WORDS):
    """Yield ``count`` damaged versions of ``data``, the same for the same seed."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        out = bytearray(data)
        for _ in range(int(rng.integers(1, 4))):
            at, kind, byte = int(rng.integers(len(out) + 1)), int(rng.integers(5)), int(rng.integers(256))
            if kind == 0:
                out[at : at + 1] = bytes([byte])
            elif kind == 1:
                del out[at : at + 1 + byte // 16]
            elif kind == 2:
                out[at : at + byte % 3] = words[int(rng.integers(len(words)))]
            elif kind == 3 and byte < 80:
                del out[at:]
            else:
                out[at : at + 1] = bytes([32 + byte % 95])
        yield bytes(out)
