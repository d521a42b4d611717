"""Files, queries and streams -> pieces of rows; files read and written."""
