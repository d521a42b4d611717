"""Parts: what each partition contributes, by value, and how the parts are added."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

import suffice
from suffice.engines.named import NamedSplit, split_rows
from suffice.errors import InvalidFeatures, InvalidInput, InvalidWeights, MissingPackage
from suffice.statistics.passes.threads import usual_threads

Result = TypeVar("Result")


class Recipe:
    """What is computed from the rows of a partition, and how two such values are added."""

    __slots__ = ()

    most_partitions: int | None = None  # number that is enough; None if all must be read

    def spread(self, partitions: int) -> list[int]:
        """The first partition, the last one, and some between, at equal distances."""
        most = min(partitions, self.most_partitions or partitions)
        return [i * (partitions - 1) // max(1, most - 1) for i in range(most)]

    def of(self, X: Any, y: Any, weight: Any) -> Any:
        """The value of some rows."""
        raise NotImplementedError

    def added(self, a: Any, b: Any) -> Any:
        """The value of the rows of both."""
        return a + b


# The value that a recipe has over all partitions.
Sums = Callable[[Recipe], Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """What is wrong with some rows, as a value: a cluster would retry a task that raised it."""

    kind: type[Exception]
    message: str

    def error(self) -> Exception:
        """The error to raise where the job was started."""
        return self.kind(self.message)


@dataclass(frozen=True, slots=True)
class Part:
    """What consecutive partitions contribute: the value of a recipe, or what is wrong with them."""

    first: int
    last: int
    rows: int = 0
    value: Any = None  # None if no row has weight
    failure: Failure | None = None

    @property
    def place(self) -> str:
        """Which partitions, in words."""
        if self.first == self.last:
            return f"partition {self.first}"
        return f"partitions {self.first} to {self.last}"


@dataclass(frozen=True, slots=True)
class Job:
    """A recipe as it travels to the workers, with the version of the package that made it."""

    recipe: Recipe
    version: str = suffice.__version__

    def part(
        self,
        number: int,
        table: Any,
        y: Any,
        weight: Any,
        split: NamedSplit | None = None,
        first_row: int = 0,
    ) -> Part:
        """The part of one partition, or of its rows from `first_row` on."""
        place = f"partition {number}" + (f", after {first_row} rows" if first_row else "")

        def work() -> Part:
            self._check_version()
            X, labels, weights = split_rows(split, table, y, weight)
            n = _checked_length(X, labels)
            if not n or _is_weightless(weights, n):
                return Part(number, number, n)
            return Part(number, number, n, self.recipe.of(X, labels, weights))

        return _reported(work, place, number, number)

    def together(self, parts: Iterable[Part]) -> Part:
        """The sum of all parts, in the order of the partitions."""
        first, *others = sorted(parts, key=lambda part: part.first)
        for other in others:
            first = self._both(first, other)
        return first

    def _both(self, a: Part, b: Part) -> Part:
        if a.failure is not None or b.failure is not None:
            return a if a.failure is not None else b
        first, last, rows = min(a.first, b.first), max(a.last, b.last), a.rows + b.rows
        if a.value is None or b.value is None:
            return Part(first, last, rows, b.value if a.value is None else a.value)

        def work() -> Part:
            return Part(first, last, rows, self.recipe.added(a.value, b.value))

        return _reported(work, f"{a.place} and {b.place}", first, last)

    def _check_version(self) -> None:
        if self.version != suffice.__version__:
            raise MissingPackage(
                f"a worker has suffice {suffice.__version__} and this process {self.version}; "
                "install the same version on all of them."
            )


def single_threaded() -> AbstractContextManager[None]:
    """One thread per task: clusters run one task per core."""
    return usual_threads(1)


def _reported(work: Callable[[], Part], place: str, first: int, last: int) -> Part:
    """What work returns, or a part that says what is wrong and where."""
    try:
        with single_threaded():
            return work()
    except (InvalidInput, MissingPackage) as error:
        return Part(first, last, failure=Failure(type(error), f"{place}: {error}"))


def total_value(total: Part | None) -> Any:
    """The value of all partitions together; raises the error of a partition that has one."""
    if total is not None and total.failure is not None:
        raise total.failure.error()
    if total is not None and total.value is not None:
        return total.value
    if total is not None and total.rows:
        raise InvalidWeights("sample_weight is zero in every row, so nothing would be counted.")
    raise InvalidFeatures("no partition holds a row: X is empty.")


def run(work: Callable[[], Result]) -> Result:
    """What a job returns; raises MissingPackage if workers lack this package."""
    try:
        return work()
    except Exception as error:
        if not any("No module named 'suffice" in text for text in _texts(error)):
            raise
        raise MissingPackage(
            "a worker cannot import suffice; install the same version there as here "
            f"({suffice.__version__}), with numpy and scikit-learn beside it."
        ) from error


def _texts(error: BaseException | None) -> Iterable[str]:
    while error is not None:
        yield str(error)
        error = error.__cause__ or error.__context__


def length(table: Any) -> int:
    """The number of rows of an array, a frame or a list; 1 if it is unknown before reading."""
    shape = getattr(table, "shape", None)
    if shape:
        return int(shape[0])
    return len(table) if hasattr(table, "__len__") else 1


def _checked_length(X: Any, y: Any) -> int:
    n = length(X)
    if y is None:
        return n
    labels = length(y)
    if n != labels:
        raise InvalidInput(
            f"X has {n} rows but y has {labels} labels: inconsistent numbers of samples. X and y "
            "must be cut at the same rows; take y from the same collection as X."
        )
    return n


def _is_weightless(weight: Any, n: int) -> bool:
    """Whether all rows of a partition have weight zero."""
    if weight is None:
        return False
    values = np.asarray(weight)
    return values.shape == (n,) and values.dtype.kind in "fiub" and not values.any()
