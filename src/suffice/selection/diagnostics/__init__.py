"""Diagnostics: whether Gaussian classes fit the data, said in plain sentences."""
