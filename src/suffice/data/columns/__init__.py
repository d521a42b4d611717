"""What a column of a table is, and how its cells are read."""
