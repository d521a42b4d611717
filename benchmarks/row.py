"""Row: one measured quantity beside what it is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

AT_MOST = "<="
AT_LEAST = ">="


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison.

    `sense` says which way the ratio goes: with "<=" it is ours / reference (a cost, small is
    good), with ">=" reference / ours (a speed-up, large is good). No limit: reported only.
    """

    subject: str
    case: str
    quantity: str
    ours: float
    reference_name: str
    reference: float
    sense: Literal["<=", ">="]
    limit: float | None = None
    unit: Literal["ms", "MB", "nats", "tables", "share"] = "ms"

    @property
    def ratio(self) -> float:
        if self.sense == AT_MOST:
            return self.ours / self.reference
        return self.reference / self.ours

    @property
    def ok(self) -> bool | None:
        """Whether the limit is kept; None without one."""
        if self.limit is None:
            return None
        return self.ratio <= self.limit if self.sense == AT_MOST else self.ratio >= self.limit

    def as_json(self) -> dict[str, Any]:
        unit = self.unit.lower()
        return {
            "subject": self.subject,
            "case": self.case,
            "quantity": self.quantity,
            f"ours_{unit}": self.ours,
            "reference": self.reference_name,
            f"reference_{unit}": self.reference,
            "ratio": self.ratio,
            "ratio_is": "ours/reference" if self.sense == AT_MOST else "reference/ours",
            "sense": self.sense,
            "limit": self.limit,
            "ok": self.ok,
        }
