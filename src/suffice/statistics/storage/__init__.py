"""Values to files and back, with every check."""
