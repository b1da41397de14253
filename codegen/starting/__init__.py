"""``wireloom new``: a small complete package around a first spec."""
