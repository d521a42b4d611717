"""
Can the probabilities be believed?
==================================

Of the rows that got a probability of 0.8, about 0.8 should come true. Naive Bayes counts thirty
correlated measurements of a tumour as if they were thirty witnesses, and is too sure of itself;
LDA, which knows the correlations, is not.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict

import suffice as sf
from suffice.plots import ReliabilityDisplay

X, y = load_breast_cancer(return_X_y=True)

figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for ax, model in zip(axes, (sf.GaussianNB(), sf.LDA()), strict=True):
    held_out = cross_val_predict(model, X, y, method="predict_proba")
    ReliabilityDisplay.from_predictions(y, held_out, title=type(model).__name__, ax=ax)
