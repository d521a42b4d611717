"""Reports: the numbers are those of the library, every table gets a page, no text becomes HTML."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pages
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import suffice as sf
from suffice.errors import InvalidInput, UnwritableFile
from suffice.reports import page, pictures
from suffice.reports.choice_section import choice_html
from suffice.reports.data_section import data_facts, data_html
from suffice.reports.diagnosis_section import merged
from suffice.reports.material import Material
from suffice.selection.diagnostics.diagnostic import Diagnostic
from suffice.selection.selection import format_score

SECTIONS = ["data", "choice", "quality", "pictures", "diagnosis", "atypical", "gaps", "usage"]

WINE, KINDS = load_wine(return_X_y=True, as_frame=True)


def read(report):
    return pages.Page(report.path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def iris(tmp_path_factory):
    X, y = load_iris(return_X_y=True, as_frame=True)
    table = X.assign(species=np.array(["setosa", "versicolor", "virginica"])[y])
    file = tmp_path_factory.mktemp("iris") / "iris.html"
    return table, sf.report(table, "species", file)


@pytest.fixture
def without_pictures(monkeypatch):
    """Pages without pictures, which take most of the time."""
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)


def test_the_choice_is_that_of_select_model(iris):
    table, report = iris
    found = sf.select_model(table.drop(columns="species"), table["species"])
    assert repr(report.model) == repr(found.model)
    assert report.choice.at == found.chosen
    for metric, (mean, error) in report.quality.scores.items():
        assert mean == pytest.approx(found.table[metric][found.chosen], abs=1e-12)
        assert error == pytest.approx(found.table[f"{metric}_se"][found.chosen], abs=1e-12)


@pytest.mark.usefixtures("without_pictures")
def test_the_confusion_is_that_of_cross_validation(iris, tmp_path):
    table, _ = iris
    X, y = table.drop(columns="species"), table["species"]
    report = sf.report(X, y, tmp_path / "a.html", model=sf.QDA())
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    predicted = cross_val_predict(sf.QDA(), X, y, cv=folds)
    np.testing.assert_array_equal(report.quality.confusion, confusion_matrix(y, predicted))
    assert report.quality.tested == 150
    assert report.quality.right == pytest.approx(np.mean(predicted == y))


def test_the_page_shows_the_numbers(iris):
    table, report = iris
    words = read(report).words
    accuracy, error = report.quality.scores["accuracy"]
    assert f"{100 * accuracy:.1f}% ± {100 * error:.1f}%" in words
    assert " ".join(report.choice.code.split()) in words
    assert "150 rows and 4 columns (4 of numbers)" in words
    assert "No value is missing." in words
    for metric in ("log_loss", "accuracy", "brier"):
        mean, se = report.quality.scores[metric]
        assert f"{mean:.4f}" in words
        assert f"{se:.4f}" in words
    found = sf.diagnose(table.drop(columns="species"), table["species"])
    for name in ("Box's M", "Conditioning", "Influential rows"):
        assert found[name].sentence in words


def test_one_number_is_called_the_calibration_error(iris):
    _, report = iris
    words = read(report).words
    error = report.quality.calibration.statistic
    found = re.findall(r"[Cc]alibration error\W+([\d.]+)", words)
    assert found
    assert len(set(found)) == 1
    assert report.quality.calibration.sentence in words
    assert np.isfinite(error)


def badges(report):
    """The badge of each card of the diagnosis, by its question."""
    text = report.path.read_text(encoding="utf-8")
    return {
        question: badge
        for badge, question in re.findall(r'class="badge (\w+)">.*?<strong>(.*?)</strong>', text)
    }


def test_a_finding_calls_for_a_look_only_if_the_choice_did_not_take_care_of_it(iris, tmp_path):
    table, chosen = iris
    given = sf.report(table, "species", tmp_path / "a.html", model=sf.LDA())
    covariance = "Do all classes have the same covariance?"
    assert badges(given)[covariance] == "look"
    assert badges(chosen)[covariance] == "noted"
    assert chosen.diagnosis["Box's M"].recommendation in read(given).words
    assert chosen.diagnosis["Box's M"].recommendation not in read(chosen).words
    for report in (given, chosen):
        looks = sum(badge == "look" for badge in badges(report).values())
        verb = "needs" if looks == 1 else "need"
        words = f"{looks} of 4 findings {verb} a look" if looks else "took care of that"
        assert words in read(report).words


@pytest.mark.usefixtures("without_pictures")
def test_tests_of_one_question_share_a_card_and_its_advice(tmp_path):
    report = sf.report(WINE, KINDS, tmp_path / "a.html", model=sf.LDA())
    assert len(badges(report)) == 4
    words = read(report).words
    assert words.count(report.diagnosis["Mardia"].recommendation) == 1
    assert words.count("Class 1 is not Gaussian") == 1
    for name in ("Mardia", "Henze-Zirkler", "Distance quantiles"):
        numbers = re.search(r"\((.*)\)", report.diagnosis[name].sentence)[1]
        assert numbers in words


def test_the_choice_is_compared_with_the_best_in_words_and_marked_in_the_picture(iris):
    _, report = iris
    found = report.choice.selection
    at = int(found.order[1])
    losses = found.scores["log_loss"]
    words = pages.Page(choice_html(replace(report.choice, at=at))).words
    assert "Why not the best" in words
    behind = format_score(abs(losses[at].mean() - losses[found.best].mean()))
    assert f"the difference is {behind} ±" in words
    drawn = pages.Page(report.pictures["selection"].day).words
    assert "best" in drawn
    assert "chosen" in drawn


def test_a_choice_that_is_better_than_every_candidate_needs_no_excuse(iris):
    _, report = iris
    found = report.choice.selection
    # The average of others, as the last candidate.
    n = found.tried
    more = {name: np.vstack([all_[:n], all_[found.best]]) for name, all_ in found.scores.items()}
    losses = more["log_loss"]
    losses[-1] -= 0.001
    selection = replace(
        found,
        candidates=(*found.candidates[:n], found.candidates[found.best]),
        scores=more,
        complexity=np.append(found.complexity[:n], 1.0),
        averaged=True,
        chosen=n,
    )
    better = replace(
        report.choice, at=n, selection=selection, _table=selection.table, model=sf.LDA()
    )
    words = pages.Page(choice_html(better)).words
    assert "Why not the best" not in words
    own, best = losses[better.at].mean(), losses[found.best].mean()
    assert "averages the parameters" in words
    assert f"a mean log-loss of {own:.4f}, and the best single candidate {best:.4f}" in words
    pool = sf.PooledDiscriminant([sf.LDA(), sf.QDA()])
    words = pages.Page(choice_html(replace(better, model=pool))).words
    assert "averages the parameters" not in words
    assert "weighted mean" in words


def test_a_class_that_no_test_could_take_is_named_once():
    tests = [
        Diagnostic(name, 1.0, p, f"'a (b)' is skewed ({name}, p = {p}). Left out: c.", "", True)
        for name, p in (("Mardia", 0.01), ("Royston", 0.02))
    ]
    words = "'a (b)' is skewed (Mardia, p = 0.01; Royston, p = 0.02). Left out: c."
    assert merged(tests) == [words]


@pytest.mark.usefixtures("without_pictures")
def test_columns_that_are_not_used_are_named(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    table = X.assign(person=[f"No. {i} of the list" for i in range(len(X))], species=y.map(str))
    words = read(sf.report(table, "species", tmp_path / "a.html", model=sf.LDA())).words
    assert "column 'person' is set aside" in words


@pytest.mark.usefixtures("without_pictures")
def test_a_column_that_gives_the_class_alone_is_reported():
    leak = np.array(["low", "middle", "high"])[KINDS]
    facts = data_facts(Material.read(WINE.assign(leak=leak, copy=KINDS), KINDS), 178)
    assert [column.name for column in facts.columns if column.decides] == ["leak", "copy"]
    text = "Columns 'leak', 'copy' each give the class alone: their values occur in one class only."
    assert text in str(data_html(facts)).replace("&#x27;", "'").replace("&#39;", "'")
    assert "alone" not in str(data_html(data_facts(Material.read(WINE, KINDS), 178)))


def test_small_scores_are_not_written_as_zero(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 40)
    X = np.where(y == "a", 0.0, 5.0)[:, None] + rng.normal(size=(80, 2))
    report = sf.report(X, y, tmp_path / "a.html", model=sf.LDA())
    loss = report.quality.scores["log_loss"][0]
    assert 0 < loss < 5e-5
    assert f"Log-loss{loss:.2g}" in read(report).words.replace(" ", "")


@pytest.mark.usefixtures("without_pictures")
def test_large_numbers_are_written_out(tmp_path):
    X, y = pages.numbers(60, 2, 2)
    X[:, 0] = 200_000.0 + 20_000.0 * X[:, 0]
    X[0, 0] = 1_000_000.0
    report = sf.report(X, y, tmp_path / "a.html", model=sf.LDA())
    words = read(report).words
    assert "1,000,000" in words
    assert not re.search(r"\de\+\d", words)


@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_the_listing_runs_on_the_frames_of_every_library(library, tmp_path, monkeypatch):
    table, target = pages.polars_frame()
    frames = {"pandas": table.to_pandas(), "polars": table, "pyarrow": table.to_arrow()}
    report = sf.report(frames[library], target, tmp_path / "a.html", model=sf.MixedNB())
    monkeypatch.chdir(tmp_path)
    others = ["pandas", "polars"] if library != "pyarrow" else [library]
    for other in others:
        names = {"table": frames[other]}
        exec(report.usage.python, names)
        expected = sf.MixedNB().fit(table.drop(target), table[target]).predict(table.drop(target))
        np.testing.assert_array_equal(names["labels"], expected)


def test_all_pictures_are_there_with_words_for_them(iris):
    _, report = iris
    assert set(report.pictures) == {
        *("rows", "selection", "confusion", "reliability", "importance", "quantiles")
    }
    found = read(report)
    labels = [svg["aria-label"] for svg in found.named("svg")]
    assert labels == [picture.alt for picture in report.pictures.values()]
    assert all(svg["role"] == "img" for svg in found.named("svg"))
    assert "setosa" in report.pictures["rows"].alt
    assert len(found.named("figcaption")) == len(found.named("figure")) == len(labels)


def test_the_page_is_one_small_file_that_asks_for_nothing(iris):
    _, report = iris
    text = report.path.read_text(encoding="utf-8")
    assert len(text) < 3_000_000
    assert not re.search(r"(src|href)=\"(?!#|data:image/png;base64,)", text)
    assert "url(h" not in text
    assert "@import" not in text
    assert not read(report).named("script")


def test_ids_are_there_once_and_references_lead_somewhere(iris):
    _, report = iris
    elements = read(report).elements
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    text = report.path.read_text(encoding="utf-8")
    assert set(re.findall(r"(?:url\(|href=\")#([^)\"]+)", text)) <= set(ids)


def test_the_python_listing_runs(iris, tmp_path, monkeypatch):
    table, report = iris
    monkeypatch.chdir(tmp_path)
    names = {"table": table}
    exec(report.usage.python, names)
    np.testing.assert_array_equal(names["labels"], report.model.predict(names["X"]))
    assert (tmp_path / "model.suffice").exists()
    assert "suffice fit table.csv --target species --out model.suffice" in report.usage.command


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(C=0.5),
        sf.BayesianDiscriminant(pooling=1.0),
        sf.LDA(priors=np.array([0.25, 0.75])),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_listing_of_a_given_model_runs(model, tmp_path, monkeypatch):
    X, y = pages.numbers(60, 2, 2)
    report = sf.report(X, y, tmp_path / "a.html", model=model)
    monkeypatch.chdir(tmp_path)
    names = {"X": X, "y": y}
    exec(report.usage.python, names)
    np.testing.assert_allclose(names["probabilities"], clone(model).fit(X, y).predict_proba(X))
    assert report.choice.given
    assert "selection" not in report.pictures


@pytest.mark.usefixtures("without_pictures")
def test_a_slip_of_the_pen_is_the_first_odd_row(tmp_path):
    X = WINE.copy()
    X.loc[7, "flavanoids"] = 28.0
    report = sf.report(X, KINDS, tmp_path / "wine.html", model=sf.LDA())
    model = sf.LDA().fit(X, KINDS)
    p = model.outlier_pvalue(X)
    assert [one.row for one in report.atypical.rows] == np.argsort(p, kind="stable")[:8].tolist()
    assert report.atypical.rare == (p < 0.01).sum()
    first = report.atypical.rows[0]
    assert (first.row, first.values[0].column, first.values[0].value) == (7, "flavanoids", 28.0)
    gap = X.loc[[7]].assign(flavanoids=np.nan)
    expected = np.asarray(model.impute(gap))[0, list(X.columns).index("flavanoids")]
    assert first.values[0].expected == pytest.approx(expected)
    best, second = model.classes_[np.argsort(-model.predict_proba(X.loc[[7]])[0])[:2]]
    assert first.reason == model.explain(X, row=7, a=best, b=second)
    assert "flavanoids 28 (expected " in read(report).words


@pytest.mark.usefixtures("without_pictures")
def test_a_value_that_is_expected_is_not_odd(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size": rng.normal(size=80), "hue": rng.choice(["a", "b", "c"], 80)})
    report = sf.report(
        table, rng.choice(["no", "yes"], 80), tmp_path / "a.html", model=sf.MixedNB()
    )
    values = [value for row in report.atypical.rows for value in row.values]
    assert {value.column for value in values} == {"size", "hue"}
    assert all(value.value != value.expected for value in values)


@pytest.mark.usefixtures("without_pictures")
def test_the_code_of_a_pool_has_one_line_per_member(tmp_path):
    pool = sf.PooledDiscriminant({"a": sf.LDA(shrinkage=0.1), "b": sf.GaussianNB()})
    report = sf.report(WINE, KINDS, tmp_path / "a.html", model=pool)
    assert "    'a': sf.LinearDiscriminantAnalysis(shrinkage=0.1),\n" in report.usage.python
    assert "    'b': sf.GaussianNB(),\n})" in report.usage.python


@pytest.mark.usefixtures("without_pictures")
def test_gaps_are_counted_where_they_are(tmp_path):
    X = WINE.copy()
    X.iloc[:12, 2] = np.nan
    X.iloc[5:8, 0] = np.nan
    report = sf.report(X, KINDS, tmp_path / "gaps.html", model=sf.GaussianNB())
    assert (report.gaps.columns, report.gaps.counts) == (("ash", "alcohol"), (12, 3))
    assert report.gaps.incomplete == 12
    np.testing.assert_allclose(report.gaps.shares[0], [12 / 59, 0, 0])
    assert report.data.missing == 15
    words = read(report).words
    assert "15 values in 2 columns are missing; 12 rows of 178 are incomplete." in words
    assert "columns=sf.describe(X, missing='indicator')" in words


@pytest.mark.usefixtures("without_pictures")
def test_columns_are_described_by_kind(tmp_path):
    table = pages.hostile()
    report = sf.report(table, pages.TARGET, tmp_path / "a.html", model=sf.MixedNB())
    kinds = [column.kind for column in report.data.columns]
    assert kinds == ["numbers"] * 4 + ["levels"]
    first = table[pages.SCRIPT]
    assert report.data.columns[0].range == (first.min(), first.median(), first.max())
    counts = table["<i>level</i>"].value_counts()
    assert dict(report.data.columns[4].levels) == counts.to_dict()
    assert report.data.classes == tuple(sorted((label, 20) for label in pages.LABELS))
    assert report.atypical.rows[0].values


def test_no_text_of_the_data_becomes_html(tmp_path):
    report = sf.report(
        pages.hostile(), pages.TARGET, tmp_path / "a.html", model=sf.MixedNB(), title="<h1>'\"&"
    )
    found = read(report)
    assert not found.named("script")
    assert not found.named("b")
    assert not found.named("u")
    assert not found.named("img")
    assert not [name for _, given in found.elements for name in given if name.startswith("on")]
    assert len(found.named("title")) == len(found.named("style")) == 1
    for text in (pages.SCRIPT, pages.HANDLER, *pages.LABELS, "$a_1$ & $\\frac$", "<h1>'\"&"):
        assert text in found.words
    assert not report.failures
    assert not report.drawings.skipped
    text = report.path.read_text(encoding="utf-8")
    assert max(map(len, re.findall(r"(?:long name )+", text))) <= 80


@pytest.mark.parametrize(
    ("table", "options", "shown", "failed"),
    [
        (pages.numbers(45, 1, 3), {"model": sf.QDA()}, {"rows"}, set()),
        (pages.numbers(45, 2, 3), {"model": sf.QDA()}, {"rows", "regions"}, set()),
        (pages.numbers(45, 2, 3), {"model": sf.BayesianDiscriminant()}, {"rows", "regions"}, set()),
        (pages.numbers(200, 5, 20), {"model": sf.LDA()}, {"rows"}, set()),
        (pages.numbers(30, 70, 2), {"model": sf.DiagonalLDA()}, {"rows"}, set()),
        (pages.numbers(6, 2, 2), {"model": sf.LDA()}, {"rows", "regions"}, set()),
        (pages.with_gaps(), {"model": sf.QDA()}, {"rows"}, set()),
        (pages.levels_only(), {"model": sf.MixedNB()}, set(), {"diagnosis"}),
        (pages.polars_frame(), {}, {"rows", "selection"}, set()),
        (pages.numbers(45, 2, 3), {"model": LogisticRegression()}, {"rows"}, {"atypical"}),
    ],
    ids=["d1", "d2", "student", "k20", "wide", "six", "gaps", "levels", "polars", "logistic"],
)
def test_every_table_gets_a_page(table, options, shown, failed, tmp_path):
    report = sf.report(*table, tmp_path / "a.html", **options)
    found = read(report)
    assert [one["id"] for one in found.named("section")] == SECTIONS
    assert set(report.failures) == failed
    assert set(report.pictures) >= {*shown, "confusion", "reliability"}
    assert "could not be made" not in found.words or failed
    assert not re.search(r"\bnan\b", found.words)


@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize(
    ("X", "y", "why"),
    [
        ([[1.0], [2.0]], ["a", "b"], "every class has 1 row"),
        ([[1.0], [2.0]], ["a", "a"], "y has one class"),
        ([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [4.0, 4.0]], list("aabb"), "every class has 1 row"),
    ],
)
def test_a_table_too_small_for_a_model_still_gets_a_page(X, y, why, tmp_path):
    report = sf.report(X, y, tmp_path / "a.html")
    assert report.model is None
    assert why in report.failures["choice"]
    words = read(report).words
    assert report.failures["choice"] in words
    assert f"{len(X)} rows" in words


def test_a_part_that_fails_leaves_the_others_alone(tmp_path, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("<of all things>")

    monkeypatch.setattr(page, "diagnosis", broken)
    monkeypatch.setattr(pictures, "_confusion", broken)
    report = sf.report(WINE, KINDS, tmp_path / "a.html", model=sf.LDA())
    assert report.failures == {"diagnosis": "<of all things>."}
    assert report.drawings.skipped == {"confusion": "<of all things>."}
    words = read(report).words
    assert "This part could not be made: <of all things>." in words
    assert "No picture of the confusion: <of all things>." in words
    assert report.quality.right > 0.9


@pytest.mark.usefixtures("without_pictures")
def test_without_matplotlib_there_are_no_pictures(tmp_path):
    report = sf.report(WINE, KINDS, tmp_path / "a.html", model=sf.LDA())
    assert not report.pictures
    assert "pip install 'suffice[plot]'" in read(report).words


@pytest.mark.usefixtures("without_pictures")
def test_the_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    file = tmp_path / "a.html"
    file.write_text("before")
    monkeypatch.setattr("suffice.data.sources.files.os.replace", _refused)
    with pytest.raises(UnwritableFile, match=r"a\.html cannot be written"):
        sf.report(*pages.numbers(20, 1, 2), file, model=sf.LDA())
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def _refused(*_):
    raise PermissionError


def test_equal_tables_make_equal_pages(tmp_path):
    files = [tmp_path / "a.html", tmp_path / "b.html"]
    for file in files:
        sf.report(*pages.numbers(45, 2, 3), file, model=sf.LDA())
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_large_table_is_judged_by_a_part_of_it():
    X, y = pages.numbers(4000, 2, 2)
    rare = np.r_[np.zeros(3900, int), np.ones(100, int)]
    part = Material.read(X, rare).sampled(1, most=1000)
    counts = np.bincount(part.codes)
    assert counts.tolist() == [975, 50]
    np.testing.assert_array_equal(part.X, X[part.rows])
    np.testing.assert_array_equal(part.y, rare[part.rows])
    other = Material.read(X, rare).sampled(2, most=1000)
    assert (part.rows != other.rows).any()
    whole = Material.read(X, y)
    assert whole.sampled(1) is whole


@pytest.mark.usefixtures("without_pictures")
def test_the_model_of_a_large_table_is_fitted_to_all_of_it(tmp_path, monkeypatch):
    X, y = pages.numbers(900, 2, 2)
    monkeypatch.setattr(Material.sampled, "__defaults__", (300,))
    report = sf.report(pd.DataFrame(X, columns=["a", "b"]), y, tmp_path / "a.html", model=sf.QDA())
    assert report.model.statistics_ == sf.summarize(pd.DataFrame(X, columns=["a", "b"]), y)
    assert (report.data.rows, report.data.judged, report.quality.tested) == (900, 300, 300)
    assert "300 rows drawn at random" in read(report).words
    p = report.model.outlier_pvalue(pd.DataFrame(X, columns=["a", "b"]))
    for one in report.atypical.rows:
        assert one.pvalue == pytest.approx(p[one.row])


@pytest.mark.parametrize(
    ("X", "y", "options", "why"),
    [
        (WINE, "kind", {}, "X has no column 'kind'"),
        (WINE.to_numpy(), "kind", {}, "ndarray without names"),
        (WINE, KINDS[:5], {}, "5 labels"),
        (WINE, KINDS, {"random_state": 0.5}, "random_state is 0.5"),
    ],
)
def test_what_cannot_be_reported_on_is_refused(X, y, options, why, tmp_path):
    with pytest.raises(InvalidInput, match=why):
        sf.report(X, y, tmp_path / "a.html", **options)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UnwritableFile, match="there is no folder"):
        sf.report(WINE, KINDS, tmp_path / "none" / "a.html")


def test_names_that_look_like_drawing_stay_as_they_are(tmp_path):
    X, y = pages.numbers(30, 2, 2)
    names = ['#010203 id="axes_1"', "font: 9px a; url(#b)"]
    report = sf.report(pd.DataFrame(X, columns=names), y, tmp_path / "a.html", model=sf.LDA())
    drawn = pages.Page(report.pictures["rows"].day).words
    for name in names:
        assert name in drawn


@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize("spoil", ["constant", "empty", "infinite", "integers", "index"])
def test_odd_columns_do_no_harm(spoil, tmp_path):
    X, y = pages.numbers(60, 3, 2)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    if spoil == "index":
        frame.index = np.arange(60) % 7
    elif spoil == "integers":
        frame.columns = [0, 1, 2]
    else:
        frame["c"] = {"constant": 1.0, "empty": np.nan, "infinite": np.inf}[spoil]
    report = sf.report(frame, y, tmp_path / "a.html", model=sf.GaussianNB())
    assert [one["id"] for one in read(report).named("section")] == SECTIONS
    refused = {"infinite": "infinity", "empty": "missing in every row"}
    if spoil in refused:
        assert refused[spoil] in report.failures["choice"]
    else:
        assert not report.failures
        assert report.atypical.rows[0].values


@pytest.mark.usefixtures("without_pictures")
def test_a_report_has_the_title_and_the_path_that_are_given(tmp_path):
    X, y = pages.numbers(20, 1, 2)
    made = sf.report(X, y, tmp_path / "a.html", model=sf.LDA(), title="So")
    assert (made.title, made.path) == ("So", tmp_path / "a.html")


def test_progress_of_a_report_grows_to_all(tmp_path):
    shares = []
    sf.report(
        *load_iris(return_X_y=True), tmp_path / "r.html", model=sf.LDA(), progress=shares.append
    )
    assert shares == sorted(shares)
    assert shares[0] < 0.5
    assert shares[-1] == 1.0


def test_names_with_control_characters_make_a_page_and_pictures_that_are_well_formed(tmp_path):
    labels = ("a\x00\x1b[31m", "$\\frac{$", "<b>&\u202e\n\ud800")
    rng = np.random.default_rng(0)
    codes = np.arange(90) % 3
    X = pd.DataFrame(rng.normal(size=(90, 2)) + codes[:, None], columns=["a\x07$\x9b", "]]>&\x1b"])
    y = np.array(labels, object)[codes]
    report = sf.report(X, y, tmp_path / "a.html", model=sf.LDA(), title="\x1b]0;x\x07")
    assert not report.failures
    text = report.path.read_text()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text)
    drawn = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    # Within a page the prefix is known.
    linked = '<svg xmlns:xlink="http://www.w3.org/1999/xlink"'
    parsed = [ElementTree.fromstring(svg.replace("<svg", linked, 1)) for svg in drawn]
    words = [" ".join(one.itertext()) for one in parsed]
    assert any(r"a\x07$\x9b" in one for one in words)
    assert any(r"$\frac{$" in one for one in words)
    assert r"a\x00\x1b[31m" in read(report).words
