"""
Rows by class
=============

Before any model: the rows of two classes, each drawn from two Gaussians, and the two columns of
Iris that lectures like to show.
"""

import sys
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_iris

from suffice.plots import ClassesDisplay

TABLE = Path(sys.argv[0]).resolve().parents[3] / "tests" / "reference" / "notes3b.csv"
notes = pd.read_csv(TABLE)
X, y = notes[["first", "second"]], notes["target"].astype(int)

shown = ClassesDisplay.from_data(X, y)

# %%
# Every class has a colour and a marker of its own, so that nobody has to tell colours apart.
iris = load_iris(as_frame=True)
sepals = iris.data[["sepal length (cm)", "sepal width (cm)"]]
species = iris.target_names[iris.target]
shown = ClassesDisplay.from_data(sepals, species)
