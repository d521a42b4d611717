"""The explorer in a real browser: mouse, keys, touch, links, files, dark, phone."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import suffice as sf
from suffice.web.explore import explorer_page

HOSTILE = "<img src=x onerror=globalThis.hacked=1>"
MINUS = "\N{MINUS SIGN}"
STATE = "globalThis.sufficeExplorer"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explorer")
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    names = pd.DataFrame({HOSTILE: rng.normal(size=30), "b<b>": rng.normal(size=30)})
    script = "</script><script>globalThis.hacked=1</script>" + "x" * 200
    labels = np.where(np.arange(30) % 2, HOSTILE, script)
    many = rng.normal(size=(2000, 2)) + np.repeat(rng.normal(size=(200, 2)) * 9, 10, axis=0)
    made = {
        "lecture": explorer_page(None, None),
        "iris": explorer_page(X, y, sf.QDA()),
        "statistics": explorer_page(X, y, sf.LDA(), statistics_only=True),
        "hostile": explorer_page(names, labels, title=HOSTILE),
        "one feature": explorer_page(X[:, :1], y),
        "one class": explorer_page(X, np.zeros(150, int)),
        "many classes": explorer_page(many, np.repeat(np.arange(200), 10), sf.LDA()),
        "few rows": explorer_page(X[[0, 1, 60, 61]], [0, 0, 1, 1]),
        "gaps": explorer_page(np.where(rng.random(X.shape) < 0.05, np.nan, X), y),
    }
    return {name: page.save(folder / f"{name}.html") for name, page in made.items()}


def settled(page):
    """Wait for the next two frames."""
    page.evaluate("() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")


def number(page, title):
    return page.locator("dl div", has_text=title).locator("dd").inner_text()


def place_of(page, x, y):
    """Where a point of the plane is on the screen."""
    return page.evaluate(
        f"""([x, y]) => {{
          const {{ drawing }} = {STATE};
          const b = drawing.overlay.getBoundingClientRect();
          return [b.left + drawing.px(x) / 720 * b.width, b.top + drawing.py(y) / 540 * b.height];
        }}""",
        [x, y],
    )


@pytest.mark.parametrize(
    ("model", "errors"),
    [("QDA", 108), ("LDA", 114), ("Gaussian naive Bayes", 113), ("Diagonal LDA", 112)],
)
def test_the_lecture_counts_its_errors(visit, files, model, errors):
    page = visit(files["lecture"], "#data=notes3b")
    page.get_by_role("button", name=model, exact=True).click()
    settled(page)
    assert number(page, "Training errors").startswith(f"{errors} of 500")


def test_the_exercise_has_its_boundary_and_its_posterior(visit, files):
    page = visit(files["lecture"], "#data=exercise&point=2,0")
    assert page.locator(".equation math").text_content() == "x1=2"
    assert page.locator(".bars .value").all_inner_texts() == ["0.5000", "0.5000"]
    assert "a line" in page.locator(".part-boundary").inner_text()


def test_dragging_a_row_moves_every_number_to_those_of_python(visit, files):
    page = visit(files["iris"], "#row=0")
    X, y = load_iris(return_X_y=True)
    page.mouse.move(*place_of(page, *X[0, :2]))
    page.mouse.down()
    page.mouse.move(*place_of(page, 6.0, 4.0), steps=8)
    page.mouse.up()
    settled(page)
    moved = np.array(page.evaluate(f"Array.from({STATE}.table.row(0))"))
    assert np.abs(moved[:2] - [6.0, 4.0]).max() < 0.05
    X = X.copy()
    X[0] = moved
    model = sf.QDA().fit(X, y)
    assert number(page, "Log-likelihood") == f"{model.log_likelihood():.6f}".replace("-", MINUS)
    left = model.leave_one_out(X, y)
    assert number(page, "Leave-one-out errors").startswith(f"{len(left.wrong)} of 150")
    posterior = model.predict_proba(moved[None])[0]
    assert page.locator(".bars .value").all_inner_texts() == [f"{p:.4f}" for p in posterior]
    page.get_by_role("button", name="Undo").click()
    settled(page)
    assert page.evaluate(f"Array.from({STATE}.table.row(0))") == load_iris().data[0].tolist()
    page.get_by_role("button", name="Redo").click()
    settled(page)
    assert page.evaluate(f"Array.from({STATE}.table.row(0))") == moved.tolist()


def test_dragging_a_mean_sets_parameters_and_the_data_come_back_exactly(visit, files):
    page = visit(files["iris"], "#row=0")
    before = number(page, "Log-likelihood")
    handle = page.get_by_role("button", name=re.compile("^Mean of 1"))
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(*place_of(page, 6.5, 4.2), steps=5)
    page.mouse.up()
    settled(page)
    assert "set by hand" in page.locator(".part-model").inner_text()
    known = page.evaluate(f"{STATE}.lesson.known")
    assert np.abs(np.array(known["means"][1][:2]) - [6.5, 4.2]).max() < 0.05
    assert number(page, "Log-likelihood") != before
    page.get_by_role("button", name="Back to the data").click()
    settled(page)
    assert number(page, "Log-likelihood") == before


def test_an_axis_of_an_ellipse_keeps_the_covariance_positive_definite(visit, files):
    page = visit(files["iris"], "#row=0")
    for target in ([4.4, 2.0], [7.5, 4.3], [5.0, 3.43]):
        handle = page.get_by_role("button", name=re.compile("^Long axis"))
        box = handle.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(*place_of(page, *target), steps=6)
        page.mouse.up()
        settled(page)
        known = page.evaluate(f"{STATE}.lesson.known")
        for matrix in known["covariances"]:
            np.testing.assert_array_equal(matrix, np.transpose(matrix))
            assert np.linalg.eigvalsh(matrix).min() > 0
    found = page.evaluate(f"Array.from({STATE}.model.joint([5.1, 3.5, 1.4, 0.2]))")
    model = sf.QDA.from_parameters(known["means"], known["covariances"], known["priors"])
    expected = model.predict_joint_log_proba([[5.1, 3.5, 1.4, 0.2]])[0]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_rows_are_added_and_erased(visit, files):
    page = visit(files["iris"])
    page.get_by_role("button", name="Add rows").click()
    page.mouse.click(*place_of(page, 7.5, 2.2))
    settled(page)
    assert number(page, "Training errors").split(" of ")[1].startswith("151")
    page.get_by_role("button", name="Erase rows").click()
    page.mouse.click(*place_of(page, 7.5, 2.2))
    settled(page)
    assert number(page, "Training errors").split(" of ")[1].startswith("150")
    page.get_by_role("button", name="Reset").click()
    settled(page)
    assert page.evaluate(f"{STATE}.lesson.edits") == []


def test_a_click_on_a_handle_and_one_on_a_place_move_it_without_dragging(visit, files):
    page = visit(files["iris"], "#row=0")
    handle = page.get_by_role("button", name=re.compile("^Mean of 1"))

    def click_handle():
        box = handle.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    click_handle()
    assert "armed" in handle.get_attribute("class")
    click_handle()  # once more: let go
    assert "armed" not in handle.get_attribute("class")
    click_handle()
    page.keyboard.press("Escape")
    assert "armed" not in handle.get_attribute("class")
    click_handle()
    page.mouse.click(*place_of(page, 7.6, 2.1))
    settled(page)
    known = page.evaluate(f"{STATE}.lesson.known")
    assert np.abs(np.array(known["means"][1][:2]) - [7.6, 2.1]).max() < 0.05
    assert "armed" not in handle.get_attribute("class")
    before = page.evaluate(f"{STATE}.lesson.known")
    page.mouse.click(*place_of(page, 4.4, 4.4))  # nothing is armed: this chooses a point
    settled(page)
    assert page.evaluate(f"{STATE}.lesson.known") == before
    assert page.evaluate(f"{STATE}.lesson.row") is None


def test_keys_move_a_handle_and_escape_cancels(visit, files):
    page = visit(files["iris"], "#row=0")
    start = page.evaluate(f"Array.from({STATE}.table.row(0))")
    handle = page.get_by_role("button", name=re.compile("^Row 0"))
    handle.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowUp")
    settled(page)
    box = page.evaluate(f"{STATE}.drawing.box")
    now = page.evaluate(f"Array.from({STATE}.table.row(0))")
    assert now[0] - start[0] == pytest.approx(0.01 * (box["x1"] - box["x0"]))
    assert now[1] - start[1] == pytest.approx(0.001 * (box["y1"] - box["y0"]))
    assert "with probability" in page.locator(".live").inner_text()
    page.keyboard.press("Escape")
    settled(page)
    assert page.evaluate(f"Array.from({STATE}.table.row(0))") == start
    handle.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    settled(page)
    assert page.evaluate(f"{STATE}.lesson.edits.length") == 1


def test_typed_numbers_move_the_row(visit, files):
    page = visit(files["iris"], "#row=0")
    field = page.locator(".values input").first
    field.fill("7.25")
    field.press("Tab")
    settled(page)
    assert page.evaluate(f"{STATE}.table.row(0)[0]") == 7.25


def test_sliders_change_the_model_as_python_does(visit, files):
    page = visit(files["iris"])
    page.get_by_label("Pooling").fill("0.4")
    page.get_by_label("Shrinkage").fill("0.15")
    settled(page)
    X, y = load_iris(return_X_y=True)
    model = sf.GaussianDiscriminant(pooling=0.4, shrinkage=0.15).fit(X, y)
    assert number(page, "Log-likelihood") == f"{model.log_likelihood():.6f}".replace("-", MINUS)


@pytest.mark.parametrize("others", ["out", "point", "mean"])
def test_other_features_are_where_the_reader_wants_them(visit, files, others):
    page = visit(files["iris"], "#row=60&x=2&y=3&pair=1,2")
    page.get_by_label("Other features").select_option(others)
    settled(page)
    X, y = load_iris(return_X_y=True)
    model = sf.QDA().fit(X, y)
    if others == "out":
        wanted = sf.QDA().fit(X[:, [2, 3]], y).boundary(1, 2)
    else:
        wanted = model.boundary(1, 2).section(
            [2, 3], X[60] if others == "point" else X.mean(axis=0)
        )
    wanted = str(wanted)
    if others == "out":
        wanted = wanted.replace("x1", "x3").replace("x2", "x4")
    text = "".join(page.locator(".equation").text_content().split())
    assert text == wanted.replace(" ", "").replace("-", MINUS).replace("²", "2")


def test_a_link_shows_the_same_again_and_a_bad_one_says_why(visit, files):
    page = visit(files["lecture"], "#data=iris&pooling=0.5&x=2&y=3&edits=m0%3A7%2C4%2C6%2C2&row=0")
    assert page.evaluate(f"Array.from({STATE}.table.row(0))") == [7, 4, 6, 2]
    page.wait_for_function("() => location.hash.includes('pooling=0.5')")
    known = (
        '{"means":[[0,0],[1,1]],"covariances":[[[1,0],[0.1,1]],[[1,0],[0,1]]],"priors":[0.5,0.5]}'
    )
    for hash, why in (
        ("data=iris&pooling=many", "pooling is many"),
        ("data=notes3b&point=1e308,1", "point is 1e308"),
        ("data=notes3b&pooling=0&known=" + known, "not the same both ways"),
        ("data=notes3b&pooling=1&known=" + known.replace("0.1", "0").replace("[[1", "[[2", 1), ""),
    ):
        bad = visit(files["lecture"], "#" + hash)
        message = bad.locator(".message").inner_text()
        assert "cannot be read" in message
        assert why in message
        assert number(bad, "Training errors") != "—"


@pytest.mark.parametrize(
    "name", ["one feature", "one class", "many classes", "few rows", "gaps", "statistics"]
)
def test_odd_tables_are_sensible_pages(visit, files, name):
    page = visit(files[name])
    settled(page)
    text = page.locator("main").inner_text()
    assert "undefined" not in text
    assert "NaN" not in text
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator(".parts li:last-child .label").inner_text() == "before any feature"
    assert page.locator(".parts li:last-child input").count() == 0
    if name == "few rows":
        assert page.locator(".message").inner_text() == ""
        assert "begins with a diagonal structure" in text
        singular = visit(files[name], "#structure=full&pooling=1&shrinkage=0")
        assert "singular" in singular.locator(".message").inner_text()
    if name == "gaps":
        assert "missing values" in text
    if name == "statistics":
        assert "statistics only" in text
        assert page.get_by_role("button", name="Add rows").is_disabled()
        model = sf.LDA().fit(*load_iris(return_X_y=True))
        shown = f"{model.log_likelihood():.6f}".replace("-", MINUS)
        assert number(page, "Log-likelihood") == shown
        held = json.loads(page.locator("#suffice-data").text_content())["datasets"][0]
        assert held["rows"] is None
        assert held["codes"] is None


def test_names_are_only_text(visit, files):
    page = visit(files["hostile"])
    assert page.evaluate("globalThis.hacked") is None
    assert page.locator("main img").count() == 0
    assert HOSTILE in page.locator("main").inner_text()
    assert page.title() == HOSTILE
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_nothing_else_can_run(visit, files):
    page = visit(files["iris"])
    blocked = page.evaluate(
        """async () => {
          const seen = [];
          const note = event => seen.push(event.effectiveDirective);
          document.addEventListener("securitypolicyviolation", note);
          const script = document.createElement("script");
          script.textContent = "globalThis.hacked = 1";
          document.body.append(script);
          const style = document.createElement("style");
          style.textContent = "body { display: none }";
          document.head.append(style);
          const image = document.createElement("img");
          image.src = "https://example.org/x.png";
          await fetch("https://example.org/").catch(() => seen.push("fetch failed"));
          await new Promise(resolve => setTimeout(resolve, 200));
          return [seen, globalThis.hacked ?? null];
        }"""
    )
    seen, hacked = blocked
    assert hacked is None
    assert {"script-src-elem", "style-src-elem", "img-src", "fetch failed"} <= set(seen)
    page.problems.clear()  # the browser reports what it blocks
    page.requests[:] = [url for url in page.requests if "example.org" not in url]


def test_a_dropped_csv_becomes_the_data(visit, files, tmp_path):
    page = visit(files["iris"])
    path = tmp_path / "own.csv"
    path.write_text("a,b,kind\n" + "".join(f"{i},{i * i % 7},{'xy'[i % 2]}\n" for i in range(20)))
    page.locator("input[type=file]").set_input_files(str(path))
    page.wait_for_function(f"() => {STATE}.dataset.name === 'own.csv'")
    settled(page)
    assert number(page, "Training errors").endswith("%)")
    broken = tmp_path / "broken.csv"
    broken.write_text("a,b\n1\n")
    page.locator("input[type=file]").set_input_files(str(broken))
    page.wait_for_function("() => !document.querySelector('.message').hidden")
    assert "line 2 has 1 field" in page.locator(".message").inner_text()
    assert page.evaluate(f"{STATE}.dataset.name") == "own.csv"


def test_two_classes_have_one_discriminant_axis_with_their_densities_above_it(visit, tmp_path):
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    path = explorer_page(X, y, sf.LDA()).save(tmp_path / "two.html")
    page = visit(path, "#view=axes&pooling=1")
    assert page.locator(".curve").count() == 2
    model = sf.LDA().fit(X, y)
    along = model.transform(X)[:, 0]
    shown = page.evaluate(f"Array.from({STATE}.projected.xs)")
    np.testing.assert_allclose(shown, along, rtol=0, atol=1e-9)
    on_axis = sf.LDA().fit(along[:, None], y).boundary(1, 2)
    wanted = str(on_axis).replace("x1", "LD1").replace("-", MINUS)
    assert "".join(page.locator(".equation").inner_text().split()) == wanted.replace(" ", "")
    assert "along the axis: a point" in page.locator(".part-boundary").inner_text()


def test_contours_are_where_the_density_is_a_share_of_its_peak(visit, files):
    page = visit(files["iris"], "#x=2&y=3&row=60")
    X, y = load_iris(return_X_y=True)
    page.get_by_label("Density contours").check()
    for others in ("out", "point"):
        page.get_by_label("Other features").select_option(others)
        settled(page)
        curves = page.evaluate(
            f"""() => {{
              const {{ drawing }} = {STATE}, {{ x0, x1, y0, y1 }} = drawing.box;
              const at = text => text.slice(1).split("L").map(one => one.split(" ").map(Number));
              const [left, bottom] = [drawing.px(x0), drawing.py(y0)];
              return [...drawing.layers.contours.children].map(path => at(path.getAttribute("d"))
                .map(([x, y]) => [x0 + (x - left) * (x1 - x0) / (drawing.px(x1) - left),
                                  y0 + (y - bottom) * (y1 - y0) / (drawing.py(y1) - bottom)]));
            }}"""
        )
        assert len(curves) == 12  # four for each of three classes
        for c, level in ((1, 0), (1, 3), (2, 1)):
            points = np.array(curves[4 * c + level])
            if others == "out":
                joint = sf.QDA().fit(X[:, 2:], y).predict_joint_log_proba(points)[:, c]
            else:
                rows = np.repeat(X[60:61], len(points), axis=0)
                rows[:, 2:] = points
                joint = sf.QDA().fit(X, y).predict_joint_log_proba(rows)[:, c]
            assert np.ptp(joint) < 0.05  # a tenth of a pixel apart


def test_what_lies_outside_the_axes_is_cut_off(visit, files):
    page = visit(files["iris"])
    clip = page.locator(".borders").get_attribute("clip-path")
    inside, box = page.locator(f"clipPath{clip[4:-1]} rect"), page.locator(".box")
    for name in ("x", "y", "width", "height"):
        assert inside.get_attribute(name) == box.get_attribute(name)


@pytest.mark.parametrize("what", ["Rows (CSV)", "Picture (SVG)", "Picture (PNG)"])
def test_downloads_hold_what_is_shown(visit, files, what, tmp_path):
    page = visit(files["iris"])
    with page.expect_download() as waiting:
        page.get_by_role("button", name=what).click()
    path = tmp_path / "download"
    waiting.value.save_as(path)
    data = path.read_bytes()
    if "CSV" in what:
        table = pd.read_csv(path)
        np.testing.assert_array_equal(table.iloc[:, :4].to_numpy(), load_iris().data)
    elif "SVG" in what:
        assert data.startswith(b"<svg")
        assert data.count(b"scale(4)") == 150  # one marker per row
    else:
        assert data.startswith(b"\x89PNG")
        assert int.from_bytes(data[16:20]) == 1440


def test_a_class_may_lose_its_last_row(visit, files):
    page = visit(files["few rows"], "#shrinkage=0.5&edits=r0;r1")
    assert page.locator(".message").is_hidden()
    assert number(page, "Training errors") == "0 of 2 (0.0%)"
    assert page.evaluate(f"Array.from({STATE}.table.statistics.weight)") == [0, 2]


def test_a_finger_moves_a_handle_and_scrolls_beside_it(visit, files):
    phone = {"width": 390, "height": 844}
    page = visit(files["iris"], "#row=0", viewport=phone, has_touch=True, is_mobile=True)
    for reach in page.locator(".handle .reach").all():
        assert reach.bounding_box()["width"] >= 23.99
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    finger = page.context.new_cdp_session(page)

    def drag(start, end):
        """A real touch, which the browser may take for scrolling."""
        for step in range(9):
            x, y = (a + (b - a) * step / 8 for a, b in zip(start, end, strict=True))
            kind = "touchMove" if step else "touchStart"
            point = {"type": kind, "touchPoints": [{"x": x, "y": y}]}
            finger.send("Input.dispatchTouchEvent", point)
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        settled(page)

    box = page.get_by_role("button", name=re.compile("^Mean of 2")).bounding_box()
    # Downward, where the page could scroll.
    drag((box["x"] + 12, box["y"] + 12), place_of(page, 7.2, 2.4))
    assert page.evaluate("scrollY") == 0
    known = page.evaluate(f"{STATE}.lesson.known")
    assert np.abs(np.array(known["means"][2][:2]) - [7.2, 2.4]).max() < 0.05
    page.touchscreen.tap(*place_of(page, 6.3, 3.3))
    settled(page)
    assert page.evaluate(f"{STATE}.lesson.row") != 0
    drag(place_of(page, 4.6, 2.2), (200, 60))
    page.wait_for_function("() => scrollY > 0")


def test_a_narrow_page_shows_the_model_before_what_follows_from_it(visit, files):
    wide = visit(files["lecture"], "#data=iris")
    assert wide.locator(".legend li").all_inner_texts() == [" setosa", " versicolor", " virginica"]
    assert wide.locator(".left .part-fit").count() == 1
    narrow = visit(files["lecture"], "#data=iris", viewport={"width": 390, "height": 844})
    order = narrow.locator("h2").all_inner_texts()
    assert order.index("Model") < order.index("Boundary") < order.index("Chosen point")


def test_the_legend_of_many_classes_says_how_many_it_leaves_out(visit, files):
    legend = visit(files["many classes"]).locator(".legend li").all_inner_texts()
    assert legend[-1].endswith(" more")
    assert int(legend[-1].split()[1]) + len(legend) - 1 == 200


def test_the_sentence_of_explain_stands_under_the_posterior(visit, files):
    page = visit(files["iris"], "#row=60")
    X, y = load_iris(return_X_y=True)
    sentence = sf.QDA().fit(X, y).explain(X[60:61])
    summary, reasons = (page.locator(f".words {tag}").text_content() for tag in ("summary", "p"))
    assert f"{summary} {reasons}" == sentence


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(visit, files, scheme):
    page = visit(files["iris"], color_scheme=scheme)
    ratio = page.evaluate(
        """() => {
          const style = getComputedStyle(document.querySelector(".suffice-explorer"));
          const light = name => {
            const parts = style.getPropertyValue(name).match(/[0-9a-f]{2}/gi);
            const part = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
            const [r, g, b] = parts.map(p => part(parseInt(p, 16)));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const ratio = (a, b) => {
            const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
            return (x + 0.05) / (y + 0.05);
          };
          return ["--ink", "--soft", "--accent", "--warn"].flatMap(
            ink => [ratio(ink, "--ground"), ratio(ink, "--wash")]);
        }"""
    )
    assert min(ratio) >= 4.5


def test_every_control_has_a_name_and_can_be_reached(visit, files):
    page = visit(files["iris"])
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, [tabindex='0']")]
          .filter(e => !(e.getAttribute("aria-label") || e.textContent.trim() ||
                         e.closest("label")?.textContent.trim()))
          .map(e => e.outerHTML)"""
    )
    assert nameless == []
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        label = page.evaluate("document.activeElement.getAttribute('aria-label')")
        seen.add((label or "")[:8])
    assert {"Mean of ", "Long axi", "Short ax", "Row 0 of"} <= seen


def test_twenty_explorers_share_a_page(visit, files):
    page = visit(files["one feature"])
    count = page.evaluate(
        f"""async () => {{
          const payload = JSON.parse(document.getElementById("suffice-data").textContent);
          const Explorer = {STATE}.constructor;
          const made = [];
          for (let i = 0; i < 20; i++) {{
            const root = document.body.appendChild(document.createElement("div"));
            made.push(new Explorer(root, payload, {{}}));
          }}
          await new Promise(r => setTimeout(r, 1500));
          return made.filter(one => one.drawing.points.getContext("2d")
            .getImageData(0, 0, one.drawing.points.width, one.drawing.points.height)
            .data.some(v => v > 0)).length;
        }}"""
    )
    assert count == 20
