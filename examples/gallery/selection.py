"""
Choosing pooling and shrinkage
==============================

Cross-validated log-loss along the shrinkage, a line for each pooling. All 40 candidates come from
one pass over the rows: the statistics of the training rows are those of all rows less those of a
fold.
"""

from sklearn.datasets import load_wine

import suffice as sf
from suffice.plots import SelectionDisplay

X, y = load_wine(return_X_y=True)

grid = {
    "pooling": [0.0, 0.1, 0.5, 0.9, 1.0],
    "shrinkage": [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0],
}
found = sf.select_model(X, y, sf.GaussianDiscriminant(target="diagonal"), grid)
display = SelectionDisplay.from_selection(found, title="Pooling: from QDA (0) to LDA (1)")
print(found.model)
