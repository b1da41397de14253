"""Value instances in columns that writers derive attributes from, in the row and in the objects that enclose it:
attributes whose defaults use them, and attributes that they are solved for."""

from __future__ import annotations

from collections.abc import Sequence

from wireloom.base.dataclass import dataclass

from ...expression.fold import constant_integer, fold
from ...expression.nodes import Cast, IntegerLiteral, MemberAccess, Name, Node, StringLiteral
from ...expression.types import BytesType, IntegerType, Path, StringType, Type, UserType, VarintType
from ...expression.walk import children, names_in, walk
from ...passes.solving import solutions
from ...tree import Attribute, Instance, Rows, Spec, Struct
from ..python.names import field_name
from .table import TableColumn

CONSTANTS = (IntegerLiteral, StringLiteral)


@dataclass(frozen=True)
class WriteSource:
    """A value instance that defaults of attributes are computed from, ``up`` levels above the row.

    ``dependents``: these attributes, each with its number of levels above the row. ``has_default``: whether the
    instance has a default of its own.
    """

    name: str
    up: int
    dependents: tuple[tuple[str, int], ...]
    has_default: bool


class WriteSources:
    """Classifies the columns of a table that are value instances (``TableColumn.instance``) for writers. ``_types``:
    the paths of the types around a row, outermost first, and of the row itself."""

    def __init__(self, spec: Spec, rows: Rows) -> None:
        self._spec = spec
        self._types = spec.enclosing_types(rows)

    def source_of(self, column: TableColumn) -> WriteSource | None:
        """Return the value instance that defaults of attributes are computed from: the instance of a column, or one
        around the row that it shows; ``None`` if there is none."""
        instance, last = column.instance, len(self._types) - 1
        level = 0 if column.parent else last - column.up
        while instance is not None and instance.value is not None:
            found = self._used_by(instance, self._spec.struct(self._types[level]))
            if found:
                return WriteSource(field_name(instance.id), last - level, found, instance.default is not None)
            member = self._member(instance.value, level)
            if member is None:
                return None
            level, name = member
            instance = self._spec.struct(self._types[level]).instance(name)
        return None

    def settable(self, columns: Sequence[TableColumn]) -> tuple[tuple[str, str, int], ...]:
        """Return the attributes around rows, with constant defaults, that may be columns only of a table to be written:
        name, Arrow's name of the type, and number of levels above the row. Attributes that choose the way to the rows
        are excluded."""
        last = len(self._types) - 1
        taken = {each.name for each in columns} | {each.attribute for each in columns}
        shown = {self.shown(each) for each in columns}
        found: dict[str, list[tuple[str, int]]] = {}
        for level, path in enumerate(self._types[:-1]):
            struct = self._spec.struct(path)
            chosen = _choosing(struct, self._types[level + 1])
            for field in struct.attributes:
                member, kind = (field_name(field.id), last - level), _arrow_name(field.type)
                is_constant = field.default is not None and isinstance(fold(field.default), CONSTANTS)
                known = member in shown or member[0] in taken or field.id in chosen
                if kind and is_constant and _is_free(struct, field) and not known:
                    found.setdefault(member[0], []).append((kind, last - level))
        return tuple((name, *members[0]) for name, members in found.items() if len(members) == 1)

    def _used_by(self, instance: Instance, holder: Struct) -> tuple[tuple[str, int], ...]:
        """Return the attributes whose defaults are computed from a value instance, each with its number of levels above
        the row, or -1 if it is in another object."""
        found = (
            (field_name(field.id), self._up(struct.path))
            for struct in self._spec.structs
            for field in struct.attributes
            if field.default is not None
            for node in walk(field.default)
            if self._spec.member(struct, node) == (holder, instance.id)
        )
        return tuple(dict.fromkeys(found))

    def innermost(self, column: TableColumn) -> int:
        """Return the number of levels above the row of the innermost object that the value of a column depends on; 0 is
        the row."""
        instance, last = column.field, len(self._types) - 1
        if not isinstance(instance, Instance) or instance.value is None or column.parent:
            return 0
        return last - max(self._depends(instance.value, last - column.up), default=last)

    def shown(self, column: TableColumn) -> tuple[str, int] | None:
        """Return the attribute with a default, around the row, that a column shows unchanged, and its number of levels
        above the row; ``None`` if there is none."""
        instance, last = column.instance, len(self._types) - 1
        if instance is None or column.parent:
            return None
        node, level = instance.value, last - column.up
        while node is not None:
            member = self._member(node, level)
            if member is None:
                return None
            level, name = member
            struct = self._spec.struct(self._types[level])
            field, inner = struct.attribute(name), struct.instance(name)
            if field is not None and _is_free(struct, field) and level < last:
                return field_name(name), last - level
            node = inner.value if inner is not None else None
        return None

    def solves(self, column: TableColumn) -> tuple[tuple[str, int, int], ...]:
        """Return the attributes that a writer can solve a value instance for, as ``Column.solves``."""
        instance, types = column.instance, self._types
        if instance is None or instance.value is None:
            return ()
        holder = self._spec.struct(types[0 if column.parent else len(types) - 1 - column.up])
        found = []
        for each in solutions(self._spec, holder, instance.value):
            factor = constant_integer(each.factor)
            fixed = self._spec.struct(each.struct).solved(each.name) is not None
            if not factor or fixed:
                continue
            if each.struct in types and _is_above(each.owner):
                found.append((field_name(each.name), self._up(each.struct), factor))
            elif (member := self._inside(holder, each.owner)) is not None and member[0].path in types:
                prefix = ".".join(map(field_name, member[1]))
                found.append((f"{prefix}.{field_name(each.name)}", self._up(member[0].path), factor))
        return tuple(found)

    def solved_structs(self, solved: Sequence[tuple[str, int, int]]) -> tuple[tuple[str, Path], ...]:
        """Return the structs of the attributes ``solved``, from ``solves``, as in ``Column.inside``."""
        found: dict[str, Path] = {}
        for attribute, up, _ in solved:
            struct, prefix = self._spec.struct(self._types[len(self._types) - 1 - up]), ""
            for name in attribute.split(".")[:-1]:
                field = next(each for each in struct.attributes if field_name(each.id) == name)
                assert isinstance(field.type, UserType)
                struct, prefix = self._spec.struct(field.type.path), f"{prefix}{name}."
                found[prefix] = struct.path
        return tuple(found.items())

    def _inside(self, holder: Struct, owner: Node | None) -> tuple[Struct, tuple[str, ...]] | None:
        """Return the object itself or the enclosing one that contains the owner of an attribute, and the fields that
        lead to the owner, which a writer creates if they are not given."""
        outer, fields = holder, tuple[str, ...]()
        match owner:
            case Name(name) if name not in ("_parent", "_root"):
                pass
            case MemberAccess(inner, name) if _is_above(inner) and isinstance(inner.type, UserType):
                outer = self._spec.struct(inner.type.path)
            case MemberAccess(inner, name) if (found := self._inside(holder, inner)) is not None:
                outer, fields = found
            case _:
                return None
        struct = outer
        for step in fields:
            field = struct.attribute(step)
            if field is None or not isinstance(field.type, UserType):
                return None
            struct = self._spec.struct(field.type.path)
        is_made = any(each.id == name and each.how == "made" for each in struct.fills)
        return (outer, (*fields, name)) if is_made else None

    def _up(self, path: Path) -> int:
        """Return the number of levels of the objects of a type above the row; -1 for other objects."""
        return len(self._types) - 1 - self._types.index(path) if path in self._types else -1

    def _member(self, node: Node, level: int) -> tuple[int, str] | None:
        """Return the level and the name of the attribute or instance that a node of an object at ``level`` refers
        to."""
        match node:
            case Name(name) if not name.startswith("_"):
                return level, name
            case MemberAccess(owner, name) if not name.startswith("_"):
                at = self._above(owner, level)
                return None if at is None else (at, name)
        return None

    def _above(self, node: Node, level: int) -> int | None:
        """Return the level of the enclosing object that a node of an object at ``level`` refers to."""
        match node:
            case Name("_root") if self._types[0] == self._spec.root.path:
                return 0
            case Name("_parent"):
                found: int | None = level - 1
            case MemberAccess(inner, "_parent"):
                at = self._above(inner, level)
                found = None if at is None else at - 1
            case Cast(inner):
                return self._above(inner, level)
            case _:
                return None
        return found if found is not None and found >= 0 and self._is_at(node, found) else None

    def _is_at(self, node: Node, level: int) -> bool:
        return not isinstance(node.type, UserType) or node.type.path == self._types[level]

    def _depends(self, node: Node, level: int) -> set[int]:
        """Return the levels that an expression of an object depends on; unknown parts count as its own level."""
        member = self._member(node, level)
        if member is not None:
            at, name = member
            instance = self._spec.struct(self._types[at]).instance(name)
            return {at} if instance is None or instance.value is None else self._depends(instance.value, at)
        if isinstance(node, Name):
            return {level}
        return {each for child in children(node) for each in self._depends(child, level)}


def _choosing(struct: Struct, inner: Path) -> set[str]:
    """Return the names that the conditions and switches of fields use, for fields that may contain objects of a
    type."""
    found: set[str] = set()
    for field in struct.attributes:
        if any(each.path == inner for each in field.object_types):
            found |= names_in(field.condition) | (names_in(field.switch.on) if field.switch is not None else set())
    return found


def _arrow_name(kind: Type) -> str:
    """Return Arrow's name for the type of single values; empty for other types."""
    match kind:
        case IntegerType(size, signed):
            return f"{'' if signed else 'u'}int{8 * size}"
        case VarintType():
            return "int64" if kind.zigzag else "uint64"
        case StringType():
            return "string"
        case BytesType():
            return "binary"
    return ""


def _is_free(struct: Struct, field: Attribute) -> bool:
    """Return whether a field has a default and its value is not determined by anything else."""
    return field.default is not None and struct.solved(field.id) is None and field.repeat is None


def _is_above(owner: Node | None) -> bool:
    """Return whether the owner of an attribute is the object itself or one that encloses it."""
    match owner:
        case None | Name("_parent" | "_root"):
            return True
        case MemberAccess(inner, "_parent"):
            return _is_above(inner)
    return False
