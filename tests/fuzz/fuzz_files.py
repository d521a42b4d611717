"""Load mutated files and go on with them.

    PYTHONPATH=tests python tests/fuzz/fuzz_files.py --files 1000000 --seed 0

Whatever a file holds, it is refused by an error of the package, or is something that can be asked,
added to, merged, taken from and saved; each of these works or is refused the same way. A load takes
little work, counted in calls of functions, and little memory. What failed is printed, and kept if
--keep names a folder.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from file_mutations import mutated
from sklearn.pipeline import make_pipeline

import suffice as sf
from suffice.errors import SufficeError
from suffice.estimators.files import file_of

MOST_CALLS = 100_000  # of functions, for a load; the samples need up to 12,000
STUCK = 60.0  # seconds of this process after which a file that never ends is given up
ROOM = 300 << 20  # bytes beyond what the process takes before the first mutated file

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)) + np.arange(40)[:, None] % 3
Y = np.array(["ant", "bee", "cat"])[np.arange(40) % 3]
GAPS = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
CODES = RNG.integers(0, 3, (40, 3))
MIXED = pd.DataFrame({"size": X[:, 0], "colour": np.array(["red", "blue"])[CODES[:, 0] % 2]})
FRAME = pd.DataFrame(X, columns=["u", "v", "w"])
TABLE = MIXED.assign(
    id=np.arange(40),
    smoker=CODES[:, 1] == 1,
    price=[f"${value:,.2f}" for value in 1000 * X[:, 1]],
    since=pd.date_range("2024-01-01", periods=40, freq="50h"),
)


def samples():
    """Models and statistics of every kind, with the rows they were made of."""
    shares = {"ant": 0.5, "bee": 0.25, "cat": 0.25}
    yield sf.LDA(priors=shares).fit(FRAME, Y), FRAME, Y
    yield sf.QDA(shrinkage="oas").fit(X, np.arange(40) % 2), X, np.arange(40) % 2
    yield sf.GaussianNB().fit(X, Y), X, Y
    yield sf.DiagonalLDA(priors=np.array([0.25, 0.25, 0.5])).fit(X, Y), X, Y
    yield sf.GaussianDiscriminant(shrinkage="cv").fit(X, Y), X, Y
    yield sf.LDA(shrinkage="ledoit-wolf").fit(X, Y), X, Y
    yield sf.LDA().fit(GAPS, Y), GAPS, Y
    yield sf.QDA(shrinkage=0.1).fit(GAPS, Y), GAPS, Y
    yield sf.GaussianNB().fit(GAPS, Y), GAPS, Y
    wide = X.repeat(20, axis=1)[:8] + RNG.normal(size=(8, 60))
    yield sf.LDA(shrinkage=0.5).fit(wide, Y[:8]), wide, Y[:8]
    yield sf.QDA().partial_fit(X[:1], Y[:1]), X[:1], Y[:1]
    yield sf.QDA().partial_fit(GAPS[:2], Y[:2]), GAPS[:2], Y[:2]
    given = sf.BayesianDiscriminant(prior_covariance=np.eye(3), mean_strength=1.0)
    yield given.fit(X, Y), X, Y
    yield sf.BayesianDiscriminant().fit(GAPS, Y), GAPS, Y
    yield sf.UnskewedDiscriminant().fit(np.abs(X) + 1, Y), np.abs(X) + 1, Y
    yield sf.BernoulliNB(alpha=[1.0, 2.0, 0.5]).fit(X, Y), X, Y
    yield sf.CategoricalNB(min_categories=4, levels=None).fit(CODES, Y), CODES, Y
    yield sf.MixedNB().fit(MIXED, Y), MIXED, Y
    gappy = MIXED.assign(weight=GAPS[:, 1], length=GAPS[:, 2])
    yield sf.MixedNB(structure="full", pooling=1.0).fit(gappy, Y), gappy, Y
    yield sf.GaussianMixture(2, random_state=0).fit(X), X, None
    yield sf.GaussianMixture(2, covariance_type="diag", random_state=0).fit(GAPS), GAPS, None
    yield sf.MixtureDiscriminant(2, random_state=0, pooling=1.0).fit(X, Y), X, Y
    flat = np.column_stack([X, X[:, 0] + X[:, 1]])
    yield sf.MixtureDiscriminant(1, random_state=0).fit(flat, Y), flat, Y
    yield make_pipeline(sf.Indicators(), sf.LDA()).fit(MIXED, Y), MIXED, Y
    for detail in ("separate", "shared", "diagonal"):
        yield sf.summarize(X, Y, detail=detail), X, Y
        yield sf.summarize(GAPS, Y, detail=detail), GAPS, Y
    yield sf.summarize(wide, Y[:8]), wide, Y[:8]
    yield sf.count_levels(CODES, Y), CODES, Y
    yield sf.MixedNB().fit(MIXED, Y).statistics_, MIXED, Y
    table = TABLE.assign(age=GAPS[:, 0])
    yield sf.LDA(columns=sf.describe(TABLE, drop=["id"])).fit(TABLE, Y), TABLE, Y
    yield sf.QDA(shrinkage=0.1).fit(table, Y), table, Y
    yield sf.GaussianNB().fit(table, Y), table, Y
    yield sf.UnskewedDiscriminant(pooling=1.0, shrinkage=0.1).fit(TABLE, Y), TABLE, Y
    yield sf.MixtureDiscriminant(1, random_state=0, shrinkage=0.1).fit(TABLE, Y), TABLE, Y
    yield sf.MixedNB().fit(TABLE, Y), TABLE, Y
    for detail in ("separate", "diagonal"):
        yield sf.summarize(TABLE, Y, detail=detail), TABLE, Y
    yield sf.summarize(table, Y), table, Y


def asked(found, rows, y, path):
    """What can be done with a loaded object: a name and a function for each action."""
    if hasattr(found, "predict"):
        yield "predict", lambda: predicts_numbers(found, rows)
        if hasattr(found, "sample"):
            yield "sample", lambda: found.sample(3, random_state=0)
        if hasattr(found, "statistics_"):
            yield "merge", lambda: found.merge(sf.load(path))
            yield "partial_fit", lambda: found.partial_fit(rows, y)
            yield "predict then", lambda: predicts_numbers(found, rows)
            yield "forget", lambda: found.forget(rows, y)
        yield "save", lambda: sf.save(found, path)
        yield "load again", lambda: predicts_numbers(sf.load(path), rows)
        return
    yield "add", lambda: found + found
    yield "subtract", lambda: (found + found) - found
    yield "compare", lambda: found == sf.load(path)
    yield "show", lambda: (repr(found), found.digest())
    if hasattr(found, "coarsen"):
        yield "coarsen", lambda: found.coarsen("shared")
    if hasattr(found, "select"):
        yield "select", lambda: found.select([0])
    if (
        isinstance(found, sf.Statistics)
        or hasattr(found, "known_weight")
        or hasattr(found, "every")
    ):
        yield "fit", lambda: predicts_numbers(sf.LDA().fit_statistics(found), rows)
        yield "fit more", lambda: predicts_numbers(sf.GaussianNB().fit_statistics(found), rows)
    yield "save", lambda: found.save(path)
    yield "load again", lambda: sf.load(path)


def predicts_numbers(model, rows):
    """Labels and probabilities, which must be numbers."""
    labels, probabilities = model.predict(rows), model.predict_proba(rows)
    assert len(labels) == len(probabilities) == len(rows)
    assert np.isfinite(probabilities).all(), "a model without probabilities"


class Checkpoints:
    """Files of rows, and a checkpoint of a pass over them."""

    def __init__(self, folder: Path) -> None:
        self.files = str(folder / "rows*.csv")
        for i in range(2):
            rows = "".join(f"{a!r},{b!r},{c}\n" for (a, b, _), c in zip(X.tolist(), Y, strict=True))
            (folder / f"rows{i}.csv").write_text("u,v,label\n" + rows)
        self.path = folder / "pass.checkpoint"
        self.resume()
        self.data = self.path.read_bytes()

    def resume(self):
        """Go on from the checkpoint."""
        return sf.summarize(self.files, target="label", checkpoint=self.path)


def stuck(*_):
    raise TimeoutError("stuck")


class Calls:
    """Counts the functions that are called, in Python and in C: the same on every machine."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Calls:
        sys.setprofile(self._add)
        return self

    def __exit__(self, *_) -> None:
        sys.setprofile(None)

    def _add(self, _, event: str, __) -> None:
        self.count += event in ("call", "c_call")


