"""Several files, and large ones, are read in parts by the command line."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from command_runs import answer, flowers, iris, refused, run

import suffice as sf
from suffice.cli import streaming
from suffice.cli.errors import with_options

FEATURES = ["sepal_length", "sepal_width", "petal_length", "petal_width"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The iris table in three files of each format."""
    monkeypatch.chdir(tmp_path)
    shuffled = iris().sample(fraction=1.0, shuffle=True, seed=0)
    for i in range(3):
        part = shuffled[50 * i : 50 * i + 50]
        part.write_parquet(f"rows{i}.parquet")
        part.write_csv(f"rows{i}.csv")
    shuffled.write_csv("all.csv")
    shuffled.write_parquet("all.parquet")
    return tmp_path


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_pattern_and_its_files_are_summarized_like_the_whole(folder, ending):
    run("summarize", f"rows*.{ending}", "-t", "species", "-o", "pattern.stats")
    names = [f"rows{i}.{ending}" for i in range(3)]
    facts = answer("summarize", *names, "-t", "species", "-o", "files.stats")
    assert facts["rows"] == [50, 50, 50]
    assert facts["columns"] == FEATURES
    found = sf.load("pattern.stats")
    assert found.digest() == sf.load("files.stats").digest()
    assert found == sf.summarize(iris(), target="species")


@pytest.mark.parametrize("kind", ["lda", "qda", "nb", "diagonal-lda", "gaussian", "bayes"])
def test_fit_of_a_pattern_is_the_model_of_the_whole(folder, kind):
    run("fit", "rows*.parquet", "-t", "species", "--model", kind, "-o", "parts.suffice")
    run("fit", "all.csv", "-t", "species", "--model", kind, "-o", "whole.suffice")
    X = iris().select(FEATURES)
    parts, whole = sf.load("parts.suffice"), sf.load("whole.suffice")
    assert type(parts) is type(whole)
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), rtol=1e-8)


def test_a_large_file_is_read_in_parts_and_a_small_one_is_not(folder, monkeypatch):
    calls = []
    real = streaming.summarize_files

    def counted(*arguments):
        calls.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(streaming, "summarize_files", counted)
    run("summarize", "all.csv", "-t", "species", "-o", "small.stats")
    assert not calls
    monkeypatch.setattr(streaming.is_streamed, "__defaults__", (None, 0))
    for name in ("all.csv", "all.parquet"):
        run("summarize", name, "-t", "species", "-o", "large.stats")
        assert sf.load("large.stats").digest() == sf.load("small.stats").digest()
    assert len(calls) == 2
    run("fit", "all.parquet", "-t", "species", "--model", "lda", "-o", "large.suffice")
    assert len(calls) == 3


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_large_file_with_columns_of_text_is_read_as_a_small_one(folder, monkeypatch, ending):
    getattr(flowers(), f"write_{ending}")(f"flowers.{ending}")
    commands = {
        "stats": ("summarize", f"flowers.{ending}", "-t", "species"),
        "numbers": ("summarize", f"flowers.{ending}", "-t", "species", "--drop", "colour"),
        "lda": ("fit", f"flowers.{ending}", "-t", "species", "--model", "lda"),
        "mixed": ("fit", f"flowers.{ending}", "-t", "species", "--model", "mixed"),
    }
    for name, command in commands.items():
        run(*command, "-o", f"small.{name}")
    monkeypatch.setattr(streaming.is_streamed, "__defaults__", (None, 0))
    for name, command in commands.items():
        run(*command, "-o", f"large.{name}")
    for name in ("stats", "numbers"):
        assert sf.load(f"large.{name}") == sf.load(f"small.{name}")
    assert type(sf.load("large.stats")).__name__ == "TableStatistics"
    assert type(sf.load("large.numbers")).__name__ == "IncompleteStatistics"
    X = flowers().drop("species")
    for name in ("lda", "mixed"):
        large, small = sf.load(f"large.{name}"), sf.load(f"small.{name}")
        assert type(large) is type(small)
        assert large.target_name_ == small.target_name_ == "species"
        np.testing.assert_allclose(large.predict_proba(X), small.predict_proba(X), rtol=1e-8)


def test_several_files_of_text_are_read_by_the_options_of_a_table(folder):
    table = flowers().with_columns(code=pl.int_range(pl.len()) % 3)
    table.write_csv("whole.csv")
    for i in range(2):
        table[i::2].write_csv(f"half{i}.csv")
    options = ("-t", "species", "--categorical", "code")
    run("summarize", "whole.csv", *options, "-o", "whole.stats")
    run("summarize", "half*.csv", *options, "-o", "halves.stats")
    assert sf.load("halves.stats") == sf.load("whole.stats")
    assert (
        answer("describe", "half*.csv", "-t", "species", "--categorical", "code")["columns"]
        == (answer("describe", "whole.csv", "-t", "species", "--categorical", "code")["columns"])
    )


