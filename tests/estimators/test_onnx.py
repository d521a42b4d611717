"""ONNX: another runtime gives the labels and probabilities of `predict` and `predict_proba`."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import suffice as sf
from suffice.errors import InvalidParameter, MissingPackage
from suffice.estimators.onnx.onnx_export import register_onnx, to_onnx

# Repaired models are tested with the others.
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

DATA = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "digits": load_digits(return_X_y=True),
}
FAMILY = {
    "LDA": sf.LDA(),
    "LDA shrunk": sf.LDA(shrinkage="auto", priors="uniform"),
    "QDA": sf.QDA(),
    "QDA shrunk": sf.QDA(shrinkage=0.3, target="diagonal"),
    "GaussianNB": sf.GaussianNB(),
    "DiagonalLDA": sf.DiagonalLDA(),
    "between": sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.1, inflation=2.0),
    "spherical": sf.GaussianDiscriminant("spherical"),
    "shared sphere": sf.GaussianDiscriminant("spherical", pooling=1.0),
    "map": sf.BayesianDiscriminant(density="map"),
    "bayes": sf.BayesianDiscriminant(),
    "bayes, independent": sf.BayesianDiscriminant("diagonal"),
    "unskewed": sf.UnskewedDiscriminant(pooling=1.0),
    "heavy tails": sf.UnskewedDiscriminant(pooling=0.5, degrees_of_freedom=4.0),
    "heavy tails, shared": sf.UnskewedDiscriminant(pooling=1.0, degrees_of_freedom=3.0),
    "heavy tails, independent": sf.UnskewedDiscriminant("diagonal", degrees_of_freedom=4.0),
    "MixedNB": sf.MixedNB(),
    "mixture": sf.MixtureDiscriminant(2, structure="diagonal", random_state=0),
    "pool": sf.PooledDiscriminant([sf.LDA(), sf.UnskewedDiscriminant("diagonal")], cv=3),
}
TOLERANCE = {"float32": 1e-6, "float64": 1e-12}
EPSILON = np.finfo(float).eps


@pytest.fixture(scope="module")
def onnx():
    return pytest.importorskip("onnx", reason="onnx is not installed")


def ask(proto, rows, name="X"):
    """Label and probabilities that onnxruntime finds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, {name: rows})


def check(model, rows, dtype, onnx):
    proto = to_onnx(model, dtype)
    onnx.checker.check_model(proto, full_check=True)
    labels, chances = ask(proto, rows)
    expected = model.predict_proba(rows)
    assert chances.dtype == np.dtype(dtype)
    # Scores of far-out rows are so large that their rounding is larger than the tolerance.
    with np.errstate(over="ignore"):
        scores = np.abs(model.predict_joint_log_proba(rows)).max(axis=1)
    slack = TOLERANCE[dtype] + 4 * EPSILON * np.where(np.isfinite(scores), scores, 0.0)
    assert (np.abs(chances - expected).max(axis=1) <= slack).all()
    assert labels.tolist() == model.predict(rows).tolist()
    return chances


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", FAMILY)
def test_real_rows_get_the_same_labels_and_probabilities(name, data, dtype, onnx):
    X, y = DATA[data]
    model = FAMILY[name].fit(X, y)
    rows = X.astype(dtype)
    labels, chances = ask(to_onnx(model, dtype), rows)
    assert np.abs(chances - model.predict_proba(rows)).max() <= TOLERANCE[dtype]
    assert np.array_equal(labels, model.predict(rows))


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("data", ["iris", "digits"])
@pytest.mark.parametrize("name", FAMILY)
def test_rows_far_out_get_the_same_labels_and_probabilities(name, data, dtype, onnx):
    X, y = DATA[data]
    model = FAMILY[name].fit(X, y)
    rows = np.concatenate([X[::9] * 1e3, X[:5] + 1e6, -X[:5] * 1e12]).astype(dtype)
    assert np.isfinite(check(model, rows, dtype, onnx)).all()


