"""The columns of a table as the engine stores them: structs, lists and their contents are columns too."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.base.dataclass import dataclass, field
from wireloom.format.program import Op, Storage

from ...expression.types import UserType
from ...tree import Attribute, Instance, Spec, Struct
from .arrow import ArrowType
from .assembler import Assembler
from .field_arrow import variant_name
from .refusal import ColumnRefusedError, NotForEngineError, placed
from .table import TableColumn


@dataclass(eq=False)
class ColumnNode:
    """A column of the program. ``number``: -1 for a struct of which only the fields are columns; ``repetition_level``:
    0, or that of the list for whose items it has values; ``fields``: of a struct, by attribute name; ``item``: of a
    list."""

    number: int
    repetition_level: int
    column: TableColumn
    storage: Storage
    fields: dict[str, ColumnNode] = field(default_factory=dict)
    item: ColumnNode | None = None

    def all(self) -> Iterator[ColumnNode]:
        """Yield this column and all columns inside it, in the order of their numbers."""
        yield self
        inside = [*self.fields.values(), *([self.item] if self.item else [])]
        for each in inside:
            yield from each.all()

    def null(self, assembler: Assembler) -> None:
        """Append the steps that make it null, with the columns inside it."""
        for each in self.same_level():
            assembler.add(Op.COLUMN_NULL, each.number, comment=each.column.name)

    def same_level(self) -> Iterator[ColumnNode]:
        """Yield this column and those inside it that have exactly one value for each of its values."""
        return (each for each in self.all() if each.repetition_level == self.repetition_level and each.number >= 0)


class ColumnNodes:
    """The columns of one table, numbered depth-first: each column precedes those inside it."""

    def __init__(self, spec: Spec, columns: tuple[TableColumn, ...]) -> None:
        self._spec = spec
        self._numbers = 0
        self.repetition_levels = 0
        """How many levels of lists there are."""
        self.columns = tuple(self._column(each) for each in columns)

    @property
    def all(self) -> tuple[ColumnNode, ...]:
        """Return all columns of the program, in order."""
        return tuple(inner for each in self.columns for inner in each.all())

    @property
    def storages(self) -> tuple[Storage, ...]:
        """Return how each column of the program is stored."""
        return tuple(each.storage for each in self.all)

    @property
    def levels(self) -> tuple[int, ...]:
        """Return the repetition level of each column of the program."""
        return tuple(each.repetition_level for each in self.all)

    def _column(self, column: TableColumn) -> ColumnNode:
        try:
            with placed(column.field.position):
                return self._node(column, column.type, 0)
        except NotForEngineError as refusal:
            raise ColumnRefusedError(column.name, refusal) from refusal

    def _node(self, column: TableColumn, type: ArrowType, repetition_level: int) -> ColumnNode:
        storage = Storage.LIST if type.item else Storage.STRUCT if type.fields else type.storage
        if storage is None:
            raise NotForEngineError(f'the column "{column.name}" is of type {type.name}')
        node = ColumnNode(self._numbers, repetition_level, column, storage)
        self._numbers += 1
        if type.item is not None:
            self.repetition_levels += 1
            node.item = self._node(
                TableColumn.inner(column.name, type.item, column.field), type.item, self.repetition_levels
            )
        elif type.variants:
            forms = {variant_name(each): each for each in getattr(column.field, "forms", ())}
            for name, kind in type.fields:
                if name not in forms:
                    raise NotForEngineError(f'two types of "{column.name}" have the same name')
                node.fields[name] = self._node(
                    TableColumn.inner(column.name, kind, forms[name]), kind, repetition_level
                )
        elif type.fields:
            struct = self._struct(column)
            members = {each.id: each for each in struct.shown_members(tuple(name for name, _ in type.fields))}
            for name, kind in type.fields:
                node.fields[name] = self._node(TableColumn.inner(name, kind, members[name]), kind, repetition_level)
        return node

    def _struct(self, column: TableColumn) -> Struct:
        field, kind = column.field, column.field.type
        is_map = isinstance(field, Attribute) and field.message is not None and field.message.key is not None
        if is_map or not isinstance(kind, UserType):
            raise NotForEngineError(f'the column "{column.name}" is of type {column.type.name}')
        return self._spec.struct(kind.path)


def own_columns(nodes: ColumnNodes) -> dict[str, ColumnNode]:
    """Return the columns that are filled by attributes of the row's own type."""
    found: dict[str, ColumnNode] = {}
    for node in nodes.columns:
        column, fields = node.column, found
        if column.parent or column.up or (column.path and isinstance(column.field, Instance)):
            continue
        for name in column.path:
            group = ColumnNode(-1, 0, column, Storage.STRUCT)
            fields = fields.setdefault(name, group).fields
        fields[column.field.id] = node
    return found
