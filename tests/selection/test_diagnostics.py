"""Diagnostics: laws, null distributions, small and broken data."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_iris

import suffice as sf
from lawful import examples
from suffice.errors import HasGaps, InvalidInput, InvalidLabels, InvalidParameter, TooFewRows
from suffice.selection.diagnostics import distances
from suffice.selection.diagnostics.box import box_f, box_m
from suffice.selection.diagnostics.calibration import calibration
from suffice.selection.diagnostics.cloud import clouds, shapes
from suffice.selection.diagnostics.complete_rows import CompleteRows
from suffice.selection.diagnostics.conditioning import conditioning
from suffice.selection.diagnostics.diagnosis import diagnose
from suffice.selection.diagnostics.distances import distance_quantiles
from suffice.selection.diagnostics.henze_zirkler import henze_zirkler
from suffice.selection.diagnostics.influence import influential_rows
from suffice.selection.diagnostics.mardia import cubic_by_features, cubic_by_pairs, mardia
from suffice.selection.diagnostics.reliability import Reliability

X, Y = load_iris(return_X_y=True)
ROW_TESTS = (mardia, henze_zirkler, distance_quantiles, influential_rows)
TESTS = (box_m, *ROW_TESTS)


def table(seed, d=3, sizes=(12, 15, 9)):
    """Rows on a grid, so that shifts by powers of two are exact."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    rows = (
        rng.normal(size=(len(y), d)) @ rng.normal(size=(d, d))
        + 0.3 * rng.normal(size=(len(y), d)) ** 2
    )
    return np.round(rows * 2**20) / 2**20, y


def same(a, b, rel):
    assert a.statistic == pytest.approx(b.statistic, rel=rel)
    assert a.pvalue == pytest.approx(b.pvalue, rel=rel, abs=1e-12)


seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("test", TESTS)
@settings(max_examples=examples(10))
@given(seed=seeds)
def test_affine_maps_change_nothing(test, seed):
    rows, y = table(seed)
    rng = np.random.default_rng(seed + 1)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0] * rng.uniform(0.1, 10, 3)
    same(test(rows @ turn + rng.normal(size=3), y), test(rows, y), 1e-7)


@pytest.mark.parametrize("test", [*TESTS, conditioning])
def test_offsets_of_1e8_standard_deviations_change_nothing(test):
    rows, y = table(3)
    shifted = rows + 2.0**27
    assert np.array_equal(shifted - 2.0**27, rows)
    a, b = test(shifted, y), test(rows, y)
    assert a.statistic == pytest.approx(b.statistic, rel=1e-11)
    assert a.sentence == b.sentence


@pytest.mark.parametrize("test", [*TESTS, conditioning])
def test_units_change_nothing(test):
    rows, y = table(4)
    assert test(rows * [1e-6, 1.0, 1e9], y).statistic == pytest.approx(
        test(rows, y).statistic, rel=1e-8
    )


@pytest.mark.parametrize("test", [box_m, mardia, henze_zirkler, distance_quantiles])
@settings(max_examples=examples(10))
@given(seed=seeds)
def test_weights_are_repetitions(test, seed):
    rows, y = table(seed)
    times = np.random.default_rng(seed).integers(0, 4, len(y))
    times[[0, 1, 2, 3, 4, 12, 13, 14, 15, 16, 27, 28, 29, 30, 31]] = 2
    many = test(np.repeat(rows, times, axis=0), np.repeat(y, times))
    same(test(rows, y, times), many, 1e-8)


@pytest.mark.parametrize("test", [box_m, conditioning])
def test_statistics_are_enough(test):
    rows, y = table(5)
    s = sf.summarize(rows, y)
    same_statistic = test(s).statistic
    assert same_statistic == test(rows, y).statistic
    parts = sf.summarize(rows[::2], y[::2]) + sf.summarize(rows[1::2], y[1::2])
    assert test(parts).statistic == pytest.approx(same_statistic, rel=1e-10)


def test_mardia_of_one_feature_comes_from_statistics():
    rows, y = table(6, d=1)
    wanted = mardia(rows, y)
    merged = sf.summarize(rows[::2], y[::2]) + sf.summarize(rows[1::2], y[1::2])
    for s in (merged, sf.summarize(rows + 2.0**27, y)):
        for label, numbers in mardia(s).by_class.items():
            for key, value in numbers.items():
                assert value == pytest.approx(wanted.by_class[label][key], rel=1e-9), key
    with pytest.raises(InvalidParameter, match="pass X and y"):
        mardia(sf.summarize(X, Y))


def uniform(p, level=1e-3):
    return stats.kstest(p, "uniform").pvalue > level


