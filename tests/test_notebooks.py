"""What notebooks show: tables that are escaped and readable, a card for a model, a formula."""

from __future__ import annotations

import inspect
import pydoc
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import suffice as sf
from suffice.errors import InvalidInput
from suffice.html import html_table

HOSTILE = "<script>alert('a')</script>"
X, Y = load_wine(return_X_y=True, as_frame=True)


def hostile():
    """Rows whose names and labels are HTML."""
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 2
    rows = pd.DataFrame(rng.normal(size=(60, 2)) + codes[:, None], columns=[HOSTILE, "b & c"])
    return rows, np.array([HOSTILE, "<b>plain</b>"])[codes]


def shown():
    """One value of each kind that has a table of its own, of hostile rows."""
    rows, labels = hostile()
    gaps = rows.copy()
    gaps.iloc[0, 0] = np.nan
    model = sf.LDA().fit(rows, labels)
    return {
        "statistics": sf.summarize(rows, labels),
        "table": sf.summarize(rows.assign(level=["<i>", "b"] * 30), labels),
        "description": sf.describe(rows),
        "incomplete": sf.summarize(gaps, labels),
        "selection": sf.select_model(rows, labels, sf.LDA(), {"shrinkage": [0.0, 0.1]}),
        "comparison": sf.compare(rows, labels, {HOSTILE: sf.LDA(), "QDA": sf.QDA()}),
        "diagnosis": sf.diagnose(rows, labels),
        "contributions": model.contributions(rows),
        "leave_one_out": model.leave_one_out(rows, labels),
        "summary": sf.summary(model),
        "model": model,
    }


VALUES = shown()


@pytest.mark.parametrize("kind", VALUES)
def test_a_table_has_escaped_names_no_script_and_no_colour_of_its_own(kind):
    text = VALUES[kind]._repr_html_()
    assert text.count("<table") >= 1
    assert not re.search(r"<(script|style|b|link|img)\b", text)
    assert not re.search(r"(?<!-)(color|background)\s*:", text)
    assert not re.search(r"\son\w+=", text)
    if kind not in ("selection", "diagnosis", "leave_one_out"):  # which name no column and class
        assert "&lt;script&gt;" in text


def test_statistics_show_rows_and_means_by_class():
    text = sf.summarize(X, Y)._repr_html_()
    assert all(f">{count}<" in text for count in np.bincount(Y))
    assert f">{X[Y == 0]['alcohol'].mean():.4g}<" in text
    assert "3 features more." in text
    assert ">weight<" not in text
    assert ">weight<" in sf.summarize(X, Y, np.full(len(Y), 0.5))._repr_html_()


def test_a_selection_shows_in_html_what_it_prints_and_stresses_what_was_taken():
    found = sf.select_model(X, Y, sf.LDA(), {"shrinkage": [0.0, 0.1, 0.5]})
    text = found._repr_html_()
    for word in repr(found).split("\n")[2].split("  "):
        assert word.strip().lstrip("*+") in text
    assert text.count("<tr>") == len(repr(found).split("\n")) - 1
    assert text.count("font-weight: bold") == text.split("</thead>")[0].count("<th ")


def test_a_diagnosis_gives_shared_advice_once_in_text_and_in_html():
    found = sf.diagnose(X, Y)
    advice = found["Mardia"].recommendation
    assert advice == found["Henze-Zirkler"].recommendation
    assert found._repr_html_().count(advice) == 1
    assert all(name.split("'")[0] in found._repr_html_() for name in found)


