"""By model: densities of the rows left out, for each kind of model."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any

from suffice.data.labelled_table import LabelledTable
from suffice.errors import InvalidParameter
from suffice.models.categorical import Categorical
from suffice.models.discrete import DiscreteModel
from suffice.models.gaussian import GaussianModel
from suffice.models.product import Product, ProductModel
from suffice.models.settings import Settings
from suffice.selection.leave_one_out.counts import discrete_densities
from suffice.selection.leave_one_out.densities import LeftOutDensities
from suffice.selection.leave_one_out.gaussian import gaussian_densities
from suffice.selection.leave_one_out.removal import check_rows
from suffice.statistics.counts import Counts
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.mixed import MixedStatistics


@singledispatch
def left_out_densities(
    model: Any, statistics: Any, likelihood: Any, table: LabelledTable
) -> LeftOutDensities:
    """ln p(x | class) of each row of the table under the model of all other rows."""
    raise InvalidParameter(
        f"a {type(model).__name__} cannot leave out single rows; refit it for each row: "
        "sklearn.model_selection.cross_val_predict(model, X, y, cv=LeaveOneOut())."
    )


@left_out_densities.register
def _(
    model: GaussianModel, statistics: AnyStatistics, likelihood: Settings, table: LabelledTable
) -> LeftOutDensities:
    check_rows(table, statistics)
    return gaussian_densities(statistics, likelihood, table)


@left_out_densities.register
def _(
    model: DiscreteModel, statistics: Counts, likelihood: Categorical, table: LabelledTable
) -> LeftOutDensities:
    return discrete_densities(statistics, likelihood, model, table)


@left_out_densities.register
def _(
    model: ProductModel, statistics: MixedStatistics, likelihood: Product, table: LabelledTable
) -> LeftOutDensities:
    parts = [
        left_out_densities(
            part, statistics.parts[key], likelihood.parts[key].likelihood, replace(table, X=rows)
        )
        for (key, part), rows in zip(model.parts.items(), table.X.parts, strict=True)
    ]
    first, *others = parts
    for other in others:
        first.add(other)
    return first
