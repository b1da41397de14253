"""The kinds of values of keys. ``tables`` says which kind belongs to which key, ``validator`` checks it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

IDENTIFIER = r"[a-z][a-z0-9_]*"
TYPE_NAME = rf"(?:::)?{IDENTIFIER}(?:::{IDENTIFIER})*"


@dataclass(frozen=True)
class TextKind:
    """A single value as text. ``pattern`` must match as a whole and ``expected`` says in words what it asks for;
    ``choices`` are all that is allowed; ``offered`` are those of many that editors complete. ``refusal`` is the
    sentence about another text, which takes the place of ``{}``."""

    expected: str = "text"
    pattern: str | None = None
    choices: Collection[str] = ()
    offered: tuple[str, ...] = ()
    refusal: str = ""
    empty: bool = False
    """Nothing at all is allowed as well, and is the same as no key."""


@dataclass(frozen=True)
class IntegerKind:
    """An integer between two bounds, both included."""

    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True)
class FlagKind:
    """``true`` or ``false``; ``only`` where a single one of them makes sense, and ``refusal`` about the other."""

    only: bool | None = None
    refusal: str = ""


@dataclass(frozen=True)
class ExpressionKind:
    """An expression of the expression language. Numbers and booleans are expressions too."""


@dataclass(frozen=True)
class TypeKind:
    """The name of a type, built in or of the spec, with arguments where it has parameters."""


@dataclass(frozen=True)
class ProcessKind:
    """``zlib``, ``xor(key)``, ``rol(n)``, ``ror(n)``, or the name of a routine with arguments."""


@dataclass(frozen=True)
class ContentsKind:
    """Fixed bytes: text, or a list of byte values and texts."""


@dataclass(frozen=True)
class AnyKind:
    """Anything: documentation for people."""


@dataclass(frozen=True)
class ObjectsKind:
    """A list of objects: mappings from names of attributes to expressions, or to further objects and lists of such."""


@dataclass(frozen=True)
class ListKind:
    """A list. Where ``single`` is set, one item may stand without the list around it."""

    item: Kind
    single: bool = False
    minimum: int = 0
    maximum: int | None = None


@dataclass(frozen=True)
class MapKind:
    """A mapping from names to values; ``key`` says in words what a key is, and ``pattern`` what it must match.

    The keys are ``integer`` where they are numbers, ``expression`` where they are expressions."""

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
    """One kind for a single value, another for a mapping, another for a list."""

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
    """A key of a table: what its value is, what it means, and whether it must be there."""

    kind: Kind
    doc: str
    required: bool = False


@dataclass(frozen=True)
class Table:
    """The keys of one kind of mapping; ``name`` is what messages call it.

    ``extensions`` names the table of the ``-wireloom`` key; other keys that begin with ``-`` are other tools' business.
    """

    name: str
    keys: dict[str, Key]
    extensions: str | None = None
