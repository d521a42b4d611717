"""
An exercise on a boundary
=========================

Two classes with means (4, 3) and (0, 1), the covariance [[1, 0.5], [0.5, 1]] and equal priors. The
boundary is a vertical line: where the first feature is 2.
"""

import numpy as np

import suffice as sf
from suffice.plots import ClassesDisplay, RegionsDisplay

steps = np.array([[1, 1]] * 3 + [[-1, -1]] * 3 + [[1, -1], [-1, 1]])  # of just that covariance
rows = np.vstack([steps + np.array(mean) for mean in ((4, 3), (0, 1))])
model = sf.LDA().fit(rows, ["+"] * 8 + ["-"] * 8)
print(model.boundary("+", "-"))
shown = RegionsDisplay.from_estimator(model, box=((-3, 7), (-2, 6)))

# %%
# At two standard deviations the ellipses touch, in the middle between the means; the boundary is
# the tangent that they share there.
shown = ClassesDisplay.from_estimator(model)
