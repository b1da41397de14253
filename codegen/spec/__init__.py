"""Spec text → checked syntax tree: YAML with positions, the tables of the dialect, diagnostics."""
