"""The projected columns of a message program as a tree of fields: which values the engine keeps, and where they are
written.

A value is kept in a *slot* until the end of its *scope* (the row, an item of a list, a message above the rows); then
the scope's *emits* append an element to each of its *vectors*. A vector is one level of a column.
"""

from __future__ import annotations

import struct
from enum import IntEnum

from ...base.dataclass import dataclass, field
from ...base.errors import UnsupportedError
from ...format.message_program import FieldSource, LookupSource, MarkSource, MessageProgram, RowNumberSource
from ...format.message_rules import FieldKind, FieldRule, Label
from ...objects.messages.kinds import LENGTH_DELIMITED
from .type_tree import TypeTree
from .vectors import NONE, STORAGE_OF_KIND, Vector, VectorStorage

TRASH = 0
"""The slot of values that are not projected."""
UNIT = -1
"""The group of the vectors with one element per unit, valid or not. Other groups are the number of a scope or, for the
items of a list of scalars, lower numbers."""
ABSENT_NULL, ABSENT_PRESENT = 1, 2
EMPTY = b"{}"
"""A message without fields as JSON."""
MASK_64 = 0xFFFFFFFFFFFFFFFF


class ElementOp(IntEnum):
    """How an element is written; the numbers are those of ``runtime/engine/message_internal.h``."""

    FIXED = 0
    BYTES = 1
    TEXT = 2
    STRUCT = 3
    LIST = 4
    ROW_NUMBER = 5
    MARK = 6
    PARENT = 7
    JSON = 8


@dataclass(frozen=True)
class Emit:
    """Appends one element. ``guard``: the slot of the message that contains it; ``flags`` and ``default``: the value of
    an absent field, as size and beginning in the constants, or as the bits of a number. ``type``: the type of a message
    that becomes JSON."""

    op: ElementOp
    vector: int
    slot: int = TRASH
    guard: int = NONE
    flags: int = 0
    default: tuple[int, int] = (0, 0)
    type: int = 0


@dataclass
class FieldEntry:
    """A known field at a position in the tree.

    - ``slot``: the slot of its value, or of its presence.
    - ``made``: its vector, once created.
    - ``vector``: for repeated scalars, the vector of the items.
    - ``scope``: for repeated messages, the scope of the items.
    - ``inner``: the fields of its message.
    - ``table``: the table that its values form.
    """

    rule: FieldRule
    slot: int = TRASH
    made: Vector | None = None
    vector: int = NONE
    scope: int = NONE
    inner: Branch | None = None
    table: int = NONE


@dataclass
class Branch:
    """A message at a position in the tree: its type, its scope, and its projected fields."""

    type: int
    scope: int
    entries: dict[int, FieldEntry] = field(default_factory=dict)


@dataclass
class Scope:
    """The end of a row, item or message, at which ``emits`` are executed. ``drop``: the slot that marks an entry to be
    dropped."""

    emits: list[Emit] = field(default_factory=list)
    drop: int = NONE
    is_row: bool = False


@dataclass(frozen=True)
class Lookup:
    """A look-up. ``index``: the emit of the index; ``scope``: the scope at whose end the table is complete; ``vector``:
    ``NONE`` if it is only checked; ``text``: invalid UTF-8 is replaced."""

    index: Emit
    table: int
    scope: int
    vector: int
    integer: bool
    text: bool
    mask: int


