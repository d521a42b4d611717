"""Tables with categories, dates and written numbers are read in parts as they are in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import suffice as sf
from suffice.data.sources import sample
from suffice.data.tables import indicator_rows
from suffice.errors import ColumnNote, InvalidFeatures, InvalidParameter, NotNumbers

ROWS = 240


def table():
    """Customers: numbers, levels (one only in the last rows), a truth value, dates, prices."""
    rng = np.random.default_rng(0)
    y = rng.choice(["left", "stayed"], ROWS)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 9, ROWS) + 5 * (y == "left"),
            "city": rng.choice(["Bonn", "Graz", "Lugano"], ROWS),
            "active": rng.random(ROWS) < 0.4,
            "since": pd.date_range("2015-03-01", periods=ROWS, freq="11D").strftime("%Y-%m-%d"),
            "income": [f"${x:,}" for x in rng.integers(900, 90_000, ROWS)],
            "status": y,
        }
    )
    frame.loc[ROWS - 9 :, "city"] = "Zug"
    frame.loc[::13, "city"] = None
    frame.loc[::17, "age"] = np.nan
    return frame


@pytest.fixture
def small(read_in_parts):
    """Chunks of a few rows, and a checkpoint after each."""
    read_in_parts(640, checkpoints=True)


@pytest.fixture
def blind(read_in_parts):
    """Roles are decided by the first rows of files."""
    read_in_parts(sampled=40)


def written(folder, ending, frame=None):
    """The table in three files; the pattern that matches them."""
    frame = table() if frame is None else frame
    for i, at in enumerate(np.array_split(np.arange(len(frame)), 3)):
        part = pl.from_pandas(frame.iloc[at])
        getattr(part, f"write_{'ipc' if ending == 'arrow' else ending}")(folder / f"r{i}.{ending}")
    return str(folder / f"r*.{ending}")


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_files_give_the_statistics_of_the_frame(small, tmp_path, ending):
    frame, files = table(), written(tmp_path, ending)
    whole = sf.summarize(frame, target="status")
    found = sf.summarize(files, target="status")
    assert found == whole
    assert found.levels[1].tolist() == ["Bonn", "Graz", "Lugano", "Zug"]
    model = sf.LDA().fit(frame, "status")
    other = sf.LDA().fit_statistics(found)
    assert np.allclose(other.predict_proba(frame), model.predict_proba(frame), rtol=1e-9)


def test_every_way_to_pass_rows_in_parts_gives_the_same(small, tmp_path):
    frame = table()
    whole = sf.summarize(frame, target="status")
    parts = [frame[:90], frame[90:]]
    pairs = [(part.drop(columns="status"), part["status"]) for part in parts]
    arrow = pl.from_pandas(frame).to_arrow()
    for rows in (pl.from_pandas(frame).lazy(), arrow.to_reader(50), iter(parts)):
        assert sf.summarize(rows, target="status") == whole
    assert sf.summarize(pairs) == whole


def test_weights_and_chosen_columns_are_as_in_memory(small, tmp_path):
    frame = table().assign(w=np.arange(ROWS) % 3)
    files = written(tmp_path, "parquet", frame)
    for columns in (None, ["city", "age"], sf.describe(files, "status", drop=["income", "w"])):
        found = sf.summarize(files, target="status", weight="w", columns=columns)
        assert found == sf.summarize(frame, target="status", weight="w", columns=columns)
    plain = sf.describe(files, "status", drop=["income", "city", "active", "since", "w"])
    found = sf.summarize(files, target="status", columns=plain.layout)
    assert found.every == sf.summarize(frame[["age", "status"]], target="status")


def test_naive_bayes_takes_the_statistics_of_a_table(tmp_path):
    frame = table()
    statistics = sf.summarize(written(tmp_path, "csv"), target="status")
    model = sf.MixedNB(structure="full").fit(frame, "status")
    found = sf.MixedNB(structure="full").fit_statistics(statistics)
    assert found.statistics_ == model.statistics_
    assert np.allclose(found.predict_proba(frame), model.predict_proba(frame), rtol=1e-10)
    levels = frame[["city", "active", "status"]]
    counted = sf.CategoricalNB().fit_statistics(sf.summarize(levels, target="status"))
    expected = sf.CategoricalNB().fit(levels, "status")
    assert counted.statistics_ == expected.statistics_
    with pytest.raises(InvalidParameter, match="'age' is numeric; use MixedNB"):
        sf.CategoricalNB().fit_statistics(statistics)
    weighted = sf.summarize(levels, target="status", columns=None, sample_weight=np.full(ROWS, 0.5))
    with pytest.raises(InvalidParameter, match="weighted rows"):
        sf.MixedNB().fit_statistics(weighted)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("stop", [1, 4])
def test_a_checkpoint_resumes_to_the_same_bits(small, tmp_path, ending, stop):
    files, saved = written(tmp_path, ending), tmp_path / "half"
    whole = sf.summarize(files, target="status")
    chunks = []

    def interrupt(progress):
        chunks.append(progress.rows)
        if len(chunks) == stop:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sf.summarize(files, target="status", checkpoint=saved, progress=interrupt)
    rows = []
    found = sf.summarize(
        files, target="status", checkpoint=saved, progress=lambda p: rows.append(p.rows)
    )
    assert rows[0] > chunks[-1]
    assert found.digest() == whole.digest()
    other = sf.describe(files, "status", drop=["active"])
    with pytest.raises(InvalidParameter, match="was made with columns"):
        sf.summarize(files, target="status", checkpoint=saved, columns=other)


def test_a_fixed_file_does_not_change_what_the_columns_are(small, monkeypatch, tmp_path):
    monkeypatch.setattr(sample.sample_rows, "__defaults__", (sample.SampleSize(180),))
    frame = table().assign(size=np.round(np.arange(ROWS) / 7, 3).astype(str))
    frame.loc[170, "size"] = "large, very"
    files, saved = written(tmp_path, "csv", frame), tmp_path / "half"
    good = (tmp_path / "r2.csv").read_text()
    (tmp_path / "r2.csv").write_text(good + "1,2\n")
    with (
        pytest.raises(ValueError, match=r"r2\.csv, line 82: 2 fields"),
        pytest.warns(ColumnNote, match="the others are 'large, very': treated as missing"),
    ):
        sf.summarize(files, target="status", checkpoint=saved)
    # Without the text, the column would look like numbers that have always been such.
    (tmp_path / "r2.csv").write_text(good.replace('"large, very"', "3.5"))
    found = sf.summarize(files, target="status", checkpoint=saved)
    frame.loc[170, "size"] = "3.5"
    assert found.every == sf.summarize(frame, target="status").every


def test_later_cells_that_are_not_what_the_column_is_are_errors_with_their_place(blind, tmp_path):
    frame = table()
    frame.loc[200, "income"] = "a lot"
    with pytest.raises(NotNumbers, match=r"r2\.csv: column 'income' holds 'a lot' in row 40"):
        sf.summarize(written(tmp_path, "csv", frame), target="status")
    text = table().astype({"age": object})
    text.loc[199, "age"] = "old"
    with pytest.raises(NotNumbers, match=r"r2\.csv, line 41: column 'age' holds 'old'"):
        sf.summarize(written(tmp_path, "csv", text.astype({"age": "string"})), target="status")


def test_usual_texts_for_a_missing_value_are_missing_in_later_rows_too(blind, tmp_path):
    frame = table()
    marked = frame.astype({"age": "string"})
    marked.loc[[200, 210], "age"] = "?"
    marked.loc[203, "income"] = "N/A"
    frame.loc[[200, 210], "age"] = np.nan
    frame.loc[203, "income"] = None
    found = sf.summarize(written(tmp_path, "csv", marked), target="status")
    assert found.every == sf.summarize(frame, target="status", columns=found.reader.layout).every


def test_names_that_look_like_levels_at_first_are_an_error(blind, monkeypatch, tmp_path):
    frame = table()
    frame.loc[ROWS // 2 :, "city"] = [f"city {i}" for i in range(ROWS // 2)]
    files = written(tmp_path, "parquet", frame)
    monkeypatch.setattr(indicator_rows.check_level_count, "__defaults__", (50,))
    message = r"column 'city' has \d+ different levels so far, more than 50.*drop=\['city'\]"
    with pytest.raises(InvalidFeatures, match=message):
        sf.summarize(files, target="status")
    described = sf.describe(files, "status", drop=["city"])
    assert sf.summarize(files, target="status", columns=described).n_features == 4


def test_files_and_frames_are_described_alike(tmp_path):
    frame = table().assign(id=np.arange(ROWS), name=[f"Ms {i}" for i in range(ROWS)])
    for ending in ("csv", "parquet"):
        files = written(tmp_path, ending, frame)
        found = sf.describe(files, "status")
        assert found.layout == sf.describe(frame, "status").layout
        assert str(found).startswith("240 sampled rows, 5 columns used, 2 set aside")
        with pytest.warns(ColumnNote, match="'id' is set aside: whole numbers.*'name' is set"):
            statistics = sf.summarize(files, target="status")
        assert statistics == sf.summarize(frame, target="status")
    assert sf.describe(pl.scan_parquet(files), "status").layout == found.layout
    with pytest.raises(InvalidParameter, match="can be read only once"):
        sf.describe(pl.from_pandas(frame).to_arrow().to_reader(), "status")


def test_partitions_of_dask_are_read_by_one_description():
    dd = pytest.importorskip("dask.dataframe")
    frame = table()
    whole = sf.summarize(frame, target="status")
    parts = dd.from_pandas(frame, npartitions=5)
    assert sf.summarize(parts, target="status") == whole
    described = sf.describe(frame, "status", drop=["income"])
    found = sf.summarize(parts, target="status", columns=described)
    assert found == sf.summarize(frame, target="status", columns=described)
    fitted = sf.LDA().fit(parts, "status")
    assert fitted.statistics_.coarsen("shared") == whole.coarsen("shared")
