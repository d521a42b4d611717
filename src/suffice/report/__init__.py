"""Finished values to pages: one HTML file that tells all about a table and its model."""
