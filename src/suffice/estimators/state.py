"""State: all that an estimator has learned, in one value that is replaced as a whole.

An attribute that is assigned once cannot be half assigned: whatever is raised at whatever line,
an estimator holds its old state or its new one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from itertools import compress
from operator import call, is_
from threading import Lock
from typing import Any, Self, TypeVar, cast

from sklearn.utils.validation import check_is_fitted

from suffice.data.arrays import Array
from suffice.estimators.columns import LearnedColumns

Anyone = TypeVar("Anyone")
Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """What an estimator has learned; `kept` holds what is computed from it when first needed."""

    columns: LearnedColumns
    kept: dict[str, Any] = field(default_factory=dict)

    def once(self, name: str, make: Callable[[], Anyone]) -> Anyone:
        """What `make` returns; of several threads that make it at once, one has its way."""
        found: Anyone | None = self.kept.get(name)
        return self.kept.setdefault(name, make()) if found is None else found

    def renamed(self, names: Array | None) -> Self:
        """The same with other names of the features."""
        return replace(self, columns=LearnedColumns(self.columns.number, names))

    def under(self, priors: Any, model: Any) -> Self:
        """The same with the model under other priors."""
        return replace(self, kept={"model": model})

    def without_statistics(self) -> Self:
        """What is needed to answer for single rows."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        # Simulated distances and the like are cheaper to make again than to send.
        kept = {"model": self.kept["model"]} if "model" in self.kept else {}
        return {**self.__dict__, "kept": kept}


class Stateful:
    """An estimator whose fitted attributes are read from one state."""

    _state: Any = None

    def __sklearn_is_fitted__(self) -> bool:
        return self._state is not None

    @property
    def n_features_in_(self) -> int:
        """How many features a row has."""
        return int(self._learned.columns.number)

    @property
    def feature_names_in_(self) -> Array:
        """Names of the features, where the rows were a data frame."""
        names: Array | None = self._learned.columns.names
        if names is None:
            raise AttributeError(f"this {type(self).__name__} was fitted to rows without names.")
        return names

    @property
    def _learned(self) -> Any:
        """The state; an error of scikit-learn where there is none."""
        found = self._state
        if found is None:
            check_is_fitted(self)
        return found


def snapshot(estimator: Anyone) -> Anyone:
    """A copy that stays as the estimator is now, whatever other threads make it learn."""
    copied = object.__new__(type(estimator))
    copied.__dict__ = estimator.__dict__.copy()
    return copied


def at_once(method: Method) -> Method:
    """A method that answers from one state, though another thread may replace it meanwhile."""

    @wraps(method)
    def answer(self: Any, *args: Any, **kwargs: Any) -> Any:
        return method(snapshot(self), *args, **kwargs)

    return cast(Method, answer)


# One for all estimators is enough, since it is held for a comparison and an assignment only; so
# none of them has a lock of its own to leave out when it is copied or pickled.
_exchanging = Lock()


def exchange(estimator: Stateful, before: Any, after: Any) -> bool:
    """Replace the state `before` by `after`; False where another thread has replaced it already.

    Iterators written in C do all of it in one call, in the midst of which nothing can be raised.
    A `with` statement would leave the lock held if an exception came between its body and its end.
    """
    own = estimator.__dict__
    same = map(is_, map(own.get, ("_state",)), (before,))
    swap = map(own.__setitem__, compress(("_state",), same), (after,))
    steps: list[Any] = [_exchanging.acquire, partial(list, swap), _exchanging.release]
    swapped = list(map(call, steps))[1]
    return bool(swapped)