def test_options_reach_the_pass(folder):
    frame = pl.read_csv("all.csv").with_columns(
        w=pl.Series(np.arange(150) % 3),
        id=pl.Series([f"row {i}" for i in range(150)]),
        sepal_width=pl.when(pl.col("sepal_width") > 4).then(None).otherwise("sepal_width"),
        species=pl.when(pl.int_range(pl.len()) % 10 == 0).then(None).otherwise("species"),
    )
    frame[:70].write_csv("one.csv", null_value="?")
    frame[70:].write_csv("two.csv", null_value="?")
    run(
        *("summarize", "one.csv", "two.csv", "-t", "species", "--weights", "w", "--drop", "id"),
        *("--missing", "?", "--drop-unlabelled", "--detail", "diagonal", "-o", "found.stats"),
        *("--checkpoint", "half"),
    )
    kept = frame.drop("id").filter(pl.col("species").is_not_null())
    expected = sf.summarize(kept, target="species", weight="w", detail="diagonal")
    assert sf.load("found.stats") == expected
    message = refused(
        *("summarize", "one.csv", "two.csv", "-t", "species", "--weights", "w", "--drop", "id"),
        *("--missing", "?", "--drop-unlabelled", "-o", "found.stats", "--checkpoint", "half"),
    )
    assert "was made with detail 'diagonal', not 'separate'" in message


def test_a_checkpoint_is_for_tables_that_are_read_in_parts(folder):
    run("summarize", "all.csv", "-t", "species", "-o", "a.stats", "--checkpoint", "half")
    assert (folder / "half").exists()
    flowers().write_json("flowers.json")
    message = refused("summarize", "flowers.json", "-t", "species", "-o", "s", "--checkpoint", "x")
    assert "flowers.json is read as a whole" in message


def test_what_needs_all_rows_refuses_several_files(folder):
    for kind in ("auto", "mixture"):
        message = refused("fit", "rows*.csv", "-t", "species", "--model", kind, "-o", "m.suffice")
        assert "needs the rows themselves; with several files" in message
    message = refused(
        *("fit", "rows0.csv", "rows1.csv", "-t", "species", "-o", "m.suffice"),
        *("--model", "lda", "--shrinkage", "cv"),
    )
    assert "cross-validation needs all rows in memory" in message
    message = refused("summarize", "rows*.csv", "-t", "species", "--encoding", "cp1252", "-o", "s")
    assert "--encoding and --missing indicator are for a single table" in message


def test_errors_name_the_file(folder):
    assert "no file matches 'none*.csv'" in refused("summarize", "none*.csv", "-t", "y", "-o", "s")
    message = refused("summarize", "rows*.csv", "-t", "specis", "-o", "s")
    assert "rows0.csv has no column 'specis'. Did you mean 'species'?" in message
    (folder / "rows2.csv").write_text("sepal_length,species\n1,a\n")
    message = refused("summarize", "rows*.csv", "-t", "species", "-o", "s")
    assert "rows2.csv lacks 'sepal_width'" in message
    message = refused("summarize", "all.csv", "all.parquet", "-t", "species", "-o", "s")
    assert "text of a CSV in all.csv" in message or "strings in all.parquet" in message


def test_errors_name_options_in_place_of_parameters(folder):
    (folder / "rows2.csv").write_text(iris().with_columns(note=pl.lit(1)).write_csv())
    message = refused("summarize", "rows*.csv", "-t", "species", "-o", "s")
    assert message.endswith("Choose the features by --drop.")
    run("fit", "all.csv", "-t", "species", "--model", "lda", "-o", "model")
    message = refused("summarize", "model", "-t", "species", "-o", "s")
    assert message.endswith("`suffice info 'model'` shows it.")


def test_a_target_with_a_value_is_that_of_shrinkage():
    assert with_options("use target='identity'") == "use --shrinkage-target identity"


@pytest.mark.parametrize("text", ["summarize(X, target=...)", "rows/target=3.csv"])
def test_only_parameters_of_reading_become_options(text):
    assert with_options(text) == text


def test_a_bar_is_shown_on_a_terminal_only(folder, monkeypatch, capsys):
    import io
    import sys

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    sf.summarize("rows*.csv", target="species", progress=True)
    assert "rows/s" in screen.getvalue()
    assert "150 rows" in screen.getvalue()
    quiet = io.StringIO()
    monkeypatch.setattr(sys, "stderr", quiet)
    sf.summarize("rows*.csv", target="species", progress=True)
    assert quiet.getvalue() == ""
