"""Attributes of the objects that enclose the rows: of the outermost one, or of the unit."""

from __future__ import annotations

from functools import partial
from random import Random

from ..pieces import Parts, Piece, Values
from .shape import Construct, Shape, fixed, number

VARIABLE = {"variable": True}


def add_header(shape: Shape) -> None:
    """Add numbers of the outermost type, which rows use."""
    shape.before.append(fixed({"id": "version", "type": "u2", "valid": {"max": "600"}}, b"\1\1", b"\2\1"))
    shape.before.append(number("base"))
    shape.instances["from_base"] = {"value": "_root.base * 100 + n"}


def add_parent(shape: Shape) -> None:
    """Add numbers of the object with the rows, which rows use."""
    shape.in_unit.append(number("unit_base"))
    shape.instances["from_unit"] = {"value": "_parent.unit_base * 100 + n"}
    shape.row.append(Piece([{"id": "by_unit", "size": "_parent.unit_base & 0"}], lambda *_: (b"",)))


def header_sets(shape: Shape) -> None:
    """Add a variable that an object before the rows sets."""
    shape.add_type("header", [{"id": "h", "type": "u1"}], instances={"set": {"value": "h", **sets("scale")}})
    shape.before.append(fixed({"id": "header", "type": "header"}, b"\7", b"\2"))
    shape.root_instances["scale"] = {"value": "3", "-wireloom": VARIABLE}
    shape.instances["scaled_n"] = {"value": "_root.scale * n"}


def headers_append(shape: Shape) -> None:
    """Add a list to which objects before the rows append."""
    shape.add_type("listed", [{"id": "l", "type": "u1"}], instances={"append": {"value": "l", **sets("scales")}})
    shape.before.append(
        fixed({"id": "listing", "type": "listed", "repeat": "expr", "repeat-expr": "2"}, b"\5\6", b"\7\1")
    )
    shape.root_instances["scales"] = {"value": "[9]", "-wireloom": VARIABLE}
    shape.instances["by_list"] = {"value": "_root.scales[n % 3] + _root.scales.size"}


def sets(name: str) -> dict[str, object]:
    return {"-wireloom": {"sets": f"_root.{name}"}}


def unit_sets(shape: Shape) -> None:
    """Add a variable that an object in the unit of the rows sets."""
    shape.add_type("clock", [{"id": "c", "type": "u1"}], instances={"set": {"value": "c", **sets("clock")}})
    shape.in_unit.append(fixed({"id": "of_clock", "type": "clock"}, b"\7", b"\x09"))
    shape.root_instances["clock"] = {"value": "1", "-wireloom": VARIABLE}
    shape.instances["by_clock"] = {"value": "_root.clock + n"}


def row_sets(shape: Shape) -> None:
    """Add a variable that rows count up."""
    shape.root_instances["total_n"] = {"value": "0", "-wireloom": VARIABLE}
    shape.instances["running"] = {"value": "_root.total_n + n", **sets("total_n")}


def row_adds(shape: Shape) -> None:
    """Add a float that rows set, to a float or to an integer."""
    shape.root_instances["mean"] = {"value": "-0.5", "-wireloom": VARIABLE}
    shape.instances["averaged"] = {"value": "n == 1 ? n : (_root.mean + n) / 2", **sets("mean")}
    shape.instances["above"] = {"value": "_root.mean > n"}


def optional_header(shape: Shape) -> None:
    """Add a header that may be absent, with a part that may be absent, which rows use."""
    shape.add_type("leading", [{"id": "l", "type": "u1"}, {"id": "m", "size": 1, "if": "l == 1"}])
    attributes = [{"id": "has_leading", "type": "u1"}, {"id": "leading", "type": "leading", "if": "has_leading == 1"}]
    contents = ((b"\0", b""), (b"\1", b"\1x"), (b"\1", b"\2"))
    shape.before.append(Piece(attributes, lambda random, _: random.choice(contents)))
    shape.instances["leading_l"] = {"value": "_root.leading.l + n", "if": "_root.has_leading == 1"}
    shape.instances["leading_m"] = {"value": "_root.leading.m"}


def row_appends(shape: Shape) -> None:
    """Add a list to which rows append."""
    shape.root_instances["seen"] = {"value": "[0]", "-wireloom": VARIABLE}
    shape.instances["appended"] = {"value": "n", **sets("seen")}
    shape.instances["so_far"] = {"value": "_root.seen.size"}


def row_puts(shape: Shape) -> None:
    """Add a table that rows fill, which begins empty."""
    shape.root_instances["table"] = {"-wireloom": {"variable": {"keys": "integer", "values": "integer"}}}
    shape.instances["put"] = {"value": "n * 3", "if": "n != 2", **sets("table[n % 3]")}
    shape.instances["entry"] = {"value": "_root.table[(n + 1) % 3]"}
    shape.instances["is_known"] = {"value": "_root.table.has(n % 3 + 1)"}


