"""
Many features in two
====================

The two discriminant axes that separate the classes best. With three classes, two axes hold all
that LDA needs of thirteen features: the boundaries drawn are the boundaries used.
"""

from sklearn.datasets import load_wine

import suffice as sf
from suffice.plots import ProjectionDisplay

X, y = load_wine(return_X_y=True, as_frame=True)

model = sf.LDA().fit(X, y)
display = ProjectionDisplay.from_estimator(model, X, y, title="Wine: 13 features, 2 axes")
