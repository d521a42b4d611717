"""Plain texts are read as the slow reader reads them, and all others are left to it."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from suffice.data import packages
from suffice.data.plain_text import PlainText
from suffice.data.table_file import MISSING
from suffice.data.table_text import Layout
from suffice.data.text_blocks import Block
from suffice.data.text_source import TextSource
from suffice.errors import InvalidFile, NotNumbers

NAMES = ["a", "b", "label"]
SEPARATORS = st.sampled_from(",;\t|")


def plain(data, separator=",", wanted=NAMES, names=NAMES, missing=MISSING):
    return PlainText(separator, names, wanted, {"label"}, missing).frame(data)


def slow(data, separator=",", wanted=NAMES, names=NAMES):
    source = TextSource(
        Path("rows.csv"), Layout(separator, names), 0, frozenset({"label"}), MISSING
    )
    return source._field_by_field(Block(data, 0, 1.0), wanted)


def bits(frame):
    """All values so that equal ones compare equal, a zero with its sign; nothing as None."""

    def one(value):
        if isinstance(value, str):
            return None if value.strip() in MISSING else value
        return None if value is None or math.isnan(value) else value.hex()

    return {name: [one(value) for value in frame[name].to_list()] for name in frame.columns}


FINITE = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False)
NUMBERS = st.one_of(
    FINITE.map(repr),
    FINITE.map("{:.16e}".format),
    FINITE.filter(lambda x: abs(x) < 1e12).map("{:.6f}".format),
    st.integers(-(10**19) + 1, 10**19 - 1).map(str),
    st.decimals(-(10**6), 10**6, places=12).map("{:f}".format),
    st.sampled_from(["+1", ".5", "5.", "-.25", "1E-07", "1e+05", "-0", "0.0e99", "00012", "-0.0"]),
    st.sampled_from(["0" * 40, "0." + "0" * 30, "0." + "0" * 30 + "123", "0" * 30 + "1.5e-3"]),
)
NOTHING = st.sampled_from([*MISSING, "  ", " NA "])
FIELDS = st.one_of(NUMBERS, NUMBERS, NUMBERS.map(" {}  ".format), NOTHING)
LETTERS = st.characters(exclude_characters=',;\t|"\r\n', exclude_categories=["Cs", "Cc"])
LABELS = st.text(LETTERS, max_size=6)
QUOTED = st.text(LETTERS | st.sampled_from(",;\t|\n"), min_size=1, max_size=6).map('"{}"'.format)


@given(
    st.lists(st.tuples(FIELDS, FIELDS, LABELS | QUOTED), min_size=1, max_size=8),
    SEPARATORS,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "end", "blank"]),
    st.sampled_from([NAMES, ["label", "a"], ["b"], ["b", "a"]]),
)
def test_numbers_and_texts_are_read_as_written(rows, separator, line, last, wanted):
    texts = [separator.join(row) for row in rows]
    data = (line.join(texts) + {"": "", "end": line, "blank": 2 * line}[last]).encode()
    found = plain(data, separator, wanted)
    assert found is not None
    assert found.columns == wanted
    assert bits(found) == bits(slow(data, separator, wanted))


@given(st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=8))
def test_decimal_commas_are_read_where_commas_do_not_separate(rows):
    lines = [f"{a!r};{b!r};x\n".replace(".", ",") for a, b in rows]
    found = plain("".join(lines).encode(), ";")
    assert list(zip(found["a"], found["b"], strict=True)) == rows


@given(
    st.lists(st.sampled_from([*'0159.-+eE ,;"\n\rNAx', "é", "1,2,x\n", '1,2,"x"\n']), max_size=40),
    st.sampled_from(",;"),
)
@example(["1,2,x\n", "1", ",", "2", ",", "x", "\r", "1"], ",")
@example(["0"] * 30, ",")
@example(['"', '"', ",", "1", ",", "x"], ",")
def test_whatever_is_not_declined_is_read_as_by_the_slow_reader(parts, separator):
    data = "".join(parts).encode()
    found = plain(data, separator)
    if found is not None:
        assert bits(found) == bits(slow(data, separator))


@given(st.binary(max_size=30))
def test_bytes_of_any_kind_are_read_or_declined(data):
    found = plain(b"1,2,x\n" + data)
    assert found is None or len(found) >= 1


DOUBTFUL = {
    "too few fields": b"1,2\n",
    "too many fields": b"1,2,x,3\n",
    "no number": b"1,two,x\n",
    "a number and more": b"1,2.5.1,x\n",
    "an underscore": b"1,1_0,x\n",
    "hexadecimal": b"1,0x10,x\n",
    "an exponent without digits": b"1,2e,x\n",
    "a sign alone": b"1,-,x\n",
    "a point alone": b"1,.,x\n",
    "infinity": b"1,inf,x\n",
    "too large": b"1,1e400,x\n",
    "very small": b"1,1e-310,x\n",
    "an exponent that zeros make up for": b"1,0." + b"0" * 9_999 + b"1e10001,x\n",
    "twenty digits": b"1,12345678901234567890,x\n",
    "a number in quotes": b'1,"2",x\n',
    "a quote within a text": b'1,2,5" pipe\n',
    "a quote doubled": b'1,2,"6"" pipe"\n',
    "more after a quote": b'1,2,"x"y\n',
    "nothing in quotes": b'1,2,""\n',
    "a quote left open": b'1,2,"x\n',
    "a carriage return alone": b"1,2,x\r1,2,y\n",
    "no UTF-8": b"1,2,caf\xe9\n",
    "a letter cut in two": b"1,2,\xc3\n1,2,\xa9\n",
}


@pytest.mark.parametrize("line", DOUBTFUL.values(), ids=DOUBTFUL)
@pytest.mark.parametrize("end", [b"", b"1,2,x\n"])
def test_what_is_doubtful_is_declined(line, end):
    assert plain(b"1,2,x\n" + end) is not None
    assert plain(b"1,2,x\n" + line + end) is None
    assert plain(line[:-1]) is None or line.count(b"\n") > 1


def test_bytes_that_are_no_text_are_declined_wherever_they_stand():
    assert plain("1,2,café\n".encode(), wanted=["a"]) is not None
    assert plain(b"1,2,caf\xe9\n", wanted=["a"]) is None


@pytest.mark.parametrize(
    ("missing", "tried"), [("-", True), ("n. a.", True), ("-9", False), ('"-"', False)]
)
def test_texts_for_nothing_must_be_plain_themselves(missing, tried):
    how = Layout(",", NAMES)
    source = TextSource(Path("rows.csv"), how, 0, frozenset({"label"}), (missing,), is_long=True)
    assert (source._plain(NAMES) is not None) == tried


def test_columns_that_are_not_wanted_may_hold_anything():
    data = b'1,"two, or three",x\n2,,y\n'
    assert plain(data, wanted=["label", "a"]).rows() == [("x", 1.0), ("y", 2.0)]
    assert plain(data) is None
    with pytest.raises((InvalidFile, NotNumbers)):
        slow(data)


@pytest.mark.parametrize("absent", [None, "polars"])
def test_frames_are_those_of_the_other_readers(monkeypatch, absent):
    """Parts of a file that are plain and those that are not must go together."""
    if absent:
        monkeypatch.setattr(packages, absent, lambda: None)
    data, names = b"1,2,x\n3,NA,\n", ["label", "b"]
    found, expected = plain(data, wanted=names), slow(data, wanted=names)
    if absent:
        assert found.schema == expected.schema
        assert found["label"].to_pylist() == ["x", None]
    else:
        assert found.schema == expected.schema
        assert pl.concat([found, expected])["label"].to_list() == ["x", None] * 2
