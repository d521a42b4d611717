"""A pass that was interrupted goes on to the same bits; no row is lost or counted twice."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import resource
import shutil
import signal
import sys
import time

import numpy as np
import polars as pl
import pytest
import stream_runs

import suffice as sf
from forged import with_field
from lawful import EXHAUSTIVE
from suffice.data.sources.files import read_whole, write_whole
from suffice.errors import ChangedInput, CheckpointFailed, InvalidFile, InvalidParameter
from suffice.statistics.passes import checkpoint
from suffice.statistics.storage import container

KILLS = 15 if EXHAUSTIVE else 5
SAVED = "half.checkpoint"
DELAY = 0.003


@pytest.fixture
def often(read_in_parts):
    """Chunks of a few rows, and a checkpoint after each."""
    read_in_parts(64, checkpoints=True)


def table(rows, seed=0, gaps=False):
    """Rows of three classes, far from zero."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=rows)
    X = 1e6 + rng.standard_normal((rows, 4)) * [1, 10, 0.1, 1e-3] + y[:, None]
    if gaps:
        X[rng.random(X.shape) < 0.05] = np.nan
    frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(4)}).fill_nan(None)
    return frame.with_columns(label=pl.Series(y))


WRITERS = {
    "parquet": lambda frame, path: frame.write_parquet(path, row_group_size=37),
    "arrow": lambda frame, path: frame.write_ipc(path, record_batch_size=23),
    "csv": lambda frame, path: frame.write_csv(path),
}


def write_files(folder, ending, rows=(300, 7, 200), gaps=False):
    """Several files of one format."""
    for i, n in enumerate(rows):
        WRITERS[ending](table(n, i, gaps), folder / f"rows{i}.{ending}")
    return f"{folder}/rows*.{ending}"


class Stop(Exception):
    """Raised in the middle of a pass."""


def stop_after(chunks):
    """A listener that ends a pass."""
    left = [chunks]

    def listen(progress):
        left[0] -= 1
        if left[0] < 0:
            raise Stop

    return listen


@pytest.mark.parametrize(
    ("detail", "gaps"), [("separate", False), ("separate", True), ("shared", False)]
)
@pytest.mark.parametrize("ending", list(WRITERS))
def test_an_interrupted_pass_goes_on_to_the_same_bits(
    often, tmp_path, read_in_parts, ending, detail, gaps
):
    read_in_parts(block=1000)
    files, saved = write_files(tmp_path, ending, gaps=gaps), tmp_path / SAVED
    task = {"target": "label", "detail": detail}
    whole = sf.summarize(files, **task)
    frames = pl.concat([table(n, i, gaps) for i, n in enumerate((300, 7, 200))])
    assert whole == sf.summarize(frames, **task)
    interruptions = 0
    for chunks in (0, 1, 3, 2, 9, 4, 100):
        try:
            found = sf.summarize(files, **task, checkpoint=saved, progress=stop_after(chunks))
        except Stop:
            interruptions += 1
        else:
            break
    assert interruptions == 6
    assert found.digest() == whole.digest()
    assert found.count.sum() == 507


@pytest.fixture(scope="module")
def nursery():
    """Where processes come from that are to be killed."""
    found = stream_runs.Nursery()
    yield found
    found.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
