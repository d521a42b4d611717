"""
Which features matter?
======================

The increase of the log-loss when a feature is integrated out of the model, cross-validated. The
model without a feature is its exact marginal: nothing is shuffled. A feature is unimportant if the
others say the same.
"""

from sklearn.datasets import load_wine

import suffice as sf
from suffice.plots import ImportanceDisplay

X, y = load_wine(return_X_y=True, as_frame=True)

display = ImportanceDisplay.from_estimator(sf.LDA(), X, y, cv=5, title="Three vineyards, LDA")
