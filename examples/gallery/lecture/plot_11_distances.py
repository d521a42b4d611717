"""
Mahalanobis distances and discriminant axes
===========================================

Squared distances of Gaussian rows to their class mean follow a chi-square, but for what estimating
costs. These rows bend away from the line: each class was drawn from two Gaussians.
"""

import sys
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_iris

import suffice as sf
from suffice.plots import ProjectionDisplay, QuantilesDisplay

TABLE = Path(sys.argv[0]).resolve().parents[3] / "tests" / "reference" / "notes3b.csv"
notes = pd.read_csv(TABLE)
X, y = notes[["first", "second"]], notes["target"].astype(int)

shown = QuantilesDisplay.from_data(X, y)

# %%
# Nothing of the kind in Iris, all four columns.
iris = load_iris(as_frame=True)
species = iris.target_names[iris.target]
shown = QuantilesDisplay.from_data(iris.data, species)

# %%
# All four columns along the axes that tell the classes apart.
shown = ProjectionDisplay.from_estimator(sf.LDA().fit(iris.data, species), iris.data, species)
