"""Models: names and options on the command line -> estimators that are yet to be fitted."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

from suffice.cli.options import Metric, listed, option
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
    POOLED = "pooled"


class ShrinkageTarget(StrEnum):
    """What covariances shrink to."""

    IDENTITY = "identity"
    DIAGONAL = "diagonal"
    UNIT = "unit"


# The public class of each model.
CLASSES = {
    Kind.QDA: "QDA",
    Kind.LDA: "LDA",
    Kind.NB: "GaussianNB",
    Kind.DIAGONAL_LDA: "DiagonalLDA",
    Kind.GAUSSIAN: "GaussianDiscriminant",
    Kind.BAYES: "BayesianDiscriminant",
    Kind.MIXTURE: "MixtureDiscriminant",
    Kind.MIXED: "MixedNB",
    Kind.POOLED: "PooledDiscriminant",
}


# Parameters whose option has another name: --target is the column of the classes.
OPTIONS = {"target": "shrinkage-target"}


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """The model to fit."""

    model: Annotated[
        Kind,
        typer.Option(
            help="auto tries the whole family by cross-validation and keeps the best; nb is "
            "MixedNB where there are categories, as mixed is."
        ),
    ] = Kind.AUTO
    priors: Annotated[
        str,
        typer.Option(help="Class probabilities: share (as in the table), uniform, or a=0.3,b=0.7."),
    ] = "share"
    pooling: Annotated[
        str | None,
        option("From one covariance per class (0) to one for all (1), or cv to choose."),
    ] = None
    shrinkage: Annotated[
        str | None,
        option("How far covariances shrink to a simple one: 0 to 1, cv, oas, ledoit-wolf."),
    ] = None
    shrinkage_target: Annotated[
        ShrinkageTarget | None,
        typer.Option(
            help="What covariances shrink to; with diagonal, units do not matter.",
            show_default=False,
        ),
    ] = None
    folds: Annotated[
        int | None,
        option("Cross-validation folds of --model auto; by default 5, for small tables 10.", min=2),
    ] = None

    metric: Metric = "log_loss"
    simple: Annotated[
        bool, typer.Option("--simple", help="With --model auto, never the mean of several models.")
    ] = False
    time_limit: Annotated[
        float | None,
        option("Seconds after which --model auto takes the best model so far."),
    ] = None

    @property
    def automatic(self) -> dict[str, Any]:
        """The parameters of the automatic choice."""
        return {
            "metric": self.metric,
            "cv": self.folds,
            "simple": self.simple,
            "time_limit": self.time_limit,
        }

    @property
    def given(self) -> dict[str, str]:
        """The parameters of covariances that are given."""
        every = {
            "pooling": self.pooling,
            "shrinkage": self.shrinkage,
            "target": self.shrinkage_target,
        }
        return {name: str(text) for name, text in every.items() if text is not None}

    @property
    def detail(self) -> str:
        """The least detail of statistics that the model needs."""
        if self.model in (Kind.NB, Kind.DIAGONAL_LDA):
            return "diagonal"
        return "shared" if self.model is Kind.LDA and self.shrinkage is None else "separate"

    def estimator(self, has_levels: bool, priors: Any, columns: Any = None) -> Any:
        """The estimator for rows with or without categories.

        columns : how it reads the columns of a table, if they are not all numbers
        """
        import suffice as sf

        options: dict[str, Any] = {name: _value(text) for name, text in self.given.items()}
        for name in options:
            takers = [str(kind) for kind in CLASSES if name in _parameters(kind)]
            if str(self.model) not in takers:
                raise InvalidParameter(
                    f"--model {self.model} takes no --{OPTIONS.get(name, name)}; those that do are "
                    f"{', '.join(takers)}."
                )
        options |= {"priors": priors, "columns": columns}
        if has_levels and self.model in (Kind.NB, Kind.MIXED):
            return sf.MixedNB(**options)
        if self.model is Kind.MIXTURE:
            # The same rows make the same model.
            options |= {"random_state": 0, "unlabelled": None}
        return getattr(sf, CLASSES[self.model])(**options)


def _parameters(kind: Kind) -> Any:
    import suffice as sf

    return inspect.signature(getattr(sf, CLASSES[kind])).parameters


def _value(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def parse_priors(text: str, classes: list[Any]) -> Any:
    """Priors as estimators take them.

    >>> parse_priors("share", ["a"]), parse_priors("1=0.3, 2=0.7", [1, 2])
    (None, {1: 0.3, 2: 0.7})
    """
    if text in ("share", "uniform"):
        return None if text == "share" else "uniform"
    priors: dict[Any, float] = {}
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
        priors[parse_label(label.strip(), classes)] = number
    return priors


def parse_costs(text: str | None, classes: list[Any]) -> dict[tuple[Any, Any], float] | None:
    """Costs of errors as `decide` takes them.

    >>> parse_costs("bad/good=5", ["bad", "good"])
    {('bad', 'good'): 5.0}
    """
    if text is None:
        return None
    pairs = {f"{a}/{b}": (a, b) for a in classes for b in classes}
    costs = {}
    for part in listed(text):
        names, _, number = part.rpartition("=")
        try:
            costs[pairs[names.strip()]] = float(number)
        except (KeyError, ValueError):
            raise InvalidParameter(
                f"--costs {text!r}: {part!r} is not true/predicted=cost, such as "
                f"{classes[0]}/{classes[-1]}=5."
            ) from None
    return costs


def parse_threshold(text: str | None, classes: list[Any]) -> Any:
    """A threshold as `decide` takes it.

    >>> parse_threshold("0.3", ["bad", "good"]), parse_threshold("bad=0.1", ["bad", "good"])
    (0.3, {'bad': 0.1})
    """
    if text is None:
        return None
    label, equals, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        raise InvalidParameter(
            f"--threshold {text!r} is not a probability, such as 0.3 or {classes[-1]}=0.3."
        ) from None
    return {parse_label(label.strip(), classes): value} if equals else value


def parse_label(text: str, classes: list[Any]) -> Any:
    """The class that a text on the command line means.

    >>> parse_label("2", [1, 2]), parse_label("1", [0.0, 1.0])
    (2, 1.0)
    """
    import numpy as np

    from suffice.data.labels import class_position

    for label in classes:
        whole = isinstance(label, float) and label.is_integer() and str(int(label)) == text
        if str(label) == text or whole:
            return label
    # It is none of them: raise what lists them.
    return classes[class_position(np.array(classes, object), text)]
