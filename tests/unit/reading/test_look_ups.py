"""Columns that are looked up in earlier rows of another table of the same input, with both readers."""

import io
import random
import struct
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
import wireloom
from mcap.writer import Writer
from wireloom import engine
from wireloom.input.inputs import MemoryInput
from wireloom.reading.events import Rows
from wireloom.reading.input_scan import InputScan
from wireloom.reading.request import scan_request
from wireloom.reading.scan_readers import ScanReaders
from wireloom.rows import block_decompression, look_ups

from ...differential.agreement import agreed, objects_only
from ...examples import examples
from ..specs import format_of

SPEC = """
meta:
  id: bag
  endian: le
  -wireloom:
    tables:
      messages:
        rows: records.body.as<message>
        columns: [channel, text]
        look-ups:
          topic: {table: channels, key: channel, match: id, value: topic}
          unit: {table: channels, key: channel, match: id, value: unit}
          note: {table: units, key: unit, match: name, value: number}
      channels:
        rows: records.body.as<channel>
        look-ups:
          unit: {table: units, key: unit_number, match: number, value: name}
      units:
        rows: records.body.as<unit>
seq:
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: channel, 2: message, 3: unit}}}
  channel:
    seq:
      - {id: id, type: u1}
      - {id: unit_number, type: u1}
      - {id: topic, type: str, size-eos: true, encoding: ASCII}
  message:
    seq:
      - {id: channel, type: u1}
      - {id: text, type: str, size-eos: true, encoding: ASCII}
  unit:
    seq:
      - {id: number, type: u1}
      - {id: name, type: str, size-eos: true, encoding: ASCII}
"""
WHOLE = """
meta:
  id: chunks
  endian: le
  -wireloom:
    tables:
      messages:
        rows: chunks.body.list.body.as<message>
        look-ups: {topic: {table: channels, key: channel, match: id, value: topic}}
      channels: {rows: chunks.body.list.body.as<channel>}
seq:
  - {id: count, type: u1}
  - {id: chunks, type: chunk, repeat: expr, repeat-expr: count}
  - {id: end, contents: END}
types:
  chunk:
    seq:
      - {id: len, type: u2}
      - {id: body, type: body, size: len, -wireloom: {codec: zlib}}
  body:
    seq: [{id: list, type: record, repeat: eos}]
  record:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: channel, 2: message}}}
  channel:
    seq: [{id: id, type: u1}, {id: topic, type: str, size-eos: true, encoding: ASCII}]
  message:
    seq: [{id: channel, type: u1}, {id: text, type: str, size-eos: true, encoding: ASCII}]
"""


@pytest.fixture(scope="module")
def bag() -> wireloom.Format:
    return format_of(SPEC)


def record(kind: int, body: bytes) -> bytes:
    return bytes([kind, len(body)]) + body


DATA = b"".join(
    [
        record(3, b"\x09mps"),
        record(2, b"\1early"),
        record(1, b"\1\x09/pose"),
        record(1, b"\2\x08/scan"),
        record(2, b"\1one"),
        record(2, b"\2two"),
        record(1, b"\1\x09/twist"),
        record(3, b"\x08rad"),
        record(2, b"\1three"),
        record(1, b"\2\x08/laser"),
        record(2, b"\2four"),
    ]
)
ROWS = [
    (1, "early", None, None, None),
    (1, "one", "/pose", "mps", 9),
    (2, "two", "/scan", None, None),
    (1, "three", "/twist", "mps", 9),
    (2, "four", "/laser", "rad", 8),
]


def test_the_last_record_before_the_row_counts(bag: wireloom.Format) -> None:
    table, report = wireloom.read_with_report(bag, DATA)
    assert [tuple(each.values()) for each in table.to_pylist()] == ROWS
    assert (report.clean, bag.engine_refusal) == (True, None)
    agreed(bag, DATA)
    with objects_only():
        assert wireloom.read(bag, DATA).to_pylist() == table.to_pylist()


def test_a_look_up_by_itself_reads_its_key(bag: wireloom.Format) -> None:
    topics = [each[2] for each in ROWS]
    assert wireloom.read(bag, DATA, columns=["topic"]).to_pydict() == {"topic": topics}
    assert wireloom.read(bag, DATA, columns=["note", "_offset"])["note"].to_pylist() == [each[4] for each in ROWS]


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_batches_of_any_size_give_the_same(bag: wireloom.Format, rows: int) -> None:
    with wireloom.scan(bag, DATA * 3, batch_rows=rows) as scanner:
        found = scanner.read_all().to_pylist()
    assert found == wireloom.read(bag, DATA * 3).to_pylist()


