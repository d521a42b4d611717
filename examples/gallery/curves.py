"""
One feature at a time
=====================

Along one feature the joint density p(x, y) of every class, and their sum p(x). Where two curves
cross, this feature alone cannot tell the classes apart.
"""

from sklearn.datasets import load_wine

import suffice as sf
from suffice.plots import CurvesDisplay

X, y = load_wine(return_X_y=True, as_frame=True)

model = sf.GaussianNB().fit(X, y)
display = CurvesDisplay.from_estimator(model, X, y, feature="flavanoids", title="Flavanoids")
