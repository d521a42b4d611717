"""The command line as a program of its own: exit codes, pipes, Ctrl-C, help and its cost."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from command_runs import PROGRAM, iris, process, run, terminals
from typer.testing import CliRunner

import suffice as sf
from suffice.cli.app import EXAMPLES, app
from suffice.cli.compare import heads
from suffice.cli.output import brief, print_lines

SPECIES = ("setosa", "versicolor", "virginica")
HEAVY = ("numpy", "scipy", "sklearn", "polars", "pandas", "pyarrow", "numba", "matplotlib")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("process")
    iris().write_csv(where / "iris.csv")
    run("fit", where / "iris.csv", "-t", "species", "--model", "lda", "-o", where / "lda")
    return where


def test_exit_codes(folder):
    wrong = process("predict", folder / "lda", folder / "nothing.csv")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert re.fullmatch(r"suffice: there is no file .*\n", wrong.stderr)
    unknown = process("predikt")
    assert unknown.returncode == 2
    assert (
        unknown.stderr
        == "suffice: No such command 'predikt'. Did you mean 'predict'? Try 'suffice --help'.\n"
    )


def test_pipes(folder):
    table = (folder / "iris.csv").read_text()
    found = process("predict", folder / "lda", "-", input=table)
    assert (found.returncode, found.stderr) == (0, "")
    assert len(found.stdout.splitlines()) == 151
    assert found.stdout == run("predict", folder / "lda", folder / "iris.csv").stdout


def test_a_table_from_a_named_pipe(folder, tmp_path):
    pipe, out = tmp_path / "pipe.csv", tmp_path / "m.suffice"
    os.mkfifo(pipe)
    command = f"cat {folder / 'iris.csv'} > {pipe} & " + " ".join(
        [*PROGRAM, "fit", str(pipe), "-t", "species", "--model", "lda", "-o", str(out)]
    )
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert (found.returncode, found.stderr) == (0, "")
    assert sf.load(out).statistics_.digest() == sf.load(folder / "lda").statistics_.digest()


def test_a_reader_that_leaves_early_is_not_an_error(folder):
    rows = pl.concat([iris()] * 200)
    rows.write_csv(folder / "long.csv")
    command = " ".join([*PROGRAM, "predict", str(folder / "lda"), str(folder / "long.csv")])
    found = subprocess.run(
        ["bash", "-c", f"{command} | head -1"], capture_output=True, text=True, timeout=120
    )
    assert found.stdout.startswith("prediction")
    assert found.stderr == ""


SLOW = """
import sys, time
import suffice as sf

def slow(*_, **__):
    print("busy", flush=True)
    time.sleep(100)

