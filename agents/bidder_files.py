"""Read files of bidders anew only after a change."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

Read = TypeVar("Read")


def cached_by_mtime(
    load: Callable[[str], Read], most: int, beside: Callable[[str], Sequence[Path]] = lambda path: ()
) -> Callable[[str | Path], Read]:
    """Wrap ``load`` to cache the latest ``most`` files; a file that was changed is read again.

    Args:
        beside: files that it reads too.
    """

    @lru_cache(most)
    def read_version(path: str, changed: tuple[int, ...]) -> Read:
        return load(path)

    def read(path: str | Path) -> Read:
        files = (path, *beside(str(path)))
        return read_version(
            str(path), tuple(os.stat(file).st_mtime_ns if os.path.isfile(file) else 0 for file in files)
        )

    return read
