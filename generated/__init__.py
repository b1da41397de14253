"""Formats that the generator made from specs/."""