def test_contributions_are_listed_by_the_names_of_features_and_add_up():
    model = sf.LDA().fit(X, Y)
    found = model.contributions(X[:3], 0, 1)
    assert found.feature_names == tuple(X.columns)
    cells = re.findall(r"<td[^>]*>([^<]*)", found._repr_html_().split("</thead>")[1])
    first = [float(cell) for cell in cells[: len(cells) // 3]]
    assert sum(first[:-1]) == pytest.approx(first[-1], abs=0.1)
    assert first[-1] == pytest.approx(found.log_odds[0], abs=0.005)


def test_a_boundary_is_shown_as_the_formula_that_it_prints():
    model = sf.LDA().fit(X[["alcohol"]], Y == 0)
    boundary = model.boundary()
    assert boundary._repr_latex_() == f"$\\displaystyle {boundary.latex(solved=True)}$"
    plane = sf.LDA().fit(X, Y).boundary(0, 1)
    assert plane._repr_latex_() == f"$\\displaystyle {plane.latex()}$"


def test_a_fitted_model_shows_a_card_and_not_a_diagram():
    model = sf.LDA(shrinkage=0.25).fit(X, Y)
    for text in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert len(text) < 3000
        assert "sk-" not in text
        for fact in ("LinearDiscriminantAnalysis(shrinkage=0.25)", "one covariance for all", "178"):
            assert fact in text
        assert "0: 0.3315, 1: 0.3989, 2: 0.2697" in text
    assert "not fitted" in sf.LDA()._repr_html_()


def test_showing_a_model_neither_builds_it_nor_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = sf.QDA().partial_fit(X[:1], Y[:1])
        assert "priors" not in model._repr_html_()
        assert "model" not in model._learned.kept


MODELS = [
    sf.QDA(),
    sf.GaussianNB(),
    sf.BayesianDiscriminant(),
    sf.UnskewedDiscriminant(),
    sf.MixtureDiscriminant(),
    make_pipeline(StandardScaler(), sf.LDA()),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_summary_has_priors_means_and_structure_of_every_model(model):
    some = X.iloc[:, :3]
    found = sf.summary(model.fit(some, Y))
    text = str(found)
    assert "structure:" in text
    assert "0.3315" in text
    assert all(name in text for name in some.columns)
    assert repr(found) == text
    assert found._repr_html_().count("<table") == 1 + len(found.tables)


def test_a_summary_has_the_numbers_of_the_model():
    model = sf.LDA().fit(X, Y)
    found = sf.summary(model)
    means = np.array([line[1:] for line in found.tables["means of the classes"][1:]])
    np.testing.assert_allclose(np.char.replace(means, ",", "").astype(float), model.means_.T, 1e-3)
    axes = found.tables["coefficients of the discriminant axes"]
    np.testing.assert_allclose(np.array(axes[1][1:], float), model.scalings_[0], 1e-3)
    np.testing.assert_allclose(np.array(axes[-1][1:], float), model.explained_variance_ratio_, 1e-3)
    assert found.facts["BIC"] == f"{model.bic():.0f}"


def test_a_summary_has_the_coefficients_that_mass_prints_up_to_their_sign():
    # print(lda(Species ~ ., iris)) of R's MASS.
    printed = [
        [0.8293776, 0.02410215],
        [1.5344731, 2.16452123],
        [-2.2012117, -0.93192121],
        [-2.8104603, 2.83918785],
        [0.9912, 0.0088],
    ]
    model = sf.LDA(ddof=1).fit(*load_iris(return_X_y=True))
    lines = sf.summary(model).tables["coefficients of the discriminant axes"][1:]
    found = np.array([line[1:] for line in lines], float)
    np.testing.assert_allclose(np.abs(found), np.abs(printed), rtol=1e-3, atol=5e-5)


def test_a_summary_of_mixed_columns_names_the_numeric_ones():
    rows = pd.DataFrame({"colour": list("ab") * 20, "size": np.arange(40.0)})
    found = sf.summary(sf.MixedNB().fit(rows, np.arange(40) % 3))
    assert [line[0] for line in found.tables["means of the classes"]] == ["feature", "size"]
    alone = sf.summary(sf.CategoricalNB().fit(rows[["colour"]], np.arange(40) % 3))
    assert list(alone.tables) == ["classes"]


def test_a_summary_of_many_features_and_classes_stays_short():
    rng = np.random.default_rng(0)
    codes = np.arange(300) % 30
    text = str(
        sf.summary(sf.DiagonalLDA().fit(rng.normal(size=(300, 200)) + codes[:, None], codes))
    )
    assert "150 rows more, 20 columns more" in text
    assert max(map(len, text.split("\n"))) < 200


@pytest.mark.parametrize("model", [StandardScaler(), None, "lda"])
def test_a_summary_refuses_what_is_not_a_model(model):
    with pytest.raises(InvalidInput, match="summary takes a fitted model"):
        sf.summary(model)


@pytest.mark.parametrize("name", ["report", "summary", "select_model", "compare", "diagnose"])
def test_help_shows_a_real_signature(name):
    function = getattr(sf, name)
    parameters = inspect.signature(function).parameters
    assert len(parameters) > (name != "summary")
    assert not any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
    assert f"{name}({next(iter(parameters))}" in pydoc.plain(pydoc.render_doc(function))


def test_tables_keep_marks_captions_and_notes():
    text = html_table(["a", "b"], [["x", 1], ["y", 2]], caption="c", marked=[1], notes=["n"])
    assert text.count("font-weight: bold") == 2
    assert ">c</caption>" in text
    assert text.endswith("<p>n</p>")


def test_the_summary_of_mixed_features_names_the_parts_of_dates():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "when": pd.date_range("2024-01-01", periods=120, freq="7h"),
            "level": rng.choice(["low", "high"], 120),
            "size": rng.normal(size=120),
            "y": rng.choice(["p", "q"], 120),
        }
    )
    text = str(sf.summary(sf.MixedNB().fit(table, "y")))
    for name in ("when (weekday)", "when (days)", "size"):
        assert re.search(rf"^{re.escape(name)} +-?[0-9]", text, re.MULTILINE)
