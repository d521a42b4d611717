"""
Decision regions
================

Which class wins where, and how surely: the more certain the class, the deeper its colour. The
lines are the exact conics on which two classes are equally probable, not contours of a grid.
"""

from sklearn.datasets import load_wine

import suffice as sf
from suffice.plots import RegionsDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
X = X[["alcohol", "color_intensity"]]

model = sf.QDA().fit(X, y)
display = RegionsDisplay.from_estimator(model, X, y, title="Who wins where")
print(model.boundary(0, 1))
