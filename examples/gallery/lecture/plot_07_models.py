"""
LDA beside QDA, naive Bayes and logistic regression
===================================================

LDA and logistic regression both draw straight lines, but not the same ones: one maximises the
likelihood of rows and labels, the other that of the labels given the rows.
"""

import sys
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_iris

from suffice.plots import ModelsDisplay

TABLE = Path(sys.argv[0]).resolve().parents[3] / "tests" / "reference" / "notes3b.csv"
notes = pd.read_csv(TABLE)
X, y = notes[["first", "second"]], notes["target"].astype(int)

iris = load_iris(as_frame=True)
sepals = iris.data[["sepal length (cm)", "sepal width (cm)"]]
species = iris.target_names[iris.target]
shown = ModelsDisplay.from_data(sepals, species)

# %%
# Two classes of two Gaussians each: no line divides them well.
shown = ModelsDisplay.from_data(X, y)