@pytest.mark.parametrize(("sizes", "d"), [((8, 8), 3), ((5, 30), 4), ((22,) * 6, 20), ((3, 4), 1)])
def test_box_p_values_are_uniform_however_small_the_classes(sizes, d):
    rng = np.random.default_rng(d)
    y = np.repeat(np.arange(len(sizes)), sizes)
    assert uniform([box_m(rng.normal(size=(len(y), d)), y).pvalue for _ in range(400)])


@pytest.mark.parametrize(("n", "d"), [(10, 1), (25, 3), (60, 8)])
def test_normality_p_values_are_about_uniform(n, d):
    rng = np.random.default_rng(n)
    y = np.zeros(n, int)
    found = {"skewness": [], "kurtosis": [], "hz": [], "distances": [], "rows": []}
    for _ in range(400):
        rows = rng.normal(size=(n, d))
        of = CompleteRows.of(rows, y)
        found["skewness"].append(mardia(of).by_class[0]["skewness_pvalue"])
        found["kurtosis"].append(mardia(of).by_class[0]["kurtosis_pvalue"])
        found["hz"].append(henze_zirkler(of, None).pvalue)
        found["distances"].append(distance_quantiles(of, None).pvalue)
        found["rows"].extend(influential_rows(of, None).details["influence"].pvalue[:1])
    for name, p in found.items():
        # Of 400, 20 are below 0.05 and 4 below 0.01 on average; formulas err a little.
        assert 6 <= np.sum(np.array(p) < 0.05) <= 38, name
        assert np.sum(np.array(p) < 0.01) <= 13, name
    assert uniform(found["distances"])
    assert uniform(found["rows"])


def test_the_null_of_distances_no_longer_changes_beyond_many_rows():
    small, large = distances.simulated_null(400, 3), distances.simulated_null(1200, 3)
    for share in (0.5, 0.9, 0.99):
        a, b = np.quantile(small, share), np.quantile(large, share)
        assert a == pytest.approx(b, rel=0.08 if share < 0.95 else 0.2)


def test_other_distributions_are_noticed():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    rows = rng.standard_t(3, size=(200, 3))
    rows[y == 1] = rng.normal(size=(100, 3))
    for test in (mardia, henze_zirkler, distance_quantiles):
        found = test(rows, y)
        assert found.concern
        assert "Class 0 is not Gaussian" in found.sentence


def test_unequal_covariances_are_noticed_and_equal_ones_are_not():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 50)
    rows = rng.normal(size=(100, 3))
    assert not box_m(rows, y).concern
    assert "LDA" in box_m(rows, y).recommendation
    rows[y == 1] *= 2
    assert "QDA" in box_m(rows, y).recommendation


def test_skewness_by_pairs_and_by_features_agree():
    rows = CompleteRows.of(*table(8, d=4, sizes=(30, 30)))
    for block_bytes in (rows.block_bytes, 8 * 30 * 7):
        some = replace(rows, block_bytes=block_bytes)
        for cloud in clouds(some, shapes(some.statistics, spare=2)):
            assert cubic_by_pairs(cloud) == pytest.approx(cubic_by_features(cloud), rel=1e-10)


@pytest.mark.parametrize("size", [3 * 5, 6 * 4, 12 * 5])
def test_blocks_change_nothing(size):
    rows = CompleteRows.of(*table(9))
    for test in ROW_TESTS:
        same(test(replace(rows, block_bytes=8 * size)), test(rows), 1e-10)


def test_large_classes_are_sampled_and_the_sentence_says_so():
    found = henze_zirkler(X, Y, max_rows=40)
    assert found.sentence.endswith("Based on 40 random rows of each larger class.")
    assert found.by_class[0]["rows"] == 40
    assert found.statistic == henze_zirkler(X, Y, max_rows=40).statistic


def test_quantiles_are_those_of_the_beta_distribution():
    plot = distance_quantiles(X, Y).details["quantiles"][1]
    n, d = 50, 4
    exact = stats.beta(d / 2, (n - d - 1) / 2, scale=(n - 1) ** 2 / n)
    assert (np.diff(plot.observed) >= 0).all()
    assert (np.diff(plot.expected) > 0).all()
    own = X[50:100]
    steps = own - own.mean(axis=0)
    wanted = np.einsum("ij,ij->i", steps @ np.linalg.inv(np.cov(own.T)), steps)
    np.testing.assert_allclose(plot.observed, np.sort(wanted), rtol=1e-9)
    np.testing.assert_array_equal(np.sort(plot.rows), np.arange(50, 100))
    # The places are those of Small 1978.
    a, b = (d / 2 - 1) / d, ((n - d - 1) / 2 - 1) / (n - d - 1)
    np.testing.assert_allclose(
        exact.cdf(plot.expected), (np.arange(1, 51) - a) / (n - a - b + 1), rtol=1e-9
    )
    np.testing.assert_allclose(stats.chi2(d).cdf(plot.chi2), exact.cdf(plot.expected), rtol=1e-9)


