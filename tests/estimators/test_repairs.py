"""Repairs speak: one warning says what was done instead, and the call that avoids it."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import cross_val_score

import suffice as sf
from suffice.errors import RepairedModel

WINE = load_wine(as_frame=True)
X, Y = WINE.data, WINE.target


def few_rows():
    """Wine with a class of one row and one of two."""
    y = Y.copy()
    y.iloc[0], y.iloc[1:3] = 7, 8
    return X, y


def dependent():
    return X.assign(twice=2 * X.alcohol, total=X.ash + X.hue), Y


def wide():
    return np.random.default_rng(0).normal(size=(20, 50)), np.arange(20) % 2


def wide_scales():
    return X, Y


def constant_in_a_class():
    return X.assign(ash=np.where(Y == 1, 2.0, X.ash)), Y


def told(model, rows):
    """The one warning of a fit, which is the place of the call."""
    with pytest.warns(RepairedModel) as found:
        model.fit(*rows)
    assert len(found) == 1
    assert found[0].filename == __file__
    return str(found[0].message)


@pytest.mark.parametrize(
    ("model", "table", "words"),
    [
        (sf.QDA(), few_rows, ["classes 7, 8 have 1 to 2 rows", "13 features", "pooled"]),
        (sf.QDA(shrinkage=0.1, target="diagonal"), few_rows, ["class 7", "pooled"]),
        (sf.GaussianDiscriminant(ddof=1), few_rows, ["classes 7, 8", "pooled"]),
        (sf.QDA(), constant_in_a_class, ["class 1", "constant", "pooled"]),
        (sf.GaussianNB(), few_rows, ["no column varies in class 7", "pooled variances"]),
        (sf.MixedNB(), few_rows, ["no column varies in class 7"]),
        (sf.MixedNB(structure="full"), few_rows, ["classes 7, 8", "pooled"]),
        (sf.LDA(), dependent, ["'alcohol', 'ash', 'hue' and 2 more", "2 of 15", "drop 2"]),
        (sf.QDA(), dependent, ["linearly dependent", "2 of 15 directions are left out"]),
        (sf.LDA(), wide, ["20 rows of 2 classes", "50 features", "shrunk by OAS"]),
        (sf.QDA(), wide, ["20 rows of 2 classes", "shared"]),
        (sf.LDA(shrinkage=0.5), wide_scales, ["shrinkage of 0.5", "identity", "'proline'"]),
        (
            sf.LDA(shrinkage="ledoit-wolf"),
            wide_scales,
            ["toward the identity", "very different scales"],
        ),
        (sf.QDA(shrinkage="oas"), wide_scales, ["toward the identity"]),
        (sf.DiagonalLDA(shrinkage=0.5), wide_scales, ["toward the identity"]),
    ],
    ids=lambda value: getattr(value, "__name__", repr(value)),
)
def test_a_repair_is_reported_once_with_a_call_that_avoids_it(model, table, words):
    rows = table()
    message = told(clone(model), rows)
    assert all(word in message for word in words), message
    call = re.search(r"use (\w+\(.*\))\.$", message)[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        eval(call, vars(sf) | {name: getattr(sf, name) for name in sf.__all__}).fit(*rows)


def test_naive_bayes_takes_features_that_are_constant_in_a_class_without_a_word():
    model = sf.GaussianNB().fit(*load_digits(return_X_y=True))
    assert len(model.borrowed_classes_) == 10


def test_several_repairs_are_one_warning():
    rows = X.assign(twice=2 * X.alcohol), few_rows()[1]
    message = told(sf.QDA(), rows)
    assert "linearly dependent" in message
    assert "classes 7, 8" in message
    assert message.endswith(
        "use GaussianDiscriminant(pooling=0.5, shrinkage='oas', target='diagonal')."
    )


@pytest.mark.parametrize("model", [sf.QDA(), sf.LDA(), sf.GaussianDiscriminant(pooling=0.5)])
def test_a_single_class_is_reported(model):
    assert "all rows belong to class 'only'" in told(clone(model), (X, np.full(len(X), "only")))


@pytest.mark.parametrize("model", [sf.LDA(), sf.GaussianNB()], ids=repr)
def test_a_column_that_decides_alone_is_reported(model):
    message = told(clone(model), (X.assign(leak=2.0 * Y), Y))
    assert "column 'leak' is constant within every class but differs between them" in message


def test_columns_without_names_are_named_by_position():
    assert "columns 0, 2, 10 and 2 more" in told(sf.LDA(), (dependent()[0].to_numpy(), Y))


def test_borrowed_classes_are_listed_as_before():
    model = sf.QDA()
    told(model, few_rows())
    assert model.borrowed_classes_.tolist() == [7, 8]


def test_rows_that_come_in_parts_warn_when_the_model_is_built():
    rows, y = few_rows()
    model = sf.QDA().partial_fit(rows, y)
    with pytest.warns(RepairedModel, match="classes 7, 8"):
        model.predict(rows)
    assert model.predict(rows[:1]).tolist() == [7]
    with pytest.warns(RepairedModel, match="class(es)? 7"):
        model.forget(rows[2:3], y[2:3])


@pytest.mark.filterwarnings("error::suffice.errors.RepairedModel")
def test_a_warning_that_is_an_error_leaves_the_model_as_it_was():
    model = sf.QDA().fit(X, Y)
    before = model.statistics_
    with pytest.raises(RepairedModel):
        model.fit(*few_rows())
    assert model.statistics_ is before


def test_a_file_is_loaded_without_a_word(tmp_path):
    model = sf.QDA()
    told(model, few_rows())
    model.save(tmp_path / "model.suffice")
    again = sf.load(tmp_path / "model.suffice")
    assert again.borrowed_classes_.tolist() == [7, 8]


@pytest.mark.parametrize(
    "model",
    [
        sf.LDA(),
        sf.QDA(),
        sf.GaussianNB(),
        sf.DiagonalLDA(),
        sf.GaussianDiscriminant(pooling=0.5),
        sf.LDA(shrinkage=0.3, target="diagonal"),
        sf.QDA(shrinkage="oas", target="diagonal"),
        sf.QDA(reg_param=0.1),
        sf.GaussianDiscriminant("spherical"),
        sf.BayesianDiscriminant(),
        sf.MixedNB(),
        sf.UnskewedDiscriminant(),
    ],
    ids=repr,
)
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_ordinary_tables_are_fitted_without_a_word(model, load):
    clone(model).fit(*load(return_X_y=True))


@pytest.mark.parametrize("share", [0.01, 0.5, 1.0, "oas", "ledoit-wolf"])
@pytest.mark.parametrize("load", [load_iris, load_digits])
def test_shrinkage_toward_the_identity_is_silent_where_scales_are_alike(share, load):
    sf.LDA(shrinkage=share).fit(*load(return_X_y=True))


def test_the_threshold_of_scales_is_where_labels_begin_to_suffer():
    """The identity costs labels of wine, for which it warns, and none of digits, for which not."""
    digits = load_digits(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RepairedModel)
        identity = cross_val_score(sf.LDA(shrinkage=0.1), X, Y).mean()
    diagonal = cross_val_score(sf.LDA(shrinkage=0.1, target="diagonal"), X, Y).mean()
    assert identity < diagonal - 0.1
    assert (
        cross_val_score(sf.LDA(shrinkage=0.1), *digits).mean()
        > cross_val_score(sf.LDA(shrinkage=0.1, target="diagonal"), *digits).mean() - 0.02
    )


def test_where_repairs_are_part_of_the_work_nothing_is_said(tmp_path):
    rows, y = few_rows()
    sf.select_model(rows, y, [sf.QDA(), sf.LDA(shrinkage=0.5)])
    sf.compare(rows, y, {"QDA": sf.QDA(), "GaussianNB": sf.GaussianNB()}, cv=3)
    sf.report(pd.concat([rows, y], axis=1), "target", tmp_path / "r.html", model=sf.QDA())
    sf.plots.ModelsDisplay.from_data(rows.iloc[:, :2], y)
    iris = load_iris(return_X_y=True)
    sf.QDA().fit(*iris).leave_one_out(*iris)


@pytest.mark.parametrize("model", [sf.LDA(), sf.QDA()], ids=repr)
def test_a_column_that_decides_alone_is_reported_beside_missing_values(model):
    gapped = X.assign(leak=2.0 * Y, ash=X.ash.where(X.index % 3 > 0))
    assert "column 'leak' is constant within every class" in told(clone(model), (gapped, Y))


def test_several_columns_that_decide_alone_are_named_in_the_advice():
    message = told(sf.LDA(), (X.assign(first=Y == 0, second=Y == 1), Y))
    assert "columns 'first', 'second' are constant within every class but differ" in message
    assert "drop 'first', 'second' if they repeat the label" in message


def test_levels_that_lie_in_one_class_each_are_named_not_called_too_few_rows():
    rng = np.random.default_rng(0)
    area = rng.integers(0, 6, 400)
    table = pd.DataFrame({"acid": rng.normal(size=400), "area": np.array(list("abcdef"))[area]})
    with pytest.warns(RepairedModel) as caught:
        model = sf.LDA().fit(table, np.where(area < 3, "south", "north"))
    (message,) = (str(one.message) for one in caught)
    assert message.startswith(
        "LinearDiscriminantAnalysis: a combination of columns 'area=d', 'area=e', 'area=f' is "
        "constant within every class but differs between them, so correlations are shrunk by OAS. "
        "To avoid it, drop 'area' if it repeats the label, or use "
    )
    assert model.score(table, np.where(area < 3, "south", "north")) == 1


def test_rows_of_small_classes_are_reported_as_a_range():
    y = np.repeat(["few", "many", "none"], [3, 60, 2])
    with pytest.warns(RepairedModel, match="classes 'few', 'none' have 2 to 3 rows, too few"):
        sf.QDA().fit(np.random.default_rng(0).normal(size=(65, 4)), y)


def test_too_few_observed_values_are_reported_with_their_column():
    message = told(sf.QDA(), (X.assign(ash=X.ash.where((Y != 1) | (X.ash < 1.9))), Y))
    assert "class 1 has only 7 observed values of column 'ash', too few" in message


def test_the_advice_names_the_column_of_the_table_and_not_its_indicators():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 20)
    table = pd.DataFrame({"x": rng.normal(size=60), "own": y, "late": y == "c"})
    with pytest.warns(RepairedModel) as caught:
        sf.LDA().fit(table, y)
    message = str(caught[0].message)
    assert "'own=b', 'own=c', 'late=True' are constant within every class" in message
    assert "drop 'own', 'late' if they repeat the label" in message
    with pytest.warns(RepairedModel, match="drop 'late' if it repeats the label"):
        sf.LDA().fit(table[["x", "late"]], y == "c")
