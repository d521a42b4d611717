"""Anything a user has to validated batches."""