@pytest.mark.parametrize(("M", "c1", "df"), [(8.0, 0.1, 6.0), (20.0, 0.2, 3.0), (3.0, 0.05, 10.0)])
def test_both_forms_of_the_f_of_box_continue_each_other(M, c1, df):
    above, between, below = (box_f(M, c1, c1**2 + step, df)[2] for step in (1e-4, 0.0, -1e-4))
    assert above != between
    assert abs(above + below - 2 * between) < 0.1 * abs(above - between)


def test_near_dependent_features_are_named():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 5))
    rows[:, 3] = rows[:, 1] - 2 * rows[:, 4] + 1e-3 * rng.normal(size=80)
    found = conditioning(rows, np.arange(80) % 2)
    assert found.concern
    assert found.details["pooled"].features == (1, 3, 4)
    wanted = np.linalg.cond(np.corrcoef(rows.T))
    assert found.statistic == pytest.approx(wanted, rel=0.2)
    rows[:, 3] = rows[:, 1] - 2 * rows[:, 4]
    found = conditioning(rows, np.arange(80) % 2)
    assert np.isinf(found.statistic)
    assert "depend on each other" in found.sentence
    assert found.details["pooled"].rank == 4


def test_condition_numbers_equal_those_of_numpy():
    found = conditioning(X, Y)
    for c in range(3):
        own = X[c == Y]
        assert found.by_class[c]["correlation"] == pytest.approx(np.linalg.cond(np.corrcoef(own.T)))
        assert found.by_class[c]["covariance"] == pytest.approx(np.linalg.cond(np.cov(own.T)))


def test_the_row_that_alone_spans_a_direction_has_infinite_influence():
    rng = np.random.default_rng(2)
    rows = np.c_[rng.normal(size=12), np.zeros(12)]
    rows[5, 1] = 1.0
    found = influential_rows(rows, np.zeros(12, int))
    influence = found.details["influence"]
    assert influence.ranking[0] == 5
    assert np.isinf(influence.divergence[5])
    assert influence.leverage[5] == pytest.approx(1)
    assert found.details["outlying"] == (5,)


def predicted(seed, n, k):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, 0.7), n)
    y = (rng.random(n)[:, None] > np.cumsum(p, axis=1)).sum(axis=1)
    return p, np.minimum(y, k - 1)


@settings(max_examples=examples(20))
@given(seed=seeds, k=st.integers(2, 4), bins=st.integers(1, 12), equal=st.booleans())
def test_the_parts_of_the_brier_score_add_up(seed, k, bins, equal):
    p, y = predicted(seed, 80, k)
    strategy = "quantile" if equal else "uniform"
    found = calibration(y, p, range(k), n_bins=bins, strategy=strategy)
    parts = found.details
    total = parts["reliability"] - parts["resolution"] + parts["uncertainty"]
    assert parts["brier"] == pytest.approx(total + parts["within_bins"], abs=1e-12)
    scores = ((p - np.eye(k)[y]) ** 2).sum(axis=1) / (2 if k == 2 else 1)
    assert parts["brier"] == pytest.approx(scores.mean(), rel=1e-12)
    assert 0 <= parts["expected_calibration_error"] <= parts["maximum_calibration_error"] <= 1
    weights = np.random.default_rng(seed).integers(0, 3, 80)
    weights[0] = 1
    many = calibration(np.repeat(y, weights), np.repeat(p, weights, axis=0), range(k))
    assert calibration(y, p, range(k), weights).statistic == pytest.approx(many.statistic)


@pytest.mark.parametrize("k", [2, 3])
def test_calibration_p_values_are_uniform_for_true_probabilities(k):
    found = [calibration(y, p, range(k)) for p, y in (predicted(i, 300, k) for i in range(400))]
    assert uniform([one.pvalue for one in found])
    assert uniform([one.details["prevalence_pvalue"] for one in found])


