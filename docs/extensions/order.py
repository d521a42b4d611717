"""The order of the gallery: as the displays are listed in `suffice.plots`."""

from __future__ import annotations

from pathlib import Path

from suffice import plots

# The table in the docstring of the package names them in the order to be read.
DISPLAYS = [
    line.split("`")[1].removesuffix("Display").lower()
    for line in (plots.__doc__ or "").splitlines()
    if line.startswith("| `")
]


def as_listed(name: str) -> tuple[int, str]:
    """A key to sort scripts by: first those named after a display, then by name."""
    stem = Path(name).stem
    return (DISPLAYS.index(stem) if stem in DISPLAYS else len(DISPLAYS), name)
