"""What is wrong with rows on other devices is said as on the host; nothing is copied unasked."""

import subprocess
import sys

import numpy as np
import pytest
from elsewhere import CUDA, OTHER, STRICT, TORCH, everywhere, some, torches
from sklearn.exceptions import NotFittedError

import suffice as sf
from suffice import errors

MODELS = [sf.LDA, sf.QDA, sf.GaussianNB, sf.DiagonalLDA]
X = np.random.default_rng(0).normal(size=(30, 3))
y = np.arange(30) % 3


def with_entry(value, row=17, column=2):
    rows = X.copy()
    rows[row, column] = value
    return rows


@everywhere
@pytest.mark.parametrize("kind", MODELS)
def test_infinity_and_gaps_are_named_by_row_and_column(place, kind):
    fitted = kind().fit(place.put(X), place.put(y))
    for rows, error in (
        (with_entry(np.inf), errors.NotFinite),
        (with_entry(np.nan), errors.HasGaps),
    ):
        with pytest.raises(error, match="row 17, column 2"):
            kind().fit(place.put(rows), place.put(y))
        for name in ("predict", "predict_proba", "squared_mahalanobis", "score_samples"):
            with pytest.raises(error, match="row 17, column 2"):
                getattr(fitted, name)(place.put(rows))
    with pytest.raises(errors.HasGaps, match=r"numpy|np\.asarray"):
        fitted.predict(place.put(with_entry(np.nan)))


@everywhere
def test_rows_of_weight_zero_may_hold_anything(place):
    w = np.ones(30)
    w[17] = 0
    s = sf.summarize(place.put(with_entry(np.nan)), place.put(y), place.put(w))
    kept = w > 0
    assert s == sf.summarize(X[kept], y[kept])


@everywhere
def test_values_too_large_or_too_close_to_be_squared(place):
    with pytest.raises(errors.NotFinite, match="too large"):
        sf.summarize(place.put(X * 1e200), place.put(y))
    rows = X.copy()
    rows[:, 1] *= 1e-180
    for detail in ("separate", "shared", "diagonal"):
        with pytest.raises(errors.NotFinite, match=r"column 1 of X .* vanish"):
            sf.summarize(place.put(rows), place.put(y), None, detail)


@everywhere
@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (X[0], errors.InvalidFeatures, "2D"),
        (X[:0], errors.InvalidFeatures, "0 sample"),
        (X[:, :0], errors.InvalidFeatures, "0 feature"),
        (X + 1j, errors.NotNumbers, "complex"),
    ],
)
def test_tables_of_the_wrong_shape_or_type(place, rows, error, message):
    with pytest.raises(error, match=message):
        sf.LDA().fit(place.put(rows), place.put(y))


@everywhere
@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        (None, errors.InvalidLabels, "missing"),
        (y[:-1], errors.InvalidInput, "30 rows but y has 29"),
        (np.stack([y, y], 1), errors.InvalidLabels, "one label per row"),
        (y + 0.5, errors.InvalidLabels, "continuous"),
        (np.where(y == 1, np.nan, y), errors.InvalidLabels, "missing"),
        (y + 1j, errors.InvalidLabels, "complex"),
    ],
)
def test_labels_that_are_none(place, labels, error, message):
    with pytest.raises(error, match=message):
        sf.LDA().fit(place.put(X), None if labels is None else place.put(labels))


@everywhere
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-np.ones(30), r"sample_weight\[0\] is -1"),
        (np.where(np.arange(30) == 4, np.nan, 1.0), r"sample_weight\[4\] is nan"),
        (np.zeros(30), "zero in every row"),
        (np.ones(29), "shape"),
        (np.ones(30) * 1j, "numbers"),
        (np.full(30, 1e308), "too large"),
    ],
)
def test_weights_that_are_none(place, weights, message):
    with pytest.raises(errors.InvalidWeights, match=message):
        sf.LDA().fit(place.put(X), place.put(y), place.put(weights))


