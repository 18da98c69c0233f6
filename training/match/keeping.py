"""Keep what a function gave, up to so many bytes: what was asked for last stays."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import RLock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """Values by their keys.

    Args:
        most: bytes that all of them may hold; the one that was asked for last stays even where it alone holds more.
        size: what a value holds with its key, in bytes. It is asked each time, for values that grow.
    """

    def __init__(self, most: int, size: Callable[[K, V], int]) -> None:
        self.most, self.size = most, size
        self._held: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._bytes = 0
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self._held)

    @property
    def bytes(self) -> int:
        """What all of them hold."""
        return self._bytes

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value that is kept; a new one where there is none."""
        with self._lock:
            value = self._take(key)
        if value is None:
            value = make()
        with self._lock:
            _ = self._take(key)  # another thread may have been quicker
            size = self.size(key, value)
            self._held[key] = value, size
            self._bytes += size
            while self._bytes > self.most and len(self._held) > 1:
                self._bytes -= self._held.popitem(last=False)[1][1]
        return value

    def _take(self, key: K) -> V | None:
        found = self._held.pop(key, None)
        if found is None:
            return None
        self._bytes -= found[1]
        return found[0]
