"""
Why this class?
===============

The log-odds of a row, split by feature: bars to one side speak for the class it was given, bars to
the other side for the runner-up. They add up exactly.
"""

from sklearn.datasets import load_wine

import suffice as sf
from suffice.plots import ContributionsDisplay

wine = load_wine(as_frame=True)
X, y = wine.data, wine.target.map(dict(enumerate(["Barolo", "Grignolino", "Barbera"])))

model = sf.LDA().fit(X, y)
display = ContributionsDisplay.from_estimator(model, X, row=61)
print(model.explain(X, row=61))
