"""State: everything that an estimator has learned, in one value that is replaced as a whole.

Assigning one attribute is atomic: whatever is raised at whatever line, an estimator holds either
its old state or its new one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from itertools import compress
from operator import call, is_
from threading import Lock
from typing import Any, Self, TypeVar, cast

from suffice.data.arrays import Array
from suffice.data.tables.encoding import Encoding
from suffice.data.tables.frame_output import FrameForm
from suffice.data.tables.table_rows import TableReader
from suffice.estimators.columns import LearnedColumns

Anyone = TypeVar("Anyone")
Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """What an estimator has learned; `kept` holds what is computed from it when first needed."""

    columns: LearnedColumns
    reader: TableReader | None = None  # of tables that hold more than numbers
    encoding: Encoding | None = None  # of such tables as numbers, where the model takes numbers
    target: str | None = None  # the name of the column of the labels
    frame: FrameForm | None = None  # of the data frame that was learned from
    kept: dict[str, Any] = field(default_factory=dict)

    def once(self, name: str, make: Callable[[], Anyone]) -> Anyone:
        """The cached result of `make`; if several threads make it at once, one result is kept."""
        value: Anyone | None = self.kept.get(name)
        return self.kept.setdefault(name, make()) if value is None else value

    def renamed(self, names: Array | None) -> Self:
        """The same with other feature names."""
        return replace(self, columns=replace(self.columns, names=names))

    def under(self, priors: Any, model: Any) -> Self:
        """The same with the model under other priors."""
        return replace(self, kept={"model": model})

    def without_statistics(self) -> Self:
        """The part needed to answer for single rows."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        # Simulated distances and other cached values are cheaper to recompute than to send.
        kept = {"model": self.kept["model"]} if "model" in self.kept else {}
        return {**self.__dict__, "kept": kept}


def set_target(estimator: Any, name: str) -> None:
    """Let an estimator that learned from statistics know the column of the labels."""
    estimator._state = replace(estimator._learned, target=name)


def snapshot(estimator: Anyone) -> Anyone:
    """A copy with the current state, unaffected by what other threads make the estimator learn."""
    copied = object.__new__(type(estimator))
    copied.__dict__ = estimator.__dict__.copy()
    return copied


def at_once(method: Method) -> Method:
    """A method that uses a single state even if another thread replaces it meanwhile."""

    @wraps(method)
    def answer(self: Any, *args: Any, **kwargs: Any) -> Any:
        return method(snapshot(self), *args, **kwargs)

    return cast(Method, answer)


# One lock for all estimators is enough, since it is held only for a comparison and an assignment.
# A lock per estimator would have to be left out of copies and pickles.
_exchanging = Lock()


def exchange(estimator: Any, before: Any, after: Any) -> bool:
    """Replace the state `before` by `after`; False if another thread has already replaced it.

    Iterators implemented in C do all of it in one call, during which nothing can be raised.
    A `with` statement would leave the lock held if an exception came between its body and its end.
    """
    own = estimator.__dict__
    same = map(is_, map(own.get, ("_state",)), (before,))
    swap = map(own.__setitem__, compress(("_state",), same), (after,))
    steps: list[Any] = [_exchanging.acquire, partial(list, swap), _exchanging.release]
    swapped = list(map(call, steps))[1]
    return bool(swapped)
