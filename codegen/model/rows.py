"""What a table of a format is: its rows and columns, and the options that say how rows stand in a file."""

from __future__ import annotations

from dataclasses import dataclass

from ..expression.types import Path


@dataclass(frozen=True)
class Choice:
    """An option of the format that names how many unused bytes follow each row (``-wireloom: {options: …}``).

    ``padding`` maps each value of the option to that number of bytes. With ``default`` = ``auto`` the reader decides by
    evidence: the first value in order whose rows hold."""

    name: str
    padding: tuple[tuple[str, int], ...]
    default: str
    doc: str = ""


@dataclass(frozen=True)
class Rows:
    """``-wireloom: {rows: …}`` in ``meta``: what a table of this format is."""

    attribute: str
    """The root's repeated attribute whose items are the rows."""
    row: Path
    """The type of a row."""
    columns: tuple[str, ...]
    """Attributes and instances of the row type that are columns unless the reader asks for others, in order."""
    selectable: tuple[str, ...]
    """Those that a reader may ask for besides."""
    parent_columns: tuple[str, ...] = ()
    """Scalars of the root that come along in every row; they stand before the rows on the wire."""
