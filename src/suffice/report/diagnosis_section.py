"""Diagnosis: whether Gaussian classes fit the data, finding by finding."""

from __future__ import annotations

from suffice.report.markup import Html, element, items, joined, paragraphs, plural, short_labels
from suffice.report.material import Material
from suffice.selection.diagnostics.diagnosis import Diagnosis, diagnose
from suffice.selection.diagnostics.diagnostic import Diagnostic

# What each diagnostic asks.
QUESTIONS = {
    "Box's M": "Do all classes spread alike?",
    "Mardia": "Are the classes Gaussian? (skewness and tails)",
    "Henze-Zirkler": "Are the classes Gaussian? (shape as a whole)",
    "Distance quantiles": "Do rows lie as far out as Gaussian rows do?",
    "Conditioning": "Can the covariances be trusted?",
    "Influential rows": "Do single rows carry the model?",
    "Calibration of LDA": "Would an LDA give honest probabilities?",
    "Calibration of QDA": "Would a QDA give honest probabilities?",
}


def diagnosed(data: Material) -> Diagnosis:
    """Of the numeric columns."""
    from suffice.errors import InvalidFeatures

    X = data.numeric()
    if X is None:
        raise InvalidFeatures(
            "every column holds levels; the diagnostics are about columns of numbers."
        )
    return diagnose(X, data.y)


def diagnosis_html(found: Diagnosis) -> Html:
    """The section."""
    n = len(found.concerns)
    told = (
        "No evidence against Gaussian classes here."
        if not n
        else (
            f"{plural(n, 'finding')} of {len(found)} {'asks' if n == 1 else 'ask'} for a look. A "
            "model may still predict well: what counts in the end is how it does on rows not seen."
        )
    )
    rows = (
        f"Judged on {plural(found.rows, 'row')} and {plural(found.features, 'numeric column')}"
        + (
            f"; {plural(found.dropped, 'row')} with missing values left out."
            if found.dropped
            else "."
        )
    )
    parts = [paragraphs(told, rows)]
    if len(found):
        entries = [_entry(name, one) for name, one in found.diagnostics.items()]
        listed = items(entries).replace("<ul>", '<ul class="findings">', 1)
        parts.append(Html(listed))
    for why in dict.fromkeys(found.skipped.values()):
        names = ", ".join(name for name, reason in found.skipped.items() if reason == why)
        parts.append(element("p", f"Not judged: {names}. {why}", class_="note"))
    return joined(parts)


def _entry(name: str, one: Diagnostic) -> Html:
    badge = ("Look", "look") if one.concern else ("Fine", "fine")
    head = [
        element("span", badge[0], class_=f"badge {badge[1]}"),
        element("strong", QUESTIONS.get(name, name)),
        element("span", f" {name}", class_="muted"),
    ]
    said = element("p", short_labels(one.sentence))
    advice = element("p", f"→ {one.recommendation}") if one.concern and one.recommendation else ""
    return Html("".join([*head, said, advice]))
