"""
How priors move a boundary
==========================

How common is the disease? The same class densities under other priors, with no refit: the rarer
the malignant class, the farther out a row must lie to be called malignant.
"""

from sklearn.datasets import load_breast_cancer

import suffice as sf
from suffice.plots import PriorsDisplay

tumours = load_breast_cancer(as_frame=True)
X = tumours.data[["mean radius", "mean texture"]]
y = tumours.target.map({0: "malignant", 1: "benign"})

model = sf.QDA().fit(X, y)
display = PriorsDisplay.from_estimator(
    model, X, y, priors=[0.01, 0.1, 0.5], label="malignant", title="Chance of a malignant tumour"
)
