"""Integer labels become codes: the classes are those that occur, whatever they start from."""

from __future__ import annotations

import numpy as np
import pytest

from suffice.data.labels import Labels, class_position
from suffice.errors import InvalidParameter

LATE_ZERO = np.r_[np.ones(1024 + 5, np.int64), 0, 2]


@pytest.mark.parametrize(
    "values",
    [
        [0, 1, 2, 1],
        [0, 0],
        [5, 7, 5],
        [-1, 0, 1],
        [-3, -3],
        [0, 255],
        [0, 256],
        [0, 2**40],
        [-(2**63), 0, 2**63 - 1],
        LATE_ZERO,
        np.array([2, 0, 1, 9], np.int64)[::2],
        np.array([3, 1], np.int8),
    ],
)
def test_codes_point_at_their_labels(values: object) -> None:
    given = np.asarray(values)
    classes, codes = Labels.of(given).encode()
    assert (codes >= 0).all()
    np.testing.assert_array_equal(classes[codes], given)
    np.testing.assert_array_equal(classes, np.unique(classes))
    assert set(np.unique(given).tolist()) <= set(classes.tolist())


@pytest.mark.parametrize(
    ("classes", "label", "hint"),
    [(["setosa", "virginica"], "Setossa", "'setosa'"), ([10, 20], "10", "10")],
)
def test_a_label_that_no_class_has_is_refused_with_the_most_similar_class(classes, label, hint):
    with pytest.raises(InvalidParameter, match=rf"no class '{label}'.* Did you mean {hint}\?"):
        class_position(np.array(classes), label)
