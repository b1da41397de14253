"""A format as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable

from ..base.html_tables import grid, shortened
from .columns import Column


def html_of(
    title: tuple[str, str],
    columns: Iterable[Column],
    path_columns: Iterable[str],
    options: Iterable[tuple[str, Iterable[str], str]],
) -> str:
    """Return the HTML of a format: its name and title, columns, and options with their values and meanings."""
    rows = [
        (
            f"<code>{shortened(each.name)}</code>",
            shortened(each.type),
            "yes" if each.default else "where asked for",
            shortened(each.doc),
        )
        for each in columns
    ]
    rows += [(f"<code>{shortened(each)}</code>", "utf8", "where asked for", "") for each in path_columns]
    choices = [
        (f"<code>{shortened(name)}</code>", shortened(", ".join(values)), shortened(doc.partition("\n")[0]))
        for name, values, doc in options
    ]
    name, text = title
    shown = f"<div><b>{shortened(name)}</b>: {shortened(text)}</div>"
    shown += grid(("column", "type", "by default", ""), rows)
    return shown + (grid(("option", "values", ""), choices) if choices else "")
