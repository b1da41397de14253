"""Keys of the table and of ``meta``."""

from __future__ import annotations

from ..pieces import Piece
from .shape import Construct, Shape, fixed, number


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


def option_of_variable(shape: Shape) -> None:
    shape.root_instances["chosen"] = {"value": shape.random.choice([0, 5]), "-wireloom": {"variable": True}}
    shape.meta_extension["options"] = {"chosen": {"variable": "chosen", "values": {"five": 5}, "doc": "A number."}}
    shape.instances["with_chosen"] = {"value": "n + _root.chosen"}


def default_encoding(shape: Shape) -> None:
    shape.meta["encoding"] = "UTF-8"
    shape.row.append(fixed({"id": "plain_text", "type": "strz"}, b"\0", b"a\0", b"\xc3\xa9\0"))


TABLE_KEYS = (
    Construct("several tables", "table", other_table),
    Construct("look-ups", "table", look_up),
    Construct("where", "table", add_condition),
    Construct("unsupported", "table", lambda shape: shape.extension.update({"unsupported": "n == 5"})),
    Construct("evidence", "table", lambda shape: shape.extension.update({"evidence": "n != 5"})),
    Construct("distinct", "table", lambda shape: shape.extension.update({"distinct": True})),
    Construct("flatten", "table", flatten),
    Construct("parent-columns", "table", parent_columns),
    Construct("columns", "table", columns),
    Construct("options", "table", padding),
    Construct("options of variables", "table", option_of_variable),
    Construct("max_record", "table", lambda shape: setattr(shape, "limited", True)),
    Construct(
        "max-record", "table", lambda shape: shape.meta_extension.update({"max-record": shape.random.choice([20, 110])})
    ),
    Construct("nonempty", "table", lambda shape: shape.meta_extension.update({"nonempty": True})),
    Construct("advice", "table", lambda shape: shape.meta_extension.update({"advice": "some text"})),
    Construct("xor-key-file", "table", lambda shape: shape.meta_extension.update({"xor-key-file": "key.dat"})),
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
