"""
How probable a row is
=====================

The density p(x) of the whole model, whatever the class. From one line to the next it halves. Far
outside the lines the model knows that it has seen nothing like it: that is what
``outlier_pvalue`` measures.
"""

from sklearn.datasets import load_wine

import suffice as sf
from suffice.plots import DensityDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
X = X[["alcohol", "color_intensity"]]

model = sf.QDA().fit(X, y)
display = DensityDisplay.from_estimator(model, X, y, title="Density of wines")
