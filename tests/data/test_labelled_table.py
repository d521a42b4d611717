"""Labelled tables: rows, classes and weights stay together, in whatever form the rows come."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from suffice.data.tables.labelled_table import LabelledTable
from suffice.errors import InvalidFeatures, InvalidInput, InvalidLabels, InvalidWeights

X = np.arange(8.0).reshape(4, 2)
Y = ["b", "a", "b", "c"]
FORMS = {
    "array": X,
    "list": X.tolist(),
    "pandas": pd.DataFrame(X, columns=["u", "v"]),
    "polars": pl.DataFrame(X, schema=["u", "v"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_some_rows_keep_their_form_classes_and_weights(form):
    table = LabelledTable.of(FORMS[form], Y, [1.0, 2.0, 3.0, 4.0])
    part = table.take(np.array([3, 1]))
    assert isinstance(part.X, np.ndarray if form == "list" else type(FORMS[form]))
    np.testing.assert_array_equal(np.asarray(part.X), X[[3, 1]])
    assert part.labels.tolist() == ["c", "a"]
    assert part.weight.tolist() == [4.0, 2.0]
    assert part.classes.tolist() == table.classes.tolist() == ["a", "b", "c"]


def test_classes_without_weight_are_left_out_and_their_rows_count_nowhere():
    table = LabelledTable.of(X, Y, [1.0, 1.0, 1.0, 0.0])
    assert table.classes.tolist() == ["a", "b"]
    assert table.labels[:3].tolist() == Y[:3]
    assert table.weight[3] == 0


def test_rows_of_equal_weight_count_fully_and_a_dominant_one_alone():
    assert LabelledTable.of(X, Y).effective_rows == 4
    assert LabelledTable.of(X, Y, [5.0] * 4).effective_rows == pytest.approx(4)
    assert LabelledTable.of(X, Y, [1e9, 1.0, 1.0, 1.0]).effective_rows == pytest.approx(1)


@pytest.mark.parametrize(
    ("rows", "y", "weights", "error", "words"),
    [
        (X, Y[:3], None, InvalidInput, "X has 4 rows but y has 3 labels"),
        (None, Y, None, InvalidFeatures, "X is missing"),
        (5.0, Y, None, InvalidFeatures, "X is 5.0; pass an array or a data frame"),
        (X[:0], [], None, InvalidLabels, "y has no labels"),
        (X, Y, [1.0, -1.0, 1.0, 1.0], InvalidWeights, r"sample_weight\[1\] is -1.0"),
    ],
)
def test_rows_labels_and_weights_that_do_not_fit_are_refused(rows, y, weights, error, words):
    with pytest.raises(error, match=words):
        LabelledTable.of(rows, y, weights)
