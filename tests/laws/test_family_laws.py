"""Laws of the Gaussian family, over every estimator."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from subjects import FAMILY, UNITLESS, Gaussian

import suffice as sf
from closeness import near
from lawful import LAW, Rows, rows, same_labels

# Repaired models are tested with the others.
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

every = pytest.mark.parametrize("model", FAMILY, ids=repr)
unitless = pytest.mark.parametrize("model", UNITLESS, ids=repr)


def assert_same(a, b, Q, tolerance=1e-8):
    Gaussian(a).check_same(a, b, Q, tolerance)


# Units, offsets, columns


@unitless
@LAW
@given(
    table=rows(regular=True),
    powers=st.lists(st.sampled_from([-6, -3, 0, 6]), min_size=4, max_size=4),
)
def test_units_change_no_label(model, table, powers):
    units = 10.0 ** np.array(powers[: table.X.shape[1]])
    a = table.fit(model)
    b = Rows(table.X * units, table.y, table.w, None).fit(model)
    scores = a.predict_log_proba(table.Q)
    same_labels(a.predict(table.Q), b.predict(table.Q * units), scores)
    near(b.predict_log_proba(table.Q * units), scores, 1e-7)


@every
@LAW
@given(
    table=rows(regular=True),
    shifts=st.lists(st.sampled_from([0, -(2.0**26), 2.0**26]), min_size=4, max_size=4),
)
def test_offsets_change_no_label(model, table, shifts):
    shift = np.array(shifts[: table.X.shape[1]])
    # Rounded to what is left after shifting, so that both see the same rows.
    X, Q = ((Z + 2.0**27) - 2.0**27 for Z in (table.X, table.Q))
    a = Rows(X, table.y, table.w, None).fit(model)
    b = Rows(X + shift, table.y, table.w, None).fit(model)
    scores = a.predict_log_proba(Q)
    same_labels(a.predict(Q), b.predict(Q + shift), scores, 1e-5)
    near(b.predict_log_proba(Q + shift), scores, 1e-5)


@every
@LAW
@given(table=rows(), seed=st.integers(0, 999))
def test_the_order_of_columns_changes_nothing_but_the_order_of_columns(model, table, seed):
    order = np.random.default_rng(seed).permutation(table.X.shape[1])
    a, b = table.fit(model), Rows(table.X[:, order], table.y, table.w, None).fit(model)
    near(b.means_, a.means_[:, order], 1e-12)
    near(b.covariances_, a.covariances_[:, order][:, :, order], 1e-12)
    near(b.predict_log_proba(table.Q[:, order]), a.predict_log_proba(table.Q), 1e-8)
    if hasattr(a, "coef_"):
        near(b.coef_, a.coef_[:, order], 1e-8)


# Answers


@every
@LAW
@given(table=rows())
def test_answers_agree_with_each_other(model, table):
    fitted = table.fit(model)
    log_proba, joint = fitted.predict_log_proba(table.Q), fitted.predict_joint_log_proba(table.Q)
    proba, density = fitted.predict_proba(table.Q), fitted.score_samples(table.Q)
    near(proba.sum(axis=1), np.ones(len(table.Q)), 1e-12, smallest=1.0)
    assert np.array_equal(np.exp(log_proba), proba)
    near(density, np.logaddexp.reduce(joint, axis=1), 1e-12, smallest=1.0)
    near(log_proba, joint - density[:, None], 1e-8, smallest=1.0)
    labels = fitted.classes_[log_proba.argmax(axis=1)]
    same_labels(fitted.predict(table.Q), labels, log_proba, 1e-9)
    scores = fitted.decision_function(table.Q)
    if len(fitted.classes_) == 2:
        near(scores, log_proba[:, 1] - log_proba[:, 0], 1e-8, smallest=1.0)
    else:
        near(scores - scores[:, :1], log_proba - log_proba[:, :1], 1e-8, smallest=1.0)
    lengths = fitted.squared_mahalanobis(table.Q)
    assert (lengths >= 0).all()
    constant = joint + lengths / 2
    near(
        constant - constant[0],
        np.zeros_like(constant),
        1e-8 * max(1.0, lengths.max()),
        smallest=1.0,
    )


@every
@LAW
@given(table=rows(), seed=st.integers(0, 999))
def test_other_priors_need_no_refit(model, table, seed):
    fitted = table.fit(model)
    chances = np.random.default_rng(seed).dirichlet(np.ones(len(fitted.classes_)))
    by_label = dict(zip(fitted.classes_.tolist(), chances, strict=True))
    before = fitted.predict_log_proba(table.Q)
    for priors in (chances, by_label, "uniform", None):
        other = fitted.with_priors(priors)
        refit = table.fit(clone(model).set_params(priors=priors))
        assert_same(other, refit, table.Q, 1e-13)
        if hasattr(other, "transform"):
            near(other.transform(table.Q), refit.transform(table.Q), 1e-12)
            near(other.intercept_, refit.intercept_, 1e-12)
    assert np.array_equal(fitted.predict_log_proba(table.Q), before)


@every
@LAW
@given(table=rows())
def test_statistics_in_more_detail_serve_as_well_as_the_rows(model, table):
    fitted = table.fit(model)
    rich = clone(model).fit_statistics(sf.summarize(*table.of(slice(None)), detail="separate"))
    assert_same(rich, fitted, table.Q)
    assert_same(clone(model).fit_statistics(fitted.statistics_), fitted, table.Q, 1e-14)


# Corners of the family

Discriminant = sf.GaussianDiscriminant
CORNERS = [
    (Discriminant(pooling=1), sf.LDA()),
    (Discriminant(pooling=0), sf.QDA()),
    (Discriminant(pooling=1, ddof=1, shrinkage=0.2), sf.LDA(ddof=1, shrinkage=0.2)),
    (Discriminant(shrinkage="oas"), sf.QDA(shrinkage="oas")),
    (Discriminant(pooling=1, shrinkage="ledoit-wolf"), sf.LDA(shrinkage="ledoit-wolf")),
    (Discriminant(pooling=1, shrinkage="auto"), sf.LDA(shrinkage="oas", target="diagonal")),
    (Discriminant(structure="diagonal"), sf.GaussianNB(var_smoothing=0)),
    (Discriminant(structure="diagonal", pooling=1), sf.DiagonalLDA()),
    (Discriminant(structure="diagonal", pooling=1, shrinkage=0.4), sf.DiagonalLDA(shrinkage=0.4)),
    (Discriminant(structure="spherical"), Discriminant(structure="diagonal", shrinkage=1)),
    (
        Discriminant(structure="spherical", pooling=1),
        Discriminant(structure="diagonal", pooling=1, shrinkage=1),
    ),
]


@pytest.mark.parametrize(("general", "corner"), CORNERS, ids=repr)
@LAW
@given(table=rows())
def test_named_models_are_corners_of_the_family(general, corner, table):
    assert_same(table.fit(general), table.fit(corner), table.Q, 1e-12)


@pytest.mark.parametrize(
    ("full", "simple"),
    [
        (Discriminant(shrinkage=1, target="diagonal"), Discriminant(structure="diagonal")),
        (Discriminant(shrinkage=1, pooling=1, target="diagonal"), sf.DiagonalLDA()),
        (Discriminant(shrinkage=1), Discriminant(structure="spherical")),
        (Discriminant(shrinkage=1, pooling=1), Discriminant(structure="spherical", pooling=1)),
    ],
    ids=repr,
)
@LAW
@given(table=rows(regular=True))
def test_full_shrinkage_reaches_the_simpler_structure(full, simple, table):
    assert_same(table.fit(full), table.fit(simple), table.Q, 1e-9)


@LAW
@given(table=rows(regular=True))
def test_pooling_runs_from_qda_to_lda(table):
    nearly = table.fit(Discriminant(pooling=1 - 1e-9))
    near(nearly.predict_log_proba(table.Q), table.fit(sf.LDA()).predict_log_proba(table.Q), 1e-5)
    nearly = table.fit(Discriminant(pooling=1e-9))
    near(nearly.predict_log_proba(table.Q), table.fit(sf.QDA()).predict_log_proba(table.Q), 1e-5)


@LAW
@given(table=rows(regular=True))
def test_uniform_spherical_lda_is_the_nearest_centroid(table):
    fitted = table.fit(Discriminant(structure="spherical", pooling=1, priors="uniform"))
    steps = table.Q[:, None] - fitted.means_
    nearest = -(steps**2).sum(axis=2)
    same_labels(fitted.predict(table.Q), fitted.classes_[nearest.argmax(axis=1)], nearest)


@LAW
@given(table=rows(regular=True))
def test_the_axes_of_lda_whiten_the_shared_covariance_and_keep_its_distances(table):
    lda = table.fit(sf.LDA())
    near(lda.scalings_.T @ lda.covariance_ @ lda.scalings_, np.eye(lda.scalings_.shape[1]), 1e-8)
    if lda.scalings_.shape[1] == len(lda.classes_) - 1:
        means = lda.transform(lda.means_)
        apart = ((means[:, None] - means) ** 2).sum(axis=2)
        near(apart, lda.squared_mahalanobis(lda.means_), 1e-8)
    assert abs(lda.explained_variance_ratio_.sum() - 1) < 1e-12
