"""
Imbalance
=========

Priors move the constant of the log-odds. The boundary of an LDA moves in parallel, away from the
class that becomes more frequent; that of a QDA changes its shape, too.
"""

import sys
from pathlib import Path

import pandas as pd

import suffice as sf
from suffice.plots import PriorsDisplay

TABLE = Path(sys.argv[0]).resolve().parents[3] / "tests" / "reference" / "notes3b.csv"
notes = pd.read_csv(TABLE)
X, y = notes[["first", "second"]], notes["target"].astype(int)

shown = PriorsDisplay.from_estimator(sf.LDA().fit(X, y), X, y)

# %%
# QDA under the same priors; nothing is fitted again.
shown = PriorsDisplay.from_estimator(sf.QDA().fit(X, y), X, y)
