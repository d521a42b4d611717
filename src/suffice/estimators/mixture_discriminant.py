"""Mixture discriminant: several Gaussians per class, and labels that may be missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.answers import mixture as _mixture  # noqa: F401 - registers its answers
from suffice.answers.rarity import Rarity
from suffice.answers.sampling import generator
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import as_features
from suffice.data.labels import class_position
from suffice.data.parameters import choice, count
from suffice.data.partial_labels import check_label, label_column, partial_classes
from suffice.errors import InvalidParameter, TooFewRows
from suffice.estimators.anywhere import learns_afresh, on_labelled_rows
from suffice.estimators.classifier import Classifier
from suffice.estimators.fitting import Fitting, encoded, training_rows
from suffice.estimators.new_rows import RowsInMemory
from suffice.estimators.state import at_once
from suffice.models.em.em import fit_mixture, sizes_by_bic
from suffice.models.em.training import Effort, EmProgress, Given, Training, most_components
from suffice.models.gaussian import class_matrices
from suffice.models.mixture import MixtureModel, n_parameters
from suffice.models.settings import Settings
from suffice.selection import criteria
from suffice.text import shown


@dataclass(eq=False, repr=False)
class MixtureDiscriminant(Fitting, Classifier[MixtureModel]):
    """Several Gaussians per class; rows without a label are used, too.

    Labelled rows are shared by the components of their class, others by those of all classes.
    With one component per class and all rows labelled, this is `GaussianDiscriminant`.
    EM reads the rows in every iteration, so they must be in memory; from a cluster, pass a sample.

    Parameters
    ----------
    n_components : Gaussians per class: a number (reduced if a class has fewer than two
        distinct rows for each), a mapping by label, or "bic", which chooses up to six by
        the labelled rows
    structure, pooling, shrinkage, target : see `GaussianDiscriminant`; pooling is over the
        components of all classes. "ledoit-wolf" becomes "oas" if components share rows.
    priors : None (class shares), "uniform", a mapping by label, or an array in the order of
        `classes_`
    tol, max_iter, n_init, random_state, verbose, callback : see `GaussianMixture`
    columns : see `GaussianDiscriminant`
    unlabelled : the label of rows without a class, in addition to missing labels (None, NaN);
        None if there is no such label. If there is only one other label, this one is a class
        itself, so that labels of -1 and 1 are two classes, as elsewhere.

    Attributes
    ----------
    classes_, priors_, n_features_in_, feature_names_in_, n_iter_, converged_, lower_bound_,
    log_likelihoods_ ; means_, weights_, covariances_, component_classes_ : by component

    >>> from sklearn.datasets import load_iris
    >>> from suffice import MixtureDiscriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> y[10:50] = y[60:100] = y[110:] = -1
    >>> model = MixtureDiscriminant(1).fit(X, y)
    >>> round(model.score(X, load_iris().target), 3)
    0.967
    """

    n_components: int | Mapping[Any, int] | str = 2
    structure: str = "full"
    pooling: float = 0.0
    shrinkage: float | str = 0.0
    target: str = "identity"
    priors: Any = None
    tol: float = 1e-3
    max_iter: int = 100
    n_init: int = 1
    random_state: Any = None
    unlabelled: Any = -1
    verbose: int = 0
    callback: Callable[[EmProgress], None] | None = None
    columns: Any = None

    @learns_afresh
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the components of each class, from all rows."""
        return self._fit_from(Given(), X, y, sample_weight)

    def _fit_from(self, start: Given, X: Any, y: Any, sample_weight: Any) -> Self:
        """The same, where EM starts from given components, if there are any."""
        settings = self._settings()
        check_label("unlabelled", self.unlabelled)
        effort, rng = self._effort(), generator(self.random_state)
        table, (encoding, X) = RowsInMemory(X, y), encoded(X, self.columns)
        as_features(X)  # raises errors about X before errors about y
        classes, codes = partial_classes(label_column(self._labels(y)), self.unlabelled)
        training = training_rows(X, codes, classes, sample_weight)
        sizes = self._sizes(training, settings, effort, rng)
        if start.means is not None and len(start.means) != sizes.sum():
            start = Given()
        fit = fit_mixture(training, sizes, settings, self.priors, effort, rng, start)
        self._hold(fit, settings, table, encoding)
        return self

    @property
    def means_(self) -> Floats:
        """Mean of each component, (K, d)."""
        return self._fitted.components.means

    @property
    def weights_(self) -> Floats:
        """Share of each component in its class, (K,)."""
        return self._fitted.shares

    @property
    def covariances_(self) -> Floats:
        """Covariance of each component, (K, d, d); computed on demand."""
        return class_matrices(self._fitted.components)

    @property
    def component_classes_(self) -> Array:
        """The class of each component, (K,)."""
        model = self._fitted
        return np.asarray(model.classes[model.owner])

    @property
    def boundary(self) -> Any:
        """Boundaries of mixtures have no equation of second degree: an AttributeError."""
        raise AttributeError("the boundaries of mixtures have no equation of second degree.")

    @at_once
    def n_parameters(self) -> int:
        """Number of free parameters: shares, means, and entries of covariances."""
        given = 0 if self.priors is None else len(self.classes_) - 1
        return n_parameters(self._fitted, self._settings()) - given

    @on_labelled_rows
    def aic(self, X: Any, y: Any) -> float:
        """-2 ln L + 2 p of labelled rows; smaller is better."""
        return criteria.aic(self.log_likelihood(X, y), self.n_parameters())

    @on_labelled_rows
    def bic(self, X: Any, y: Any) -> float:
        """-2 ln L + p ln n of labelled rows; smaller is better."""
        return criteria.bic(self.log_likelihood(X, y), self.n_parameters(), len(y))

    def _settings(self) -> Settings:
        return Settings.checked(
            structure=self.structure,
            pooling=self.pooling,
            shrinkage=self.shrinkage,
            target=self.target,
        )

    def _class_weight(self) -> Floats:
        model = self._fitted
        weight = np.bincount(model.owner, self._component_weight, len(model.classes))
        return np.asarray(weight, np.float64)

    def _new_atypicality(self) -> Any:
        return Rarity(self._fitted)

    def _sizes(
        self, training: Training, settings: Settings, effort: Effort, rng: np.random.Generator
    ) -> Indices:
        """Number of components of each class, (k,)."""
        requested, classes, rows = self.n_components, training.classes, training.count
        # Largest number of components per class with n_components="bic".
        most_by_bic = 6
        if isinstance(requested, str):
            choice("n_components", requested, ("bic",))
            return sizes_by_bic(training, settings, effort, rng, most_by_bic)
        if isinstance(requested, Mapping):
            return _sizes_by_label(requested, classes, rows)
        most = count("n_components", requested)
        if most > rows.max():
            c = int(rows.argmax())
            raise TooFewRows(
                f"n_components is {most}, but the largest class, {shown(classes[c])}, has "
                f"{rows[c]} labelled rows; use fewer components or more rows."
            )
        return np.minimum(most, most_components(training))


def _sizes_by_label(requested: Mapping[Any, int], classes: Array, rows: Indices) -> Indices:
    for label in requested:
        class_position(classes, label)
    sizes = []
    for label, n in zip(classes.tolist(), rows.tolist(), strict=True):
        if label not in requested:
            raise InvalidParameter(f"n_components has no entry for class {shown(label)}.")
        sizes.append(count(f"n_components of class {shown(label)}", requested[label]))
        if sizes[-1] > n:
            raise TooFewRows(
                f"n_components of class {shown(label)} is {sizes[-1]}, but it has {n} "
                "labelled rows."
            )
    return np.array(sizes)
