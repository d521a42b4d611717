"""The automatic choice among models."""
