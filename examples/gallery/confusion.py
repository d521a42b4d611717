"""
What is taken for what
======================

Rows of each digit by the digit they were taken for, on rows that the model has not seen. The
colour is the share of the true class.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import suffice as sf
from suffice.plots import ConfusionDisplay

X, X_test, y, y_test = train_test_split(
    *load_digits(return_X_y=True), test_size=0.5, random_state=0
)

model = sf.GaussianDiscriminant(shrinkage="oas").fit(X, y)
display = ConfusionDisplay.from_estimator(model, X_test, y_test, title="Digits held out")
