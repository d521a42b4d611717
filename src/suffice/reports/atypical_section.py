"""Atypical: the rows that are least likely under the model, and their odd values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.answers.contributions import explanation
from suffice.data.arrays import Array, Floats
from suffice.data.features import as_frame
from suffice.data.gaps import is_missing
from suffice.errors import InvalidParameter
from suffice.html import Html, joined
from suffice.reports.choice_section import Choice, last_step
from suffice.reports.markup import heading, items, paragraphs, short, short_number, table
from suffice.reports.material import Material
from suffice.text import format_number, plural


@dataclass(frozen=True, slots=True)
class OddValue:
    """A value that the rest of its row makes unlikely, and the value expected from the rest."""

    column: str
    value: Any
    expected: Any


@dataclass(frozen=True, slots=True)
class OddRow:
    """One row.

    row : its number in the table, from 0
    label : its class
    pvalue : the probability that a row of the model is at least as atypical
    predicted, probability : the most probable class, and its probability
    values : the odd ones, the oddest first
    reason : why this class rather than the next, in words; "" if the model cannot say, or for
        all but the first rows
    """

    row: int
    label: Any
    pvalue: float
    predicted: Any
    probability: float
    values: tuple[OddValue, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AtypicalRows:
    """The most atypical rows, the oddest first.

    level : the p-value below which rows are counted
    rare : number of rows below it
    expected : the number expected under the model
    """

    rows: tuple[OddRow, ...]
    level: float
    rare: int
    expected: float


def atypical(
    data: Material, choice: Choice, *, most: int = 8, explained: int = 3, level: float = 0.01
) -> AtypicalRows:
    """The rows that are least likely under the chosen model.

    most, explained : number of rows that are listed, and of those with reasons
    level : p-value below which rows are counted
    """
    model, X, names = _model_with_density(data, choice)
    if not hasattr(model, "outlier_pvalue"):
        raise InvalidParameter(f"a {choice.name} has no density, so no row is atypical under it.")
    p = np.asarray(model.outlier_pvalue(X))
    order = np.argsort(p, kind="stable")[:most]
    own = X is data.X
    some = data.at(order) if own else X[order]
    posterior = np.asarray(model.predict_proba(some))
    odd = _odd_values(data, model, names, order) if own else [[]] * len(order)
    rows = []
    for i, at in enumerate(order.tolist()):
        best = int(posterior[i].argmax())
        row = data.at(order[i : i + 1]) if own else some[i : i + 1]
        rows.append(
            OddRow(
                at if data.rows is None else int(data.rows[at]),
                data.y[at].item(),
                float(p[at]),
                model.classes_[best].item(),
                float(posterior[i, best]),
                tuple(odd[i]),
                _reason(model, row, posterior[i], names) if i < explained else "",
            )
        )
    return AtypicalRows(tuple(rows), level, int((p < level).sum()), level * len(p))


def _model_with_density(data: Material, choice: Choice) -> tuple[Any, Any, list[str]]:
    """The last step of the model, the rows as it takes them, and their columns."""
    if not hasattr(choice.model, "steps"):
        return choice.model, data.X, list(data.names)
    before = choice.model[:-1]
    names = [str(name) for name in before.get_feature_names_out(list(data.names))]
    return last_step(choice.model), before.transform(data.X), names


def _reason(model: Any, row: Any, posterior: Floats, names: list[str]) -> str:
    """Why the most probable class rather than the next."""
    order = np.argsort(-posterior, kind="stable")
    try:
        terms = model.contributions(row, *model.classes_[order[:2]].tolist())
    except (AttributeError, NotImplementedError, ValueError):  # a model that cannot say
        return ""
    first, second = (short(one) if isinstance(one, str) else one for one in terms.classes)
    named = replace(terms, classes=(first, second))
    return explanation(named, 0, [short(name, 40) for name in names])


def _odd_values(
    data: Material, model: Any, names: list[str], order: Array, most: int = 3
) -> list[list[OddValue]]:
    """For each row the values with the lowest density given the rest of the row, `most` of them."""
    d = data.shape[1]
    most_columns = 120  # with more, leaving out each in turn would take too long
    if d < 2 or d > most_columns or not hasattr(model, "impute"):
        return [[] for _ in order]
    rows = _objects(data.at(order))
    gapped = np.repeat(rows, d, axis=0)
    gapped[np.arange(len(gapped)), np.tile(np.arange(d), len(rows))] = None
    table = _like(data, gapped)
    log_density = getattr(model, "_mixed_log_density", model.score_samples)
    whole = np.asarray(log_density(_like(data, rows)))
    without = np.asarray(log_density(table)).reshape(len(rows), d)
    expected = _objects(model.impute(table)).reshape(len(rows), d, d)
    given_rest = whole[:, None] - without + np.log(_deviations(data))
    odd = []
    for i, row in enumerate(rows):
        by_density = np.argsort(given_rest[i], kind="stable").tolist()
        differs = [not is_missing(row[j]) and row[j] != expected[i, j, j] for j in range(d)]
        at = [j for j in by_density if differs[j]][:most]
        odd.append([OddValue(names[j], row[j], expected[i, j, j]) for j in at])
    return odd


def _deviations(data: Material) -> Floats:
    """Standard deviations of the columns, so that densities do not depend on units."""
    out = np.ones(data.shape[1])
    for i, j in enumerate(data.layout.numeric):
        observed = data.numbers[~np.isnan(data.numbers[:, i]), i]
        out[j] = (observed.std() if len(observed) else 0.0) or 1.0
    return out


def _objects(table: Any) -> Array:
    """A table as an array of objects."""
    frame = as_frame(table)
    if frame is None:
        return np.array(table, object)
    out = np.empty(frame.shape, object)
    for j, column in enumerate(frame.iter_columns()):
        out[:, j] = column.to_list()
    return out


def _like(data: Material, rows: Array) -> Any:
    """Rows of objects as the kind of table that the data is."""
    frame = data.frame
    numeric = set(data.layout.numeric)
    if frame is None:
        return rows if data.layout.discrete else np.array(rows, np.float64)
    columns = {
        name: np.array(rows[:, j], np.float64) if j in numeric else rows[:, j].tolist()
        for j, name in enumerate(frame.columns)
    }
    return type(frame).from_dict(columns, backend=frame.implementation).to_native()


def atypical_html(found: AtypicalRows) -> Html:
    """The section."""
    number = f"{plural(found.rare, 'row')} {'is' if found.rare == 1 else 'are'}"
    counted = (
        f"{number if found.rare else 'No row is'} so unlike every class that the p-value is below "
        f"{found.level:g}; about {format_number(found.expected, 2)} are expected by chance."
    )
    advice = "That is no more than chance explains."
    if found.rare > found.expected + 2 * found.expected**0.5:
        advice = (
            "That is more than chance explains. Look at these rows first: a typing error, mixed-up "
            "units, or something that belongs to none of the classes."
        )
    parts = [paragraphs(f"{counted} {advice}"), _listing(found)]
    reasons = [f"Row {one.row:,}: {one.reason}" for one in found.rows if one.reason]
    if reasons:
        parts += [
            heading("Why the model predicts these classes"),
            paragraphs(
                "Contribution of each column to the log-odds of the most probable class against "
                "the next: positive supports it, negative opposes it."
            ),
            items(reasons),
        ]
    return joined(parts)


def _listing(found: AtypicalRows) -> Html:
    head = ["Row", "Class", "p\N{NON-BREAKING HYPHEN}value", "Predicted", "Probability"]
    words = [1, 3]
    odd = any(one.values for one in found.rows)
    if odd:
        head.append("Odd values, and those expected from the rest of the row")
        words.append(5)
    rows = [
        [
            f"{one.row:,}",
            short(one.label),
            f"{one.pvalue:.2g}" if one.pvalue >= 1e-4 else "< 0.0001",
            short(one.predicted),
            f"{one.probability:.3f}",
            *([_describe(one)] if odd else []),
        ]
        for one in found.rows
    ]
    return table("The most atypical rows, numbered from 0.", head, rows, words=words)


def _describe(one: OddRow) -> str:
    return "; ".join(
        f"{short(v.column, 40)} {short_number(v.value)} (expected {short_number(v.expected)})"
        for v in one.values
    )
