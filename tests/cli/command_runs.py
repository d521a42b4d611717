"""Runs of the command line in tests: in this process, in others, and tables to run it on."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

import numpy as np
import polars as pl
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from suffice.cli.app import app

PROGRAM = [sys.executable, "-m", "suffice"]


def run(*arguments, code=0, stdin=None, color=False):
    """The result of a command, which must end with an exit code and without a traceback.

    color : keep what acts on a terminal; else click removes some of it
    """
    found = CliRunner().invoke(app, [str(one) for one in arguments], input=stdin, color=color)
    assert found.exit_code == code, (found.exit_code, found.output, found.exception)
    assert "Traceback" not in found.output
    return found


def answer(*arguments, stdin=None):
    """What a command prints with --json."""
    return json.loads(run(*arguments, "--json", stdin=stdin).stdout)


def refused(*arguments, stdin=None):
    """The one sentence that a command refuses with, on standard error alone."""
    found = run(*arguments, code=2, stdin=stdin)
    assert found.stdout == ""
    lines = found.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("suffice: ")
    return lines[0].removeprefix("suffice: ")


def process(*arguments, **options):
    """The same as a program of its own; options as for subprocess.run."""
    command = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


# Runs several commands in one process: importing the packages takes longer than most commands.
SEVERAL = """
import json, os, sys
from suffice.cli.app import app
for width, arguments in json.loads(sys.argv[1]):
    os.environ["COLUMNS"] = str(width)
    try:
        app(arguments, prog_name="suffice")
    except SystemExit as end:
        assert end.code == 0, (arguments, end.code)
    print(sys.argv[2], flush=True)
"""
BETWEEN = "<the end of a command>"


def terminals(commands, width=150):
    """All that each of several commands, by name, writes to a terminal."""
    given = [(width, list(map(str, arguments))) for arguments in commands.values()]
    program = [sys.executable, "-c", SEVERAL, json.dumps(given), BETWEEN]
    leader, follower = pty.openpty()
    env = {**os.environ, "TERM": "xterm"}
    started = subprocess.Popen(program, stdout=follower, stderr=follower, env=env)
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(leader)
    assert started.wait(timeout=120) == 0, shown.decode()
    return dict(zip(commands, shown.decode().split(BETWEEN), strict=False))


def iris():
    """The iris table: four numbers and a species."""
    X, y = load_iris(return_X_y=True)
    names = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    species = np.array(["setosa", "versicolor", "virginica"])[y]
    return pl.DataFrame({**{n: X[:, j] for j, n in enumerate(names)}, "species": species})


def flowers():
    """The iris table with a column of text, one of codes, and gaps."""
    rng = np.random.default_rng(0)
    frame = iris()
    colour = np.where(
        rng.random(150) < 0.4, "red", np.where(frame["species"] == "setosa", "b", "g")
    )
    width = frame["petal_width"].to_list()
    width[3] = width[77] = None
    return frame.with_columns(
        petal_width=pl.Series(width),
        colour=pl.Series([None if i == 5 else c for i, c in enumerate(colour.tolist())]),
        code=pl.Series(rng.integers(1, 4, 150)),
    )
