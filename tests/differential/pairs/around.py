"""Attributes before the rows or in their unit, and keys of the table."""

from __future__ import annotations

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
    shape.around.append(number("unit_base"))
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
    shape.around.append(fixed({"id": "of_clock", "type": "clock"}, b"\7", b"\x09"))
    shape.root_instances["clock"] = {"value": "1", "-wireloom": VARIABLE}
    shape.instances["by_clock"] = {"value": "_root.clock + n"}


def row_sets(shape: Shape) -> None:
    """Add a variable that rows count up."""
    shape.root_instances["total_n"] = {"value": "0", "-wireloom": VARIABLE}
    shape.instances["running"] = {"value": "_root.total_n + n", **sets("total_n")}


def row_appends(shape: Shape) -> None:
    """Add a list to which rows append."""
    shape.root_instances["seen"] = {"value": "[0]", "-wireloom": VARIABLE}
    shape.instances["appended"] = {"value": "n", **sets("seen")}
    shape.instances["so_far"] = {"value": "_root.seen.size"}


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


def other_table(shape: Shape) -> None:
    """Add a second table of the same rows by a condition."""
    shape.other = {"where": "n > 3"}


def look_up(shape: Shape) -> None:
    """Add a second table, and a column with values of its earlier rows."""
    shape.other = {"where": "n < 4"}
    shape.instances["half_n"] = {"value": "n & 3"}
    shape.instances["worth"] = {"value": "n * 7"}
    shape.extension["look-ups"] = {"found": {"table": "other", "key": "half_n", "match": "n", "value": "worth"}}


def add_condition(shape: Shape) -> None:
    shape.extension["where"] = "n != 2 and 10 / (n - 1) < 9"


def flatten(shape: Shape) -> None:
    shape.extension["flatten"] = True
    shape.add_type("flat", [{"id": "fa", "type": "u1"}, {"id": "fb", "type": "u1"}])
    shape.row.append(Piece([{"id": "flat", "type": "flat"}], lambda random, _: (random.randbytes(2),)))


def parent_columns(shape: Shape) -> None:
    shape.before.append(number("lot"))
    shape.extension["parent-columns"] = ["lot"]


def columns(shape: Shape) -> None:
    shape.row.append(number("picked"))
    shape.extension |= {"columns": ["picked"], "selectable": ["n"]}


def padding(shape: Shape) -> None:
    shape.meta_extension["options"] = {
        "stride": {"padding": {"wide": 2, "tight": 0}, "default": "tight", "doc": "Bytes."}
    }


def default_encoding(shape: Shape) -> None:
    shape.meta["encoding"] = "UTF-8"
    shape.row.append(fixed({"id": "plain_text", "type": "strz"}, b"\0", b"a\0", b"\xc3\xa9\0"))


def limit(shape: Shape) -> None:
    shape.options["max_record"] = shape.random.choice([9, 20, 40])


AROUND = (
    Construct("header", "around", add_header),
    Construct("numbers of the unit", "around", add_parent),
    Construct("variable that a header sets", "around", header_sets),
    Construct("list that headers fill", "around", headers_append),
    Construct("variable that a unit sets", "around", unit_sets),
    Construct("variable that rows set", "around", row_sets),
    Construct("list that rows fill", "around", row_appends),
    Construct("variable of the row", "around", own_variable),
    Construct("value at a position of the input", "around", look_ahead),
    Construct("list in the header", "around", header_list),
    Construct("marker", "end", add_marker),
)
TABLE = (
    Construct("several tables", "table", other_table),
    Construct("look-ups", "table", look_up),
    Construct("where", "table", add_condition),
    Construct("unsupported", "table", lambda shape: shape.extension.update({"unsupported": "n == 5"})),
    Construct("distinct", "table", lambda shape: shape.extension.update({"distinct": True})),
    Construct("flatten", "table", flatten),
    Construct("parent-columns", "table", parent_columns),
    Construct("columns", "table", columns),
    Construct("options", "table", padding),
    Construct("max_record", "table", limit),
    Construct("max-record", "table", lambda shape: shape.meta_extension.update({"max-record": 30})),
    Construct("nonempty", "table", lambda shape: shape.meta_extension.update({"nonempty": True})),
    Construct("preallocated", "table", lambda shape: shape.meta_extension.update({"preallocated": True})),
    Construct(
        "preallocated sectors",
        "table",
        lambda shape: shape.meta_extension.update({"preallocated": {"sector": 8, "header": 1}}),
    ),
    Construct("ranges", "table", lambda shape: shape.meta_extension.update({"ranges": "search"})),
    Construct("big-endian input", "table", lambda shape: setattr(shape, "file_order", "be")),
    Construct("default encoding", "table", default_encoding),
    Construct("low bits first", "table", lambda shape: shape.meta.update({"bit-endian": "le"})),
)
