"""Diagnostics: whether Gaussian classes fit the data, in plain sentences."""
