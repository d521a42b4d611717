"""Atypical: the rows that the model finds least likely, and what is odd in them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.answers.contributions import explanation
from suffice.data.arrays import Array, Floats
from suffice.data.missing import is_missing
from suffice.errors import InvalidParameter
from suffice.report.choice_section import Choice, last_step
from suffice.report.markup import Html, element, items, joined, paragraphs, plural, short, table
from suffice.report.material import Material

# Rows that are listed, and odd values of a row.
MOST_ROWS, MOST_VALUES = 8, 3

# With more columns, leaving out each in turn would take too long.
MOST_COLUMNS = 120

# Rows less likely than this are counted.
LEVEL = 0.01


@dataclass(frozen=True, slots=True)
class OddValue:
    """A value that the other values of its row make unlikely, and the one to expect of them."""

    column: str
    value: Any
    expected: Any


@dataclass(frozen=True, slots=True)
class OddRow:
    """One row.

    row : its number in the table, from 0
    label : its class
    pvalue : the chance that a row of the model is at least as atypical
    predicted, probability : the class the model takes it for, and how sure it is
    values : the odd ones, the oddest first
    reason : why this class rather than the next, in words; "" where the model cannot say
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

    rare : how many of the rows have a p-value below `LEVEL`
    expected : how many would under the model
    """

    rows: tuple[OddRow, ...]
    rare: int
    expected: float


def atypical(data: Material, choice: Choice) -> AtypicalRows:
    """What the chosen model finds least likely."""
    model, X, names = _asked(data, choice)
    if not hasattr(model, "outlier_pvalue"):
        raise InvalidParameter(f"a {choice.name} has no density, so that no row is atypical to it.")
    p = np.asarray(model.outlier_pvalue(X))
    order = np.argsort(p, kind="stable")[:MOST_ROWS]
    posterior = np.asarray(model.predict_proba(_at(data, X, order)))
    odd = _odd_values(data, model, names, order) if X is data.X else [()] * len(order)
    rows = []
    for i, at in enumerate(order.tolist()):
        best = int(posterior[i].argmax())
        rows.append(
            OddRow(
                at if data.rows is None else int(data.rows[at]),
                data.y[at].item(),
                float(p[at]),
                model.classes_[best].item(),
                float(posterior[i, best]),
                tuple(odd[i]),
                _reason(model, _at(data, X, order[i : i + 1]), posterior[i], names),
            )
        )
    return AtypicalRows(tuple(rows), int((p < LEVEL).sum()), LEVEL * len(p))


def _asked(data: Material, choice: Choice) -> tuple[Any, Any, list[str]]:
    """The model that has a density, and the rows as it takes them."""
    if not hasattr(choice.model, "steps"):
        return choice.model, data.X, list(data.names)
    before = choice.model[:-1]
    names = [str(name) for name in before.get_feature_names_out(list(data.names))]
    return last_step(choice.model), before.transform(data.X), names


def _at(data: Material, X: Any, rows: Array) -> Any:
    return data.at(rows) if X is data.X else X[rows]


def _reason(model: Any, row: Any, posterior: Floats, names: list[str]) -> str:
    """Why the most probable class rather than the next."""
    order = np.argsort(-posterior, kind="stable")
    try:
        found = model.contributions(row, *model.classes_[order[:2]].tolist())
    except (AttributeError, NotImplementedError, ValueError):  # a model that cannot say
        return ""
    first, second = (short(one) if isinstance(one, str) else one for one in found.classes)
    told = replace(found, classes=(first, second))
    return explanation(told, 0, [short(name, 40) for name in names])


def _odd_values(data: Material, model: Any, names: list[str], order: Array) -> list[list[OddValue]]:
    """For each row the values with the least density given the rest of the row."""
    d = data.shape[1]
    if d < 2 or d > MOST_COLUMNS or not hasattr(model, "impute"):
        return [[] for _ in order]
    rows = _objects(data, order)
    gapped = np.repeat(rows, d, axis=0)
    gapped[np.arange(len(gapped)), np.tile(np.arange(d), len(rows))] = None
    table = _like(data, gapped)
    whole = np.asarray(model.score_samples(_like(data, rows)))
    without = np.asarray(model.score_samples(table)).reshape(len(rows), d)
    expected = _plain(model.impute(table)).reshape(len(rows), d, d)
    given = whole[:, None] - without + np.log(_spreads(data))
    out = []
    for i, row in enumerate(rows):
        at = [j for j in np.argsort(given[i], kind="stable").tolist() if not is_missing(row[j])]
        out.append([OddValue(names[j], row[j], expected[i, j, j]) for j in at[:MOST_VALUES]])
    return out


def _spreads(data: Material) -> Floats:
    """Standard deviations of the columns, so that densities do not depend on units."""
    out = np.ones(data.shape[1])
    for i, j in enumerate(data.layout.numeric):
        known = data.numbers[~np.isnan(data.numbers[:, i]), i]
        out[j] = (known.std() if len(known) else 0.0) or 1.0
    return out


def _objects(data: Material, rows: Array) -> Array:
    frame = data.frame
    if frame is None:
        return np.asarray(data.X)[rows].astype(object)
    part = frame[rows.tolist()]
    out = np.empty(part.shape, object)
    for j, column in enumerate(part.iter_columns()):
        out[:, j] = column.to_list()
    return out


def _like(data: Material, rows: Array) -> Any:
    """Rows of objects in the form of the table."""
    frame = data.frame
    numeric = set(data.layout.numeric)
    if frame is None:
        text = bool(data.layout.discrete)
        return rows if text else np.array(rows, np.float64)
    columns = {
        name: np.array(rows[:, j], np.float64) if j in numeric else rows[:, j].tolist()
        for j, name in enumerate(frame.columns)
    }
    return type(frame).from_dict(columns, backend=frame.implementation).to_native()


def _plain(table: Any) -> Array:
    from suffice.data.features import as_frame

    frame = None if isinstance(table, np.ndarray) else as_frame(table)
    if frame is None:
        return np.asarray(table, object)
    out = np.empty(frame.shape, object)
    for j, column in enumerate(frame.iter_columns()):
        out[:, j] = column.to_list()
    return out


def atypical_html(found: AtypicalRows) -> Html:
    """The section."""
    many = f"{plural(found.rare, 'row')} {'is' if found.rare == 1 else 'are'}"
    said = (
        f"{many if found.rare else 'No row is'} so unlike any class that a row of the model would "
        f"be so with a chance below {LEVEL:g}; about {found.expected:.2g} were to be expected."
    )
    more = (
        "That is more than chance brings. Look at them before anything else: a slip of the pen, a "
        "unit mixed up, or something the classes do not know."
        if found.rare > found.expected + 2 * found.expected**0.5
        else "That is no more than chance brings."
    )
    odd = any(one.values for one in found.rows)
    head = ["Row", "Class", "p-value", "Taken for", "Probability"]
    words = [1, 3]
    if odd:
        head.append("What is odd, and what the rest of the row would suggest")
        words.append(5)
    rows = [
        [
            f"{one.row:,}",
            short(one.label),
            f"{one.pvalue:.2g}",
            short(one.predicted),
            f"{one.probability:.3f}",
            *([_told(one)] if odd else []),
        ]
        for one in found.rows
    ]
    parts = [
        paragraphs(f"{said} {more}"),
        table("The most atypical rows, numbered from 0.", head, rows, words=words),
    ]
    reasons = [(one.row, one.reason) for one in found.rows if one.reason]
    if reasons:
        parts += [
            element("h3", "Why the model takes them for what it does"),
            element(
                "p",
                "Each column's share in the log-odds of the most probable class against the next: "
                "positive speaks for it, negative against it.",
            ),
            items(f"Row {row:,}: {reason}" for row, reason in reasons[:MOST_VALUES]),
        ]
    return joined(parts)


def _told(one: OddRow) -> str:
    return "; ".join(
        f"{short(v.column, 40)} {_brief(v.value)} (expected {_brief(v.expected)})"
        for v in one.values
    )


def _brief(value: Any) -> str:
    numeric = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return f"{value:.4g}" if numeric else short(value, 24)
