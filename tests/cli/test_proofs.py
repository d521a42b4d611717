"""Digests on the command line: what was removed is proved by a hash."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("typer")

from typer.testing import CliRunner

from suffice.cli.app import app


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(120, 3)).round(2), columns=list("abc"))
    rows["y"] = rng.choice(["no", "yes"], 120)
    rows.to_csv("all.csv", index=False)
    rows[:20].to_csv("gone.csv", index=False)
    rows[20:].sample(frac=1, random_state=1).to_csv("rest.csv", index=False)
    rows["colour"] = rng.choice(["red", "blue"], 120)
    rows.to_csv("mixed.csv", index=False)
    rows[:20].to_csv("mixed_gone.csv", index=False)
    rows[20:].to_csv("mixed_rest.csv", index=False)
    return tmp_path


def run(command: str, status: int = 0) -> str:
    result = CliRunner().invoke(app, command.split())
    assert result.exit_code == status, result.output
    return result.output


def test_forgetting_is_verified_and_the_file_is_that_of_the_rest(folder):
    run("summarize all.csv --target y --grid decimals=2 --out all.stats")
    run("summarize rest.csv --target y --grid all.stats --out rest.stats")
    told = run("forget all.stats gone.csv --target y --prove --out after.stats")
    assert (folder / "after.stats").read_bytes() == (folder / "rest.stats").read_bytes()
    digest = run("digest after.stats").strip()
    assert f"digest_after: {digest}" in told
    assert json.loads(run("digest rest.stats --json"))["digest"] == digest
    assert "after.stats is all.stats without" in run(
        "verify all.stats gone.csv after.stats --target y"
    )
    assert "is not" in run("verify all.stats gone.csv all.stats --target y", status=1)
    answer = run("verify all.stats gone.csv all.stats --target y --json", status=1)
    assert json.loads(answer)["verified"] is False


def test_several_files_on_a_measured_grid_add_up_to_the_digest_of_one(folder):
    run("summarize all.csv --target y --grid auto --out one.stats")
    run("summarize gone.csv rest.csv --target y --grid one.stats --out two.stats")
    assert run("digest one.stats") == run("digest two.stats")
    run("summarize gone.csv rest.csv --target y --grid auto --out three.stats")
    assert "statistics of 120 rows" in run("info three.stats")


def test_categories_and_models_are_forgotten_exactly(folder):
    run("summarize mixed.csv --target y --grid auto --out all.stats")
    run("summarize mixed_rest.csv --target y --grid all.stats --out rest.stats")
    run("forget all.stats mixed_gone.csv --target y --prove --out after.stats")
    assert run("digest after.stats") == run("digest rest.stats")
    run("summarize all.csv --target y --grid decimals=2 --out numbers.stats")
    run("summarize rest.csv --target y --grid decimals=2 --out fewer.stats")
    run("fit numbers.stats --model qda --out model.suffice")
    run("fit fewer.stats --model qda --out never.suffice")
    run("forget model.suffice gone.csv --target y --prove --out after.suffice")
    assert run("digest after.suffice") == run("digest never.suffice")


def test_what_proves_nothing_is_refused(folder):
    run("summarize all.csv --target y --out floats.stats")
    for command in (
        "forget floats.stats gone.csv --target y --prove --out x.stats",
        "verify floats.stats gone.csv floats.stats --target y",
        "summarize all.csv --target y --grid nothing --out x.stats",
        "summarize all.csv --target y --grid decimals=1 --out x.stats",
        "summarize all.csv --target y --grid floats.stats --out x.stats",
    ):
        assert CliRunner().invoke(app, command.split()).exit_code != 0
    assert not (folder / "x.stats").exists()


def test_a_table_with_categories_makes_every_model_and_several_files_one_digest(folder):
    run("summarize mixed.csv --target y --grid decimals=2 --out all.stats")
    run("summarize mixed_rest.csv mixed_gone.csv --target y --grid all.stats --out parts.stats")
    assert run("digest parts.stats") == run("digest all.stats")
    run("summarize mixed_gone.csv mixed_rest.csv --target y --grid auto --out auto.stats")
    run("summarize mixed_rest.csv --target y --grid all.stats --out rest.stats")
    for model in ("lda", "qda", "mixed"):
        run(f"fit all.stats --model {model} --out all.suffice")
        run(f"fit rest.stats --model {model} --out never.suffice")
        run("forget all.suffice mixed_gone.csv --target y --prove --out after.suffice")
        assert run("digest after.suffice") == run("digest never.suffice")
        run("verify all.suffice mixed_gone.csv never.suffice --target y")


def test_columns_are_read_as_in_the_statistics_that_the_grid_comes_from(folder):
    rows = pd.read_csv("mixed.csv").assign(day=pd.date_range("2024-01-01", periods=120))
    rows.to_csv("dated.csv", index=False)
    rows[:20].to_csv("january.csv", index=False)  # of one month, so it looks different by itself
    rows[20:].to_csv("later.csv", index=False)
    run("summarize dated.csv --target y --grid decimals=2 --out all.stats")
    run("summarize january.csv --target y --grid all.stats --out january.stats")
    run("summarize later.csv --target y --grid all.stats --out later.stats")
    run("merge january.stats later.stats --out both.stats")
    assert run("digest both.stats") == run("digest all.stats")
    run("verify all.stats january.stats later.stats")
    # What the columns are is decided anew where the command says it.
    run("summarize january.csv --target y --grid all.stats --dates parts --drop day --out x.stats")
    assert "4 (a, b, c, colour)" in run("info x.stats")
    run("summarize january.csv --target y --grid decimals=2 --out own.stats")
    output = " ".join(run("merge own.stats later.stats --out x.stats", status=2).split())
    assert "column 'day' is dates ('day (month)'" not in output
    assert "column 'day' is dates ('day (weekday)', 'day (days)') on one side" in output
    assert "grid: Grid of 6 features" in run("info all.stats")


def test_a_grid_goes_into_a_file_of_its_own_and_info_shows_it(folder):
    import suffice as sf

    sf.Grid(-8, 8, bits=24).save("own.grid")
    run("summarize all.csv --target y --grid own.grid --out one.stats")
    assert "24 bits" in run("info own.grid")
    assert json.loads(run("info own.grid --json"))["kind"] == "grid"
    assert len(run("digest own.grid").strip()) == 64
