"""An object as an HTML table, for notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, ClassVar, Protocol, runtime_checkable

from ..base.html_tables import SHOWN_ITEMS, grid, more, plain
from ..base.text import markup

DEEPEST = 4
"""Maximum depth of nested objects."""
MOST_VALUES = 300
"""Maximum number of values of an object, including those of nested objects."""


@runtime_checkable
class Fields(Protocol):
    """An object of a generated class, which knows the names of its attributes."""

    _fields: ClassVar[tuple[str, ...]]


def html_of_struct(struct: Fields) -> str:
    """Return an object as an HTML table of its attributes, with objects inside it as collapsible rows."""
    return f"<div><b>{markup(type(struct).__qualname__)}</b></div>{_Objects().fields(struct, 0)}"


class _Objects:
    """Renders objects up to a maximal number of values, so that the object of a large file is shown as fast as one
    row."""

    def __init__(self) -> None:
        self._left = MOST_VALUES

    def fields(self, struct: Fields, depth: int) -> str:
        return grid(("attribute", "value"), list(self._rows(struct, depth)))

    def _rows(self, struct: Fields, depth: int) -> Iterator[tuple[str, str]]:
        for name in struct._fields:
            if self._left <= 0:
                yield "…", ""
                return
            self._left -= 1
            value = self.value(getattr(struct, name), depth) if hasattr(struct, name) else "<i>not set</i>"
            yield f"<code>{markup(name)}</code>", value

    def value(self, value: object, depth: int) -> str:
        if isinstance(value, Fields):
            name = markup(type(value).__qualname__)
            if depth >= DEEPEST or self._left <= 0:
                return f"{name} …"
            return f"<details><summary>{name}</summary>{self.fields(value, depth + 1)}</details>"
        if isinstance(value, list):
            return self._items(value, depth)
        return plain(value)

    def _items(self, values: list[Any], depth: int) -> str:
        count = f"{len(values):,} item{'' if len(values) == 1 else 's'}"
        if depth >= DEEPEST or self._left <= 0 or not values:
            return count
        rows = []
        for index, value in enumerate(islice(values, SHOWN_ITEMS)):
            if self._left <= 0:
                break
            self._left -= 1
            rows.append((str(index), self.value(value, depth + 1)))
        shown = grid(("", ""), rows) + more(len(values) - len(rows), "items")
        return f"<details><summary>{count}</summary>{shown}</details>"