@pytest.mark.parametrize("name", ["QDA", "GaussianNB", "between"])
def test_rows_whose_squares_overflow_belong_to_the_nearest_class(name, onnx):
    X, y = DATA["iris"]
    model = FAMILY[name].fit(X, y).with_priors([0.0, 0.5, 0.5])
    rows = np.sign(X[::10] - X.mean(axis=0)) * 1e200
    labels, found = ask(to_onnx(model, "float64"), rows)
    assert np.array_equal(found, model.predict_proba(rows))
    assert np.array_equal(labels, found.argmax(axis=1))
    assert (found.max(axis=1) == 1).all()
    assert (found[:, 0] == 0).all()


@pytest.mark.parametrize(
    "labels",
    [["a", "bé", ""], [-5, 2**40, 7], [0.0, 1.0, 2.0]],
    ids=["texts", "integers", "floats"],
)
@pytest.mark.parametrize("name", ["LDA", "QDA", "GaussianNB"])
def test_labels_are_of_the_kind_they_were(name, labels, onnx):
    X, y = DATA["iris"]
    model = FAMILY[name].fit(X, np.array(labels)[y])
    check(model, X.astype(np.float32), "float32", onnx)
    found, _ = ask(to_onnx(model), X.astype(np.float32))
    assert type(found.tolist()[0]) is type(labels[0])


def test_booleans_and_a_single_class_are_labels_too(onnx):
    X, y = DATA["breast cancer"]
    check(sf.LDA().fit(X, y == 1), X, "float64", onnx)
    check(sf.GaussianNB().fit(X, np.zeros(len(X), int)), X, "float64", onnx)


def test_numbers_far_from_zero_lose_nothing(onnx):
    X, y = DATA["iris"]
    for name in ("LDA", "QDA", "GaussianNB", "DiagonalLDA"):
        model = FAMILY[name].fit(X + 1e8, y)
        check(model, X + 1e8, "float64", onnx)


def test_priors_of_zero_are_never_answered(onnx):
    X, y = DATA["wine"]
    for name in FAMILY:
        model = FAMILY[name].fit(X, y).with_priors([0.25, 0.0, 0.75])
        assert (check(model, X, "float64", onnx)[:, 1] == 0).all()


@pytest.mark.parametrize("name", ["GaussianNB", "DiagonalLDA", "spherical", "shared sphere"])
def test_missing_values_say_nothing_where_features_are_independent(name, onnx):
    X, y = DATA["wine"]
    rows = np.where(np.random.default_rng(0).random(X.shape) < 0.3, np.nan, X)
    rows[0] = np.nan
    check(FAMILY[name].fit(X, y), rows, "float64", onnx)


def test_missing_values_do_not_make_numbers_of_text_features(onnx):
    X, y = DATA["wine"]
    rows = X.copy()
    rows[3, 4] = np.nan
    for name in ("LDA", "QDA"):
        _, chances = ask(to_onnx(FAMILY[name].fit(X, y), "float64"), rows)
        assert np.isnan(chances[3]).all()
        assert np.isfinite(np.delete(chances, 3, axis=0)).all()


@pytest.mark.parametrize("model", [sf.LDA(), sf.DiagonalLDA()])
def test_a_feature_that_separates_one_class_leaves_the_others_their_digits(model, onnx):
    rng = np.random.default_rng(0)
    y = np.arange(600) % 3
    X = rng.normal(size=(600, 3)) + y[:, None]
    X[:, 2] = 0.1 * (y == 2)
    _, chances = ask(to_onnx(model.fit(X, y), "float64"), X)
    assert np.abs(chances - model.predict_proba(X)).max() < 1e-13


def test_constant_and_collinear_features_are_no_obstacle(onnx):
    X, y = DATA["iris"]
    flat = np.column_stack([X, np.full(len(X), 7.0), X[:, 0] + X[:, 1]])
    for name in FAMILY:
        check(FAMILY[name].fit(flat, y), flat, "float64", onnx)


def test_more_features_than_rows_are_no_obstacle(onnx):
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(30, 600)) + np.arange(30)[:, None] % 3 / 4
    for name in ("LDA shrunk", "QDA shrunk", "between"):
        check(FAMILY[name].fit(wide, np.arange(30) % 3), wide, "float64", onnx)


