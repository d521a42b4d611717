"""
How many rows does it take?
===========================

Log-loss on rows held out by number of training rows. QDA estimates a covariance for each class and
pays for it while rows are few; LDA shares one and is there sooner.
"""

from sklearn.datasets import load_wine

import suffice as sf
from suffice.plots import LearningDisplay

X, y = load_wine(return_X_y=True)

models = {"LDA": sf.LDA(), "QDA": sf.QDA(), "naive Bayes": sf.GaussianNB()}
found = sf.compare(X, y, models)
display = LearningDisplay.from_comparison(found, title="Wine")
