"""Read files of bidders: name the spec in faults, and read a file again only after a change."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from bridge_env.bidders.registry import SpecError

Read = TypeVar("Read")


class BidderFileError(SpecError):
    """A file that holds no such bidder, or a damaged one; the message names the file and the fault."""


@contextlib.contextmanager
def faults_of(spec: str) -> Iterator[None]:
    """Raise whatever is wrong with the file of ``spec``, which is read in the block, as a ``BidderFileError``."""
    try:
        yield
    except KeyError as error:
        raise BidderFileError(f"{spec}: {error} is missing") from None
    except (ValueError, TypeError, IndexError, AttributeError) as error:
        raise BidderFileError(f"{spec}: {error}") from None


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
