"""The backends: one folder each, with the structure that ``base`` describes. A new backend is a new folder here."""
