"""Agreement of diagnostics with R and with 50-digit arithmetic, from stored values."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris, load_wine

import suffice as sf
from suffice.selection.diagnostics.box import BoxNull, box_m
from suffice.selection.diagnostics.calibration import calibration
from suffice.selection.diagnostics.distances import distance_quantiles
from suffice.selection.diagnostics.henze_zirkler import henze_zirkler
from suffice.selection.diagnostics.influence import influential_rows
from suffice.selection.diagnostics.mardia import MardiaMoments, mardia

HERE = Path(__file__).parent.parent / "reference"
R = json.loads((HERE / "diagnostics_r.json").read_text())
EXACT = json.loads((HERE / "diagnostics_mpmath.json").read_text())
NOTES = np.loadtxt(HERE / "notes3b.csv", delimiter=",", skiprows=1)
TABLES = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "notes3b": (NOTES[:, :2], NOTES[:, 2]),
}
SMALL = (
    np.array([[float.fromhex(v) for v in row] for row in EXACT["X"]]),
    np.array(EXACT["y"]),
)


@pytest.mark.parametrize("name", TABLES)
def test_box_m_equals_that_of_biotools(name):
    found, wanted = box_m(sf.summarize(*TABLES[name])), R[name]["box"]
    assert found.details["chi2"] == pytest.approx(wanted["chi2"], rel=1e-10)
    assert found.details["chi2_df"] == wanted["df"]
    assert found.details["chi2_pvalue"] == pytest.approx(wanted["pvalue"], rel=1e-8)


@pytest.mark.parametrize("name", TABLES)
def test_mardia_equals_that_of_psych_and_mvn(name):
    found = mardia(*TABLES[name])
    for ours, wanted in zip(found.by_class.values(), R[name]["classes"], strict=True):
        # psych divides by n - 1 where Mardia divides by n.
        ratio = wanted["n"] / (wanted["n"] - 1)
        assert ours["skewness"] == pytest.approx(wanted["b1p"] * ratio**3, rel=1e-10)
        assert ours["kurtosis"] == pytest.approx(wanted["b2p"] * ratio**2, rel=1e-10)
        assert ours["skewness_chi2"] == pytest.approx(wanted["small_skew"] * ratio**3, rel=1e-10)
        assert ours["skewness"] * wanted["n"] / 6 == pytest.approx(wanted["mvn_skew"], rel=1e-10)


@pytest.mark.parametrize("name", TABLES)
def test_henze_zirkler_equals_that_of_mvn(name):
    found = henze_zirkler(*TABLES[name])
    for ours, wanted in zip(found.by_class.values(), R[name]["classes"], strict=True):
        assert ours["statistic"] == pytest.approx(wanted["hz"], rel=1e-10)
        assert ours["pvalue"] == pytest.approx(wanted["hz_pvalue"], rel=1e-8)


def test_published_figures_of_iris_setosa():
    """Korkmaz, Goksuluk and Zararsiz, The R Journal 6 (2014), pages 155 and 156."""
    X, y = TABLES["iris"]
    ours = mardia(X, y).by_class[0]
    assert round(ours["skewness"], 6) == 3.079721
    assert round(ours["kurtosis"], 5) == 26.53766
    ours = henze_zirkler(X, y).by_class[0]
    assert round(ours["statistic"], 7) == 0.9488453
    assert round(ours["pvalue"], 8) == 0.04995356


NULL = json.loads((HERE / "mardia_null.json").read_text())


@pytest.mark.parametrize("cell", NULL["tables"], ids=lambda c: f"{c['rows']} x {c['features']}")
def test_skewness_rejects_as_many_gaussian_tables_as_it_says(cell):
    n, d = cell["rows"], cell["features"]
    found = [MardiaMoments(n, d, b1, 1.0).skewness_pvalue for b1 in cell["points"]]
    tenth, twentieth, hundredth = found
    if n >= 20:
        assert abs(twentieth - 0.05) < 0.004
        assert abs(tenth - 0.1) < 0.012
        assert 0.006 < hundredth < 0.0125
    elif n >= 12:
        assert abs(twentieth - 0.05) < 0.007


@pytest.mark.parametrize("n", [8, 20, 400])
def test_mardia_of_one_feature_equals_the_skewness_test_of_scipy(n):
    rows = np.random.default_rng(n).exponential(size=(n, 1))
    ours = mardia(rows, np.zeros(n)).by_class[0]
    assert ours["skewness_pvalue"] == pytest.approx(stats.skewtest(rows[:, 0]).pvalue, rel=1e-9)


def test_mardia_of_one_feature_equals_the_kurtosis_test_of_scipy():
    rows = np.random.default_rng(0).normal(size=(40, 1)) ** 3
    ours = mardia(rows, np.zeros(40, int)).by_class[0]
    wanted = stats.kurtosistest(rows[:, 0])
    assert ours["kurtosis_z"] == pytest.approx(wanted.statistic, rel=1e-10)
    assert ours["kurtosis_pvalue"] == pytest.approx(wanted.pvalue, rel=1e-8)


def test_spiegelhalter_and_brier_equal_those_of_rms():
    p = np.linspace(0.02, 0.98, 49)
    found, wanted = calibration(R["outcomes"], p), R["spiegelhalter"]
    assert found.details["brier"] == pytest.approx(wanted["brier"], rel=1e-12)
    assert found.statistic == pytest.approx(wanted["z"], rel=1e-10)
    assert found.pvalue == pytest.approx(wanted["pvalue"], rel=1e-10)


def test_box_m_has_nine_digits_a_million_spreads_from_zero():
    found, wanted = box_m(*SMALL), EXACT["box"]
    assert found.statistic == pytest.approx(float(wanted["m"]), rel=1e-9)
    for key in ("chi2", "chi2_pvalue", "f", "f_df2", "f_pvalue"):
        assert found.details[key] == pytest.approx(float(wanted[key]), rel=1e-9)


@pytest.mark.parametrize("tail", EXACT["tails"], ids=lambda t: f"{t['freedom']}-{t['m']}")
def test_the_null_of_box_m_is_exact(tail):
    null = BoxNull(np.array(tail["freedom"], float), tail["size"])
    assert null.pvalue(tail["m"]) == pytest.approx(float(tail["pvalue"]), rel=1e-12)


def test_the_null_of_box_m_falls_from_one_to_zero_whatever_the_classes():
    rng = np.random.default_rng(0)
    for _ in range(40):
        k, d = int(rng.integers(2, 12)), int(rng.integers(1, 12))
        null = BoxNull(d + rng.integers(0, 40, k) * float(rng.choice([1.0, 1e4])), d)
        grid = null.chi2_freedom * np.logspace(-30, 30, 121)
        p = np.array([null.pvalue(M) for M in grid])
        assert np.isfinite(p).all()
        assert p[0] > 1 - 1e-9
        assert p[-1] == 0
        assert (np.diff(p) <= 1e-9).all()


@pytest.mark.parametrize("size", [1, 6, 18])
@pytest.mark.parametrize("k", [2, 26, 60])
def test_the_null_of_box_m_is_a_chi_square_for_classes_of_many_rows(k, size):
    null = BoxNull(np.full(k, 2e4), size)
    for tail in (0.999, 0.9, 0.5, 0.1, 1e-3, 1e-8):
        M = stats.chi2.isf(tail, null.chi2_freedom) / (1 - null.corrections[0])
        assert null.pvalue(M) == pytest.approx(tail, rel=1e-4)


@pytest.mark.parametrize(
    ("size", "rows"),
    [(6, [100] * 26), (3, [6] * 40), (10, [13] * 10), (1, [2, 2]), (8, [9, 10, 500, *[60] * 20])],
)
def test_p_values_of_box_m_are_uniform_for_equal_covariances(size, rows):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(len(rows)), rows)
    p = [box_m(rng.normal(size=(len(y), size)), y).pvalue for _ in range(200)]
    assert stats.kstest(p, "uniform").pvalue > 1e-3


def test_the_null_of_box_m_joins_the_chi_square_of_many_rows():
    below, above = (BoxNull(np.full(3, rows), 4).pvalue(30.0) for rows in (1e6 - 1, 1e6 + 1))
    assert below == pytest.approx(above, rel=1e-7)


def test_normality_statistics_have_nine_digits():
    skewed, hz, ad = mardia(*SMALL), henze_zirkler(*SMALL), distance_quantiles(*SMALL)
    for c, wanted in enumerate(EXACT["classes"]):
        for key in ("skewness", "kurtosis"):
            assert skewed.by_class[c][key] == pytest.approx(float(wanted[key]), rel=1e-9)
        assert hz.by_class[c]["statistic"] == pytest.approx(float(wanted["hz"]), rel=1e-9)
        ours = ad.by_class[c]["anderson_darling"]
        assert ours == pytest.approx(float(wanted["anderson_darling"]), rel=1e-8)


def test_influence_equals_leaving_each_row_out():
    found = influential_rows(*SMALL).details["influence"]
    divergence = [float(v) for wanted in EXACT["classes"] for v in wanted["divergence"]]
    tails = [float(v) for wanted in EXACT["classes"] for v in wanted["tail"]]
    np.testing.assert_allclose(found.divergence, divergence, rtol=1e-8)
    np.testing.assert_allclose(found.pvalue, tails, rtol=1e-7)