@pytest.mark.parametrize(
    ("ending", "detail"), [("parquet", "separate"), ("csv", "separate"), ("parquet", "shared")]
)
def test_a_pass_killed_at_random_moments_goes_on_to_the_same_bits(
    tmp_path, nursery, ending, detail
):
    files = write_files(tmp_path, ending, rows=(120, 300, 90), gaps=detail == "separate")
    saved, answer = tmp_path / SAVED, tmp_path / "digest"
    task = ("label", detail)
    nursery.start(files, None, str(answer), DELAY, *task)
    stream_runs.begun(answer)
    began = time.monotonic()
    assert nursery.ended() == 0
    usual, expected = time.monotonic() - began, answer.read_text()
    answer.unlink()
    rng, kills, midway, finished = random.Random(ending + detail), 0, 0, 0
    while kills < KILLS or not (finished and midway):
        assert kills < 20 * KILLS
        pid = nursery.start(files, str(saved), str(answer), DELAY, *task)
        if kills < KILLS or not midway:
            if rng.random() < 0.8:
                stream_runs.begun(answer)
            time.sleep(rng.uniform(0, 0.3) * usual)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        status = nursery.ended()
        kills += status == -signal.SIGKILL
        assert status in (0, -signal.SIGKILL)
        if status == 0:
            assert answer.read_text() == expected
            answer.unlink()
            saved.unlink()
            finished += 1
        elif saved.exists():
            header, _ = container.unpack(read_whole(saved), str(saved))
            at = header["now"]["position"]
            midway += (at["file"], at["row"]) != (0, 0)
    leftovers = [name for name in os.listdir(tmp_path) if name.startswith(f".{SAVED}")]
    assert len(leftovers) <= 1


def test_a_finished_pass_is_not_done_again(often, tmp_path):
    files, saved = write_files(tmp_path, "parquet"), tmp_path / SAVED
    whole = sf.summarize(files, target="label", checkpoint=saved)
    told = []
    again = sf.summarize(files, target="label", checkpoint=saved, progress=told.append)
    assert again.digest() == whole.digest()
    assert not told


def test_a_changed_file_is_an_error_that_names_it(often, tmp_path):
    files, saved = write_files(tmp_path, "csv"), tmp_path / SAVED
    with pytest.raises(Stop):
        sf.summarize(files, target="label", checkpoint=saved, progress=stop_after(3))
    before = saved.read_bytes()
    for number in (0, 2):
        path = tmp_path / f"rows{number}.csv"
        stat, text = path.stat(), path.read_text()
        path.write_text(text.replace("0\n", "1\n", 1))
        with pytest.raises(ChangedInput, match=rf"rows{number}\.csv has changed"):
            sf.summarize(files, target="label", checkpoint=saved)
        path.write_text(text)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert saved.read_bytes() == before
    assert sf.summarize(files, target="label", checkpoint=saved).count.sum() == 507


def test_files_added_or_removed_are_an_error(often, tmp_path):
    files, saved = write_files(tmp_path, "csv"), tmp_path / SAVED
    sf.summarize(files, target="label", checkpoint=saved)
    shutil.copy(tmp_path / "rows0.csv", tmp_path / "rows9.csv")
    with pytest.raises(ChangedInput, match=r"rows9\.csv is different"):
        sf.summarize(files, target="label", checkpoint=saved)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"detail": "shared"}, "detail 'separate', not 'shared'"),
        ({"columns": ["x1", "x0"]}, "columns"),
        ({"weight": "x3"}, "columns|weight"),
    ],
)
def test_a_checkpoint_of_another_task_is_refused(often, tmp_path, options, told):
    files, saved = write_files(tmp_path, "parquet"), tmp_path / SAVED
    sf.summarize(files, target="label", checkpoint=saved)
    with pytest.raises(InvalidParameter, match=told):
        sf.summarize(files, target="label", checkpoint=saved, **options)


def test_a_damaged_or_foreign_checkpoint_is_refused(often, tmp_path):
    files, saved = write_files(tmp_path, "parquet"), tmp_path / SAVED
    whole = sf.summarize(files, target="label", checkpoint=saved)
    data = bytearray(saved.read_bytes())
    data[-9] ^= 1
    saved.write_bytes(data)
    with pytest.raises(InvalidFile, match=r"half\.checkpoint is damaged"):
        sf.summarize(files, target="label", checkpoint=saved)
    whole.save(saved)
    with pytest.raises(InvalidFile, match="not a checkpoint but 'Statistics'"):
        sf.summarize(files, target="label", checkpoint=saved)


C = {"array": "C"}
POOLED = {"kind": "DiagonalScatter", "sums": {"kind": "DoubleDouble", "high": C, "low": C}}

