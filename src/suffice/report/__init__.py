"""Finished values to pages."""
