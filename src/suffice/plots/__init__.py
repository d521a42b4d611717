"""Finished values to pictures."""
