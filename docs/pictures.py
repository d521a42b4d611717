"""The pictures of the first pages, made by the library: python docs/pictures.py."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from sklearn.datasets import load_wine

import suffice as sf
from suffice.plots import ClassesDisplay, DensityDisplay, RegionsDisplay, theme

IMAGES = Path(__file__).parent / "images"
FEATURES = ["alcohol", "color_intensity"]
CULTIVARS = {0: "Barolo", 1: "Grignolino", 2: "Barbera"}


def hero(background: str) -> None:
    """Three cultivars of wine: where they lie, how dense they are, who wins where."""
    from matplotlib import pyplot as plt

    wine = load_wine(as_frame=True)
    X = wine.data[FEATURES].set_axis(["alcohol (%)", "colour intensity"], axis=1)
    y = np.array([CULTIVARS[code] for code in wine.target])
    model = sf.QDA().fit(X, y)
    with theme(background):
        figure, axes = plt.subplots(1, 3, figsize=(13, 4.3), layout="constrained")
        same = {"show_legend": False}
        ClassesDisplay.from_estimator(model, X, y, ax=axes[0], title="where classes lie", **same)
        DensityDisplay.from_estimator(
            model, X, y, ax=axes[1], title="how likely a row is", colorbar=False, **same
        )
        display = RegionsDisplay.from_estimator(
            model, X, y, ax=axes[2], title="who wins where", colorbar=False, **same
        )
        for ax in axes[1:]:
            ax.set(xlim=axes[0].get_xlim(), ylim=axes[0].get_ylim(), ylabel="")
        handles, labels = display.ax_.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
        figure.savefig(IMAGES / f"wine_{background}.png", dpi=110, metadata={"Software": None})
        plt.close(figure)


if __name__ == "__main__":
    mpl.use("agg")
    IMAGES.mkdir(exist_ok=True)
    for background in ("light", "dark"):
        hero(background)
