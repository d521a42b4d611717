"""Presets: the links of the lecture show what they say."""

from __future__ import annotations

import html
import re
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice.web.presets import PRESETS, preset_datasets

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("lecture.md", "guides/teaching.md")


def links(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    return [html.unescape(found) for found in re.findall(r'explorer\.html#([^"]+)', text)]


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_the_pages_is_a_preset(page):
    found = links(page)
    assert len(found) >= 8
    assert set(found) <= {one.hash for one in PRESETS}


def test_the_lesson_has_ten_links_or_more():
    assert len(links("guides/teaching.md")) >= 10


def test_every_link_of_the_lesson_shows_what_the_lesson_says(visit, tmp_path):
    path = sf.explore(path=tmp_path / "lecture.html").save(tmp_path / "lecture.html")
    text = (DOCS / "guides" / "teaching.md").read_text(encoding="utf-8")
    counts = {}
    for item in re.split(r"\n(?=\d+\. )", text)[1:]:
        for link in re.findall(r'explorer\.html#([^"]+)', item):
            page = visit(path, "#" + html.unescape(link))
            assert page.locator(".message").is_hidden(), link
            said = re.search(r"(\d+)\s+errors", item)
            if said:
                errors = page.locator("dl div", has_text="Training errors").locator("dd")
                counts[link] = int(said[1])
                assert errors.inner_text().startswith(f"{said[1]} of 500"), link
            if "x1 = 2" in item:
                assert page.locator(".equation math").text_content() == "x1=2"
                assert page.locator(".bars .value").all_inner_texts() == ["0.5000", "0.5000"]
    assert sorted(counts.values()) == [108, 112, 113, 114]


def test_presets_have_their_own_names_and_data():
    names = {one.name for one in preset_datasets()}
    assert len({one.name for one in PRESETS}) == len(PRESETS)
    assert {re.search(r"data=(\w+)", one.hash)[1] for one in PRESETS} <= names


def test_the_lecture_table_is_that_of_the_reference():
    (notes,) = (one for one in preset_datasets() if one.name == "notes3b")
    reference = Path(__file__).parents[1] / "reference" / "notes3b.csv"
    table = np.loadtxt(reference, delimiter=",", skiprows=1)
    np.testing.assert_array_equal(notes.rows, table[:, :2])
    assert (
        int((sf.QDA().fit(notes.rows, notes.codes).predict(notes.rows) != notes.codes).sum()) == 108
    )


def test_every_preset_opens_without_a_complaint(visit, tmp_path):
    path = sf.explore(path=tmp_path / "lecture.html").save(tmp_path / "lecture.html")
    page = visit(path)
    for preset in PRESETS:
        page.get_by_label("Lesson").select_option(label=preset.title)
        page.evaluate(
            "() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"
        )
        assert page.locator(".message").is_hidden(), preset.name
        assert page.locator(".equation math").count() > 0, preset.name
