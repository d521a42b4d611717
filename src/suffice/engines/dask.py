"""Dask: statistics of each partition, added in a tree; answers that stay lazy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakSet

import numpy as np

import suffice
from suffice.data.columns.text_rules import looks_like_id
from suffice.data.features import check_two_dimensional
from suffice.engines.cluster import Question, dispatch, summarize_rows
from suffice.engines.dask_columns import Cuts
from suffice.engines.named import NamedSplit, split_of
from suffice.engines.parts import Job, Part, Recipe, Sums, length, run, total_value
from suffice.errors import InvalidFeatures, InvalidInput, MissingPackage
from suffice.text import quote_names

# Clients whose workers were result to have this version of the package.
_checked: WeakSet[Any] = WeakSet()


def summarize(X: Any, *given: Any) -> Any:
    """What `suffice.summarize` returns for a Dask array, data frame or delayed table."""
    return summarize_rows(rows_of(X), *given)


def call(estimator: Any, method: str, X: Any, *args: Any, **kwargs: Any) -> Any:
    """What a method of an estimator returns for a Dask array, data frame or delayed table."""
    return dispatch(rows_of(X), estimator, method, args, kwargs)


def rows_of(X: Any) -> ArrayRows | FrameRows | DelayedRows:
    """Dask's collections, as rows in partitions."""
    from dask.delayed import Delayed

    _check_workers()
    if isinstance(X, Delayed | list):
        return DelayedRows(X)
    if hasattr(X, "chunks") and hasattr(X, "ndim"):
        return ArrayRows.of(X)
    if hasattr(X, "npartitions") and getattr(X, "ndim", 0) == 2:
        return FrameRows(X)
    raise InvalidFeatures(
        f"X is a Dask {type(X).__name__}; pass an array of two dimensions or a data frame."
    )


@dataclass(frozen=True, slots=True)
class ArrayRows:
    """A Dask array; each of its partitions has all columns."""

    X: Any

    @classmethod
    def of(cls, X: Any) -> ArrayRows:
        """The rows of an array, after checking its shape."""
        check_two_dimensional(X.shape)
        return cls(X if X.numblocks[1] == 1 else X.rechunk({1: -1}))

    @property
    def untyped(self) -> bool:
        """Whether the type of a column is only known from its values."""
        return bool(self.X.dtype.kind == "O")

    @property
    def has_text(self) -> bool:
        """Whether some columns may hold more than numbers."""
        return self.untyped

    @property
    def sample(self) -> str:
        """The call that brings some rows into memory."""
        return "{}[::10].compute()"

    def over(self, y: Any, weight: Any) -> Sums:
        """The function that applies a recipe to all partitions and adds the results."""
        _, y, weight = split_of((), y, weight)
        return _sums(_aligned(self.X, y, weight))

    def answers(self, question: Question) -> Any:
        """The answers to all rows, as a Dask array with the same partitions."""
        like = question(_example_row(self.X.dtype, int(self.X.shape[1])))[:0]
        shape = {"drop_axis": 1} if like.ndim == 1 else {"chunks": (*self._cuts, like.shape[1:])}
        return self.X.map_blocks(
            _answers, question=_delayed(question), like=like, dtype=like.dtype, meta=like, **shape
        )

    @property
    def _cuts(self) -> tuple[tuple[float, ...]]:
        return (self.X.chunks[0],)


@dataclass(frozen=True, slots=True)
class FrameRows:
    """A Dask data frame."""

    X: Any

    @property
    def sample(self) -> str:
        """The call that brings some rows into memory."""
        return "{}.sample(frac=0.1, random_state=0).compute()"

    @property
    def untyped(self) -> bool:
        """Whether the type of a column is only known from its values."""
        return any(isinstance(dtype, np.dtype) and dtype.kind == "O" for dtype in self.X.dtypes)

    @property
    def has_text(self) -> bool:
        """Whether some columns may hold more than numbers."""
        kinds = (getattr(dtype, "kind", "O") for dtype in self.X.dtypes)
        ids = any(looks_like_id(str(name)) for name in self.X.columns)
        return ids or any(kind not in "fiub" for kind in kinds)

    def over(self, y: Any, weight: Any) -> Sums:
        """The function that applies a recipe to all partitions and adds the results."""
        split, y, weight = split_of(self.X.columns, y, weight)
        return _sums(_aligned(self.X, y, weight), split)

    def answers(self, question: Question) -> Any:
        """The answers to all rows, as a Dask array of unknown chunk sizes."""
        like = question(self.X._meta_nonempty)[:0]
        return self.X.map_partitions(
            _answers, question=_delayed(question), like=like, meta=like, enforce_metadata=False
        )


