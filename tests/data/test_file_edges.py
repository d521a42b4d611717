"""File edges: comments before a table, separators after it, and lines that do not fit."""

from __future__ import annotations

import pytest

import suffice as sf
from suffice.data.sources.table_file import read_table
from suffice.errors import ColumnNote, InvalidFile

ROWS = [f"{i % 7},{'uv'[i % 2]},{'xz'[i % 3 == 0]}" for i in range(30)]
PLAIN = "\n".join(["size,kind,y", *ROWS])
EDGES = {
    "comments": f"# made by hand, in May\n# for tests\n{PLAIN}",
    "Excel's separator": "sep=;\n" + PLAIN.replace(",", ";"),
    "a separator after each line": PLAIN.replace("\n", ",\n") + ",",
}


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.filterwarnings("ignore:.*the last one, has no name")
def test_what_stands_around_a_table_changes_nothing(name, tmp_path):
    plain, edged = tmp_path / "plain.csv", tmp_path / "edged.csv"
    plain.write_text(PLAIN)
    edged.write_text(EDGES[name])
    assert read_table(edged).frame.equals(read_table(plain).frame)
    assert sf.describe(edged, "y").to_dict() == sf.describe(plain, "y").to_dict()
    assert sf.summarize(edged, target="y") == sf.summarize(plain, target="y")


def test_a_last_column_without_a_name_is_left_out_with_a_warning(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text(EDGES["a separator after each line"])
    with pytest.warns(ColumnNote, match="column 4, the last one, has no name; it is left out"):
        sf.summarize(file, target="y")


@pytest.mark.parametrize("call", [sf.describe, lambda file, y: sf.summarize(file, target=y)])
def test_a_line_that_does_not_fit_is_reported_though_it_is_in_the_sample(call, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text(PLAIN + "\n1,u")
    with pytest.raises(InvalidFile, match="line 32: 2 fields where the first line has 3"):
        call(file, "y")
