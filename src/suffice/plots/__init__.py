"""Finished values to pictures: displays as in scikit-learn, drawn by matplotlib.

One call makes and draws a display, which keeps `ax_` (or `axes_`), `figure_` and `caption_`;
`plot(ax=...)` draws it again on other axes, `save(path)` writes a file whose text stays text.

| display | shows |
|---|---|
| `ClassesDisplay` | rows by class, and the ellipses of the classes |
| `RegionsDisplay` | decision regions, the posterior as colour, boundaries from their equations |
| `DensityDisplay` | the density of the model as contours |
| `SurfaceDisplay` | the density as a surface |
| `CurvesDisplay` | the densities of the classes along one feature, and their sum |
| `PanelsDisplay` | classes, density and regions side by side |
| `ModelsDisplay` | the regions of several models side by side |
| `WhitenedDisplay` | rows, classes and boundaries in the space where distances are Euclidean |
| `ProjectionDisplay` | rows along the discriminant axes, for many features |
| `QuantilesDisplay` | squared Mahalanobis distances against those of Gaussian rows |
| `ReliabilityDisplay` | predicted probabilities against observed frequencies |
| `ConfusionDisplay` | true classes against predicted classes |
| `SelectionDisplay` | cross-validated scores along a parameter |
| `ContributionsDisplay` | how much each feature of a row contributes to a class |
| `PriorsDisplay` | how boundaries move with the priors |
| `LearningDisplay` | scores by number of training rows |
| `ImportanceDisplay` | how much worse predictions are without each feature |
| `ThresholdsDisplay` | costs by the threshold on the probability of a class |

Colours are safe for colour-blind readers, and every class has its own marker. Displays follow
matplotlib's settings; `theme("light")` and `theme("dark")` set them.

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
    from suffice.plots.importance import ImportanceDisplay
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
    from suffice.plots.thresholds import ThresholdsDisplay
    from suffice.plots.whitened import WhitenedDisplay

__all__ = [
    "ClassesDisplay",
    "ConfusionDisplay",
    "ContributionsDisplay",
    "CurvesDisplay",
    "DensityDisplay",
    "ImportanceDisplay",
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
    "ThresholdsDisplay",
    "WhitenedDisplay",
    "theme",
]


def __getattr__(name: str) -> Any:
    # Resolved on first use: matplotlib is imported only to draw.
    if name not in __all__:
        raise AttributeError(f"module 'suffice.plots' has no attribute {name!r}")
    module = "style" if name == "theme" else name.removesuffix("Display").lower()
    value = getattr(import_module(f"suffice.plots.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
