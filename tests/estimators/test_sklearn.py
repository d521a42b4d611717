"""The scikit-learn face: its own checks, its tools, and its numbers."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.covariance import ShrunkCovariance
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

import suffice as sf
from closeness import near
from lawful import one_per_class
from suffice.errors import InvalidParameter, RepairedModel

# Up to 1.8 LDA's svd solver divides by N - K and QDA by n - 1; from 1.9 on by N and n.
THEIR_DDOF = 0 if parse_version(sklearn.__version__) >= parse_version("1.9") else 1

CORNERS = [sf.LDA(), sf.QDA(), sf.GaussianNB(), sf.DiagonalLDA(), sf.GaussianDiscriminant()]
SETTINGS = [
    *CORNERS,
    sf.LDA(shrinkage="auto", n_components=1),
    sf.LDA(shrinkage="oas", target="diagonal", ddof=1),
    sf.LDA(shrinkage=0.3, priors="uniform"),
    sf.QDA(shrinkage="ledoit-wolf"),
    sf.QDA(shrinkage=0.2, target="diagonal", ddof=1, priors="uniform"),
    sf.QDA(reg_param=0.1),
    sf.GaussianNB(var_smoothing=0.0, priors="uniform"),
    sf.DiagonalLDA(shrinkage="oas", ddof=1),
    sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.1),
    sf.GaussianDiscriminant(pooling=1.0, shrinkage="oas"),
    sf.GaussianDiscriminant(structure="diagonal", pooling=0.5, ddof=1),
    sf.GaussianDiscriminant(structure="spherical"),
    sf.GaussianDiscriminant(structure="spherical", pooling=1.0),
    sf.UnskewedDiscriminant(),
    sf.UnskewedDiscriminant("diagonal", pooling=0.5, shrinkage=0.1),
]

each = pytest.mark.parametrize("model", CORNERS, ids=repr)
TABLES = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "cancer": load_breast_cancer(return_X_y=True),
    "digits": load_digits(return_X_y=True),
}
REGULAR = ["iris", "wine", "cancer"]


def near_up_to_sign(got, wanted, tolerance=1e-8):
    """Columns equal up to their sign."""
    near(got * np.sign((got * wanted).sum(axis=0)), wanted, tolerance)


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@parametrize_with_checks(one_per_class(SETTINGS))
def test_every_estimator_passes_every_check_of_sklearn(estimator, check):
    check(estimator)


@each
def test_a_clone_has_the_parameters_and_nothing_fitted(model):
    X, y = TABLES["iris"]
    copy = clone(clone(model).fit(X, y))
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "statistics_")


@each
def test_a_pickled_model_answers_the_same_and_goes_on_learning(model):
    X, y = TABLES["iris"]
    model = clone(model).fit(X[:100], y[:100])
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_log_proba(X), model.predict_log_proba(X))
    again.partial_fit(X[100:], y[100:])
    assert again.statistics_ == clone(model).fit(X, y).statistics_
    assert list(model.classes_) == [0, 1]


@each
def test_pipelines_and_cross_validation_take_it(model):
    X, y = TABLES["wine"]
    assert cross_val_score(make_pipeline(StandardScaler(), model), X, y).mean() > 0.95


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
def test_a_grid_search_goes_over_the_whole_family():
    X, y = TABLES["wine"]
    grid = {"structure": ["full", "diagonal"], "pooling": [0.0, 0.5, 1.0], "shrinkage": [0, "oas"]}
    search = GridSearchCV(sf.GaussianDiscriminant(), grid).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > 0.95


@each
@pytest.mark.parametrize("search", [False, True], ids=["pipeline", "grid search"])
def test_metadata_routing_hands_on_sample_weight(model, search):
    X, y = TABLES["wine"]
    w = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = clone(model).set_fit_request(sample_weight=True)
        routed.set_score_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=True)
        pipe = make_pipeline(scaler, routed)
        if search:
            pipe = GridSearchCV(pipe, {}, cv=3)
        pipe.fit(X, y, sample_weight=w)
    fitted = pipe.best_estimator_ if search else pipe
    Z = StandardScaler().fit(X, sample_weight=w).transform(X)
    direct = clone(model).fit(Z, y, sample_weight=w)
    near(fitted.predict_log_proba(X), direct.predict_log_proba(Z))


def test_every_method_with_weights_can_be_routed():
    model = sf.QDA()
    with sklearn.config_context(enable_metadata_routing=True):
        for method in ("fit", "partial_fit", "score"):
            getattr(model, f"set_{method}_request")(sample_weight=True)
            routed = getattr(model.get_metadata_routing(), method)
            assert routed.requests["sample_weight"] is True


@pytest.mark.exhaustive
def test_checks_that_need_arrays_of_other_libraries_in_scipy_pass_with_them():
    """SciPy reads the setting once, so these checks are skipped in every other process."""
    asked = ["-q", "-p", "no:cacheprovider", "-k", "array_api_input", __file__]
    found = subprocess.run(
        [sys.executable, "-m", "pytest", *asked],
        capture_output=True,
        text=True,
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
    )
    assert found.returncode == 0, found.stdout
    assert re.search(r"\b\d+ passed", found.stdout)
    assert "skipped" not in found.stdout


@pytest.mark.parametrize(("kind", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
@pytest.mark.parametrize("n_components", [None, 1])
def test_lda_transforms_into_the_requested_frame(kind, frame, n_components):
    X, y = TABLES["iris"]
    lda = sf.LDA(n_components=n_components).fit(X, y).set_output(transform=kind)
    out = lda.transform(X)
    assert isinstance(out, frame)
    names = ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"][: n_components or 2]
    assert list(out.columns) == names == list(lda.get_feature_names_out())
    assert np.array_equal(out.to_numpy(), sf.LDA(n_components=n_components).fit(X, y).transform(X))


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
def test_lda_names_as_many_axes_as_it_returns_when_features_are_redundant():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 4
    X = np.c_[X, X[:, 1], np.ones(60)]
    lda = sf.LDA().fit(X, y)
    assert lda.transform(X).shape == (60, len(lda.get_feature_names_out()))
    assert lda.set_output(transform="pandas").transform(X).shape[0] == 60


@each
@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame,
        lambda columns: pl.DataFrame(columns),
        lambda columns: pa.table(columns),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_frames_give_feature_names_and_the_answers_of_arrays(model, frame):
    X, y = TABLES["iris"]
    names = ["a", "b", "c", "d"]
    table = frame({name: X[:, j] for j, name in enumerate(names)})
    fitted = clone(model).fit(table, y)
    assert list(fitted.feature_names_in_) == names
    assert fitted.statistics_.feature_names == tuple(names)
    plain = clone(model).fit(X, y)
    near(fitted.predict_log_proba(table), plain.predict_log_proba(X))
    assert not hasattr(plain, "feature_names_in_")


@each
def test_fitting_statistics_brings_their_feature_names(model):
    X, y = TABLES["iris"]
    first, second = (pd.DataFrame(X, columns=list(names)) for names in ("abcd", "efgh"))
    fitted = clone(model).fit(first, y)
    assert list(fitted.fit_statistics(sf.summarize(second, y)).feature_names_in_) == list("efgh")
    fitted.predict(second)
    assert not hasattr(fitted.fit_statistics(sf.summarize(X, y)), "feature_names_in_")
    fitted.predict(X)


@each
def test_the_html_repr_shows_it(model):
    assert type(model).__name__ in model._repr_html_()


@each
def test_tags_tell_the_truth(model):
    tags = get_tags(model)
    assert is_classifier(model)
    assert tags.classifier_tags.multi_class
    assert tags.target_tags.required
    assert not tags.input_tags.sparse
    assert tags.input_tags.allow_nan
    assert not tags.classifier_tags.multi_label
    assert (tags.transformer_tags is not None) == hasattr(model, "transform")


def with_gaps(X, share=0.1):
    gaps = np.random.default_rng(0).random(X.shape) < share
    return np.where(gaps, np.nan, X)


@each
def test_rows_with_gaps_are_learned_in_parts_merged_and_forgotten(model):
    X, y = TABLES["iris"]
    X = with_gaps(X)
    whole = clone(model).fit(X, y)
    answers = whole.predict_log_proba(X)
    assert answers.shape == (150, 3)
    assert np.isfinite(answers).all()
    assert whole.score(X, y) > 0.9
    parts = clone(model)
    for rows in np.array_split(np.random.default_rng(1).permutation(150), 4):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    merged = clone(model).fit(X[::2], y[::2]).merge(clone(model).fit(X[1::2], y[1::2]))
    reduced = clone(model).fit(np.r_[X, X[:9]], np.r_[y, y[:9]]).forget(X[:9], y[:9])
    for other in (parts, merged, reduced):
        assert other.statistics_ == whole.statistics_
        near(other.predict_log_proba(X), answers, 1e-8)


@each
def test_forgetting_every_row_with_a_gap_leaves_what_the_others_teach(model):
    X, y = TABLES["iris"]
    gappy = with_gaps(X, 0.3)[::3]
    learned = clone(model).fit(np.r_[X, gappy], np.r_[y, y[::3]]).forget(gappy, y[::3])
    wanted = clone(model).fit(X, y)
    assert learned.statistics_ == wanted.statistics_
    near(learned.predict_log_proba(X), wanted.predict_log_proba(X), 1e-8)


GAPPY = {
    "objects": lambda X: np.where(np.isnan(X), None, X),
    "masked": lambda X: np.ma.masked_array(np.nan_to_num(X, nan=7.0), np.isnan(X)),
    "pandas": pd.DataFrame,
    "nullable": lambda X: pd.DataFrame(X).astype("Float64"),
    "polars": lambda X: pl.DataFrame(X, nan_to_null=True),
}


@each
@pytest.mark.parametrize("form", GAPPY)
def test_every_way_to_leave_out_a_value_teaches_and_asks_the_same(model, form):
    X, y = TABLES["iris"]
    X = with_gaps(X)
    given = GAPPY[form](X)
    wanted = clone(model).fit(X, y).predict_log_proba(X)
    assert np.array_equal(clone(model).fit(given, y).predict_log_proba(given), wanted)


@each
def test_decision_functions_have_the_shape_and_sign_of_sklearn(model):
    X, y = TABLES["cancer"]
    fitted = clone(model).fit(X, y)
    scores = fitted.decision_function(X)
    assert scores.shape == (len(X),)
    assert np.array_equal(fitted.classes_[(scores > 0).astype(int)], fitted.predict(X))
    log_proba = fitted.predict_log_proba(X)
    near(scores, log_proba[:, 1] - log_proba[:, 0])
    X, y = TABLES["wine"]
    fitted = clone(model).fit(X, y)
    scores = fitted.decision_function(X)
    assert scores.shape == (len(X), 3)
    assert np.array_equal(fitted.classes_[scores.argmax(axis=1)], fitted.predict(X))


LDA, QDA, NB = LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, GaussianNB
PEERS = {
    "LDA svd": (LDA(), sf.LDA(ddof=THEIR_DDOF)),
    "LDA lsqr": (LDA(solver="lsqr"), sf.LDA()),
    "LDA lsqr shrunk": (LDA(solver="lsqr", shrinkage=0.3), sf.LDA(shrinkage=0.3)),
    "LDA eigen": (LDA(solver="eigen"), sf.LDA()),
    "LDA svd priors": (LDA(priors=[0.1, 0.9]), sf.LDA(priors=[0.1, 0.9], ddof=THEIR_DDOF)),
    "QDA": (QDA(tol=0), sf.QDA(ddof=THEIR_DDOF)),
    "QDA reg_param": (QDA(reg_param=0.2), sf.QDA(reg_param=0.2, ddof=THEIR_DDOF)),
    "QDA priors": (QDA(tol=0, priors=[0.1, 0.9]), sf.QDA(priors=[0.1, 0.9], ddof=THEIR_DDOF)),
    "GaussianNB": (NB(var_smoothing=0), sf.GaussianNB(var_smoothing=0)),
}


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@pytest.mark.parametrize("pair", PEERS)
@pytest.mark.parametrize("table", REGULAR)
def test_posteriors_equal_those_of_sklearn(table, pair):
    X, y = TABLES[table]
    if "priors" in pair:
        X, y = X[y < 2], y[y < 2]
    theirs, ours = (clone(model).fit(X, y) for model in PEERS[pair])
    assert np.array_equal(theirs.predict(X), ours.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    assert ours.score(X, y) == theirs.score(X, y)


@pytest.mark.parametrize("pair", ["LDA svd", "QDA reg_param"])
def test_labels_of_the_digits_equal_those_of_sklearn_though_some_pixels_never_vary(pair):
    X, y = TABLES["digits"]
    theirs, ours = (clone(model).fit(X, y) for model in PEERS[pair])
    assert np.array_equal(theirs.predict(X), ours.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize("table", ["iris", "wine"])
def test_naive_bayes_equals_that_of_sklearn_where_smoothing_is_negligible(table):
    X, y = TABLES[table]
    theirs, ours = NB(var_smoothing=1e-18).fit(X, y), sf.GaussianNB(var_smoothing=1e-18).fit(X, y)
    near(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), 1e-10)
    near(ours.theta_, theirs.theta_)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-10)
    near(ours.class_prior_, theirs.class_prior_)
    assert np.array_equal(ours.class_count_, theirs.class_count_)


@pytest.mark.parametrize("table", REGULAR)
def test_the_linear_functions_of_lda_equal_those_of_sklearn(table):
    X, y = TABLES[table]
    theirs, ours = LDA().fit(X, y), sf.LDA(ddof=THEIR_DDOF).fit(X, y)
    # Where there are more than two, scikit-learn leaves out what all functions share.
    for name in ("coef_", "intercept_"):
        a, b = getattr(ours, name), getattr(theirs, name)
        assert a.shape == b.shape
        if len(a) > 1:
            a, b = a - a[0], b - b[0]
        near(a, b, 1e-8)
    scores = X @ ours.coef_.T + ours.intercept_
    found = ours.decision_function(X)
    near(scores if scores.shape[1] > 1 else scores[:, 0], found, 1e-9)


@pytest.mark.parametrize("table", REGULAR)
def test_the_axes_of_lda_equal_those_of_sklearn_up_to_sign(table):
    X, y = TABLES[table]
    theirs, ours = LDA().fit(X, y), sf.LDA(ddof=THEIR_DDOF).fit(X, y)
    near(ours.xbar_, theirs.xbar_)
    near(ours.means_, theirs.means_)
    assert ours.scalings_.shape == theirs.scalings_.shape
    near_up_to_sign(ours.scalings_, theirs.scalings_)
    near_up_to_sign(ours.transform(X), theirs.transform(X))
    near(ours.explained_variance_ratio_, theirs.explained_variance_ratio_)
    one = sf.LDA(n_components=1).fit(X, y)
    assert one.transform(X).shape == (len(X), 1)
    assert one.explained_variance_ratio_.shape == (1,)


@pytest.mark.parametrize("table", REGULAR)
def test_covariances_equal_those_of_sklearn(table):
    X, y = TABLES[table]
    shared = LDA(store_covariance=True).fit(X, y).covariance_
    near(sf.LDA().fit(X, y).covariance_, shared)
    own = QDA(store_covariance=True, tol=0).fit(X, y).covariance_
    ours = sf.QDA(ddof=THEIR_DDOF).fit(X, y)
    near(ours.covariance_, own)
    near(ours.covariances_, own)


@each
def test_all_fitted_attributes_exist_with_their_shapes(model):
    X, y = TABLES["wine"]
    fitted = clone(model).fit(X, y)
    k, d = 3, 13
    assert fitted.classes_.shape == fitted.priors_.shape == (k,)
    assert fitted.means_.shape == (k, d)
    assert fitted.covariances_.shape == (k, d, d)
    shared = isinstance(model, sf.LDA | sf.DiagonalLDA)
    assert fitted.covariance_.shape == ((d, d) if shared else (k, d, d))
    assert fitted.n_features_in_ == d
    assert len(fitted.borrowed_classes_) == 0


def test_the_covariance_shown_is_the_one_used_even_after_parameters_change():
    X, y = TABLES["iris"]
    model = sf.GaussianDiscriminant().fit(X, y)
    before = model.covariance_
    model.set_params(pooling=1.0)
    assert np.array_equal(model.covariance_, before)


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@each
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, ">f8"])
def test_rows_of_any_type_and_order_get_the_answers_of_float64(model, dtype):
    X, y = TABLES["digits"]
    X = X.astype(dtype)
    same = X.astype(np.float64)
    fitted, plain = clone(model).fit(X, y), clone(model).fit(same, y)
    near(fitted.predict_log_proba(X), plain.predict_log_proba(same))
    near(plain.predict_log_proba(np.asfortranarray(X)), plain.predict_log_proba(same))


@each
def test_an_answer_does_not_depend_on_the_other_rows_of_the_call(model):
    X, y = TABLES["wine"]
    fitted = clone(model).fit(X, y)
    many = np.tile(X, (600, 1))
    for answer in ("predict_log_proba", "predict_joint_log_proba", "squared_mahalanobis"):
        few = getattr(fitted, answer)(X)
        near(getattr(fitted, answer)(many), np.tile(few, (600, 1)), 1e-12)
        near(getattr(fitted, answer)(X[:1]), few[:1], 1e-12)


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@pytest.mark.parametrize("name", ["BayesianDiscriminant", "LDA", "MixtureDiscriminant", "MixedNB"])
def test_every_attribute_can_be_listed_before_and_after_fitting(name):
    model = getattr(sf, name)()
    assert "fit" in dir(model)
    model.fit(np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2)
    assert "predict_proba" in dir(model)


@pytest.mark.parametrize("model", [sf.LDA, sf.QDA])
def test_priors_that_do_not_add_up_to_one_are_divided_by_their_sum(model):
    X, y = TABLES["iris"]
    with pytest.warns(RepairedModel, match="do not sum to 1"):
        found = model(priors=[2.0, 1.0, 1.0]).fit(X, y)
    near(found.priors_, [0.5, 0.25, 0.25])


def test_the_priors_of_a_model_are_its_own():
    X, y = TABLES["iris"]
    given = np.array([0.5, 0.25, 0.25])
    model = sf.LDA(priors=given).fit(X, y)
    given[:] = model.priors_[:] = [0.0, 0.0, 1.0]
    near(model.priors_, [0.5, 0.25, 0.25])


@pytest.mark.parametrize("name", REGULAR)
def test_discriminant_functions_are_those_of_sklearn(name):
    X, y = TABLES[name]
    ours = sf.LDA(ddof=THEIR_DDOF).fit(X, y)
    theirs = LinearDiscriminantAnalysis().fit(X, y)
    near(ours.decision_function(X), theirs.decision_function(X), 1e-8)
    near(ours.coef_, theirs.coef_, 1e-8)
    near(ours.intercept_, theirs.intercept_, 1e-8)
    near(ours.decision_function(X).reshape(len(X), -1), X @ ours.coef_.T + ours.intercept_, 1e-8)


@pytest.mark.parametrize("peer", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_a_covariance_estimator_stands_for_the_covariance_of_each_class(peer):
    X, y = TABLES["wine"]
    ours = getattr(sf, peer.__name__)(solver="lsqr", covariance_estimator=ShrunkCovariance())
    solver = "lsqr" if peer is LinearDiscriminantAnalysis else "eigen"
    theirs = peer(solver=solver, covariance_estimator=ShrunkCovariance()).fit(X, y)
    near(ours.fit(X, y).predict_proba(X), theirs.predict_proba(X), 1e-8)
    with pytest.raises(InvalidParameter, match="all rows at once"):
        ours.partial_fit(X, y)
    for wrong, said in ((3, "must be an estimator"), (StandardScaler(), "covariance_ attribute")):
        with pytest.raises(InvalidParameter, match=said):
            clone(ours).set_params(covariance_estimator=wrong).fit(X, y)


def test_a_model_with_a_covariance_estimator_is_saved_and_cross_validated(tmp_path):
    X, y = TABLES["wine"]
    model = sf.LDA(covariance_estimator=ShrunkCovariance(shrinkage=0.5)).fit(X, y)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(sf.load(tmp_path / "model").predict(X), model.predict(X))
    found = sf.select_model(X, y, [clone(model), sf.QDA()], cv=5).scores["accuracy"][0].mean()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    assert found == pytest.approx(cross_val_score(clone(model), X, y, cv=folds).mean(), abs=0.05)
    with pytest.raises(InvalidParameter, match="LeaveOneOut"):
        model.leave_one_out(X, y)


def test_too_many_components_are_refused_when_fitting():
    X, y = TABLES["iris"]
    with pytest.raises(InvalidParameter, match="n_components cannot be larger than"):
        sf.LDA(n_components=3).fit(X, y)


def test_an_estimated_shrinkage_is_a_number():
    X, y = TABLES["wine"]
    assert 0 < sf.LDA(shrinkage="auto").fit(X, y).shrinkage_ < 1
    assert sf.LDA(shrinkage=0.25).fit(X, y).shrinkage_ == 0.25
    assert sf.QDA(shrinkage="oas").fit(X, y).shrinkage_.shape == (3,)


def test_lda_gives_single_precision_for_rows_of_single_precision():
    X, y = load_iris(return_X_y=True)
    double, single = sf.LDA().fit(X, y), sf.LDA().fit(X.astype(np.float32), y)
    for model, kind in ((double, np.float64), (single, np.float32)):
        rows = X.astype(kind)
        assert model.transform(rows).dtype == kind
        assert model.coef_.dtype == model.intercept_.dtype == kind
    np.testing.assert_allclose(single.transform(X), double.transform(X), rtol=1e-4, atol=1e-4)
    assert single.transform(X).dtype == np.float64


def test_announced_classes_may_not_lack_one_that_was_seen():
    X, y = load_iris(return_X_y=True)
    model = sf.GaussianNB().partial_fit(X[:100], y[:100], classes=[0, 1, 2])
    before = model.statistics_
    with pytest.raises(InvalidParameter, match="classes lacks class 0, which has been seen before"):
        model.partial_fit(X[100:], y[100:], classes=[1, 2])
    assert model.statistics_ == before
    model.partial_fit(X[100:], y[100:], classes=[0, 1, 2, 3])
    assert model.classes_.tolist() == [0, 1, 2]


def test_balanced_priors_are_called_uniform():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InvalidParameter, match="elsewhere is priors='uniform' here"):
        sf.LDA(priors="balanced").fit(X, y)
