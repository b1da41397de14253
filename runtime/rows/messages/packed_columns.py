"""A tree of columns as the bytes that the engine loads (``runtime/engine/message.h``).

The engine traverses messages by *nodes*: a message type at a position in the tree, or at any position that is not
wanted. It checks every operand: a program is trusted as little as its input.
"""

from __future__ import annotations

import struct

from ...checksums import algorithm
from ...format.message_program import MessageProgram
from ...format.message_rules import FieldKind, FieldRule, Label
from ...format.program_words import PACKED_VERSION
from ...objects.messages.json_mapping import name_in_json
from .column_tree import TRASH, Branch, ColumnTree, ElementOp, Emit, FieldEntry, Lookup
from .vectors import NONE, VectorStorage

REPEATED, REQUIRED, TEXT, CLOSED, MAP, IMPLICIT, JSON, HEX = 1, 2, 4, 8, 16, 32, 64, 128


def pack(program: MessageProgram, tree: ColumnTree, max_depth: int | None = None) -> bytes:
    """Return the program for the columns of ``tree``. ``max_depth``: the maximum nesting depth of messages; by default
    that of the unit's type."""
    envelope = program.envelope
    nodes = _Nodes(tree, len(tree.constants) + len(envelope.prefix))
    unit = nodes.node(program.unit, tree.unit)
    whole = tree.columns.get(program.whole)
    scope_parts: list[bytes] = []
    emits: list[bytes] = []
    for scope in tree.scopes:
        scope_parts.append(struct.pack("<IIII", len(emits), len(scope.emits), scope.drop, scope.is_row))
        emits += map(nodes.emit, scope.emits)
    unit_emits = list(map(nodes.emit, tree.units.emits))
    header = struct.pack(
        "<24I",
        PACKED_VERSION,
        len(nodes.fields),
        sum(map(len, nodes.fields)),
        len(nodes.values),
        len(nodes.clears),
        tree.slots,
        len(tree.vectors),
        len(emits) + len(tree.units.emits),
        len(tree.scopes),
        tree.tables,
        len(tree.lookups),
        len(tree.constants) + len(envelope.prefix) + len(nodes.names),
        unit,
        tree.unit.scope,
        tree.row_scope,
        len(emits),
        len(tree.units.emits),
        tree.types.types[program.unit].max_depth if max_depth is None else max_depth,
        len(tree.constants),
        len(envelope.prefix),
        algorithm(envelope.digest).family if envelope.digest else 0,
        envelope.least,
        program.whole >= 0,
        NONE if whole is None else whole.number,
    )
    parts: list[bytes | bytearray] = [
        header,
        nodes.packed(),
        *(struct.pack("<II", each.storage, each.end) for each in tree.vectors),
        *emits,
        *unit_emits,
        *scope_parts,
        *map(nodes.lookup, tree.lookups),
        tree.constants,
        envelope.prefix,
        nodes.names,
    ]
    return b"".join(parts)


