"""Streams that are cut into containers, without regard to the rows in them."""

from __future__ import annotations

import gzip
import random
import struct
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import wireloom
from hypothesis import given
from hypothesis import strategies as st
from wireloom import DamagedInputError, UnsupportedError, WrongFormatError
from wireloom.base.dataclass import dataclass
from wireloom.reading import containers as module

from ..specs import format_of
from .running import ROW_READERS, read

SPEC = """
meta:
  id: cut
  endian: le
  -wireloom:
    tables:
      notes:
        rows: containers.data.as<log>.notes
        columns: [number, text]
        parent-columns: [version]
      containers:
        rows: containers
        columns: [kind, data]
        where: kind < 3
        stream: data
seq:
  - {id: magic, contents: CUT}
  - {id: containers, type: container, repeat: eos}
types:
  container:
    seq:
      - {id: magic, contents: '<<'}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [kind, data]}}}
      - {id: kind, type: u1}
      - {id: len, type: u4}
      - {id: data, size: len, -wireloom: {codec: {switch-on: kind, cases: {0: none, 1: zlib, 3: none}}}}
  log:
    seq:
      - {id: version, type: u2}
      - {id: notes, type: note, repeat: eos}
  note:
    seq:
      - {id: magic, contents: [0x9e, 0x11]}
      - {id: number, type: u4}
      - {id: len, type: u1}
      - {id: text, size: len, type: str, encoding: ASCII}
      - {id: end, contents: [0x0a]}
"""
COLUMNS = ["_offset", "version", "number", "text"]


def container(content: bytes, kind: int = 1, length: int | None = None) -> bytes:
    data = zlib.compress(content) if kind == 1 else content
    covered = bytes([kind]) + struct.pack("<I", len(data) if length is None else length) + data
    return b"<<" + struct.pack("<I", zlib.crc32(covered)) + covered


def note(number: int, text: str) -> bytes:
    return b"\x9e\x11" + struct.pack("<IB", number, len(text)) + text.encode() + b"\n"


@dataclass
class Cut:
    """A file whose stream is cut at places of it."""

    data: bytes
    rows: list[dict[str, Any]]
    containers: list[tuple[int, int]]
    """The bytes of each container in the file."""
    touched: list[set[int]]
    """The containers that each row is in."""
    head: set[int]
    """The containers up to the end of the bytes before the rows, without which none can be read."""


def cut(texts: list[str], cuts: list[int], kinds: list[int]) -> Cut:
    """Return a file of notes, cut at places modulo the size of the stream. A kind of 3 puts another container there."""
    notes = [note(number, text) for number, text in enumerate(texts)]
    joined = struct.pack("<H", 7) + b"".join(notes)
    bounds = [0, *sorted(each % (len(joined) + 1) for each in cuts), len(joined)]
    data, places, held = b"CUT", list[tuple[int, int]](), list[tuple[int, int]]()
    for number, (begin, end) in enumerate(pairwise(bounds)):
        kind = kinds[number % len(kinds)]
        if kind == 3:
            data += container(b"something else", 3)
        made = container(joined[begin:end], kind % 3)
        places.append((len(data), len(data) + len(made)))
        held.append((begin, end))
        data += made
    at, rows, touched = 2, list[dict[str, Any]](), list[set[int]]()

    def there(begin: int, end: int) -> set[int]:
        return {index for index, (first, last) in enumerate(held) if first < end and begin < last}

    for number, (text, each) in enumerate(zip(texts, notes, strict=True)):
        end = at + len(each)
        touched.append(there(at, end))
        rows.append({"_offset": places[min(touched[-1])][0], "version": 7, "number": number, "text": text})
        at = end
    return Cut(data, rows, places, touched, set(range(max(there(0, 2)) + 1)))


TEXTS = st.lists(st.text("abc", max_size=40), max_size=12)
CUTS = st.lists(st.integers(0, 10_000), max_size=8)
KINDS = st.lists(st.sampled_from([0, 1, 3]), min_size=1, max_size=4)


