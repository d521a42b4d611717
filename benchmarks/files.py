"""Files: summarize of files against the reader's own scan, and cost against rows and features."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest.mock import patch

import numpy as np

import suffice as sf
from benchmarks.case import Case
from benchmarks.memory import usage
from benchmarks.row import AT_MOST, Row
from benchmarks.timing import fastest
from suffice.statistics.passes.checkpoint import Checkpoint, PassState
from suffice.statistics.shape import DETAILS

SUBJECT = "files"
# Of the scan and the sums one after the other. Each of them uses all cores where it runs alone, so
# the slower of both bounds no pass that does both: on two cores, with as much to scan as to add up,
# that takes twice as long at best. Measured there: Parquet up to 2.1 times and CSV up to 1.6 times
# the slower of both, but 1.1 to 1.3 and 1.2 to 1.5 times their sum.
OF_SCAN_AND_SUMS = 1.5
# A scan of Arrow only copies bytes, in 27 ms for 256 MB. Turning its columns into rows takes 36 ms
# more, where another copy takes 17, and polars and NumPy take 110 and 117. Measured: 1.3 to 2.3
# times scan and sums.
OF_ARROW = 2.5
OF_CHECKPOINTS = 1.02
OF_PROPORTION = 1.3
MEMORY_MB = 600.0
BATCH = 1 << 16


def missing() -> str | None:
    """Why this subject cannot be measured, if it cannot."""
    absent = [name for name in ("polars", "pyarrow") if find_spec(name) is None]
    return f"{' and '.join(absent)} not installed" if absent else None


def measure(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """All rows of this subject."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _formats(Path(folder), quick, say)
    yield from _rows(quick, say)
    yield from _features(quick, say)


