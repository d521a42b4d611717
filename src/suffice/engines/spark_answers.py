"""Spark answers: columns that a model adds to a data frame, computed when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from suffice.engines.cluster import Question
from suffice.errors import InvalidFeatures, NotNumbers
from suffice.text import quote_names

# A value of each Spark type, to find the type of a model's answers before any row is read.
EXAMPLES: dict[str, Any] = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), 0),
    **dict.fromkeys(("float", "double", "decimal"), 0.0),
    **dict.fromkeys(("string", "char", "varchar"), ""),
    "boolean": False,
}


def answered(frame: Any, question: Question) -> Any:
    """The frame with the answers to a question; only the columns of the model are read."""
    from pyspark.sql import functions as F

    features = _features(frame, question.model)
    kinds = dict(frame.dtypes)
    row = F.struct(*(_column(frame, name, kinds[name]) for name in features))
    like = _answer(question, _example_row(features, kinds))
    if question.method == "impute":
        return _imputed(frame, question, features, row)
    if question.column in features:
        raise InvalidFeatures(
            f"the answers go to a column {question.column!r}, which the model was fitted on; "
            "rename it and fit again."
        )
    # Spark types by the kind of a NumPy array.
    types = {"i": "bigint", "u": "bigint", "f": "double", "b": "boolean", "U": "string"}
    kind = types[_values(like, question).dtype.kind]
    kind = kind if like.ndim == 1 else f"array<{kind}>"
    return frame.withColumn(question.column, _function(question, kind, _series)(row))


def _imputed(frame: Any, question: Question, features: list[str], row: Any) -> Any:
    """The frame with the columns of the model filled in; numbers become doubles."""
    kinds = dict(frame.dtypes)
    named = [isinstance(EXAMPLES[_base(kinds[name])], str | bool) for name in features]
    types = [
        kinds[f] if is_named else "double" for f, is_named in zip(features, named, strict=True)
    ]
    fields = ", ".join(f"c{j} {kind}" for j, kind in enumerate(types))

    def table(values: Any) -> Any:
        import pandas as pd

        columns = np.asarray(values).reshape(-1, len(features)).T
        return pd.DataFrame({f"c{j}": column for j, column in enumerate(columns)}).infer_objects()

    aside = "filled"
    while aside in frame.columns:
        aside += "_"
    filled = frame.withColumn(aside, _function(question, f"struct<{fields}>", table)(row))
    columns = {name: filled[aside][f"c{j}"] for j, name in enumerate(features)}
    return filled.withColumns(columns).drop(aside)


def _features(frame: Any, model: Any) -> list[str]:
    """The columns that a model was fitted on, by name where it has names."""
    columns = list(frame.columns)
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        if len(columns) != model.n_features_in_:
            raise InvalidFeatures(
                f"X has {len(columns)} columns, but the model was fitted on "
                f"{model.n_features_in_} features without names; select those first."
            )
        return columns
    lost = [name for name in names if name not in columns]
    if lost:
        raise InvalidFeatures(
            f"X lacks the column{'s' * (len(lost) > 1)} {quote_names(lost)}, which the model was "
            f"fitted on; it has {quote_names(columns)}."
        )
    return [str(name) for name in names]


def _function(question: Question, kind: str, to_pandas: Callable[[Any], Any]) -> Any:
    """A function of Spark that answers the question, batch by batch."""
    import pandas as pd
    from pyspark.sql import functions as F

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        for rows in batches:
            yield to_pandas(_values(_answer(question, rows), question) if len(rows) else [])

    # Spark reads the kind of the function from its annotations.
    given = pd.Series if to_pandas is _series else pd.DataFrame
    work.__annotations__ = {
        "batches": Iterator[pd.DataFrame],
        "return": Iterator[given],  # type: ignore[valid-type]
    }
    return F.pandas_udf(work, kind)


def _answer(question: Question, rows: Any) -> Any:
    """The answers to a frame, without names for a model that was fitted without them."""
    named = hasattr(question.model, "feature_names_in_")
    return question(rows if named else rows.to_numpy())


def _series(values: Any) -> Any:
    import pandas as pd

    values = np.asarray(values)
    return pd.Series(values.tolist() if values.ndim == 1 else list(values))


def _values(answers: Any, question: Question) -> Any:
    """Answers as an array of one type, unless some of them are None."""
    if question.method == "decide" and not any(answer is None for answer in answers):
        return answers.astype(question.model.classes_.dtype)
    return answers


def _example_row(features: list[str], kinds: dict[str, str]) -> Any:
    import pandas as pd

    return pd.DataFrame({name: [EXAMPLES[_checked(name, kinds[name])]] for name in features})


def _checked(name: str, kind: str) -> str:
    if _base(kind) not in EXAMPLES:
        raise NotNumbers(
            f"column {name!r} holds {kind}; features must be numbers, booleans or strings. "
            "Encode or drop it, or choose columns first."
        )
    return _base(kind)


def _base(kind: str) -> str:
    return kind.partition("(")[0]


def _column(frame: Any, name: str, kind: str) -> Any:
    column = frame[_quoted(name)]
    return column.cast("double").alias(name) if _base(kind) == "decimal" else column


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
