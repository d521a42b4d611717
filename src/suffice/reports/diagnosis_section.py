"""Diagnosis: whether Gaussian classes fit the data, finding by finding."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from suffice.data.parameters import is_number
from suffice.errors import InvalidFeatures
from suffice.html import Html, element, joined
from suffice.reports.choice_section import Choice
from suffice.reports.markup import items, note, paragraphs, short_labels
from suffice.reports.material import Material
from suffice.selection.diagnostics.diagnosis import Diagnosis, diagnose
from suffice.selection.diagnostics.diagnostic import Diagnostic
from suffice.text import plural


@dataclass(frozen=True, slots=True)
class CardQuestion:
    """What a card answers.

    tests : the diagnostics that answer it
    tried : candidates of a selection that do without the assumption, in words
    kinds : the models among them
    parameter : the parameter that varies among them, or ""
    """

    text: str
    tests: tuple[str, ...]
    tried: str = ""
    kinds: tuple[str, ...] = ()
    parameter: str = ""

    def is_answered(self, choice: Choice | None) -> bool:
        """Whether the model was chosen among candidates that do without the assumption."""
        if choice is None or choice.given or not self.tried:
            return False
        return any(
            one.get("model") in self.kinds or is_positive(one.get(self.parameter))
            for one in choice.selection.candidates
        )


# Calibration is missing here: another part is about that of the model itself.
QUESTIONS = (
    CardQuestion(
        "Do all classes have the same covariance?",
        ("Box's M",),
        "covariances from one for all classes to one per class",
        parameter="pooling",
    ),
    CardQuestion(
        "Are the classes Gaussian?",
        ("Mardia", "Henze-Zirkler", "Distance quantiles"),
        "transformed columns or several Gaussians per class",
        ("UnskewedDiscriminant", "MixtureDiscriminant"),
    ),
    CardQuestion(
        "Can the covariances be trusted?",
        ("Conditioning",),
        "covariances shrunk to be well conditioned",
        parameter="shrinkage",
    ),
    CardQuestion("Do single rows determine the model?", ("Influential rows",)),
)


def is_positive(value: Any) -> bool:
    """Whether a parameter is a number above zero, or a rule that estimates one."""
    return isinstance(value, str) or (is_number(value) and value > 0)


def diagnosis(data: Material) -> Diagnosis:
    """The diagnosis of the numeric columns."""
    X = data.numeric()
    if X is None:
        raise InvalidFeatures(
            "every column holds categories; the diagnostics are about columns of numbers."
        )
    return diagnose(X, data.y)


def diagnosis_html(found: Diagnosis, choice: Choice | None) -> Html:
    """The section."""
    basis = f"Judged on {plural(found.rows, 'row')} and {plural(found.features, 'numeric column')}"
    if found.dropped:
        basis += f"; {plural(found.dropped, 'row')} with missing values left out"
    cards = [one for one in QUESTIONS if any(name in found.diagnostics for name in one.tests)]
    parts = [paragraphs(_verdict(cards, found, choice), f"{basis}.")]
    if cards:
        parts.append(items([_card(one, found, choice) for one in cards], class_="findings"))
    for why in dict.fromkeys(found.skipped.values()):
        names = ", ".join(name for name, reason in found.skipped.items() if reason == why)
        parts.append(note(f"Not judged: {names}: {why}"))
    return joined(parts)


def _results(question: CardQuestion, found: Diagnosis) -> list[Diagnostic]:
    return [found[name] for name in question.tests if name in found.diagnostics]


def _verdict(cards: list[CardQuestion], found: Diagnosis, choice: Choice | None) -> str:
    doubted = [one for one in cards if any(result.concern for result in _results(one, found))]
    if not doubted:
        return "No evidence against Gaussian classes here."
    n = sum(not one.is_answered(choice) for one in doubted)
    counts = "What counts in the end is the score on unseen rows."
    if n:
        return f"{n} of {len(cards)} findings {'needs' if n == 1 else 'need'} a look. {counts}"
    return f"Some assumptions do not hold, but the choice of the model took care of that. {counts}"


def _card(question: CardQuestion, found: Diagnosis, choice: Choice | None) -> Html:
    results = _results(question, found)
    doubts = [one for one in results if one.concern]
    badge, advice = "Fine", ""
    if doubts:
        badge, advice = "Look", " ".join(dict.fromkeys(one.recommendation for one in doubts))
        if question.is_answered(choice):
            badge = "Noted"
            advice = f"Nothing to do: {question.tried} were among the candidates."
    head = [
        element("span", badge, class_=f"badge {badge.lower()}"),
        element("strong", question.text),
        element("span", f" {', '.join(one.name for one in results)}", class_="muted"),
    ]
    sentences = [element("p", short_labels(text)) for text in merged(results)]
    return Html("".join([*head, *sentences, element("p", f"→ {advice}") if advice else ""]))


def merged(results: list[Diagnostic]) -> list[str]:
    """The findings in words; what several tests agree on is said once, with all their numbers."""
    numbers: dict[tuple[str, str], list[str]] = {}
    # A finding, the name of the test and its numbers in brackets, and what was left out.
    parts_of = re.compile(r"(.+?) \(([^()]*p [=<][^()]*)\)\.(.*)")
    for one in results:
        parts = parts_of.fullmatch(one.sentence)
        text, number, rest = parts.groups() if parts else (one.sentence, "", "")
        numbers.setdefault((text, rest), []).append(number)
    return [
        f"{text} ({'; '.join(several)}).{rest}" if all(several) else text
        for (text, rest), several in numbers.items()
    ]
