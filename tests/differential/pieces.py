"""The parts of a generated spec: attributes, each with a function that writes its bytes, and expressions with their
meaning.

A piece can make bytes that are usually valid: sizes, counts and conditions match its values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

Values = dict[str, Any]
"""The values of an object by attribute, while it is being made."""


@dataclass(frozen=True)
class Expression:
    """The text of an expression, and its value."""

    text: str
    value: Callable[[Values], int]


@dataclass(frozen=True)
class Number:
    """An integer attribute that expressions may use. ``least``: the smallest value that a writer gives it; ``small``:
    whether it may be a size."""

    name: str
    least: int
    small: bool


@dataclass(frozen=True)
class Bits:
    """A bit field. ``order``: ``le`` takes a byte's lowest bits first, everything else its highest."""

    value: int
    width: int
    order: str


Parts = tuple[bytes | Bits, ...]
"""The content of a stream. Bytes begin at a whole byte, even if there are none; bit fields begin where the previous one
ended, regardless of its type."""
Writer = Callable[[Random, Values], Parts]


@dataclass
class Piece:
    """Attributes that belong together. ``write`` returns their form in the stream and records their values."""

    attributes: list[dict[str, Any]]
    write: Writer
    numbers: list[Number] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)
    """Names of attributes that are bytes and always exist."""
    arrays: list[str] = field(default_factory=list)
    maybe: list[Number] = field(default_factory=list)
    """Integers that may be absent."""
    ends: bool = False
    """Extends to the end of the stream, so nothing can follow it."""


def settled(parts: Parts) -> bytes:
    """Return the bytes of a stream. Of its last byte the bits from ``low`` up to ``high`` are free."""
    content, low, high = bytearray(), 0, 0
    for part in parts:
        if isinstance(part, bytes):
            content += part
            low = high = 0
            continue
        here = min(high - low, part.width)
        rest = part.width - here
        size = -(-rest // 8)
        if part.order == "le":
            if here:
                content[-1] |= part.value % (1 << here) << low
                low += here
            content += (part.value >> here).to_bytes(size, "little")
            if rest:
                low, high = rest - 8 * (size - 1), 8
        else:
            if here:
                high -= here
                content[-1] |= part.value >> rest << high
            content += (part.value % (1 << rest) << 8 * size - rest).to_bytes(size, "big")
            if rest:
                low, high = 0, 8 * size - rest
    return bytes(content)


def inside(values: Values, parameters: tuple[Number, ...] = ()) -> Values:
    """Return the initial values for a nested object: its parameters, and the values of its parent and the root by their
    paths."""
    given = {f"p{place}": values[each.name] for place, each in enumerate(parameters)}
    below = {f"_parent.{name}": value for name, value in values.items() if name[0] not in "_-"}
    return given | below | {name: value for name, value in values.items() if name.startswith("_root.")}


@dataclass
class Scope:
    """The attributes that later ones may use."""

    numbers: list[Number] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)
    maybe: list[Number] = field(default_factory=list)
    table: bool = False
    """Whether it is a table's row, or inside one."""

    def add(self, piece: Piece) -> None:
        self.numbers += piece.numbers
        self.texts += piece.texts
        self.chunks += piece.chunks
        self.arrays += piece.arrays
        self.maybe += piece.maybe

    @property
    def sizes(self) -> list[Number]:
        return [each for each in self.numbers if each.small]


def size_expression(random: Random, number: Number) -> Expression:
    """Return a size that is never negative for the values that a writer gives."""
    name = number.name
    choices = [
        Expression(name, lambda values: values[name]),
        Expression(f"{name} + 1", lambda values: values[name] + 1),
        Expression(f"{name} * 2", lambda values: values[name] * 2),
        Expression(f"({name} & 7) + 1", lambda values: (values[name] & 7) + 1),
        Expression(f"{name} % 5", lambda values: values[name] % 5),
        Expression(f"{name} / 2", lambda values: values[name] // 2),
        Expression(f"{name} > 3 ? {name} : 2", lambda values: values[name] if values[name] > 3 else 2),
        Expression(f"({name} << 1) | 1", lambda values: values[name] << 1 | 1),
    ]
    if number.least:
        choices.append(Expression(f"{name} - {number.least}", lambda values: values[name] - number.least))
    return random.choice(choices)


def condition(random: Random, numbers: list[Number]) -> Expression:
    """Return a condition that is true about half of the time."""
    first, second = random.choice(numbers).name, random.choice(numbers).name
    limit = random.choice([1, 3, 5, 100])
    return random.choice(
        [
            Expression(f"{first} & 1 != 0", lambda values: values[first] & 1 != 0),
            Expression(f"{first} > {limit}", lambda values: values[first] > limit),
            Expression(
                f"{first} % 2 == 0 or {second} < {limit}",
                lambda values: values[first] % 2 == 0 or values[second] < limit,
            ),
            Expression(
                f"not ({first} == {limit}) and {second} >= 0",
                lambda values: values[first] != limit and values[second] >= 0,
            ),
            Expression(f"{first} <= {second}", lambda values: values[first] <= values[second]),
        ]
    )


def any_expression(random: Random, scope: Scope, depth: int = 0) -> str:
    """Return an integer expression of any form, whose value may not be computable."""
    if depth > 2 or random.random() < 0.3 or not scope.numbers:
        choices = [str(random.choice([0, 1, 2, 7, 255, 65536, -3, 1 << 33]))]
        choices += [each.name for each in scope.numbers for _ in range(2)]
        choices += [f"{each}.length" for each in (*scope.texts, *scope.chunks)]
        choices += [f"{each}.size" for each in scope.arrays]
        return random.choice(choices)
    left, right = (any_expression(random, scope, depth + 1) for _ in range(2))
    sign = random.choice(["+", "-", "*", "/", "%", "&", "|", "^", "?", "~", "-1"])
    match sign:
        case "?":
            return f"({left} {random.choice(['<', '==', '>='])} {right} ? {left} : {right})"
        case "~" | "-1":
            return f"({sign[0]}({left}))"
        case _:
            return f"({left} {sign} {right})"
