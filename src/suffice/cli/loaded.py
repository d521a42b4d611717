"""Loaded: a model from a file, and tables brought into the form that it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suffice.cli.options import LabelledReading, Reading, needed
from suffice.cli.signing import key
from suffice.cli.training import TrainingTable, read
from suffice.errors import InvalidFeatures, InvalidFile, InvalidParameter

if TYPE_CHECKING:
    from suffice.data.tables.table_layout import TableLayout


GAUSSIAN = "lda, qda, nb, diagonal-lda or gaussian"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A fitted model and the file it came from."""

    model: Any
    source: str

    @property
    def first(self) -> Any:
        """What reads the columns of a table: the model, or the first step of a pipeline."""
        steps = getattr(self.model, "steps", None)
        return self.model if steps is None else steps[0][1]

    @property
    def classes(self) -> list[Any]:
        """Its class labels; an error if it has none."""
        classes = getattr(self.model, "classes_", None)
        if classes is None:
            raise InvalidParameter(
                f"{self.source} holds a {type(self.model).__name__}, which has no classes."
            )
        return list(classes.tolist())

    @property
    def target(self) -> str | None:
        """The column of the classes that it was trained with, if it is known."""
        return getattr(self.model, "target_name_", None)

    def target_or(self, given: str | None) -> str:
        """The column of the classes: as given, or as the model was trained."""
        return needed(given or self.target)

    @property
    def names(self) -> list[str] | None:
        """The columns it was trained on; None if they had no names."""
        names = getattr(self.first, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    @property
    def all_names(self) -> list[str]:
        """The columns it was trained on; x1, x2, ... if they had no names."""
        return self.names or [f"x{j + 1}" for j in range(self.first.n_features_in_)]

    @property
    def schema(self) -> dict[str, Any]:
        """What its columns must be."""
        from suffice.estimators.model_file.schema import schema_of

        return schema_of(self.first)

    @property
    def text_columns(self) -> list[str]:
        """Columns whose values are text, whatever they look like."""
        from suffice.estimators.model_file.schema import LABEL_KINDS

        schema = self.schema
        if schema["names"] is None:
            return []
        pairs = zip(schema["discrete"], schema["levels"], strict=True)
        return [schema["names"][j] for j, own in pairs if own["kind"] == LABEL_KINDS["U"]]

    def read(self, path: Path, reading: Reading, target: str | None = None) -> Any:
        """A table; its categories, and the target if classes are text, are read as text."""
        text = self.text_columns
        if target is not None and all(isinstance(label, str) for label in self.classes):
            text = [*text, target]
        return read(path, reading, text)

    def read_labelled(self, path: Path, reading: LabelledReading) -> TrainingTable:
        """The same with the classes and weights of the rows."""
        from suffice.data.tables.table_labels import labels_and_weights

        target = self.target_or(reading.target)
        table = self.read(path, reading, target)
        kept, labels, own = labels_and_weights(
            table,
            target,
            reading.weights,
            reading.drop_unlabelled,
            several=False,
            discrete=False,
        )
        return TrainingTable(self.rows(kept), labels, own, table.source)

    def rows(self, table: Any) -> Any:
        """The columns that the model was trained on, in its order."""
        from suffice.data.tables.table_output import table_features

        own = getattr(self.model, "columns_", None)
        layout = self._layout(table.columns) if own is None else own
        if self.names is None:
            layout = replace(layout, named=False)
        self._check_columns(table, layout.used)
        features = table_features(table, layout)
        if own is not None:
            return table.only(own.used).frame
        return features.to_numpy() if self.names is None else features.select(self.names)

    def _layout(self, columns: Sequence[str]) -> TableLayout:
        """How the columns of a table are read."""
        import numpy as np

        from suffice.data.tables.table_layout import TableLayout

        schema, names = self.schema, self.all_names
        pairs = zip(schema["discrete"], schema["levels"], strict=True)
        levels = {names[j]: np.array(own["values"]) for j, own in pairs}
        return TableLayout.of_features(names, levels, columns)

    def method(self, name: str, otherwise: str, instead: str = "lda") -> Any:
        """A method of the model; if it has none, an error says what to fit instead."""
        if not hasattr(self.model, name):
            kind = type(self.model).__name__
            raise InvalidParameter(
                f"{self.source} holds a {kind}, {otherwise}. Fit with --model {instead}."
            )
        return getattr(self.model, name)

    def _check_columns(self, table: Any, names: Sequence[str]) -> None:
        from suffice.data.tables.table import check_lacks_none

        if self.names is None and len(names) != len(table.columns):
            raise InvalidFeatures(
                f"{self.source} was trained on {len(names)} columns without names; {table.source} "
                f"has {len(table.columns)}. Give it exactly those, in their order."
            )
        owner = f", on which {self.source} was trained"
        advice = " Add them, with empty cells where nothing is known."
        wanted = () if self.names is None else names
        check_lacks_none(wanted, table.columns, table.source, owner, advice)


def load_model(path: Path) -> Loaded:
    """The model in a file; an error says what the file holds instead."""
    content = load_any(path)
    if hasattr(content, "predict") or hasattr(content, "steps"):
        return Loaded(content, str(path))
    if hasattr(content, "transform"):
        raise InvalidFile(f"{path} holds a {type(content).__name__}, which is not a model.")
    raise InvalidFile(
        f"{path} holds statistics, not a model. Make one: suffice fit {path} --model lda --out "
        "model.suffice"
    )


def load_statistics(path: Path) -> Any:
    """The statistics in a file; an error says what the file holds instead."""
    content = load_any(path)
    if hasattr(content, "predict") or hasattr(content, "transform") or hasattr(content, "steps"):
        raise InvalidFile(
            f"{path} holds a model, not statistics; `suffice summarize` makes them from a table."
        )
    return content


def is_ours(path: Path) -> bool:
    """Whether a file declares itself to be a model or statistics."""
    # A pipe can be read only once.
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
    from suffice.data.tables.table_output import ENDINGS

    if str(path) == "-":
        raise InvalidFile("a model cannot come from standard input; name its file.")
    if path.is_file() and not is_ours(path) and path.suffix.lower() in (*ENDINGS, ".gz", ".zst"):
        raise InvalidFile(
            f"{path} is a table, not a model or statistics. Is the order swapped? `suffice fit` "
            "makes a model from a table, `suffice summarize` statistics."
        )
    return sf.load(path, key=key())