def _formats(folder: Path, quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    case = Case(200_000 if quick else 2_000_000, 64, 10)
    X, y = case.data()
    for name, (write, scan) in FORMATS.items():
        say(f"{name}, {case}")
        path = folder / f"rows.{name.split()[0].lower()}"
        rows = len(y) // 4 if name == "CSV" else len(y)
        write(_table(X[:rows], y[:rows]), path)
        for detail in DETAILS:
            calls = {
                "ours": partial(sf.summarize, path, target="label", detail=detail),
                "scan": partial(scan, path),
                "sums": partial(sf.summarize, X[:rows], y[:rows], detail=detail),
            }
            ms = {key: 1e3 * value for key, value in fastest(calls, rounds=5).items()}
            shape, what = f"{name}, {rows:,} x 64", f"summarize {detail}"
            slower, both = max(ms["scan"], ms["sums"]), ms["scan"] + ms["sums"]
            most = OF_ARROW if name == "Arrow" else OF_SCAN_AND_SUMS
            limit = None if quick else most
            yield Row(SUBJECT, shape, what, ms["ours"], "scan, then sums", both, AT_MOST, limit)
            reader = "the reader's scan or the sums alone"
            yield Row(SUBJECT, shape, what, ms["ours"], reader, slower, AT_MOST)
        if name == "Parquet snappy":
            yield from _checkpoints(path, shape, quick)
        used = usage("benchmarks.files:summarize_job", path=str(path)).resident
        cap = f"{MEMORY_MB:.0f} MB"
        what = "resident memory"
        yield Row(SUBJECT, shape, what, used, cap, MEMORY_MB, AT_MOST, 1.0, unit="MB")
        path.unlink()


def _checkpoints(path: Path, shape: str, quick: bool) -> Iterator[Row]:
    """A pass with checkpoints against one without.

    A pass takes up to a tenth more or less from one time to the next, and its checkpoints a
    hundredth: too little to be seen. So one is written after every chunk as well, which shows what
    each makes the pass longer by; and to begin, for which all else waits, is timed alone.
    """
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        ours = partial(sf.summarize, path, target="label", detail="shared")
        saved = Path(folder) / "checkpoint"
        usual = _Saved(ours, saved, Checkpoint.interval, Checkpoint.sparseness)
        often = _Saved(ours, saved, 0.0, 0.0)
        rounds, enough = (2, 10.0) if quick else (25, 100.0)
        calls = {"with": usual, "often": often, "without": ours}
        ms = {key: 1e3 * value for key, value in fastest(calls, rounds, enough=enough).items()}
    more = (ms["often"] - ms["without"]) / often.commits
    cost, most = 1e3 * usual.begin + usual.commits * more, None if quick else OF_CHECKPOINTS
    for name, took, limit in (
        ("summarize with checkpoints", ms["with"], most),
        ("summarize with checkpoints, by what each costs", ms["without"] + cost, most),
        ("summarize with checkpoints, one a chunk", ms["often"], None),
    ):
        yield Row(SUBJECT, shape, name, took, "without", ms["without"], AT_MOST, limit)


class _Saved:
    """A pass with checkpoints from its start on, so far apart as the last two numbers say.

    begin : the least that beginning took, in seconds, with the commit that is part of it
    commits : how many more there were each time
    """

    def __init__(
        self, ours: Callable[..., Any], path: Path, interval: float, sparseness: float
    ) -> None:
        self.begin, self.commits = float("inf"), 0
        self._ours, self._path = ours, path
        self._apart = {"interval": interval, "sparseness": sparseness}

    def __call__(self) -> None:
        begin, commit = Checkpoint.begin, Checkpoint.commit

        def timed(saved: Checkpoint) -> PassState:
            start = perf_counter()
            state = begin(saved)
            self.begin, self.commits = min(self.begin, perf_counter() - start), 0
            return state

        def counted(*args: Any) -> None:
            self.commits += 1
            commit(*args)

        self._path.unlink(missing_ok=True)
        with (
            patch.multiple(Checkpoint, begin=timed, commit=counted, **self._apart),
        ):
            self._ours(checkpoint=self._path)


def summarize_job(path: str) -> Callable[[], sf.Statistics]:
    """What the memory of a pass over a file is measured on."""
    return partial(sf.summarize, path, target="label", detail="shared")


def _table(X: np.ndarray, y: np.ndarray) -> Any:
    import pyarrow as pa

    columns = {f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(X.shape[1])}
    return pa.table({**columns, "label": y})


def _write_parquet(compression: str, table: Any, path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, path, compression=compression, use_dictionary=False)


def _write_arrow(table: Any, path: Path) -> None:
    import pyarrow.feather as feather

    feather.write_feather(table, str(path), compression="uncompressed")


def _write_csv(table: Any, path: Path) -> None:
    import polars as pl

    pl.from_arrow(table).write_csv(path, float_precision=6)


def _scan_parquet(path: Path) -> int:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        return sum(len(batch) for batch in file.iter_batches(BATCH))


def _scan_arrow(path: Path) -> int:
    import pyarrow as pa

    with pa.OSFile(str(path)) as file:
        reader = pa.ipc.open_file(file)
        return sum(len(reader.get_batch(i)) for i in range(reader.num_record_batches))


def _scan_csv(path: Path) -> int:
    import polars as pl

    types = {f"x{j}": pl.Float64 for j in range(64)}
    frame = pl.scan_csv(path, schema_overrides=types)
    return sum(len(batch) for batch in frame.collect_batches(chunk_size=BATCH))


FORMATS: dict[str, tuple[Callable[[Any, Path], None], Callable[[Path], int]]] = {
    "Parquet zstd": (partial(_write_parquet, "zstd"), _scan_parquet),
    "Parquet snappy": (partial(_write_parquet, "snappy"), _scan_parquet),
    "Arrow": (_write_arrow, _scan_arrow),
    "CSV": (_write_csv, _scan_csv),
}


def _generated(case: Case) -> Any:
    """A stream of so many rows: the same batch again and again, so that making it costs nothing."""
    import pyarrow as pa

    table = _table(*Case(min(BATCH, case.rows), case.features, case.classes).data())
    batch = table.to_batches()[0]
    whole, rest = divmod(case.rows, len(batch))

    def batches() -> Iterator[Any]:
        for _ in range(whole):
            yield batch
        if rest:
            yield batch.slice(0, rest)

    return pa.RecordBatchReader.from_batches(batch.schema, batches())


def _pass(case: Case) -> Any:
    return sf.summarize(_generated(case), target="label", detail="shared")


def _rows(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """Time against rows: beyond a million it is in proportion to them."""
    counts = [10**5, 10**6, 10**7, *([] if quick else [10**8])]
    ms = {}
    for rows in counts:
        case = Case(rows, 8, 3)
        say(f"generated, {case}")
        rounds = 3 if rows < 10**8 else 1
        ms[rows] = 1e3 * fastest({"pass": partial(_pass, case)}, rounds, warm=rows < 10**8)["pass"]
        base = 10**6 if rows > 10**6 else rows
        limit = OF_PROPORTION if rows > 10**6 and not quick else None
        share, name = ms[base] * rows / base, "in proportion to 1,000,000 rows"
        what = "summarize shared, generated rows"
        yield Row(SUBJECT, f"{rows:,} x 8", what, ms[rows], name, share, AT_MOST, limit)


def _features(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """Time against features, beside one product of as many rows, which grows likewise."""
    rows = 50_000 if quick else 500_000
    for features in (4, 16, 64, 256):
        case = Case(rows, features, 3)
        say(f"generated, {case}")
        X, _ = case.data()
        calls = {"pass": partial(_pass, case), "product": partial(np.matmul, X.T, X)}
        ms = {key: 1e3 * value for key, value in fastest(calls, rounds=3).items()}
        what, name = "summarize shared, by features", "X.T @ X of rows in memory"
        yield Row(SUBJECT, f"{rows:,} x {features}", what, ms["pass"], name, ms["product"], AT_MOST)
