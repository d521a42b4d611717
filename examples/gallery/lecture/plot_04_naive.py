"""
Gaussian naive Bayes
====================

Independent features within a class: ellipses along the axes. They are circles only where all
variances are equal.
"""

import sys
from pathlib import Path

import pandas as pd

import suffice as sf
from suffice.plots import PanelsDisplay

TABLE = Path(sys.argv[0]).resolve().parents[3] / "tests" / "reference" / "notes3b.csv"
notes = pd.read_csv(TABLE)
X, y = notes[["first", "second"]], notes["target"].astype(int)

shown = PanelsDisplay.from_estimator(sf.GaussianNB().fit(X, y), X, y)

# %%
# LDA with naive Bayes: one variance a feature, shared by the classes.
shown = PanelsDisplay.from_estimator(sf.DiagonalLDA().fit(X, y), X, y)
