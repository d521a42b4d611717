"""Tables as they come: ids, names, dates and written numbers, read as Python reads them."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from command_runs import answer, run

import suffice as sf
from suffice.data.sources.table_file import read_table

SIZE = 300


@pytest.fixture
def customers(tmp_path, monkeypatch):
    """A file of customers, some of whom leave."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    leaves = rng.random(SIZE) < 0.4
    income = [f'"${value:,.0f}"' for value in rng.normal(50_000 - 9_000 * leaves, 9_000)]
    days = np.datetime64("2020-01-01") + rng.integers(0, 700, SIZE) + 200 * leaves
    columns = {
        "CustomerID": rng.permutation(SIZE) + 1000,
        "Name": [f'"Customer, Mr. {i}"' for i in range(SIZE)],
        "Income": ["?" if i < 9 else text for i, text in enumerate(income)],
        "Since": days.astype(str),
        "Extras": rng.choice(["None", "card", "phone"], SIZE),
        "Visits": rng.poisson(3 + 2 * leaves),
        "Status": np.where(leaves, "leaves", "stays"),
    }
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "customers.csv").write_text("\n".join(lines) + "\n")
    return "customers.csv"


def test_the_command_line_describes_a_table_as_python_does(customers):
    found = answer("describe", customers, "--target", "Status")
    assert found == sf.describe(read_table(customers).frame, "Status").to_dict()
    kinds = [column["kind"] for column in found["columns"]]
    assert kinds == [
        *("set aside", "set aside", "number (text)", "dates", "levels", "number", "target")
    ]


def test_a_description_names_the_options_of_the_command_line(customers):
    text = run("describe", customers).stdout
    assert "--numeric CustomerID" in text
    assert "--missing ''" in text
    named = answer("describe", customers, "--numeric", "CustomerID", "--dates", "drop")
    assert [column["kind"] for column in named["columns"]][:4] == [
        *("number", "set aside", "number (text)", "set aside")
    ]


def test_texts_that_mean_a_missing_value_are_filled_in_as_python_fills_them(customers):
    run("fit", customers, "-t", "Status", "--model", "mixed", "-o", "m.suffice")
    run("impute", "m.suffice", customers, "-o", "filled.csv")
    before, filled = read_table(customers).frame, read_table("filled.csv", text=["Income"]).frame
    expected = sf.load("m.suffice").impute(before)
    assert filled["Income"].to_list() == expected["Income"].to_list()
    assert filled["Income"][9:].to_list() == before["Income"][9:].to_list()
    assert all(30_000 < float(cell) < 70_000 for cell in filled["Income"][:9])
    untouched = [name for name in before.columns if name != "Income"]
    assert filled.select(untouched).equals(before.select(untouched))


def test_random_rows_of_columns_of_whole_numbers_are_whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = [f"{rng.poisson(4 + i % 2)},{rng.normal():.3f},{'uv'[i % 2]}" for i in range(60)]
    (tmp_path / "visits.csv").write_text("\n".join(["visits,depth,kind", *rows]))
    for model in ("lda", "auto"):
        run("fit", "visits.csv", "-t", "kind", "--model", model, "-o", "m.suffice")
        drawn = pl.read_csv(run("sample", "m.suffice", "--rows", "20").stdout.encode())
        assert drawn.dtypes[:2] == [pl.Int64, pl.Float64]


def test_columns_that_are_set_aside_are_reported_and_new_tables_are_read_alike(customers):
    found = run("fit", customers, "-t", "Status", "--model", "mixed", "-o", "m.suffice")
    assert [line.split(": ")[1] for line in found.stderr.splitlines()] == [
        *("column 'CustomerID' is set aside", "column 'Name' is set aside", "column 'Income'")
    ]
    some = pl.read_csv(customers, infer_schema=False).drop("CustomerID", "Name", "Status").head(20)
    some.write_csv("new.csv")
    whole = json.loads(run("predict", "m.suffice", customers, "--json").stdout)
    parts = json.loads(run("predict", "m.suffice", "new.csv", "--json").stdout)
    assert [row["prediction"] for row in parts] == [row["prediction"] for row in whole[:20]]
    assert answer("evaluate", "m.suffice", customers, "-t", "Status")["accuracy"] > 0.6


def test_rows_are_forgotten_as_they_were_learned(customers):
    frame = pl.read_csv(customers, infer_schema=False)
    frame.head(3).write_csv("gone.csv")
    run("summarize", customers, "-t", "Status", "-o", "all.stats")
    run("forget", "all.stats", "gone.csv", "-t", "Status", "-o", "rest.stats")
    assert sf.load("rest.stats").count.sum() == SIZE - 3


def test_missing_indicators_are_those_of_python(customers):
    run(
        "fit",
        customers,
        "--target",
        "Status",
        "--model",
        "lda",
        "--missing",
        "indicator",
        "--out",
        "model.suffice",
    )
    rows = read_table(customers).frame
    X, y = rows.drop("Status"), rows["Status"]
    python = sf.LDA(columns=sf.describe(X, missing="indicator")).fit(X, y)
    loaded = sf.load("model.suffice")
    assert loaded.columns_ == python.columns_
    np.testing.assert_allclose(loaded.predict_proba(X), python.predict_proba(X), rtol=1e-12)
    shown = run("describe", customers, "--missing", "indicator,card").stdout
    assert "number (text) + missing" in shown
    assert "levels + missing" in shown