FORGED = {
    "no states": ("now", None, {}, "lacks the field 'now'"),
    "no state": ("now", {}, {}, "no known form"),
    "another state": ("later", {"kind": "PassState"}, {}, "'later'"),
    "no position": ("now.position", None, {}, "lacks the field 'now.position'"),
    "half a position": ("now.position.mark", None, {}, "lacks the field 'now.position.mark'"),
    "a negative position": ("now.position.row", -1, {}, "outside every file"),
    "a position of texts": ("now.position.row", "a", {}, "wrong type"),
    "a position of truth": ("now.position.file", True, {}, "wrong type"),
    "a byte beyond all files": ("now.position.mark", 2**63, {}, "outside every file"),
    "a file that does not exist": ("now.position.file", 9, {}, "does not exist"),
    "a row before its mark": ("now.position.mark_row", 10**6, {}, "behind itself"),
    "no statistics": ("now.statistics", {}, {}, "no known form"),
    "a position for statistics": ("now.statistics", {"kind": "Position"}, {}, "lacks the field"),
    "counts for statistics": ("now.statistics.kind", "Counts", {}, "lacks the field"),
    "another detail": ("now.statistics.spread", POOLED, {}, "not a table"),
    "a task that is none": ("task", None, {}, "lacks the field 'task'"),
    "another field": ("wisdom", 1, {}, "'wisdom'"),
    "no sizes": ("task", ..., {"prints.size": None}, "no shapes"),
    "sizes of text": ("task", ..., {"prints.size": np.zeros(3, np.uint8)}, "known form"),
    "fewer sizes": ("task", ..., {"prints.size": np.zeros(2, np.int64)}, "entries of its shapes"),
    "fewer files": ("files", {"tuple": ["a"]}, {}, "as many fingerprints as files"),
    "hashes that are no text": (
        "task", ..., {"prints.ends": np.full(192, 255, np.uint8)}, "not UTF-8"),
    "an indefinite scatter": (
        "now.statistics.spread.sums.low", None,
        {"now.statistics.spread.sums.high": np.tile(2 - np.eye(4), (3, 1, 1)),
         "now.statistics.spread.sums.low": None},
        "semidefinite",
    ),
    "a low mean that is large": (
        "task", ..., {"now.statistics.means.low": np.ones((3, 4))}, "rounding"),
    "counts beyond addition": (
        "task", ..., {"now.statistics.count": np.full(3, 2**62)}, "counted"),
    "other columns": (
        "now.statistics.feature_names", {"tuple": ["a", "b", "c", "d"]}, {}, "its task"),
}  # fmt: skip


@pytest.mark.parametrize("what", FORGED)
def test_a_checkpoint_that_cannot_be_true_is_refused_though_its_checksum_fits(
    what, often, tmp_path
):
    files, saved = write_files(tmp_path, "csv"), tmp_path / SAVED
    sf.summarize(files, target="label", checkpoint=saved)
    header, arrays = container.unpack(saved.read_bytes(), "it")
    path, node, others, told = FORGED[what]
    arrays = {name: a for name, a in {**arrays, **others}.items() if a is not None}
    changed = header if node is ... else with_field(header, path, node)
    saved.write_bytes(container.pack(changed, arrays))
    with pytest.raises(InvalidFile, match=rf"(?s)half\.checkpoint is not consistent.*{told}"):
        sf.summarize(files, target="label", checkpoint=saved)


def test_labels_of_any_length_are_resumed(often, tmp_path):
    path, saved = tmp_path / "rows.csv", tmp_path / SAVED
    path.write_text(
        "u,label\n" + "".join(f"{i},{'z' * 5000 if i % 2 else 'a'}\n" for i in range(99))
    )
    whole = sf.summarize(path, target="label")
    with pytest.raises(Stop):
        sf.summarize(path, target="label", checkpoint=saved, progress=stop_after(0))
    assert sf.summarize(path, target="label", checkpoint=saved).digest() == whole.digest()