def add_constants(shape: Shape) -> None:
    """Add a table of constants, which rows use."""
    shape.root_instances["weights"] = {"-wireloom": {"table": {0: 5, 1: -7, 300: 1 << 40}}}
    shape.instances["weight"] = {"value": "_root.weights[n]"}
    shape.instances["weighed"] = {"value": "_root.weights.has(n) ? _root.weights[n] + n : 0"}


def own_variable(shape: Shape) -> None:
    """Add a variable of the object that contains the rows."""
    shape.add_type(
        "step",
        [{"id": "s", "type": "u1"}],
        instances={"next": {"value": "_parent.summed + s", "-wireloom": {"sets": "_parent.summed"}}},
    )
    shape.row.append(
        Piece(
            [{"id": "steps_of", "type": "step", "repeat": "expr", "repeat-expr": "2"}],
            lambda random, _: (random.choice([b"\1\2", b"\3\4"]),),
        )
    )
    shape.instances["summed"] = {"value": "1", "-wireloom": VARIABLE}


def add_marker(shape: Shape) -> None:
    """Add a marker: bytes that each row repeats."""
    marker = bytes(range(0xA0, 0xA8))
    shape.before.append(fixed({"id": "sync", "size": "8"}, marker))
    shape.end = fixed({"id": "marker", "size": "8", "valid": "_root.sync"}, marker)


def look_ahead(shape: Shape) -> None:
    """Add a value at a position of the input, which rows use."""
    shape.before.append(fixed({"id": "magic", "contents": [0x57, 0x4C]}, b"WL"))
    shape.root_instances["ahead"] = {"pos": "1", "type": "u1"}
    shape.instances["by_ahead"] = {"value": "_root.ahead + n"}


def header_list(shape: Shape) -> None:
    """Add a list before the rows, which rows use by index."""

    def write(random: Random, _: Values) -> Parts:
        return (bytes([3]) + random.randbytes(3),)

    shape.before.append(
        Piece(
            [
                {"id": "num_widths", "type": "u1"},
                {"id": "widths", "type": "u1", "repeat": "expr", "repeat-expr": "num_widths"},
            ],
            write,
        )
    )
    shape.instances["width"] = {"value": "_root.widths[n % 4]"}


DIVIDED: dict[str, list[dict[str, object]]] = {
    "size": [{"id": "part", "size": "2 / d"}],
    "constant size": [{"id": "part", "size": "2 / d & 0"}],
    "count": [{"id": "parts", "type": "u1", "repeat": "expr", "repeat-expr": "2 / d"}],
    "end of a list": [{"id": "parts", "type": "u1", "repeat": "until", "repeat-until": "2 / d == 1"}],
    "condition": [{"id": "part", "type": "u1", "if": "2 / d == 2"}],
    "case": [{"id": "part", "type": {"switch-on": "2 / d", "cases": {1: "u1", 2: "u2le"}}}],
    "argument": [{"id": "part", "type": "taking(2 / d)"}],
    "position": [{"id": "part", "size": "at_d & 1"}],
}
"""What decides where to go on in a sub-stream: without a value if ``d`` is 0."""


def add_divided(shape: Shape, what: str) -> None:
    """Add a sub-stream in the unit of the rows in which ``what`` has no value in some units."""
    if what == "argument":
        shape.add_type("taking", [{"id": "taken", "size": "by & 1"}], params=[{"id": "by", "type": "s4"}])
    instances = {"at_d": {"pos": "2 / d", "type": "u1"}} if what == "position" else {}
    shape.add_type("divided", [{"id": "d", "type": "u1"}, *DIVIDED[what]], instances=instances)
    shape.in_unit.append(fixed({"id": "divided", "type": "divided", "size": "3"}, b"\1\2\2", b"\2\1\1", b"\0\0\0"))


ENCLOSING = (
    *(Construct(f"{what} without a value", "enclosing", partial(add_divided, what=what)) for what in DIVIDED),
    Construct("header", "enclosing", add_header),
    Construct("numbers of the unit", "enclosing", add_parent),
    Construct("variable that a header sets", "enclosing", header_sets),
    Construct("list that headers fill", "enclosing", headers_append),
    Construct("variable that a unit sets", "enclosing", unit_sets),
    Construct("variable that rows set", "enclosing", row_sets),
    Construct("float that rows set", "enclosing", row_adds),
    Construct("header that may be absent", "enclosing", optional_header),
    Construct("list that rows fill", "enclosing", row_appends),
    Construct("table that rows fill", "enclosing", row_puts),
    Construct("table of constants", "enclosing", add_constants),
    Construct("variable of the row", "enclosing", own_variable),
    Construct("value at a position of the input", "enclosing", look_ahead),
    Construct("list in the header", "enclosing", header_list),
    Construct("marker", "end", add_marker),
)
