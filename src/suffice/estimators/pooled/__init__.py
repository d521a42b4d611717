"""Pools: the weighted mean of a few calibrated models."""