def some_file() -> Cut:
    return cut([f"note {number} " * (number % 5) for number in range(40)], list(range(0, 1400, 97)), [1, 0, 3])


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_rows_continue_across_containers(row_reader: str) -> None:
    @given(TEXTS, CUTS, KINDS, st.sampled_from([None, 16, 100]))
    def check(texts: list[str], cuts: list[int], kinds: list[int], chunk: int | None) -> None:
        made = cut(texts, cuts, kinds)
        table, file = read(row_reader, format_of(SPEC), made.data, columns=COLUMNS, chunk=chunk, streamed=True)
        assert table.to_pylist() == made.rows
        assert (file["tail"], file["damaged"], file["bytes"]) == ("clean", [], len(made.data))

    check()


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_damage_costs_the_rows_that_touch_it(row_reader: str) -> None:
    @given(TEXTS, CUTS, KINDS, st.data())
    def check(texts: list[str], cuts: list[int], kinds: list[int], data: Any) -> None:
        made = cut(texts, cuts, kinds)
        number = data.draw(st.integers(0, len(made.containers) - 1))
        begin, end = made.containers[number]
        place = data.draw(st.integers(begin, end - 1))
        damaged = bytearray(made.data)
        damaged[place] ^= data.draw(st.integers(1, 255))
        table, file = read(row_reader, format_of(SPEC), bytes(damaged), columns=COLUMNS, recover=True)
        rows = table.to_pylist()
        # A wrong length may happen to end where another container does.
        if number not in made.head and place - begin not in range(7, 11):
            assert rows == [row for row, at in zip(made.rows, made.touched, strict=True) if number not in at], file
        assert all(row in made.rows for row in rows)
        assert covers(file, (begin, end)) or len(rows) == len(made.rows)
        lost = (at for row, at in zip(made.rows, made.touched, strict=True) if row not in rows)
        for each in (index for at in lost for index in at):
            assert covers(file, made.containers[each]), file

    check()


def covers(file: dict[str, Any], part: tuple[int, int]) -> bool:
    """Return whether the report says that bytes have no rows, or not all of them."""
    if file["tail"] != "clean" and file["tail_offset"] < part[1]:
        return True
    return any(begin < part[1] and part[0] < begin + length for begin, length, _ in file["damaged"])


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_truncated_and_growing_files(row_reader: str) -> None:
    made = some_file()
    for size in (*range(40), *range(40, len(made.data), 7)):
        there = {number for number, (_, end) in enumerate(made.containers) if end <= size}
        whole = [row for row, at in zip(made.rows, made.touched, strict=True) if at <= there]
        for tail in ("complete", "growing"):
            table, file = read(row_reader, format_of(SPEC), made.data[:size], columns=COLUMNS, tail=tail)
            assert table.to_pylist() == whole
            assert file["damaged"] == []
            ends = {3, *(end for _, end in made.containers)}
            # A file may end after a row and a container, or after a container of another kind.
            is_whole = file["tail"] == "clean" and (size in ends or made.data[:size].endswith(b"something else"))
            assert is_whole or file["tail"] == ("growing" if tail == "growing" else "truncated"), (size, file)
            begins = [begin for begin, _ in made.containers]
            assert file["tail_offset"] in (0, 3, size, *begins, *ends)
            assert file["tail_offset"] + file["tail_size"] == size


