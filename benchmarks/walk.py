"""Walk: one table through every answer, in Python and on the command line, side by side."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from typer.testing import CliRunner

import suffice as sf
from suffice.cli.app import app
from suffice.data.columns.column_kinds import PreparedNumbers

SAMPLED, SEED = 20, 3
EXPLAINED = (0, 7, 50)


@dataclass(frozen=True)
class Step:
    """One answer from both sides, and the CPU seconds that each took."""

    name: str
    python: Any
    command: Any
    python_seconds: float
    command_seconds: float


@dataclass(frozen=True)
class Walk:
    """A table with a target, in a file and as pandas reads it from there."""

    frame: pd.DataFrame
    target: str
    folder: Path

    @classmethod
    def of(cls, frame: pd.DataFrame, target: str, folder: Path) -> Walk:
        """The walk of a frame, which is written to a file first."""
        frame.to_csv(folder / "table.csv", index=False)
        return cls(pd.read_csv(folder / "table.csv"), target, folder)

    @property
    def X(self) -> pd.DataFrame:
        return self.frame.drop(columns=self.target)

    @property
    def table(self) -> Path:
        return self.folder / "table.csv"

    def steps(self) -> Iterator[Step]:
        """The answers of LDA; both sides of each are to be equal."""
        model, X = sf.LDA(), self.X
        file = self.folder / "model.suffice"

        def fit() -> Any:
            return model.fit(self.frame, self.target).predict_proba(X)

        def fit_command() -> Any:
            self.run("fit", self.table, "-t", self.target, "--model", "lda", "-o", file)
            return self.columns("predict", file, self.table, "--no-keep").iloc[:, 1:].to_numpy()

        yield _step("fit and predict", fit, fit_command)
        rows = [row for row in EXPLAINED if row < len(X)]
        yield _step(
            "explain",
            lambda: [model.explain(X, row) for row in rows],
            lambda: [self.json("explain", file, self.table, "--row", r)["text"] for r in rows],
        )
        yield _step(
            "outliers",
            lambda: model.outlier_pvalue(X),
            lambda: self.columns("outliers", file, self.table, "--no-keep").iloc[:, 0].to_numpy(),
        )
        used = [name for name in model.feature_names_in_ if X[name].isna().any()]
        yield _step(
            "impute",
            lambda: model.impute(X)[used],
            lambda: self.columns("impute", file, self.table)[used],
        )
        yield _step(
            "sample",
            lambda: model.sample(SAMPLED, random_state=SEED)[0],
            lambda: self.columns("sample", file, "-n", SAMPLED, "--seed", SEED).drop(
                columns=self.target
            ),
        )
        model.save(self.folder / "python.suffice")
        yield _step(
            "save and load",
            lambda: sf.load(self.folder / "python.suffice").predict_proba(X),
            lambda: sf.load(file).predict_proba(X),
        )
        yield _step("ONNX", lambda: _by_onnx(model, X), lambda: _by_onnx(sf.load(file), X))

    def select(self, models: Any = None) -> Step:
        """A model chosen by cross-validation, with all its answers.

        models : the candidates, which the command cannot be given; None for all
        """
        X, y = self.X, self.frame[self.target]

        def choose() -> Any:
            chosen = sf.select_model(X, y, models).model
            assert chosen.explain(X)
            assert len(chosen.outlier_pvalue(X)) == len(X)
            assert chosen.impute(X).shape == X.shape
            assert len(chosen.sample(2)[0]) == 2
            assert np.isfinite(_by_onnx(chosen, X)).all()
            return chosen.predict_proba(X)

        def command() -> Any:
            file = self.folder / "auto.suffice"
            self.run("fit", self.table, "-t", self.target, "-o", file)
            return sf.load(file).predict_proba(X)

        if models is None:
            return _step("select_model", choose, command)
        start = process_time()
        found = choose()
        return Step("select_model", found, found, process_time() - start, 0.0)

    def report(self) -> Step:
        """The page on a table: its summary."""
        pages = self.folder / "python.html", self.folder / "command.html"
        return _step(
            "report",
            lambda: sf.report(self.frame, self.target, pages[0]).summary,
            lambda: self.json("report", self.table, "-t", self.target, "-o", pages[1])["summary"],
        )

    def run(self, *arguments: Any) -> str:
        """What a command prints."""
        found = CliRunner().invoke(app, [str(one) for one in arguments])
        assert found.exit_code == 0, (arguments, found.output)
        return found.stdout

    def json(self, *arguments: Any) -> Any:
        return json.loads(self.run(*arguments, "--json"))

    def columns(self, *arguments: Any) -> pd.DataFrame:
        """The table that a command prints."""
        return pd.read_csv(io.StringIO(self.run(*arguments)))


def difference(python: Any, command: Any) -> float:
    """The largest difference of numbers, relative to the larger where they exceed one.

    Infinite where texts differ.
    """
    if isinstance(python, pd.DataFrame):
        pairs = [(python[name], command[name]) for name in python.columns]
        return max((difference(_plain(a), _plain(b)) for a, b in pairs), default=0.0)
    a, b = np.asarray(python), np.asarray(command)
    if a.dtype.kind in "OUM" or a.shape != b.shape:
        return 0.0 if a.tolist() == b.tolist() else np.inf
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return np.inf
    gap = np.abs(a - b) / np.maximum(1.0, np.abs(b))
    return float(np.nan_to_num(gap).max(initial=0.0))


def _plain(column: pd.Series) -> Any:
    """Numbers as floats, dates and texts as text."""
    if pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(np.float64)
    dates = pd.api.types.is_datetime64_any_dtype(column)
    texts = column.map(lambda one: None if pd.isna(one) else str(one))
    return (column.dt.strftime("%Y-%m-%dT%H:%M:%S.%f") if dates else texts).to_numpy(object)


def _by_onnx(model: Any, X: pd.DataFrame) -> Any:
    """Probabilities of complete rows by a runtime: full covariances have no graph for others."""
    import onnxruntime

    graph = sf.to_onnx(model, "float64").SerializeToString()
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    layout = model.columns_
    read = [] if layout is None else layout.read(X)
    given = X.assign(**{one.name: one.values for one in read if isinstance(one, PreparedNumbers)})
    feeds = {one.name: _fed(given[one.name], one.type) for one in session.get_inputs()}
    found = session.run(None, feeds)[1]
    complete = given[list(feeds)].notna().all(axis=1).to_numpy()
    assert difference(found[complete], model.predict_proba(X)[complete]) < 1e-9
    return found[complete]


def _fed(column: pd.Series, kind: str) -> Any:
    if "string" in kind:
        return column.map(lambda one: "" if pd.isna(one) else str(one)).to_numpy(object)[:, None]
    return column.to_numpy(bool if "bool" in kind else np.float64)[:, None]


def _step(name: str, python: Any, command: Any) -> Step:
    found, seconds = [], []
    for call in (python, command):
        start = process_time()
        found.append(call())
        seconds.append(process_time() - start)
    return Step(name, *found, *seconds)
