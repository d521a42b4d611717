"""Indicators: levels (categories) as columns of zeros and ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import suffice as sf
from suffice.errors import InvalidFeatures, InvalidParameter

FRAME = pd.DataFrame(
    {
        "size": [1.0, None, 3.0, 4.0],
        "colour": ["red", "blue", None, "green"],
        "ripe": [True, False, True, True],
    }
)
NUMBERS = np.array(
    [
        [1.0, 0.0, 1.0, 1.0],
        [np.nan, 0.0, 0.0, 0.0],
        [3.0, np.nan, np.nan, 1.0],
        [4.0, 1.0, 0.0, 1.0],
    ]
)


@parametrize_with_checks([sf.Indicators()])
def test_it_keeps_the_conventions_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("frame", [FRAME, pl.from_pandas(FRAME)], ids=["pandas", "polars"])
def test_numbers_stay_and_levels_but_the_first_become_ones(frame):
    coder = sf.Indicators().fit(frame)
    np.testing.assert_array_equal(coder.transform(frame), NUMBERS)
    names = ["size", "colour=green", "colour=red", "ripe=True"]
    assert coder.get_feature_names_out().tolist() == names


def test_a_level_never_seen_counts_as_missing():
    coder = sf.Indicators().fit(FRAME)
    strange = FRAME.assign(colour=["violet", "red", "red", "blue"])
    found = coder.transform(strange)
    assert np.isnan(found[0, 1:3]).all()
    np.testing.assert_array_equal(found[1, 1:3], [0.0, 1.0])


def test_columns_may_be_named():
    rows = np.array([[0, 10.0], [1, 20.0], [2, 30.0], [1, 40.0]])
    found = sf.Indicators(categorical=[0]).fit_transform(rows)
    np.testing.assert_array_equal(found[:, 0], rows[:, 1])
    np.testing.assert_array_equal(found[:, 1:], [[0, 0], [1, 0], [0, 1], [1, 0]])
    with pytest.raises(InvalidParameter):
        sf.Indicators(categorical="colour").fit(FRAME)
    with pytest.raises(InvalidParameter, match=r"names column 'color'.* Did you mean 'colour'"):
        sf.Indicators(categorical=["color"]).fit(FRAME)


def test_other_columns_at_transform_are_named():
    coder = sf.Indicators().fit(FRAME)
    with pytest.raises(InvalidFeatures, match="colour"):
        coder.transform(FRAME.drop(columns="colour"))


def test_any_model_of_numbers_takes_levels_behind_it():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    frame = pd.DataFrame({"x": rng.normal(size=120) + y, "z": rng.normal(size=120)})
    frame["level"] = np.where(rng.random(120) < 0.8, np.where(y == 0, "a", "b"), "c")
    frame.loc[::7, "level"] = None
    model = make_pipeline(sf.Indicators(), sf.LDA()).fit(frame, y)
    assert model.score(frame, y) > 0.8
    found = sf.select_model(frame, y, [model])
    assert found.candidates[0] == {"model": "LinearDiscriminantAnalysis", "after": "Indicators"}
    assert found.table["log_loss"][0] < 0.5


def test_names_of_other_features_are_refused():
    coder = sf.Indicators().fit(FRAME)
    names = list(FRAME.columns)
    assert list(coder.get_feature_names_out(names)) == list(coder.get_feature_names_out())
    with pytest.raises(InvalidParameter, match="input_features is not equal to feature_names_in_"):
        coder.get_feature_names_out(names[::-1])
    for wrong in (names[:1], "colour", [1] * len(names)):
        with pytest.raises(InvalidParameter, match=r"number of features \(\d\), one name each"):
            coder.get_feature_names_out(wrong)
