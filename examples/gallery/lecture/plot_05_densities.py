"""
Densities
=========

The density of Gaussian classes as a hill, by its contours, and along one feature.
"""

from sklearn.datasets import load_iris

import suffice as sf
from suffice.plots import CurvesDisplay, DensityDisplay, SurfaceDisplay

iris = load_iris(as_frame=True)
sepals = iris.data[["sepal length (cm)", "sepal width (cm)"]]
species = iris.target_names[iris.target]
model = sf.QDA().fit(sepals, species)
shown = SurfaceDisplay.from_estimator(model, sepals)

# %%
# From one line to the next the density halves.
shown = DensityDisplay.from_estimator(model, sepals, species)

# %%
# Along one feature: the density of each class times its prior, and their sum. A row a tick.
shown = CurvesDisplay.from_estimator(
    sf.QDA().fit(iris.data, species), iris.data, species, feature="petal length (cm)"
)
