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
    for other in (GRIDS[1], None):
        with pytest.raises(sf.errors.InvalidParameter, match="was made with grid"):
            sf.summarize(path, grid=other, **options)
    floats = sf.summarize(path, target="label", checkpoint=tmp_path / "floats")
    with pytest.raises(sf.errors.InvalidParameter, match="was made with grid None"):
        sf.summarize(path, target="label", checkpoint=tmp_path / "floats", grid=GRIDS[0])
    assert floats.count.sum() == first.count.sum()


def test_models_on_dask_are_those_in_memory(frame):
    da = pytest.importorskip("dask.array")
    X, y = frame[list("abcd")].to_numpy(), frame["label"].to_numpy()
    parts = da.from_array(X, chunks=(300, 4)), da.from_array(y, chunks=300)
    expected = sf.QDA(grid=GRIDS[0]).fit(X, y)
    assert sf.QDA(grid=GRIDS[0]).fit(*parts).digest() == expected.digest()


@pytest.fixture(scope="module")
def mixed(frame):
    colour = np.where(frame.a > 3, "red", "blue")
    return frame[:300].assign(colour=colour[:300], label=frame.label[:300].astype(str))


@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
def test_a_table_with_levels_has_one_digest_wherever_its_rows_lie(detail, frame, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    rng = np.random.default_rng(1)
    table = frame[:400].assign(
        colour=rng.choice(["red", "blue", "green", "rare"], 400, p=[0.5, 0.3, 0.19, 0.01]),
        price=[f"${value:,.2f}" for value in rng.lognormal(7, 1, 400)],
        day=pd.date_range("2024-01-01", periods=400).strftime("%Y-%m-%d"),
    )
    table.loc[::17, "a"] = np.nan
    table.loc[::19, "colour"] = None
    grid = sf.Grid(-1e6, 1e6, bits=45)
    columns = sf.describe(table, "label")
    expected = sf.summarize(table, target="label", detail=detail, grid=grid)
    assert expected.grid.names == (*"abcd", "price", *(f"day ({one})" for one in PARTS))
    shuffled = table.sample(frac=1, random_state=1)
    table.to_csv(tmp_path / "rows.csv", index=False)
    shuffled[:150].to_parquet(tmp_path / "one.parquet", index=False)
    shuffled[150:].to_parquet(tmp_path / "two.parquet", index=False)
    sources = [
        pl.from_pandas(shuffled),
        str(tmp_path / "rows.csv"),
        [str(tmp_path / "one.parquet"), str(tmp_path / "two.parquet")],
        pl.from_pandas(shuffled).lazy(),
        dd.from_pandas(shuffled, npartitions=3),
    ]
    for source in sources:
        found = sf.summarize(source, target="label", detail=detail, grid=grid)
        assert found.digest() == expected.digest()
    # The first of these tables has days of one month only.
    parts = iter([table[:20], table[20:]])
    found = sf.summarize(parts, target="label", detail=detail, grid=grid, columns=columns)
    assert found.digest() == expected.digest()


PARTS = ["year", "month", "weekday", "days"]


def test_a_pass_over_files_with_levels_resumes_from_its_checkpoint(mixed, tmp_path):
    grid, half = GRIDS[2], tmp_path / "half"
    names = [str(tmp_path / name) for name in ("one.csv", "two.csv")]
    mixed[:100].to_csv(names[0], index=False)
    bad = mixed[100:].assign(a=1e300)
    bad.to_csv(names[1], index=False)
    with pytest.raises(OutsideGrid, match="column 'a'"):
        sf.summarize(names, target="label", grid=grid, checkpoint=half)
    assert half.exists()
    mixed[100:].to_csv(names[1], index=False)
    found = sf.summarize(names, target="label", grid=grid, checkpoint=half)
    assert found.digest() == sf.summarize(names, target="label", grid=grid).digest()


def test_models_of_tables_on_dask_are_those_in_memory(mixed):
    dd = pytest.importorskip("dask.dataframe")
    parts = dd.from_pandas(mixed.sample(frac=1, random_state=0), npartitions=3)
    X, gone = parts.drop(columns="label"), mixed[:30]
    for kind in (sf.LDA, sf.GaussianNB, sf.BayesianDiscriminant):
        here = kind(grid=GRIDS[2]).fit(mixed.drop(columns="label"), mixed.label)
        there = kind(grid=GRIDS[2]).fit(X, parts.label)
        assert there.statistics_.digest() == here.statistics_.digest()
        there.forget(gone.drop(columns="label"), gone.label)
        alone = kind(grid=GRIDS[2]).fit(mixed[30:].drop(columns="label"), mixed.label[30:])
        assert there.statistics_.digest() == alone.statistics_.digest()


def test_mixed_models_on_dask_count_levels_and_sum_numbers_exactly(mixed):
    dd = pytest.importorskip("dask.dataframe")
    parts = dd.from_pandas(mixed.sample(frac=1, random_state=0), npartitions=3)
    here = sf.MixedNB(grid=GRIDS[2]).fit(mixed.drop(columns="label"), mixed.label)
    there = sf.MixedNB(grid=GRIDS[2]).fit(parts.drop(columns="label"), parts.label)
    assert there.statistics_.digest() == here.statistics_.digest()
