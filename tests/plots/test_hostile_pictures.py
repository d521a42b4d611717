"""Pictures of data whose names are no text for pictures: they are drawn all the same."""

from __future__ import annotations

import io
import os
import stat
import xml.etree.ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice import plots
from suffice.errors import InvalidParameter, UnwritableFile

LABELS = ("a\x00\x1b[31m", "$\\frac{$", "<b>&\u202e\n\ud800")
COLUMNS = ("cost ($)<\x07", "$\\oops{&\x9b$")


@pytest.fixture(scope="module")
def data():
    """Rows, labels and a model of them."""
    rng = np.random.default_rng(0)
    codes = np.arange(90) % 3
    X = pd.DataFrame(rng.normal(size=(90, 2)) + codes[:, None], columns=COLUMNS)
    y = np.array(LABELS, object)[codes]
    return X, y, sf.LDA().fit(X, y)


COARSE = {"resolution": 12}

DISPLAYS = {
    "classes": lambda X, y, m: plots.ClassesDisplay.from_estimator(m, X, y),
    "rows": lambda X, y, m: plots.ClassesDisplay.from_data(X, y),
    "regions": lambda X, y, m: plots.RegionsDisplay.from_estimator(m, X, y, **COARSE),
    "density": lambda X, y, m: plots.DensityDisplay.from_estimator(m, X, y, **COARSE),
    "surface": lambda X, y, m: plots.SurfaceDisplay.from_estimator(m, X, **COARSE),
    "curves": lambda X, y, m: plots.CurvesDisplay.from_estimator(m, X, y, feature=0),
    "panels": lambda X, y, m: plots.PanelsDisplay.from_estimator(m, X, y, **COARSE),
    "models": lambda X, y, m: plots.ModelsDisplay.from_data(X, y, **COARSE),
    "whitened": lambda X, y, m: plots.WhitenedDisplay.from_estimator(m, X, y),
    "projection": lambda X, y, m: plots.ProjectionDisplay.from_estimator(m, X, y),
    "quantiles": lambda X, y, m: plots.QuantilesDisplay.from_data(X, y),
    "reliability": lambda X, y, m: plots.ReliabilityDisplay.from_predictions(
        y, m.predict_proba(X), curves="each"
    ),
    "confusion": lambda X, y, m: plots.ConfusionDisplay.from_predictions(y, m.predict(X)),
    "contributions": lambda X, y, m: plots.ContributionsDisplay.from_estimator(m, X, row=0),
    "priors": lambda X, y, m: plots.PriorsDisplay.from_estimator(m, X, y, priors=[0.2, 0.5]),
}

# Those that name no class or no column.
NAMELESS = ("density", "surface", "quantiles", "projection", "reliability", "confusion")


@pytest.mark.parametrize("name", DISPLAYS)
def test_every_picture_is_well_formed_and_shows_the_names(data, tmp_path, name):
    shown = DISPLAYS[name](*data)
    shown.save(tmp_path / "picture.svg")
    by_hand = io.BytesIO()
    with plt.rc_context({"svg.fonttype": "none"}):
        shown.figure_.savefig(by_hand, format="svg")
    for source in (tmp_path / "picture.svg", io.BytesIO(by_hand.getvalue())):
        text = " ".join(ET.parse(source).getroot().itertext())
        if name not in NAMELESS:
            assert r"cost ($)<\x07" in text
        if name in ("classes", "regions", "panels", "models", "confusion"):
            assert r"a\x00\x1b[31m" in text
            assert r"$\frac{$" in text
            assert r"<b>&\u202e\n\ud800" in text


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_every_format_takes_such_names(data, tmp_path, ending):
    DISPLAYS["panels"](*data).save(tmp_path / f"picture.{ending}", dpi=40)
    assert (tmp_path / f"picture.{ending}").read_bytes()[1:4] == ending.upper().encode()


def test_a_title_may_still_be_a_formula(data):
    shown = plots.ClassesDisplay.from_data(*data[:2], title="$\\mu_1$ and \x1b")
    assert shown.ax_.get_title(loc="left") == "$\\mu_1$ and \\x1b"


@pytest.fixture
def picture(data):
    """A picture that was drawn."""
    return plots.ClassesDisplay.from_data(*data[:2])


def test_pictures_are_written_as_all_files_are(picture, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "v1.svg"
    file.write_text("old")
    file.chmod(0o640)
    os.symlink("v1.svg", "latest.svg")
    picture.save("latest.svg")
    assert os.readlink("latest.svg") == "v1.svg"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    ET.parse(file)
    os.mkfifo("pipe.svg")
    with pytest.raises(UnwritableFile, match=r"^pipe\.svg is a named pipe"):
        picture.save("pipe.svg")
    with pytest.raises(UnwritableFile, match="no folder"):
        picture.save("none/a.svg")


def test_the_format_is_chosen_as_matplotlib_does(picture, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    picture.save("plain")
    picture.save("a.b.svg")
    picture.save("odd.name", format="svg")
    opened = io.BytesIO()
    picture.save(opened, format="png")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.b.svg", "odd.name", "plain.png"]
    ET.parse("odd.name")
    assert opened.getvalue().startswith(b"\x89PNG")


def test_a_label_that_starts_with_an_underscore_is_in_the_legend():
    rng = np.random.default_rng(0)
    y = np.array(["_rest", "b"])[np.arange(40) % 2]
    X = rng.normal(size=(40, 2)) + 2 * (np.arange(40) % 2)[:, None]
    drawn = sf.plots.RegionsDisplay.from_estimator(sf.LDA().fit(X, y), X, y)
    texts = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert texts == ["'_rest'", "b"]


@pytest.mark.parametrize(("path", "said"), [(None, "name of a file"), ("a.junk", "ending 'junk'")])
def test_a_picture_that_cannot_be_written_is_refused_in_a_sentence(path, said, tmp_path):
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    drawn = sf.plots.RegionsDisplay.from_estimator(sf.LDA().fit(X, y), X, y)
    with pytest.raises(InvalidParameter, match=said):
        drawn.save(None if path is None else tmp_path / path)
