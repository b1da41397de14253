"""The paths to the rows of a table, given by the key ``rows``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from wireloom.base.dataclass import dataclass

from ..expression.types import Path
from ..spec.diagnostics import Diagnostics
from ..spec.position import Position
from ..spec.syntax import Section
from ..tree import Attribute, Struct
from ..words import listed, shown, suggestion
from .records import RecordPath
from .row_path import RowPathReader, attribute_of, steps_of
from .symbols import World


@dataclass(frozen=True)
class TablePath:
    """One path: its attributes, and the types from the root to the row."""

    text: str
    position: Position
    ids: tuple[str, ...]
    types: tuple[Struct, ...]

    @property
    def attributes(self) -> Iterator[Attribute | None]:
        """Return the attributes of the path."""
        return (attribute_of(struct, id) for struct, id in zip(self.types, self.ids, strict=False))


def read_paths(
    section: Section,
    root: Struct,
    structs: dict[Path, Struct],
    world: World,
    diagnostics: Diagnostics,
    inside: RecordPath | None = None,
) -> list[TablePath]:
    """Return the paths to the rows of a table.

    Args:
        section: The keys of the table.
        root: The root of the spec.
        structs: All types of the spec and its imports, by path.
        world: The same types as declared.
        diagnostics: Receives the errors.
        inside: The records that contain the rows, if any.

    Returns:
        The paths; none if there are errors.
    """
    found: list[TablePath] = []
    texts = section.texts("rows")
    for text in texts:
        steps = steps_of(text.value) if inside is None else list(inside.steps)
        types = RowPathReader(structs, world, diagnostics, text.position).types(root, steps)
        if types is not None and not _leads_through_import(types, len(steps), root, text.position, diagnostics):
            found.append(TablePath(text.value, text.position, tuple(each.id for each in steps), tuple(types)))
    if len(found) < len(texts) or any(_refuse(*pair, diagnostics) for pair in combinations(found, 2)):
        return []
    return found


def _leads_through_import(
    types: list[Struct], steps: int, root: Struct, position: Position, diagnostics: Diagnostics
) -> bool:
    """Report a step that begins in an object of an imported type, and return whether there is one: the classes of the
    other spec cannot refer to these rows."""
    for struct in types[:steps]:
        if struct.path[0] != root.path[0]:
            name = "::".join(struct.path)
            message = f"rows cannot be inside objects of the imported type {name}: declare the type in this spec"
            diagnostics.error(position, message)
            return True
    return False


def _refuse(one: TablePath, other: TablePath, diagnostics: Diagnostics) -> bool:
    """Report two paths that cannot lead to rows of the same table, and return whether they cannot."""
    if one.ids[0] != other.ids[0]:
        names = listed(map(shown, (one.ids[0], other.ids[0])))
        message = f"all paths to the rows of a table must begin with the same attribute, not {names}"
    elif _begins(one, other) or _begins(other, one):
        message = (
            f"the paths {shown(other.text)} and {shown(one.text)} overlap: one of them leads through the rows of the "
            "other"
        )
    else:
        return False
    diagnostics.error(other.position, message)
    return True


def _begins(one: TablePath, other: TablePath) -> bool:
    size = len(one.ids)
    return one.ids == other.ids[:size] and one.types[: size + 1] == other.types[: size + 1]


def read_units(section: Section, paths: list[TablePath], before: list[str], diagnostics: Diagnostics) -> int:
    """Return the number of attributes on the path to the innermost units.

    Args:
        section: The keys of the table.
        paths: The paths to the rows.
        before: The attributes of the path to the records that contain the rows.
        diagnostics: Receives the errors.

    Returns:
        The number; 0 without the key ``unit``, and on errors.
    """
    name = section.text("unit")
    if name is None:
        return 0
    repeated = _repeated(paths[0], before)
    for each in paths[1:]:
        there = _repeated(each, before)
        repeated = {path: number for path, number in repeated.items() if path in there}
    if not repeated:
        what = "are not" if len(paths) == 1 else "are not all"
        message = f"'unit' requires rows inside repeated attributes, and the rows {shown(paths[0].ids[-1])} {what}"
        diagnostics.error(name.position, message)
    elif name.value not in repeated:
        hint = suggestion(name.value, repeated)
        message = f"'unit' must name a repeated attribute on the path to the rows: {listed(map(shown, repeated))}"
        diagnostics.error(name.position, f"{message}; found {shown(name.value)}{hint}")
    return repeated.get(name.value, 0)


def _repeated(path: TablePath, before: list[str]) -> dict[str, int]:
    """Return the prefixes of a path that end with a repeated attribute other than the rows, each with the number of its
    attributes."""
    ids = list(path.ids)
    names = [before, *([*before, *ids[1:number]] for number in range(2, len(ids)))] if before else []
    names = names or [ids[:number] for number in range(1, len(ids))]
    pairs = enumerate(zip(names, path.attributes, strict=False), 1)
    return {".".join(each): number for number, (each, attribute) in pairs if attribute is not None and attribute.repeat}
