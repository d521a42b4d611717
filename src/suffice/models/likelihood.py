"""Likelihood: the distribution of features given the class.

A new distribution is a subclass of `Likelihood` in one file, with its statistics and its model.
The rest of the package never tests which likelihood a model has, but calls its methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from suffice.data.arrays import Array
from suffice.data.features import as_features
from suffice.statistics.storage.registry import storable

if TYPE_CHECKING:  # these modules build on this one
    from suffice.models.covariances.repairs import Repair


class Likelihood(ABC):
    """A distribution of features given the class, and how it is estimated from statistics.

    A subclass is a frozen dataclass of settings, which files can hold. Its statistics are values
    with classes, count and weight (k,), n_features, detail, feature_names, `+`, `-`, `==`,
    coarsen and drop_class. Its model is a `Model`; the simplest are subclasses of
    `IndependentModel`. Rows of a model are arrays (n, d): numbers with NaN where a value is
    missing, or integer codes with MISSING.
    """

    name: ClassVar[str]
    summary: ClassVar[Any]  # the class of its statistics, or several
    takes_levels: ClassVar[bool] = False  # whether, by default, of columns with levels

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in cls.__dict__:
            storable(cls)

    @abstractmethod
    def summarize(self, X: Any, y: Any, sample_weight: Any, detail: Any = None) -> Any:
        """Statistics of labelled rows, in the detail of earlier ones if there are any."""

    @abstractmethod
    def build(self, statistics: Any, priors: Any, completed: Any = None) -> Any:
        """The model built from statistics.

        completed : the estimates of EM that a file holds, if there are any
        """

    def validated(self) -> Self:
        """The same after checking its settings, by the class method `checked` if there is one."""
        checked = getattr(type(self), "checked", None)
        return self if checked is None else checked(**settings_of(self))

    @property
    def detail(self) -> str:
        """The smallest detail of statistics that is sufficient, if there is a choice."""
        return ""

    @property
    def reading(self) -> Any:
        """What determines how rows are read: statistics of equal readings are the same."""
        return self.name

    @property
    def needs_fourth(self) -> bool:
        """Whether it is estimated from sums of fourth order."""
        return False

    def without_fourth(self) -> Self:
        """The likelihood to estimate where sums of fourth order do not exist."""
        return self

    def check(self, statistics: Any) -> None:
        """Raise if the statistics are not sufficient."""
        return

    def alike(self, mine: Any, theirs: Any) -> tuple[Any, Any]:
        """Statistics of two models in a form that can be merged."""
        return mine, theirs

    def takes_em(self, statistics: Any) -> bool:
        """Whether a model of these statistics is estimated by EM."""
        return False

    def completed(self, model: Any, statistics: Any) -> Any:
        """What EM estimated of a model of these statistics: what `build` takes."""
        return None

    def check_completed(self, completed: Any, statistics: Any) -> None:
        """Raise ValueError unless estimates of EM can be those of these statistics."""
        return

    def check_known(self, model: Any) -> None:
        """Raise ValueError unless a model of known parameters is one of this likelihood."""
        raise ValueError("a model of this kind is not made from known parameters")

    def footprint(self, statistics: Any) -> int:
        """Bytes that a model takes in addition to its statistics, if these can be smaller."""
        return 0

    def check_table(self, X: Any) -> None:
        """Raise unless X is a table that this likelihood accepts."""
        as_features(X)

    def read(self, X: Any, model: Any) -> Array:
        """Rows in the form that the model takes, (n, d)."""
        features = as_features(X)
        return features.read(0, features.shape[0]).astype(np.float64, copy=False)

    def write(self, rows: Any, model: Any, like: Any = None) -> Array:
        """Rows of the model in the form of the user's table; `like` is the one they come from."""
        return np.asarray(rows)

    def repairs(self, model: Any, statistics: Any) -> tuple[Repair, ...]:
        """What the model had to do differently from the settings."""
        return ()


def settings_of(likelihood: Any) -> dict[str, Any]:
    """The fields of a likelihood, by name."""
    return {field.name: getattr(likelihood, field.name) for field in fields(likelihood)}
