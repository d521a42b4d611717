"""Models: the decision regions of several classifiers side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from suffice.data.arrays import Array
from suffice.errors import InvalidParameter
from suffice.plots.columns import chosen, two_features, width
from suffice.plots.display import Display, canvases, legend_below
from suffice.plots.regions import RESOLUTION, RegionsDisplay

# Pictures in a row, and how large each is.
ACROSS, EACH = 3, (4.2, 3.8)


@dataclass(eq=False)
class ModelsDisplay(Display):
    """Decision regions of several models on the same rows.

    regions : a `RegionsDisplay` for each name; axes_ : their axes

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> shown = ModelsDisplay.from_data(X, y, features=(2, 3), ax=Figure().subplots(2, 2))
    >>> list(shown.regions)
    ['LDA', 'QDA', 'naive Bayes', 'logistic regression']
    """

    regions: Mapping[str, RegionsDisplay]
    axes_: Array | None = None

    @classmethod
    def from_data(
        cls, X: Any, y: Any, *, features: Any = None, ax: Any = None, **options: Any
    ) -> Self:
        """LDA, QDA, naive Bayes and logistic regression, fitted to two features.

        features : the two, by name or position; None where there are but two
        ax : four axes, or None for a new figure; options as for `from_estimators`
        """
        from suffice.estimators.comparing import logistic_regression
        from suffice.estimators.gaussian import QDA, GaussianNB
        from suffice.estimators.linear import LDA
        from suffice.estimators.repairing import repairs_expected

        two = chosen(X, two_features(width(X)[1], features))
        models = {
            "LDA": LDA(),
            "QDA": QDA(),
            "naive Bayes": GaussianNB(),
            "logistic regression": logistic_regression(two),
        }
        with repairs_expected():
            fitted = {name: model.fit(two, y) for name, model in models.items()}
        return cls.from_estimators(fitted, two, y, ax=ax, **options)

    @classmethod
    def from_estimators(
        cls,
        models: Mapping[str, Any],
        X: Any = None,
        y: Any = None,
        *,
        features: Any = None,
        at: Any = None,
        box: Any = None,
        resolution: int = RESOLUTION,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Fitted classifiers by name, with probabilities, of this package or another.

        X, y, features, at, box, resolution : as for `RegionsDisplay`
        ax : axes, one a model, or None for a new figure; options as for `plot`
        """
        if not isinstance(models, Mapping) or not models:
            raise InvalidParameter("models must map at least one name to a fitted classifier.")
        same = {"features": features, "at": at, "box": box, "resolution": resolution}
        found = {name: RegionsDisplay.of(model, X, y, **same) for name, model in models.items()}
        return cls(found).plot(ax, **options)

    def plot(self, ax: Any = None, *, show_legend: bool = True, **scatter: Any) -> Self:
        """Draw on axes, one a model, or on a new figure; more options go to scatter."""
        axes = _axes(ax, len(self.regions))
        for one, (name, regions) in zip(axes, self.regions.items(), strict=True):
            regions.plot(one, title=name, show_legend=False, colorbar=False, **scatter)
        self.axes_, self.ax_ = axes, axes[0]
        self.figure_ = axes[0].get_figure(root=True)
        captions = (regions.caption_ for regions in self.regions.values())
        self.caption_ = "; ".join(dict.fromkeys(caption for caption in captions if caption))
        if show_legend:
            legend_below(self.figure_, axes[0])
        return self


def _axes(ax: Any, n: int) -> Array:
    across = 2 if n in (2, 4) else min(n, ACROSS)
    down = -(-n // across)
    return canvases(ax, (down, across), (EACH[0] * across, EACH[1] * down + 0.4), n)