class _Nodes:
    """Nodes and their fields, packed one by one. ``values``: those of closed enums; ``clears``: what members of oneofs
    make absent, as (1, list vector) or (0, slot); ``names``: of fields in JSON, which come after ``before`` other
    constants."""

    def __init__(self, tree: ColumnTree, before: int) -> None:
        self._tree = tree
        self._before = before
        self._names: dict[str, tuple[int, int]] = {}
        self._strict: list[bool] = []
        self._plain: dict[int, int] = {}
        self.fields: list[list[bytes]] = []
        self.values: list[int] = []
        self.clears: list[tuple[int, int]] = []
        self.names = bytearray()

    def packed(self) -> bytes:
        """Return nodes, fields, values and clears."""
        nodes, first = [], 0
        for fields, strict in zip(self.fields, self._strict, strict=True):
            nodes.append(struct.pack("<III", first, len(fields), strict))
            first += len(fields)
        fields_packed = (field for fields in self.fields for field in fields)
        values = struct.pack(f"<{len(self.values)}i", *self.values)
        return b"".join([*nodes, *fields_packed, values, *(struct.pack("<II", *each) for each in self.clears)])

    def node(self, type: int, branch: Branch | None) -> int:
        """Return the number of the node of a type, at a position or (``None``) anywhere."""
        if branch is None and type in self._plain:
            return self._plain[type]
        number = len(self.fields)
        self.fields.append([])
        self._strict.append(self._tree.types.types[type].strict)
        if branch is None:
            self._plain[type] = number
        rules = sorted(self._tree.types.types[type].fields, key=lambda each: each.number)
        oneofs = sorted({each.oneof for each in rules if each.oneof})
        self.fields[number] = [self._field_bytes(type, rule, branch, oneofs) for rule in rules]
        return number

    def _field_bytes(self, type: int, rule: FieldRule, branch: Branch | None, oneofs: list[str]) -> bytes:
        entry = branch.entries.get(rule.number) if branch is not None else None
        entry = FieldEntry(rule) if entry is None else entry
        owner = self._tree.types.types[type]
        is_message = rule.kind is FieldKind.MESSAGE or rule.key is not None
        is_text = rule.kind is FieldKind.STRING and not is_message and owner.check_text
        is_closed = rule.kind is FieldKind.ENUM and not is_message and rule.values is not None
        flags = (
            (REPEATED if rule.label is Label.REPEATED else 0)
            | (REQUIRED if rule.label is Label.REQUIRED else 0)
            | (TEXT if is_text else 0)
            | (CLOSED if is_closed else 0)
            | (MAP if rule.key is not None else 0)
            | (IMPLICIT if rule.label is Label.IMPLICIT else 0)
            | (HEX if rule.hex else 0)
            | (JSON if rule.json and rule.key is None and (entry.made is not None or entry.vector != NONE) else 0)
        )
        node = self.node(self._tree.types.message_of(type, rule), entry.inner) if is_message else 0
        values = sorted(rule.values or ()) if is_closed else []
        clears = self._clears_of(rule, branch) if branch is not None and rule.oneof else []
        drop = NONE
        if is_closed and branch is not None and self._tree.types.is_entry(type):
            drop = self._tree.scopes[branch.scope].drop
        first_value, first_clear = len(self.values), len(self.clears)
        self.values += values
        self.clears += clears
        return struct.pack(
            "<16I",
            rule.number,
            FieldKind.MESSAGE if is_message else rule.kind,
            flags,
            entry.slot,
            entry.vector,
            node,
            entry.scope,
            entry.table,
            first_value,
            len(values),
            first_clear,
            len(clears),
            oneofs.index(rule.oneof) + 1 if rule.oneof else 0,
            drop,
            *self._name(name_in_json(rule)),
        )

    def _name(self, name: str) -> tuple[int, int]:
        """Return the beginning and the size of the name of a field in JSON, in the constants."""
        if not self._tree.has_json:
            return 0, 0
        if name not in self._names:
            text = f'"{name}":'.encode()
            self._names[name] = self._before + len(self.names), len(text)
            self.names += text
        return self._names[name]

    def emit(self, emit: Emit) -> bytes:
        """Return an emit; the nodes that it needs are created."""
        node = self.node(emit.type, None) if emit.op is ElementOp.JSON else 0
        size, value = emit.default
        return struct.pack("<IIIIIIIQ", emit.op, emit.vector, emit.slot, emit.guard, emit.flags, size, node, value)

    def lookup(self, lookup: Lookup) -> bytes:
        """Return a look-up."""
        flags = lookup.integer | lookup.text << 1
        rest = struct.pack("<IIIIQ", lookup.table, lookup.scope, lookup.vector, flags, lookup.mask)
        return self.emit(lookup.index) + rest

    def _clears_of(self, rule: FieldRule, branch: Branch) -> list[tuple[int, int]]:
        """Return what becomes absent when a member of a oneof is set: the other members, including their contents."""
        waiting = [each for each in branch.entries.values() if each.rule.oneof == rule.oneof and each.rule != rule]
        found: list[tuple[int, int]] = []
        while waiting:
            entry = waiting.pop()
            if entry.made is not None and entry.made.storage is VectorStorage.LIST:
                found.append((1, entry.made.number))
            if entry.slot != TRASH:
                found.append((0, entry.slot))
            if entry.inner is not None and entry.scope == NONE:
                waiting.extend(entry.inner.entries.values())
        return found
