"""The product model: features in parts that are independent given the class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.features import as_frame, is_read
from suffice.data.tables.mixed import Claim, ColumnLayout, MixedRows, check_shape, columns_at
from suffice.errors import InvalidParameter
from suffice.models.covariances.repairs import Repair
from suffice.models.independent import impossible
from suffice.models.likelihood import Likelihood
from suffice.models.model import ClassModel, Model
from suffice.models.priors import class_priors
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.passes.threads import in_parallel
from suffice.statistics.shape import DETAILS

# The layout of statistics, and the form of each part: its detail, with its grid if it has one.
Form: TypeAlias = tuple[ColumnLayout, dict[str, Any]]


@dataclass(frozen=True)
class ProductModel(ClassModel):
    """p(x, y) = p(y) p(first part | y) p(second part | y) ..."""

    parts: dict[str, Model]  # with priors of one (zero if excluded), so that joint is p(part | y)
    layout: ColumnLayout

    @classmethod
    def of(
        cls, classes: Array, priors: Floats, parts: Mapping[str, Model], layout: ColumnLayout
    ) -> ProductModel:
        """The product of models of the parts, whatever priors they have."""
        possible = np.where(priors > 0, 1.0, 0.0)
        own = {key: part.with_priors(possible) for key, part in parts.items()}
        return cls(classes, priors, own, layout)

    def with_priors(self, priors: Floats) -> ProductModel:
        """The same class densities under other priors."""
        return ProductModel.of(self.classes, priors, self.parts, self.layout)

    def check_computable(self) -> None:
        """Raise if the density of a part cannot be computed."""
        for part in self.parts.values():
            part.check_computable()

    def with_rows(self, rows: MixedRows) -> list[tuple[Model, Array]]:
        """Each part with its own features of the rows."""
        return list(zip(self.parts.values(), rows.parts, strict=True))

    def joint(self, rows: MixedRows) -> Floats:
        """ln p(x, y), (n, k); missing values are integrated out."""
        total = self.log_priors[None]
        for part, own in self.with_rows(rows):
            total = total + part.joint(own)
        return total

    def scores(self, rows: MixedRows) -> Floats:
        """The same up to a constant of the row, without parts impossible in all classes."""
        return self.scores_and_ignored(rows)[0]

    def scores_and_ignored(self, rows: MixedRows) -> tuple[Floats, list[Array]]:
        """The scores (n, k), and for each part the rows (n,) in which it is ignored.

        A part is ignored where it is possible only in classes that the parts before it exclude:
        else no class would be left.
        """
        total, ignored = self.log_priors[None], []
        for part, own in self.with_rows(rows):
            scores = part.scores(own)
            both = total + scores
            clash = impossible(both) & ~impossible(scores)
            if clash.any():
                both[clash] = np.broadcast_to(total, both.shape)[clash]
            total = both
            ignored.append(clash)
        return total, ignored


@dataclass(frozen=True)
class ProductPart:
    """A likelihood, and its columns as the user names them; None for all that are left.

    source : what names the columns, for messages
    """

    likelihood: Likelihood
    columns: Any = None
    source: str = "parts"


@dataclass(frozen=True)
class Product(Likelihood):
    """Parts of the features that are independent given the class, by name."""

    summary = MixedStatistics
    parts: Mapping[str, ProductPart]

    @property
    def claims(self) -> dict[str, Claim]:
        """The columns that the parts ask for."""
        return {
            key: Claim(part.columns, part.likelihood.takes_levels, part.source)
            for key, part in self.parts.items()
        }

    @property
    def detail(self) -> str:
        """The finest detail that a part needs."""
        details = {part.likelihood.detail for part in self.parts.values()}
        return next((detail for detail in DETAILS if detail in details), "")

    @property
    def reading(self) -> Any:
        """The columns of each part, and how it reads them."""
        return [(key, p.columns, p.likelihood.reading) for key, p in self.parts.items()]

    def summarize(self, X: Any, y: Any, sample_weight: Any, detail: Any = None) -> MixedStatistics:
        """Statistics of all parts, in the layout and the details of earlier ones if any."""
        form: Form = detail or (ColumnLayout.by_claims(X, self.claims), {})
        layout, details = form

        def work(key: str, table: Any) -> Any:
            likelihood = self.parts[key].likelihood
            with columns_at(_places(X, layout, key)):
                return likelihood.summarize(table, y, sample_weight, details.get(key))

        parts = in_parallel(work, list(layout.split(X).items()))
        return MixedStatistics(dict(zip(layout.parts, parts, strict=True)), layout, _names(X))

    def build(
        self, statistics: MixedStatistics, priors: Any, completed: Any = None
    ) -> ProductModel:
        """The product of the models of all parts."""
        self.check(statistics)
        classes = statistics.classes
        probabilities = class_priors(priors, classes, statistics.weight)
        parts = {
            key: self.parts[key].likelihood.build(own, "uniform", (completed or {}).get(key))
            for key, own in statistics.parts.items()
        }
        return ProductModel.of(classes, probabilities, parts, statistics.layout)

    def check(self, statistics: MixedStatistics) -> None:
        """Raise unless the statistics have no other parts, and are sufficient for these."""
        for key, own in statistics.parts.items():
            if key not in self.parts:
                raise InvalidParameter(
                    f"these statistics have a part {key!r} of {own.n_features} features, but the "
                    f"model has {', '.join(map(repr, self.parts))}; give its likelihood: "
                    "MixedNB(parts={likelihood: columns})."
                )
            likelihood = self.parts[key].likelihood
            if not isinstance(own, likelihood.summary):
                raise InvalidParameter(
                    f"the part {key!r} of these statistics is a {type(own).__name__}, from which "
                    f"the likelihood {likelihood.name!r} cannot be estimated."
                )
            likelihood.check(own)

    def alike(
        self, mine: MixedStatistics, theirs: MixedStatistics
    ) -> tuple[MixedStatistics, MixedStatistics]:
        """Both with the same detail in each part."""
        if mine.layout != theirs.layout:
            return mine, theirs  # adding them reports which feature differs
        pairs = {
            key: self.parts[key].likelihood.alike(own, theirs.parts[key])
            for key, own in mine.parts.items()
        }
        first, second = ({key: pair[i] for key, pair in pairs.items()} for i in (0, 1))
        return replace(mine, parts=first), replace(theirs, parts=second)

    def takes_em(self, statistics: MixedStatistics) -> bool:
        """Whether the model of a part is estimated by EM."""
        own = statistics.parts.items()
        return any(self.parts[key].likelihood.takes_em(part) for key, part in own)

    def completed(self, model: ProductModel, statistics: MixedStatistics) -> dict[str, Any]:
        """What EM estimated, by part."""
        return {
            key: self.parts[key].likelihood.completed(model.parts[key], own)
            for key, own in statistics.parts.items()
            if self.parts[key].likelihood.takes_em(own)
        }

    def check_completed(self, completed: Any, statistics: MixedStatistics) -> None:
        """Raise ValueError unless there are estimates for the parts that take EM."""
        likelihoods = {key: self.parts[key].likelihood for key in statistics.parts}
        by_em = {key for key, own in statistics.parts.items() if likelihoods[key].takes_em(own)}
        if not isinstance(completed, dict) or completed.keys() != by_em:
            raise ValueError("the estimates of EM are those of other parts")
        for key, own in completed.items():
            likelihoods[key].check_completed(own, statistics.parts[key])

    def footprint(self, statistics: MixedStatistics) -> int:
        """The bytes of all parts."""
        own = statistics.parts.items()
        return sum(self.parts[key].likelihood.footprint(part) for key, part in own)

    def check_table(self, X: Any) -> None:
        """Raise unless X is a table; what its columns hold is checked when they are read."""
        check_shape(X)

    def read(self, X: Any, model: ProductModel) -> Any:
        """The features of each part in the form that it takes."""

        def work(key: str, table: Any) -> Array:
            with columns_at(_places(X, model.layout, key)):
                return self.parts[key].likelihood.read(table, model.parts[key])

        return MixedRows(tuple(work(*one) for one in model.layout.split(X).items()))

    def write(self, rows: MixedRows, model: ProductModel, like: Any = None) -> Array:
        """All columns in their places; of objects, unless there is a single part."""
        layout = model.layout
        tables = dict.fromkeys(layout.parts) if like is None else layout.split(like)
        parts = [
            self.parts[key].likelihood.write(own, model.parts[key], tables[key])
            for key, own in zip(layout.parts, rows.parts, strict=True)
        ]
        if len(parts) == 1:
            return parts[0]
        out = np.empty((len(rows), layout.n_features), object)
        for at, part in zip(layout.parts.values(), parts, strict=True):
            out[:, list(at)] = part
        return out

    def repairs(self, model: ProductModel, statistics: MixedStatistics) -> tuple[Repair, ...]:
        """What the models of all parts had to do differently from their settings."""
        pairs = model.parts.items()
        repairs = (self.parts[k].likelihood.repairs(own, statistics.parts[k]) for k, own in pairs)
        return tuple(repair for of_part in repairs for repair in of_part)


def _places(X: Any, layout: ColumnLayout, key: str) -> tuple[int, ...] | None:
    """Positions of the columns of a part in X; None if they have names."""
    return layout.parts[key] if _names(X) is None else None


def _names(X: Any) -> tuple[str, ...] | None:
    if is_read(X):
        return tuple(X.names)
    frame = as_frame(X)
    if frame is None or not all(isinstance(name, str) for name in frame.columns):
        return None
    return tuple(frame.columns)
