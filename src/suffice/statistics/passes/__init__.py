"""Passes over rows: the only loops over data."""