def test_failfast_names_the_container() -> None:
    made = some_file()
    begin, end = made.containers[3]
    damaged = bytearray(made.data)
    damaged[end - 1] ^= 1
    with pytest.raises(DamagedInputError, match="the checksum does not match") as raised:
        wireloom.read(format_of(SPEC), bytes(damaged), mode="failfast")
    assert (raised.value.offset, raised.value.reason) == (begin, "checksum")
    with pytest.raises(DamagedInputError, match="the input ends inside the record"):
        wireloom.read(format_of(SPEC), made.data[:-1], mode="failfast")


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_gap_is_one_range_and_one_row_of_nulls(row_reader: str) -> None:
    made = some_file()
    damaged = bytearray(made.data)
    damaged[made.containers[3][1] - 1] ^= 1
    names = [*COLUMNS, "_error", "_corrupt_record"]
    table, file = read(row_reader, format_of(SPEC), bytes(damaged), columns=names)
    lost = [at for at in made.touched if 3 in at]
    # A range ends where the next container of the stream begins.
    begin, end = made.containers[min(map(min, lost))][0], made.containers[max(map(max, lost)) + 1][0]
    assert file["damaged"] == [[begin, end - begin, "checksum"]]
    assert (file["tail"], file["rows"]) == ("clean", len(made.rows) - len(lost))
    [nulls] = table.filter(pc.is_valid(table["_error"])).to_pylist()
    assert nulls["_error"] == f"checksum: the container at byte {made.containers[3][0]} is damaged"
    assert (nulls["_offset"], nulls["number"]) == (begin, None)
    assert nulls["_corrupt_record"].startswith(b"\x9e\x11")


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_damage_inside_of_the_stream(row_reader: str) -> None:
    """A container whose checksum is right has a row whose length is wrong."""
    notes = [note(1, "one"), note(2, "two").replace(b"\x03two", b"\x04two"), note(3, "three"), note(4, "four")]
    data = b"CUT" + b"".join(map(container, [b"\0\0", *notes]))
    bounds = [len(b"CUT" + b"".join(map(container, [b"\0\0", *notes][:number]))) for number in range(6)]
    for recover, numbers in ((False, [1]), (True, [1, 3, 4])):
        table, file = read(row_reader, format_of(SPEC), data, recover=recover)
        assert table["number"].to_pylist() == numbers
        if recover:
            assert file["damaged"] == [[bounds[2], bounds[3] - bounds[2], file["damaged"][0][2]]]
            assert file["tail"] == "clean"
        else:
            assert (file["tail_offset"], file["tail_size"]) == (bounds[2], len(data) - bounds[2])


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_sizes_that_no_container_has(row_reader: str) -> None:
    made = some_file()
    claims = container(b"", 0, length=0xFFFFFFF0)
    begin = made.containers[5][0]
    data = made.data[:begin] + claims + made.data[begin:]
    table, file = read(row_reader, format_of(SPEC), data, columns=["number"], recover=True)
    assert table["number"].to_pylist() == [
        row["number"] for row, at in zip(made.rows, made.touched, strict=True) if not at & {4} or not at & {5}
    ]
    assert file["tail"] == "clean"
    table, file = read(row_reader, format_of(SPEC), data, columns=["number"])
    assert (file["tail"], file["tail_offset"]) == ("truncated", made.containers[4][0])
    bomb = made.data[:begin] + container(bytes(65 << 20)) + made.data[begin:]
    before = pa.total_allocated_bytes()
    table, file = read(row_reader, format_of(SPEC), bomb, columns=["number"])
    assert [reason for *_, reason in file["damaged"]] == ["limit"]
    assert len(table) >= len(made.rows) - 2
    assert pa.total_allocated_bytes() - before < 64 << 20


