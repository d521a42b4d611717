"""Explore from Python and from the command line: pages, servers, widgets, refusals."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
import webbrowser

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import suffice as sf
from suffice.errors import InvalidFeatures, InvalidInput, InvalidParameter
from suffice.web.dataset import MOST_ROWS
from suffice.web.explore import explorer_page
from suffice.web.page import policy


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)


def held(page):
    """The first dataset that a page holds."""
    text = re.search(r'id="suffice-data">(.*?)</script>', page, re.DOTALL)[1]
    return json.loads(text)["datasets"][0]


def test_a_path_writes_one_file_and_opens_nothing(iris, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    made = sf.explore(*iris, tmp_path / "iris.html", model=sf.LDA())
    text = (tmp_path / "iris.html").read_text()
    assert text == made.html
    assert opened == []
    assert held(text)["settings"] == {
        "structure": "full",
        "pooling": 1.0,
        "shrinkage": 0.0,
        "ddof": 0,
        "priors": None,
    }
    assert not re.search(r'(src|href)="?http', text)
    assert policy() in text


def test_without_a_path_a_browser_opens_a_file(iris, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    sf.explore(*iris)
    assert len(opened) == 1
    assert opened[0].startswith("file://")


def test_statistics_only_keeps_rows_out(iris, tmp_path):
    sf.explore(*iris, tmp_path / "iris.html", statistics_only=True)
    found = held((tmp_path / "iris.html").read_text())
    assert found["rows"] is None
    assert found["codes"] is None
    s = sf.summarize(*iris)
    np.testing.assert_array_equal(found["statistics"]["mean"], s.mean.ravel())
    np.testing.assert_array_equal(found["statistics"]["scatter"], s.scatter.ravel())


def test_many_rows_are_sampled_and_their_statistics_are_of_all():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(MOST_ROWS + 5000, 2)), rng.integers(0, 3, MOST_ROWS + 5000)
    (found,) = explorer_page(X, y).datasets
    assert len(found.rows) == MOST_ROWS
    assert found.count == len(X)
    assert found.statistics == sf.summarize(X, y)
    assert "25,000 rows" in found.notes[0]


def test_a_model_alone_is_a_page_of_its_statistics_or_parameters(iris):
    fitted = held(explorer_page(None, None, sf.QDA().fit(*iris)).html)
    assert fitted["rows"] is None
    assert fitted["count"] == 150
    known = sf.LDA.from_parameters([[4, 3], [0, 1]], [[1, 0.5], [0.5, 1]], classes=["+", "-"])
    found = held(explorer_page(None, None, known).html)
    assert found["known"]["means"] == [[4, 3], [0, 1]]
    assert found["labels"] == ["+", "-"]
    assert found["settings"]["priors"] == "uniform"


def test_levels_become_indicators_and_gaps_are_counted():
    table = pd.DataFrame(
        {
            "height": [1.0, 2.0, None, 4.0, 5.0, 6.5],
            "leaf": ["round", "long", "long", "long", "round", "round"],
            "same": [1.0] * 6,
            "kind": ["a", "a", "a", "b", "b", "b"],
        }
    )
    (found,) = explorer_page(table, "kind").datasets
    assert found.features[0] == "height"
    assert len(found.rows) == 5
    assert any("1 row with missing values" in note for note in found.notes)
    assert any("same" in note for note in found.notes)


def test_a_column_that_is_mostly_missing_does_not_take_the_rows_with_it():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"height": rng.normal(size=40), "remark": [None] * 30 + ["tall"] * 10})
    (found,) = explorer_page(table, np.arange(40) % 2).datasets
    assert (found.count, found.features) == (40, ("height",))
    assert found.notes == ("Left out because most of their values are missing: 'remark'.",)


def test_features_that_depend_on_each_other_begin_with_a_model_that_exists(iris):
    X, y = iris
    (plain,) = explorer_page(X, y).datasets
    (doubled,) = explorer_page(np.column_stack([X, X[:, 0] + X[:, 1]]), y).datasets
    assert plain.settings == {}
    assert plain.notes == ()
    assert doubled.settings == {"structure": "diagonal", "shrinkage": 0.0}
    assert "begins with a diagonal structure" in doubled.notes[-1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda X, y: (X, None), "y is missing"),
        (lambda X, y: (X, y[:5]), "150 rows but y has 5"),
        (lambda X, y: (X * np.nan, y), "every row has a missing value"),
        (lambda X, y: (X * 0, y), "no feature varies"),
        (lambda X, y: (X, np.arange(150)[::-1] * 2), None),
        (lambda X, y: (np.repeat(X, 2, axis=0), np.arange(300)), "300 classes"),
        (lambda X, y: (np.random.default_rng(0).normal(size=(150, 900)), y), "too many for a page"),
        (lambda X, y: (np.where(X > 7, np.inf, X), y), "infinit"),
        (lambda X, y: ([], []), "2D array"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_words(iris, tmp_path, given, words):
    X, y = given(*iris)
    path = tmp_path / "page.html"
    if words is None:
        sf.explore(X, y, path)
        assert path.exists()
        return
    with pytest.raises(InvalidInput, match=words):
        sf.explore(X, y, path)
    assert not path.exists()


@pytest.mark.parametrize(
    "model",
    [
        sf.MixedNB(),
        3,
        sf.LDA(shrinkage="oas"),
        sf.GaussianDiscriminant(shrinkage=0.1, target="diagonal"),
        sf.GaussianDiscriminant(inflation=1.2),
        sf.UnskewedDiscriminant(),
        sf.QDA(ddof=2),
        sf.QDA(priors=[0.2, 0.3, 0.5]),
    ],
)
def test_models_that_the_page_does_not_show_are_refused(iris, tmp_path, model):
    with pytest.raises(InvalidParameter):
        sf.explore(*iris, tmp_path / "page.html", model=model)


def test_a_fitted_model_brings_its_priors(iris):
    model = sf.QDA(priors=[0.2, 0.3, 0.5]).fit(*iris)
    assert held(explorer_page(*iris, model).html)["settings"]["priors"] == [0.2, 0.3, 0.5]


def test_a_notebook_gets_a_widget_and_a_frame(iris):
    pytest.importorskip("anywidget")
    made = explorer_page(*iris)
    data, _ = made._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/html"].startswith("<iframe")
    assert 'sandbox="allow-scripts' in data["text/html"]
    from suffice.web.widget import widget

    one = widget(made)
    assert json.loads(one.payload)["datasets"][0]["count"] == 150
    assert "export default" in one._esm


def test_the_widget_draws_in_a_browser(new_context, iris):
    pytest.importorskip("anywidget")
    from suffice.web.widget import widget

    one = widget(explorer_page(*iris))
    page = new_context().new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.set_content("<div id='cell'></div>")
    page.evaluate(
        """async ([code, values]) => {
          const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
          const made = await import(url);
          const model = { get: name => values[name] };
          made.default.render({ model, el: document.getElementById("cell") });
        }""",
        [str(one._esm), {"css": one.css, "code": one.code, "payload": one.payload}],
    )
    page.locator("dl dd").first.wait_for()
    expected = f"{sf.QDA().fit(*iris).log_likelihood():.6f}".replace("-", "\N{MINUS SIGN}")
    page.get_by_text(expected).wait_for()
    assert page.locator(".bars li").count() == 3
    assert problems == []


def test_the_frame_of_a_notebook_draws(new_context, iris):
    page = new_context().new_page()
    page.set_content(str(explorer_page(*iris)._repr_html_()))
    frame = page.frame_locator("iframe")
    frame.locator(".bars li").first.wait_for()
    assert frame.locator(".bars li").count() == 3


@pytest.fixture
def csv(tmp_path):
    table = load_iris(as_frame=True).frame
    table["species"] = table.pop("target").map(dict(enumerate(load_iris().target_names)))
    path = tmp_path / "iris.csv"
    table.to_csv(path, index=False)
    return path


def test_the_command_writes_a_page(csv, tmp_path):
    from typer.testing import CliRunner

    from suffice.cli.app import app

    out = tmp_path / "page.html"
    words = ["explore", str(csv), "--target", "species", "--out", str(out), "--statistics-only"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    found = held(out.read_text())
    assert found["labels"] == ["setosa", "versicolor", "virginica"]
    assert found["rows"] is None
    lda = tmp_path / "lda.suffice"
    table = pd.read_csv(csv)
    sf.LDA().fit(table, "species").save(lda)
    words = ["explore", str(csv), "--model", str(lda), "--out", str(out)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert held(out.read_text())["settings"]["pooling"] == 1.0
    assert CliRunner().invoke(app, ["explore", "--out", str(out)]).exit_code == 0
    assert held(out.read_text())["name"] == "notes3b"


@pytest.mark.parametrize(
    "words",
    [
        ["explore", "{csv}", "--out", "{out}"],
        ["explore", "{csv}", "--target", "kind", "--out", "{out}"],
        ["explore", "--target", "species", "--out", "{out}"],
        ["explore", "missing.csv", "--target", "species", "--out", "{out}"],
        ["explore", "{csv}", "--target", "species", "--out", "no/such/folder.html"],
        ["explore", "{csv}", "--target", "species", "--port", "70000"],
    ],
)
def test_the_command_refuses_in_one_line(csv, tmp_path, words):
    from typer.testing import CliRunner

    from suffice.cli.app import app

    out = tmp_path / "page.html"
    done = CliRunner().invoke(app, [one.format(csv=csv, out=out) for one in words])
    assert done.exit_code != 0
    assert "Traceback" not in done.output
    assert not out.exists()


def test_the_command_serves_its_page_to_the_browser_it_names(csv, new_context):
    pytest.importorskip("uvicorn")
    words = ["explore", str(csv), "--target", "species", "--no-browser"]
    process = subprocess.Popen(
        [sys.executable, "-m", "suffice", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        line = ""
        while "http" not in line:
            line = process.stdout.readline()
            assert line or process.poll() is None, "the server ended"
        address = re.search(r"http://127\.0\.0\.1:\d+/#token=[\w-]+", line)[0]
        page = new_context().new_page()
        problems = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        for _ in range(300):
            try:
                page.goto(address)
                break
            except Exception:
                time.sleep(0.2)
        page.locator(".part-asking").wait_for()
        assert "token" not in page.evaluate("location.href")
        page.get_by_role("button", name="Leave-one-out along pooling").click()
        page.get_by_text("smallest at pooling").wait_for()
        page.get_by_role("button", name="Other models").click()
        page.get_by_text("two Gaussians per class").wait_for()
        page.reload()
        page.locator(".part-asking").wait_for()
        stranger = new_context().new_page()
        stranger.goto(address.partition("#")[0])
        stranger.get_by_text("cannot be shown").wait_for()
        assert problems == []
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
        process.stdout.close()


def test_a_report_links_to_its_explorer_when_asked(csv, tmp_path):
    table = pd.read_csv(csv)
    out = tmp_path / "a report.html"
    plain = sf.report(table, "species", out, model=sf.LDA())
    assert plain.explorer is None
    assert "explorer.html" not in out.read_text()
    found = sf.report(table, "species", out, model=sf.LDA(), explore=True)
    assert found.explorer == tmp_path / "a report.explorer.html"
    assert 'href="a%20report.explorer.html"' in out.read_text()
    assert held(found.explorer.read_text())["settings"]["pooling"] == 1.0


def test_a_report_says_why_it_has_no_explorer(tmp_path):
    from suffice.reports.material import Material
    from suffice.reports.page import explorer_link, write_explorer

    data = Material.read(np.random.default_rng(0).normal(size=(600, 2)), np.arange(600) % 300)
    why = write_explorer(tmp_path / "page.html", data, "Report", sf.LDA())
    assert "300 classes" in why
    assert "300 classes" in explorer_link(why)
    assert not (tmp_path / "page.html").exists()


def test_numbers_beyond_what_the_page_can_multiply_are_refused():
    X, y = load_iris(return_X_y=True)
    X[3, 1] = 1e120
    with pytest.raises(InvalidFeatures, match=r"column 'x2' holds numbers beyond 1e\+100"):
        explorer_page(X, y)
