"""
Mixtures of Gaussians
=====================

One Gaussian is too simple for rows that come from two; a sum of two is not.
"""

import sys
from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt

import suffice as sf
from suffice.plots import ClassesDisplay, CurvesDisplay, DensityDisplay, PanelsDisplay

TABLE = Path(sys.argv[0]).resolve().parents[3] / "tests" / "reference" / "notes3b.csv"
notes = pd.read_csv(TABLE)
X, y = notes[["first", "second"]], notes["target"].astype(int)

own = X[y == 1]
axes = plt.subplots(1, 3, figsize=(13, 4.4), layout="constrained")[1]
plain = {"show_legend": False, "colorbar": False}
ClassesDisplay.from_data(own, ax=axes[0], title="rows of a class", show_legend=False)
for ax, n, title in zip(axes[1:], (1, 2), ("a Gaussian", "a mixture of two"), strict=True):
    model = sf.GaussianMixture(n, random_state=0).fit(own)
    DensityDisplay.from_estimator(model, own, show_points=True, ax=ax, title=title, **plain)

# %%
# Components of a mixture along one feature, and their sum. Nobody has seen which row is whose.
shown = CurvesDisplay.from_estimator(
    sf.GaussianMixture(3, random_state=0).fit(X), X, feature="first"
)

# %%
# A classifier with two Gaussians a class.
model = sf.MixtureDiscriminant(2, random_state=0).fit(X, y)
shown = PanelsDisplay.from_estimator(model, X, y)
