"""As numbers: the statistics and settings from which a Gaussian model of a table is built."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from suffice.errors import InvalidParameter
from suffice.models.settings import Settings
from suffice.statistics.exact.exact_incomplete import ExactIncomplete
from suffice.statistics.exact.exact_statistics import ExactStatistics
from suffice.statistics.exact.private_statistics import PrivateStatistics
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.shape import DETAILS
from suffice.statistics.table_statistics import TableStatistics


def as_numbers(statistics: Any, settings: Any) -> tuple[Any, Any]:
    """Statistics of numbers, from those of a table with levels or from exact ones.

    Those of a table with levels are of indicators, rare levels merged. Fourth-order sums do not
    exist for merged levels, so OAS replaces Ledoit-Wolf.
    """
    if isinstance(statistics, MixedStatistics):
        for key, part in statistics.parts.items():
            if isinstance(part, ExactStatistics | ExactIncomplete) and key in settings.parts:
                _check_no_fourth_order(settings.parts[key].likelihood)
        return statistics.numbers, settings
    if isinstance(statistics, ExactStatistics | ExactIncomplete | PrivateStatistics):
        _check_no_fourth_order(settings)
        if statistics.detail == "separate" and settings.detail in DETAILS:
            # While they are integers: pooled later, in floats, they would be rounded once more.
            statistics = statistics.coarsen(settings.detail)
        return statistics.numbers, settings
    if not isinstance(statistics, TableStatistics):
        return statistics, settings
    if isinstance(settings, Settings) and settings.shrinkage == "ledoit-wolf":
        settings = replace(settings, shrinkage="oas")
    return statistics.numbers, settings


def _check_no_fourth_order(settings: Any) -> None:
    if getattr(settings, "shrinkage", None) == "ledoit-wolf":
        raise InvalidParameter(
            "shrinkage='ledoit-wolf' needs fourth-order sums, which exact statistics do not keep; "
            "use shrinkage='oas' or a number."
        )
