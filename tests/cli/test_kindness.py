"""What people bring and type: row names, JSON, lists with commas, many classes, Ctrl-C early."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from command_runs import answer, flowers, iris, refused, run

import suffice as sf


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("kind")
    iris().write_csv(where / "iris.csv")
    flowers().write_csv(where / "flowers.csv")
    for name in ("lda", "qda"):
        run("fit", where / "iris.csv", "-t", "species", "--model", name, "-o", where / name)
    run("fit", where / "flowers.csv", "-t", "species", "--model", "lda", "-o", where / "levels")
    return where


def fitted(path, out, *options):
    return answer("fit", path, "-t", "species", "--model", "lda", "-o", out, *options)


@pytest.mark.filterwarnings("default")
def test_row_names_in_a_first_column_without_a_name_are_left_out(folder, tmp_path):
    iris().to_pandas().to_csv(tmp_path / "pandas.csv")
    made = run("fit", tmp_path / "pandas.csv", "-t", "species", "--model", "lda", "-o", "m")
    assert "first column has no name" in made.stderr
    assert list(sf.load("m").feature_names_in_) == iris().columns[:4]
    own, plain = (
        run("predict", "m", place).stdout
        for place in (tmp_path / "pandas.csv", folder / "iris.csv")
    )
    assert own == plain


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_json_is_read_as_it_is_written(folder, tmp_path):
    for ending in ("json", "jsonl"):
        run("sample", folder / "lda", "-n", 60, "--seed", 1, "-t", "species", "-o", f"s.{ending}")
    facts = [fitted(f"s.{ending}", "m") for ending in ("json", "jsonl")]
    assert facts[0] == facts[1]
    assert sum(facts[0]["rows"]) == 60
    assert len(answer("predict", folder / "lda", "s.json")) == 60


@pytest.mark.parametrize("form", ["list", "lines", "mark"])
def test_json_on_standard_input_is_recognised_by_its_first_characters(form):
    rows = iris().to_dicts()
    text = "\n".join(map(json.dumps, rows)) if form == "lines" else json.dumps(rows, indent=1)
    text = "\ufeff" + text if form == "mark" else text
    found = run("fit", "-", "-t", "species", "--model", "lda", "-o", "m", "--json", stdin=text)
    assert json.loads(found.stdout)["rows"] == [50, 50, 50]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "species": "u"}\n{"a": 2,\n', "line 2 is not a record"),
        ("[1, 2, 3]", "line 1 is not a record"),
        ("a,species\n1,u\n", "line 1 is not a record"),
        ('{"a": {"0": 1, "1": 2}, "species": {"0": "u", "1": "v"}}', "holds columns, not rows"),
        ('[{"a": 1, "species": "u"}, {"a":', "damaged"),
    ],
)
def test_json_that_is_not_a_table(tmp_path, text, message):
    (tmp_path / "bad.json").write_text(text)
    assert message in refused("fit", "bad.json", "-t", "species", "-o", "m")


def test_names_with_commas_stand_in_quotes(tmp_path):
    frame = iris().rename({"petal_width": "petal, width"})
    frame = frame.with_columns(species=pl.col("species").replace("setosa", "se, tosa"))
    frame.with_columns(note=pl.Series([f"n {i}" for i in range(150)])).rename(
        {"note": "a note, free"}
    ).write_csv("t.csv")
    found = run("fit", "t.csv", "-t", "species", "--model", "lda", "-o", "m")
    assert """--categorical '"a note, free"'""" in found.stderr
    drop = '"petal, width","a note, free"'
    assert fitted("t.csv", "m", "--drop", drop)["columns"] == iris().columns[:3]
    priors = '"se, tosa"=0.5,versicolor=0.25,virginica=0.25'
    fitted("t.csv", "m", "--drop", drop, "--priors", priors)
    assert sf.load("m").priors_.tolist() == [0.5, 0.25, 0.25]


def test_evaluating_rows_of_which_some_have_no_class(folder):
    frame = iris().with_columns(species=pl.when(pl.int_range(150) % 5 > 0).then(pl.col("species")))
    frame.write_csv("some.csv")
    message = refused("evaluate", folder / "lda", "some.csv", "-t", "species")
    assert message.endswith("Leave them out with --drop-unlabelled.")
    found = answer("evaluate", folder / "lda", "some.csv", "-t", "species", "--drop-unlabelled")
    frame.drop_nulls().write_csv("known.csv")
    assert found == answer("evaluate", folder / "lda", "known.csv", "-t", "species")
    assert found["rows"] == 120


def test_forgetting_rows_of_which_some_have_no_class(folder):
    frame = iris().with_columns(species=pl.when(pl.int_range(150) % 5 > 0).then(pl.col("species")))
    frame.write_csv("some.csv")
    given = ("some.csv", "-t", "species", "--drop-unlabelled")
    assert answer("forget", folder / "lda", *given, "-o", "m")["rows"] == [10, 10, 10]
    run("summarize", folder / "iris.csv", "-t", "species", "-o", "s.stats")
    assert answer("forget", "s.stats", *given, "-o", "rest.stats")["rows"] == [10, 10, 10]


def test_of_many_classes_the_most_frequent_confusions_are_listed(tmp_path):
    rng = np.random.default_rng(0)
    codes = np.arange(600) % 60
    frame = pl.DataFrame({"a": codes + rng.normal(size=600), "species": [f"c{c}" for c in codes]})
    frame.write_csv("many.csv")
    fitted("many.csv", "m")
    text = run("evaluate", "m", "many.csv", "-t", "species").stdout
    assert max(map(len, text.splitlines())) < 80
    facts = answer("evaluate", "m", "many.csv", "-t", "species")
    confusion = np.array(facts["confusion"])
    np.fill_diagonal(confusion, 0)
    lines = [line.split() for line in text.split("recall\n")[1].splitlines()]
    assert len(lines) == 10
    assert [int(line[2]) for line in lines] == sorted(confusion.ravel())[::-1][:10]
    first = (facts["classes"].index(lines[0][0]), facts["classes"].index(lines[0][1]))
    assert confusion[first] == confusion.max()


def test_compare_puts_models_side_by_side_and_reports_the_folds_it_made(tmp_path):
    iris().gather([0, 1, 2, 50, 51, 52, 100, 101, 102]).write_csv("few.csv")
    text = run("compare", "few.csv", "-t", "species").stdout
    assert text.startswith("9 rows, 3 folds, ")
    for name in ("LDA", "QDA", "logistic regression", "log-loss"):
        assert name in text


def test_explaining_adds_the_levels_of_a_column_up(folder):
    found = answer("explain", folder / "levels", folder / "flowers.csv", "--row", 7)
    names = [name for name in flowers().columns if name != "species"]
    assert sorted(found["contributions"]) == sorted(names)
    total = sum(found["contributions"].values()) + found["base"]
    assert total == pytest.approx(found["log_odds"], rel=1e-12)
    model = sf.load(folder / "levels")
    row = flowers().drop("species")[7:8]
    p = model.predict_log_proba(row)[0]
    a, b = (list(model.classes_).index(found[name]) for name in ("class", "against"))
    assert found["log_odds"] == pytest.approx(p[a] - p[b], rel=1e-9)
    assert "colour=" not in found["text"]


def test_a_part_named_twice_is_reported(folder):
    found = run("merge", folder / "lda", folder / "lda", "-o", "m")
    assert "more than once" in found.stderr
    assert sf.load("m").statistics_.weight.tolist() == [100.0, 100.0, 100.0]
    assert run("merge", folder / "lda", "-o", "m").stderr == ""


def test_a_table_without_a_line_of_names(tmp_path):
    (tmp_path / "bare.csv").write_text("1.5,2,u\n2.5,1,v\n3,4,u\n")
    assert "Is there no line of column names?" in refused(
        "fit", "bare.csv", "-t", "species", "-o", "m"
    )


def test_numbers_with_signs(tmp_path):
    rows = "\n".join(f"${i},{i}%,{'uv'[i % 2]}" for i in range(40))
    (tmp_path / "money.csv").write_text(f"price,share,y\n{rows}\n")
    run("fit", "money.csv", "-t", "y", "--model", "lda", "-o", "m")
    assert sf.load("m").means_.mean(axis=0).tolist() == [19.5, 19.5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("boundary", "lda", "-3", "2"), "No such option: -3. Put -- before the first value that"),
        (("boundary", "lda", "--3", "2"), "No such option: --3. Try 'suffice boundary --help'."),
        (("info", "lda", "5"), "argument(s) (5). Try 'suffice info --help'."),
        (("fit", "iris.csv", "--model", "x", "-o", "m"), "'--model': 'x' is not one of 'auto'"),
        (("info", "iris.csv"), "`suffice fit` makes a model from a table"),
        (("thresholds", "lda", "iris.csv"), "name the one to find: --positive virginica."),
        (("predict", "lda", "iris.csv", "--threshold", "0.3"), "--threshold 'virginica'=0.3."),
        (("fit", "lda", "-t", "species", "-o", "m"), "lda holds a model, not statistics"),
        (("merge", "lda", "levels", "-o", "m"), "lda and levels do not match: "),
        (("forget", "lda", "iris.csv", "-o", "m"), "would leave none"),
        (
            ("summarize", "iris.csv", "-t", "species", "--grid", "decimals=0", "-o", "m"),
            "Use --grid decimals=... with more digits, or --grid auto, which rounds.",
        ),
    ],
)
def test_sentences_end_and_help(folder, monkeypatch, arguments, message):
    monkeypatch.chdir(folder)
    assert message in refused(*arguments)


@pytest.mark.parametrize("command", ["fit", "predict"])
def test_infinity_in_a_file_is_refused_with_the_name_of_the_file(folder, tmp_path, command):
    iris().with_columns(pl.lit(float("inf")).alias("sepal_width")).write_csv(tmp_path / "inf.csv")
    options = ("-t", "species", "--model", "lda", "-o", tmp_path / "m")
    arguments = (tmp_path / "inf.csv", *options) if command == "fit" else (folder / "lda",)
    data = () if command == "fit" else (tmp_path / "inf.csv",)
    message = refused(command, *arguments, *data)
    assert "inf.csv: column 'sepal_width' holds infinity, first in row 0." in message


@pytest.mark.filterwarnings("default")
def test_notes_of_a_model_name_options_not_calls_in_python(tmp_path):
    few = iris().gather([0, 1, 2, 3, 60, 61, 62, 63])
    few.write_csv(tmp_path / "few.csv")
    found = run(
        "fit", tmp_path / "few.csv", *("-t", "species", "--model", "qda", "-o", tmp_path / "m")
    )
    assert "too few for a covariance of 4 features" in found.stderr
    assert "use --model gaussian --pooling 0.5." in found.stderr


@pytest.mark.filterwarnings("default")
def test_notes_of_a_model_of_levels_do_not_list_its_columns(tmp_path):
    few = iris().gather([0, 1, 2, 3, 60, 61, 62, 63]).with_columns(colour=pl.lit("red"))
    few = few.with_columns(shade=pl.Series(list("abcdabcd")))
    few.write_csv(tmp_path / "few.csv")
    options = ("-t", "species", "--model", "qda", "-o", tmp_path / "m")
    found = run("fit", tmp_path / "few.csv", *options).stderr
    assert "To avoid it, use --model " in found
    assert "Layout" not in found


def test_ctrl_c_while_the_commands_are_built_leaves_no_traceback():
    code = (
        "import os, signal, suffice.cli.app as a\n"
        "from suffice.cli.main import main\n"
        "def stopped(**_): os.kill(os.getpid(), signal.SIGINT); signal.pause()\n"
        "a.app = stopped\n"
        "main()\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert (found.returncode, found.stderr) == (128 + signal.SIGINT, "")
