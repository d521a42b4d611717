"""Models: names on the command line -> estimators that are yet to be fitted."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from suffice.cli.options import listed
from suffice.errors import InvalidParameter


class Kind(StrEnum):
    """Models by their names on the command line."""

    AUTO = "auto"
    QDA = "qda"
    LDA = "lda"
    NB = "nb"
    DIAGONAL_LDA = "diagonal-lda"
    GAUSSIAN = "gaussian"
    BAYES = "bayes"
    MIXTURE = "mixture"
    MIXED = "mixed"


# Which of the options a kind of model takes.
TAKES = {
    Kind.AUTO: (),
    Kind.QDA: ("shrinkage",),
    Kind.LDA: ("shrinkage",),
    Kind.NB: (),
    Kind.DIAGONAL_LDA: (),
    Kind.GAUSSIAN: ("pooling", "shrinkage"),
    Kind.BAYES: ("pooling",),
    Kind.MIXTURE: ("pooling", "shrinkage"),
    Kind.MIXED: ("pooling", "shrinkage"),
}


def unfitted(kind: Kind, has_levels: bool, priors: Any, given: dict[str, str | None]) -> Any:
    """The estimator of a name; with levels on indicators of them, unless it takes them itself.

    given : pooling and shrinkage as texts, None where there is none
    """
    options: dict[str, Any] = {
        name: _value(text) for name, text in given.items() if text is not None
    }
    for name in options:
        if name not in TAKES[kind]:
            takers = [str(one) for one, names in TAKES.items() if name in names]
            raise InvalidParameter(
                f"--model {kind} takes no --{name}; those that do are {', '.join(takers)}."
            )
    if has_levels and kind in (Kind.NB, Kind.MIXED):
        from suffice.estimators.mixed import MixedNB

        return MixedNB(priors=priors, **options)
    model = _of_numbers(kind, priors, options)
    if not has_levels:
        return model
    from sklearn.pipeline import Pipeline

    from suffice.estimators.indicators import Indicators

    return Pipeline([("indicators", Indicators()), ("model", model)])


def _of_numbers(kind: Kind, priors: Any, options: dict[str, Any]) -> Any:
    import suffice as sf

    makers: dict[Kind, Any] = {
        Kind.QDA: sf.QDA,
        Kind.LDA: sf.LDA,
        Kind.NB: sf.GaussianNB,
        Kind.DIAGONAL_LDA: sf.DiagonalLDA,
        Kind.GAUSSIAN: sf.GaussianDiscriminant,
        Kind.BAYES: sf.BayesianDiscriminant,
        Kind.MIXTURE: sf.MixtureDiscriminant,
        Kind.MIXED: sf.MixedNB,
    }
    if kind is Kind.MIXTURE:
        # The same rows make the same model.
        options = {**options, "random_state": 0, "unlabelled": None}
    return makers[kind](priors=priors, **options)


def _value(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def with_priors(model: Any, priors: Any) -> Any:
    """A fitted model, or a pipeline that ends with one, under other priors."""
    if not hasattr(model, "steps"):
        return model.with_priors(priors)
    from sklearn.pipeline import Pipeline

    *before, (name, last) = model.steps
    return Pipeline([*before, (name, last.with_priors(priors))])


def parsed_priors(text: str, classes: list[Any]) -> Any:
    """Priors as estimators take them.

    >>> parsed_priors("share", ["a"]), parsed_priors("1=0.3, 2=0.7", [1, 2])
    (None, {1: 0.3, 2: 0.7})
    """
    if text in ("share", "uniform"):
        return None if text == "share" else "uniform"
    found: dict[Any, float] = {}
    for part in listed(text):
        label, equals, value = part.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise InvalidParameter(
                f"--priors {text!r}: {part!r} is not label=number. Pass uniform, share, or "
                "label=0.3,other=0.7."
            )
        found[parsed_label(label.strip(), classes)] = number
    return found


def parsed_label(text: str, classes: list[Any]) -> Any:
    """The class that a text on the command line means.

    >>> parsed_label("2", [1, 2]), parsed_label("1", [0.0, 1.0])
    (2, 1.0)
    """
    for label in classes:
        whole = isinstance(label, float) and label.is_integer() and str(int(label)) == text
        if str(label) == text or whole:
            return label
    from suffice.data.table import named, nearest

    near = nearest(text, map(str, classes))
    hint = f"Did you mean {near}? " if near else ""
    raise InvalidParameter(f"there is no class {text!r}. {hint}The classes are {named(classes)}.")
