"""Settings: which member of the Gaussian family to build."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.data.batches import batches
from suffice.data.parameters import choice, not_negative, positive, share
from suffice.errors import InvalidParameter
from suffice.models.likelihood import Likelihood
from suffice.models.priors import class_priors
from suffice.models.structures import FULL, Structure, structure_of
from suffice.statistics.exact.exact_incomplete import ExactIncomplete
from suffice.statistics.exact.exact_statistics import ExactStatistics
from suffice.statistics.exact.private_statistics import PrivateStatistics
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.statistics import Statistics
from suffice.statistics.summarize import summarize_batches
from suffice.statistics.value_rounding import without_value_rounding
from suffice.text import shown

if TYPE_CHECKING:  # these modules build on this one
    from suffice.models.conjugate_priors.student import StudentModel
    from suffice.models.covariances.repairs import Repair
    from suffice.models.gaussian import GaussianModel

# Number of features above which statistics kept as a factor are never expanded to a matrix.
WIDE = 512


class MomentLikelihood(Likelihood):
    """A likelihood whose statistics are the weight, mean and scatter of each class."""

    summary = (
        Statistics,
        IncompleteStatistics,
        ExactStatistics,
        ExactIncomplete,
        PrivateStatistics,
    )

    def summarize(self, X: Any, y: Any, sample_weight: Any, detail: Any = None) -> Any:
        """What `suffice.summarize` returns."""
        return summarize_batches(batches(X, y, sample_weight), detail or self.detail)

    @property
    def estimated_model(self) -> type[GaussianModel]:
        """The class of what EM estimates."""
        from suffice.models.gaussian import GaussianModel

        return GaussianModel

    def takes_em(self, statistics: AnyStatistics) -> bool:
        """Whether values are missing and features are dependent."""
        return isinstance(statistics, IncompleteStatistics) and statistics.detail != "diagonal"

    def completed(self, model: Any, statistics: AnyStatistics) -> GaussianModel:
        """The Gaussian classes of a model, which Student t ones are about."""
        gaussian: GaussianModel = model.gaussian
        return gaussian

    def check_completed(self, completed: Any, statistics: AnyStatistics) -> None:
        """Raise ValueError unless these are Gaussian classes of the statistics."""
        if type(completed) is not self.estimated_model:
            raise ValueError("the estimates of EM are those of another kind of model")
        own, classes = completed.classes, statistics.classes
        if own.dtype.kind != classes.dtype.kind or not np.array_equal(own, classes):
            raise ValueError("the estimates of EM have other classes")
        if completed.means.shape[1] != statistics.n_features:
            raise ValueError("the estimates of EM have the wrong number of features")
        completed.check_computable()

    def footprint(self, statistics: AnyStatistics) -> int:
        """Bytes of covariances that take more than the statistics of few or incomplete rows."""
        d, spread = statistics.n_features, getattr(statistics, "spread", None)
        if isinstance(statistics, IncompleteStatistics):
            return 8 * len(statistics.classes) * (d if statistics.detail == "diagonal" else d * d)
        if isinstance(spread, FactoredScatter) and d <= WIDE:
            return 8 * spread.groups * d**2
        return 0

    def alike(
        self, mine: AnyStatistics, theirs: AnyStatistics
    ) -> tuple[AnyStatistics, AnyStatistics]:
        """Both in the detail that is needed, if they differ."""
        if mine.detail == theirs.detail:
            return mine, theirs
        return mine.coarsen(self.detail), theirs.coarsen(self.detail)


@dataclass(frozen=True)
class Settings(MomentLikelihood):
    """Gaussian classes: the shape of their covariances, and how these are pooled and shrunk.

    structure : full, diagonal, spherical, or another shape
    pooling : from each class's own covariance (0) to one shared by all (1)
    shrinkage : toward the target, in [0, 1], or "ledoit-wolf", "oas"
    target : the scaled "identity", the "diagonal" (so that units do not matter), or the "unit"
        matrix itself
    ddof : subtracted from the weight of each class before dividing by it (degrees of freedom)
    smoothing : share of each feature's overall variance added to its variance in every class
    inflation : factor by which the covariances are multiplied at the end
    degrees_of_freedom : of Student t classes with these covariances; None for Gaussian ones
    """

    name = "gaussian"
    structure: Structure = FULL
    pooling: float = 0.0
    shrinkage: float | str = 0.0
    target: str = "identity"
    ddof: float = 0.0
    smoothing: float = 0.0
    inflation: float = 1.0
    degrees_of_freedom: float | None = None

    @classmethod
    def checked(cls, **given: Any) -> Settings:
        """Settings, after checking every value."""
        checks = {
            "pooling": share,
            "ddof": not_negative,
            "smoothing": not_negative,
            "inflation": positive,
        }
        for name in given.keys() & checks.keys():
            given[name] = checks[name](name, given[name])
        if (freedom := given.get("degrees_of_freedom")) is not None:
            given["degrees_of_freedom"] = _checked_freedom(freedom)
        if "structure" in given:
            given["structure"] = structure_of(given["structure"])
        choice("target", given.get("target", "identity"), ("identity", "diagonal", "unit"))
        shrinkage = given.pop("shrinkage", None)
        if shrinkage is None:
            return cls(**given)
        if not isinstance(shrinkage, str):
            return cls(**given, shrinkage=share("shrinkage", shrinkage))
        choice("shrinkage", shrinkage, ("ledoit-wolf", "oas", "auto"), "a number from 0 to 1 or ")
        if shrinkage == "auto":
            return cls(**given | _scale_free(given.get("structure", FULL)))
        if (shrinkage, given.get("target")) == ("ledoit-wolf", "diagonal"):
            raise InvalidParameter(
                "shrinkage='ledoit-wolf' is not defined for target='diagonal'; use 'oas' or "
                "a number, or target='identity'."
            )
        return cls(**given, shrinkage=shrinkage)

    def entries(self, rank: int) -> int:
        """Number of free parameters of a covariance with variance in `rank` directions.

        >>> Settings().entries(3), Settings(shrinkage=1.0, target="diagonal").entries(3)
        (6, 3)
        """
        free = self.structure.entries(rank)
        if self.shrinkage != 1:
            return free
        target = {"identity": min(rank, 1), "diagonal": rank, "unit": 0}[self.target]
        return min(target, free)

    def build(
        self, statistics: AnyStatistics, priors: Any, completed: GaussianModel | None = None
    ) -> GaussianModel | StudentModel:
        """The model built from statistics, or from the estimates of EM."""
        from suffice.models.gaussian import build

        if completed is None:
            model = build(statistics, self, priors)
        else:
            shares = class_priors(priors, statistics.classes, statistics.weight)
            model = completed.with_priors(shares)
        return model if self.degrees_of_freedom is None else self.with_tails(model)

    def check_known(self, model: Any) -> None:
        """Raise ValueError unless Gaussian classes have this structure and pooling."""
        from suffice.models.covariances.covariance import DiagonalCovariance, FullCovariance

        if type(model) is not self.estimated_model:
            raise ValueError("its parameters are those of another kind of model")
        kind = FullCovariance if self.structure.takes_matrices else DiagonalCovariance
        own = model.covariances
        if not all(isinstance(one, kind) and one.rank == one.n_features for one in own):
            raise ValueError("its covariances have another structure than its parameters say")
        if len(own) != (1 if self.pooling == 1 else len(model.classes)):
            raise ValueError("its covariances are not pooled as its parameters say")

    def with_tails(self, model: GaussianModel) -> GaussianModel | StudentModel:
        """Student t classes in place of Gaussian ones, if the settings ask for them."""
        if self.degrees_of_freedom is None:
            return model
        from suffice.models.conjugate_priors.student import heavy_tailed

        by_feature = not self.structure.takes_matrices
        return heavy_tailed(model, self.degrees_of_freedom, by_feature)

    @property
    def needs_fourth(self) -> bool:
        """Whether they are estimated by Ledoit and Wolf."""
        return self.shrinkage == "ledoit-wolf"

    def without_fourth(self) -> Settings:
        """OAS in place of Ledoit-Wolf: the same idea under the normal assumption."""
        return replace(self, shrinkage="oas") if self.needs_fourth else self

    def check(self, statistics: AnyStatistics) -> None:
        """Raise if the statistics are too coarse."""
        needed = self.detail
        if statistics.detail not in (needed, "separate"):
            raise _too_coarse(statistics.detail, needed)

    def repairs(self, model: Any, statistics: AnyStatistics) -> tuple[Repair, ...]:
        """Covariances that could not be estimated as requested."""
        from suffice.models.covariances.repairs import repairs

        gaussian = model if self.degrees_of_freedom is None else model.gaussian
        return repairs(gaussian, statistics, self)

    @property
    def detail(self) -> str:
        """The smallest detail of statistics that is sufficient."""
        if not self.structure.takes_matrices and not isinstance(self.shrinkage, str):
            return "diagonal"
        # Ledoit-Wolf needs fourth-order sums, which can be merged exactly only together with the
        # scatter of each class.
        if self.pooling == 1 and self.shrinkage != "ledoit-wolf":
            return "shared"
        return "separate"


def _too_coarse(detail: str, needed: str) -> InvalidParameter:
    return InvalidParameter(
        f"these statistics have detail {detail!r} but the model needs {needed!r}; summarize the "
        "rows with detail='separate', which suits every model."
    )


def _checked_freedom(given: Any) -> float:
    freedom = positive("degrees_of_freedom", given)
    if freedom <= 2:
        raise InvalidParameter(
            f"degrees_of_freedom is {shown(given)}; it must be above 2, since Student t classes "
            "with fewer have no covariance. Pass None for Gaussian classes."
        )
    return freedom


def _scale_free(structure: Structure) -> dict[str, Any]:
    """What "auto" stands for: correlations shrunk by OAS, so that units do not matter.

    Without correlations there is nothing to shrink: variances that are moved toward their mean
    depend on the units.
    """
    if not structure.takes_matrices:
        return {"shrinkage": 0.0}
    return {"shrinkage": "oas", "target": "diagonal"}


def coarsen_for(statistics: AnyStatistics, settings: Settings) -> AnyStatistics:
    """Statistics in the detail that the settings need."""
    wanted, detail = settings.detail, statistics.detail
    if detail not in (wanted, "separate"):
        raise _too_coarse(detail, wanted)
    if isinstance(statistics, Statistics):
        # In the form of files, so that a loaded model gives the same answers to the last bit.
        spread = statistics.spread.canonical()
        if spread is not statistics.spread:
            statistics = replace(statistics, spread=spread)
        statistics = without_value_rounding(statistics)
    # Pooling is done later anyway.
    keep = wanted == "shared" or isinstance(settings.shrinkage, str)
    return statistics if keep else statistics.coarsen(wanted)
