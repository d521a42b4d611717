"""
Drawing rows
============

A generative model draws rows: first a class, then a row of it. Beside the rows that the model was
fitted to, those that it draws tell what it has understood. One Gaussian a class has not seen that
the rows of a class lie in two heaps; two have.
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

models = {"QDA": sf.QDA(), "two Gaussians a class": sf.MixtureDiscriminant(2, random_state=0)}
axes = plt.subplots(1, 3, figsize=(13, 4.4), layout="constrained")[1]
ClassesDisplay.from_data(X, y, ax=axes[0], title="rows", show_legend=False)
for ax, (name, model) in zip(axes[1:], models.items(), strict=True):
    rows, labels = model.fit(X, y).sample(500, random_state=0)
    drawn = pd.DataFrame(rows, columns=X.columns)
    ClassesDisplay.from_data(
        drawn, labels, ax=ax, title=f"drawn: {name}", show_legend=ax is axes[2]
    )
