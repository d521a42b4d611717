"""Proofs: the digests that show that rows were forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from suffice.cli.grids import own_grid
from suffice.errors import InvalidParameter


def check_exact(path: Path, found: Any) -> None:
    """Raise unless a file holds integers on a grid, of which equal digests prove something."""
    if own_grid(found) is None and not _counts_only(found):
        raise InvalidParameter(
            f"{path} holds floating-point sums, which keep rounding of what was removed; only "
            "statistics on a grid prove it: suffice summarize ... --grid auto."
        )


def _counts_only(found: Any) -> bool:
    """Whether all there is are counts of unweighted rows."""
    statistics = getattr(found, "statistics_", found)
    if getattr(statistics, "detail", "") != "counts":
        return False
    return bool((statistics.count == statistics.weight).all())
