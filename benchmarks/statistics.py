"""Statistics: summarize against one matrix product and one read of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import suffice as sf
from benchmarks.case import Case, cases
from benchmarks.memory import usage
from benchmarks.row import AT_LEAST, AT_MOST, Row
from benchmarks.timing import fastest, fastest_calls

SUBJECT = "statistics"
LIMITS = {"shared": 1.5, "separate": 2.0, "diagonal": 2.5}
LABELS = ("integers", "strings", "objects")
MEMORY_MB = 128.0
UPDATE_MS = 0.050
DETAIL_OF_PEER = {
    "LDA svd": "shared",
    "LDA lsqr": "shared",
    "QDA": "separate",
    "GaussianNB": "diagonal",
}
# From about this many entries on the compiled loops are used; a warm-up needs as many.
COMPILED_ENTRIES = 1 << 23


def measure(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """All rows of this subject."""
    for case in cases(quick):
        say(str(case))
        yield from _speed(case, quick)
    yield from _labels(quick, say)
    yield from _memory(quick, say)
    say("one-row updates, d = 16")
    yield from _updates()


def _speed(case: Case, quick: bool) -> Iterator[Row]:
    X, y = case.data()
    X64 = X.astype(np.float64, copy=False)
    seconds = fastest(
        {
            "product": lambda: X64.T @ X64,
            "read": lambda: X.sum(),
            **{detail: partial(sf.summarize, X, y, detail=detail) for detail in LIMITS},
        }
    )
    ms = {name: 1e3 * value for name, value in seconds.items()}
    for detail, most in LIMITS.items():
        limit = None if quick else most  # asked for at the full shapes only
        unit, name = ("read", "X.sum()") if detail == "diagonal" else ("product", "X.T @ X")
        quantity = f"summarize {detail}"
        yield Row(SUBJECT, str(case), quantity, ms[detail], name, ms[unit], AT_MOST, limit)
    if not quick:
        from benchmarks.peers import fit_seconds

        for peer, slow in fit_seconds(case, X, y).items():
            detail = DETAIL_OF_PEER[peer]
            name = f"scikit-learn {peer} fit"
            quantity = f"summarize {detail}"
            yield Row(SUBJECT, str(case), quantity, ms[detail], name, 1e3 * slow, AT_LEAST)


def _named(y: np.ndarray, labels: str) -> np.ndarray:
    """The same classes under labels that are not already their codes."""
    names = np.array([f"class {code}" for code in range(y.max() + 1)])
    return {"integers": y, "strings": names[y], "objects": names.astype(object)[y]}[labels]


def _labels(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """What labels cost that have to be coded first; integers from zero need no coding."""
    case = Case(1_000_000, 16, 3).shrunk(10 if quick else 1)
    X, y = case.data()
    for detail in ("shared", "diagonal"):
        say(f"labels, {detail}, {case}")
        calls = {
            labels: partial(sf.summarize, X, _named(y, labels), detail=detail) for labels in LABELS
        }
        ms = {labels: 1e3 * value for labels, value in fastest(calls, rounds=3).items()}
        for labels in LABELS[1:]:
            what = f"summarize {detail}, {labels}"
            ours, plain = ms[labels], ms["integers"]
            yield Row(SUBJECT, str(case), what, ours, "integer labels", plain, AT_MOST)
    # The rows of one batch and a few more: label costs stop growing there, if they ever do.
    rows = 500_000 if quick else 5_000_000
    for labels in LABELS:
        case = Case(rows, 16, 3)
        say(f"memory with {labels} as labels, {case}")
        used = usage(
            "benchmarks.statistics:summarize_job",
            shape=(rows, 16, 3),
            detail="shared",
            labels=labels,
        )
        what, name = f"traced memory, shared, {labels}", f"{MEMORY_MB:.0f} MB"
        yield _memory_row(str(case), what, used.traced, name, MEMORY_MB, 1.0)


def _memory(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    counts = (200_000, 400_000) if quick else (200_000, 1_000_000)
    for detail in LIMITS:
        used = {}
        for rows in counts:
            case = Case(rows, 64, 10)
            say(f"memory of {detail}, {case}")
            used[rows] = usage(
                "benchmarks.statistics:summarize_job", shape=(rows, 64, 10), detail=detail
            )
            for kind, mb in (("traced", used[rows].traced), ("resident", used[rows].resident)):
                what = f"{kind} memory, {detail}"
                yield _memory_row(str(case), what, mb, f"{MEMORY_MB:.0f} MB", MEMORY_MB, 1.0)
        few, many = counts
        yield _memory_row(
            f"{many:,} rows against {few:,}",
            f"traced memory growth, {detail}",
            used[many].traced,
            f"{few:,} rows",
            used[few].traced,
            None,
        )


def _memory_row(
    case: str, quantity: str, mb: float, name: str, reference: float, limit: float | None
) -> Row:
    return Row(SUBJECT, case, quantity, mb, name, reference, AT_MOST, limit, unit="MB")


def summarize_job(
    shape: tuple[int, int, int], detail: str, labels: str = "integers"
) -> Callable[[], sf.Statistics]:
    """What the memory of summarize is measured on."""
    X, y = Case(*shape).data()
    y = _named(y, labels)
    warm = COMPILED_ENTRIES // X.shape[1] + 1
    sf.summarize(X[:warm], y[:warm], detail=detail)
    return partial(sf.summarize, X, y, detail=detail)


def _updates(count: int = 1_000) -> Iterator[Row]:
    case = Case(20_000, 16, 3)
    X, y = case.data()
    shape = f"d = {case.features}, {case.classes} classes"
    for detail in LIMITS:
        start = sf.summarize(X, y, detail=detail)
        one = partial(sf.summarize, X[:1], y[:1], detail=detail)
        singles = [sf.summarize(X[i : i + 1], y[i : i + 1], detail=detail) for i in range(count)]
        added = 1e3 * fastest({"add": partial(_add_all, start, singles)})["add"] / count
        made = 1e3 * fastest_calls({"one": one}, calls=200)["one"]
        name = f"{1e3 * UPDATE_MS:.0f} us"
        what = f"one-row +, {detail}"
        yield Row(SUBJECT, shape, what, added, name, UPDATE_MS, AT_MOST, 1.0)
        what = f"one-row summarize, {detail}"
        yield Row(SUBJECT, shape, what, made, "one-row +", added, AT_MOST)


def _add_all(total: sf.Statistics, parts: list[sf.Statistics]) -> sf.Statistics:
    for part in parts:
        total = total + part
    return total
