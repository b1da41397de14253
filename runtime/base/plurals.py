"""Numbers with the noun that they count, in singular or plural."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return the number with the noun, in plural unless the number is 1.

    >>> counted(1, "row"), counted(2_000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
