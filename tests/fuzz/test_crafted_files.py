"""Crafted files: whatever they ask for, a load takes memory in proportion to their size."""

from __future__ import annotations

import crafted_files
import pytest

import suffice as sf
from lawful import few
from suffice.errors import InvalidFile
from suffice.models.em.gap_em import GapEm

# They take seconds; other files of many classes and of empty levels are tried by default.
COSTLY = {"many classes by text", "levels of many features"}


@few("name", crafted_files.BUILDERS, crafted_files.BUILDERS.keys() - COSTLY)
def test_a_crafted_file_is_loaded_or_refused_within_eight_times_its_size(name, monkeypatch):
    data = crafted_files.BUILDERS[name]()

    def run(*_):
        raise AssertionError("EM was run")

    monkeypatch.setattr(GapEm, "run", run)
    became, most, _, _, _ = crafted_files.measured(data)
    assert most <= crafted_files.TIMES * len(data) + crafted_files.FREE
    assert became.startswith(("loaded", "refused: ")), became
    assert len(became) < 1000


def test_there_are_enough_of_them():
    assert len(crafted_files.BUILDERS) >= 40


REFUSED = {
    "a long label among many": "label of classes is 370006 bytes long.*trusted=True",
    "a label as long as may be among many": "labels of .*classes take 19 MB.*trusted=True",
    "a header of lists": "header of 30720 KB",
    "features of no value": "tables of 16777216 features take 1536 MB.*trusted=True",
    "levels of a long text": "label of each is 300000 bytes long",
    "rows with gaps that em has not seen": "lacks covariances estimated by EM",
    "counts beyond all rows": "more rows than can be counted",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_out_of_proportion_is_refused_in_a_sentence(name, tmp_path):
    path = tmp_path / "crafted"
    path.write_bytes(crafted_files.BUILDERS[name]())
    with pytest.raises(InvalidFile, match=f"(?s)crafted .*{REFUSED[name]}"):
        sf.load(path)


def test_what_is_out_of_proportion_can_be_trusted(tmp_path):
    path = tmp_path / "crafted"
    path.write_bytes(crafted_files.BUILDERS["a long label of two"]())
    assert max(map(len, sf.load(path, trusted=True).classes)) == 370_006