@some(OTHER)
def test_labels_and_weights_on_another_device_are_refused(place):
    with pytest.raises(
        errors.InvalidInput, match=r"X is on device .*device1.* y is on .*CPU_DEVICE"
    ):
        sf.LDA().fit(place.put(X), STRICT.put(y))
    with pytest.raises(errors.InvalidInput, match="sample_weight is on"):
        sf.LDA().fit(place.put(X), place.put(y), STRICT.put(np.ones(30)))


@some(CUDA)
def test_labels_on_the_host_side_of_a_gpu_are_refused(place):
    with pytest.raises(errors.InvalidInput, match="X is on device cuda:0 but y is on device cpu"):
        sf.LDA().fit(place.put(X), TORCH.put(y))


@torches
def test_labels_of_another_library_are_refused(place):
    if STRICT.missing:
        pytest.skip("no array_api_strict")
    with pytest.raises(errors.InvalidInput, match=r"torch.* but y is one of array_api_strict"):
        sf.LDA().fit(place.put(X), STRICT.put(y))


@torches
def test_a_tensor_that_requires_grad_is_refused(place):
    rows = place.put(X).requires_grad_()
    with pytest.raises(errors.InvalidFeatures, match=r"detach\(\)"):
        sf.LDA().fit(rows, place.put(y))
    with pytest.raises(errors.InvalidFeatures, match=r"detach\(\)"):
        sf.LDA().fit(X, y).predict(rows)


@torches
def test_a_sparse_tensor_is_refused(place):
    with pytest.raises(errors.InvalidFeatures, match="to_dense"):
        sf.LDA().fit(place.put(X).to_sparse(), place.put(y))


@everywhere
def test_rows_of_another_width_and_models_with_names(place):
    fitted = sf.LDA().fit(place.put(X), place.put(y))
    for name in ("predict", "transform", "predict_proba"):
        with pytest.raises(errors.InvalidFeatures, match=r"2 features, but .* expecting 3"):
            getattr(fitted, name)(place.put(X[:, :2]))
    with pytest.raises(errors.InvalidFeatures, match="expecting 3"):
        fitted.partial_fit(place.put(X[:, :2]), place.put(y))
    with pytest.raises(NotFittedError):
        sf.LDA().predict(place.put(X))
    with pytest.raises(errors.InvalidLabels, match="not among `classes`"):
        fitted.partial_fit(place.put(X), place.put(y), classes=[0, 1])


@everywhere
@pytest.mark.parametrize(
    ("model", "method", "more"),
    [
        (sf.LDA(), "impute", ()),
        (sf.LDA(), "outlier_pvalue", ()),
        (sf.LDA(), "explain", ()),
        (sf.LDA(), "adapt_priors", ()),
        (sf.GaussianMixture(), "fit", ()),
        (sf.BernoulliNB(), "fit", (y,)),
        (sf.BayesianDiscriminant(), "fit", (y,)),
        (sf.LDA(shrinkage="cv"), "fit", (y,)),
    ],
    ids=str,
)
def test_what_the_device_cannot_do_is_said(place, model, method, more):
    message = "numpy" if place.library == "torch" else "np.asarray"
    with pytest.raises(errors.NotOnDevice, match=message):
        getattr(model, method)(place.put(X), *more)


@some(TORCH)
def test_a_failed_fit_leaves_the_model_as_it_was(place):
    fitted = sf.QDA().fit(place.put(X), place.put(y))
    before = fitted.statistics_.digest()
    for name in ("fit", "partial_fit"):
        with pytest.raises(errors.HasGaps):
            getattr(fitted, name)(place.put(with_entry(np.nan)), place.put(y))
    assert fitted.statistics_.digest() == before


def test_no_other_library_is_loaded_before_its_rows_come():
    code = (
        "import sys, suffice as sf; sf.LDA().fit([[0.0], [1.0], [3.0]], [0, 0, 1]);"
        "print({'torch', 'triton', 'array_api_compat', 'cupy', 'jax'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
