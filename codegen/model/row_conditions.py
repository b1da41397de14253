"""The key ``where`` of tables: a condition of their rows, kept with the row's type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..expression.nodes import Node
from ..expression.types import Path
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Section, Text
from ..words import shown
from .build import BOOLEAN, Builder
from .model import Struct
from .row_path import RowPathReader, steps_of
from .symbols import World


def table_sections(meta: Section | None) -> Iterator[tuple[str, Section]]:
    """Yield the sections of the tables that the extensions of ``meta`` describe, each with the table's name."""
    if meta is None:
        return
    if "tables" not in meta.keys:
        yield "", meta
    for entry in meta.entries("tables"):
        if isinstance(entry.key, Text) and isinstance(entry.value, Section):
            yield entry.key.value, entry.value


def with_conditions(
    root: Struct, meta: Section | None, structs: dict[Path, Struct], world: World, builder: Builder
) -> Struct:
    """Return the outermost type with the conditions of its tables' rows at the types of these rows."""
    found: dict[Path, tuple[tuple[str, Node], ...]] = {}
    for name, section in table_sections(meta):
        path, where = next(iter(section.texts("rows")), None), section.expression("where")
        if path is None or where is None:
            continue
        # What is wrong with the path is said where the table is read.
        reader = RowPathReader(structs, world, Diagnostics(), path.position)
        types = reader.types(root, steps_of(path.value))
        symbol = world.at(types[-1].path) if types is not None else None
        if types is None or symbol is None:
            continue
        row = types[-1].path
        if row[0] != root.path[0]:
            sentence = f"'where' is for rows of a type of this spec: {shown('::'.join(row))} is one of another"
            builder.diagnostics.error(where.position, sentence)
            continue
        node = builder.checked(symbol, section, "where", BOOLEAN)
        if node is not None:
            found[row] = (*found.get(row, ()), (name, node))
    return _attached(root, found) if found else root


def _attached(struct: Struct, found: Mapping[Path, tuple[tuple[str, Node], ...]]) -> Struct:
    inner = tuple(_attached(each, found) for each in struct.structs)
    return replace(struct, structs=inner, conditions=found.get(struct.path, ()))
