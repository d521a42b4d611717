"""Known parameters: classifiers made from means, covariances or probabilities, without rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from suffice.data.arrays import Floats
from suffice.errors import InvalidParameter
from suffice.estimators.columns import LearnedColumns
from suffice.estimators.learned import Learned
from suffice.estimators.learning import Learner
from suffice.models.known_classes import KnownClasses
from suffice.models.known_gaussians import GivenCovariances, known_gaussians, read_means
from suffice.statistics.storage.soundness import check_names
from suffice.text import shown


@dataclass(frozen=True, slots=True)
class KnownForm:
    """The covariances that a kind of model has; None if it takes them as they are given."""

    diagonal: bool | None = None
    shared: bool | None = None

    def read(self, given: Any, means: Floats, known: KnownClasses, name: str) -> GivenCovariances:
        """The covariances in this form; raises if the model cannot have them."""
        k, d = means.shape
        covariances = GivenCovariances.read(given, k, d, bool(self.diagonal), bool(self.shared))
        if self.shared:
            covariances = covariances.as_shared()
        if self.shared and not covariances.shared:
            raise InvalidParameter(
                f"covariances has one entry per class, but all classes of a {name} share one. Give "
                f"one of shape {(d, d)} or {(d,)}, or use QDA.from_parameters."
            )
        if self.diagonal is True:
            covariances = covariances.as_variances(covariances.names(known.given), name)
        elif self.diagonal is False:
            covariances = covariances.as_matrices()
        return covariances.repeated(k) if self.shared is False else covariances


class KnownGaussians(Learner[Any]):
    """Gaussian classifiers that can be made from known means and covariances."""

    _known_form: ClassVar[KnownForm]
    _can_be_known = True

    @classmethod
    def from_parameters(
        cls,
        means: Any,
        covariances: Any,
        priors: Any = None,
        classes: Any = None,
        feature_names: Any = None,
    ) -> Self:
        """The classifier with these parameters, as if they had been estimated without error.

        Every answer that takes no training rows works: predictions, odds, boundaries, samples,
        imputed values, outlier p-values, files, plots. What takes statistics of rows
        (`statistics_`, `partial_fit`, `merge`, `forget`, `leave_one_out`, `bic`) raises an error.

        means : (k, d), one row per class
        covariances : one for all, (d, d), one per class, (k, d, d), or variances, (d,) or (k, d);
            with as many classes as features, (d, d) is one matrix for all. GaussianNB reads it as
            variances of each class, and refuses numbers that could be either
        priors : None (equal), a mapping by label, or an array in the order of `means`
        classes : labels in the order of `means`; 0, 1, ... if None
        feature_names : one name per feature

        >>> import suffice as sf
        >>> model = sf.LDA.from_parameters([[4, 3], [0, 1]], [[1, 0.5], [0.5, 1]])
        >>> print(model.boundary(0, 1))
        x1 = 2
        """
        if not cls._can_be_known:
            raise InvalidParameter(
                f"a {cls.__name__} finds powers of features from rows; for Gaussians with known "
                "parameters, use GaussianDiscriminant.from_parameters."
            )
        values = read_means(means)
        known = KnownClasses.read(classes, len(values))
        given = cls._known_form.read(covariances, values, known, cls.__name__)
        model = known_gaussians(values, given, known, priors)
        estimator = cls(priors=known.in_order(priors), **cls._known_parameters(given))
        columns = known_columns(feature_names, values.shape[1])
        return estimator._hold(
            Learned.known(model, columns, estimator._settings(), estimator._priors())
        )

    @classmethod
    def _known_parameters(cls, given: GivenCovariances) -> dict[str, Any]:
        """The parameters that these covariances imply."""
        return {}


def known_columns(names: Any, d: int) -> LearnedColumns:
    """d columns with these names, if any, after checking them."""
    if names is None:
        return LearnedColumns(d)
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidParameter(f"feature_names is {shown(names)}; it must list one name each.")
    listed = [str(name) if isinstance(name, np.str_) else name for name in names]
    wrong = next((name for name in listed if not isinstance(name, str)), None)
    if wrong is not None:
        raise InvalidParameter(f"feature_names holds {shown(wrong)}; names must be strings.")
    try:
        check_names(listed, d)
    except ValueError as error:
        raise InvalidParameter(f"feature_names: {error}; there are {d} features.") from None
    return LearnedColumns.of_names(listed)
