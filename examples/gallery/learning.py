"""
How many rows does it take?
===========================

Log-loss on rows held out by number of training rows, for tumours of thirty features. With 46 rows
naive Bayes is ahead, since it estimates least; from 114 on LDA is. QDA estimates 930 numbers for
the two covariances and is still learning when the rows run out.
"""

from sklearn.datasets import load_breast_cancer

import suffice as sf
from suffice.plots import LearningDisplay

X, y = load_breast_cancer(return_X_y=True)

models = {"LDA": sf.LDA(), "QDA": sf.QDA(), "naive Bayes": sf.GaussianNB()}
found = sf.compare(X, y, models)
display = LearningDisplay.from_comparison(found, title="Breast cancer, 30 features")