def test_nothing_is_remembered_from_one_input_to_the_next(bag: wireloom.Format, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.bag").write_bytes(DATA)
    table = wireloom.read(bag, [tmp_path / f"{number}.bag" for number in range(3)])
    assert [tuple(each.values()) for each in table.to_pylist()] == ROWS * 3


@pytest.mark.slow
def test_both_readers_agree_on_damage(bag: wireloom.Format) -> None:
    for index in range(len(DATA)):
        agreed(bag, DATA[:index])
        for bits in (1, 0x83):
            damaged = DATA[:index] + bytes([DATA[index] ^ bits]) + DATA[index + 1 :]
            agreed(bag, damaged, recover=bool(index % 2))


def test_a_damaged_record_is_not_looked_up(bag: wireloom.Format) -> None:
    table = wireloom.read(bag, DATA.replace(b"/pose", b"/p\xffse"))
    assert table["topic"].to_pylist() == [None, None, "/scan", "/twist", "/laser"]


@pytest.mark.slow
def test_compressed_blocks_of_inputs_that_are_read_as_a_whole() -> None:
    chunks = format_of(WHOLE)
    blocks = [record(1, b"\1/a") + record(2, b"\1x"), record(2, b"\1y") + record(1, b"\2/b"), record(2, b"\2z")]
    packed = [zlib.compress(each) for each in blocks]
    data = b"\3" + b"".join(struct.pack("<H", len(each)) + each for each in packed) + b"END"
    assert wireloom.read(chunks, data)["topic"].to_pylist() == ["/a", "/a", "/b"]
    made = random.Random(5)
    agreed(chunks, data)
    for _ in range(examples(150)):
        at = made.randrange(len(data))
        agreed(chunks, data[:at] + bytes([data[at] ^ 1 << made.randrange(8)]) + data[at + 1 :])


def test_the_tables_of_compressed_blocks_share_their_contents(monkeypatch: pytest.MonkeyPatch) -> None:
    spec_text = (
        WHOLE.replace("  - {id: count, type: u1}\n", "")
        .replace("repeat: expr, repeat-expr: count", "repeat: eos")
        .replace("  - {id: end, contents: END}\n", "")
    )
    chunks = format_of(spec_text)
    packed = [zlib.compress(record(1, b"\1/%d" % n) + record(2, b"\1x") * 9) for n in range(20)]
    data = b"".join(struct.pack("<H", len(each)) + each for each in packed)
    expanded, expand = [], block_decompression.expand_block

    def counted(*arguments: Any) -> Any:
        expanded.append(arguments)
        return expand(*arguments)

    monkeypatch.setattr(block_decompression, "expand_block", counted)
    table = wireloom.read(chunks, data, batch_rows=30)
    assert table["topic"].to_pylist() == [f"/{n}" for n in range(20) for _ in range(9)]
    assert not engine.available or len(expanded) <= 2 * len(packed)
    agreed(chunks, data, batch_rows=30)


@pytest.mark.slow
def test_what_changes_all_the_time_is_forgotten_when_it_is_not_needed(bag: wireloom.Format) -> None:
    data = b"".join(record(1, b"\1\x09/%d" % n) + record(2, b"\1x") for n in range(2000))
    found = wireloom.read(bag, data, columns=["topic", "unit"], batch_rows=100)
    assert found["topic"].to_pylist() == [f"/{n}" for n in range(2000)]
    agreed(bag, data, batch_rows=77)


def test_columns_give_a_look_up_its_place() -> None:
    made = format_of(SPEC.replace("columns: [channel, text]", "columns: [channel, topic, text]"))
    assert wireloom.read(made, DATA).column_names == ["channel", "topic", "text", "unit", "note"]
    with pytest.raises(wireloom.SpecError, match="the column 'topic' already exists"):
        format_of(SPEC.replace("columns: [channel, text]", "columns: [channel, topic, topic]"))


def test_what_is_remembered_is_bounded(bag: wireloom.Format, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"".join(record(1, bytes([n, 9]) + b"/%d" % n) for n in range(10)) + record(2, b"\0a") + record(2, b"\x09b")
    assert wireloom.read(bag, data)["topic"].to_pylist() == ["/0", "/9"]
    monkeypatch.setattr(look_ups, "MOST_KEYS", 5)
    assert wireloom.read(bag, data)["topic"].to_pylist() == [None, "/9"]
    monkeypatch.setattr(look_ups, "MOST_KEYS", 50)
    monkeypatch.setattr(look_ups, "MOST_BYTES", 7)
    assert wireloom.read(bag, data)["topic"].to_pylist() == [None, "/9"]


def test_such_tables_have_no_byte_ranges(bag: wireloom.Format) -> None:
    with pytest.raises(wireloom.WireloomError, match="looked up in earlier rows of other tables"):
        wireloom.read(bag, DATA, byte_range=(3, 9))
    assert wireloom.read(bag, DATA, table="units").num_rows == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("table: channels, key: channel, match: id, value: topic",
         "table: chanels, key: channel, match: id, value: topic",
         "there is no other table 'chanels'.*'channels'"),
        ("match: id, value: topic", "match: ids, value: topic", "the table 'channels' has no column 'ids'.*'id'"),
        ("key: channel, match: id, value: topic", "key: text2, match: id, value: topic",
         "'messages' has no column 'text2'"),
        ("topic: {table", "text: {table", "the column 'text' already exists"),
        ("key: unit_number, match: number, value: name", "key: unit, match: number, value: name", "depends on itself"),
        ("key: channel, match: id, value: topic", "key: channel, match: id", "'value'"),
    ],
)  # fmt: skip
def test_mistakes(old: str, new: str, said: str) -> None:
    with pytest.raises(wireloom.SpecError, match=said) as caught:
        format_of(SPEC.replace(old, new, 1))
    assert "made.ksy:" in str(caught.value)


