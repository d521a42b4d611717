"""Hands that do anything: no order of drags, keys, clicks, choices and links breaks the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from suffice.web.explore import explorer_page

HANDS = (Path(__file__).parent / "random_hands.js").read_text(encoding="utf-8")
STATE = "globalThis.sufficeExplorer"


@pytest.fixture(scope="module")
def lecture(tmp_path_factory):
    return explorer_page(None, None).save(tmp_path_factory.mktemp("random") / "lecture.html")


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_nothing_that_hands_do_breaks_the_page(visit, lecture, seed):
    page = visit(lecture)
    done, wrong = page.evaluate(HANDS, [seed, 120])
    assert wrong == []
    assert done > 60


def test_what_is_held_is_let_go_when_another_lesson_is_opened(visit, lecture):
    page = visit(lecture, "#data=penguins&pooling=0")
    page.evaluate(f"{STATE}.hands.take('mean:1', 'keys')")
    page.evaluate(f"{STATE}.open('data=notes3b&pooling=0')")
    page.evaluate(f"{STATE}.hands.moveTo({{ x: 0, y: 0 }})")
    assert page.evaluate(f"{STATE}.lesson.known") is None


def test_between_classes_of_prior_zero_there_are_no_odds(visit, lecture):
    page = visit(lecture, "#data=iris&priors=0,0,1&pair=0,1")
    assert page.locator(".words").is_hidden()
    assert page.locator(".parts .value").all_inner_texts() == ["—"] * 5
    page = visit(lecture, "#data=iris&pooling=1&priors=0,0.5,0.5&pair=0,1&row=0")
    assert "log-odds inf (probability 100.0% of the two)" in page.locator(".words").inner_text()