class ColumnTree:
    """The tree of the ``projected`` columns, none of which is computed.

    - ``columns``: by column number, the vector of each.
    - ``parents``: by column number, for columns without one element per row: the vector with the element of each row.
    - ``lookup_columns``: the number of the column of each look-up.
    - ``unit_columns``: one vector per unit column.
    - ``vectors``: all vectors, including children.
    - ``units``: the emits of a unit.
    - ``has_json``: whether any message becomes JSON text.

    Raises ``UnsupportedError`` for features that the engine does not support.
    """

    def __init__(self, program: MessageProgram, projected: frozenset[int]) -> None:
        self._program = program
        self._projected = projected
        self.types = TypeTree(program.types)
        self.vectors: list[Vector] = []
        self.slots = 1
        self.has_json = False
        self.tables = 0
        self.scopes = [Scope()]
        self.units = Scope()
        self.constants = bytearray()
        self.lookups: list[Lookup] = []
        self.unit = Branch(program.unit, 0)
        self._levels = self._find_levels()
        self.row_scope = self._levels[0].scope
        self.scopes[self.row_scope].is_row = True
        self.columns: dict[int, Vector] = {}
        self.lookup_columns: list[int] = []
        self._make_columns()
        units = self._make_fields()
        self.unit_columns = tuple(units[number] for number in range(len(units)))
        above = {number: each.group for number, each in self.columns.items() if each.group != self.row_scope}
        by_group = {group: self._parent(group) for group in sorted(set(above.values()))}
        self.parents = {number: by_group[group] for number, group in above.items()}

    def _make_columns(self) -> None:
        """Create all columns that are not fields."""
        for number, source in enumerate(self._program.columns):
            projected = number in self._projected
            if isinstance(source, LookupSource):
                # Even if it is not projected, since the validity of rows does not depend on the selected columns.
                vector = self._lookup(source, projected)
                self.lookup_columns.append(number)
                if vector is not None:
                    self.columns[number] = vector
            elif projected and isinstance(source, RowNumberSource):
                self.columns[number] = self._counted(ElementOp.ROW_NUMBER, VectorStorage.FIXED32, FieldKind.INT32)
            elif projected and isinstance(source, MarkSource):
                self.columns[number] = self._counted(ElementOp.MARK, VectorStorage.FIXED8, FieldKind.BOOL)

    def _make_fields(self) -> dict[int, Vector]:
        """Create the unit columns, and return the vectors of all columns that are fields by column number. Messages
        come before the fields in them, since a field has a single vector."""
        fields = [
            (source, number, False)
            for number, source in enumerate(self._program.columns)
            if number in self._projected and isinstance(source, FieldSource)
        ]
        fields += [(source, number, True) for number, source in enumerate(self._program.unit_columns)]
        unit_fields = {each.path[0] for each in self._program.unit_columns}
        units: dict[int, Vector] = {}
        for source, number, of_unit in sorted(fields, key=lambda each: len(each[0].path)):
            branch = self.unit if of_unit else self._level(source.up)
            per_unit = branch.scope == 0 and (self.row_scope != 0 or source.path[0] in unit_fields)
            vector = self._column(branch, source.path, UNIT if per_unit else branch.scope)
            (units if of_unit else self.columns)[number] = vector
        return units

    # The tree ----------------------------------------------------------------------------------------------------

    def _find_levels(self) -> list[Branch]:
        """Return the row and the messages above it, from the row up to the unit."""
        levels = [self.unit]
        for number in self._program.rows:
            entry = self._entry(levels[0], number)
            if entry.rule.label is Label.REPEATED:
                entry.scope = self._new_scope()
                entry.inner = Branch(self.types.message_of(levels[0].type, entry.rule), entry.scope)
            levels.insert(0, self._inner(levels[0], entry))
        return levels

    def _level(self, up: int) -> Branch:
        if up >= len(self._levels):
            raise UnsupportedError(
                "the message program refers to a level above the unit: run 'wireloom generate' again"
            )
        return self._levels[up]

    def _new_scope(self) -> int:
        self.scopes.append(Scope())
        return len(self.scopes) - 1

    def _new_slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def _entry(self, branch: Branch, number: int) -> FieldEntry:
        entry = branch.entries.get(number)
        if entry is None:
            entry = branch.entries[number] = FieldEntry(self.types.field_of(branch.type, number))
        return entry

    def _slot(self, entry: FieldEntry) -> int:
        if entry.slot == TRASH:
            entry.slot = self._new_slot()
        return entry.slot

    def _inner(self, branch: Branch, entry: FieldEntry) -> Branch:
        """Return the fields of a message; those of a singular message share the scope of the enclosing one."""
        if entry.inner is None:
            entry.inner = Branch(self.types.message_of(branch.type, entry.rule), branch.scope)
        return entry.inner

    # Columns -----------------------------------------------------------------------------------------------------

    def _vector(self, storage: VectorStorage, kind: FieldKind | None, name: str, group: int) -> Vector:
        vector = Vector(len(self.vectors), storage, kind, name, group)
        self.vectors.append(vector)
        return vector

    def _emit(self, op: ElementOp, vector: Vector, slot: int = TRASH, guard: int = NONE, flags: int = 0) -> None:
        self._group(vector.group).emits.append(Emit(op, vector.number, slot, guard, flags))

    def _group(self, group: int) -> Scope:
        return self.units if group == UNIT else self.scopes[group]

    def _counted(self, op: ElementOp, storage: VectorStorage, kind: FieldKind) -> Vector:
        vector = self._vector(storage, kind, "", self.row_scope)
        self._emit(op, vector)
        return vector

    def _parent(self, group: int) -> Vector:
        """Return a new vector with the element of a group that each row takes: the next one that the group's first
        vector receives."""
        vector = self._vector(VectorStorage.FIXED32, FieldKind.INT32, "", self.row_scope)
        self._emit(ElementOp.PARENT, vector, self._group(group).emits[0].vector)
        return vector

    def _walk(self, branch: Branch, path: tuple[int, ...]) -> tuple[Branch, FieldEntry, int]:
        """Return the field at the end of a path, the message that contains it, and the slot of the presence of that
        message."""
        guard = NONE
        for number in path[:-1]:
            entry = self._entry(branch, number)
            guard = self._slot(entry)
            branch = self._inner(branch, entry)
        return branch, self._entry(branch, path[-1]), guard

    def _column(self, branch: Branch, path: tuple[int, ...], group: int) -> Vector:
        branch, entry, guard = self._walk(branch, path)
        return self._field(branch, entry, guard, group)

    def _field(self, branch: Branch, entry: FieldEntry, guard: int, group: int) -> Vector:
        """Return the vector of a field, including those inside it; an existing one if another column is the same field
        or a message that contains it."""
        rule = entry.rule
        if entry.made is not None:
            return entry.made
        if rule.label is Label.REPEATED:
            return self._list(branch, entry, guard, group)
        if rule.json:
            return self._text(branch, entry, guard, group)
        if rule.kind is FieldKind.MESSAGE:
            return self._struct(branch, entry, group)
        vector = entry.made = self._vector(STORAGE_OF_KIND[rule.kind], rule.kind, rule.name, group)
        op = ElementOp.FIXED if rule.kind not in LENGTH_DELIMITED else ElementOp.BYTES
        if rule.kind is FieldKind.STRING and not self.types.types[branch.type].check_text:
            op = ElementOp.TEXT
        emit = Emit(op, vector.number, self._slot(entry), guard, *self._absent(rule))
        self._group(group).emits.append(emit)
        return vector

    def _struct(self, branch: Branch, entry: FieldEntry, group: int) -> Vector:
        vector = entry.made = self._vector(VectorStorage.STRUCT, None, entry.rule.name, group)
        # The message of a map's entry is present even if it was not written.
        always = self.types.is_entry(branch.type)
        slot = self._slot(entry)
        self._emit(ElementOp.STRUCT, vector, slot, flags=ABSENT_PRESENT if always else 0)
        self._fields_of(self._inner(branch, entry), vector, NONE if always else slot, group)
        return vector

    def _text(self, branch: Branch, entry: FieldEntry, guard: int, group: int) -> Vector:
        """Return a message as JSON. The message of a map's entry is present even if it was not written."""
        self.has_json = True
        vector = entry.made = self._vector(VectorStorage.VARIABLE, FieldKind.STRING, entry.rule.name, group)
        flags, default = ABSENT_NULL, (0, 0)
        if self.types.is_entry(branch.type):
            flags, default = 0, (len(EMPTY), len(self.constants))
            self.constants += EMPTY
        type = self.types.message_of(branch.type, entry.rule)
        emit = Emit(ElementOp.JSON, vector.number, self._slot(entry), guard, flags, default, type)
        self._group(group).emits.append(emit)
        return vector

    def _fields_of(self, branch: Branch, vector: Vector, guard: int, group: int) -> None:
        for rule in self.types.types[branch.type].fields:
            vector.children.append(self._field(branch, self._entry(branch, rule.number), guard, group))

    def _list(self, branch: Branch, entry: FieldEntry, guard: int, group: int) -> Vector:
        rule = entry.rule
        if entry.scope != NONE:
            raise UnsupportedError(
                f"{self.types.types[branch.type].name}.{rule.name} contains the rows, so the engine cannot"
                " read it as a column: leave it out, or set WIRELOOM_ENGINE=objects"
            )
        vector = entry.made = self._vector(VectorStorage.LIST, None, rule.name, group)
        vector.is_map = rule.key is not None
        self._emit(ElementOp.LIST, vector, TRASH, guard)
        kind = FieldKind.STRING if rule.json else rule.kind
        if kind is not FieldKind.MESSAGE and rule.key is None:
            self.has_json |= rule.json
            item = self._vector(STORAGE_OF_KIND[kind], kind, "item", UNIT - 1 - vector.number)
            entry.vector = item.number
        else:
            entry.scope = self._new_scope()
            entry.inner = Branch(self.types.message_of(branch.type, rule), entry.scope)
            item = self._vector(VectorStorage.STRUCT, None, "item", entry.scope)
            self._emit(ElementOp.STRUCT, item, flags=ABSENT_PRESENT)
            self._fields_of(entry.inner, item, NONE, entry.scope)
            if rule.key is not None and rule.values is not None:
                self.scopes[entry.scope].drop = self._new_slot()
        vector.children.append(item)
        return vector

    def _absent(self, rule: FieldRule) -> tuple[int, tuple[int, int]]:
        """Return the flags and the default of an emit: the value of an absent field."""
        if rule.default is None:
            return 0 if rule.label is Label.IMPLICIT else ABSENT_NULL, (0, 0)
        if isinstance(rule.default, str | bytes):
            data = rule.default
            data = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
            self.constants += data
            return 0, (len(data), len(self.constants) - len(data))
        match rule.kind:
            case FieldKind.DOUBLE:
                bits = struct.unpack("<Q", struct.pack("<d", rule.default))[0]
            case FieldKind.FLOAT:
                bits = struct.unpack("<I", struct.pack("<f", rule.default))[0]
            case _:
                bits = int(rule.default) & MASK_64
        return 0, (0, bits)

    def _lookup(self, source: LookupSource, projected: bool) -> Vector | None:
        branch, table, _ = self._walk(self._level(source.table.up), source.table.path)
        if table.table == NONE:
            table.table = self.tables
            self.tables += 1
        if self._level(source.index.up).scope != self.row_scope:
            raise UnsupportedError(
                "the engine does not support a look-up by an index above the row: set WIRELOOM_ENGINE=objects"
            )
        _, index, guard = self._walk(self._level(source.index.up), source.index.path)
        text = table.rule.kind is FieldKind.STRING and not self.types.types[branch.type].check_text
        vector = self._vector(VectorStorage.VARIABLE, table.rule.kind, "", self.row_scope) if projected else None
        self.lookups.append(
            Lookup(
                index=Emit(ElementOp.FIXED, 0, self._slot(index), guard, *self._absent(index.rule)),
                table=table.table,
                scope=branch.scope,
                vector=NONE if vector is None else vector.number,
                integer=source.integer,
                text=text,
                mask=source.mask & MASK_64,
            )
        )
        return vector