def test_a_repaired_file_is_read_again_from_its_start(often, tmp_path):
    """What was counted of a file before its bad line does not count twice."""
    files, saved = write_files(tmp_path, "csv"), tmp_path / SAVED
    whole = sf.summarize(files, target="label")
    path = tmp_path / "rows2.csv"
    good = path.read_text()
    lines = good.splitlines()
    path.write_text("\n".join([*lines[:150], "1,2", *lines[150:]]) + "\n")
    for _ in range(2):  # the second time nothing is mended yet
        with pytest.raises(InvalidFile, match=r"rows2\.csv, line 151: 2 fields"):
            sf.summarize(files, target="label", checkpoint=saved)
    rows = []
    path.write_text(good)
    found = sf.summarize(
        files, target="label", checkpoint=saved, progress=lambda p: rows.append(p.rows)
    )
    assert rows[0] > 307
    assert found.digest() == whole.digest()


def test_a_disk_that_fills_is_an_error_and_the_checkpoint_stays_valid(often, tmp_path, monkeypatch):
    files, saved = write_files(tmp_path, "parquet"), tmp_path / SAVED
    whole = sf.summarize(files, target="label")
    sync, left = os.fsync, [10]

    def fails(handle):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(handle)

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(CheckpointFailed, match=r"half\.checkpoint .*No space left on device"):
        sf.summarize(files, target="label", checkpoint=saved)
    monkeypatch.setattr(os, "fsync", sync)
    rows = []
    found = sf.summarize(
        files, target="label", checkpoint=saved, progress=lambda p: rows.append(p.rows)
    )
    assert rows[0] > 16
    assert found.digest() == whole.digest()


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of a process")
def test_a_file_size_limit_leaves_the_checkpoint_valid(often, tmp_path):
    files, saved = write_files(tmp_path, "parquet"), tmp_path / SAVED
    with pytest.raises(Stop):
        sf.summarize(files, target="label", checkpoint=saved, progress=stop_after(4))
    before, limits = saved.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, limits[1]))
    try:
        with pytest.raises(CheckpointFailed, match="File too large"):
            sf.summarize(files, target="label", checkpoint=saved)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert saved.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    whole = sf.summarize(files, target="label")
    assert sf.summarize(files, target="label", checkpoint=saved).digest() == whole.digest()


def test_a_checkpoint_that_cannot_be_written_is_reported_before_any_row_is_read(tmp_path):
    files = write_files(tmp_path, "parquet")
    told = []
    for saved in (tmp_path / "none" / "x", tmp_path):
        with pytest.raises((CheckpointFailed, InvalidFile)):
            sf.summarize(files, target="label", checkpoint=saved, progress=told.append)
    assert not told


def test_checkpoints_are_for_files():
    with pytest.raises(InvalidParameter, match="files only"):
        sf.summarize([[1.0], [2.0]], [0, 1], checkpoint="x")


def test_commits_cost_no_more_than_a_fiftieth_of_the_time(often, tmp_path, monkeypatch):
    """However slow the disk is: the slower a commit, the rarer the next."""
    monkeypatch.setattr(checkpoint.Checkpoint, "sparseness", 100.0)
    clock, commits, write = [0.0], [], write_whole

    def slow(path, data):
        write(path, data)
        commits.append(clock[0])
        clock[0] += 0.5

    def work(progress):
        clock[0] += 9.0

    monkeypatch.setattr(checkpoint, "write_whole", slow)
    monkeypatch.setattr(checkpoint, "monotonic", lambda: clock[0])
    files = write_files(tmp_path, "parquet", rows=(400,))
    sf.summarize(files, target="label", checkpoint=tmp_path / SAVED, progress=work)
    # The first and the last are written in any case.
    assert len(commits) > 4
    assert 0.5 * len(commits[1:-1]) <= 0.02 * clock[0]


def test_the_number_of_threads_changes_no_bit(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((150_000, 24)), rng.integers(5, size=150_000)
    frame = pl.DataFrame(X, schema=[f"x{j}" for j in range(24)]).with_columns(label=pl.Series(y))
    frame.write_parquet(tmp_path / "rows.parquet", row_group_size=40_000)
    found = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("SUFFICE_NUM_THREADS", threads)
        found.add(sf.summarize(tmp_path / "rows.parquet", target="label").digest())
    assert len(found) == 1
