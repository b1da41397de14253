"""The base of all other packages: errors, reports, text."""
