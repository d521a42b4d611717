"""Labels, columns and files whose names act on terminals: every command shows them escaped."""

from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest
from command_runs import run, terminals

import suffice as sf

# Sets a title, asks for a report, erases a line (C1), reorders, rings, and names a colour of rich.
EVIL = "\x1b]0;owned\x07\x1b[6n\x9b2K\u202egnp\u2066\u2028[red]"
CLASSES = (f"a{EVIL}", f"b\n{EVIL}", "c[bold]")
SIZE, COLOUR = f"size{EVIL}", f"co\tlour{EVIL}"
TARGET = f"kind{EVIL}"
LEVELS = (f"dark{EVIL}", f"light{EVIL}", f"grey{EVIL}")

ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")

# What rich itself writes to a terminal, none of which is in EVIL.
OWN = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[[12]K|\x1b\[[0-9]*A|\r")


def table(rows=90):
    rng = np.random.default_rng(0)
    y = np.arange(rows) % 3
    return pl.DataFrame(
        {
            SIZE: y + rng.standard_normal(rows),
            "width": 2 * y + rng.standard_normal(rows),
            COLOUR: [LEVELS[i] for i in rng.integers(3, size=rows)],
            TARGET: [CLASSES[i] for i in y],
        }
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Tables, models and statistics with such names, in files with such names."""
    folder = tmp_path_factory.mktemp("hostile")
    tables = {"all": table(), "numbers": table().drop(COLOUR), "gaps": table().drop(COLOUR)}
    gaps = tables["gaps"][SIZE].to_list()
    tables["gaps"] = tables["gaps"].with_columns(pl.Series(SIZE, [None, *gaps[1:]]))
    found = {}
    for name, frame in tables.items():
        found[name] = folder / f"{name}{EVIL}.csv"
        frame.write_csv(found[name])
    for name, kind in (("lda", "numbers"), ("mixed", "all")):
        found[name] = folder / f"{name}{EVIL}.suffice"
        run("fit", found[kind], "-t", TARGET, "--model", name, "-o", found[name])
    found["stats"] = folder / f"numbers{EVIL}.stats"
    run("summarize", found["numbers"], "-t", TARGET, "-o", found["stats"])
    found["new"] = folder / f"new{EVIL}"
    return found


COMMANDS = {
    "fit": lambda f: ("fit", f["all"], "-t", TARGET, "--model", "mixed", "-o", f["new"]),
    "fit lda": lambda f: ("fit", f["numbers"], "-t", TARGET, "--model", "lda", "-o", f["new"]),
    "fit auto": lambda f: ("fit", f["numbers"], "-t", TARGET, "--folds", 2, "-o", f["new"]),
    "fit statistics": lambda f: ("fit", f["stats"], "--model", "qda", "-o", f["new"]),
    "info": lambda f: ("info", f["lda"]),
    "info mixed": lambda f: ("info", f["mixed"]),
    "info statistics": lambda f: ("info", f["stats"]),
    "info json": lambda f: ("info", f["mixed"], "--json"),
    "evaluate": lambda f: ("evaluate", f["lda"], f["numbers"], "-t", TARGET),
    "evaluate json": lambda f: ("evaluate", f["lda"], f["numbers"], "-t", TARGET, "--json"),
    "explain": lambda f: ("explain", f["lda"], f["numbers"], "--row", "1"),
    "explain json": lambda f: ("explain", f["lda"], f["numbers"], "--json"),
    "boundary": lambda f: ("boundary", f["lda"], CLASSES[0], CLASSES[1]),
    "boundary latex": lambda f: ("boundary", f["lda"], *CLASSES[:2], "--latex"),
    "compare": lambda f: ("compare", f["numbers"], "-t", TARGET, "--folds", "2"),
    "predict to a file": lambda f: ("predict", f["lda"], f["numbers"], "-o", f"{f['new']}.csv"),
    "merge": lambda f: ("merge", f["stats"], f["stats"], "-o", f["new"]),
    "forget": lambda f: ("forget", f["lda"], f["numbers"], "-t", TARGET, "-o", f["new"]),
    "no file": lambda f: ("predict", f["lda"], f"{f['numbers']}.none"),
    "no folder": lambda f: ("predict", f["lda"], f["numbers"], "-o", f"none{EVIL}/a.csv"),
    "no column": lambda f: ("fit", f["numbers"], "-t", f"none{EVIL}", "-o", f["new"]),
    "no class": lambda f: ("boundary", f["lda"], f"none{EVIL}", CLASSES[0]),
    "no option": lambda f: ("predict", f["lda"], f["numbers"], f"--none{EVIL}"),
    "no command": lambda f: (f"none{EVIL}",),
    "no model": lambda f: ("predict", f["numbers"], f["numbers"]),
    "other columns": lambda f: ("predict", f["mixed"], f["numbers"]),
    "text for numbers": lambda f: ("fit", f["all"], "-t", "width", "-o", f["new"]),
    "report": lambda f: ("report", f["numbers"], "-t", TARGET, "-o", f["new"]),
}
REFUSED = (
    *("no file", "no folder", "no column", "no class", "no option", "no command", "no model"),
    *("other columns", "text for numbers", "forget"),
)


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_prints_control_characters(made, name):
    found = run(*COMMANDS[name](made), code=2 if name in REFUSED else 0, color=True)
    assert not ACTING.search(found.output), ACTING.search(found.output)
    silent = ("compare", "fit auto", "report", "predict to a file", "merge", "forget")
    assert name in silent or "x1b]0;" in found.output or r"\u001b]0;" in found.output


def test_json_for_programs_holds_the_names_as_they_are(made):
    found = json.loads(run("info", made["lda"], "--json").output)
    assert set(found["classes"]) == set(CLASSES)
    assert found["columns"] == [SIZE, "width"]


ON_TERMINALS = {
    "info": lambda f: ("info", f["lda"]),
    "info statistics": lambda f: ("info", f["stats"]),
    "predict": lambda f: ("predict", f["lda"], f["gaps"], "--keep"),
    "predict -": lambda f: ("predict", f["lda"], f["gaps"], "--keep", "-o", "-"),
    "evaluate": lambda f: ("evaluate", f["lda"], f["gaps"], "-t", TARGET),
    "outliers": lambda f: ("outliers", f["lda"], f["gaps"]),
    "summarize": lambda f: ("summarize", f["gaps"], "-t", TARGET, "-o", f["new"]),
}


@pytest.fixture(scope="module")
def screens(made):
    """What commands show on a terminal, the last one of a file with markup in its name."""
    path = made["new"].parent / "[bold]rows[nosuch].csv"
    pl.concat([table().drop(COLOUR)] * 300).write_csv(path)
    commands = {name: arguments(made) for name, arguments in ON_TERMINALS.items()}
    return terminals(commands | {"markup": ("evaluate", made["lda"], path, "-t", TARGET)})


@pytest.mark.parametrize("name", ON_TERMINALS)
def test_no_terminal_is_acted_on(screens, name):
    shown = OWN.sub("", screens[name])
    assert not ACTING.search(shown), ACTING.search(shown)
    assert r"\x1b]0;owned" in shown


def test_markup_of_rich_in_a_name_is_shown(screens):
    shown = screens["markup"]
    assert "c[bold]" in OWN.sub("", shown)
    if "reading" in shown:  # it may have been too fast to be seen
        assert "[bold]rows[nosuch].csv" in shown


def test_data_that_goes_elsewhere_is_left_as_it_is(made, tmp_path):
    out = tmp_path / "predictions.csv"
    run("predict", made["lda"], made["numbers"], "--keep", "-o", out)
    frame = pl.read_csv(out)
    assert set(frame[TARGET]) == set(CLASSES)
    assert SIZE in frame.columns


def test_messages_of_all_errors_are_escaped(made):
    from suffice import errors

    kinds = [one for one in vars(errors).values() if isinstance(one, type)]
    kinds = [kind for kind in kinds if issubclass(kind, errors.SufficeError)]
    assert len(kinds) > 20
    for kind in kinds:
        assert not ACTING.search(str(kind(f"the class {EVIL}\n is odd")))
    with pytest.raises(errors.SufficeError) as raised:
        sf.load(f"none{EVIL}\n")
    assert "\n" not in str(raised.value)
    assert not ACTING.search(str(raised.value))
