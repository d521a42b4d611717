"""Finished values to pages: one HTML file about a table and its model."""
