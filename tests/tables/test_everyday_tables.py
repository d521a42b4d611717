"""Twelve real tables as they come: every answer is the same in Python and on the command line."""

from __future__ import annotations

import pytest

import suffice as sf
from lawful import few

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
raw_tables = pytest.importorskip("benchmarks.raw_tables", reason="the benchmarks are not here")
if raw_tables.missing():
    pytest.skip(raw_tables.missing(), allow_module_level=True)

from benchmarks.raw_tables import TABLES, load  # noqa: E402
from benchmarks.walk import Walk, difference  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

ROWS = 240
SOME = ["penguins, raw", "Titanic, with names", "mail, with times", "liver disease"]
# Columns that no model should learn from, by table.
SET_ASIDE = {
    "penguins, raw": {"Individual ID"},
    "Titanic, with names": {"rownames", "Name"},
    "votes in Congress": {"rownames", "Member"},
    "credit": {"rownames"},
    "liver disease": {"rownames", "id"},
}


@few("name", TABLES, SOME)
def test_every_answer_is_the_same_in_python_and_on_the_command_line(name, tmp_path, capsys):
    frame, target = load(name, ROWS)
    walk = Walk.of(frame, target, tmp_path)
    spent = 0.0
    for step in walk.steps():
        assert difference(step.python, step.command) < 1e-8, step.name
        spent += step.python_seconds + step.command_seconds
    chosen = walk.select([sf.LDA(), sf.MixedNB()])
    assert chosen.python.shape == (len(frame), frame[target].nunique())
    with capsys.disabled():
        print(f"\n{name}: {spent + chosen.python_seconds:.1f} s of CPU", end="")


@pytest.mark.parametrize("name", SET_ASIDE)
def test_names_and_ids_are_not_learned_from(name):
    frame, target = load(name)
    used = sf.LDA().fit(frame, target).feature_names_in_.tolist()
    assert not SET_ASIDE[name] & {*used}
    assert {column.name for column in sf.describe(frame, target).set_aside} >= SET_ASIDE[name]


def compare(name, step, capsys):
    """Check that a step is the same on both sides, and print what it took."""
    assert difference(step.python, step.command) < 1e-8, step.name
    spent = f"{step.python_seconds:.1f} and {step.command_seconds:.1f} s of CPU"
    with capsys.disabled():
        print(f"\n{name}, {step.name}: {spent}", end="")


@few("name", TABLES, ["Titanic, with names"])
def test_the_full_choice_is_the_same_on_both_sides(name, tmp_path, capsys):
    compare(name, Walk.of(*load(name, ROWS), tmp_path).select(), capsys)


# With names and gaps, dates, and levels alone.
@few("name", [*SOME[1:3], "votes in Congress"], ["Titanic, with names"])
def test_the_report_is_the_same_on_both_sides(name, tmp_path, capsys):
    compare(name, Walk.of(*load(name, ROWS), tmp_path).report(), capsys)


@pytest.mark.parametrize("name", ["penguins, raw", "credit", "mail, with times"])
def test_a_table_in_several_files_is_the_table(name, tmp_path):
    frame, target = load(name, 400)
    whole = Walk.of(frame, target, tmp_path).frame
    for i in range(4):
        frame.iloc[100 * i : 100 * i + 100].to_csv(tmp_path / f"part{i}.csv", index=False)
    described = sf.describe(str(tmp_path / "part*.csv"), target)
    found = sf.summarize(str(tmp_path / "part*.csv"), target=target, columns=described)
    assert found.every == sf.summarize(whole, target=target, columns=described).every
    model = sf.LDA().fit(whole, target)
    again = sf.LDA().fit_statistics(found)
    X = whole.drop(columns=target)
    assert difference(again.predict_proba(X), model.predict_proba(X)) < 1e-8
