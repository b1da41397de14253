"""Reading messages that are values of a column."""
