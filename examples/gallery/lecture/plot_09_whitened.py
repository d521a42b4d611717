"""
The transformed space
=====================

Multiplied by the root of the precision, rows have the identity for a covariance within classes.
Ellipses become circles, distances are those of the ruler, and the boundary of an LDA stands at
right angles to the line between the means.
"""

import sys
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_iris

import suffice as sf
from suffice.plots import WhitenedDisplay

TABLE = Path(sys.argv[0]).resolve().parents[3] / "tests" / "reference" / "notes3b.csv"
notes = pd.read_csv(TABLE)
X, y = notes[["first", "second"]], notes["target"].astype(int)

shown = WhitenedDisplay.from_estimator(sf.LDA().fit(X, y), X, y)

# %%
# The same for three classes.
iris = load_iris(as_frame=True)
sepals = iris.data[["sepal length (cm)", "sepal width (cm)"]]
species = iris.target_names[iris.target]
shown = WhitenedDisplay.from_estimator(sf.LDA().fit(sepals, species), sepals, species)
