"""Tables that a reader drops, edits a hundred times, or that are too long to draw."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris

import suffice as sf
from suffice.web.explore import explorer_page

STATE = "globalThis.sufficeExplorer"
MINUS = "\N{MINUS SIGN}"
DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name, { type: "text/csv" }));
  const target = document.querySelector(".overlay");
  const events = ["dragover", "drop"].map(
    type => new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
  events.forEach(event => target.dispatchEvent(event));
  return events.every(event => event.defaultPrevented);
}"""

PRESS_ALL = """button => {
  let presses = 0;
  while (!button.disabled && presses < 1000) { button.click(); presses += 1; }
  return presses;
}"""


def saved(tmp_path, X, y, model=None):
    return explorer_page(X, y, model).save(tmp_path / "page.html")


def number(page, title):
    return page.locator("dl div", has_text=title).locator("dd").inner_text()


def test_a_csv_dropped_on_the_picture_becomes_the_data(visit, tmp_path):
    X, y = load_iris(return_X_y=True)
    page = visit(saved(tmp_path, X, y, sf.QDA()))
    rng = np.random.default_rng(3)
    rows, kinds = rng.normal(size=(40, 2)), np.arange(40) % 2
    text = "a,b,kind\n" + "".join(
        f"{a!r},{b!r},{'xy'[c]}\n" for (a, b), c in zip(rows.tolist(), kinds, strict=True)
    )
    assert page.evaluate(DROP, ["own.csv", text])
    page.wait_for_function(f"() => {STATE}.dataset.name === 'own.csv'")
    wanted = sf.QDA().fit(rows, kinds).log_likelihood()
    page.wait_for_function("() => document.querySelector('.legend').innerText.includes('x')")
    page.evaluate("() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
    assert number(page, "Log-likelihood") == f"{wanted:.6f}".replace("-", MINUS)
    assert page.evaluate(DROP, ["broken.csv", "a,b\n1\n"])
    page.wait_for_function("() => !document.querySelector('.message').hidden")
    assert page.evaluate(f"{STATE}.dataset.name") == "own.csv"


def test_a_hundred_steps_are_undone_and_done_again(visit, tmp_path):
    X, y = load_iris(return_X_y=True)
    page = visit(saved(tmp_path, X, y))
    page.evaluate(f"for (let i = 0; i < 105; i++) {STATE}.addRow(i % 3, [5 + i / 50, 3, 2, 1])")
    before = page.evaluate(f"JSON.stringify({STATE}.lesson)")
    undo, redo = (page.get_by_role("button", name=name) for name in ("Undo", "Redo"))
    undo.click()
    # Each click of a mouse waits for the button to rest: the others are made within the page.
    steps = 1 + undo.evaluate(PRESS_ALL)
    assert steps == 100
    assert page.evaluate(f"{STATE}.lesson.edits.length") == 5
    redo.click()
    assert 1 + redo.evaluate(PRESS_ALL) == steps
    assert page.evaluate(f"JSON.stringify({STATE}.lesson)") == before


def test_a_million_rows_are_sampled_for_drawing_and_counted_in_full(visit, tmp_path):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 1_000_000)
    X = rng.normal(size=(len(y), 2)) + y[:, None]
    page = visit(saved(tmp_path, X, y, sf.LDA()))
    assert "20,000 of 1,000,000 rows are drawn" in page.locator(".left").inner_text()
    wanted = sf.LDA().fit(X, y).log_likelihood()
    shown = float(number(page, "Log-likelihood").replace(MINUS, "-"))
    assert abs(shown - wanted) <= 1e-10 * abs(wanted)
    page.wait_for_function("() => !document.querySelector('dd.stale')")
    assert " of 20000 " in number(page, "Training errors")
    assert "Of the 20,000 rows drawn here" in page.locator(".part-fit").inner_text()
