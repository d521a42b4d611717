"""Batches to sufficient statistics: one pass, mergeable, subtractable."""
