"""
Three views of one model
========================

Where the classes lie, how dense they are, who wins where. The model has all thirteen features;
two are drawn. The ellipses and the density are those of the two alone; for the regions the other
eleven are held at their means.
"""

from sklearn.datasets import load_wine

import suffice as sf
from suffice.plots import PanelsDisplay

X, y = load_wine(return_X_y=True, as_frame=True)

model = sf.LDA().fit(X, y)
display = PanelsDisplay.from_estimator(model, X, y, features=("flavanoids", "color_intensity"))
