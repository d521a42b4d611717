"""Random histories of exact statistics: the same rows by two ways, whose digests must be equal."""

from __future__ import annotations

import importlib
import importlib.util
import os
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pandas as pd

import suffice as sf
from suffice.data.batches import batches
from suffice.data.tables.user_table import take_rows
from suffice.statistics.exact.form import ExactForm
from suffice.statistics.summarize import summarize_batches

DETAILS = ("separate", "shared", "diagonal")

# Where a kind of rows is not installed, histories do without it.
ENGINES = [name for name in ("torch", "dask") if importlib.util.find_spec(name)]


def random_rows(rng):
    """Rows of a random type, with labels, weights or None, and a grid that suits them."""
    if rng.random() < 0.25:
        X, grid = random_table(rng)
    else:
        X, grid = random_numbers(rng)
    n, k = len(X), int(rng.integers(1, 51))
    labels = rng.integers(0, k, n)
    y = labels if rng.random() < 0.5 else np.array([f"c{label}" for label in labels])
    weights = rng.integers(0, 1000, n) * grid.weight_unit if rng.random() < 0.3 else None
    if weights is not None:
        weights[0] = 1
    return X, y, weights, grid


def random_numbers(rng):
    """Numbers of a random type, and a grid that suits them."""
    n, d = int(rng.integers(2, 60)), int(rng.integers(1, 65))
    kind = rng.choice(["integer", "decimal", "float32", "float64"])
    unit = 2.0 ** -int(rng.integers(0, 11))
    if kind == "integer":
        X, grid = rng.integers(-1000, 1000, (n, d)), sf.Grid.decimal(0, weight_unit=unit)
    elif kind == "decimal":
        X = rng.normal(0, 1000, (n, d)).round(2)
        grid = sf.Grid.decimal(2, weight_unit=unit)
    else:
        X = rng.normal(rng.normal(0, 1e4), 10.0 ** rng.integers(-3, 4), (n, d))
        X = X.astype(kind)
        grid = sf.Grid.of(X, bits=int(rng.integers(8, 49)), weight_unit=unit)
    if X.dtype.kind == "f" and rng.random() < 0.15:
        X[1:][rng.random((n - 1, d)) < 0.05] = np.nan
    if rng.random() < 0.2 and kind != "float32":
        X[-1] = grid.low if rng.random() < 0.5 else grid.high
    return X, grid


def random_table(rng):
    """A table of numbers, prices, dates and levels, most of them rare, and a grid for it."""
    n, columns = int(rng.integers(2, 60)), {}
    for j in range(int(rng.integers(0, 4))):
        columns[f"n{j}"] = rng.normal(0, 100, n).round(2)
    if rng.random() < 0.3:
        columns["price"] = [f"${value:,.2f}" for value in rng.lognormal(6, 1, n)]
    if rng.random() < 0.3:
        columns["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    for j in range(int(rng.integers(1, 4))):
        levels = [f"level {i}" for i in range(int(rng.integers(1, 9)))]
        columns[f"c{j}"] = rng.choice(levels, n, p=rng.dirichlet(np.ones(len(levels)) / 2))
    if rng.random() < 0.3:
        columns["flag"] = rng.random(n) < 0.5
    X = pd.DataFrame(columns)
    if rng.random() < 0.5:
        for name in X.columns[X.columns != "flag"]:
            X.loc[rng.random(n) < 0.1, name] = None
    unit = 2.0 ** -int(rng.integers(0, 11))
    if rng.random() < 0.5:
        return X, sf.Grid.decimal(2, weight_unit=unit)
    return X, sf.Grid(-1e6, 1e6, bits=int(rng.integers(8, 49)), weight_unit=unit)


@contextmanager
def compiled_loops(used=True):
    """Use compiled loops for rows of any number, or never for so few."""
    importlib.import_module("suffice.statistics.kernels.compiled")
    names = ("suffice.statistics.kernels.choice", "suffice.statistics.passes.reader")
    first, second = (patch(f"{name}.COMPILED_FROM", 1 if used else 1 << 22) for name in names)
    with first, second:
        yield


@contextmanager
def random_machine(rng):
    """Compiled loops or NumPy's, and one, two or three threads."""
    threads = {"SUFFICE_NUM_THREADS": str(rng.integers(1, 4))}
    with compiled_loops(rng.random() < 0.5), patch.dict(os.environ, threads):
        yield


def summarized(X, y, weights, detail, grid, engine=None, columns=None, fourth=False):
    """The exact statistics of rows, in memory or where an engine has them."""
    if fourth:
        return summarize_batches(batches(X, y, weights), ExactForm(detail, grid, True))
    if engine == "torch":
        import torch

        X = torch.tensor(X)
    elif engine == "dask" and isinstance(X, pd.DataFrame):
        import dask.dataframe as dd

        table = dd.from_pandas(X.assign(y=y, w=weights), npartitions=2, sort=False)
        weights = None if weights is None else table["w"]
        X, y = table[[*X.columns]], table["y"]
    elif engine == "dask":
        import dask.array as da

        rows = max(1, len(X) // 2)
        X, y = da.from_array(X, chunks=(rows, X.shape[1])), da.from_array(y, chunks=rows)
        weights = None if weights is None else da.from_array(weights, chunks=rows)
    return sf.summarize(X, y, weights, detail, grid=grid, columns=columns)


def added(parts):
    """The sum of statistics, in their order."""
    return sum(part for part in parts if part is not None)


def history(rng, engines=ENGINES):
    """Statistics after a random history of adding and removing, and of the rows left alone."""
    X, y, weights, grid = random_rows(rng)
    detail = str(rng.choice(DETAILS))
    n, is_table = len(X), isinstance(X, pd.DataFrame)
    columns = sf.describe(X) if is_table else None
    fourth = detail == "separate" and not is_table and bool(rng.random() < 0.3)
    left = rng.permutation(n)[: rng.integers(1, n + 1)]
    if weights is not None and not weights[left].any():
        left = np.append(left[left != 0], 0)
    gone = np.setdiff1d(np.arange(n), left)
    if rng.random() < 0.2:
        # Whole classes go.
        gone = np.flatnonzero(np.isin(y, y[gone]))
        left = np.setdiff1d(np.arange(n), gone)
        if not len(left) or (weights is not None and not weights[left].any()):
            left, gone = np.arange(n), np.arange(0)

    def of(at):
        own = None if weights is None else weights[at]
        if not len(at) or (own is not None and not own.any()):
            return None
        here = None if rng.random() < 0.9 or not engines else str(rng.choice(engines))
        if here == "torch" and (is_table or np.isnan(X).any()):
            here = None  # levels and missing values are taken in memory only
        with random_machine(rng):
            return summarized(take_rows(X, at), y[at], own, detail, grid, here, columns, fourth)

    cuts = np.array_split(rng.permutation(n), int(rng.integers(1, 8)))
    total = added(of(part) for part in cuts)
    for part in np.array_split(rng.permutation(gone), int(rng.integers(1, 4))):
        some = of(part)
        total = total if some is None else total - some
    if rng.random() < 0.3:
        again = rng.permutation(n)[: rng.integers(1, n + 1)]
        more = of(again)
        total = total if more is None else (total + more) - more
    return total, of(rng.permutation(left))
