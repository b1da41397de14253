"""Layouts with rows or units at positions, or in the bytes of an attribute."""

from __future__ import annotations

from typing import Any

from ..specs import Made
from .layout_parts import head_of, holder_bytes, holder_of, order_of, rows_of, some, unit_of
from .shape import Shape


def placed(shape: Shape) -> Made:
    """Return rows at a position in their unit."""
    shape.types["holder"] = {
        "seq": [{"id": "at", "type": "u1"}, *shape.attributes(shape.in_unit)],
        "instances": {"rows": {"pos": "at", "type": "row", "repeat": "eos"}},
    }
    shape.add_type("unit", [{"id": "len", "type": "u2"}, {"id": "body", "type": "holder", "size": "len"}])
    seq = [*shape.attributes(shape.before), {"id": "units", "type": "unit", "repeat": "eos"}]

    def unit() -> bytes:
        before = unit_of(shape) + b"..."
        body = bytes([1 + len(before)]) + before + b"".join(rows_of(shape, some(shape, 4)))
        return len(body).to_bytes(2, order_of(shape)) + body

    return Made(
        shape.spec({"seq": seq}, "units.body.rows"),
        lambda *_: head_of(shape) + b"".join(unit() for _ in range(some(shape, 4))),
    )


def indexed(shape: Shape) -> Made:
    """Return units whose positions are in an index."""
    shape.types["holder"] = holder_of(shape)
    shape.types["entry"] = {
        "seq": [{"id": "at", "type": "u2"}, {"id": "size", "type": "u2"}],
        "instances": {"unit": {"io": "_root._io", "pos": "at", "size": "size", "type": "holder"}},
    }
    before = shape.attributes(shape.before)
    seq = [*before, {"id": "total", "type": "u1"}, {"id": "index", "type": "u2"}]
    units = {"pos": "index", "type": "entry", "repeat": "expr", "repeat-expr": "total"}

    def write(*_: Any) -> bytes:
        order, head, data, index = order_of(shape), head_of(shape), b"", b""
        for _ in range(some(shape, 4)):
            unit = holder_bytes(shape)
            index += (len(head) + 3 + len(data)).to_bytes(2, order) + len(unit).to_bytes(2, order)
            data += unit
        return head + bytes([len(index) // 4]) + (len(head) + 3 + len(data)).to_bytes(2, order) + data + index

    return Made(shape.spec({"seq": seq, "instances": {"units": units}}, "units.unit.rows"), write)


def slotted(shape: Shape) -> Made:
    """Return rows in the bytes of another attribute of their unit."""
    shape.types["holder"] = holder_of(shape)
    shape.add_type(
        "unit",
        [
            {"id": "len", "type": "u2"},
            {"id": "data", "size": "len"},
            {"id": "body", "type": "holder", "-wireloom": {"within": "data"}},
        ],
    )
    seq = [*shape.attributes(shape.before), {"id": "units", "type": "unit", "repeat": "eos"}]

    def unit() -> bytes:
        body = holder_bytes(shape)
        return len(body).to_bytes(2, order_of(shape)) + body

    return Made(
        shape.spec({"seq": seq}, "units.body.rows"),
        lambda *_: head_of(shape) + b"".join(unit() for _ in range(some(shape, 4))),
    )
