"""
Four models on the same rows
============================

LDA draws straight lines, QDA conics, naive Bayes conics along the axes. Logistic regression draws
straight lines too, but finds them without a picture of the classes.
"""

from sklearn.datasets import load_wine

from suffice.plots import ModelsDisplay

X, y = load_wine(return_X_y=True, as_frame=True)

display = ModelsDisplay.from_data(X, y, features=("alcohol", "color_intensity"))
