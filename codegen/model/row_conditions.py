"""The conditions of the rows of tables, which are kept in the types of the rows."""

from __future__ import annotations

from collections.abc import Mapping

from wireloom.base.dataclass import replace

from ..expression.nodes import Node
from ..expression.types import Path
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Section
from ..tree import Struct
from ..tree.spec import CONDITIONS
from ..words import shown
from .build import BOOLEAN, Builder
from .records import paths_to_rows, record_paths, table_sections
from .row_path import RowPathReader
from .symbols import World


def condition_of(row: Struct, table: str, key: str) -> Node | None:
    """Return a condition of a table, whose rows are of the type ``row``."""
    return next((found for name, each, found in row.conditions if (name, each) == (table, key)), None)


def with_conditions(
    root: Struct, meta: Section | None, structs: dict[Path, Struct], world: World, builder: Builder
) -> Struct:
    """Return the outermost type with the conditions of its tables stored in the row types."""
    found: dict[Path, tuple[tuple[str, str, Node], ...]] = {}
    inside = record_paths(meta)
    sections = ((name, key, section) for name, section in table_sections(meta) for key in CONDITIONS)
    for name, key, section in sections:
        condition = section.expression(key)
        path = next(iter(paths_to_rows(root, name, section, inside, structs)), None)
        if path is None or condition is None:
            continue
        # Errors in the path are reported where the table is read.
        reader = RowPathReader(structs, world, Diagnostics(), condition.position)
        types = reader.types(*path)
        symbol = world.at(types[-1].path) if types is not None else None
        if types is None or symbol is None:
            continue
        row = types[-1].path
        if row[0] != root.path[0]:
            sentence = (
                f"'{key}' requires rows of a type of this spec, but {shown('::'.join(row))} belongs to another spec"
            )
            builder.diagnostics.error(condition.position, sentence)
            continue
        node = builder.checked(symbol, section, key, BOOLEAN)
        if node is not None:
            found[row] = (*found.get(row, ()), (name, key, node))
    return _attached(root, found) if found else root


def _attached(struct: Struct, found: Mapping[Path, tuple[tuple[str, str, Node], ...]]) -> Struct:
    inner = tuple(_attached(each, found) for each in struct.structs)
    return replace(struct, structs=inner, conditions=found.get(struct.path, ()))
