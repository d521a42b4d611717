"""Presets: the links of the lecture show what they say."""

from __future__ import annotations

import html
import re
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice.web.explore import explorer_page
from suffice.web.presets import PRESETS, preset_datasets

DOCS = Path(__file__).parents[2] / "docs"
MINUS = "\N{MINUS SIGN}"
PAGES = ("lecture.md", "guides/teaching.md")


def links(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    return [html.unescape(found) for found in re.findall(r'explorer\.html#([^"]+)', text)]


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_the_pages_is_a_preset(page):
    found = links(page)
    assert len(found) >= 12
    assert set(found) <= {one.hash for one in PRESETS}


def test_the_lesson_has_ten_links_or_more():
    assert len(links("guides/teaching.md")) >= 10


@pytest.fixture(scope="module")
def lecture(tmp_path_factory):
    return explorer_page(None, None).save(tmp_path_factory.mktemp("presets") / "lecture.html")


def fit(page, title):
    return page.locator("dl div", has_text=title).locator("dd").inner_text()


def test_every_link_of_the_lesson_shows_what_the_lesson_says(visit, lecture):
    text = (DOCS / "guides" / "teaching.md").read_text(encoding="utf-8")
    counts = {}
    for item in re.split(r'(?=<a href="../explorer.html#)', text)[1:]:
        link = html.unescape(re.match(r'<a href="../explorer.html#([^"]+)', item)[1])
        page = visit(lecture, "#" + link)
        assert page.locator(".message").is_hidden(), link
        said = re.search(r"(\d+)\s+errors|there are (\d+)", item)
        if said:
            counts[link] = int(said[1] or said[2])
            assert fit(page, "Training errors").startswith(f"{counts[link]} of "), link
        if "x1 = 2" in item:
            assert page.locator(".equation math").text_content() == "x1=2"
            assert page.locator(".bars .value").all_inner_texts() == ["0.5000", "0.5000"]
    assert sorted(counts.values()) == [3, 30, 108, 112, 113, 114]


# What the lecture says of each preset: errors, equation, conic, posterior at the chosen point.
SAID = {
    "qda": (
        "108 of 500",
        "0.2126·x1² - 1.667·x1·x2 + 0.1274·x2² + 0.3846·x1 + 1.464·x2 + 0.1004 = 0",
        "a hyperbola",
        None,
    ),
    "lda": ("114 of 500", "0.5736·x1 + 1.452·x2 + 0.5488 = 0", "a line", None),
    "naive": ("113 of 500", None, "an ellipse", None),
    "diagonal": ("112 of 500", None, "a line", None),
    "posterior": ("108 of 500", None, "a hyperbola", ["0.4749", "0.5251"]),
    "odds": ("230 of 500", "-0.5736·x1 - 1.452·x2 + 1.648 = 0", "a line", ["0.8387", "0.1613"]),
    "exercise": ("—", "x1 = 2", "a line", ["0.5000", "0.5000"]),
    "columns": ("30 of 150", None, "a hyperbola", None),
    "iris": ("3 of 150", None, "a hyperbola", None),
    "axes": ("3 of 150", None, "a line", None),
}


@pytest.mark.parametrize("name", SAID)
def test_a_preset_shows_what_the_lecture_says(visit, lecture, name):
    (preset,) = (one for one in PRESETS if one.name == name)
    errors, equation, conic, posterior = SAID[name]
    page = visit(lecture, "#" + preset.hash)
    assert page.get_by_label("Lesson").evaluate("one => one.value") == preset.hash
    assert fit(page, "Training errors").startswith(errors)
    assert conic in page.locator(".part-boundary").inner_text()
    if equation:
        text = "".join(page.locator(".equation").text_content().split())
        assert text == equation.replace(" ", "").replace("-", MINUS).replace("²", "2")
    if posterior:
        assert page.locator(".bars .value").all_inner_texts() == posterior


def test_every_number_has_its_formula(visit, lecture):
    page = visit(lecture, "#data=iris&pooling=1&view=axes")
    for part in ("model", "view", "chosen", "boundary", "fit"):
        formula = page.locator(f".part-{part} details.formula")
        formula.locator("summary").click()
        assert formula.locator("math").first.is_visible(), part


def test_presets_have_their_own_names_and_data():
    names = {one.name for one in preset_datasets()}
    assert len({one.name for one in PRESETS}) == len(PRESETS)
    assert {re.search(r"data=([\w-]+)", one.hash)[1] for one in PRESETS} <= names


def test_the_lecture_table_is_that_of_the_reference():
    (notes,) = (one for one in preset_datasets() if one.name == "notes3b")
    reference = Path(__file__).parents[1] / "reference" / "notes3b.csv"
    table = np.loadtxt(reference, delimiter=",", skiprows=1)
    np.testing.assert_array_equal(notes.rows, table[:, :2])
    assert (
        int((sf.QDA().fit(notes.rows, notes.codes).predict(notes.rows) != notes.codes).sum()) == 108
    )


def test_every_preset_opens_without_a_complaint(visit, lecture):
    page = visit(lecture)
    for preset in PRESETS:
        page.get_by_label("Lesson").select_option(label=preset.title)
        page.evaluate(
            "() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"
        )
        assert page.locator(".message").is_hidden(), preset.name
        assert page.locator(".equation math").count() > 0, preset.name
