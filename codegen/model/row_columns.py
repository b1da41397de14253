"""Which members of a row type can be columns, which are by default, and the conditions of rows."""

from __future__ import annotations

from collections.abc import Mapping

from wireloom.base.dataclass import replace

from ..expression.nodes import Node
from ..expression.types import AnyStructType, ListType, Path, StreamType, Type, UnionType, UserType
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Section
from ..tree import Attribute, Instance, Struct
from ..tree.spec import CONDITIONS
from ..words import shown
from .build import BOOLEAN, Builder
from .records import paths_to_rows, record_paths, table_sections
from .row_path import RowPathReader
from .symbols import World


def own_columns(row: Struct) -> tuple[str, ...]:
    """Return the default columns of a row type: all single values."""
    return tuple(each.id for each in members_of(row) if is_scalar(each))


def flat_columns(row: Struct) -> tuple[str, ...]:
    """Return the default columns of a row type with a column for each field of a struct."""
    scalars = {*own_columns(row)}
    return tuple(each.id for each in members_of(row) if each.id in scalars or _is_struct(each))


def _is_struct(member: Attribute | Instance) -> bool:
    return isinstance(member, Attribute) and isinstance(member.type, UserType) and member.repeat is None


def members_of(struct: Struct) -> list[Attribute | Instance]:
    """Return the attributes and the instances of a type."""
    return [*struct.attributes, *struct.instances]


def is_scalar(member: Attribute | Instance) -> bool:
    """Return whether the member is a single value that can be a column by itself."""
    if isinstance(member, Attribute):
        if member.repeat is not None or member.anonymous or member.contents is not None:
            return False
    elif member.attribute is not None:
        return False
    type: Type = member.type
    return not isinstance(type, (UserType, ListType, StreamType, UnionType, AnyStructType))


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
