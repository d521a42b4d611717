"""A likelihood that the package does not know takes part in MixedNB: it is one file."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import suffice as sf
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import as_features
from suffice.data.tables.labelled_table import LabelledTable
from suffice.errors import InvalidFeatures, InvalidFile, InvalidParameter, Mismatch, NeverIncluded
from suffice.models.binary import Binary
from suffice.models.categorical import Categorical
from suffice.models.conjugate_priors.beliefs import Beliefs
from suffice.models.independent import IndependentModel
from suffice.models.likelihood import Likelihood
from suffice.models.priors import class_priors
from suffice.models.settings import Settings
from suffice.statistics.alignment import align
from suffice.statistics.storage.registry import STORABLE, storable


@storable
@dataclass(frozen=True, eq=False)
class CountSums:
    """Sums of counts by class and feature."""

    classes: Array
    count: Indices  # (k,)
    weight: Floats  # (k,)
    known: Floats  # (k, d): weight of the observed values
    sums: Floats  # (k, d)
    feature_names: tuple[str, ...] | None = None

    detail = "sums"

    @property
    def n_features(self):
        return self.sums.shape[1]

    def __add__(self, other):
        at = align(self.classes, other.classes)
        total = [np.zeros((at.size, *mine.shape[1:]), mine.dtype) for mine in self._arrays]
        for both, mine, theirs in zip(total, self._arrays, other._arrays, strict=True):
            both[at.left] += mine
            both[at.right] += theirs
        return CountSums(at.classes, *total, self.feature_names)

    def __sub__(self, other):
        negative = replace(other, **{n: -getattr(other, n) for n in _SUMMED})
        left = self + negative
        if (left.count < 0).any() or (left.sums < -1e-9 * self.sums.sum()).any():
            raise NeverIncluded("more is removed than there is.")
        return left._keep(left.count > 0)

    def __eq__(self, other):
        return np.array_equal(self.classes, other.classes) and all(
            np.allclose(mine, theirs, rtol=1e-10)
            for mine, theirs in zip(self._arrays, other._arrays, strict=True)
        )

    def coarsen(self, detail):
        return self

    def validated(self):
        k = len(self.classes)
        if {self.count.shape, self.weight.shape} != {(k,)} or self.known.shape != self.sums.shape:
            raise ValueError("the sums have the wrong shape")
        if self.sums.ndim != 2 or len(self.sums) != k or not (self.sums >= 0).all():
            raise ValueError("the sums are not those of counts")
        return self

    def drop_class(self, label):
        return self._keep(self.classes != label)

    @property
    def _arrays(self):
        return [getattr(self, name) for name in _SUMMED]

    def _keep(self, at):
        kept = {name: getattr(self, name)[at] for name in ("classes", *_SUMMED)}
        return replace(self, **kept)


_SUMMED = ("count", "weight", "known", "sums")


@dataclass(frozen=True)
class PoissonModel(IndependentModel):
    """Counts with a rate for each class and feature."""

    rates: Floats  # (k, d)

    def terms(self, rows, c):
        rate = self.rates[c]
        terms = rows * np.log(rate) - rate - special.gammaln(rows + 1)
        return np.where(np.isnan(rows), 0.0, terms)

    def draw(self, codes, rng):
        return rng.poisson(self.rates[codes]).astype(np.float64)

    def expect(self, shares):
        return shares @ self.rates

    @property
    def n_free(self):
        return self.rates.size


@dataclass(frozen=True)
class Poisson(Likelihood):
    """Rates (sum + alpha) / (weight + 1), as with one more row of alpha events."""

    name = "poisson"
    summary = CountSums
    alpha: float = 0.5

    def summarize(self, X: Any, y: Any, sample_weight: Any, detail: Any = None) -> CountSums:
        rows, names = self.read(X, None), as_features(X).names
        table = LabelledTable.of(rows, y, sample_weight)
        own = (table.codes[:, None] == np.arange(len(table.classes))) * table.weight[:, None]
        return CountSums(
            table.classes,
            np.count_nonzero(own, axis=0),
            own.sum(axis=0),
            own.T @ ~np.isnan(rows),
            own.T @ np.nan_to_num(rows),
            names,
        )

    def build(self, statistics: CountSums, priors: Any, completed: Any = None) -> PoissonModel:
        s = statistics
        rates = (s.sums + self.alpha) / (s.known + 1)
        return PoissonModel(s.classes, class_priors(priors, s.classes, s.weight), rates)

    def read(self, X: Any, model: Any) -> Floats:
        rows = super().read(X, model)
        if (rows < 0).any():
            raise InvalidFeatures(f"column {int(np.nonzero(rows < 0)[1][0])} has negative counts.")
        return rows


rng = np.random.default_rng(7)
N = 300
Y = np.array(["fig", "kiwi", "plum"])[rng.integers(0, 3, N)]
SHIFT = np.searchsorted(["fig", "kiwi", "plum"], Y)
X = pd.DataFrame(
    {
        "visits": rng.poisson(1 + 2 * SHIFT),
        "size": rng.normal(SHIFT, 1.0),
        "colour": rng.choice(["red", "green", "blue"], N),
        "calls": rng.poisson(3 - SHIFT),
        "mass": rng.normal(-SHIFT, 2.0),
    }
)
COUNTS = ["visits", "calls"]
GAPS = X.astype({"visits": float, "calls": float}).mask(rng.random(X.shape) < 0.2)


def model(**parameters):
    return sf.MixedNB(parts={Poisson(): COUNTS}, **parameters)


def formula(fitted, frame):
    """ln p(x, y) by scipy, with the gaps left out."""
    joint = np.tile(np.log(fitted.priors_), (len(frame), 1))
    for c, label in enumerate(fitted.classes_):
        own = X[label == Y]
        for name in COUNTS:
            rate = (own[name].sum() + 0.5) / (len(own) + 1)
            term = stats.poisson.logpmf(np.nan_to_num(frame[name]), rate)
            joint[:, c] += np.where(frame[name].isna(), 0.0, term)
        for name in ("size", "mass"):
            spread = np.sqrt(own[name].var(ddof=0) + 1e-9 * X[name].var(ddof=0))
            term = stats.norm.logpdf(frame[name], own[name].mean(), spread)
            joint[:, c] += np.where(frame[name].isna(), 0.0, term)
        share = (own["colour"].value_counts() + 1) / (len(own) + 3)
        term = np.log(frame["colour"].map(share).astype(float))
        joint[:, c] += np.where(frame["colour"].isna(), 0.0, term)
    return joint


@pytest.mark.parametrize("frame", [X, GAPS], ids=["complete", "gaps"])
def test_densities_are_the_product_of_all_parts_with_gaps_integrated_out(frame):
    fitted = model().fit(X, Y)
    found = fitted.predict_joint_log_proba(frame)
    np.testing.assert_allclose(found, formula(fitted, frame), rtol=1e-9)
    wanted = special.softmax(formula(fitted, frame), axis=1)
    np.testing.assert_allclose(fitted.predict_proba(frame), wanted, atol=1e-12)


def test_each_part_knows_its_columns():
    fitted = model().fit(X, Y)
    assert fitted.numeric_features_ == (1, 4)
    assert fitted.categorical_features_ == (2,)
    assert fitted.statistics_.layout.parts["poisson"] == (0, 3)
    assert repr(fitted.statistics_) == (
        "<MixedStatistics of 300 rows, 2 numeric and 1 discrete and 2 poisson features, 3 classes>"
    )
    assert fitted.means_.shape == (3, 2)
    assert fitted.levels_[0].tolist() == ["blue", "green", "red"]


def test_it_learns_merges_and_forgets():
    whole = model().fit(GAPS, Y)
    half = len(X) // 2
    batches = model().partial_fit(GAPS[:half], Y[:half]).partial_fit(GAPS[half:], Y[half:])
    merged = model().fit(GAPS[::2], Y[::2]).merge(model().fit(GAPS[1::2], Y[1::2]))
    forgot = model().fit(pd.concat([GAPS, GAPS[:9]]), np.r_[Y, Y[:9]]).forget(GAPS[:9], Y[:9])
    weighted = model().fit(GAPS, Y, np.ones(N))
    for other in (batches, merged, forgot, weighted, clone(whole).fit(GAPS, Y)):
        assert other.statistics_ == whole.statistics_
        np.testing.assert_allclose(other.predict_proba(X), whole.predict_proba(X), atol=1e-9)
    with pytest.raises(NeverIncluded, match="more is removed than there is"):
        model().fit(X[COUNTS], Y).forget(X[COUNTS] + 1, Y)
    rest = whole.statistics_.drop_class("fig")
    assert model().fit_statistics(rest).classes_.tolist() == ["kiwi", "plum"]


def test_arrays_are_named_by_position_and_errors_name_the_place():
    rows = X.drop(columns="colour").to_numpy(float)
    by_position = sf.MixedNB(parts={Poisson(): [0, 2]}).fit(rows, Y)
    by_name = model().fit(X.drop(columns="colour"), Y)
    np.testing.assert_allclose(
        by_position.predict_proba(rows), by_name.predict_proba(X.drop(columns="colour"))
    )
    rows[3, 2] = -1
    with pytest.raises(InvalidFeatures, match="column 2 has negative counts"):
        by_position.predict(rows)


def test_several_parts_may_have_the_same_likelihood():
    one = sf.MixedNB(parts={Poisson(): COUNTS}).fit(X, Y)
    two = sf.MixedNB(parts=[(Poisson(), ["visits"]), (Poisson(), ["calls"])]).fit(X, Y)
    blocks = sf.MixedNB(parts={Poisson(): COUNTS, Settings(smoothing=1e-9): ["mass"]}).fit(X, Y)
    for other in (two, blocks):
        np.testing.assert_allclose(other.predict_proba(X), one.predict_proba(X), atol=1e-6)
    assert list(two.statistics_.parts) == ["numeric", "discrete", "poisson", "poisson (2)"]


def test_settings_of_parts_are_checked():
    for wrong in (Settings(pooling=2.0), Settings(structure="round"), Categorical(alpha=-1.0)):
        with pytest.raises(
            InvalidParameter, match=r"pooling is 2|structure is 'round'|alpha is -1"
        ):
            sf.MixedNB(parts={wrong: ["size"]}).fit(X, Y)
    named = sf.MixedNB(parts={Settings(structure="diagonal"): ["mass"]}).fit(X, Y)
    assert named.statistics_.parts["gaussian"].detail == "diagonal"


def test_a_posterior_over_gaussians_may_be_a_part():
    posterior = Beliefs(mean_strength="auto", covariance_strength="auto")
    fitted = sf.MixedNB(parts={Poisson(): COUNTS, posterior: ["size", "mass"]}).fit(X, Y)
    blocks = sf.BayesianDiscriminant(priors="uniform").fit(X[["size", "mass"]], Y)
    rest = ["visits", "calls", "colour"]
    others = sf.MixedNB(parts={Poisson(): COUNTS}).fit(X[rest], Y)
    wanted = others.predict_joint_log_proba(X[rest]) + np.log(3)
    wanted += blocks.predict_joint_log_proba(X[["size", "mass"]])
    np.testing.assert_allclose(fitted.predict_joint_log_proba(X), wanted, rtol=1e-9)
    assert not fitted.impute(GAPS).isna().any(axis=None)


def test_a_part_may_take_all_columns_of_its_type():
    numbers = X[COUNTS]
    fitted = sf.MixedNB(parts={Poisson(): None}).fit(numbers, Y)
    assert fitted.numeric_features_ == ()
    named = sf.MixedNB(parts={Poisson(): COUNTS}).fit(numbers, Y)
    np.testing.assert_array_equal(fitted.predict_proba(numbers), named.predict_proba(numbers))


def test_zeros_and_ones_are_those_of_bernoulli():
    bits = pd.DataFrame(rng.integers(0, 2, (N, 3)), columns=list("abc"))
    mixed = sf.MixedNB(parts={Binary(): ["a", "b", "c"]}).fit(bits, Y)
    alone = sf.BernoulliNB().fit(bits, Y)
    np.testing.assert_allclose(mixed.predict_proba(bits), alone.predict_proba(bits), atol=1e-12)


def test_samples_have_its_rates():
    fitted = model().fit(X, Y)
    rows, labels = fitted.sample(30_000, random_state=0)
    rates = (X.groupby(Y)[COUNTS].sum() + 0.5).div(X.groupby(Y).size() + 1, axis=0)
    counts = rows[COUNTS].to_numpy(float)
    assert (counts == np.floor(counts)).all()
    for label in fitted.classes_:
        found = counts[labels == label].mean(axis=0)
        np.testing.assert_allclose(found, rates.loc[label], rtol=0.05)


def test_gaps_are_filled_by_the_rate_of_each_class():
    fitted = model().fit(X, Y)
    filled = fitted.impute(GAPS, Y)
    rates = (X.groupby(Y)[COUNTS].sum() + 0.5).div(X.groupby(Y).size() + 1, axis=0)
    missing = GAPS["calls"].isna()
    wanted = rates.loc[Y[missing], "calls"]
    np.testing.assert_allclose(filled["calls"][missing], wanted)
    assert (filled["calls"][~missing] == GAPS["calls"][~missing]).all()
    assert not fitted.impute(GAPS).isna().any(axis=None)
    draws = fitted.impute_draws(GAPS, 100, Y, random_state=0)
    drawn = np.array([one["calls"][missing] for one in draws], float)
    assert (drawn == np.floor(drawn)).all()
    np.testing.assert_allclose(drawn.mean(axis=0), wanted, atol=5 * np.sqrt(wanted.max() / 100))


@pytest.mark.parametrize("frame", [X, GAPS], ids=["complete", "gaps"])
def test_contributions_add_up_to_the_log_odds(frame):
    fitted = model().fit(X, Y)
    found = fitted.contributions(frame, "plum", "fig")
    np.testing.assert_allclose(found.log_odds, fitted.log_odds(frame, "plum", "fig"), atol=1e-9)
    assert (found.values[frame["visits"].isna(), 0] == 0).all()
    assert "visits" in fitted.explain(frame)


def test_outliers_are_rare_counts():
    fitted = model().fit(X, Y)
    odd = X[:1].assign(visits=40)
    assert fitted.outlier_pvalue(odd)[0] < 1e-3
    assert np.median(fitted.outlier_pvalue(X)) > 0.3


def test_parameters_are_counted_and_leaving_rows_out_is_refused():
    fitted = model().fit(X, Y)
    assert fitted.n_parameters() == 2 + 3 * (4 + 2 + 2)
    with pytest.raises(InvalidParameter, match="cannot leave out single rows"):
        fitted.leave_one_out(X, Y)
    with pytest.raises(InvalidParameter, match=r"pass them: model\.log_likelihood"):
        fitted.aic()


def test_it_is_cross_validated_beside_other_models():
    with_counts = sf.MixedNB(parts={Poisson(): COUNTS})
    smoothed = sf.MixedNB(parts={Poisson(alpha=50.0): COUNTS})
    chosen = sf.select_model(X, Y, [with_counts, smoothed, sf.MixedNB()], cv=4)
    assert len(chosen.candidates) == 3
    assert np.isfinite(chosen.scores["log_loss"]).all()
    alone = sf.select_model(X, Y, [smoothed], cv=4)
    np.testing.assert_allclose(chosen.scores["log_loss"][1], alone.scores["log_loss"][0])
    assert cross_val_score(with_counts, X, Y, cv=3).min() > 0.5


def test_parts_are_checked():
    with pytest.raises(InvalidParameter, match="it must map likelihoods to columns"):
        sf.MixedNB(parts={"poisson": COUNTS}).fit(X, Y)
    with pytest.raises(InvalidParameter, match="'colour' is named for two parts"):
        sf.MixedNB(categorical=["colour"], parts={Poisson(): ["colour"]}).fit(X, Y)
    with pytest.raises(InvalidParameter, match="names column 'steps', which the table does"):
        sf.MixedNB(parts={Poisson(): ["steps"]}).fit(X, Y)
    with pytest.raises(Mismatch, match="'visits' is poisson on one side and numeric on the other"):
        model().fit(X, Y).merge(sf.MixedNB().fit(X, Y))
    with pytest.raises(InvalidParameter, match="have a part 'poisson' of 2 features"):
        sf.MixedNB().fit_statistics(model().fit(X, Y).statistics_)


def test_parts_with_the_statistics_of_another_likelihood_are_refused():
    fitted = sf.MixedNB().fit(X[["size", "colour"]], Y)
    mine = fitted.statistics_
    swapped = replace(mine, parts={"numeric": mine.discrete, "discrete": mine.numeric})
    with pytest.raises(InvalidParameter, match="'numeric' of these statistics is a Counts"):
        sf.MixedNB().fit_statistics(swapped)


def test_files_and_pickles_hold_it(tmp_path, monkeypatch):
    fitted = model(structure="full").fit(GAPS, Y)
    fitted.save(tmp_path / "model")
    fitted.statistics_.save(tmp_path / "statistics")
    assert sf.load(tmp_path / "statistics") == fitted.statistics_
    for again in (sf.load(tmp_path / "model"), pickle.loads(pickle.dumps(fitted))):
        assert again.parts == {Poisson(): COUNTS}
        np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
        more = again.partial_fit(X[:9], Y[:9]).forget(X[:9], Y[:9])
        np.testing.assert_allclose(more.predict_proba(X), fitted.predict_proba(X), atol=1e-6)
    monkeypatch.delitem(STORABLE, "Poisson")
    with pytest.raises(InvalidFile, match="'Poisson', which this version of suffice does not know"):
        sf.load(tmp_path / "model")


def test_a_likelihood_says_how_large_its_model_is(tmp_path, monkeypatch):
    model().fit(X, Y).save(tmp_path / "model")
    monkeypatch.setattr(Poisson, "footprint", lambda self, statistics: 1 << 30)
    with pytest.raises(InvalidFile, match="the parts of the model"):
        sf.load(tmp_path / "model")
    assert sf.load(tmp_path / "model", trusted=True).parts == {Poisson(): COUNTS}