@pytest.mark.parametrize("alpha", [1.0, 0.0])
@pytest.mark.parametrize("binarize", [None, 0.0, 7.5])
def test_binary_features(alpha, binarize, onnx):
    X, y = DATA["digits"]
    rows = (X > 7.5).astype(float) if binarize is None else X
    model = sf.BernoulliNB(alpha=alpha, binarize=binarize).fit(rows, y)
    asked = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, rows)
    for dtype in TOLERANCE:
        for table in (rows, asked, 1 - asked if binarize is None else -asked):
            check(model, table.astype(dtype), dtype, onnx)


@pytest.mark.parametrize("alpha", [1.0, 0.0])
def test_levels_that_are_integers_or_texts(alpha, onnx):
    rng = np.random.default_rng(0)
    codes, y = rng.integers(0, 5, (300, 4)), np.array(["a", "b"])[np.arange(300) % 2]
    codes[:, 0] = np.where(y == "a", codes[:, 0] % 2, codes[:, 0])
    model = sf.CategoricalNB(alpha=alpha).fit(codes, y)
    asked = np.concatenate([codes, codes + 3])
    for dtype in TOLERANCE:
        check(model, asked, dtype, onnx)
    names = np.array(["none", "low", "mid", "hïgh", "top", "new"])
    model = sf.CategoricalNB(alpha=alpha).fit(names[codes], y)
    asked = names[np.concatenate([codes, np.minimum(codes + 1, 5)])]
    labels, chances = ask(to_onnx(model, "float64"), asked.astype(object))
    assert np.abs(chances - model.predict_proba(asked)).max() <= 1e-12
    assert labels.tolist() == model.predict(asked).tolist()


def test_a_pipeline_that_ends_in_ours_is_converted_by_skl2onnx(onnx):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        skl2onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    register_onnx()
    register_onnx()
    X, y = DATA["wine"]
    for name in ("LDA", "QDA", "GaussianNB", "DiagonalLDA", "between"):
        for labels in (y, np.array(["a", "b", "c"])[y], y == 1):
            pipeline = make_pipeline(StandardScaler(), FAMILY[name]).fit(X, labels)
            for dtype, tolerance in (("float32", 1e-5), ("float64", 1e-12)):
                rows = X.astype(dtype)
                options = {"zipmap": False}
                proto = skl2onnx.to_onnx(pipeline, rows[:1], options=options)
                found, chances = ask(proto, rows)
                assert np.abs(chances - pipeline.predict_proba(X)).max() < tolerance
                assert found.tolist() == pipeline.predict(X).tolist()
    rows = X.astype(np.float32)
    _, chances = ask(skl2onnx.to_onnx(pipeline, rows[:1]), rows)
    assert sorted(chances[0]) == [False, True]
    binary = make_pipeline(StandardScaler(), sf.BernoulliNB()).fit(X, y)
    proto = skl2onnx.to_onnx(binary, X[:1], options={"zipmap": False}, target_opset=17)
    assert np.abs(ask(proto, X)[1] - binary.predict_proba(X)).max() < 1e-12


def test_what_has_no_form_in_onnx_is_refused(onnx):
    X, y = DATA["iris"]
    with pytest.raises(InvalidParameter, match="a GaussianMixture cannot be exported"):
        to_onnx(sf.GaussianMixture(2).fit(X))
    with pytest.raises(InvalidParameter, match="float16"):
        to_onnx(sf.LDA().fit(X, y), "float16")
    with pytest.raises(InvalidParameter, match="all features are strings"):
        to_onnx(sf.CategoricalNB(levels=[[1, 2], [0, 1]]).fit([[1, 0], [2, 1]], [0, 1]))
    with pytest.raises(NotFittedError):
        to_onnx(sf.LDA())


def test_without_the_packages_the_error_says_what_to_install(monkeypatch):
    X, y = DATA["iris"]
    model = sf.LDA().fit(X, y)
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(MissingPackage, match=r"onnx: pip install 'suffice\[onnx\]'") as told:
        to_onnx(model)
    assert isinstance(told.value, ImportError)
    with pytest.raises(MissingPackage, match=r"skl2onnx: pip install"):
        register_onnx()


def test_equal_models_make_equal_files(onnx):
    X, y = DATA["iris"]
    a, b = (to_onnx(sf.QDA().fit(X, y)).SerializeToString(deterministic=True) for _ in range(2))
    assert a == b
