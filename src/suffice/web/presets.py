"""Presets: the figures and exercises of the lecture, each as a link that shows it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from io import StringIO

import numpy as np

from suffice.estimators.linear import LDA
from suffice.web.bundle import asset
from suffice.web.dataset import Dataset

PENGUINS = {
    # Typical means and standard deviations, in mm, mm, mm and g.
    "Adelie": ((38.8, 18.3, 190.0, 3700.0), (2.7, 1.2, 6.5, 460.0)),
    "Chinstrap": ((48.8, 18.4, 195.8, 3730.0), (3.3, 1.1, 7.1, 380.0)),
    "Gentoo": ((47.5, 15.0, 217.2, 5080.0), (3.1, 1.0, 6.5, 500.0)),
}


@dataclass(frozen=True, slots=True)
class Preset:
    """A title and the link that shows it."""

    name: str
    title: str
    hash: str


# Names are those of the links in docs/lecture.md.
PRESETS = (
    Preset("data", "The rows of two classes", "data=notes3b"),
    Preset("qda", "QDA: 108 errors of 500", "data=notes3b&structure=full&pooling=0"),
    Preset("lda", "LDA: 114 errors", "data=notes3b&structure=full&pooling=1"),
    Preset("naive", "Gaussian naive Bayes: 113", "data=notes3b&structure=diagonal&pooling=0"),
    Preset("diagonal", "Diagonal LDA: 112", "data=notes3b&structure=diagonal&pooling=1"),
    Preset("pooled", "Between QDA and LDA", "data=notes3b&pooling=0.3&shrinkage=0.1"),
    Preset("posterior", "The posterior at a point", "data=notes3b&pooling=0&point=0,0"),
    Preset("odds", "Log-odds with a rare class", "data=notes3b&pooling=1&priors=0.9,0.1&point=0,0"),
    Preset("rare", "A rare class moves the boundary", "data=notes3b&pooling=1&priors=0.9,0.1"),
    Preset("exercise", "Exercise: two means and a covariance", "data=exercise&point=2,0"),
    Preset("columns", "Iris, first two columns: 30 errors", "data=iris-columns&pooling=0"),
    Preset("iris", "Iris, all four columns: 3 errors", "data=iris&pooling=0&x=0&y=1"),
    Preset("axes", "Iris along its discriminant axes", "data=iris&pooling=1&view=axes"),
    Preset("held", "Iris, other features held", "data=iris&pooling=0&x=2&y=3&others=point&row=70"),
    Preset("wine", "Wine along its discriminant axes", "data=wine&pooling=1&view=axes"),
    Preset("penguins", "Three species, drawn at random", "data=penguins&pooling=0"),
)


def preset_datasets() -> list[Dataset]:
    """The tables that the presets show."""
    from sklearn.datasets import load_iris, load_wine

    iris, wine = load_iris(as_frame=False), load_wine(as_frame=False)
    species = iris.target_names[iris.target]
    return [
        notes(),
        exercise(),
        _named(iris.data[:, :2], species, iris.feature_names[:2], "iris-columns"),
        _named(iris.data, species, iris.feature_names, "iris"),
        _named(wine.data, wine.target, wine.feature_names, "wine"),
        penguins(),
    ]


def notes() -> Dataset:
    """500 rows of two classes, each drawn from two Gaussians."""
    table = np.loadtxt(StringIO(asset("notes3b.csv")), delimiter=",", skiprows=1)
    return Dataset.of(table[:, :2], table[:, 2].astype(np.int64), "notes3b")


def exercise() -> Dataset:
    """Two means and a shared covariance: the boundary is x1 = 2."""
    known = LDA.from_parameters([[4, 3], [0, 1]], [[1, 0.5], [0.5, 1]], classes=["+", "-"])
    made = Dataset.of_parameters(known._fitted, ("x1", "x2"), "exercise")
    return replace(made, settings={"structure": "full", "pooling": 1})


def penguins() -> Dataset:
    """Rows like measured penguins, drawn at random from independent Gaussians."""
    rng = np.random.default_rng(0)
    size = 60
    rows = [rng.normal(means, spread, (size, 4)).round(1) for means, spread in PENGUINS.values()]
    names = ("bill length", "bill depth", "flipper length", "body mass")
    labels = np.repeat(list(PENGUINS), size)
    return _named(np.concatenate(rows), labels, names, "penguins")


def _named(X: np.ndarray, y: np.ndarray, names: object, name: str) -> Dataset:
    return replace(Dataset.of(X, y, name), features=tuple(map(str, names)))  # type: ignore[call-overload]
