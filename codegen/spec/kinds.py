"""The kinds of the values of keys. ``dialect.yaml`` assigns a kind to each key, ``validator`` checks it."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

IDENTIFIER = r"[a-z][a-z0-9_]*"
TYPE_NAME = rf"(?:::)?{IDENTIFIER}(?:::{IDENTIFIER})*"


class TextKind(NamedTuple):
    """A single value as text.

    ``pattern`` must match the whole text, and ``expected`` describes it in words. ``choices`` are all allowed values;
    ``offered`` are common ones for completion in editors. ``refusal`` is the sentence about an invalid text, which is
    inserted for ``{}``.
    """

    expected: str = "text"
    pattern: str | None = None
    choices: Collection[str] = ()
    offered: Collection[str] = ()
    refusal: str = ""
    empty: bool = False
    """Whether an empty value is allowed too; it is the same as an absent key."""


class IntegerKind(NamedTuple):
    """An integer between two inclusive bounds."""

    minimum: int | None = None
    maximum: int | None = None


class FlagKind(NamedTuple):
    """``true`` or ``false``. ``only``: the value that is allowed if the other one makes no sense; ``refusal``: the
    sentence about that one."""

    only: bool | None = None
    refusal: str = ""


class ExpressionKind:
    """An expression of the expression language. Numbers and booleans are expressions too."""


class TypeKind:
    """The name of a type, built in or of the spec, with arguments if it has parameters."""


class ProcessKind:
    """``zlib``, ``xor(key)``, ``rol(n)``, ``ror(n)``, or the name of a routine with arguments."""


class ContentsKind:
    """Fixed bytes: text, or a list of byte values and texts."""


class AnyKind:
    """Any value: documentation for readers."""


class ObjectsKind:
    """A list of objects: mappings from names of attributes to expressions, or to further objects or lists of them."""


class ListKind(NamedTuple):
    """A list. If ``single`` is set, a single item may be given without a list around it."""

    item: Kind
    single: bool = False
    minimum: int = 0
    maximum: int | None = None


class MapKind(NamedTuple):
    """A mapping from names to values; ``key`` describes the keys in words.

    ``keys``: ``text`` if they are names, ``expression`` if they are expressions.
    """

    key: str
    value: Kind
    keys: str = "text"


class TableKind(NamedTuple):
    """A mapping with known keys: the name of its table."""

    table: str


class EitherKind(NamedTuple):
    """Different kinds for a single value, a mapping and a list."""

    expected: str
    scalar: Kind | None = None
    mapping: Kind | None = None
    sequence: Kind | None = None


Kind = (
    TextKind
    | IntegerKind
    | FlagKind
    | ExpressionKind
    | TypeKind
    | ProcessKind
    | ContentsKind
    | AnyKind
    | ObjectsKind
    | ListKind
    | MapKind
    | TableKind
    | EitherKind
)


class Key(NamedTuple):
    """A key of a table: the kind of its value, its description, and whether it is required.

    ``types``: if only attributes of some types can have it, these: ``bytes``, ``text``, ``enum``.
    """

    kind: Kind
    doc: str
    required: bool = False
    types: tuple[str, ...] = ()


class Table(NamedTuple):
    """The keys of one kind of mapping; ``name`` is its name in messages, ``title`` that in the reference.

    ``extensions`` names the table of the ``-wireloom`` key; other keys that begin with ``-`` belong to other tools.
    """

    name: str
    keys: dict[str, Key]
    title: str
    extensions: str | None = None


MAX_BITS = 64
"""Maximum width of ``bN`` in bits."""

BUILT_IN = tuple(
    [
        f"{sign}{size}{endian}"
        for sign in "us"
        for size in (1, 2, 4, 8)
        for endian in ("", "le", "be")
        if size > 1 or not endian
    ]
    + [f"f{size}{endian}" for size in (4, 8) for endian in ("", "le", "be")]
    + ["str", "strz"]
)
"""Their names, except those of bit fields."""
