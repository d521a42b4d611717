"""Copy Python: the code makes the model of the page again, to the last bit."""

from __future__ import annotations

import csv
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import suffice as sf
from suffice.web.explore import explorer_page

STATE = "globalThis.sufficeExplorer"
NAMES = ["a \"quoted\" 'name'", "two\nlines\ttab", "ünïcödé ∑ \u202e\U0001f427", 'back\\slash"""#']
LABELS = ["it's", "naïve \u2028 " + "long " * 80, 'say "hi"\n\\']
# The parameters as the page holds them.
HELD = f"""() => {{
  const {{ model, lesson }} = {STATE};
  const kept = model.covariances.flatMap((own, c) => own ? [c] : []);
  const entry = own => Array.from({{ length: model.d }}, (_, i) =>
    Array.from({{ length: model.d }}, (_, j) => own.entry(i, j)));
  const {{ known }} = lesson;
  return {{
    kept,
    means: kept.map(c => known ? known.means[c]
      : Array.from(model.means.subarray(c * model.d, c * model.d + model.d))),
    covariances: kept.map(c => known ? known.covariances[c] : entry(model.covariances[c])),
    priors: kept.map(c => (known ?? model).priors[c]),
  }};
}}"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("code")
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X = X + rng.normal(size=X.shape) / 50  # every digit of a float
    labels = np.array(LABELS)[y]
    made = {
        "hostile": explorer_page(pd.DataFrame(X, columns=NAMES), labels, sf.QDA()),
        "square": explorer_page(X[:100, :2], y[:100], sf.GaussianNB(var_smoothing=0)),
        "statistics": explorer_page(X, y, sf.LDA(), statistics_only=True),
        "lecture": explorer_page(None, None),
    }
    return {name: page.save(folder / f"{name}.html") for name, page in made.items()}


def copied(page):
    """The copied code, run."""
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    page.get_by_role("button", name="Copy Python").click()
    space = {}
    exec(page.locator("textarea").input_value(), space)
    return space


def check(page, labels):
    """The model of the code has the bits of the page, and predicts what it predicts."""
    held, space = page.evaluate(HELD), copied(page)
    model = space["model"]
    own = [labels[c] for c in held["kept"]]
    order = [own.index(label) for label in model.classes_.tolist()]
    for name, found in (
        ("means", model.means_), ("covariances", model.covariances_), ("priors", model.priors_)
    ):  # fmt: skip
        wanted = np.array(held[name], np.float64)[order]
        assert found.tobytes() == wanted.tobytes(), name
    points = np.array(held["means"]) + 0.3
    joint = page.evaluate(
        f"points => points.map(x => Array.from({STATE}.model.joint(x)))", points.tolist()
    )
    joint = np.array(joint)[:, held["kept"]][:, order]
    if hasattr(model, "feature_names_in_"):
        points = pd.DataFrame(points, columns=model.feature_names_in_)
    np.testing.assert_allclose(model.predict_joint_log_proba(points), joint, rtol=1e-10)
    assert model.predict(points).tolist() == [own[order[c]] for c in joint.argmax(axis=1)]
    shared = model.covariance_.ndim == 2
    covariances = np.array(held["covariances"])[0 if shared else slice(None)]
    covariances = np.array(held["covariances"])[0 if model.covariance_.ndim == 2 else slice(None)]
    names = getattr(model, "feature_names_in_", None)
    again = type(model).from_parameters(held["means"], covariances, held["priors"], own, names)
    assert model.predict_proba(points).tobytes() == again.predict_proba(points).tobytes()
    return space


@pytest.mark.parametrize(
    "hash",
    [
        "structure=full&pooling=0",
        "structure=full&pooling=1",
        "pooling=0.3&shrinkage=0.1",
        "pooling=1&shrinkage=0.37&ddof=1",
        "structure=diagonal&pooling=0",
        "structure=diagonal&pooling=1&ddof=1",
        "structure=spherical&pooling=0.6&priors=uniform",
        "pooling=0.3&priors=0.1,0.2,0.7",
        "pooling=0.5&row=0&edits=m0%3A7.1%2C4.3%2C6.05%2C2.123456789012345;a2%3A5%2C3%2C2%2C1;r1",
    ],
)
def test_the_code_has_the_bits_of_the_page(visit, files, hash):
    space = check(visit(files["hostile"], f"#{hash}"), LABELS)
    assert space["model"].feature_names_in_.tolist() == NAMES


def test_the_code_has_the_bits_of_parameters_set_by_hand(visit, files):
    for structure in ("full", "diagonal", "spherical"):
        page = visit(files["hostile"], f"#structure={structure}&pooling=0&row=0")
        for handle in ("^Mean of", "^Long axis", "^Short axis"):
            page.get_by_role("button", name=re.compile(handle)).first.focus()
            for key in ("ArrowRight", "Shift+ArrowUp", "Enter"):
                page.keyboard.press(key)
        page.get_by_label("Priors").select_option("own")
        page.get_by_label("Prior of").first.fill("0.61")
        assert page.evaluate(f"{STATE}.lesson.known") is not None
        space = check(page, LABELS)
        assert "estimator" not in space


def test_variances_of_as_many_classes_as_features_are_not_taken_for_a_covariance(visit, files):
    for structure, kind in (("full", sf.QDA), ("diagonal", sf.GaussianNB)):
        space = check(visit(files["square"], f"#structure={structure}&pooling=0"), [0, 1])
        assert type(space["model"]) is kind


@pytest.mark.parametrize("preset", ["data=exercise&point=2,0", "data=notes3b&pooling=1"])
def test_the_code_of_a_preset_has_its_bits(visit, files, preset):
    labels = ["+", "-"] if "exercise" in preset else [0, 1]
    check(visit(files["lecture"], f"#{preset}"), labels)


def test_a_page_of_statistics_has_its_code(visit, files):
    check(visit(files["statistics"]), [0, 1, 2])


def test_a_class_without_rows_is_not_in_the_code(visit, files):
    gone = ";".join(f"r{i}" for i in range(50))
    page = visit(files["hostile"], f"#pooling=0.2&priors=0.2,0.3,0.5&edits={gone}")
    space = check(page, LABELS)
    assert len(space["model"].classes_) == 2


def test_the_estimator_of_the_code_fits_the_saved_rows_as_the_library_does(visit, files, tmp_path):
    edits = "edits=m0%3A7.1%2C4.3%2C6.05%2C2.123456789012345;a2%3A5%2C3%2C2%2C1;r1"
    page = visit(files["hostile"], f"#pooling=0.3&shrinkage=0.1&ddof=1&priors=0.1,0.2,0.7&{edits}")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Rows (CSV)").click()
    waiting.value.save_as(tmp_path / "rows.csv")
    with open(tmp_path / "rows.csv", newline="", encoding="utf-8") as file:
        header, *records = csv.reader(file)
    X = np.array([[float(field) for field in record[:-1]] for record in records])
    held = page.evaluate(
        f"""() => {{
          const {{ table }} = {STATE};
          const kept = [...table.codes.keys()].filter(i => table.codes[i] >= 0);
          return kept.map(i => [...table.row(i), table.codes[i]]);
        }}"""
    )
    held = np.array(held)
    assert X.tobytes() == np.ascontiguousarray(held[:, :-1]).tobytes()
    assert header[0] == NAMES[0]
    y = np.array(LABELS)[held[:, -1].astype(int)]
    estimator = copied(page)["estimator"]
    wanted = sf.GaussianDiscriminant(
        pooling=0.3, shrinkage=0.1, ddof=1, priors=dict(zip(LABELS, [0.1, 0.2, 0.7], strict=True))
    )
    for name in ("means_", "covariances_", "priors_"):
        found, other = (getattr(one.fit(X, y), name) for one in (estimator, wanted))
        assert found.tobytes() == other.tobytes()
