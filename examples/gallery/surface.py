"""
The density as a hill
=====================

The height is p(x): how probable a wine is, whatever its cultivar. Each cultivar is a hill, as high
as it is common and narrow.
"""

from sklearn.datasets import load_wine

import suffice as sf
from suffice.plots import SurfaceDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
X = X[["alcohol", "color_intensity"]]

model = sf.QDA().fit(X, y)
display = SurfaceDisplay.from_estimator(model, X, title="Density of wines")
