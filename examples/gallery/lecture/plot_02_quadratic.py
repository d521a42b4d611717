"""
Quadratic discriminant analysis
===============================

A mean and a full covariance for each class: ellipses of any shape and direction, and a boundary
that is a conic.
"""

import sys
from pathlib import Path

import pandas as pd

import suffice as sf
from suffice.plots import ClassesDisplay, PanelsDisplay, RegionsDisplay

TABLE = Path(sys.argv[0]).resolve().parents[3] / "tests" / "reference" / "notes3b.csv"
notes = pd.read_csv(TABLE)
X, y = notes[["first", "second"]], notes["target"].astype(int)

model = sf.QDA().fit(X, y)
shown = ClassesDisplay.from_estimator(model, X, y)

# %%
# The regions, the rows and the ellipses of the classes in one chart: the more certain the model,
# the deeper the colour. The boundary is drawn from its equation, which is that of a hyperbola.
print(model.boundary(1, 0))
shown = RegionsDisplay.from_estimator(model, X, y, ellipses=True)

# %%
# Where the classes lie, how dense rows are, and which class wins where, side by side.
shown = PanelsDisplay.from_estimator(model, X, y)
