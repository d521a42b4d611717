"""Dask: statistics a partition, added in a tree; answers that stay lazy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from suffice.engines.cluster import Question, asked
from suffice.engines.dask_columns import Cuts
from suffice.engines.dask_workers import check_workers
from suffice.engines.named import NamedSplit, split_of
from suffice.engines.parts import Job, Part, Recipe, Sums, found, length, run
from suffice.engines.recipes import MomentsRecipe
from suffice.errors import InvalidFeatures, InvalidInput

# So many parts are added in one task: few, so that all workers take part in it.
FAN_IN = 4


def summarize(X: Any, y: Any, sample_weight: Any, detail: str, target: str | None) -> Any:
    """What `suffice.summarize` returns for a Dask array, data frame or delayed table."""
    if target is not None and y is not None:
        raise InvalidInput("target names the label column of a data frame; pass no y beside it.")
    return rows_of(X).over(y if target is None else target, sample_weight)(MomentsRecipe(detail))


def call(estimator: Any, method: str, X: Any, *args: Any, **kwargs: Any) -> Any:
    """What a method of an estimator returns for a Dask array, data frame or delayed table."""
    return asked(rows_of(X), estimator, method, args, kwargs)


def rows_of(X: Any) -> ArrayRows | FrameRows | DelayedRows:
    """Dask's collections, as rows in partitions."""
    from dask.delayed import Delayed

    check_workers()
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
        if X.ndim != 2:
            raise InvalidFeatures(
                f"Expected 2D array, got {X.ndim}D array instead (shape {X.shape}). "
                "Reshape your data: X.reshape(-1, 1) for one feature."
            )
        return cls(X if X.numblocks[1] == 1 else X.rechunk({1: -1}))

    @property
    def untyped(self) -> bool:
        """Whether only the values tell what a column holds."""
        return bool(self.X.dtype.kind == "O")

    def over(self, y: Any, weight: Any) -> Sums:
        """What makes recipes of all partitions: computed when it is called."""
        _, y, weight = split_of((), y, weight)
        return _sums(_aligned(self.X, y, weight))

    def answers(self, question: Question) -> Any:
        """The answers to all rows, as a Dask array with the same partitions."""
        like = question(_imagined(self.X.dtype, int(self.X.shape[1])))[:0]
        shape = {"drop_axis": 1} if like.ndim == 1 else {"chunks": (*self._cuts, like.shape[1:])}
        return self.X.map_blocks(
            _answers, question=_sent(question), like=like, dtype=like.dtype, meta=like, **shape
        )

    @property
    def _cuts(self) -> tuple[tuple[float, ...]]:
        return (self.X.chunks[0],)


@dataclass(frozen=True, slots=True)
class FrameRows:
    """A Dask data frame."""

    X: Any

    @property
    def untyped(self) -> bool:
        """Whether only the values tell what a column holds."""
        return any(isinstance(dtype, np.dtype) and dtype.kind == "O" for dtype in self.X.dtypes)

    def over(self, y: Any, weight: Any) -> Sums:
        """What makes recipes of all partitions: computed when it is called."""
        split, y, weight = split_of(self.X.columns, y, weight)
        return _sums(_aligned(self.X, y, weight), split)

    def answers(self, question: Question) -> Any:
        """The answers to all rows, as a Dask array; how many each partition has is not known."""
        like = question(self.X._meta_nonempty)[:0]
        return self.X.map_partitions(
            _answers, question=_sent(question), like=like, meta=like, enforce_metadata=False
        )


@dataclass(frozen=True, slots=True)
class DelayedRows:
    """Tables that are yet to be made, a partition each: a list of them, or a single one."""

    X: Any

    @property
    def untyped(self) -> bool:
        """Whether only the values of all partitions tell what a column holds."""
        return isinstance(self.X, list) and len(self.X) > 1

    def over(self, y: Any, weight: Any) -> Sums:
        """What makes recipes of all tables: computed when it is called."""
        if not isinstance(self.X, list):
            return _sums([[self.X], [y], [weight]])
        columns = [self._pieces(y, "y"), self._pieces(weight, "sample_weight")]
        return _sums([self.X, *columns])

    def answers(self, question: Question) -> Any:
        """The answers to all rows, delayed, a partition each."""
        sent, answer = _sent(question), _delayed(_answers)
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
    """What makes recipes of all partitions, of which the graph is made once."""
    return partial(_total, pieces=list(zip(*_blocks(columns), strict=True)), split=split)


def _total(recipe: Recipe, pieces: list[Any], split: NamedSplit | None) -> Any:
    """The parts of all partitions, added in a tree."""
    job, made, added = _delayed(Job(recipe)), _delayed(_part), _delayed(_together)
    level = [made(job, split, number, *piece) for number, piece in enumerate(pieces)]
    while len(level) > 1:
        groups = [level[at : at + FAN_IN] for at in range(0, len(level), FAN_IN)]
        level = [added(job, group) for group in groups]
    return found(run(level[0].compute) if level else None)


def _blocks(columns: list[Any]) -> list[list[Any]]:
    """The pieces of X, y and weights, a list of them each."""
    import dask

    out = list(columns)
    arrays = [i for i, column in enumerate(columns) if hasattr(column, "chunks")]
    frames = [i for i, column in enumerate(columns) if hasattr(column, "to_delayed")]
    frames = [i for i in frames if i not in arrays]
    # Together, so that what they have in common is computed once.
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
    weighs_alike = weight is None or isinstance(weight, int | float | np.number)
    return [
        X,
        None if y is None else cuts.apply(y, "y"),
        weight if weighs_alike else cuts.apply(weight, "sample_weight"),
    ]


def _part(job: Job, split: NamedSplit | None, number: int, X: Any, y: Any, weight: Any) -> Part:
    """The part of one partition, which may be a tuple (X, y) or (X, y, weight)."""
    if isinstance(X, tuple) and y is None and 2 <= len(X) <= 3:
        X, y, weight = (*X, weight) if len(X) == 2 else X
    return job.part(number, X, y, weight, split)


def _together(job: Job, parts: list[Part]) -> Part:
    return job.together(parts)


def _sent(question: Question) -> Any:
    """The question as a task of its own, so that the model travels to each worker once."""
    return _delayed(question)


def _delayed(value: Any) -> Any:
    import dask

    return dask.delayed(value, pure=False, traverse=False)


def _answers(rows: Any, question: Question, like: Any) -> Any:
    return question(rows) if length(rows) or like is None else like


def _imagined(dtype: Any, columns: int) -> Any:
    """A row such as an array of this type may hold."""
    if dtype.kind == "O":
        return np.full((1, columns), None, dtype=object)
    return np.zeros((1, columns), dtype)
