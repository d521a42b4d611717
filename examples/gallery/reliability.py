"""
Can the probabilities be believed?
==================================

Of the rows that got a probability of 0.8, about 0.8 should come true. Naive Bayes counts
neighbouring pixels as if they were independent witnesses, and is far too sure of itself: on digits
it has not seen, its probabilities are off by 14 percentage points on average.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_predict

import suffice as sf
from suffice.plots import ReliabilityDisplay

X, y = load_digits(return_X_y=True)

held_out = cross_val_predict(sf.GaussianNB(), X, y, method="predict_proba")
display = ReliabilityDisplay.from_predictions(y, held_out, title="Naive Bayes")

# %%
# A model that knows the correlations does better. ``inflation="cv"`` widens all classes by one
# factor, chosen by cross-validation, because pixels are not quite Gaussian: 1.6 points remain.

model = sf.GaussianDiscriminant(pooling=0.5, shrinkage="oas", inflation="cv")
held_out = cross_val_predict(model, X, y, method="predict_proba")
display = ReliabilityDisplay.from_predictions(y, held_out, title="Half pooled, inflated")
