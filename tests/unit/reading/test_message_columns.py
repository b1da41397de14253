"""Messages that are columns of a layout's rows: the same values as in a table of messages."""

import gzip
from pathlib import Path

import pyarrow as pa
import pytest
import wireloom

from ..specs import format_of
from .running import ROW_READERS, read

TYPES = """
  event:
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: name, number: 1, type: string, label: optional}
          - {id: points, number: 2, map-key: string, type: point}
          - {id: levels, number: 3, map-key: int32, type: level}
          - {id: history, number: 4, type: level, label: repeated}
          - {id: more, number: 5, type: int32, default: 7, label: optional}
          - {id: from, number: 6, type: point, label: optional}
    enums:
      level: {0: low, 1: high}
  point:
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: x, number: 1, type: sint32, label: optional}
          - {id: lambda, number: 2, type: bytes, label: optional}
          - {id: names, number: 3, map-key: bool, type: string}
"""
FRAMED = f"""
meta: {{id: framed, endian: be, -wireloom: {{rows: frames, columns: [kind, body, rest]}}}}
seq:
  - {{id: frames, type: frame, repeat: eos}}
types:
  frame:
    seq:
      - {{id: len, type: u2}}
      - {{id: kind, type: u1}}
      - {{id: body, type: event, size: len}}
      - {{id: rest, type: part}}
  part:
    seq:
      - {{id: level, type: u1, enum: event::level, -wireloom: {{labels: true}}}}
      - {{id: inner, size: 2, type: point, repeat: expr, repeat-expr: 2}}
{TYPES}
"""
FIELDS = ["name", "points", "levels", "history", "more", "from"]
MESSAGES = f"""
meta:
  id: bare
  -wireloom: {{message: {{at: event, type: event, columns: [{", ".join(FIELDS)}]}}}}
seq:
  - {{id: event, type: event, size-eos: true}}
types:
{TYPES}
"""


def field(number: int, content: bytes) -> bytes:
    """Return a field of bytes, text or a message."""
    return bytes([number << 3 | 2, len(content)]) + content


POINT = b"\x08\x03" + field(2, b"\xff\0") + field(3, b"\x08\x01" + field(2, b"yes"))
EVENTS = [
    b"",
    field(1, b"a") + field(2, field(1, b"k") + field(2, POINT)) + field(3, b"\x08\x03\x10\x01") + b"\x20\x01\x20\x00",
    # Text that is not UTF-8, as proto2 allows; an entry without a key, and one without a value.
    field(1, b"a\xff") + field(2, field(1, b"\xfe")) + field(3, b"\x10\x01") + b"\x28\x09" + field(6, POINT),
]


@pytest.fixture
def formats(tmp_path: Path) -> tuple[wireloom.Format, wireloom.Format]:
    found = []
    for name, text in (("framed", FRAMED), ("bare", MESSAGES)):
        (tmp_path / f"{name}.ksy").write_text(text)
        found.append(wireloom.load_spec(tmp_path / f"{name}.ksy"))
    return found[0], found[1]


def test_a_message_in_a_row_has_the_values_of_a_table_of_messages(
    formats: tuple[wireloom.Format, wireloom.Format],
) -> None:
    framed, bare = formats
    assert framed.schema.field("body").type == pa.struct([bare.schema.field(name) for name in FIELDS])
    data = b"".join(len(each).to_bytes(2) + b"\x09" + each + b"\x01\x08\x04\x08\x02" for each in EVENTS)
    table, report = wireloom.read_with_report(framed, data)
    assert report.clean
    expected = [wireloom.read(bare, each).to_pylist()[0] for each in EVENTS]
    assert table["body"].to_pylist() == expected
    point = {"x": -2, "lambda": b"\xff\0", "names": [{"key": True, "value": "yes"}]}
    assert expected[1]["points"] == [{"key": "k", "value": point}]
    assert expected[1]["levels"] == [{"key": 3, "value": 1}]
    assert expected[2]["name"] == "a\N{REPLACEMENT CHARACTER}"


def test_messages_and_enums_inside_of_a_layout_inside_of_a_row(
    formats: tuple[wireloom.Format, wireloom.Format],
) -> None:
    framed, _ = formats
    data = b"\0\0\x09" + b"\x01\x08\x04\x08\x02"
    [rest] = wireloom.read(framed, data, columns=["rest"])["rest"].to_pylist()
    assert rest["level"] == 1
    assert rest["inner"] == [{"x": 2, "lambda": None, "names": []}, {"x": 1, "lambda": None, "names": []}]


def test_a_message_that_contains_itself_is_no_column() -> None:
    itself = "          - {id: again, number: 7, type: event}\n"
    text = FRAMED.replace("          - {id: from,", itself + "          - {id: from,")
    with pytest.raises(wireloom.SpecError, match=r'"again" cannot be part of a column.* contains itself'):
        format_of(text)


PACKED = """
meta: {id: packed, endian: be, -wireloom: {rows: ROWS, columns: [COLUMN]}}
seq:
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    seq:
      - {id: flag, type: u1}
      - {id: len, type: u1}
      - {id: body, size: len, type: event, -wireloom: {codec: {switch-on: flag, cases: {0: none, 1: gzip}}}}
  event:
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: count, number: 1, type: int32, label: LABEL}
"""


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("label", ["optional", "required"])
@pytest.mark.parametrize(("rows", "column", "value"), [("frames", "body", {"count": 5}), ("frames.body", "count", 5)])
def test_a_damaged_message_of_a_codec_costs_its_row(
    rows: str, column: str, value: object, label: str, reader: str
) -> None:
    text = PACKED.replace("ROWS", rows).replace("COLUMN", column).replace("LABEL", label)
    format = format_of(text)

    def frame(flag: int, packed: bytes) -> bytes:
        return bytes([flag, len(packed)]) + packed

    good, broken = b"\x08\x05", b"\xff\x06abcdef"
    damaged = [frame(0, broken), frame(1, gzip.compress(broken)), frame(1, b"no gzip"), frame(7, good)]
    data = b"".join(each + frame(1, gzip.compress(good)) for each in damaged)
    table, report = read(reader, format, data)
    assert table[column].to_pylist() == [value] * 4
    assert [each[1:] for each in report["damaged"]] == [
        [len(each), reason]
        for each, reason in zip(damaged, ["message", "message", "codec", "unsupported"], strict=True)
    ]
