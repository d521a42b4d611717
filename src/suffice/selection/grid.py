"""Grid: the values that cross-validation tries for each parameter."""

from __future__ import annotations

POOLINGS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
SHARES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
INFLATIONS = (1.0, 1.5, 2.0, 3.0)