@dataclass(frozen=True, slots=True)
class DelayedRows:
    """Delayed tables, one per partition: a list of them, or a single one."""

    X: Any

    @property
    def untyped(self) -> bool:
        """Whether the type of a column is only known from the values of all partitions."""
        return isinstance(self.X, list) and len(self.X) > 1

    @property
    def has_text(self) -> bool:
        """Whether some columns may hold more than numbers."""
        return self.untyped

    @property
    def sample(self) -> str:
        """The call that brings some rows into memory."""
        return "{}[0].compute()" if isinstance(self.X, list) else "{}.compute()"

    def over(self, y: Any, weight: Any) -> Sums:
        """The function that applies a recipe to all tables and adds the results."""
        if not isinstance(self.X, list):
            return _sums([[self.X], [y], [weight]])
        columns = [self._pieces(y, "y"), self._pieces(weight, "sample_weight")]
        return _sums([self.X, *columns])

    def answers(self, question: Question) -> Any:
        """The answers to all rows, one delayed value per partition."""
        sent, answer = _delayed(question), _delayed(_answers)
        if isinstance(self.X, list):
            return [answer(rows, sent, None) for rows in self.X]
        return answer(self.X, sent, None)

    def _pieces(self, column: Any, what: str) -> list[Any]:
        n = len(self.X)
        if column is None or isinstance(column, str | int | float | np.number):
            return [column] * n
        if not isinstance(column, list) or len(column) != n:
            raise InvalidInput(
                f"X is a list of {n} partitions; pass {what} as a list of {n}, too, name its "
                "column, or let each partition be a tuple (X, y) or (X, y, weight)."
            )
        return column


def _sums(columns: list[Any], split: NamedSplit | None = None) -> Sums:
    """The function that applies a recipe to all partitions; their graph is built once."""
    return partial(_total, pieces=list(zip(*_blocks(columns), strict=True)), split=split)


def _total(
    recipe: Recipe, pieces: list[Any], split: NamedSplit | None, parts_per_task: int = 4
) -> Any:
    """The parts of all partitions, added in a tree; few per task, so that all workers help."""
    job, make, add = _delayed(Job(recipe)), _delayed(_part), _delayed(_together)

    def total(numbers: Sequence[int]) -> Part | None:
        level = [make(job, split, number, *pieces[number]) for number in numbers]
        while len(level) > 1:
            starts = range(0, len(level), parts_per_task)
            level = [add(job, level[at : at + parts_per_task]) for at in starts]
        return run(level[0].compute) if level else None

    chosen = recipe.spread(len(pieces))
    result = total(chosen)
    if result is not None and not result.rows and len(chosen) < len(pieces):
        result = total(range(len(pieces)))  # those chosen have no rows
    return total_value(result)


def _blocks(columns: list[Any]) -> list[list[Any]]:
    """The pieces of X, y and weights, one list each."""
    import dask

    out = list(columns)
    arrays = [i for i, column in enumerate(columns) if hasattr(column, "chunks")]
    frames = [i for i, column in enumerate(columns) if hasattr(column, "to_delayed")]
    frames = [i for i in frames if i not in arrays]
    # Optimized together, so that shared tasks are computed once.
    for i, one in zip(arrays, dask.optimize(*(columns[i] for i in arrays)), strict=True):
        out[i] = one.to_delayed(optimize_graph=False).ravel().tolist()
    if frames:
        first, *others = (columns[i] for i in frames)
        rows = first.map_partitions(
            _bundle, *others, align_dataframes=False, meta=first._meta, enforce_metadata=False
        ).to_delayed()
        for place, i in enumerate(frames):
            out[i] = [bundle[place] for bundle in rows]
    n = len(out[0])
    return [one if isinstance(one, list) else [one] * n for one in out]


def _bundle(*pieces: Any) -> tuple[Any, ...]:
    return pieces


def _aligned(X: Any, y: Any, weight: Any) -> list[Any]:
    """X, and y and weights cut at the same rows."""
    cuts = Cuts.of(X)
    is_column = weight is not None and not isinstance(weight, int | float | np.number)
    return [
        X,
        None if y is None else cuts.apply(y, "y"),
        cuts.apply(weight, "sample_weight") if is_column else weight,
    ]


def _part(job: Job, split: NamedSplit | None, number: int, X: Any, y: Any, weight: Any) -> Part:
    """The part of one partition, which may be a tuple (X, y) or (X, y, weight)."""
    if isinstance(X, tuple) and y is None and 2 <= len(X) <= 3:
        X, y, weight = (*X, weight) if len(X) == 2 else X
    return job.part(number, X, y, weight, split)


def _together(job: Job, parts: list[Part]) -> Part:
    return job.together(parts)


def _delayed(value: Any) -> Any:
    """The value as a task of its own: a model travels to each worker once."""
    import dask

    return dask.delayed(value, pure=False, traverse=False)


def _answers(rows: Any, question: Question, like: Any) -> Any:
    return question(rows) if length(rows) or like is None else like


def _example_row(dtype: Any, columns: int) -> Any:
    """A row of an array of this type."""
    if dtype.kind == "O":
        return np.full((1, columns), None, dtype=object)
    return np.zeros((1, columns), dtype)


def _check_workers() -> None:
    """Raise unless the workers of the cluster in use, if any, can import this version.

    A worker that cannot would drop its connection with every task, and the job would never end.
    """
    from dask.base import get_scheduler

    client: Any = getattr(get_scheduler(), "__self__", None)
    if not hasattr(client, "run") or client.asynchronous or client in _checked:
        return
    # By built-in names only: the worker must be able to unpickle this without the package.
    versions = client.run(eval, "__import__('suffice').__version__", on_error="return")
    wrong = {
        worker: version for worker, version in versions.items() if version != suffice.__version__
    }
    if wrong:
        worker, version = next(iter(wrong.items()))
        what = (
            f"cannot import suffice ({version})"
            if isinstance(version, Exception)
            else f"has {version}"
        )
        raise MissingPackage(
            f"{len(wrong)} of {len(versions)} workers lack suffice {suffice.__version__}: {worker} "
            f"{what}. Install the same version on {quote_names(wrong)}."
        )
    _checked.add(client)
