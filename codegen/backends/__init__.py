"""The backends: one folder each, all of the shape that ``base`` describes. A new backend is a new folder here."""
