"""Pattern memo: what was computed for a pattern of missing values, kept during one call."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from suffice.data.arrays import Array, Floats

KEPT_BYTES = 1 << 25  # beyond this, the oldest results are dropped

Solution = tuple[Floats, int, float]


class PatternMemo:
    """A matrix and two numbers for each owner and pattern of missing values, the latest ones.

    Rows of one pattern come in many blocks, and the class means once more than the rows: what
    the pattern alone decides is computed for the first of them.

    >>> import numpy as np
    >>> memo, owner, pattern = PatternMemo(), object(), np.array([0])
    >>> first = memo.once(owner, pattern, lambda: (np.ones((1, 1)), 1, 0.0))
    >>> memo.once(owner, pattern, lambda: (np.zeros((1, 1)), 0, 0.0)) is first
    True
    """

    def __init__(self) -> None:
        # With the owner, so that no other object gets its id meanwhile.
        self._results: dict[tuple[int, bytes], tuple[object, Solution]] = {}
        self._bytes = 0
        self._lock = Lock()

    def once(self, owner: object, missing: Array, compute: Callable[[], Solution]) -> Solution:
        """What compute() returns, or returned for this owner and these missing features."""
        key = id(owner), missing.tobytes()
        with self._lock:
            if key in self._results:
                return self._results[key][1]
        # Outside of the lock: at worst, two threads compute the same.
        result = compute()
        with self._lock:
            if key not in self._results:
                self._results[key] = owner, result
                self._bytes += result[0].nbytes
            while self._bytes > KEPT_BYTES:
                _, dropped = self._results.pop(next(iter(self._results)))
                self._bytes -= dropped[0].nbytes
        return result
