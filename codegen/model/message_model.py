"""The model of protobuf messages: what makes attributes fields and types messages, and the table of such a spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..expression.types import Path
from ..spec.position import Position


@dataclass(frozen=True)
class MessageField:
    """What makes an attribute a field of a protobuf message.

    ``kind`` is protobuf's word (``uint64`` … ``bytes``, ``message``, ``enum``); ``label`` is ``optional``,
    ``required``, ``repeated`` or ``implicit`` (proto3 without a label). ``default``: proto2's, an enum's as its number.
    ``key``: the kind of a map's keys; the attribute's type and ``kind`` are then those of the values.
    """

    number: int
    kind: str
    label: str
    packed: bool = False
    default: int | float | bool | str | bytes | None = None
    oneof: str = ""
    key: str | None = None


@dataclass(frozen=True)
class Message:
    """``-wireloom: {message: …}`` of a type: its attributes are fields of a protobuf message.

    ``strict``: wire types and varints that do not fit are errors, as in Rust's prost; else they are skipped."""

    syntax: str
    strict: bool = False
    max_depth: int = 100


@dataclass(frozen=True)
class UnitColumn:
    """A column of a table of messages: the attribute or instance ``name`` of the row, or of the message ``up`` levels
    above it. ``path`` is the type that has it."""

    name: str
    path: Path
    up: int = 0


@dataclass(frozen=True)
class UnitKind:
    """One kind of message that the units of a format may be, and its table.

    ``message``: the type of a unit. ``rows``: the attributes that lead to the rows, the last one repeated; empty where
    the unit is one row. ``row``: the type of a row. ``unit_columns``: attributes of the unit of which the reader keeps
    one value per unit, for its report. ``row_number``, ``mark``, ``whole``: names of columns; empty where there are
    none (``MessageUnits`` says what they are). ``name`` is empty where there is but one kind."""

    name: str
    message: Path
    rows: tuple[str, ...]
    row: Path
    columns: tuple[UnitColumn | str, ...]
    """In order; text: the column ``row_number`` or ``mark``."""
    selectable: tuple[UnitColumn | str, ...] = ()
    unit_columns: tuple[str, ...] = ()
    row_number: str = ""
    mark: str = ""
    whole: str = ""


@dataclass(frozen=True)
class Units:
    """``-wireloom: {message: …}`` in ``meta``: the input consists of messages.

    ``at``: the root's attributes that lead to a message, for people and the envelope. ``framing``: ``whole``,
    ``varint``, ``u1`` … ``u8be`` (lengths before each), or ``module:Class`` of a framing of one's own. ``option``: the
    reader's option that chooses among several kinds, ``default`` the kind without it; both empty where there is one
    kind. ``packing``, ``hooks``: ``module:Class``, or empty. ``prefix``, ``digest``, ``least``: a unit's envelope.
    ``positions``: where the keys ``framing``, ``packing`` and ``hooks`` have their values."""

    kinds: tuple[UnitKind, ...]
    at: tuple[str, ...] = ()
    framing: str = "whole"
    packing: str = ""
    hooks: str = ""
    option: str = ""
    default: str = ""
    prefix: bytes = b""
    digest: str = ""
    least: int = 0
    positions: Mapping[str, Position] = field(default_factory=dict, compare=False)
