"""Spark: statistics a partition, added in a tree; answers as columns that stay lazy."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from suffice.engines.cluster import Question, asked
from suffice.engines.named import NamedSplit, split_of
from suffice.engines.parts import Job, Part, Recipe, Sums, found, run
from suffice.engines.recipes import MomentsRecipe
from suffice.engines.spark_answers import answered
from suffice.errors import InvalidFeatures, InvalidInput, InvalidLabels, InvalidWeights
from suffice.statistics.statistics import listed

# So many parts are added in one task; and in how many rounds before the driver adds the rest.
FAN_IN, ROUNDS = 32, 2

# Rows are read together up to this many bytes: few parts, and bounded memory.
CHUNK_BYTES = 32 << 20

# How a part travels.
SCHEMA = "number long, part binary"


def summarize(X: Any, y: Any, sample_weight: Any, detail: str, target: str | None) -> Any:
    """What `suffice.summarize` returns for a Spark data frame that holds the labels."""
    if target is not None and y is not None:
        raise InvalidInput("target names the label column of a data frame; pass no y beside it.")
    y = y if target is None else target
    if y is None:
        raise InvalidLabels("y is missing: name the label column, target='label'.")
    return rows_of(X).over(y, sample_weight)(MomentsRecipe(detail))


def call(estimator: Any, method: str, X: Any, *args: Any, **kwargs: Any) -> Any:
    """What a method of an estimator returns for a Spark data frame."""
    return asked(rows_of(X), estimator, method, args, kwargs)


def rows_of(X: Any) -> SparkRows:
    """A Spark data frame, as rows in partitions."""
    if not hasattr(X, "mapInArrow"):
        hint = "call X.to_spark() first" if hasattr(X, "to_spark") else "pass a data frame"
        raise InvalidFeatures(f"X is a Spark {type(X).__name__}; {hint}.")
    twice = {name for name in X.columns if X.columns.count(name) > 1}
    if twice:
        raise InvalidFeatures(f"X has more than one column {listed(sorted(twice))}; rename them.")
    return SparkRows(X)


@dataclass(frozen=True, slots=True)
class SparkRows:
    """A Spark data frame; labels and weights are columns of it."""

    frame: Any

    @property
    def untyped(self) -> bool:
        """The schema tells what a column holds."""
        return False

    def over(self, y: Any, weight: Any) -> Sums:
        """What makes recipes of all partitions: computed when it is called."""
        _check_named(y, "y", InvalidLabels)
        _check_named(weight, "sample_weight", InvalidWeights)
        split, _, _ = split_of(self.frame.columns, y, weight)
        assert split is not None
        return partial(_total, frame=_plain(self.frame), split=split)

    def answers(self, question: Question) -> Any:
        """The frame with a column of answers; other columns are carried along."""
        return answered(self.frame, question)


def _total(recipe: Recipe, frame: Any, split: NamedSplit) -> Any:
    """The parts of all partitions, added in a tree."""
    job = Job(recipe)
    parts = frame.mapInArrow(_parts(job, split), SCHEMA)
    for _ in range(ROUNDS):
        group = (parts["number"] / FAN_IN).cast("long").alias("group")
        parts = parts.groupBy(group).applyInArrow(_added(job, FAN_IN), SCHEMA)
    rows = run(parts.collect)
    return found(job.together(pickle.loads(row.part) for row in rows) if rows else None)


def _plain(frame: Any) -> Any:
    """The frame with decimals as floats and columns numbered: names may have dots in them."""
    plain = frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))
    decimals = [name for name, kind in plain.dtypes if kind.startswith("decimal")]
    return plain.withColumns({name: plain[name].cast("double") for name in decimals})


def _check_named(column: Any, what: str, kind: type[InvalidInput]) -> None:
    if column is not None and not isinstance(column, str):
        raise kind(
            f"{what} is a {type(column).__name__}; for a Spark data frame name the column that "
            "holds it, since rows have no order to go by."
        )


def _parts(job: Job, split: NamedSplit) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """The function that makes one part of each partition."""

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        number, first_row = context.partitionId(), 0
        total = Part(number, number)
        for table in _chunks(batches):
            if total.failure is None:
                named = table.rename_columns(list(split.columns))
                part = job.part(number, named, None, None, split, first_row)
                total = job.together([total, part])
            first_row += table.num_rows
        yield from _packed(number, total).to_batches()

    return work


def _added(job: Job, fan_in: int) -> Callable[[Any], Any]:
    """The function that adds the parts of a group of so many partitions."""

    def work(table: Any) -> Any:
        parts = [pickle.loads(part) for part in table["part"].to_pylist()]
        return _packed(table["number"][0].as_py() // fan_in, job.together(parts))

    return work


def _packed(number: int, part: Part) -> Any:
    import pyarrow as pa

    columns = {"number": pa.array([number], pa.int64())}
    return pa.table({**columns, "part": pa.array([pickle.dumps(part)], pa.binary())})


def _chunks(batches: Iterable[Any]) -> Iterator[Any]:
    """Tables of so many bytes, from batches that may be small."""
    import pyarrow as pa

    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(one.nbytes for one in waiting) >= CHUNK_BYTES:
            yield pa.Table.from_batches(waiting).combine_chunks()
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting).combine_chunks()
