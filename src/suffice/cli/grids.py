"""Grids: what --grid names -> a grid, and whether what a file holds is on one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from suffice.cli.options import option
from suffice.errors import InvalidParameter

GridOption = Annotated[
    str | None,
    option(
        "Round values to a grid, for exact statistics: auto (measured from these rows), "
        "decimals=2 (values with two decimals, never rounded), or a file of a grid, or of "
        "statistics on one, which then also say what the columns are.",
        "--grid",
    ),
]


def grid_of(text: str | None, measured: Callable[[], Any]) -> Any:
    """The grid that an option names; None without the option.

    measured : makes the grid of the rows themselves
    """
    import suffice as sf
    from suffice.cli.loaded import load_any
    from suffice.statistics.exact.grid import Grid

    if text is None:
        return None
    if text == "auto":
        return measured()
    name, _, digits = text.partition("=")
    if name == "decimals" and digits.isdecimal():
        return sf.Grid.decimal(int(digits))
    if not Path(text).exists():
        raise InvalidParameter(
            f"--grid {text} is neither auto, nor decimals=2 or the like, nor a file."
        )
    content = load_any(Path(text))
    grid = content if isinstance(content, Grid) else own_grid(content)
    if grid is None:
        raise InvalidParameter(f"{text} holds no grid, and no statistics on one.")
    return grid


def statistics_in(text: str | None) -> Any:
    """The statistics that an option names the grid of, which read columns alike; None if none."""
    from suffice.cli.loaded import load_any

    if text is None or not Path(text).is_file():
        return None
    content = load_any(Path(text))
    statistics = getattr(content, "statistics_", content)
    return statistics if hasattr(statistics, "feature_names") else None


def own_grid(content: Any) -> Any:
    """The grid of exact statistics, of a part of them, or of a model; None if there is none."""
    statistics = getattr(content, "statistics_", content)
    statistics = getattr(statistics, "numeric", None) or statistics
    return getattr(statistics, "grid", None)


def check_exact(path: Path, content: Any) -> None:
    """Raise unless a file holds integers on a grid, of which equal digests prove something."""
    if own_grid(content) is None and not _counts_only(content):
        raise InvalidParameter(
            f"{path} holds floating-point sums, which keep rounding errors of what was removed; "
            "only statistics on a grid prove it: suffice summarize ... --grid auto."
        )


def _counts_only(content: Any) -> bool:
    """Whether all there is are counts of unweighted rows."""
    statistics = getattr(content, "statistics_", content)
    if getattr(statistics, "detail", "") != "counts":
        return False
    return bool((statistics.count == statistics.weight).all())