def test_wrong_probabilities_are_noticed():
    p, y = predicted(0, 2000, 3)
    sharper = p**2 / (p**2).sum(axis=1, keepdims=True)
    blunter = p**0.5 / (p**0.5).sum(axis=1, keepdims=True)
    assert "over-confident" in calibration(y, sharper).sentence
    assert "under-confident" in calibration(y, blunter).sentence
    certain = calibration([0, 1, 0, 0], [0.0, 1.0, 1.0, 0.0])
    assert certain.statistic == np.inf
    assert certain.pvalue == 0
    assert calibration([0, 1], [0.0, 1.0]).pvalue == 1
    rare = calibration(np.repeat([0, 1], [90, 10]), np.full(100, 0.5))
    assert "adapt_priors" in rare.recommendation


def test_bins_equal_those_of_sklearn():
    from sklearn.calibration import calibration_curve

    p, y = predicted(3, 500, 2)
    curve = calibration(y, p).details["curves"][1]
    frequency, probability = calibration_curve(y, p[:, 1], n_bins=10)
    np.testing.assert_allclose(curve.frequency, frequency, rtol=1e-12)
    np.testing.assert_allclose(curve.probability, probability, rtol=1e-12)


@pytest.mark.parametrize(
    ("y", "p", "given", "error", "words"),
    [
        ([0, 1], [0.5, 1.5], {}, InvalidParameter, "between 0 and 1"),
        ([0, 1], [0.5, np.nan], {}, InvalidParameter, "between 0 and 1"),
        ([0, 1], [[0.5, 0.4], [0.5, 0.5]], {}, InvalidParameter, "row 0 add up to 0.9"),
        ([0, 1, 1], [0.5, 0.5], {}, InvalidInput, "3 labels"),
        ([0, 1], [[0.2, 0.3, 0.5]] * 2, {}, InvalidParameter, "classes=model.classes_"),
        ([0, 7], [0.5, 0.5], {"classes": [0, 1]}, InvalidLabels, "not trained on: 7"),
        ([0, 1], [0.5, 0.5], {"n_bins": 0}, InvalidParameter, "n_bins"),
        ([0, 1], [0.5, 0.5], {"strategy": "odd"}, InvalidParameter, "strategy"),
    ],
)
def test_wrong_predictions_are_refused(y, p, given, error, words):
    with pytest.raises(error, match=words):
        calibration(y, p, **given)


def test_one_class_has_nothing_to_compare():
    with pytest.raises(TooFewRows, match="only class 0; this compares 2"):
        box_m(X[:50], Y[:50])
    found = diagnose(X[:50], Y[:50])
    assert set(found.skipped) == {"Box's M", "Calibration"}
    assert "Mardia" in found.diagnostics


def test_a_class_of_three_rows_of_one_feature_is_too_small_for_a_kurtosis():
    rows = np.array([[1.0], [2.3], [3.0], [4.1], [5.5], [6.0], [1.5]])
    with pytest.raises(
        TooFewRows, match=r"'p' \(3 rows; 1 feature needs 4\); .* Collect more rows"
    ):
        mardia(rows[:6], list("pppqqq"))
    found = mardia(rows, list("pppqqqq"))
    assert list(found.by_class) == ["q"]
    assert 0 < found.pvalue <= 1


def test_a_class_with_few_rows_is_left_out_and_named():
    rows, y = X[:104], Y[:104]
    for test in TESTS:
        found = test(rows, y)
        assert 2 not in found.by_class
        assert "Left out: class 2 (4 rows; 4 features need" in found.sentence
        assert list(found.details["left_out"]) == [2]
    assert box_m(rows, y).statistic == pytest.approx(box_m(X[:100], Y[:100]).statistic)
    for test in ROW_TESTS:
        with pytest.raises(TooFewRows, match="no class has a regular covariance"):
            test(rows[::30], y[::30])


def test_constant_features_are_ignored_and_named():
    rows = np.insert(X, 2, 5.0, axis=1)
    for test in TESTS:
        found = test(rows, Y)
        assert found.statistic == pytest.approx(test(X, Y).statistic, rel=1e-9)
        assert "constant in every class: feature 2" in found.sentence
    rows[Y == 1, 2] = np.linspace(0, 1, 50)
    found = mardia(rows, Y)
    assert list(found.by_class) == [1]
    assert "constant in it: feature 2" in found.sentence
    with pytest.raises(TooFewRows, match="no feature varies"):
        mardia(np.ones((9, 2)), np.zeros(9, int))


def test_dependent_features_are_a_reason_to_leave_a_class_out():
    rows = X.copy()
    rows[Y == 0, 3] = rows[Y == 0, 0] + rows[Y == 0, 1]
    found = box_m(rows, Y)
    assert found.details["left_out"] == {0: "its features are linearly dependent"}


