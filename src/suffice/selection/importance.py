"""Importance: how much worse predictions become without a feature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.html import html_table
from suffice.selection.selection import format_score
from suffice.text import align_columns, plural, shorten, visible

SHOWN_FEATURES = 30
HEAD = ("feature", "importance", "standard error")


@dataclass(frozen=True, eq=False, slots=True)
class Importance:
    """Increase of the log-loss, in nats, when a feature is integrated out of the model.

    The model without a feature is its exact marginal: the same means and covariances of all
    others, as for rows in which the feature is missing. A feature is unimportant if others say
    the same, and below zero if predictions are better without it.

    Attributes
    ----------
    names : (d,) of the features
    increase : (d,) mean over rows of ln p(y | x) - ln p(y | x without the feature)
    se : (d,) its standard error over rows
    log_loss : of the whole model, on the same rows
    rows : their number
    held_out : whether each row was tested by models that had not seen it
    """

    names: tuple[str, ...]
    increase: Floats
    se: Floats
    log_loss: float
    rows: int
    held_out: bool

    @classmethod
    def of(
        cls,
        names: tuple[str, ...],
        changes: Floats,
        loss: Floats,
        weights: Floats | None,
        held_out: bool,
    ) -> Importance:
        """The importance from the change of each row's loss, (d, n), and its loss (n,)."""
        w = np.ones(len(loss)) if weights is None else weights
        share = w / w.sum()
        increase = changes @ share
        se = np.sqrt(((changes - increase[:, None]) ** 2) @ share**2)
        return cls(names, increase, se, float(loss @ share), len(loss), held_out)

    @property
    def order(self) -> Indices:
        """Positions of the features, the most important first."""
        return np.argsort(-self.increase, kind="stable")

    @property
    def table(self) -> dict[str, Array]:
        """One row per feature, the most important first; `pandas.DataFrame` takes it."""
        at = self.order
        return {
            "feature": np.array(self.names, object)[at],
            "importance": self.increase[at],
            "se": self.se[at],
        }

    @property
    def title(self) -> str:
        """What was measured, in words."""
        where = "held-out rows" if self.held_out else "rows"
        return (
            f"Increase of the log-loss ({format_score(self.log_loss)} on {self.rows:,} {where}) "
            "without a feature"
        )

    @property
    def _lines(self) -> list[list[str]]:
        longest_name = 40
        return [
            [
                shorten(visible(self.names[j]), longest_name),
                format_score(self.increase[j]),
                format_score(self.se[j]),
            ]
            for j in self.order[:SHOWN_FEATURES]
        ]

    @property
    def _rest(self) -> list[str]:
        more = len(self.names) - SHOWN_FEATURES
        return [f"... and {plural(more, 'feature')} more"] if more > 0 else []

    def __repr__(self) -> str:
        return "\n".join([self.title, *align_columns([list(HEAD), *self._lines]), *self._rest])

    def _repr_html_(self) -> str:
        return html_table(HEAD, self._lines, caption=self.title, notes=self._rest)
