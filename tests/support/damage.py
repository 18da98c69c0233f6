"""Files that were damaged: seeded mutations of what stands in them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

JSON_WORDS = (
    b"null", b"true", b"-1", b"1e999", b"NaN", b"{}", b"[]", b'""', b'"\\ud800"', b"9" * 30, b"9" * 5000, b"0.5", b",",
    b":", b"[" * 2000, b'{"a":' * 100, b"\xff", b"\0", b"\n", b'"',
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
