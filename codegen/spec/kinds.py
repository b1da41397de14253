"""The kinds of the values of keys. ``tables`` assigns a kind to each key, ``validator`` checks it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

IDENTIFIER = r"[a-z][a-z0-9_]*"
TYPE_NAME = rf"(?:::)?{IDENTIFIER}(?:::{IDENTIFIER})*"


@dataclass(frozen=True)
class TextKind:
    """A single value as text.

    ``pattern`` must match the whole text, and ``expected`` describes it in words. ``choices`` are all allowed values;
    ``offered`` are common ones for completion in editors. ``refusal`` is the sentence about an invalid text, which is
    inserted for ``{}``.
    """

    expected: str = "text"
    pattern: str | None = None
    choices: Collection[str] = ()
    offered: tuple[str, ...] = ()
    refusal: str = ""
    empty: bool = False
    """Whether an empty value is allowed too; it is the same as an absent key."""


@dataclass(frozen=True)
class IntegerKind:
    """An integer between two inclusive bounds."""

    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True)
class FlagKind:
    """``true`` or ``false``. ``only``: the value that is allowed if the other one makes no sense; ``refusal``: the
    sentence about that one."""

    only: bool | None = None
    refusal: str = ""


@dataclass(frozen=True)
class ExpressionKind:
    """An expression of the expression language. Numbers and booleans are expressions too."""


@dataclass(frozen=True)
class TypeKind:
    """The name of a type, built in or of the spec, with arguments if it has parameters."""


@dataclass(frozen=True)
class ProcessKind:
    """``zlib``, ``xor(key)``, ``rol(n)``, ``ror(n)``, or the name of a routine with arguments."""


@dataclass(frozen=True)
class ContentsKind:
    """Fixed bytes: text, or a list of byte values and texts."""


@dataclass(frozen=True)
class AnyKind:
    """Any value: documentation for readers."""


@dataclass(frozen=True)
class ObjectsKind:
    """A list of objects: mappings from names of attributes to expressions, or to further objects or lists of them."""


@dataclass(frozen=True)
class ListKind:
    """A list. If ``single`` is set, a single item may be given without a list around it."""

    item: Kind
    single: bool = False
    minimum: int = 0
    maximum: int | None = None


@dataclass(frozen=True)
class MapKind:
    """A mapping from names to values; ``key`` describes the keys in words, and ``pattern`` must match them.

    ``integer``: whether the keys are numbers; ``expression``: whether they are expressions.
    """

    key: str
    value: Kind
    pattern: str | None = IDENTIFIER
    keys: str = "text"


@dataclass(frozen=True)
class TableKind:
    """A mapping with known keys: the name of its table."""

    table: str


@dataclass(frozen=True)
class EitherKind:
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


@dataclass(frozen=True)
class Key:
    """A key of a table: the kind of its value, its description, and whether it is required."""

    kind: Kind
    doc: str
    required: bool = False


@dataclass(frozen=True)
class Table:
    """The keys of one kind of mapping; ``name`` is its name in messages.

    ``extensions`` names the table of the ``-wireloom`` key; other keys that begin with ``-`` belong to other tools.
    """

    name: str
    keys: dict[str, Key]
    extensions: str | None = None