class Run:
    """Many mutated files, one after the other."""

    def __init__(self, seed: int, keep: Path | None) -> None:
        warnings.simplefilter("ignore")
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "mutated"
        self.kinds = [(file_of(one), rows, y, type(one).__name__) for one, rows, y in samples()]
        self.checkpoints = Checkpoints(self.folder)
        self.rng, self.keep = random.Random(seed), keep
        self.became: Counter[str] = Counter()
        self.failures: list[str] = []
        self.most_calls = 0

    def warm_up(self) -> None:
        """Load what is not mutated, so that all code is there before memory is limited."""
        for data, rows, y, _ in self.kinds:
            self.path.write_bytes(data)
            for _, do in asked(sf.load(self.path), rows, y, self.path):
                with contextlib.suppress(SufficeError):
                    do()
                self.path.write_bytes(data)
        self.checkpoints.resume()

    def one(self, number: int) -> None:
        """Mutate a file, load it, and go on with it."""
        data, rows, y, name = self.rng.choice(self.kinds)
        is_pass = self.rng.random() < 0.1
        before = self.checkpoints.data if is_pass else data
        changed = mutated(before, self.rng)
        signal.setitimer(signal.ITIMER_PROF, STUCK)
        deed = "load"
        try:
            if is_pass:
                name, deed = "checkpoint", "resume"
                self.checkpoints.path.write_bytes(changed)
                with Calls() as calls:
                    self.checkpoints.resume()
            else:
                self.path.write_bytes(changed)
                with Calls() as calls:
                    found = sf.load(self.path)
            outcome = "unchanged" if changed == before else "taken"
        except SufficeError as error:
            outcome = "refused"
            if str(self.path) not in str(error) and not is_pass:
                self._fail(number, name, deed, changed, f"does not name the file: {error}")
        except BaseException:
            outcome = "failed"
            self._fail(number, name, deed, changed, traceback.format_exc())
        self.most_calls = max(self.most_calls, calls.count)
        if calls.count > MOST_CALLS:
            self._fail(number, name, deed, changed, f"called {calls.count} functions")
        if outcome == "taken" and not is_pass:
            self._go_on(found, rows, y, (number, name, changed))
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.became[outcome] += 1

    def _go_on(self, found, rows, y, file) -> None:
        number, name, changed = file
        deeds = asked(found, rows, y, self.path)
        for deed, do in deeds:
            try:
                do()
                self.became[f"{deed}: done"] += 1
            except SufficeError:
                self.became[f"{deed}: refused"] += 1
            except BaseException:
                self._fail(number, name, deed, changed, traceback.format_exc())
                return

    def _fail(self, number: int, name: str, deed: str, changed: bytes, why: str) -> None:
        self.failures.append(f"{number} {name}, {deed}: {why}")
        if self.keep is not None:
            (self.keep / f"{number}-{name}-{deed.replace(' ', '_')}").write_bytes(changed)

    def report(self) -> dict:
        """What became of the files."""
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        return {
            "became": dict(sorted(self.became.items())),
            "failures": self.failures[:20],
            "n_failures": len(self.failures),
            "most_calls_of_a_load": self.most_calls,
            "most_memory_mb": most,
        }


def run(count: int, seed: int, keep: Path | None = None) -> dict:
    """Load mutated files and report what became of them."""
    fuzz = Run(seed, keep)
    fuzz.warm_up()
    signal.signal(signal.SIGPROF, stuck)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, -1))
    for number in range(count):
        fuzz.one(number)
    for path in fuzz.folder.iterdir():
        path.unlink()
    fuzz.folder.rmdir()
    return fuzz.report()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    print(json.dumps(run(given.files, given.seed, given.keep), indent=1))
