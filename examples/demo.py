"""The main job on a table that ships with scikit-learn: choose a model, look at it, report it."""

from __future__ import annotations

import sys
import textwrap
import time
from pathlib import Path

from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

import suffice as sf

REPORT = Path("report.html")
began = time.perf_counter()


def say(what: str) -> None:
    """Tell what is going on, and when."""
    print(f"[{time.perf_counter() - began:4.1f} s] {what}", flush=True)


def bar(share: float) -> None:
    """Show on a terminal how far long work has come."""
    if sys.stdout.isatty():
        print(f"\r{'#' * round(40 * share):.<40} {share:4.0%}", end="\n" * (share == 1), flush=True)


frame = load_wine(as_frame=True)
X, X_test, y, y_test = train_test_split(
    frame.data,
    frame.target.map(dict(enumerate(frame.target_names))),
    test_size=0.3,
    stratify=frame.target,
    random_state=0,
)

statistics = sf.summarize(X, y)
say(f"read {len(X)} rows once: {statistics}")

say("choosing a model by cross-validation, with no refit ...")
found = sf.select_model(X, y, progress=bar)
model = found.model
say(f"{found.tried} candidates; taken: {textwrap.shorten(repr(model), 160)}\n")

print(f"{'on rows held out':>44}   accuracy   log-loss")
rivals = {
    "QDA": sf.QDA(),
    "LDA": sf.LDA(),
    "GaussianNB": sf.GaussianNB(),
    "DiagonalLDA": sf.DiagonalLDA(),
}
for name, one in {**rivals, "the model that was chosen": model}.items():
    if one is not model:
        one.fit_statistics(statistics)  # no row is read again
    log_proba = one.predict_log_proba(X_test)
    truth = [list(one.classes_).index(label) for label in y_test]
    loss = -log_proba[range(len(truth)), truth].mean()
    print(f"{name:>44} {one.score(X_test, y_test):>10.3f} {loss:>10.4f}")

odd = int(model.outlier_pvalue(X_test).argmin())
print(f"\nThe least usual row held out: {odd}, p = {model.outlier_pvalue(X_test)[odd]:.2g}")
print(model.explain(X_test, row=odd), "\n")

half = len(X) // 2
parts = sf.summarize(X[:half], y[:half]) + sf.summarize(X[half:], y[half:])
say(f"two halves, summarized apart and added, equal the whole: {parts == statistics}")

say("writing the report ...")
sf.report(X.assign(cultivar=y), "cultivar", REPORT, progress=bar)
say(f"the report is in {REPORT}: open it in a browser")

print(
    "\nNext: suffice fit your.csv --target column --out model.suffice (suffice --help),\n"
    "sf.select_model(X, y) in Python, README.md, make bench."
)
