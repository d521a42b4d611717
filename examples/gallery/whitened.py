"""
Where distances are Euclidean
=============================

LDA in one picture: after whitening with the shared covariance every class is a circle, and a row
goes to the nearest mean. Boundaries stand at right angles on the lines between means; priors only
push them along.
"""

from sklearn.datasets import load_iris

import suffice as sf
from suffice.plots import WhitenedDisplay

X, y = load_iris(return_X_y=True, as_frame=True)
X = X[["petal length (cm)", "petal width (cm)"]]

model = sf.LDA().fit(X, y)
display = WhitenedDisplay.from_estimator(model, X, y, title="Iris, whitened")
