"""The explorer: a page, its local server and a notebook widget."""
