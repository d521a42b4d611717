"""Explore: an interactive page of a table and its model."""

from __future__ import annotations

import webbrowser
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from suffice.data.parameters import check_path, flag
from suffice.data.sources.files import check_writable, write_whole
from suffice.errors import InvalidParameter
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.html import Html, element
from suffice.models.settings import Settings
from suffice.models.structures import BUILT_IN
from suffice.text import plural, shown
from suffice.web.dataset import Dataset
from suffice.web.page import page, payload
from suffice.web.presets import PRESETS, Preset, preset_datasets


@dataclass(frozen=True, eq=False, slots=True)
class ExplorerPage:
    """A page to explore a model: `save` writes it, `open` shows it, notebooks display it."""

    title: str
    datasets: tuple[Dataset, ...]
    presets: tuple[Preset, ...] = ()

    @property
    def html(self) -> str:
        """The HTML of the page, which needs no other file and no network."""
        return page(self.title, payload(self.datasets, self.presets))

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to a file, atomically."""
        check_path(path)
        write_whole(path, self.html.encode("utf-8", "replace"))
        return Path(path)

    def open(self) -> Path:
        """Write the page to a temporary folder and show it in a browser."""
        path = self.save(Path(mkdtemp(prefix="suffice-")) / "explorer.html")
        webbrowser.open(path.as_uri())
        return path

    def __repr__(self) -> str:
        first = self.datasets[0]
        size = f"{plural(first.count, 'row')}, {plural(len(first.features), 'feature')}"
        return f"<ExplorerPage {self.title!r}: {size}, {plural(len(first.classes), 'class')}>"

    def _repr_html_(self) -> Html:
        """The page in a frame of its own, which survives where no widget does."""
        # Height of the page within a notebook, in pixels.
        frame_height = 900
        look = f"width: 100%; height: {frame_height}px; border: 0"
        # Scripts run as those of another origin, so they cannot reach the notebook.
        sandbox = "allow-scripts allow-downloads"
        return element("iframe", srcdoc=self.html, sandbox=sandbox, style=look, title=self.title)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """A widget where anywidget is installed, and the frame beside it.

        Whatever runs a notebook without a reader (nbconvert, papermill) stores the state of its
        widgets, and pages made of it then need a network: there, only the frame.
        """
        frame = {"text/html": str(self._repr_html_()), "text/plain": repr(self)}
        if not _has_reader():
            return frame
        try:
            from suffice.web.widget import widget
        except ImportError:
            return frame
        found = widget(self)._repr_mimebundle_()
        data, meta = found if isinstance(found, tuple) else (found, {})
        return {**frame, **(data or {}), "text/html": frame["text/html"]}, meta


def explore(
    X: Any = None,
    y: Any = None,
    path: str | PathLike[str] | None = None,
    *,
    model: Any = None,
    statistics_only: bool = False,
    title: str | None = None,
) -> ExplorerPage:
    """An interactive page of a model: drag rows, means and ellipses, and every number is updated.

    In a notebook it is displayed; elsewhere it opens in a browser, unless a path is given. One
    HTML file with everything in it: no other file, no request. Without arguments, the figures and
    exercises of the lecture.

    X, y : rows and labels, or a data frame and the name of its column of labels
    path : the file to write
    model : a classifier of the Gaussian family to begin with; without rows, one that is fitted or
        that was made by from_parameters
    statistics_only : keep rows out of the page: it holds weights, means and scatters of the classes
    title : of the page

    >>> import suffice as sf, tempfile, pathlib
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sf.explore(X, y, pathlib.Path(tempfile.mkdtemp()) / "iris.html", model=sf.LDA())
    <ExplorerPage 'Explorer': 150 rows, 4 features, 3 classes>
    """
    if not isinstance(title, str | None):
        raise InvalidParameter(f"title is {shown(title)}; it must be a string.")
    if path is not None:
        check_path(path)
        check_writable(path)
    only = flag("statistics_only", statistics_only)
    made = explorer_page(X, y, model, only, title)
    if path is not None:
        made.save(path)
    elif _kernel() is None:
        made.open()
    return made


def explorer_page(
    X: Any, y: Any, model: Any = None, statistics_only: bool = False, title: str | None = None
) -> ExplorerPage:
    """The page of rows, of a model alone, or of the lecture."""
    if X is None and y is None and model is None:
        return ExplorerPage(title or "Explorer", tuple(preset_datasets()), PRESETS)
    if X is not None and y is None:
        raise InvalidParameter(
            "y is missing: give the labels, or the name of their column: explore(table, 'species')."
        )
    found = _of_model(model) if X is None else Dataset.of(X, y)
    started = None if model is None else start_settings(model)
    found = found.begun() if started is None else replace(found, settings=started)
    if statistics_only:
        found = found.without_rows()
    return ExplorerPage(title or "Explorer", (found,))


def start_settings(model: Any) -> dict[str, Any]:
    """The settings of a classifier, in the words of the page."""
    if not isinstance(model, GaussianClassifier):
        raise InvalidParameter(
            f"model is {shown(model)}; the page takes GaussianDiscriminant, QDA, LDA, GaussianNB "
            "and DiagonalLDA."
        )
    settings = model._settings()
    if not isinstance(settings, Settings) or model._has_powers:
        raise InvalidParameter(f"the page does not show a {type(model).__name__}; try QDA().")
    share = settings.shrinkage
    if isinstance(share, str) or (share and settings.target != "identity") or settings.ddof > 1:
        raise InvalidParameter(
            "the page shows shrinkage by a number toward target='identity', and ddof 0 or 1; give "
            "such a model: GaussianDiscriminant(shrinkage=0.1)."
        )
    if settings.inflation != 1 or settings.structure not in BUILT_IN.values():
        raise InvalidParameter(
            "the page shows no inflation, and the structures full, diagonal and spherical."
        )
    priors = model._priors()
    return {
        "structure": settings.structure.name,
        "pooling": settings.pooling,
        "shrinkage": share,
        "ddof": int(settings.ddof),
        "priors": priors if priors is None or isinstance(priors, str) else _shares(model),
    }


def _shares(model: Any) -> list[float]:
    if model._state is None:
        raise InvalidParameter("a model with priors of its own must be fitted first.")
    shares: list[float] = model.priors_.tolist()
    return shares


def _of_model(model: Any) -> Dataset:
    """A model without rows: its statistics, or its known parameters."""
    if not isinstance(model, GaussianClassifier) or model._state is None:
        raise InvalidParameter(
            "without rows, model must be a fitted classifier of the Gaussian family, or one made "
            "by from_parameters; or give rows: explore(X, y)."
        )
    names = tuple(map(str, model._feature_names()))
    if model._learned.statistics is None:
        return Dataset.of_parameters(model._fitted, names, "data")
    found = Dataset.of_statistics(model._fitted_statistics)
    return replace(found, features=names) if len(names) == len(found.features) else found


def _kernel() -> Any:
    """The kernel of the notebook that this runs in, or None."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return getattr(get_ipython(), "kernel", None)


def _has_reader() -> bool:
    """Whether someone sits before the notebook: only then may a cell ask for input."""
    kernel = _kernel()
    if kernel is None:
        return True
    asked = kernel.get_parent().get("content", {})
    return bool(asked.get("allow_stdin", True))
