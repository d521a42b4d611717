"""
Where the classes lie
=====================

A generative classifier begins with a picture of each class. The ellipses hold the rows within one
and two standard deviations of a class mean, as the model sees them: QDA gives each cultivar of
wine a shape of its own.
"""

from sklearn.datasets import load_wine

import suffice as sf
from suffice.plots import ClassesDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
X = X[["alcohol", "color_intensity"]]

model = sf.QDA().fit(X, y)
display = ClassesDisplay.from_estimator(model, X, y, title="Wine: three cultivars")
