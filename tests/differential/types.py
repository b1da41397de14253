"""Attributes that contain others: arrays, user types, switches, and optional ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Protocol

from .pieces import Number, Parts, Piece, Scope, Values, Writer, condition, inside, settled, size_expression
from .scalars import limits, ordered, pack


@dataclass(frozen=True)
class Declared:
    """A user type: its name, the writer of its objects, and the numbers that always exist in one."""

    name: str
    write: Writer
    numbers: list[Number]


class Types(Protocol):
    """The interface for declaring user types."""

    endian: str

    def declare(
        self, outer: Scope, *, ends: bool, parameters: tuple[Number, ...] = (), fills: bool = False
    ) -> Declared:
        """Declare a new type for attributes in that scope. ``ends``: its stream ends with it; ``fills``: nothing may
        follow it there."""

    def add(self, body: dict[str, Any]) -> str:
        """Return the name of a new type."""


def array(random: Random, name: str, scope: Scope, types: Types, *, stream_ends: bool) -> Piece:
    """Return consecutive numbers."""
    word = random.choice(["u1", "u2", "s4", "u8", "f4", "f8"])
    type, code = ordered(random, word, types.endian)
    attribute: dict[str, Any] = {"id": name, "type": type}
    if stream_ends and random.random() < 0.4:
        attribute["repeat"] = "eos"
        number: Callable[[Random, Values], int] = lambda random, _: random.randrange(5)  # noqa: E731
    else:
        attribute["repeat"] = "expr"
        if scope.sizes and random.random() < 0.7:
            size = size_expression(random, random.choice(scope.sizes))
            attribute["repeat-expr"] = size.text
            number = lambda _, values: size.value(values)  # noqa: E731
        else:
            fixed = random.randrange(4)
            attribute["repeat-expr"] = str(fixed)
            number = lambda _, __: fixed  # noqa: E731
    least, most = limits(word) if word[0] != "f" else (-100, 100)

    def write(random: Random, values: Values) -> Parts:
        items = [random.randint(least, most) for _ in range(number(random, values))]
        return tuple(pack(code, each, values) for each in items)

    return Piece([attribute], write, arrays=[name], ends=attribute["repeat"] == "eos")


def until(random: Random, name: str, scope: Scope, types: Types) -> Piece:
    """Return numbers up to one that ends the list."""
    type, code = ordered(random, "u1", types.endian)
    last = random.choice([0, 7])
    attribute = {"id": name, "type": type, "repeat": "until", "repeat-until": f"_ == {last}"}

    def write(random: Random, values: Values) -> Parts:
        items = [random.randint(8, 90) for _ in range(random.randrange(4))] + [last]
        return tuple(pack(code, each, values) for each in items)

    return Piece([attribute], write, arrays=[name])


def object_of_type(random: Random, name: str, scope: Scope, types: Types, *, repeated: bool = False) -> Piece:
    """Return a user type, in place or in a stream of its own."""
    own_stream = bool(scope.sizes) and random.random() < 0.5 and not repeated
    size = random.choice(scope.sizes) if own_stream else None
    parameters = (random.choice(scope.numbers),) if scope.numbers and random.random() < 0.3 else ()
    type = types.declare(scope, ends=own_stream, parameters=parameters)
    given = ", ".join(each.name for each in parameters)
    attribute: dict[str, Any] = {"id": name, "type": f"{type.name}({given})" if parameters else type.name}
    if size is not None:
        attribute["size"] = size.name
    times = random.randrange(4) if repeated else 1
    if repeated:
        attribute |= {"repeat": "expr", "repeat-expr": str(times)}
        pairs = [each.name for each in type.numbers if "." not in each.name]
        if len(pairs) > 1 and random.random() < 0.7:
            attribute["-wireloom"] = {"map": dict(zip(("key", "value"), random.sample(pairs, 2), strict=True))}

    def write(random: Random, values: Values) -> Parts:
        parts: Parts = ()
        for _ in range(times):
            own = inside(values, parameters)
            parts += type.write(random, own)
            values.update({f"{name}.{each.name}": own[each.name] for each in type.numbers})
        if size is None:
            return parts
        # The size of its own stream was written before it; the object may be shorter or longer.
        room = values[size.name]
        return ((settled(parts) + random.randbytes(room))[:room],)

    numbers = [replace(each, name=f"{name}.{each.name}") for each in type.numbers]
    return Piece([attribute], write, numbers=[] if repeated else numbers)


def measured(random: Random, name: str, scope: Scope, types: Types) -> Piece:
    """Return an object with its size before it, which is compared; occasionally a wrong one."""
    fills = random.random() < 0.5
    type = types.declare(scope, ends=fills, fills=fills)
    size: dict[str, Any] = {"id": f"{name}_size", "type": "u2le"}
    attribute: dict[str, Any] = {"id": name, "type": type.name}
    if fills:
        attribute["size"] = size["id"]
    else:
        size["-wireloom"] = {"size-of": name}

    def write(random: Random, values: Values) -> Parts:
        data = settled(type.write(random, inside(values)))
        stated = max(0, len(data) + random.choice([0] * 9 + [-1, 1, 2]))
        return stated.to_bytes(2, "little"), (data + random.randbytes(2))[:stated] if fills else data

    return Piece([size, attribute], write)


def chain(random: Random, name: str, types: Types) -> Piece:
    """Return an object that may contain another one of its type, or several of them up to one that ends the list."""
    body: dict[str, Any] = {}
    type = types.add(body)
    body["seq"] = [{"id": "kind", "type": "u1"}, {"id": "size", "type": "u1"}]
    body["seq"].append({"id": "next", "type": type, "if": "kind % 2 == 1"})
    attribute: dict[str, Any] = {"id": name, "type": type}
    several, asks = random.random() < 0.3, random.random() < 0.3
    attributes = [attribute]
    if several:
        attribute |= {"repeat": "until", "repeat-until": "_.size < 4 or _.kind == 2"}
    elif asks:
        # If there is no second one, the object is lost.
        attributes.append({"id": f"{name}_more", "type": "u1", "if": f"{name}.next.size == 3"})

    def links(random: Random, depth: int, kind: int, size: int) -> bytes:
        if kind % 2 == 0 or depth > 4:
            return bytes([kind & ~1, size])
        return bytes([kind, size]) + links(random, depth + 1, random.randrange(6), random.randrange(2, 6))

    def write(random: Random, values: Values) -> Parts:
        kind, size = random.randrange(6) | (asks and not several), random.randrange(2, 9)
        if several:
            return (*(links(random, 0, random.randrange(6), 9) for _ in range(random.randrange(3))), b"\2\3")
        values |= {f"{name}.kind": kind, f"{name}.size": size}
        data = links(random, 0, kind, size)
        return (data + (b"\7" if asks and data[3:4] == b"\3" else b""),)

    numbers = [] if several else [Number(f"{name}.kind", 0, small=True), Number(f"{name}.size", 2, small=True)]
    return Piece(attributes, write, numbers=numbers)


def switch(random: Random, name: str, scope: Scope, types: Types) -> Piece:
    """Return one of several types, selected by an integer, in a table occasionally by its digits."""
    on = random.choice(scope.numbers)
    digits = scope.table and random.random() < 0.3
    cases: dict[str, Any] = {}
    writers: dict[int, Writer] = {}
    for case in random.sample([0, 1, 2, 3, 5], random.randint(1, 3)):
        word, code = ordered(random, random.choice(["u1", "u2", "s4"]), types.endian)
        if random.random() < 0.5:
            type = types.declare(scope, ends=False)
            cases[str(case)], writers[case] = (
                type.name,
                lambda random, values, type=type: type.write(random, inside(values)),
            )
        else:
            cases[str(case)], writers[case] = word, lambda _, values, code=code: (pack(code, 5, values),)
    otherwise = "u1" if random.random() < 0.5 else None
    if otherwise:
        cases["_"] = otherwise

    def write(random: Random, values: Values) -> Parts:
        writer = writers.get(values[on.name])
        if writer is not None:
            return writer(random, values)
        return (b"\x2a",) if otherwise else ()

    chosen: dict[str, Any] = {"switch-on": on.name, "cases": cases}
    if digits:
        keys = {key: key if key == "_" else f'"{key}"' for key in cases}
        chosen = {"switch-on": f"{on.name}.to_s", "cases": {keys[key]: type for key, type in cases.items()}}
    return Piece([{"id": name, "type": chosen}], write)


def chosen_size(random: Random, name: str, scope: Scope) -> Piece:
    """Return bytes whose size is an integer of one of several types, or an optional one."""
    on = random.choice(scope.numbers)
    size = {"id": f"{name}_size"}
    cases: dict[int, str] = dict(zip(random.sample([0, 1, 2, 3, 5], 2), ("u1", "u2le"), strict=True))
    otherwise = random.random() < 0.7
    there = condition(random, scope.numbers)
    if random.random() < 0.5:
        size |= {"type": {"switch-on": on.name, "cases": {**cases, **({"_": "u1"} if otherwise else {})}}}
    else:
        size |= {"type": "u1", "if": there.text}
    rest = {"id": name, "size": random.choice([f"{name}_size & 3", f"({name}_size + 1) % 4"])}

    def write(random: Random, values: Values) -> Parts:
        width = 1
        if "if" in size:
            width = int(there.value(values))
        elif values[on.name] in cases or not otherwise:
            width = {"u1": 1, "u2le": 2, None: 0}[cases.get(values[on.name])]
        # If there is no size, the object is lost.
        number = random.randrange(4)
        least = number & 3 if "&" in rest["size"] else (number + 1) % 4
        return (number.to_bytes(width, "little") + random.randbytes(least) if width else b"",)

    return Piece([size, rest], write)


def optional(random: Random, piece: Piece, numbers: list[Number]) -> Piece:
    """Return the same piece with a condition; nothing after it can rely on its existence."""
    if len(piece.attributes) != 1 or not numbers:
        return piece
    there = condition(random, numbers)
    attribute = {**piece.attributes[0], "if": there.text}

    def write(random: Random, values: Values) -> Parts:
        return piece.write(random, values) if there.value(values) else ()

    return replace(
        piece, attributes=[attribute], write=write, numbers=[], texts=[], chunks=[], arrays=[], maybe=piece.numbers
    )