def test_incomplete_rows_are_left_out_and_reported():
    rows = X.copy()
    rows[[3, 70], [0, 2]] = np.nan
    kept = ~np.isnan(rows).any(axis=1)
    for test in ROW_TESTS:
        found = test(rows, Y)
        assert found.statistic == test(rows[kept], Y[kept]).statistic
        assert "2 rows with missing values left out." in found.sentence
    influence = influential_rows(rows, Y).details["influence"]
    assert np.isnan(influence.divergence[[3, 70]]).all()
    assert influence.divergence.shape == (150,)
    page = str(diagnose(rows, Y))
    assert page.startswith("148 rows, 4 features, 3 classes; 2 further rows with missing values")
    assert page.count("missing values") == 1
    with pytest.raises(HasGaps, match="each of the 3 rows"):
        diagnose(np.full((3, 2), np.nan), [0, 1, 1])
    with pytest.raises(HasGaps, match="complete rows"):
        box_m(sf.summarize(rows, Y))


def test_what_cannot_be_used_is_refused():
    with pytest.raises(InvalidParameter, match="single rows"):
        henze_zirkler(sf.summarize(X, Y), None)
    with pytest.raises(InvalidParameter, match="detail='separate'"):
        box_m(sf.summarize(X, Y, detail="shared"))
    with pytest.raises(InvalidInput, match="149 labels"):
        diagnose(X, Y[1:])
    with pytest.raises(InvalidInput, match="infinity"):
        diagnose(np.where(X > 7, np.inf, X), Y)


def test_weights_too_small_to_be_rows_are_explained():
    with pytest.raises(TooFewRows, match="Weights count as rows"):
        mardia(X, Y, np.full(150, 1 / 150))


def test_more_features_than_rows():
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(30, 600)), np.arange(30) % 2
    found = diagnose(rows, y)
    assert np.isinf(found["Conditioning"].statistic)
    assert "600 features need 602 rows" in found["Conditioning"].sentence
    assert "Mardia" in found.skipped
    assert "Calibration of LDA" in found.diagnostics


def test_the_diagnosis_names_features_and_labels():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["sepal", "width", "petal", "breadth"])
    frame["twice"] = frame["petal"] * 2
    labels = np.array(["setosa", "versicolor", "virginica"])[Y]
    found = diagnose(frame, labels)
    assert "'petal' and 'twice' depend on each other" in found["Conditioning"].sentence
    assert found.concerns
    assert list(found) == list(found.diagnostics)
    assert len(found) == len(found.diagnostics)
    assert repr(found) == str(found)
    assert all(len(line) <= 88 for line in str(found).splitlines())


def test_single_features_and_weighted_rows_are_diagnosed():
    found = diagnose(X[:, :1], Y, np.arange(150) % 3)
    assert not found.skipped
    assert found.rows == 100


def test_the_influence_of_one_row_among_a_million_keeps_its_digits():
    rows = np.repeat([-1.0, 1.0], 500)[:, None]
    weights = np.full(1000, 1000.0)
    weights[0] = 1.0
    divergence = influential_rows(rows, np.zeros(1000, int), weights).details["influence"]
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(50):
        n, low = mpmath.mpf(999_001), mpmath.mpf(499_001)

        def gaussian(low, n):
            mean = (n - 2 * low) / n
            return mean, 1 - mean**2

        m0, v0 = gaussian(low, n)
        m1, v1 = gaussian(low - 1, n - 1)
        wanted = (v0 / v1 - 1 + (m1 - m0) ** 2 / v1 + mpmath.log(v1 / v0)) / 2
        assert divergence.divergence[0] == pytest.approx(float(wanted), rel=1e-8)


def test_the_parts_of_the_brier_score_add_up_where_bins_hold_one_probability():
    rng = np.random.default_rng(0)
    p = rng.choice([0.05, 0.25, 0.55, 0.85], 400)
    weights = rng.integers(1, 4, 400).astype(float)
    found = Reliability.of(p, rng.random(400) < 0.6, weights=weights)
    assert found.reliability > 0.01
    assert found.resolution > 1e-4
    parts = found.reliability - found.resolution + found.uncertainty
    assert found.brier == pytest.approx(parts, rel=1e-12)
    assert found.within_bins == pytest.approx(0, abs=1e-12)


def test_calibration_says_the_p_value_by_which_it_judges():
    for seed in range(200):
        p, y = predicted(seed, 300, 2)
        found = calibration(y, p)
        if not found.concern and found.pvalue < 0.05:
            break
    adjusted = float(re.search(r"p = ([\d.]+) adjusted for 2 tests", found.sentence)[1])
    assert adjusted == pytest.approx(2 * found.pvalue, rel=0.05)
