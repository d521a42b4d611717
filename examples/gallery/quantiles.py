"""
Are the rows Gaussian?
======================

Squared distances of the rows to their class mean against those that Gaussian rows would have. On
the diagonal all is well; above it, the tails are heavier than the model thinks. The rows farthest
out are named.
"""

from sklearn.datasets import load_wine

from suffice.plots import QuantilesDisplay

X, y = load_wine(return_X_y=True, as_frame=True)

display = QuantilesDisplay.from_data(X, y, title="Wine: distances to the class means")