@pytest.mark.skipif(not wireloom.engine.available, reason="the engine is not there")
def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """8,000 containers of 64 KiB: 512 MB."""
    monkeypatch.setattr(module, "MOST_PLACES", 10)
    row = note(7, "x" * 247)
    begin, many = container(struct.pack("<H", 1)), container(row * 256)
    before, most, rows = pa.total_allocated_bytes(), 0, 0
    with wireloom.scan(format_of(SPEC), b"CUT" + begin + many * 8000, columns=["_offset", "number"]) as scanner:
        for batch in scanner:
            offsets = batch["_offset"].to_pylist()
            expected = [3 + len(begin) + (rows + each) // 256 * len(many) for each in range(len(offsets))]
            assert offsets == expected
            rows += len(offsets)
            most = max(most, pa.total_allocated_bytes() - before)
    assert rows == 8000 * 256
    assert most < 64 << 20


def test_options(tmp_path: Path) -> None:
    made, format = some_file(), format_of(SPEC)
    with pytest.raises(UnsupportedError, match="in a stream that is cut into containers"):
        wireloom.read(format, made.data, byte_range=(0, 100))
    table, report = wireloom.read_with_report(format, made.data, limit=3)
    assert (table["number"].to_pylist(), report.files[0].tail) == ([0, 1, 2], "unread")
    over = wireloom.read(format, made.data, filter=pc.field("number") > 36, columns=["text"])
    assert over["text"].to_pylist() == [row["text"] for row in made.rows[37:]]
    assert wireloom.read(format, made.data, limit=0).num_rows == 0
    for number in range(5):
        (tmp_path / f"{number}.cut").write_bytes(made.data)
    table, report = wireloom.read_with_report(format, tmp_path, columns=COLUMNS, threads=4)
    assert table.to_pylist() == made.rows * 5
    assert report.clean
    with pytest.raises(wireloom.WireloomError, match="no such file"):
        wireloom.read(format, tmp_path / "missing.cut")
    (tmp_path / "whole.cut.gz").write_bytes(gzip.compress(made.data))
    assert wireloom.read(format, tmp_path / "whole.cut.gz", columns=COLUMNS).to_pylist() == made.rows


def test_other_formats_are_refused() -> None:
    for data in (b"PNG" + random.Random(0).randbytes(5000), b"CUT" + container(b"abcdefgh" * 100)):
        with pytest.raises(WrongFormatError):
            wireloom.read(format_of(SPEC), data)


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_stream_that_is_read_as_a_whole_ends_at_a_gap(row_reader: str) -> None:
    spec = SPEC.replace("repeat: eos}\n  note:", "repeat: expr, repeat-expr: version}\n  note:")
    made = cut(["a"] * 7, [20, 40, 60], [1])
    table, file = read(row_reader, format_of(spec), made.data)
    assert (len(table), file["tail"]) == (7, "clean")
    damaged = bytearray(made.data)
    damaged[made.containers[2][1] - 1] ^= 1
    table, file = read(row_reader, format_of(spec), bytes(damaged))
    assert (len(table), file["tail"]) == (4, "truncated")
    assert file["tail_offset"] + file["tail_size"] == len(made.data)
    assert file["error"] == f"the container at byte {made.containers[2][0]} is damaged"


BEGINS = (
    SPEC.replace("stream: data", "stream: {data: data, begins: begins}")
    .replace("- {id: kind, type: u1}", "- {id: kind, type: u1}\n      - {id: begins, type: u1}")
    .replace("      - {id: version, type: u2}\n", "")
    .replace("        parent-columns: [version]\n", "")
    .replace("- {id: magic, contents: [0x9e, 0x11]}\n      ", "")
)
"""Rows in which a search finds nothing to go by, in containers that say whether a row begins with them."""


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_reading_continues_where_a_container_begins_a_row(row_reader: str) -> None:
    @given(TEXTS, CUTS, st.data())
    def check(texts: list[str], cuts: list[int], data: Any) -> None:
        notes = [note(number, text)[2:] for number, text in enumerate(texts)]
        joined = b"".join(notes)
        starts = [len(b"".join(notes[:number])) for number in range(len(notes))]
        bounds = [0, *sorted(each % (len(joined) + 1) for each in cuts), len(joined)]
        parts = [
            made_with(joined[begin:end], begins=begin in starts and begin < end) for begin, end in pairwise(bounds)
        ]
        lost = data.draw(st.integers(0, len(parts) - 1))
        parts[lost] = parts[lost][:2] + bytes([parts[lost][2] ^ 1]) + parts[lost][3:]
        table, file = read(row_reader, format_of(BEGINS), b"CUT" + b"".join(parts), columns=["_offset", "number"])
        whole = list[int]()
        # Rows are read from the next container on that begins with one.
        again = next((begin for begin, end in pairwise(bounds[lost + 1 :]) if begin in starts and begin < end), None)
        for number, begin in enumerate(starts):
            end = begin + len(notes[number])
            if end <= bounds[lost] or (again is not None and begin >= again):
                whole.append(number)
        assert table["number"].to_pylist() == whole, file
        assert file["tail"] == "clean"
        assert file["damaged"][0][2] in ("checksum", "fragment")

    check()


def made_with(content: bytes, *, begins: bool) -> bytes:
    covered = bytes([0, begins]) + struct.pack("<I", len(content)) + content
    return b"<<" + struct.pack("<I", zlib.crc32(covered)) + covered
