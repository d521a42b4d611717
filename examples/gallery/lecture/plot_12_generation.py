"""
Drawing rows
============

A generative model draws rows: first a class, then a row of it. Beside the rows that the model was
fitted to, on axes of the same limits, those that it draws show what it has learned. One Gaussian
per class has not learned that the rows of a class lie in two clusters; two have.
"""

import sys
from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt

import suffice as sf
from suffice.plots import ClassesDisplay

TABLE = Path(sys.argv[0]).resolve().parents[3] / "tests" / "reference" / "notes3b.csv"
notes = pd.read_csv(TABLE)
X, y = notes[["first", "second"]], notes["target"].astype(int)

models = {"QDA": sf.QDA(), "two Gaussians per class": sf.MixtureDiscriminant(2, random_state=0)}
samples = {name: model.fit(X, y).sample(500, random_state=0) for name, model in models.items()}
both = pd.concat([X, *(pd.DataFrame(rows, columns=X.columns) for rows, _ in samples.values())])
box = [(both[name].min() - 0.2, both[name].max() + 0.2) for name in X.columns]

axes = plt.subplots(1, 3, figsize=(13, 4.4), layout="constrained")[1]
ClassesDisplay.from_data(X, y, box=box, ax=axes[0], title="rows", show_legend=False)
for ax, (name, (rows, labels)) in zip(axes[1:], samples.items(), strict=True):
    drawn, last = pd.DataFrame(rows, columns=X.columns), ax is axes[2]
    ClassesDisplay.from_data(
        drawn, labels, box=box, ax=ax, title=f"drawn: {name}", show_legend=last
    )
