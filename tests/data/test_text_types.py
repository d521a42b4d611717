"""Columns of text get the narrowest type that all of their cells have."""

from __future__ import annotations

import polars as pl
import pytest

from suffice.data.sources.text_types import TextTypes

MARKERS = ("", "NA", "nan", "-999")
INF = float("inf")
CASES = {
    "whole numbers": (["1", "-2"], [1, -2]),
    "numbers": (["1", "2.5", "1e3"], [1.0, 2.5, 1000.0]),
    "a fraction below one": (["0.5", "0"], [0.5, 0.0]),
    "spaces": ([" 1", "2 "], [1, 2]),
    "gaps": (["1", None, "NA"], [1, None, None]),
    "NaN": (["1.5", "nan"], [1.5, None]),
    "a marker that is a number": (["1", "-999"], [1, None]),
    "infinity": (["1", "inf", "-inf"], [1.0, INF, -INF]),
    "codes": (["01", "22"], ["01", "22"]),
    "codes with an exponent": (["1e5", "2e7"], ["1e5", "2e7"]),
    "booleans": (["true", "FALSE", ""], [True, False, None]),
    "texts": (["1", "x "], ["1", "x"]),
    "nothing": (["", "NA"], [None, None]),
}


@pytest.mark.parametrize(("cells", "expected"), CASES.values(), ids=CASES)
def test_cells_are_what_they_write(cells, expected):
    for markers in {MARKERS, MARKERS[:3]} if "-999" not in cells else {MARKERS}:
        found = TextTypes(markers).of(pl.Series(cells, dtype=pl.String)).to_list()
        assert found == expected
        assert list(map(type, found)) == list(map(type, expected))


def test_decimal_commas_and_texts_are_as_asked_for():
    cells = pl.Series(["1,5", "2"])
    assert TextTypes((), decimal_comma=True).of(cells).to_list() == [1.5, 2.0]
    assert TextTypes(()).of(cells).to_list() == ["1,5", "2"]
    assert TextTypes(("2",)).of(cells, is_text=True).to_list() == ["1,5", None]
