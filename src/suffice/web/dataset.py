"""Dataset: a table, its statistics or known parameters, as the page takes them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.batches import batches
from suffice.data.features import as_features, infinite
from suffice.data.tables.encoding import Encoding
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidFeatures, InvalidLabels, InvalidParameter, TooFewRows
from suffice.models.covariances.linalg import whitener
from suffice.models.gaussian import GaussianModel, class_matrices
from suffice.plots.columns import select_columns
from suffice.reports.material import Material
from suffice.statistics.statistics import Statistics
from suffice.statistics.summarize import summarize_batches
from suffice.text import plural, quote_names, shown, visible

# Rows that a page draws; more are represented by a sample, and the statistics are of all.
MOST_ROWS = 20_000


@dataclass(frozen=True, eq=False, slots=True)
class Dataset:
    """What one page shows.

    rows, codes : (n, d) and (n,); None if only statistics are given
    statistics : of all rows, if `rows` are a sample of them or None
    known : known parameters, if there are no rows at all
    settings : of the model to begin with
    notes : what was left out, and why
    """

    name: str
    features: tuple[str, ...]
    classes: Array
    count: int
    rows: Floats | None = None
    codes: Indices | None = None
    statistics: Statistics | None = None
    known: GaussianModel | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, X: Any, y: Any, name: str = "data") -> Dataset:
        """The complete rows of a table, as numbers."""
        material = Material.read(X, y)
        table, names, notes = _observed_columns(material)
        reader = TableReader.of(table)
        if reader is None:
            features = as_features(table)
            numbers = features.read(0, features.shape[0])
        else:
            encoding = Encoding.of(table, reader)
            numbers, names = encoding.encode(table), encoding.names
        numbers = np.asarray(numbers, np.float64)
        error = infinite(numbers, 0, tuple(map(str, names)))
        if error is not None:
            raise error
        made = cls(name, tuple(map(str, names)), material.classes, len(numbers), notes=notes)
        return made._with_rows(numbers, material.codes)._sampled()

    @classmethod
    def of_statistics(cls, statistics: Statistics, name: str = "data") -> Dataset:
        """Statistics without rows."""
        if not isinstance(statistics, Statistics) or statistics.detail != "separate":
            raise InvalidParameter(
                "the page takes statistics of complete rows with detail='separate'; see summarize."
            )
        d = statistics.n_features
        names = statistics.feature_names or tuple(f"x{j + 1}" for j in range(d))
        count = int(statistics.count.sum())
        made = cls(name, names, statistics.classes, count, statistics=statistics)
        return made._checked()

    @classmethod
    def of_parameters(cls, model: GaussianModel, names: tuple[str, ...], name: str) -> Dataset:
        """Known parameters, without rows or statistics."""
        return cls(name, names, model.classes, 0, known=model)._checked()

    def without_rows(self) -> Dataset:
        """The same as statistics only: no row is part of the page."""
        if self.rows is None or self.codes is None:
            return self
        s = self.statistics or _summary(self.rows, self.classes[self.codes])
        return replace(self, rows=None, codes=None, statistics=s)

    def begun(self) -> Dataset:
        """The same, beginning with a model that exists: QDA unless features depend on others."""
        if self.rows is None or self.codes is None:
            return self
        s = self.statistics or _summary(self.rows, self.classes[self.codes])
        pooled = s.scatter.sum(axis=0)
        if whitener(pooled) is not None:
            return self
        shrinkage = 0.0 if (pooled.diagonal() > 0).all() else 0.1
        note = "Some features depend on each other, so the page begins with a diagonal structure."
        settings = {"structure": "diagonal", "shrinkage": shrinkage}
        return replace(self, settings=settings, notes=(*self.notes, note))

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        s, known = self.statistics, self.known
        return {
            "name": self.name,
            "title": self.name,
            "features": [visible(name) for name in self.features],
            "names": list(self.features),
            "labels": [visible(str(label)) for label in self.classes.tolist()],
            "code": [repr(label) for label in self.classes.tolist()],
            "count": self.count,
            "rows": None if self.rows is None else _base64(self.rows.astype("<f8")),
            "codes": None if self.codes is None else _base64(self.codes.astype("<i4")),
            "statistics": None if s is None else _statistics(s),
            "known": None if known is None else _parameters(known),
            "settings": dict(self.settings),
            "notes": list(self.notes),
        }

    def _with_rows(self, numbers: Floats, codes: Indices) -> Dataset:
        """The rows without missing values, in features that vary."""
        notes = list(self.notes)
        complete = ~np.isnan(numbers).any(axis=1)
        if not complete.any():
            raise InvalidFeatures(
                "every row has a missing value; the page needs complete rows. Fill them first, "
                "with LDA().fit(X, y).impute(X), or leave out columns."
            )
        if not complete.all():
            gone = int((~complete).sum())
            notes.append(f"{plural(gone, 'row')} with missing values left out.")
        numbers, codes = numbers[complete], codes[complete]
        # Larger numbers have products that leave what the page's floats can hold.
        largest = 1e100
        large = (np.abs(numbers) > largest).any(axis=0)
        if large.any():
            raise InvalidFeatures(
                f"column {shown(self.features[int(large.argmax())])} holds numbers beyond "
                f"{largest:g}, too large for the page; rescale it, for example X / 1e100."
            )
        varies = (numbers != numbers[0]).any(axis=0)
        if not varies.any():
            raise TooFewRows("no feature varies, so there is nothing to tell classes apart by.")
        if not varies.all():
            names = ", ".join(n for n, v in zip(self.features, varies, strict=True) if not v)
            notes.append(f"Left out because they never vary: {names}.")
        present, codes = np.unique(codes, return_inverse=True)
        kept = tuple(n for n, v in zip(self.features, varies, strict=True) if v)
        return replace(
            self,
            features=kept,
            classes=self.classes[present],
            count=len(numbers),
            rows=np.ascontiguousarray(numbers[:, varies]),
            codes=codes,
            notes=tuple(notes),
        )._checked()

    def _checked(self) -> Dataset:
        k, d = len(self.classes), len(self.features)
        # Max classes whose colours can be distinguished on a page.
        most_classes = 200
        if k > most_classes:
            raise InvalidLabels(
                f"there are {k:,} classes; the page shows at most {most_classes}. If the labels "
                "are numbers that were measured, make classes of them first."
            )
        # Entries of all class covariances, which the browser computes with in every frame.
        most_entries = 2_000_000
        if k * d * d > most_entries:
            most = int(np.sqrt(most_entries / k))
            raise InvalidFeatures(
                f"{k} classes of {d:,} features are too many for a page; choose at most {most} "
                "features, such as those that importance(model, X, y) names first."
            )
        return self

    def _sampled(self) -> Dataset:
        """With a sample of the rows, if there are many, and the statistics of all."""
        rows, codes = self.rows, self.codes
        if rows is None or codes is None or len(rows) <= MOST_ROWS:
            return self
        at = np.sort(np.random.default_rng(0).choice(len(rows), MOST_ROWS, replace=False))
        note = f"{MOST_ROWS:,} of {len(rows):,} rows are drawn; the statistics are of all."
        return replace(
            self,
            rows=rows[at],
            codes=codes[at],
            statistics=_summary(rows, self.classes[codes]),
            notes=(*self.notes, note),
        )


def _observed_columns(material: Material) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
    """The columns of which most values are known, their names, and a note on the others.

    The page takes complete rows, and one such column would leave hardly any.
    """
    known = material.missing.mean(axis=0) <= 0.5
    if known.all() or not known.any():
        return material.X, material.names, ()
    left_out = quote_names(n for n, one in zip(material.names, known, strict=True) if not one)
    kept = np.flatnonzero(known).tolist()
    note = f"Left out because most of their values are missing: {left_out}."
    return select_columns(material.X, kept), tuple(material.names[j] for j in kept), (note,)


def _summary(rows: Floats, labels: Array) -> Statistics:
    statistics = summarize_batches(batches(rows, labels), "separate")
    assert isinstance(statistics, Statistics)
    return statistics


def _statistics(s: Statistics) -> dict[str, list[float]]:
    return {
        "weight": s.weight.tolist(),
        "mean": s.mean.ravel().tolist(),
        "scatter": s.scatter.ravel().tolist(),
    }


def _parameters(model: GaussianModel) -> dict[str, Any]:
    return {
        "means": model.means.tolist(),
        "covariances": class_matrices(model).tolist(),
        "priors": model.priors.tolist(),
    }


def _base64(values: Array) -> str:
    return b64encode(np.ascontiguousarray(values).tobytes()).decode()
