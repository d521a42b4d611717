"""Exact statistics from files, clusters and devices: the same digest from all of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import suffice as sf
from suffice.errors import OutsideGrid


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(2000, 4)) * [1, 10, 0.1, 100] + 3
    return pd.DataFrame(rows.round(3), columns=list("abcd")).assign(label=rng.integers(0, 4, 2000))


GRIDS = [sf.Grid(-1e3, 1e3), sf.Grid(-1e3, 1e3, bits=45), sf.Grid.decimal(3)]


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
def test_frames_files_and_dask_give_one_digest(frame, grid, detail, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    expected = sf.summarize(frame, target="label", detail=detail, grid=grid).digest()
    shuffled = frame.sample(frac=1, random_state=1)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    shuffled[:700].to_parquet(tmp_path / "one.parquet", index=False)
    shuffled[700:].to_parquet(tmp_path / "two.parquet", index=False)
    sources = [
        pl.from_pandas(shuffled),
        tmp_path / "rows.csv",
        [tmp_path / "one.parquet", tmp_path / "two.parquet"],
        dd.from_pandas(shuffled, npartitions=5),
    ]
    for source in sources:
        source = str(source) if hasattr(source, "parent") else source
        found = sf.summarize(source, target="label", detail=detail, grid=grid)
        assert found.digest() == expected


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
@pytest.mark.parametrize("weighted", [False, True])
def test_tensors_give_the_digest_of_arrays(frame, grid, detail, weighted):
    torch = pytest.importorskip("torch")
    X, y = frame[list("abcd")].to_numpy(), frame["label"].to_numpy()
    weights = np.arange(len(X)) % 300 if weighted else None
    expected = sf.summarize(X, y, weights, detail, grid=grid)
    found = sf.summarize(
        torch.tensor(X),
        torch.tensor(y),
        None if weights is None else torch.tensor(weights),
        detail,
        grid=grid,
    )
    assert found.digest() == expected.digest()


def test_models_learn_and_forget_tensors_exactly(frame):
    torch = pytest.importorskip("torch")
    X, y = frame[list("abcd")].to_numpy(), frame["label"].to_numpy()
    here, there = (sf.LDA(grid=GRIDS[0]) for _ in range(2))
    here.fit(X, y).forget(X[:50], y[:50])
    there.fit(torch.tensor(X), torch.tensor(y)).forget(torch.tensor(X[:50]), torch.tensor(y[:50]))
    assert here.digest() == there.digest() == sf.LDA(grid=GRIDS[0]).fit(X[50:], y[50:]).digest()
    bad = torch.tensor(X)
    bad[3, 2] = 1e9
    with pytest.raises(OutsideGrid, match="row 3, column 2"):
        sf.summarize(bad, y, grid=GRIDS[0])


def test_an_interrupted_pass_over_files_resumes_on_its_grid_only(frame, tmp_path):
    frame.to_csv(tmp_path / "rows.csv", index=False)
    path, half = str(tmp_path / "rows.csv"), tmp_path / "half"
    options = {"target": "label", "checkpoint": half}
    first = sf.summarize(path, grid=GRIDS[0], **options)
    assert sf.summarize(path, grid=GRIDS[0], **options).digest() == first.digest()
    with pytest.raises(sf.errors.InvalidInput):
        sf.summarize(path, grid=GRIDS[1], **options)


def test_models_on_dask_are_those_in_memory(frame):
    da = pytest.importorskip("dask.array")
    X, y = frame[list("abcd")].to_numpy(), frame["label"].to_numpy()
    parts = da.from_array(X, chunks=(300, 4)), da.from_array(y, chunks=300)
    expected = sf.QDA(grid=GRIDS[0]).fit(X, y)
    assert sf.QDA(grid=GRIDS[0]).fit(*parts).digest() == expected.digest()
