"""The columns of a format's table, in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wireloom.base.dataclass import dataclass, replace
from wireloom.format.program import HAS_ABSENT, TIME_UNITS, Kind, Op

from ...expression.nodes import MemberAccess, Name
from ...expression.types import EnumType, Path, UserType
from ...tree import Attribute, Instance, Rows, Spec, Struct
from ...tree.leaves import Labels, LookUp, Timestamp
from ..base import refuse
from ..python.names import field_name
from .arrow import ArrowType
from .field_arrow import field_type
from .interval import INT64, Interval, of_bytes
from .ranges import computed_interval, declared
from .refusal import NotForEngineError
from .stack_code import StackCode, fitted, stored_kind
from .symbols import ObjectScope, Scalar

if TYPE_CHECKING:
    from .assembler import Assembler


@dataclass(frozen=True)
class TableColumn:
    """One column: the field of the model that it shows, and its Arrow type."""

    name: str
    type: ArrowType
    field: Attribute | Instance
    default: bool
    parent: bool
    attribute: str
    """The name of the field in the generated class."""
    labels: tuple[tuple[int, str], ...] = ()
    unsigned: bool = False
    """For labels: whether their numbers are unsigned."""
    derived: bool = False
    """Whether writers fill it in on their own: a length, a count, a checksum, contents, a computed value."""
    up: int = 0
    """The number of levels above the row of the object that contains it."""
    look_up: LookUp | None = None
    path: tuple[str, ...] = ()
    """For the field of a struct that is a separate column: the fields that lead to the struct."""
    structs: tuple[tuple[str, Path], ...] = ()
    """These structs, outermost first: the prefix of the names of their columns, and their type."""
    in_optional: bool = False
    """For such a field: whether the struct may be absent."""
    same_as: str = ""
    """For a value instance that shows an attribute in another form: the name of the attribute in the generated
    class."""
    interval: Interval | None = None
    """For a computed integer: the range of its values."""
    within: bool = False
    """Whether it is in the bytes of another attribute, or such bytes: writers need one of the two."""

    @classmethod
    def inner(cls, name: str, type: ArrowType, field: Attribute | Instance) -> TableColumn:
        """Return the field of a struct, or the item of a list, that is a column."""
        return cls(name, type, field, default=True, parent=False, attribute=field_name(name))

    @property
    def instance(self) -> Instance | None:
        """Return the value instance of the column; ``None`` if it shows another kind of field."""
        plain = not self.same_as and self.look_up is None
        return self.field if plain and isinstance(self.field, Instance) else None

    @property
    def constant(self) -> bool:
        """Return whether ``valid`` allows a single value, which the generated class fills in."""
        return (
            isinstance(self.field, Attribute)
            and self.field.only is not None
            and not self.derived
            and self.field.repeat is None
            and self.field.condition is None
        )

    @property
    def filled(self) -> bool:
        """Return whether the attribute has a default, which the generated class fills in."""
        written = isinstance(self.field, Attribute) and (self.field.default is not None or self.within)
        return written and not self.derived

    @property
    def optional(self) -> bool:
        """Return whether an attribute, or the struct that it is in, has an ``if`` or a switch without a case for every
        value, or is an optional field of a message."""
        return self.in_optional or (isinstance(self.field, Attribute) and self.field.optional)

    def store(self, assembler: Assembler, number: int, scalar: Scalar) -> None:
        """Append the step that stores a register in column ``number``."""
        if isinstance(self.field.logical, Timestamp):
            unit, absent = TIME_UNITS.index(self.field.logical.unit), self.field.logical.absent
            if absent is None or absent > INT64.high:
                # A count of more bits is null anyway.
                assembler.add(Op.COLUMN_TIMESTAMP, number, scalar, unit, 0, comment=self.name)
            else:
                assembler.add(Op.COLUMN_TIMESTAMP, number, scalar, unit + HAS_ABSENT, absent, comment=self.name)
            return
        kind = stored_kind(scalar.interval, self.type)
        if kind is None:
            raise NotForEngineError(f'the column "{self.name}" is not a number')
        assembler.add(Op.COLUMN_REGISTER, number, scalar, kind, comment=self.name)

    def fitted(self, compiled: StackCode) -> StackCode:
        """Return code of the same value that fails if the column cannot represent it, so that the row is refused."""
        return compiled if isinstance(self.field.logical, Timestamp) else fitted(compiled, self.type)


def table_columns(spec: Spec, rows: Rows) -> tuple[TableColumn, ...]:
    """Return the columns of a table: the default ones, those of the parent, then the selectable ones.

    Args:
        spec: The spec.
        rows: The rows of the table.

    Raises:
        SpecError: A column has no Arrow type, or rows of different types give it different ones.
    """
    columns = _columns(spec, rows)
    for row in rows.row_types[1:]:
        columns_on(spec, rows, row, columns)
    return columns


def columns_on(spec: Spec, rows: Rows, row: Path, columns: tuple[TableColumn, ...]) -> tuple[TableColumn, ...]:
    """Return the columns of a table for one of the other types of rows that it may have.

    Args:
        spec: The spec.
        rows: The rows of the table.
        row: The other type.
        columns: The columns for the first type of rows.

    Returns:
        The columns in the same order, with the fields and expressions of the other type.

    Raises:
        SpecError: A column has another Arrow type there, and its values are no integers that fit the column's type.
    """
    other = next(each for each in rows.others if each.types[-1] == row)
    found = _columns(spec, replace(rows, types=other.types, path=other.path, others=()))
    by_name = {each.name: each for each in found}
    return tuple(_fitted(each, by_name[each.name], row) for each in columns)


def _fitted(column: TableColumn, other: TableColumn, row: Path) -> TableColumn:
    kind, values = column.type, other.interval
    are_integers = all("int" in each.type.name and each.type.kind is not None for each in (column, other))
    if are_integers and kind.kind is not None and values is not None:
        limits = of_bytes(int(kind.kind.name[1]), kind.kind.name.startswith("S"))
        if values.within(limits.low, limits.high):
            other = replace(other, type=kind)
    if _shape(column) != _shape(other):
        names = " and ".join(_type_text(each) for each in (other, column))
        sentence = f'the column "{column.name}" has two types: {names}, the first in {"::".join(row)}'
        refuse(other.field.position, sentence)
    return other


def _type_text(column: TableColumn) -> str:
    labels = " with labels" * bool(column.labels)
    return column.type.name + labels + "".join(f" with {count} for no time" for _, count in column.type.absents)


def _shape(column: TableColumn) -> tuple[object, ...]:
    """Return the properties of a column that are the same in rows of all types."""
    kind = column.type
    return (
        column.name,
        kind.constructor,
        kind.variants,
        kind.pairs,
        kind.absents,
        kind.decimals,
        column.labels,
        column.attribute,
        column.path,
    )


def _columns(spec: Spec, rows: Rows) -> tuple[TableColumn, ...]:
    root = declared(spec, spec.top(rows), None)
    scopes = [root]
    for path in rows.types if rows.streaming else rows.types[1:]:
        scopes.append(declared(spec, spec.struct(path), scopes[-1]))

    def of_row(name: str, default: bool) -> TableColumn:
        up, struct = spec.holder(rows, name)
        return _inside(spec, struct, name, up, default) or _column(
            spec, struct, name, scopes[-1 - up], default=default, up=up
        )

    columns = [of_row(name, True) for name in rows.columns]
    columns += [_column(spec, spec.top(rows), name, root, default=True, parent=True) for name in rows.parent_columns]
    columns += [of_row(name, False) for name in rows.selectable]
    if rows.flatten:
        columns = [inner for each in columns for inner in _flat(spec, each)]
    columns += [_looked_up(spec, each) for each in rows.look_ups]
    places = {name: number for number, name in enumerate(rows.order)}
    named = {each.name for each in rows.look_ups} & places.keys()
    if named:
        columns.sort(key=lambda each: (not each.default, places.get(each.name.partition(".")[0], len(places))))
    return tuple(columns)


def _looked_up(spec: Spec, look_up: LookUp) -> TableColumn:
    """Return the column of a look-up, which has the type of the column in the other table."""
    other = next(each for each in spec.tables if each.name == look_up.table)
    found = {each.name: each for each in table_columns(spec.of_table(other), other)}
    match, value = found.get(look_up.match), found.get(look_up.value)
    if match is None or value is None:
        refuse(other.position, f'"{look_up.name}" is looked up in columns that are flattened')
    for each in (match, value):
        nested = each.type.item is not None or bool(each.type.fields)
        if (nested and each is match) or each.labels or each.type.name.startswith("timestamp"):
            refuse(
                each.field.position, f'"{look_up.name}" is looked up by "{each.name}", which is not a number or text'
            )
    return replace(
        value,
        name=look_up.name,
        default=look_up.default,
        parent=False,
        attribute="",
        derived=True,
        up=0,
        same_as="",
        look_up=look_up,
        structs=(),
    )


def _inside(spec: Spec, struct: Struct, name: str, up: int, default: bool) -> TableColumn | None:
    """Return the column of a value instance that shows a list or an object inside single objects, with the type of what
    it shows; ``None`` for other instances."""
    instance = struct.instance(name)
    value = instance.value if instance is not None and instance.condition is None else None
    names: list[str] = []
    structs: list[tuple[str, Path]] = []
    while isinstance(value, MemberAccess):
        names, value = [value.name, *names], value.value
    if instance is None or not names or not isinstance(value, Name):
        return None
    path = (value.id, *names[:-1])
    for each in path:
        field = struct.attribute(each)
        if field is None or field.repeat is not None or field.switch is not None or field.condition is not None:
            return None
        if not isinstance(field.type, UserType) or spec.struct(field.type.path).message is not None:
            return None
        struct = spec.struct(field.type.path)
        structs.append((f"{structs[-1][0] if structs else ''}{field_name(each)}.", struct.path))
    shown = struct.attribute(names[-1])
    if shown is None or (shown.repeat is None and not isinstance(shown.type, UserType)):
        return None
    column = _column(spec, struct, shown.id, declared(spec, struct, None), default=default, up=up)
    attribute = ".".join(map(field_name, (*path, shown.id)))
    field = replace(shown, doc=instance.doc or shown.doc)
    return replace(column, name=name, attribute=attribute, path=path, structs=tuple(structs), field=field)


def _flat(spec: Spec, column: TableColumn) -> Iterator[TableColumn]:
    """Yield a column for each field of a struct, or the column itself if it is no struct."""
    kind = column.field.type
    is_list = isinstance(column.field, Attribute) and column.field.repeat is not None
    if (
        is_list
        or not isinstance(kind, UserType)
        or not column.type.fields
        or spec.struct(kind.path).message is not None
    ):
        yield column
        return
    struct, structs = spec.struct(kind.path), column.structs
    if isinstance(column.field, Attribute):
        structs = (*structs, (f"{column.attribute}.", struct.path))
    for name, _ in column.type.fields:
        inner = _column(spec, struct, name, declared(spec, struct, None), default=column.default)
        inner = replace(
            inner,
            name=f"{column.name}.{name}",
            attribute=f"{column.attribute}.{inner.attribute}",
            parent=column.parent,
            up=column.up,
            path=(*column.path, column.field.id),
            structs=structs,
            in_optional=column.optional,
        )
        yield from _flat(spec, inner)


def _column(
    spec: Spec, struct: Struct, name: str, scope: ObjectScope, *, default: bool, parent: bool = False, up: int = 0
) -> TableColumn:
    field = struct.attribute(name) or struct.instance(name) or next(iter(struct.shown_members((name,))), None)
    if field is None:
        refuse(struct.position, f'the column "{name}" is not a field of {"::".join(struct.path)}')
    computed = computed_interval(scope, field)
    found = field_type(spec, field, computed)
    if found is None:
        other = ""
        if isinstance(getattr(field, "value", None), Name | MemberAccess):
            other = "; if it only refers to an attribute with 'switch-on', name that one as the column"
        refuse(field.position, f'"{name}" cannot be a column: no Arrow type fits it{other}')
    labels: tuple[tuple[int, str], ...] = ()
    if isinstance(field.logical, Labels) and isinstance(field.type, EnumType):
        labels = tuple((each.value, each.label) for each in spec.enum(field.type.path).labels)
    unsigned = bool(labels) and found.kind == Kind.U8LE
    same_as = _same_as(struct, field)
    derived = not same_as if isinstance(field, Instance) else _is_derived(struct, field)
    attribute = field_name(name)
    return TableColumn(
        name,
        found,
        field,
        default,
        parent,
        attribute,
        labels,
        unsigned,
        derived,
        up,
        same_as=same_as,
        interval=computed,
        within=any(each.id == name and each.how == "within" for each in struct.fills),
    )


def _is_derived(struct: Struct, field: Attribute) -> bool:
    return field.is_checksum or field.contents is not None or struct.solved(field.id) is not None


def _same_as(struct: Struct, field: Attribute | Instance) -> str:
    if isinstance(field, Instance) and isinstance(field.value, Name) and struct.attribute(field.value.id) is not None:
        return field_name(field.value.id)
    return ""
