"""Spark: statistics of each partition, added in a tree; answers as columns that stay lazy."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from suffice.data.columns.text_rules import looks_like_id
from suffice.engines.cluster import Question, dispatch, summarize_rows
from suffice.engines.named import NamedSplit, split_of
from suffice.engines.parts import Job, Part, Recipe, Sums, run, total_value
from suffice.engines.spark_answers import answered
from suffice.errors import InvalidFeatures, InvalidInput, InvalidLabels, InvalidWeights
from suffice.text import quote_names

PARTS_PER_TASK = 32  # parts that one task adds
ROUNDS = 2  # of adding parts in tasks, before the driver adds the rest


def summarize(
    X: Any, y: Any, sample_weight: Any, detail: str, target: str | None, *given: Any
) -> Any:
    """What `suffice.summarize` returns for a Spark data frame that holds the labels."""
    if y is None and target is None:
        raise InvalidLabels("y is missing: name the label column, target='label'.")
    return summarize_rows(rows_of(X), y, sample_weight, detail, target, *given)


def call(estimator: Any, method: str, X: Any, *args: Any, **kwargs: Any) -> Any:
    """What a method of an estimator returns for a Spark data frame."""
    return dispatch(rows_of(X), estimator, method, args, kwargs)


def rows_of(X: Any) -> SparkRows:
    """A Spark data frame, as rows in partitions."""
    if not hasattr(X, "mapInArrow"):
        hint = "call X.to_spark() first" if hasattr(X, "to_spark") else "pass a data frame"
        raise InvalidFeatures(f"X is a Spark {type(X).__name__}; {hint}.")
    twice = {name for name in X.columns if X.columns.count(name) > 1}
    if twice:
        raise InvalidFeatures(
            f"X has more than one column {quote_names(sorted(twice))}; rename them."
        )
    return SparkRows(X)


@dataclass(frozen=True, slots=True)
class SparkRows:
    """A Spark data frame; labels and weights are columns of it."""

    frame: Any

    @property
    def untyped(self) -> bool:
        """Never: the schema has the type of each column."""
        return False

    @property
    def has_text(self) -> bool:
        """Whether some columns may hold more than numbers."""
        kinds = dict(self.frame.dtypes).values()
        ids = any(map(looks_like_id, self.frame.columns))
        return ids or any(kind in ("string", "boolean", "date", "timestamp") for kind in kinds)

    @property
    def sample(self) -> str:
        """The call that brings some rows into memory."""
        return "{}.sample(0.1).toPandas()"

    def over(self, y: Any, weight: Any) -> Sums:
        """The function that applies a recipe to all partitions and adds the results."""
        _check_named(y, "y", InvalidLabels)
        _check_named(weight, "sample_weight", InvalidWeights)
        split, _, _ = split_of(self.frame.columns, y, weight)
        assert split is not None
        return partial(_total, frame=_numbered(self.frame), split=split)

    def answers(self, question: Question) -> Any:
        """The frame with a column of answers; other columns are carried along."""
        return answered(self.frame, question)


def _total(recipe: Recipe, frame: Any, split: NamedSplit) -> Any:
    """The parts of all partitions, added in a tree."""
    job = Job(recipe)
    # The columns that parts travel in.
    schema = "number long, part binary"
    parts = frame.mapInArrow(_parts(job, split), schema)
    for _ in range(ROUNDS):
        group = (parts["number"] / PARTS_PER_TASK).cast("long").alias("group")
        parts = parts.groupBy(group).applyInArrow(_adder(job, PARTS_PER_TASK), schema)
    rows = run(parts.collect)
    return total_value(job.together(pickle.loads(row.part) for row in rows) if rows else None)


def _numbered(frame: Any) -> Any:
    """The frame with numbered columns, since names may have dots, and decimals as floats."""
    plain = frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))
    decimals = [name for name, kind in plain.dtypes if kind.startswith("decimal")]
    return plain.withColumns({name: plain[name].cast("double") for name in decimals})


def _check_named(column: Any, what: str, kind: type[InvalidInput]) -> None:
    if column is not None and not isinstance(column, str):
        raise kind(
            f"{what} is a {type(column).__name__}; name the column of the Spark data frame that "
            "holds it, since its rows have no order."
        )


def _parts(job: Job, split: NamedSplit) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """The function that makes the part of each partition."""

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
            if job.recipe.most_partitions is not None:
                break  # the first rows are enough
            first_row += table.num_rows
        yield from _as_row(number, total).to_batches()

    return work


def _adder(job: Job, group_size: int) -> Callable[[Any], Any]:
    """The function that adds the parts of a group."""

    def work(table: Any) -> Any:
        parts = [pickle.loads(part) for part in table["part"].to_pylist()]
        return _as_row(table["number"][0].as_py() // group_size, job.together(parts))

    return work


def _as_row(number: int, part: Part) -> Any:
    """A table of one row, as the schema has it."""
    import pyarrow as pa

    columns = {"number": pa.array([number], pa.int64())}
    return pa.table({**columns, "part": pa.array([pickle.dumps(part)], pa.binary())})


def _chunks(batches: Iterable[Any]) -> Iterator[Any]:
    """Tables of about 32 MB, from batches that may be small."""
    import pyarrow as pa

    waiting: list[Any] = []
    chunk_bytes = 32 << 20  # rows that are summarized together: few parts, and bounded memory
    for batch in batches:
        waiting.append(batch)
        if sum(one.nbytes for one in waiting) >= chunk_bytes:
            yield pa.Table.from_batches(waiting).combine_chunks()
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting).combine_chunks()
