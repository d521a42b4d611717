"""Every public name of a model from known parameters: the answer of a fit, or why there is none."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.errors import NoStatistics

RNG = np.random.default_rng(5)
Y = np.arange(90) % 3
X = RNG.normal(size=(90, 3)) @ np.array([[1, 0.4, 0], [0, 1, 0.2], [0, 0, 1]]) + 1.5 * Y[:, None]
ONES = (X[:, :2] > 1).astype(int)
LEVELS = np.digitize(X[:, :2], [0.5, 2.0])
LABELS = np.array(["plum", "cherry", "apple"])[Y]


def known_gaussian(kind):
    fitted = kind().fit(X, LABELS)
    covariances = fitted.var_ if kind is sf.GaussianNB else fitted.covariance_
    return fitted, kind.from_parameters(fitted.means_, covariances, fitted.priors_, fitted.classes_)


def known_bernoulli():
    fitted = sf.BernoulliNB().fit(ONES, LABELS)
    shares = np.exp(fitted.feature_log_prob_)
    return fitted, sf.BernoulliNB.from_parameters(shares, fitted.priors_, fitted.classes_)


def known_categorical():
    fitted = sf.CategoricalNB().fit(LEVELS, LABELS)
    tables = [np.exp(one) for one in fitted.feature_log_prob_]
    return fitted, sf.CategoricalNB.from_parameters(
        tables, fitted.priors_, fitted.classes_, levels=fitted.levels_
    )


def known_mixture():
    fitted = sf.GaussianMixture(2, random_state=0).fit(X)
    return fitted, sf.GaussianMixture.from_parameters(
        fitted.weights_, fitted.means_, fitted.covariances_
    )


MAKERS = {
    "GaussianDiscriminant": (lambda: known_gaussian(sf.GaussianDiscriminant), X),
    "QDA": (lambda: known_gaussian(sf.QDA), X),
    "LDA": (lambda: known_gaussian(sf.LDA), X),
    "GaussianNB": (lambda: known_gaussian(sf.GaussianNB), X),
    "DiagonalLDA": (lambda: known_gaussian(sf.DiagonalLDA), X),
    "BernoulliNB": (known_bernoulli, ONES),
    "CategoricalNB": (known_categorical, LEVELS),
    "GaussianMixture": (known_mixture, X),
}

# What takes other arguments than rows, by name; `Z` are rows, `y` their labels.
CALLS = {
    "with_priors": lambda m, Z, y: m.with_priors([0.2, 0.3, 0.5]).predict_log_proba(Z),
    "adapt_priors": lambda m, Z, y: m.adapt_priors(Z).priors_,
    "boundary": lambda m, Z, y: str(m.boundary("plum", "apple")),
    "ellipse": lambda m, Z, y: m.ellipse("plum", probability=0.9).half_axes,
    "whiten": lambda m, Z, y: m.whiten(Z, "plum"),
    "sample": lambda m, Z, y: m.sample(6, random_state=1),
    "impute_draws": lambda m, Z, y: m.impute_draws(gapped(Z), 2, random_state=1),
    "impute": lambda m, Z, y: m.impute(gapped(Z)),
    "outlier_threshold": lambda m, Z, y: m.outlier_threshold(0.05),
    "contributions": lambda m, Z, y: m.contributions(Z, "plum", "apple").values,
    "log_odds": lambda m, Z, y: m.log_odds(Z, "plum", "apple"),
    "log_likelihood_ratio": lambda m, Z, y: m.log_likelihood_ratio(Z, "plum", "apple"),
    "explain": lambda m, Z, y: m.explain(Z, 3),
    "score": lambda m, Z, y: m.score(Z, y),
    "digest": lambda m, Z, y: len(m.digest()),
    "get_feature_names_out": lambda m, Z, y: m.get_feature_names_out(),
}
# What only statistics of rows give.
NEEDS = {
    "merge": lambda m, Z, y: m.merge(m),
    "forget": lambda m, Z, y: m.forget(Z, y),
    "partial_fit": lambda m, Z, y: m.partial_fit(Z, y),
    "leave_one_out": lambda m, Z, y: m.leave_one_out(Z, y),
    "log_likelihood": lambda m, Z, y: m.log_likelihood(),
    **{
        name: (lambda m, Z, y, name=name: getattr(m, name)())
        for name in ("aic", "bic", "n_parameters")
    },
    **{
        name: (lambda m, Z, y, name=name: getattr(m, name))
        for name in (
            "statistics_", "shrinkage_", "alpha_", "class_count_", "feature_count_",
            "category_count_",
        )
    },
}  # fmt: skip
# A mixture's criteria take the rows themselves.
MIXTURE = {"aic", "bic"}
# Estimated parameters make a p-value larger; those of known ones are compared with chi squared in
# test_known_parameters.
OUTLIERS = {"outlier_pvalue", "outlier_threshold"}
# What makes or changes a model, or says how it was estimated.
OTHER = {
    "fit", "fit_predict", "fit_statistics", "fit_transform", "from_parameters", "get_params",
    "get_metadata_routing", "save", "columns_", "selection_", "grid", "target_name_",
    "borrowed_components_", "converged_", "lower_bound_", "lower_bounds_", "log_likelihoods_",
    "n_iter_",
}  # fmt: skip


def gapped(Z):
    out = Z[:5].astype(float)
    out[[0, 2], 0] = np.nan
    return out


def public(model):
    """Names of its answers, without parameters and what makes a model."""
    left_out = OTHER | set(model.get_params())
    return [n for n in dir(type(model)) if not n.startswith(("_", "set_")) and n not in left_out]


def agree(found, wanted):
    if isinstance(wanted, tuple | list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            agree(one, other)
    elif isinstance(wanted, np.ndarray | float) and np.asarray(wanted).dtype.kind == "f":
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-12)
    else:
        np.testing.assert_array_equal(found, wanted)


def ask(model, name, Z):
    if name in CALLS:
        return CALLS[name](model, Z, LABELS)
    value = getattr(model, name)
    return value(Z) if callable(value) else value


@pytest.mark.parametrize("kind", MAKERS)
def test_every_answer_is_that_of_a_fit_with_these_parameters_or_a_sentence(kind):
    make, Z = MAKERS[kind]
    fitted, known = make()
    answered = set()
    for name in public(fitted):
        if name in NEEDS and not (kind == "GaussianMixture" and name in MIXTURE):
            with pytest.raises(NoStatistics) as raised:
                NEEDS[name](known, Z, LABELS)
            sentence = str(raised.value)
            assert sentence.count(". ") == 0, name
            assert "known parameters" in sentence, name
            assert "fit(X, y)" in sentence, name
        elif name in OUTLIERS:
            found = np.asarray(ask(known, name, Z))
            assert np.isfinite(found).all()
            assert (found <= 1).all() or name == "outlier_threshold"
        elif hasattr(fitted, name):
            agree(ask(known, name, Z), ask(fitted, name, Z))
            answered.add(name)
        else:
            assert not hasattr(known, name), name
    assert len(answered) >= 12
    assert {"predict", "predict_proba", "score_samples", "sample"} <= answered


@pytest.mark.parametrize("kind", [one for one in MAKERS if one != "GaussianMixture"])
def test_what_takes_a_model_takes_one_from_known_parameters(kind):
    make, Z = MAKERS[kind]
    fitted, known = make()
    for judge in (sf.evaluate, sf.importance):
        agree(str(judge(known, Z, LABELS)), str(judge(fitted, Z, LABELS)))
    at = {"positive": "plum"}
    agree(str(sf.thresholds(known, Z, LABELS, **at)), str(sf.thresholds(fitted, Z, LABELS, **at)))
    pytest.importorskip("onnx")
    assert len(sf.to_onnx(known).graph.output) == len(sf.to_onnx(fitted).graph.output)


@pytest.mark.parametrize(
    "kind", ["GaussianDiscriminant", "QDA", "LDA", "GaussianNB", "DiagonalLDA"]
)
def test_plots_of_known_parameters_need_no_rows(kind):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from suffice import plots

    _, known = MAKERS[kind][0]()
    for name in ("Regions", "Classes", "Density", "Panels"):
        display = getattr(plots, f"{name}Display")
        assert display.from_estimator(known, features=(0, 1)).figure_ is not None
    assert plots.CurvesDisplay.from_estimator(known, feature=0).figure_ is not None
    pyplot.close("all")
