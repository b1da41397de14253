"""What writers write of random specs and rows reads back as the same rows, with both readers, or is refused.

The rows have computed values too, also in place of the attributes that they are computed from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
import wireloom
from wireloom import Format

from ..stuffings import FRAMINGS
from ..unit.columns_backend.specs import format_of
from ..writing import bytes_of
from .agreement import agreed

Value = Callable[[Random], Any]
INTEGERS = {"u1": (0, 255), "s2": (-(2**15), 2**15 - 1), "u4": (0, 2**32 - 1), "s8": (-(2**63), 2**63 - 1)}
STUFFED = b"\0\1\2\4\n\xfe\xfd\xc0\xdb\xdc\x7e\x7d\x11\x13a"
"""Bytes that some framing keeps out of its frames."""


def content(random: Random) -> bytes:
    return bytes(random.choices(STUFFED, k=random.choice((0, 1, 2, 5, 30, 253, 254, 300))))


def integer(name: str, random: Random) -> tuple[list[str], dict[str, Value]]:
    kind = random.choice([*INTEGERS, "varint", "zigzag"])
    least, most = INTEGERS.get(kind, (0, 2**20) if kind == "varint" else (-(2**20), 2**20))
    return [f"{{id: {name}, type: {kind}}}"], {
        name: lambda random: random.choice((least, most, 7, random.randint(least, most)))
    }


def sized(name: str, random: Random) -> tuple[list[str], dict[str, Value]]:
    length = random.choice(("u2", "varint"))
    size = f"len_{name}.value" if length == "varint" else f"len_{name}"
    return [f"{{id: len_{name}, type: {length}}}", f"{{id: {name}, size: {size}}}"], {name: content}


def optional(name: str, random: Random) -> tuple[list[str], dict[str, Value]]:
    """Return text that is there if a flag is set; a null where it is set cannot be written."""
    size = f"{{id: len_{name}, type: u2, if: has_{name} == 1}}"
    text = f"{{id: {name}, size: len_{name}, type: str, encoding: ASCII, if: has_{name} == 1}}"
    return [f"{{id: has_{name}, type: u1}}", size, text], {
        f"has_{name}": lambda random: random.randrange(2),
        name: lambda random: random.choice((None, "", "text")),
    }


def counted(name: str, random: Random) -> tuple[list[str], dict[str, Value]]:
    return [f"{{id: num_{name}, type: u1}}", f"{{id: {name}, type: point, repeat: expr, repeat-expr: num_{name}}}"], {
        name: lambda random: [{"x": random.randrange(256), "y": -1} for _ in range(random.randrange(3))]
    }


ATTRIBUTES = (integer, integer, sized, optional, counted)
FORMULAS = (
    "A",
    "A + 3",
    "A * 2",
    "5 - A",
    "(A + 1) * 3 - 2",
    "A + B",
    "A - B",
    "A * 2 + B * 3",
    "A / 2",
    "A & 15",
    "A << 2",
)


def spec(random: Random) -> tuple[str, dict[str, Value], dict[str, str]]:
    """Return a spec, the attributes that are columns, each with its values, and the value instances."""
    attributes: list[str] = []
    columns: dict[str, Value] = {}
    numbers = ["1"]
    for number in range(random.randrange(1, 5)):
        make = random.choice(ATTRIBUTES)
        texts, found = make(f"a{number}", random)
        attributes += texts
        columns |= found
        if make is integer:
            numbers.append(f"a{number}" + ".value" * ("varint" in texts[0] or "zigzag" in texts[0]))
    formulas = {f"c{n}": random.choice(FORMULAS) for n in range(random.randrange(3)) if len(numbers) > 1}
    formulas = {
        name: text.replace("A", random.choice(numbers[1:])).replace("B", random.choice(numbers))
        for name, text in formulas.items()
    }
    framing = random.choice([None, *(each for each, _, _ in FRAMINGS)])
    units = framing is None and random.random() < 0.5
    head = ["{id: begin, contents: [1, 2]}"]  # An item between delimiters with escapes is not empty.
    if random.random() < 0.3:
        attributes.append("{id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: begin}}}")
    names = [*columns, *formulas, *(["group"] if units else [])]
    within = f", -wireloom: {{framing: {framing}}}".replace("'", "") if framing else ""
    rows = f"{{id: rows, type: row, repeat: eos{within}}}"
    if units:
        columns["group"] = lambda random: random.randrange(2)
        codec = random.choice(("", ", -wireloom: {codec: zlib}"))
        outer = "{id: units, type: unit, repeat: eos}"
        unit = [
            "{id: group, type: u1}", "{id: len, type: u4}",
            "{id: sum, type: u4, -wireloom: {checksum: {algorithm: crc32c, over: body}}}",
            f"{{id: body, type: body, size: len{codec}}}",
        ]  # fmt: skip
    types = {"row": [*head, *attributes], "point": ["{id: x, type: u1}", "{id: y, type: s4}"]}
    if units:
        types |= {"unit": unit, "body": [rows]}
    lines = [
        f"meta: {{id: sample, endian: le, -wireloom: {{rows: {'units.body.rows' if units else 'rows'}, "
        f"columns: [{', '.join(names)}]}}}}",
        f"seq: [{outer if units else rows}]", "types:",
        "  varint: {-wireloom: {varint: le}}", "  zigzag: {-wireloom: {varint: {order: le, signed: zigzag}}}",
    ]  # fmt: skip
    for name, seq in types.items():
        lines += [f"  {name}:", "    seq:", *(f"      - {each}" for each in seq)]
        if name == "row" and formulas:
            lines += ["    instances:", *(f"      {each}: {{value: '{text}'}}" for each, text in formulas.items())]
    return "\n".join(lines), columns, formulas


def tables(random: Random, columns: dict[str, Value], formulas: dict[str, str]) -> Iterator[list[dict[str, Any]]]:
    """Yield rows: those of the attributes, and with computed columns in place of one each."""
    for _ in range(3):
        rows = [{name: value(random) for name, value in columns.items()} for _ in range(random.randrange(1, 5))]
        yield rows
        for name in formulas:
            wanted = [random.choice((0, 3, 40, -1, 1000)) for _ in rows]
            dropped = random.choice([each for each in columns if each in formulas[name]] or [""])
            yield [
                {key: value for key, value in row.items() if key != dropped} | {name: given}
                for row, given in zip(rows, wanted, strict=True)
            ]


def check(format: Format, rows: list[dict[str, Any]]) -> None:
    try:
        data = bytes_of(format, rows)
    except wireloom.WireloomError:
        return
    assert wireloom.read(format, data, columns=list(rows[0])).to_pylist() == rows
    agreed(format, data)


@pytest.mark.parametrize("seed", range(40))
def test_rows_are_written_as_they_are_or_refused(seed: int) -> None:
    random = Random(seed)
    text, columns, formulas = spec(random)
    format = format_of(text)
    for rows in tables(random, columns, formulas):
        check(format, rows)


@pytest.mark.parametrize("rows", ["rows", "units.rows"])
def test_several_attributes_follow_from_computed_values(rows: str) -> None:
    unit = "unit: {seq: [{id: count, type: u1}, {id: rows, type: row, repeat: expr, repeat-expr: count}]}"
    outer = "{id: units, type: unit, repeat: eos}" if "." in rows else "{id: rows, type: row, repeat: eos}"
    format = format_of(f"""
meta: {{id: sample, endian: le, -wireloom: {{rows: {rows}, columns: [total, double]}}}}
seq: [{outer}]
types:
  {unit if "." in rows else ""}
  row:
    seq: [{{id: a, type: s4}}, {{id: b, type: s4}}]
    instances: {{total: {{value: a + b}}, double: {{value: b * 2}}}}
""")
    check(format, given := [{"total": 9, "double": 6}, {"total": -1, "double": 0}])
    assert wireloom.read(format, bytes_of(format, given), columns=["a", "b"]).to_pylist() == [
        {"a": 6, "b": 3},
        {"a": -1, "b": 0},
    ]
    with pytest.raises(wireloom.WireloomError, match="column double: no b comes to 5"):
        bytes_of(format, [{"total": 9, "double": 5}])
