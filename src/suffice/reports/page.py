"""Page: one HTML file about a table and its model, which needs no other file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from suffice.data.parameters import check_callable, check_path, flag
from suffice.data.sources.files import check_writable, write_whole
from suffice.errors import InvalidParameter, SufficeError
from suffice.estimators.repairing import repairs_expected
from suffice.html import Html, element, escaped, joined
from suffice.reports.atypical_section import atypical, atypical_html
from suffice.reports.choice_section import choice_html, choose
from suffice.reports.data_section import data_facts, data_html
from suffice.reports.diagnosis_section import diagnosis, diagnosis_html
from suffice.reports.findings import Report
from suffice.reports.gaps_section import gap_facts, gaps_html
from suffice.reports.markup import items, note, percent, reason, short
from suffice.reports.material import Material
from suffice.reports.pictures import Pictures, pictures
from suffice.reports.quality_section import quality, quality_html
from suffice.reports.usage_section import usage, usage_html
from suffice.selection.steps import ProgressCallback, Steps
from suffice.text import shown

Part = TypeVar("Part")

# The sections in order: their titles, and how long they take in relation to each other.
SECTIONS = {
    "data": ("The data", 0.0),
    "choice": ("The model", 6.0),
    "quality": ("How well it predicts", 1.0),
    "pictures": ("Pictures", 4.0),
    "diagnosis": ("Do the assumptions hold?", 1.0),
    "atypical": ("The most atypical rows", 1.0),
    "gaps": ("Missing values", 0.1),
    "usage": ("Use it", 0.1),
}


def report(
    X: Any,
    y: Any,
    path: str | PathLike[str],
    *,
    model: Any = None,
    random_state: int = 0,
    title: str | None = None,
    explore: bool = False,
    progress: ProgressCallback | None = None,
) -> Report:
    """Write one HTML file on a table and its model: no other file, no script, no request.

    The data, the model that fits and why, how well it predicts unseen rows, pictures, diagnostics,
    atypical rows, missing values, and the code to use it. A part that fails says why and does not
    affect the others; after Ctrl-C the page is written with the parts that are done.

    X : a data frame that also holds the labels, or rows alone
    y : the name of the column of labels, or the labels
    path : the file, written whole or not at all
    model : a classifier to report on, which is fitted again; None chooses by `select_model`
    random_state : seed for drawing the rows that represent a table of more than 20,000
    title : of the page
    explore : also write a page beside it on which the model can be explored, with all rows, and
        link to it; see `suffice.explore`
    progress : called with the share of the work that is done, from 0 to 1

    >>> import suffice as sf, tempfile, pathlib
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "iris.html"
    >>> report(X, y, file, model=sf.LDA()).summary
    '150 rows, 4 columns, 3 classes. LinearDiscriminantAnalysis: 98.0% ± 0.8% of the rows ...'
    """
    check_path(path)
    check_writable(path)
    file = Path(path)
    check_callable("progress", progress)
    if model is not None and not hasattr(model, "get_params"):
        raise InvalidParameter(f"model is {shown(model)}; it must be a classifier, such as LDA().")
    if not isinstance(title, str | None):
        raise InvalidParameter(f"title is {shown(title)}; it must be a string.")
    whole = Material.read(X, y)
    if isinstance(random_state, bool) or not isinstance(random_state, int) or random_state < 0:
        raise InvalidParameter(f"random_state is {shown(random_state)}; it must be a whole number.")
    steps = Steps(sum(size for _, size in SECTIONS.values()), progress)
    explorer = file.with_suffix(".explorer.html") if flag("explore", explore) else None
    if explorer is not None:
        check_writable(explorer)
    content = make(file, whole, whole.sampled(random_state), model, _title(title, whole), steps)
    if explorer is not None:
        beside = write_explorer(explorer, whole, content.title, content.model)
        content = replace(content, explorer=beside)
    write_whole(file, page(content).encode("utf-8", "replace"))
    return content


@repairs_expected()
def make(
    file: Path, whole: Material, data: Material, model: Any, title: str, steps: Steps
) -> Report:
    """The report, in which a part that fails does not affect the others."""
    failures: dict[str, str] = {}
    progress = {name: steps.part(size) for name, (_, size) in SECTIONS.items()}

    # What the page says of parts that are left out because the user pressed Ctrl-C.
    interrupted = "interrupted."

    def attempt(name: str, part: Callable[[], Part]) -> Part | None:
        try:
            if interrupted in failures.values():
                raise KeyboardInterrupt
            return part()
        except KeyboardInterrupt:
            failures[name] = interrupted
        except Exception as error:
            failures[name] = reason(error)
        finally:
            progress[name](1.0)
        return None

    facts = data_facts(whole, len(data.codes))
    choice = attempt("choice", lambda: choose(data, whole, model, progress["choice"]))
    score = odd = how = None
    no_model = "There is no model, see above."
    if choice is None:
        failures |= dict.fromkeys(("quality", "atypical", "usage"), no_model)
    else:
        score = attempt("quality", lambda: quality(data, choice))
        odd = attempt("atypical", lambda: atypical(data, choice))
        how = attempt("usage", lambda: usage(whole, choice))
    fit = attempt("diagnosis", lambda: diagnosis(data))
    gaps = attempt("gaps", lambda: gap_facts(whole, choice))
    drawings = attempt("pictures", lambda: pictures(data, choice, score, fit)) or Pictures()
    steps.finish()
    return Report(file, title, facts, choice, score, fit, odd, gaps, how, drawings, failures)


def page(found: Report) -> str:
    """The whole file."""
    sections: dict[str, Any] = {
        "data": data_html(found.data),
        "choice": found.choice and choice_html(found.choice),
        "quality": found.quality and quality_html(found.quality, found.data),
        "pictures": _pictures(found.drawings),
        "diagnosis": found.diagnosis and diagnosis_html(found.diagnosis, found.choice),
        "atypical": found.atypical and atypical_html(found.atypical),
        "gaps": found.gaps and gaps_html(found.gaps),
        "usage": found.usage and usage_html(found.usage),
    }
    body = [
        element("a", "Skip to the content", class_="skip", href="#content"),
        element(
            "header",
            element("h1", found.title),
            element("p", found.summary, class_="lead"),
            _tiles(found),
            explorer_link(found.explorer),
        ),
        _contents(),
        element(
            "main",
            joined(_section(n, part, found) for n, part in sections.items()),
            id="content",
            tabindex=-1,
        ),
        _footer(),
    ]
    head = (
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        # Nothing may be fetched or run, whatever names the data has.
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; img-src data:\">\n"
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escaped(found.title)}</title>\n<style>\n{_stylesheet()}</style>"
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n'
        f"<body>\n{joined(body)}\n</body>\n</html>\n"
    )


def _stylesheet() -> str:
    return files("suffice.reports").joinpath("sheet.css").read_text("utf-8")


def _section(name: str, content: Html | None, found: Report) -> Html:
    if content is None:
        content = note(f"This part could not be made: {found.failures.get(name, '')}")
    title = element("h2", SECTIONS[name][0], id=f"{name}-title")
    return element("section", title, content, id=name, aria_labelledby=f"{name}-title")


def _tiles(found: Report) -> Html:
    data = found.data
    tiles = [
        ("Rows", f"{data.rows:,}"),
        ("Columns", f"{len(data.columns):,}"),
        ("Classes", f"{len(data.classes):,}"),
        ("Missing values", f"{data.missing:,}"),
    ]
    if found.quality is not None:
        tiles += [
            ("Accuracy", percent(found.quality.scores["accuracy"][0])),
            ("Log-loss", f"{found.quality.scores['log_loss'][0]:.3g}"),
        ]
    pairs = [element("div", element("dt", name), element("dd", value)) for name, value in tiles]
    return element("dl", joined(pairs), class_="facts")


def _contents() -> Html:
    links = [element("a", title, href=f"#{name}") for name, (title, _) in SECTIONS.items()]
    return element("nav", items(links), aria_label="Contents")


def _pictures(found: Pictures) -> Html:
    parts: list[Any] = []
    if found.shown:
        shown = joined(picture.html for picture in found.shown.values())
        parts.append(element("div", shown, class_="pictures"))
    # The subjects of pictures that could not be made.
    subjects = {
        "all": "anything",
        "rows": "the rows",
        "regions": "the model's regions",
        "selection": "the choice",
        "confusion": "the confusion",
        "reliability": "the probabilities",
        "importance": "the columns' importance",
        "quantiles": "the distances",
    }
    for name, why in found.skipped.items():
        parts.append(note(f"No picture of {subjects[name]}: {why}"))
    return joined(parts)


def _footer() -> Html:
    from suffice import __version__

    text = f"Made by suffice {__version__}. This page is one file and makes no network request."
    return element("footer", element("p", text))


def _title(title: str | None, data: Material) -> str:
    if title is not None:
        return short(title, 200)
    return "Report" if data.target is None else f"Report on {short(data.target)}"


def write_explorer(path: Path, data: Material, title: str, model: Any) -> Path | str:
    """The page, beginning with the model if it can show it; or the reason why there is none."""
    import suffice

    why = ""
    for start in (model, None):
        try:
            suffice.explore(data.X, data.y, path, model=start, title=title)
        except SufficeError as error:
            why = str(error)
        else:
            return path
    return why


def explorer_link(found: Path | str | None) -> Html:
    """The link to the page, or why there is none; nothing if none was asked for."""
    if found is None:
        return Html("")
    if isinstance(found, str):
        return note(f"There is no page to explore the model: {found}")
    words = "Explore the model: drag rows, and see every number move"
    return element("p", element("a", words, href=quote(found.name)))
