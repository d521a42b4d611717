"""Loaded: a model from a file, and tables brought into the form that it takes."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from suffice.cli.options import Reading
from suffice.cli.output import working
from suffice.cli.signing import key
from suffice.errors import InvalidFeatures, InvalidFile, InvalidParameter


@dataclass(frozen=True, slots=True)
class Loaded:
    """A fitted model and the file it came from."""

    model: Any
    source: str

    @property
    def is_pipeline(self) -> bool:
        """Whether levels are made indicators before the model sees them."""
        return hasattr(self.model, "steps")

    @property
    def last(self) -> Any:
        """The model itself, without what is done to rows before."""
        return self.model.steps[-1][1] if self.is_pipeline else self.model

    @property
    def classes(self) -> list[Any]:
        """Its class labels; an error if it has none."""
        found = getattr(self.last, "classes_", None)
        if found is None:
            raise InvalidParameter(
                f"{self.source} holds a {type(self.last).__name__}, which knows no classes."
            )
        return list(found.tolist())

    @property
    def names(self) -> list[str] | None:
        """The columns it was trained on; None if they had no names."""
        first = self.model.steps[0][1] if self.is_pipeline else self.model
        names = getattr(first, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    @property
    def schema(self) -> dict[str, Any]:
        """What its columns must be."""
        from suffice.estimators.model_file.schema import schema_of

        return schema_of(self.model.steps[0][1] if self.is_pipeline else self.model)

    @property
    def text_columns(self) -> list[str]:
        """Columns whose values are texts, whatever they look like."""
        from suffice.statistics.texts import LABEL_KINDS

        schema = self.schema
        if schema["names"] is None:
            return []
        pairs = zip(schema["discrete"], schema["levels"], strict=True)
        return [schema["names"][j] for j, own in pairs if own["kind"] == LABEL_KINDS["U"]]

    def read(self, path: Path, reading: Reading, target: str | None = None) -> Any:
        """A table; its columns of levels, and the target if classes are text, read as text."""
        from suffice.data.table_file import read_table

        text = self.text_columns
        if target is not None and all(isinstance(label, str) for label in self.classes):
            text = [*text, target]
        with working(f"reading {path}"):
            return read_table(path, text=text, missing=reading.missing, encoding=reading.encoding)

    def rows(self, table: Any) -> Any:
        """The columns that the model was trained on, in its order."""
        names = self.names
        if names is None:
            return self._unnamed(table)
        self._check_columns(table, names)
        chosen = table.only(names)
        self._check_numbers(chosen)
        return chosen.features(self.text_columns).frame

    def asked(self, method: str, what: str) -> Any:
        """A method of the model; an error says what to fit where it has none."""
        found = None if self.is_pipeline else getattr(self.model, method, None)
        if found is None:
            kind, other = f"a {type(self.model).__name__}", "lda"
            if self.is_pipeline:
                kind, other = "a model on indicators of levels", "mixed"
            raise InvalidParameter(
                f"{self.source} holds {kind}, which has no {what}. Fit with --model {other}."
            )
        return found

    def inner(self) -> Any:
        """The model itself, which knows the names of the columns it sees."""
        if not self.is_pipeline:
            return self.model
        named = copy(self.last)
        named._state = named._learned.renamed(self.model[:-1].get_feature_names_out())
        return named

    def inner_rows(self, rows: Any) -> Any:
        """Rows as the model itself sees them, under the names of its columns."""
        if not self.is_pipeline:
            return rows
        from suffice.data.table import polars

        names = [str(name) for name in self.model[:-1].get_feature_names_out()]
        return polars().DataFrame(self.model[:-1].transform(rows), schema=names)

    def by_column(self, found: Any) -> tuple[Any, list[str]]:
        """Contributions of the columns of the table: those of the levels of one add up."""
        names = [str(name) for name in self.inner()._feature_names()]
        if not self.is_pipeline:
            return found, names
        import numpy as np

        first = self.model.steps[0][1]
        own = list(first.layout_.numeric)
        for j, levels in zip(first.layout_.discrete, first.levels_, strict=True):
            own += [j] * (len(levels) - 1)
        values = np.zeros((len(found.values), first.n_features_in_))
        for at, j in enumerate(own):
            values[:, j] += found.values[:, at]
        return replace(found, values=values), self.names or names

    def _check_columns(self, table: Any, names: Sequence[str]) -> None:
        from suffice.data.table import named, nearest

        absent = [name for name in names if name not in table.columns]
        if not absent:
            return
        if len(absent) == len(names):
            raise InvalidFeatures(
                f"{self.source} was trained on other columns: {named(names)}; {table.source} has "
                f"{named(table.columns)}."
            )
        other = [name for name in table.columns if name not in names]
        near = nearest(absent[0], other)
        hint = f" Is {absent[0]!r} now called {near!r}?" if near else ""
        raise InvalidFeatures(
            f"{table.source} lacks columns that {self.source} was trained on: {named(absent)}."
            f"{hint} Add them, with empty cells where nothing is known."
        )

    def _check_numbers(self, table: Any) -> None:
        """Raise where text stands in a column that the model takes as numbers."""
        discrete = self.schema["discrete"]
        for j, name in enumerate(table.columns):
            if j in discrete or str(table.frame[name].dtype) != "String":
                continue
            for row, value in enumerate(table.frame[name]):
                if value is not None and not _is_number(value):
                    raise InvalidFeatures(
                        f"{table.source} has {value!r} in row {row} of column {name!r}, where the "
                        "model takes numbers. If that means a missing value, name it by --missing."
                    )

    def _unnamed(self, table: Any) -> Any:
        width = self.model.n_features_in_
        if len(table.columns) != width:
            raise InvalidFeatures(
                f"{self.source} was trained on {width} columns without names; {table.source} has "
                f"{len(table.columns)}. Give it exactly those, in their order."
            )
        return table.features().frame.to_numpy()


def load_model(path: Path) -> Loaded:
    """The model in a file; an error says what is there instead."""
    found = load_any(path)
    if hasattr(found, "predict") or hasattr(found, "steps"):
        return Loaded(found, str(path))
    if hasattr(found, "transform"):
        raise InvalidFile(f"{path} holds a {type(found).__name__}, which is no model.")
    raise InvalidFile(
        f"{path} holds statistics, not a model. Make one: suffice fit {path} --model lda --out "
        "model.suffice"
    )


def load_statistics(path: Path) -> Any:
    """The statistics in a file; an error says what is there instead."""
    found = load_any(path)
    if hasattr(found, "predict") or hasattr(found, "transform") or hasattr(found, "steps"):
        raise InvalidFile(
            f"{path} holds a model, not statistics, which `suffice summarize` writes."
        )
    return found


def is_ours(path: Path) -> bool:
    """Whether a file says of itself that it is a model or statistics."""
    # A pipe can be read but once.
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return b'"suffice":"' in file.read(1024)
    except OSError:
        return False


def load_any(path: Path) -> Any:
    """The model or statistics in a file."""
    import suffice as sf
    from suffice.data.table_output import ENDINGS

    if str(path) == "-":
        raise InvalidFile("a model cannot come from standard input; name its file.")
    if path.is_file() and not is_ours(path) and path.suffix.lower() in (*ENDINGS, ".gz", ".zst"):
        raise InvalidFile(
            f"{path} is a table, not a model or statistics. Is the order swapped? `suffice fit` "
            "makes a model of a table, `suffice summarize` statistics."
        )
    return sf.load(path, key=key())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
