"""The key ``look-ups`` of a table: columns from earlier rows of other tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wireloom.base.dataclass import replace

from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Section, Text
from ..tree import Rows
from ..tree.leaves import LookUp
from ..words import shown, suggestion


def with_look_ups(
    tables: Sequence[Rows], sections: Mapping[str, Section], diagnostics: Diagnostics
) -> tuple[Rows, ...]:
    """Return the tables with their look-ups. ``sections``: the keys of each table, by its name."""
    known = {each.name: each for each in tables}
    names = {
        name: {*_columns(each), *(key.value for key, _ in _entries(sections[name]))} for name, each in known.items()
    }
    made = []
    for rows in tables:
        section = sections[rows.name]
        found = (_look_up(rows, *each, known, names, diagnostics) for each in _entries(section))
        look_ups = tuple(each for each in found if each is not None)
        order = tuple(each.value for each in section.texts("columns")) if look_ups else ()
        made.append(replace(rows, look_ups=look_ups, order=order))
    _refuse_circles(made, sections, diagnostics)
    return tuple(made)


def look_up_names(section: Section) -> set[str]:
    """Return the names of the columns that a table looks up; a single table, in ``meta``, has no look-ups."""
    return {name.value for name, _ in _entries(section)} if section.table == "table" else set()


def _entries(section: Section) -> Iterator[tuple[Text, Section]]:
    for each in section.entries("look-ups"):
        if isinstance(each.key, Text) and isinstance(each.value, Section):
            yield each.key, each.value


def _columns(rows: Rows) -> tuple[str, ...]:
    return (*rows.columns, *rows.parent_columns, *rows.selectable)


def _look_up(
    rows: Rows,
    name: Text,
    section: Section,
    known: Mapping[str, Rows],
    names: Mapping[str, set[str]],
    diagnostics: Diagnostics,
) -> LookUp | None:
    before = diagnostics.errors
    parts = {key: section.text(key) for key in ("table", "key", "match", "value")}
    if name.value in _columns(rows):
        diagnostics.error(name.position, f"the column {shown(name.value)} already exists")
    table = parts["table"]
    if any(each is None for each in parts.values()) or table is None:
        return None
    other = known.get(table.value)
    if other is None or other is rows:
        others = [name for name in known if name != rows.name]
        hint = suggestion(table.value, others)
        diagnostics.error(table.position, f"there is no other table {shown(table.value)}{hint}")
        return None
    if (other.attribute, other.streaming) != (rows.attribute, rows.streaming):
        sentence = (
            f"the rows of {shown(other.name)} are not in the same units: both paths must begin with the same attribute"
        )
        diagnostics.error(table.position, sentence)
    for key, holder in (("key", rows), ("match", other), ("value", other)):
        part = parts[key]
        if part is not None and part.value not in names[holder.name]:
            hint = suggestion(part.value, names[holder.name])
            diagnostics.error(part.position, f"the table {shown(holder.name)} has no column {shown(part.value)}{hint}")
    if diagnostics.errors > before:
        return None
    words = {key: each.value for key, each in parts.items() if isinstance(each, Text)}
    return LookUp(name=name.value, **words, default=section.flag("default", True))


def _refuse_circles(tables: Sequence[Rows], sections: Mapping[str, Section], diagnostics: Diagnostics) -> None:
    """Report look-ups that depend on themselves. A looked-up column may be the key or the value of another one."""
    needs = {(rows.name, each.name): each for rows in tables for each in rows.look_ups}
    for first in needs:
        seen: set[tuple[str, str]] = set()
        waiting = [first]
        while waiting:
            here = waiting.pop()
            each = needs.get(here)
            if each is None or here in seen:
                continue
            seen.add(here)
            after = [(here[0], each.key), (each.table, each.match), (each.table, each.value)]
            if first in after:
                position = sections[first[0]].position_of("look-ups")
                diagnostics.error(position, f"the look-up of the column {shown(first[1])} depends on itself")
                return
            waiting += after
