"""Exact statistics: values rounded once to a grid, then integers only."""
