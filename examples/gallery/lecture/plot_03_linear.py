"""
Linear discriminant analysis
============================

One covariance for all classes: ellipses of the same shape and direction, and a straight boundary.
"""

import sys
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_iris

import suffice as sf
from suffice.plots import PanelsDisplay, RegionsDisplay

TABLE = Path(sys.argv[0]).resolve().parents[3] / "tests" / "reference" / "notes3b.csv"
notes = pd.read_csv(TABLE)
X, y = notes[["first", "second"]], notes["target"].astype(int)

model = sf.LDA().fit(X, y)
print(model.boundary(1, 0))
shown = PanelsDisplay.from_estimator(model, X, y)

# %%
# Three classes, and lines between them that meet in a point.
iris = load_iris(as_frame=True)
sepals = iris.data[["sepal length (cm)", "sepal width (cm)"]]
species = iris.target_names[iris.target]
shown = RegionsDisplay.from_estimator(sf.LDA().fit(sepals, species), sepals, species)