sf.AutoDiscriminant.fit = slow
from suffice.cli.main import main
main()
"""


def test_control_c_leaves_no_file(folder, tmp_path):
    out = tmp_path / "model.suffice"
    asked = ["fit", str(folder / "iris.csv"), "-t", "species", "--out", str(out)]
    command = [sys.executable, "-c", SLOW, *asked]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert started.stdout.readline() == "busy\n"
    started.send_signal(signal.SIGINT)
    stdout, stderr = started.communicate(timeout=120)
    assert (started.returncode, stdout, stderr.strip()) == (130, "", "")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_write_leaves_the_old_file(folder, tmp_path, monkeypatch):
    out = tmp_path / "p.csv"
    out.write_text("old")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    found = CliRunner().invoke(
        app, ["predict", str(folder / "lda"), str(folder / "iris.csv"), "--out", str(out)]
    )
    assert found.exit_code == 130
    assert out.read_text() == "old"
    assert list(tmp_path.iterdir()) == [out]


def test_an_unexpected_error_is_a_sentence_unless_debugging(folder, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("a bug")

    monkeypatch.setattr("suffice.cli.loaded.load_model", broken)
    asked = ["predict", str(folder / "lda"), str(folder / "iris.csv")]
    found = CliRunner().invoke(app, asked)
    assert found.exit_code == 2
    assert found.stderr.startswith("suffice: unexpected RuntimeError: a bug.")
    monkeypatch.setenv("SUFFICE_DEBUG", "1")
    assert isinstance(CliRunner().invoke(app, asked).exception, RuntimeError)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_command_has_help_with_an_example(name):
    found = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert found.exit_code == 0
    text = " ".join(found.stdout.split())
    for example in EXAMPLES[name].splitlines():
        assert f"Example: {example}" in text
        assert example.startswith(f"suffice {name} ")


def test_every_command_is_listed():
    found = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"})
    assert len(EXAMPLES) == 20
    assert all(f" {name} " in found.stdout for name in EXAMPLES)


def test_help_loads_nothing_heavy():
    program = (
        "import sys\nfrom typer.testing import CliRunner\nfrom suffice.cli.app import app\n"
        "for more in ([], ['fit'], ['predict']):\n"
        "    assert CliRunner().invoke(app, [*more, '--help']).exit_code == 0\n"
        f"print(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (found.returncode, found.stdout.split()) == (0, []), found.stderr


def test_help_costs_little_more_than_the_packages_it_is_drawn_with():
    program = (
        "import sys, typer.testing, rich.console, rich.table, rich.panel, rich.markdown\n"
        "import rich.pretty  # which imports attrs where that is installed\n"
        "before = set(sys.modules)\n"
        "from suffice.cli.app import app\n"
        "assert typer.testing.CliRunner().invoke(app, ['--help']).exit_code == 0\n"
        "print(*(set(sys.modules) - before))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    loaded = {name.split(".")[0] for name in found.stdout.split()} - sys.stdlib_module_names
    # typer brings its own copy of click or uses the package, by version.
    assert loaded - {"typer", "rich", "click", "shellingham", "pygments"} == {"suffice"}
    ours = {name.split(".")[1] for name in found.stdout.split() if name.startswith("suffice.")}
    assert ours == {"cli", "data", "errors", "text"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_and_options(shell):
    # The shell is named here: a test may run under none.
    named = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    script = process("--show-completion", shell, env=named)
    assert script.returncode == 0
    assert "_SUFFICE_COMPLETE" in script.stdout
    words = {"COMP_WORDS": "suffice pre", "COMP_CWORD": "1"}
    words |= {"_TYPER_COMPLETE_ARGS": "suffice pre", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    asked = process(env={**os.environ, **words, "_SUFFICE_COMPLETE": f"complete_{shell}"})
    assert "predict" in asked.stdout
    assert "outliers" not in asked.stdout


@pytest.fixture(scope="module")
def screens(folder):
    """What commands show on a wide and on a narrow terminal, without colours."""
    more = {f"measure_{j}": np.arange(150.0) for j in range(20)}
    iris().with_columns(**more).write_csv(folder / "wide.csv")
    model, table, wide = folder / "lda", folder / "iris.csv", folder / "wide.csv"
    shown = terminals(
        {
            "predict": ("predict", model, table),
            "evaluate": ("evaluate", model, table, "-t", "species"),
            "fit": ("fit", table, "-t", "species", "--folds", 2, "-o", folder / "auto"),
        }
    )
    narrow = {"predict narrow": ("predict", model, wide, "--keep")}
    narrow["outliers narrow"] = ("outliers", model, wide)
    shown |= terminals(narrow, width=80)
    return {name: re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text) for name, text in shown.items()}


def test_a_terminal_sees_tables_and_what_is_left_out(screens):
    assert "─" in screens["predict"] or "━" in screens["predict"]
    assert "130 more rows" in screens["predict"]
    assert "Confusion" in screens["evaluate"]
    assert "choosing a model" in screens["fit"]


def test_a_narrow_terminal_shows_the_answers_first_and_breaks_no_number(screens):
    shown = screens["predict narrow"]
    lines = [line for line in shown.splitlines() if "probability_setosa" in line]
    assert lines[-1].split() == ["prediction", *(f"probability_{one}" for one in SPECIES)]
    assert "more columns" in shown
    shown = screens["outliers narrow"]
    head = next(line for line in shown.splitlines() if "outlier_pvalue" in line).split()
    assert head[:4] == iris().columns[:4]
    assert head[-1] == "outlier_pvalue"
    bars = "━"  # which may come before, if reading takes long
    assert not [line for line in shown.splitlines() if "…" in line and bars not in line]


def test_a_table_of_models_fits_a_terminal_of_80_columns(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    names = ["two Gaussians per class", "logistic regression", "DiagonalLDA"]
    rows = [[name, *["0.1234"] * 6, "1234"] for name in names]
    columns = list(heads("log_loss").values())
    print_lines(columns, rows, "a title")
    title, head, _, *lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert title == "a title"
    assert head.split() == [word for one in columns for word in one.split()]
    for name, line in zip(names, lines, strict=True):
        assert line.startswith(name)
        assert len(line) <= 80


def test_long_labels_are_shortened_in_the_middle(capsys):
    print_lines(["class"], [["so long a label that it fills all of a line, number 1"]])
    assert capsys.readouterr().out == "class\nso long a label … line, number 1\n"
    assert brief("x" * 100 + "1").endswith("1")
    assert len(brief("x" * 100)) == 32


def test_the_version():
    assert process("--version").stdout == f"suffice {sf.__version__}\n"


def test_the_package_runs_as_a_module():
    run = subprocess.run(
        [sys.executable, "-m", "suffice", "--version"], capture_output=True, text=True, check=True
    )
    assert sf.__version__ in run.stdout
