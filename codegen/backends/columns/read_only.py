"""The table and the types of a spec that can be read but not written."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.format.columns import objects_only_read, only_read, written_as_objects

from ...passes import read_only_types
from ...spec.position import Position
from ...tree import Rows, Spec
from ..python.names import class_name
from .table import table_columns
from .unfilled import unfilled
from .write_sources import WriteSources


def read_only(spec: Spec) -> tuple[tuple[Position | None, str], ...]:
    """Return the tables that cannot be written, then the types whose objects cannot be written: each as a position and
    a sentence.

    Raises ``SpecError`` if a column has no Arrow type.
    """
    return (*_table(spec), *read_only_types(spec))


def is_written(spec: Spec) -> bool:
    """Return whether rows of the default table can be written."""
    if spec.rows is None:
        return True
    types = (spec.struct(each) for each in (spec.root.path, *spec.rows.types))
    readable = [each for each in types if each.read_only is not None]
    return not _sentence(spec, spec.rows, class_name(spec.name)) and not readable


def required_columns(spec: Spec) -> tuple[str, ...]:
    """Return the names of the default columns, and of further columns without which the default table cannot be
    written."""
    if spec.rows is None:
        return ()
    write_sources, columns = WriteSources(spec, spec.rows), table_columns(spec, spec.rows)
    sources = ((each, write_sources.source_of(each)) for each in columns)
    return tuple(each.name for each, found in sources if each.default or (found is not None and not found.has_default))


def _table(spec: Spec) -> Iterator[tuple[Position | None, str]]:
    for rows in spec.tables:
        field = spec.top(rows).attribute(rows.attribute)
        sentence = _sentence(spec, rows, class_name(spec.name))
        if field is None:
            continue
        if sentence:
            yield _missing_at(spec, rows) or rows.position or field.position, sentence
        elif optional := unfilled(spec, rows, table_columns(spec, rows), optional=True):
            what = ", ".join(optional)
            yield (
                rows.position or field.position,
                f"rows of {rows.name or spec.name} with {what} cannot be written, since no column contains what is "
                "there under a condition",
            )


def unwritable(spec: Spec, rows: Rows) -> str:
    """Return why objects on the way to the rows of a table, or the rows, cannot be written; empty if they can, or if
    the table cannot be written for another reason."""
    if _sentence(spec, rows, class_name(spec.name)):
        return ""
    types = (spec.struct(each) for each in (spec.top(rows).path, *rows.types))
    found = next((each for each in types if each.read_only is not None), None)
    if found is None or found.read_only is None:
        return ""
    return objects_only_read(found.path[-1], *found.read_only.unsolved, **found.read_only.words)


def _missing_at(spec: Spec, rows: Rows) -> Position | None:
    """Return the position of the first attribute that no column contains."""
    for name in unfilled(spec, rows, table_columns(spec, rows)):
        kind, _, id = name.partition(" ")[0].rpartition(".")
        found = (each.attribute(id) for each in spec.structs if each.path[-1] == kind)
        return next((each.position for each in found if each is not None), None)
    return None


def _sentence(spec: Spec, rows: Rows, root: str) -> str:
    positions = any(spec.is_at_position(each) for path in rows.row_paths for each in path)
    pieces = rows.fragments is not None and not rows.fragments.block
    sentence = written_as_objects(
        spec.name,
        root,
        pieces=pieces,
        positions=positions,
        inside=rows.inside,
        decoded=bool(rows.decode),
    )
    if sentence:
        return sentence
    found = unfilled(spec, rows, table_columns(spec, rows))
    return only_read(spec.name, root, found) if found else ""
