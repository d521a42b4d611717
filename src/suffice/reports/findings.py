"""Findings: everything on a page, as finished values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from suffice.reports.atypical_section import AtypicalRows
from suffice.reports.choice_section import Choice
from suffice.reports.data_section import DataFacts
from suffice.reports.gaps_section import GapFacts
from suffice.reports.markup import percent
from suffice.reports.picture import Picture
from suffice.reports.pictures import Pictures
from suffice.reports.quality_section import Quality
from suffice.reports.usage_section import Usage
from suffice.selection.diagnostics.diagnosis import Diagnosis
from suffice.text import plural


@dataclass(frozen=True, eq=False, slots=True)
class Report:
    """The result of `suffice.report`; None for a part that could not be made.

    path : the file
    title : of the page
    data : rows, columns, classes
    choice : the model and how it was chosen
    quality : how well it predicts rows it has not seen
    diagnosis : whether Gaussian classes fit the data
    atypical : the rows that are least likely under the model
    gaps : missing values
    usage : listings to copy
    drawings : the pictures, and why others are missing
    failures : why a part could not be made, by its name
    explorer : the page to explore the model, or why there is none; None if none was asked for
    """

    path: Path
    title: str
    data: DataFacts
    choice: Choice | None = None
    quality: Quality | None = None
    diagnosis: Diagnosis | None = None
    atypical: AtypicalRows | None = None
    gaps: GapFacts | None = None
    usage: Usage | None = None
    drawings: Pictures = field(default_factory=Pictures)
    failures: Mapping[str, str] = field(default_factory=dict)
    explorer: Path | str | None = None

    @property
    def model(self) -> Any:
        """The fitted model, or None."""
        return None if self.choice is None else self.choice.model

    @property
    def pictures(self) -> Mapping[str, Picture]:
        """The pictures by name."""
        return self.drawings.shown

    @property
    def summary(self) -> str:
        """The report in two sentences."""
        data = self.data
        size = (
            f"{plural(data.rows, 'row')}, {plural(len(data.columns), 'column')}, "
            f"{plural(len(data.classes), 'class')}."
        )
        if self.choice is None or self.quality is None:
            return size
        accuracy, error = self.quality.scores["accuracy"]
        return (
            f"{size} {self.choice.name}: {percent(accuracy)} ± {percent(error)} of the rows it has "
            "not seen get the right label."
        )

    def __repr__(self) -> str:
        return f"<Report {str(self.path)!r}: {self.summary}>"
