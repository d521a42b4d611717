"""Finished values to pictures: displays as in scikit-learn, drawn by matplotlib.

Each display is made and drawn in one call and keeps `ax_` (or `axes_`), `figure_` and `caption_`;
`plot(ax=...)` draws it again elsewhere, `save(path)` writes it with its text as text.

| display | shows |
|---|---|
| `ClassesDisplay` | rows by class, and where each class lies: ellipses |
| `RegionsDisplay` | decision regions, the posterior as colour, boundaries by their equations |
| `DensityDisplay` | the density of the model as contours |
| `SurfaceDisplay` | the same as a hill |
| `CurvesDisplay` | the densities of the classes along one feature, and their sum |
| `PanelsDisplay` | these three side by side |
| `ModelsDisplay` | the regions of several models side by side |
| `WhitenedDisplay` | rows, classes and boundaries where distances are Euclidean |
| `ProjectionDisplay` | rows along the discriminant axes, for many features |
| `QuantilesDisplay` | squared Mahalanobis distances against those of Gaussian rows |
| `ReliabilityDisplay` | predicted probabilities against what came true |
| `ConfusionDisplay` | true classes against predicted ones |
| `SelectionDisplay` | cross-validated scores along a parameter |
| `ContributionsDisplay` | how much each feature of a row speaks for a class |
| `PriorsDisplay` | how boundaries move with the priors |
| `LearningDisplay` | scores by number of training rows |

Colours are told apart by colour-blind readers, and every class has a marker of its own. What is
drawn follows matplotlib's settings; `theme("light")` and `theme("dark")` are two that go well.

>>> from matplotlib.figure import Figure
>>> from sklearn.datasets import load_iris
>>> from suffice import QDA
>>> from suffice.plots import RegionsDisplay
>>> X, y = load_iris(return_X_y=True, as_frame=True)
>>> X = X[["petal length (cm)", "petal width (cm)"]]
>>> shown = RegionsDisplay.from_estimator(QDA().fit(X, y), X, y, ax=Figure().subplots())
>>> shown.ax_.get_xlabel()
'petal length (cm)'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from suffice.plots.classes import ClassesDisplay
    from suffice.plots.confusion import ConfusionDisplay
    from suffice.plots.contributions import ContributionsDisplay
    from suffice.plots.curves import CurvesDisplay
    from suffice.plots.density import DensityDisplay
    from suffice.plots.learning import LearningDisplay
    from suffice.plots.models import ModelsDisplay
    from suffice.plots.panels import PanelsDisplay
    from suffice.plots.priors import PriorsDisplay
    from suffice.plots.projection import ProjectionDisplay
    from suffice.plots.quantiles import QuantilesDisplay
    from suffice.plots.regions import RegionsDisplay
    from suffice.plots.reliability import ReliabilityDisplay
    from suffice.plots.selection import SelectionDisplay
    from suffice.plots.style import theme
    from suffice.plots.surface import SurfaceDisplay
    from suffice.plots.whitened import WhitenedDisplay

# Resolved on first use, so that matplotlib is loaded only to draw.
_HOME = {
    "ClassesDisplay": "classes",
    "ConfusionDisplay": "confusion",
    "ContributionsDisplay": "contributions",
    "CurvesDisplay": "curves",
    "DensityDisplay": "density",
    "LearningDisplay": "learning",
    "ModelsDisplay": "models",
    "PanelsDisplay": "panels",
    "PriorsDisplay": "priors",
    "ProjectionDisplay": "projection",
    "QuantilesDisplay": "quantiles",
    "RegionsDisplay": "regions",
    "ReliabilityDisplay": "reliability",
    "SelectionDisplay": "selection",
    "SurfaceDisplay": "surface",
    "WhitenedDisplay": "whitened",
    "theme": "style",
}

__all__ = [
    "ClassesDisplay",
    "ConfusionDisplay",
    "ContributionsDisplay",
    "CurvesDisplay",
    "DensityDisplay",
    "LearningDisplay",
    "ModelsDisplay",
    "PanelsDisplay",
    "PriorsDisplay",
    "ProjectionDisplay",
    "QuantilesDisplay",
    "RegionsDisplay",
    "ReliabilityDisplay",
    "SelectionDisplay",
    "SurfaceDisplay",
    "WhitenedDisplay",
    "theme",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'suffice.plots' has no attribute {name!r}")
    value = getattr(import_module(f"suffice.plots.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
