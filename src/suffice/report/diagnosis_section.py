"""Diagnosis: whether Gaussian classes fit the data, finding by finding."""

from __future__ import annotations

from suffice.errors import InvalidFeatures
from suffice.html import Html, element, joined
from suffice.report.markup import items, note, paragraphs, short_labels
from suffice.report.material import Material
from suffice.selection.diagnostics.diagnosis import Diagnosis, diagnose
from suffice.selection.diagnostics.diagnostic import Diagnostic
from suffice.text import plural

# The question that each diagnostic answers.
QUESTIONS = {
    "Box's M": "Do all classes have the same covariance?",
    "Mardia": "Are the classes Gaussian? (skewness and tails)",
    "Henze-Zirkler": "Are the classes Gaussian? (shape as a whole)",
    "Distance quantiles": "Do rows lie as far out as Gaussian rows do?",
    "Conditioning": "Can the covariances be trusted?",
    "Influential rows": "Do single rows determine the model?",
    "Calibration of LDA": "Would an LDA give honest probabilities?",
    "Calibration of QDA": "Would a QDA give honest probabilities?",
}


def diagnosis(data: Material) -> Diagnosis:
    """The diagnosis of the numeric columns."""
    X = data.numeric()
    if X is None:
        raise InvalidFeatures(
            "every column holds categories; the diagnostics are about columns of numbers."
        )
    return diagnose(X, data.y)


def diagnosis_html(found: Diagnosis) -> Html:
    """The section."""
    n = len(found.concerns)
    verdict = "No evidence against Gaussian classes here."
    if n:
        verdict = (
            f"{plural(n, 'finding')} of {len(found)} {'needs' if n == 1 else 'need'} attention. A "
            "model may still predict well: what counts in the end is its score on unseen rows."
        )
    basis = f"Judged on {plural(found.rows, 'row')} and {plural(found.features, 'numeric column')}"
    if found.dropped:
        basis += f"; {plural(found.dropped, 'row')} with missing values left out"
    parts = [paragraphs(verdict, f"{basis}.")]
    if len(found):
        entries = [_entry(name, one) for name, one in found.diagnostics.items()]
        parts.append(items(entries, class_="findings"))
    for why in dict.fromkeys(found.skipped.values()):
        names = ", ".join(name for name, reason in found.skipped.items() if reason == why)
        parts.append(note(f"Not judged: {names}. {why}"))
    return joined(parts)


def _entry(name: str, one: Diagnostic) -> Html:
    text, kind = ("Look", "look") if one.concern else ("Fine", "fine")
    head = [
        element("span", text, class_=f"badge {kind}"),
        element("strong", QUESTIONS.get(name, name)),
        element("span", f" {name}", class_="muted"),
    ]
    sentence = element("p", short_labels(one.sentence))
    advice = element("p", f"→ {one.recommendation}") if one.concern and one.recommendation else ""
    return Html("".join([*head, sentence, advice]))