@pytest.mark.parametrize("options", [{}, {"recover": True}, {"batch_rows": 1}])
def test_a_record_that_is_damaged_as_a_row_ends_no_look_up(bag: wireloom.Format, options: dict[str, Any]) -> None:
    """A message without bytes is damage of the messages, while reading of the channels would end there."""
    declared = [record(1, b"\1\x09/old"), record(2, b"\1zero"), record(2, b""), record(1, b"\1\x09/new")]
    data = b"".join([*declared, record(1, b"\2\x09/two"), record(2, b"\1one"), record(2, b"\2two")])
    table, report = wireloom.read_with_report(bag, data, **options)
    assert table["topic"].to_pylist() == ["/old", "/new", "/two"]
    assert [each.reason for each in report.files[0].damaged] == ["length"]
    agreed(bag, data, **options)


def test_filters_are_about_the_table_that_looks_up() -> None:
    """The engine's predicates name columns by number, and those of the other table are others."""
    path = Path(__file__).parents[2] / "vectors" / "mcap" / "zstd.mcap"
    every = wireloom.read("mcap", path, columns=["topic", "sequence"])
    least = pc.max(every["sequence"]).as_py()
    chosen = wireloom.read("mcap", path, columns=["topic", "sequence"], filter=pc.field("sequence") >= least)
    assert chosen.to_pylist() == [each for each in every.to_pylist() if each["sequence"] >= least]


def test_reading_goes_on_with_look_ups_of_tables_that_look_up() -> None:
    """The reader of such a table has a state of its own: here that of schemas, which channels look up."""
    out = io.BytesIO()
    writer = Writer(out, chunk_size=64)
    writer.start()
    schemas = [writer.register_schema(f"S{number}", "jsonschema", b"{}") for number in range(4)]
    for number in range(8):
        if number < 4:
            writer.register_channel(f"/{number}", "json", schemas[3 - number])
        writer.add_message(1 + number % 4, number, b"x" * 64, number, number)
    writer.finish()
    columns = ["topic", "sequence", "schema_name"]
    rows = list(zip(*wireloom.read("mcap", out.getvalue(), columns=columns).to_pydict().values(), strict=True))
    request = scan_request("mcap", columns=columns, batch_rows=1)
    source = MemoryInput(None, len(out.getvalue()), seekable=True, content=memoryview(out.getvalue()))

    def values(request: Any) -> Any:
        scan = InputScan(request, source, ScanReaders(request))
        for event in scan.events():
            if isinstance(event, Rows):
                arrays = [event.arrays[number].to_pylist() for number in sorted(event.arrays)]
                yield list(zip(*arrays, strict=True)), scan.resume_point

    points = [point for _, point in values(request)]
    for number, point in enumerate(points[:8]):
        left = [row for part, _ in values(replace(request, resume=point)) for row in part]
        assert left == rows[number + 1 :]
