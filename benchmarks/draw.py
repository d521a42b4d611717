"""Draw: ratios as bars beside their limits, one panel a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from benchmarks.row import AT_MOST, Row

COLOUR = {True: "#3b76af", False: "#d1495b", None: "#a8adb3"}
LABEL = {True: "limit kept", False: "limit missed", None: "no limit"}
COLUMNS = 3


def draw(rows: Sequence[Row], heading: str, path: Path) -> None:
    """Write the picture of one subject."""
    panels = list(_panels(rows).items())
    lines = [panels[i : i + COLUMNS] for i in range(0, len(panels), COLUMNS)]
    heights = [0.28 * max(len(group) for _, group in line) + 0.9 for line in lines]
    height = sum(heights) + 0.9
    figure = Figure(figsize=(18, height), layout="constrained")
    axes = figure.subplots(len(lines), COLUMNS, height_ratios=heights, squeeze=False)
    for line, places in zip(lines, axes, strict=True):
        for place in places[len(line) :]:
            place.set_axis_off()
        for (title, group), place in zip(line, places, strict=False):
            _panel(place, title, group)
    key = [Patch(color=COLOUR[ok], label=LABEL[ok]) for ok in (True, False, None)]
    key.append(Line2D([], [], color="black", lw=2, label="limit"))
    figure.suptitle(heading, fontsize=13)
    figure.legend(handles=key, loc="outside lower center", ncols=len(key), frameon=False)
    figure.savefig(path, dpi=110)


def _panels(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows by panel: short comparisons that share a reference stand together."""
    panels: dict[str, list[Row]] = {}
    for row in rows:
        family = row.quantity.split(",")[0]
        aim = "cost, smaller is better" if row.sense == AT_MOST else "speed-up, larger is better"
        panels.setdefault(f"{family} vs {row.reference_name}\n({aim})", []).append(row)
    return panels


def _panel(axes: Axes, title: str, rows: Sequence[Row]) -> None:
    places = range(len(rows))
    ratios = [row.ratio for row in rows]
    marks = [row.limit for row in rows if row.limit is not None]
    low, high = min([1.0, *ratios, *marks]), max([1.0, *ratios, *marks])
    low, high = low / 1.5, high * 2.5
    axes.barh(places, [r - low for r in ratios], left=low, color=[COLOUR[r.ok] for r in rows])
    for place, row in zip(places, rows, strict=True):
        if row.limit is not None:
            axes.plot([row.limit] * 2, [place - 0.46, place + 0.46], color="black", lw=2)
        end = max(row.ratio, row.limit or 0.0)
        axes.text(end * 1.06, place, f"{row.ratio:.2f}", va="center", fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_yticks(places, [_name(row) for row in rows], fontsize=8)
    axes.invert_yaxis()
    ticks = [t for t in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500) if low <= t <= high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks], fontsize=8)
    axes.set_xticks([], minor=True)
    axes.set_title(title, fontsize=10, loc="left")
    axes.spines[["top", "right"]].set_visible(False)


def _name(row: Row) -> str:
    _, _, variant = row.quantity.partition(", ")
    case = row.case.replace(" classes", "")
    return f"{variant}: {case}" if variant else case
