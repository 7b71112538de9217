"""A stream of chance that is the same on every platform and in every version of Python.

`random` keeps the sequence of `random()` between versions, but not that of its other methods; a sample whose figures
stand in documents must not move with the interpreter. This is splitmix64: one 64-bit integer of state, integers only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15


def _mix(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


class Chance:
    """A seeded stream of integers.

    The seed is mixed before it becomes the state: the state walks in equal steps, so that seeds taken as they come
    would give the same stream, only started one draw later.
    """

    def __init__(self, seed: int) -> None:
        self._state = _mix(_mix(seed & _MASK) ^ 0xD1B54A32D192ED03)

    def _next(self) -> int:
        self._state = (self._state + _STEP) & _MASK
        return _mix(self._state)

    def between(self, low: int, high: int) -> int:
        """An integer from low to high, both included."""
        if high < low:
            raise ValueError(f"no integer lies between {low} and {high}")
        return low + self._next() % (high - low + 1)

    def permille(self, share: int) -> bool:
        """True in `share` of a thousand draws."""
        return self.between(0, 999) < share

    def one_of(self, things: Sequence[T]) -> T:
        return things[self.between(0, len(things) - 1)]
