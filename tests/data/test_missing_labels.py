"""Rows without a label: the error has the call that drops them, and the call works."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import suffice as sf
from suffice.errors import InvalidLabels

TABLE = pd.DataFrame(
    {"size": np.arange(8.0) ** 2, "the kind": ["a", "b", None, "a", "b", "a", None, "b"]}
)
TABLES = {
    "pandas": TABLE,
    "pandas, nullable": TABLE.convert_dtypes(),
    "polars": pl.from_pandas(TABLE),
    "pyarrow": pl.from_pandas(TABLE).to_arrow(),
}


def pasted(error: InvalidLabels, names: dict) -> dict:
    call = re.search(r"drop those rows: (.*)\.$", str(error))
    assert call, str(error)
    exec(call[1], {"pandas": pd}, names)
    return names


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_call_drops_rows_of_a_table_that_have_no_label(table):
    with pytest.raises(InvalidLabels, match="2 missing labels, the first in row 2") as caught:
        sf.LDA().fit(table, "the kind")
    kept = pasted(caught.value, {"table": table})["table"]
    assert sf.LDA().fit(kept, "the kind").statistics_.weight.tolist() == [3, 3]


@pytest.mark.parametrize("missing", [None, np.nan])
def test_the_call_drops_rows_whose_labels_are_an_array(missing):
    y = TABLE["the kind"].to_numpy(object)
    y[[2, 6]] = missing
    X = TABLE[["size"]].to_numpy()
    with pytest.raises(InvalidLabels, match="2 missing labels, the first in row 2") as caught:
        sf.LDA().fit(X, y)
    kept = pasted(caught.value, {"X": X, "y": y})
    assert sf.LDA().fit(kept["X"], kept["y"]).statistics_.weight.tolist() == [3, 3]
