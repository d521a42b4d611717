"""Answers go to files, pipes and standard output; nothing is replaced that is no file."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest
from command_runs import PROGRAM, iris, process, refused, run

import suffice as sf

# Links to open files stand for /dev/stdout and its like: should a test fail, root would lose those.
STDOUT, THREE = "/proc/self/fd/1", "/proc/self/fd/3"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with a table and a model of it."""
    monkeypatch.chdir(tmp_path)
    iris().write_csv("iris.csv")
    run("fit", "iris.csv", "-t", "species", "--model", "lda", "-o", "lda")
    os.symlink(STDOUT, "out")
    return tmp_path


def reader(path, size=-1):
    """Reads a pipe in a thread; returns a function that waits for what was read."""
    made = ThreadPoolExecutor(1)

    def read():
        with open(path, "rb") as file:
            return file.read(size)

    waiting = made.submit(read)
    made.shutdown(wait=False)
    return lambda: waiting.result(timeout=120)


def test_standard_output_by_its_path_is_that_by_a_dash(folder):
    asked = ("predict", "lda", "iris.csv", "--out")
    by_path = process(*asked, "out")
    assert run(*asked, "-").stdout == by_path.stdout == run(*asked[:-1]).stdout
    assert (by_path.returncode, by_path.stderr) == (0, "")
    assert len(by_path.stdout.splitlines()) == 151
    assert len(json.loads(run(*asked, "-", "--json").stdout)) == 150


def test_what_standard_output_was_redirected_to_is_kept(folder):
    log = folder / "log"
    log.write_text("before\n")
    command = " ".join([*PROGRAM, "predict lda iris.csv --no-probabilities --out out >> log"])
    assert os.system(command) == 0
    assert log.read_text().splitlines()[:3] == ["before", "prediction", "setosa"]
    assert len(log.read_text().splitlines()) == 152


def test_an_open_file_is_written_to(folder):
    os.symlink(THREE, "three")
    command = " ".join([*PROGRAM, "predict lda iris.csv --out three 3>> kept"])
    (folder / "kept").write_text("before\n")
    assert os.system(command) == 0
    assert len((folder / "kept").read_text().splitlines()) == 152
    assert os.readlink("three") == THREE


@pytest.mark.parametrize("name", ["pipe", "pipe.csv", "pipe.jsonl"])
def test_a_named_pipe_is_written_to_and_stays(folder, name):
    os.mkfifo(name)
    reading = reader(folder / name)
    run("predict", "lda", "iris.csv", "--out", name)
    lines = reading().decode().splitlines()
    assert len(lines) == 150 + (name != "pipe.jsonl")
    assert lines[0].startswith("{" if name == "pipe.jsonl" else "prediction,")
    assert stat.S_ISFIFO(os.stat(name).st_mode)


def test_nothing_is_printed_when_a_reader_leaves_a_named_pipe(folder):
    os.mkfifo("pipe")
    pl.concat([iris()] * 100).write_csv("long.csv")
    reader(folder / "pipe", 0)
    found = process("predict", "lda", "long.csv", "--out", "pipe")
    assert found.stdout == found.stderr == ""
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


def test_null_takes_models_and_tables(folder):
    try:
        os.mknod("null", 0o666 | stat.S_IFCHR, os.stat(os.devnull).st_rdev)
    except PermissionError:  # who may not make devices may not replace them either
        os.symlink(os.devnull, "null")
    run("predict", "lda", "iris.csv", "--out", "null")
    run("fit", "iris.csv", "-t", "species", "--model", "lda", "--out", "null")
    assert stat.S_ISCHR(os.stat("null").st_mode)


def test_models_and_reports_are_not_written_to_standard_output(folder):
    for out in ("-", "out"):
        fit = ("fit", "iris.csv", "-t", "species", "--model", "lda", "--out", out)
        assert refused(*fit) == f"--out {out} is standard output, which shows text; name a file."
        report = ("report", "iris.csv", "-t", "species", "--out", out)
        assert "standard output" in refused(*report)
        summary = ("summarize", "iris.csv", "-t", "species", "--out", out)
        assert "standard output" in refused(*summary)
    assert not (folder / "-").exists()
    assert os.readlink("out") == STDOUT


def test_a_model_goes_through_a_pipe(folder):
    os.mkfifo("pipe")
    reading = reader(folder / "pipe")
    run("fit", "iris.csv", "-t", "species", "--model", "lda", "-o", "pipe")
    (folder / "copy").write_bytes(reading())
    assert sf.load("copy").classes_.tolist() == ["setosa", "versicolor", "virginica"]


def test_evaluations_on_standard_output_are_json(folder):
    found = run("evaluate", "lda", "iris.csv", "-t", "species", "--out", "-")
    assert json.loads(found.stdout)["rows"] == 150
    assert not (folder / "-").exists()


@pytest.mark.parametrize(
    "asked",
    [
        ("fit", "iris.csv", "-t", "species", "--model", "lda"),
        ("summarize", "iris.csv", "-t", "species"),
        ("predict", "lda", "iris.csv"),
        ("evaluate", "lda", "iris.csv", "-t", "species"),
        ("report", "iris.csv", "-t", "species"),
        ("forget", "lda", "iris.csv", "-t", "species"),
        ("merge", "lda"),
    ],
)
def test_paths_that_cannot_be_written_are_refused_before_any_work(folder, monkeypatch, asked):
    def worked(*_, **__):
        raise AssertionError("read before the path was checked")

    monkeypatch.setattr("suffice.data.sources.table_file.read_table", worked)
    monkeypatch.setattr("suffice.estimators.files.load", worked)
    name = "a.csv" if asked[0] == "predict" else "a.suffice"
    os.mkdir(name)
    assert refused(*asked, "-o", name).startswith(f"{name} is a folder")
    assert f"/none to write none/{name} to; make it" in refused(*asked, "-o", f"none/{name}")
    assert "File name too long" in refused(*asked, "-o", f"{'n' * 300}{name}")


def test_a_link_to_a_model_stays_a_link(folder):
    os.chmod("lda", 0o600)
    os.symlink("lda", "current")
    run("fit", "iris.csv", "-t", "species", "--model", "qda", "-o", "current")
    assert os.readlink("current") == "lda"
    assert isinstance(sf.load("lda"), sf.QDA)
    assert stat.S_IMODE(os.stat("lda").st_mode) == 0o600
