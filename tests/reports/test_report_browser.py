"""Reports in a real browser: widths, themes, paper, keyboard, contrast, silence on the network."""

from __future__ import annotations

from itertools import pairwise

import pages
import pytest

import suffice as sf

PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 900}

# Each text of the page with its contrast to what is behind it (WCAG 2).
CONTRASTS = """
() => {
  const rgba = text => {
    const found = text.match(/[\\d.]+/g).map(Number);
    return found.length > 3 ? found : [...found, 1];
  };
  const over = (top, below) => [0, 1, 2].map(i => top[3] * top[i] + (1 - top[3]) * below[i]);
  const light = colour => {
    const part = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(colour[0]) + 0.7152 * part(colour[1]) + 0.0722 * part(colour[2]);
  };
  const behind = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement)
      layers.push(rgba(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const out = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const style = getComputedStyle(element);
    if (!walker.currentNode.data.trim() || !element.getClientRects().length) continue;
    // Numbers of the confusion matrix stand on cells of their own.
    if (element.closest("#picture-confusion svg")) continue;
    const svg = element.closest("svg");
    const ground = behind(svg ? svg.parentElement : element);
    const ink = over(rgba(svg ? style.fill : style.color), ground);
    const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x);
    out.push([walker.currentNode.data.trim().slice(0, 40), (a + 0.05) / (b + 0.05)]);
  }
  return out;
}
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    X, y = pages.numbers(200, 5, 20)
    names = [f"a rather long class name {i:02d}" for i in range(20)]
    many = [names[c] for c in y]
    made = {
        "hostile": sf.report(
            pages.hostile(), pages.TARGET, folder / "hostile.html", model=sf.MixedNB()
        ),
        "plane": sf.report(*pages.numbers(60, 2, 3), folder / "plane.html"),
        "many": sf.report(X, many, folder / "many.html", model=sf.LDA()),
    }
    return {name: report.path for name, report in made.items()}


@pytest.fixture
def opened(new_context, files):
    """Opens a page; whatever it says on the console or asks the network for is remembered."""
    noise = []

    def open_page(name, size=DESK, scheme="light"):
        found = new_context(viewport=size, color_scheme=scheme).new_page()
        found.on("console", lambda message: noise.append(message.text))
        found.on("pageerror", lambda error: noise.append(str(error)))
        found.on("dialog", lambda dialog: noise.append(dialog.message))
        found.on("request", lambda asked: noise.append(asked.url[:200]))
        found.goto(files[name].as_uri())
        found.wait_for_load_state("networkidle")
        shown = noise.copy()
        noise.clear()
        own = files[name].as_uri()
        return found, [one for one in shown if one != own and not one.startswith("data:")]

    return open_page


@pytest.mark.parametrize("name", ["hostile", "plane", "many"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_the_page_fits_its_window_and_is_silent(opened, name, size):
    found, noise = opened(name, size)
    assert noise == []
    assert found.evaluate("document.documentElement.scrollWidth") <= size["width"]
    wide = found.evaluate(
        "[...document.querySelectorAll('body *')]"
        ".filter(e => !e.closest('.scroll, pre, svg, .skip')"
        " && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 99))"
    )
    assert wide == []


@pytest.mark.parametrize("name", ["hostile", "plane", "many"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_background(opened, name, scheme):
    found, _ = opened(name, DESK, scheme)
    contrasts = found.evaluate(CONTRASTS)
    assert len(contrasts) > 100
    assert [one for one in contrasts if one[1] < 4.5] == []


def test_dark_is_dark_and_paper_is_light(opened):
    found, _ = opened("plane", DESK, "dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    shown = "[...document.querySelectorAll('#picture-regions svg')].map(e => e.checkVisibility())"
    assert found.evaluate(ground) == "rgb(21, 24, 28)"
    assert found.evaluate(shown) == [False, True]
    found.emulate_media(media="print")
    assert found.evaluate(ground) == "rgb(255, 255, 255)"
    assert found.evaluate(shown) == [True, False]
    assert not found.locator("nav").is_visible()


def test_landmarks_headings_and_names_for_those_who_do_not_see(opened):
    found, _ = opened("hostile")
    for role in ("banner", "navigation", "main", "contentinfo"):
        assert found.get_by_role(role).count() == 1
    assert found.locator("html").get_attribute("lang") == "en"
    levels = found.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(e => +e.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    pictures = found.get_by_role("img")
    assert pictures.count() == found.locator("figure").count() >= 4
    assert all(len(one.get_attribute("aria-label")) > 40 for one in pictures.all())
    tables = found.locator("table").count()
    assert found.locator("table > caption").count() == tables
    assert found.locator("thead th:not([scope=col]), tbody th:not([scope=row])").count() == 0
    unnamed = found.evaluate(
        "[...document.querySelectorAll('[tabindex=\"0\"]')].filter(e => !e.ariaLabel).length"
    )
    assert unnamed == 0


def test_links_lead_within_the_page_and_focus_is_seen(opened):
    found, _ = opened("plane", PHONE)
    found.keyboard.press("Tab")
    first = found.locator(":focus")
    assert first.inner_text() == "Skip to the content"
    assert first.bounding_box()["x"] >= 0
    outline = "getComputedStyle(document.activeElement).outlineWidth"
    assert found.evaluate(outline) == "3px"
    found.keyboard.press("Enter")
    assert found.url.endswith("#content")
    lost = found.evaluate(
        "[...document.querySelectorAll('a')].filter(e => !document.querySelector("
        "e.getAttribute('href'))).length"
    )
    assert lost == 0


@pytest.mark.parametrize("left_out", [0, 1])
def test_no_half_of_a_row_of_pictures_is_empty(opened, left_out):
    found, _ = opened("plane", DESK)
    for _ in range(left_out):
        found.evaluate("document.querySelector('.pictures > figure:last-child').remove()")
    edges = found.evaluate(
        "[...document.querySelectorAll('.pictures > figure')].map(e => {"
        " const box = e.getBoundingClientRect(); return [box.top, box.left, box.right]; })"
    )
    whole = found.evaluate("document.querySelector('.pictures').getBoundingClientRect().right")
    rows = {}
    for top, _, right in edges:
        rows[top] = max(rows.get(top, 0), right)
    assert len(edges) >= 4
    assert all(right == pytest.approx(whole, abs=1) for right in rows.values())


def test_tables_and_code_wider_than_a_phone_show_that_they_scroll(opened):
    found, _ = opened("hostile", PHONE)
    wide = found.evaluate(
        "[...document.querySelectorAll('.scroll, pre')].filter(e => e.scrollWidth > e.clientWidth)"
        ".map(e => { const s = getComputedStyle(e);"
        " return [s.backgroundImage.split('gradient').length - 1, s.backgroundAttachment]; })"
    )
    assert wide
    assert all(one == [4, "local, local, scroll, scroll"] for one in wide)
    # Nothing opaque lies on the shadows.
    opaque = found.evaluate(
        "[...document.querySelectorAll('.scroll *')].map(e => getComputedStyle(e).backgroundColor)"
        ".filter(c => c.startsWith('rgb('))"
    )
    assert opaque == []


def test_texts_of_pictures_can_be_read_on_a_phone(opened):
    found, _ = opened("plane", PHONE)
    heights = found.evaluate(
        "[...document.querySelectorAll('figure svg text')].filter(e => e.checkVisibility())"
        ".map(e => e.getBoundingClientRect().height)"
    )
    assert min(heights) > 8
