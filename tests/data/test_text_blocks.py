"""Blocks of text: whatever their size, the records are whole, and come in their order."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier

import numpy as np
import polars as pl
import pytest

import suffice as sf
from suffice.data.sources import text_blocks, text_source
from suffice.data.sources.prefetch import in_order
from suffice.data.sources.text_blocks import TextFile

RECORDS = [b"a,b\n", b'"x\ny",1\n', b"2,3\n", b'"""",""\n', b"\n", b"44444444444,5\r\n", b"6,7"]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 9, 13, 100])
@pytest.mark.parametrize("packed", [False, True])
def test_no_record_is_cut(tmp_path: Path, size: int, packed: bool) -> None:
    text, path = b"".join(RECORDS), tmp_path / "rows.csv"
    path.write_bytes(gzip.compress(text) if packed else text)
    found = list(TextFile(path, "rows.csv").blocks(size=size))
    assert b"".join(block.data for block in found) == text
    edges = set(np.cumsum([0, *map(len, RECORDS)]).tolist())
    assert {block.start for block in found} <= edges
    assert all(len(block.data) >= min(size, len(text) - block.start) for block in found)
    assert found[-1].share == 1.0


@pytest.mark.parametrize("at", [0, 4, 12, len(b"".join(RECORDS))])
def test_from_a_byte_on(tmp_path: Path, at: int) -> None:
    text, path = b"".join(RECORDS), tmp_path / "rows.csv"
    path.write_bytes(text)
    assert b"".join(block.data for block in TextFile(path, "rows.csv").blocks(at, 3)) == text[at:]


def test_results_in_order_while_others_are_under_way() -> None:
    together = Barrier(2, timeout=120)

    def work(number: int) -> int:
        if number < 2:
            together.wait()  # would not end were they done one after the other
        return number * number

    assert list(in_order(work, iter(range(5)), 2)) == [0, 1, 4, 9, 16]


def test_an_error_comes_after_what_was_before_it() -> None:
    def items() -> Iterator[int]:
        yield from (1, 2, 3)
        raise OSError("gone")

    found = []
    with pytest.raises(OSError, match="gone"):
        found.extend(in_order(float, items(), 2))
    assert found == [1.0, 2.0, 3.0]


def test_nothing_comes_after_work_that_failed() -> None:
    found = []
    with pytest.raises(ZeroDivisionError):
        found.extend(in_order(lambda x: 6 / x, iter([1, 2, 0, 3, 6]), 3))
    assert found == [6.0, 3.0]


def test_leaving_early_ends_the_threads() -> None:
    results = in_order(abs, iter(range(100)), 2)
    assert next(results) == 0
    results.close()
    with pytest.raises(StopIteration):
        next(results)


def _rows(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 3)).round(3), rng.integers(2, size=n)


def _write(path: Path, cells: np.ndarray, labels: np.ndarray) -> None:
    lines = [",".join([*row, f"c{label}"]) for row, label in zip(cells, labels, strict=True)]
    path.write_text("x,y,z,label\n" + "\n".join(lines) + "\n")


@pytest.mark.parametrize("spelling", ["NA", "", "nan", "null", "NaN"])
@pytest.mark.parametrize("where", [(0,), (399,), (0, 150, 151, 398)])
def test_gaps_that_turn_up_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelling: str, where: tuple[int, ...]
) -> None:
    monkeypatch.setattr(text_blocks.TextFile, "block_bytes", 700)
    X, y = _rows()
    cells = X.astype(str)
    for row in where:
        cells[row, 1], X[row, 1] = spelling, np.nan
    _write(tmp_path / "rows.csv", cells, y)
    found = sf.summarize(tmp_path / "rows.csv", target="label")
    frame = pl.DataFrame(X, schema=["x", "y", "z"])
    direct = sf.summarize(frame, [f"c{label}" for label in y])
    assert isinstance(direct, sf.IncompleteStatistics)
    assert found == direct


def test_a_number_that_means_nothing_is_looked_for_from_the_start(tmp_path: Path) -> None:
    from suffice.data.sources.text_source import TextSource

    path = tmp_path / "rows.csv"
    path.write_text("x,label\n1.5,a\n-999,b\n")
    source = TextSource.open(path, "rows.csv", ["label"], ["-999"])
    frame = next(source.pieces(["x", "label"], text_source.Position(), 100)).frames[0]
    assert frame["x"].to_list() == [1.5, None]


def test_a_label_that_means_nothing_is_not_a_class(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("x,label\n1.5,a\n2.5,NA\n3.5,b\n")
    with pytest.raises(sf.errors.InvalidLabels, match="missing in row 1"):
        sf.summarize(path, target="label")
