"""Laws that statistics share, with and without missing values."""

from __future__ import annotations

from operator import add, sub

import pytest

import suffice as sf
from suffice.errors import InvalidParameter

each_operation = pytest.mark.parametrize("operation", [add, sub])
each_lost_detail = pytest.mark.parametrize(
    ("detail", "wanted"),
    [
        ("shared", "separate"),
        ("shared", "diagonal"),
        ("diagonal", "separate"),
        ("diagonal", "shared"),
        ("separate", "other"),
    ],
)


def assert_lost(s, wanted):
    """Sums that were not kept cannot be asked for."""
    with pytest.raises(
        InvalidParameter, match=f"{s.detail!r} cannot become {wanted!r}|it must be one of"
    ):
        s.coarsen(wanted)


def assert_loaded_as_saved(s, path):
    """What is loaded from a file is the same to the last bit; returns it."""
    s.save(path)
    again = sf.load(str(path))
    assert type(again) is type(s)
    assert again.digest() == s.digest()
    assert again == s
    assert (again.detail, again.feature_names) == (s.detail, s.feature_names)
    assert again.classes.dtype.kind == s.classes.dtype.kind
    assert again + s == s + s
    assert not again.weight.flags.writeable
    return again
