"""Tables: real data on which the automatic model was tuned; those that only judge it are elsewhere.

Discrete columns are strings; missing values are missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
from sklearn import datasets

from benchmarks.raw_tables import load, missing, rdatasets  # noqa: F401 - `missing` is for callers

SKLEARN = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
}
MOST_ROWS = 1500


@dataclass(frozen=True, slots=True)
class Spec:
    """Tables of R packages with the same columns, and what their columns are."""

    names: str  # separated by spaces; the rows of all of them
    target: str
    drop: tuple[str, ...] = ()  # columns that repeat the target or number the rows
    levels: tuple[str, ...] = ()  # numbers that only name something

    def read(self) -> tuple[pd.DataFrame, pd.Series]:
        """Features and target; of larger tables rows spread evenly."""
        frame = pd.concat([rdatasets(name) for name in self.names.split()])
        frame = frame.dropna(subset=[self.target])
        frame = frame.iloc[:: -(-len(frame) // MOST_ROWS)].reset_index(drop=True)
        names = [name for name in frame if name not in ("rownames", self.target, *self.drop)]
        columns = {name: _column(frame[name], name in self.levels) for name in names}
        return pd.DataFrame(columns), frame[self.target].astype(str)


TABLES = {
    "Pima": Spec("MASS/Pima.tr MASS/Pima.te", "type"),
    "Pima with gaps": Spec("MASS/Pima.tr2", "type"),
    "biopsy": Spec("MASS/biopsy", "class", ("ID",)),
    "glass": Spec("MASS/fgl", "type"),
    "birth weight": Spec("MASS/birthwt", "low", ("bwt",), ("race", "smoke", "ht", "ui")),
    "student survey": Spec("MASS/survey", "Sex"),
    "Chile vote": Spec("carData/Chile", "vote"),
    "biliary cirrhosis": Spec(
        "survival/pbc", "status", ("id", "time"), ("trt", "ascites", "hepato", "spiders", "edema")
    ),
    "prostate": Spec("rpart/stagec", "pgstat", ("pgtime",), ("eet",)),
    "Titanic": Spec("COUNT/titanic", "survived"),
    "women's labour": Spec("carData/Womenlf", "partic"),
    "labour supply": Spec("Ecdat/Mroz", "work", ("hoursw", "hearnw", "wagew")),
    "skulls": Spec("HSAUR/skulls", "epoch"),
    "synthetic": Spec("MASS/synth.tr MASS/synth.te", "yc"),
    "salaries": Spec("carData/Salaries", "rank"),
    "mortgages": Spec("AER/HMDA", "deny"),
    "bank wages": Spec("AER/BankWages", "job"),
    "party": Spec("carData/BEPS", "vote"),
    "animal tracks": Spec("modeldata/scat", "Species"),
    "credit": Spec("modeldata/credit_data", "Status"),
    "staff": Spec("modeldata/attrition", "Attrition"),
}


def tables() -> dict[str, tuple[pd.DataFrame, pd.Series]]:
    """Features and target of each table, by name."""
    loaded: dict[str, Any] = {}
    for name, read in SKLEARN.items():
        X, y = read(return_X_y=True, as_frame=True)
        loaded[name] = X, y.astype(str)
    return loaded | {"penguins": _penguins(), "crabs": _crabs()} | read_all(TABLES)


def read_all(specs: dict[str, Spec]) -> dict[str, tuple[pd.DataFrame, pd.Series]]:
    """Features and target of each table, by name."""
    return {name: spec.read() for name, spec in specs.items()}


def _column(values: pd.Series, names_only: bool) -> pd.Series:
    """Numbers as floats; everything else as text, None where a value is missing."""
    if not names_only and pd.api.types.is_numeric_dtype(values) and values.dtype != bool:
        return values.astype(float)
    write = "{:g}".format if names_only else str
    text = [
        write(value) if known else None for value, known in zip(values, values.notna(), strict=True)
    ]
    return pd.Series(text, dtype=object)


def _penguins() -> tuple[pd.DataFrame, pd.Series]:
    frame, target = load("penguins, raw")
    units = ("Island", "Sex", "(mm)", "(g)")
    names = [name for name in frame if name.endswith(units)]
    return pd.DataFrame({name: _column(frame[name], False) for name in names}), frame[target]


def _crabs() -> tuple[pd.DataFrame, pd.Series]:
    """Species and sex together are the class."""
    X, y = Spec("MASS/crabs", "sp", ("index",)).read()
    return X.drop(columns="sex"), y + X["sex"]
