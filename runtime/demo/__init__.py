"""The demonstration that ``make demo`` runs: sample logs on disk, some of them damaged, and what becomes of them."""
