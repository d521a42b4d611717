"""
What does a missed case cost?
=============================

A missed tumour costs ten times as much as a needless examination. The cost of each threshold on the
probability of a tumour, on rows that the model has not seen; if probabilities are right, the least
cost lies at the dotted line.
"""

from sklearn.datasets import load_breast_cancer

import suffice as sf
from suffice.plots import ThresholdsDisplay

X, y = load_breast_cancer(return_X_y=True)
model = sf.LDA().fit(X[::2], y[::2])

display = ThresholdsDisplay.from_estimator(
    model, X[1::2], y[1::2], positive=0, costs={(0, 1): 10}, recall=0.95, title="Missed tumours"
)
