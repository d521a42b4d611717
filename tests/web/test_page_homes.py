"""The explorer in its three homes: accessible, still, and drawn twenty times on one page."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import product

import pytest
from sklearn.datasets import load_iris

import suffice as sf
from lawful import few
from suffice.web.explore import explorer_page

HOMES = ("file", "server", "notebook")
LOOKS = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
DRAWN = """() => [...document.querySelectorAll(".home")].filter(one => {
  const canvas = (one.shadowRoot ?? one).querySelector("canvas.points");
  return canvas?.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(v => v);
}).length"""


@pytest.fixture(scope="module")
def axe():
    """The source of axe-core, which a package of PyPI holds."""
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made():
    X, y = load_iris(return_X_y=True)
    return explorer_page(X, y, sf.QDA())


@pytest.fixture(scope="module")
def served(made, running):
    """The address of the page on a local server."""
    from suffice.web.server import Site

    def site(port):
        return Site(made, port, "token-of-the-test")

    with running(lambda port: site(port).app) as port:
        yield site(port).address


def notebook(page, made, count=1):
    """Widgets as a notebook makes them: the module of the widget, and a model with its values."""
    pytest.importorskip("anywidget")
    from suffice.web.widget import widget

    one = widget(made)
    values = {"css": one.css, "code": one.code, "payload": one.payload}
    page.set_content(
        '<!DOCTYPE html><html lang="en"><meta name="color-scheme" content="light dark">'
        "<title>Notebook</title><main><h1>Notebook</h1></main></html>"
    )
    page.evaluate(
        """async ([source, values, count]) => {
          const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
          const { default: made } = await import(url);
          for (let i = 0; i < count; i++) {
            const el = document.querySelector("main").appendChild(document.createElement("div"));
            el.className = "home";
            made.render({ model: { get: name => values[name] }, el });
          }
        }""",
        [str(one._esm), values, count],
    )
    page.wait_for_function(f"({DRAWN})() === {count}")


@pytest.fixture
def at_home(new_context, made, request, tmp_path):
    """A page in one of the homes; it must raise no error."""
    problems = []

    def at_home(home, **options):
        page = new_context(**{"viewport": {"width": 1280, "height": 900}, **options}).new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        if home == "notebook":
            notebook(page, made)
            return page
        path = made.save(tmp_path / "page.html").as_uri()
        page.goto(path if home == "file" else request.getfixturevalue("served"))
        page.wait_for_function("() => globalThis.sufficeExplorer?.frameTimes.length > 0")
        return page

    yield at_home
    assert problems == []


@few(
    "home, look",
    product(HOMES, LOOKS),
    [("file", "dark"), ("server", "phone"), ("notebook", "light"), ("notebook", "dark")],
)
def test_axe_finds_no_violation(at_home, axe, home, look):
    page = at_home(home, **LOOKS[look])
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    page.evaluate(axe)
    found = page.evaluate("() => axe.run()")
    reported = [
        {"rule": one["id"], "where": [node["html"][:200] for node in one["nodes"]][:4]}
        for one in found["violations"]
    ]
    assert reported == [], json.dumps(reported, indent=1)
    assert len(found["passes"]) > 10


def test_python_is_asked_only_about_rows_that_it_has(new_context, running, tmp_path):
    from suffice.web.server import Site

    X, y = load_iris(return_X_y=True)
    for only in (False, True):
        made = explorer_page(X, y, sf.QDA(), statistics_only=only)
        with running(lambda port, made=made: Site(made, port, "token").app) as port:
            page = new_context().new_page()
            page.goto(Site(made, port, "token").address)
            page.wait_for_function("() => globalThis.sufficeExplorer?.frameTimes.length > 0")
            asking = page.locator(".part-asking")
            choose = page.get_by_role("button", name="Leave-one-out along pooling")
            assert choose.is_disabled() == only
            assert ("take rows" in asking.inner_text()) == only
            if only:
                continue
            choose.click()
            page.wait_for_selector(".part-asking svg")
            page.get_by_role("button", name="Remove this row").click()
            assert page.locator(".part-asking .result.stale").count() == 1
            own = tmp_path / "own.csv"
            own.write_text("a,kind\n1,x\n2,y\n3,x\n5,y\n2,x\n")
            page.locator("input[type=file]").set_input_files(str(own))
            page.wait_for_function("() => globalThis.sufficeExplorer.dataset.name === 'own.csv'")
            assert choose.is_disabled()
            assert "has not read this file" in asking.inner_text()


@pytest.mark.parametrize("home", ["file", "notebook"])
def test_nothing_moves_by_itself_where_the_reader_wants_it_still(at_home, home):
    page = at_home(home, reduced_motion="reduce")
    assert page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
    moving = page.evaluate(
        """() => {
          const root = document.querySelector(".home")?.shadowRoot ?? document;
          const moves = style => parseFloat(style.transitionDuration) > 0 ||
            style.animationName !== "none" || style.scrollBehavior === "smooth";
          return [...root.querySelectorAll(".suffice-explorer, .suffice-explorer *")]
            .filter(one => moves(getComputedStyle(one))).length + document.getAnimations().length;
        }"""
    )
    assert moving == 0


def test_twenty_widgets_share_a_notebook(new_context, made):
    page = new_context().new_page()
    notebook(page, made, 20)
    assert page.evaluate(DRAWN) == 20
