"""Models: the decision regions of several classifiers side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from suffice.data.arrays import Array
from suffice.data.batches import split_named
from suffice.errors import InvalidParameter
from suffice.plots.borders import borders
from suffice.plots.columns import select_columns, two_features, width
from suffice.plots.display import SeveralDisplays, canvases
from suffice.plots.regions import RegionsDisplay, posterior
from suffice.plots.view import RESOLUTION, View


@dataclass(eq=False, repr=False)
class ModelsDisplay(SeveralDisplays):
    """Decision regions of several models on the same rows.

    regions : one `RegionsDisplay` per name; axes_ : their axes

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

        features : the two, by name or position; None if there are only two
        ax : four axes, or None for a new figure; options as for `from_estimators`
        """
        from suffice.estimators.automatic.refits import logistic_regression
        from suffice.estimators.gaussian import QDA, GaussianNB
        from suffice.estimators.linear import LDA
        from suffice.estimators.repairing import repairs_expected

        X, y = split_named(X, y)
        two = select_columns(X, two_features(width(X)[1], features, X))
        models = {
            "LDA": LDA(),
            "QDA": QDA(),
            "naive Bayes": GaussianNB(),
            "logistic regression": logistic_regression(),
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
        ax : axes, one per model, or None for a new figure; options as for `plot`
        """
        if not isinstance(models, Mapping) or not models:
            raise InvalidParameter("models must map at least one name to a fitted classifier.")
        views = {
            name: View.of(model, X, y, features, at, box, resolution)
            for name, model in models.items()
        }
        regions = {
            name: RegionsDisplay(view, posterior(view), borders(view), view.points)
            for name, view in views.items()
        }
        return cls(regions).plot(ax, **options)

    def plot(self, ax: Any = None, *, show_legend: bool = True, **scatter: Any) -> Self:
        """Draw on axes, one per model, or on a new figure; more options go to scatter."""
        n = len(self.regions)
        across = 2 if n in (2, 4) else min(n, 3)
        down = -(-n // across)
        axes = canvases(ax, (down, across), (4.2 * across, 3.8 * down + 0.4), n)
        for one, (name, regions) in zip(axes, self.regions.items(), strict=True):
            regions.plot(one, title=name, show_legend=False, colorbar=False, **scatter)
        return self._finish_all(axes, self.regions.values(), show_legend)
