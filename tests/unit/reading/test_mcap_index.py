"""Messages of MCAP by time and topic: chunks without them are not read, by the summary of other writers."""

from __future__ import annotations

import io
import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import wireloom
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.writer import CompressionType, IndexType, Writer
from wireloom.polars import scan_mcap
from wireloom.reading import opening

from tests.examples import examples

COLUMNS = ["channel_id", "topic", "schema_name", "schema_data", "channel_metadata", "log_time", "sequence", "_offset"]
log_time, topic = pc.field("log_time"), pc.field("topic")
FOOTER = 37
"""The size of the footer and the magic bytes after it."""


@pytest.fixture(params=["", "objects"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIRELOOM_ENGINE", request.param)


def at(nanoseconds: int) -> Any:
    return pa.scalar(nanoseconds, pa.timestamp("ns", "UTC"))


def log(
    seed: int = 0,
    messages: int = 300,
    size: int = 500,
    kind: Any = CompressionType.ZSTD,
    content: int = 60,
    **how: Any,
) -> tuple[bytes, list[int]]:
    """Return a log of messages on a growing number of channels, with attachments and metadata between its chunks, and
    the times of the messages, which are not in order."""
    numbers, out, times, channels = random.Random(seed), io.BytesIO(), [0], list[int]()
    writer = Writer(out, chunk_size=size, compression=kind, **how)
    writer.start()
    for number in range(messages):
        if not channels or numbers.random() < 0.01:
            schema = writer.register_schema(f"S{len(channels) // 2}", "jsonschema", b"{}" * (1 + len(channels) // 2))
            name = f"/t{len(channels)}"
            channels.append(writer.register_channel(name, "json", schema, {"name": name}))
        if numbers.random() < 0.02:
            writer.add_attachment(number, number, "a", "text/plain", b"abc")
            writer.add_metadata("m", {"a": "b"})
        times.append(max(0, times[-1] + numbers.randint(-30, 50)))
        message = numbers.randbytes(numbers.randint(0, content))
        writer.add_message(numbers.choice(channels), times[-1], message, times[-1], number)
    writer.finish()
    return out.getvalue(), times[1:] or [0]


def read(data: bytes | Path, condition: Any, **how: Any) -> tuple[pa.Table, Any]:
    table, report = wireloom.read_with_report("mcap", data, **{"columns": COLUMNS} | how, filter=condition)
    return table, report.files[0]


def whole(data: bytes, condition: Any, names: list[str] = COLUMNS) -> pa.Table:
    return wireloom.read("mcap", data, columns=COLUMNS).filter(condition).select(names)


HOW = st.fixed_dictionaries(
    {"kind": st.sampled_from(list(CompressionType))},
    optional={
        "index_types": st.sampled_from([IndexType.CHUNK, IndexType.MESSAGE, IndexType.CHUNK | IndexType.MESSAGE]),
        "repeat_channels": st.booleans(),
        "repeat_schemas": st.booleans(),
        "use_statistics": st.booleans(),
        "use_chunking": st.booleans(),
        "enable_crcs": st.booleans(),
    },
)


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 50), st.integers(0, 200), st.sampled_from([50, 400, 3000]), HOW, st.data())
def test_rows_are_those_of_the_whole_file(seed: int, messages: int, size: int, how: Any, drawn: Any) -> None:
    data, times = log(seed, messages, size, **how)
    near = st.sampled_from(times).flatmap(lambda time: st.sampled_from([time - 1, time, time + 1]))
    first, last = at(drawn.draw(near)), at(drawn.draw(near))
    of_time = [
        log_time >= first,
        (log_time >= first) & (log_time < last),
        log_time.isin([first, last]),
        ~(log_time < last),
        log_time != first,
    ]
    of_topic = [topic == "/t1", topic.isin(["/t0", "/t2"]), pc.field("channel_id") == 2, pc.starts_with(topic, "/t1")]
    condition = drawn.draw(st.sampled_from([*of_time, *of_topic]))
    if drawn.draw(st.booleans()):
        condition &= drawn.draw(st.sampled_from([*of_topic, topic.is_null(), log_time.is_valid()]))
    names = drawn.draw(st.lists(st.sampled_from(COLUMNS), min_size=1, unique=True))
    found, report = read(data, condition, columns=names)
    assert found.equals(whole(data, condition, names))
    assert report.clean


@pytest.mark.usefixtures("reader")
def test_chunks_without_messages_of_a_time_are_not_read() -> None:
    data, times = log()
    condition = (log_time >= at(times[150])) & (log_time < at(times[170]))
    found, report = read(data, condition)
    assert found.equals(whole(data, condition))
    assert found.num_rows
    assert report.rows < 100
    assert {each.reason for each in report.skipped} == {"filtered"}
    assert report.skipped_bytes == sum(each.length for each in report.skipped) > len(data) / 2
    assert (report.tail, report.tail_offset, report.clean) == ("clean", len(data), True)
    nothing, report = read(data, log_time < at(0))
    assert (nothing.num_rows, report.rows, report.foreign) == (0, 0, False)


@pytest.mark.usefixtures("reader")
def test_chunks_without_messages_of_a_topic_are_not_read() -> None:
    data, _ = log(seed=3)
    for condition in (topic == "/t2", topic.isin(["/t2", "/t9"]), (pc.field("channel_id") == 3) & (log_time >= at(0))):
        found, report = read(data, condition)
        assert found.equals(whole(data, condition))
        assert found.num_rows
        assert report.skipped_bytes
    # Not known from the summary, or about other columns too.
    for condition in (pc.field("schema_name") == "S1", (topic == "/t2") | (pc.field("sequence") < 9)):
        found, report = read(data, condition)
        assert found.equals(whole(data, condition))
        assert not report.skipped_bytes


def test_chunks_larger_than_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "CHUNK", 4096)
    data, times = log(messages=400, size=30_000, kind=CompressionType.NONE, content=2000)
    for place in (0, 200, 399):
        condition = log_time == at(times[place])
        found, report = read(data, condition)
        assert found.equals(whole(data, condition))
        assert len(data) - report.skipped_bytes < 110_000


def test_channels_and_schemas_of_chunks_that_are_not_read() -> None:
    data, times = log(seed=3)
    found, report = read(data, log_time > at(max(times[:-1]) - 20))
    assert report.skipped[0].offset < 200
    assert found["topic"].null_count == found["schema_data"].null_count == found["channel_metadata"].null_count == 0
    plain, _ = log(seed=3, repeat_channels=False)
    again, report = read(plain, log_time > at(max(times[:-1]) - 20))
    assert not report.skipped_bytes
    assert again.drop_columns("_offset").equals(found.drop_columns("_offset"))


def with_checksum(data: bytearray, start: int) -> bytes:
    data[-12:-8] = struct.pack("<I", zlib.crc32(data[start:-12]))
    return bytes(data)


def test_a_summary_that_cannot_be_trusted() -> None:
    data, times = log()
    condition = log_time > at(times[280])
    (start,) = struct.unpack_from("<Q", data, len(data) - FOOTER + 9)
    changed, unknown, broken = bytearray(data), bytearray(data), bytearray(data)
    changed[start + 20] ^= 1
    unknown[-12:-8] = bytes(4)
    broken[start + 1] ^= 0x80
    for each in (changed, unknown, with_checksum(broken, start), data[: len(data) - 30], data[:-1] + b"?"):
        found, report = read(bytes(each), condition)
        assert found.equals(whole(bytes(each), condition))
        assert not report.skipped_bytes


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 5), st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(0, 255)), min_size=1, max_size=3))
def test_a_summary_that_lies(seed: int, changes: list[tuple[int, int]]) -> None:
    """It may hide messages, and nothing else."""
    data, times = log(seed, size=300)
    (start,) = struct.unpack_from("<Q", data, len(data) - FOOTER + 9)
    changed = bytearray(data)
    for place, value in changes:
        changed[start + place % (len(data) - start - FOOTER)] = value
    lying = with_checksum(changed, start)
    condition = (log_time >= at(times[100])) & (log_time <= at(times[110]))
    found, _ = read(lying, condition, columns=["_offset", "log_time", "sequence"])
    wanted = whole(lying, condition, ["_offset", "log_time", "sequence"])
    assert set(map(str, found.to_pylist())) <= set(map(str, wanted.to_pylist()))
    assert found["sequence"].to_pylist() == sorted(set(found["sequence"].to_pylist()))


def chunks(data: bytes) -> list[tuple[int, int]]:
    """Return the offsets and lengths of the bodies of chunks."""
    table = wireloom.read("mcap", data, table="records", columns=["opcode", "len_body", "_offset"])
    rows = table.filter(pc.field("opcode") == "chunk").to_pylist()
    return [(each["_offset"], each["len_body"]) for each in rows]


@pytest.mark.usefixtures("reader")
def test_damage_in_parts_that_are_not_read() -> None:
    data, times = log()
    places = chunks(data)
    damaged = bytearray(data)
    for begin, length in (places[0], places[-1]):
        damaged[begin + length - 1] ^= 1
    condition = (log_time >= at(times[150])) & (log_time < at(times[160]))
    found, report = read(bytes(damaged), condition)
    assert found.equals(whole(data, condition))
    assert report.clean
    with pytest.raises(wireloom.DamagedInputError, match=r"codec|checksum"):
        read(bytes(damaged), condition, mode="failfast")
    assert read(data, condition, mode="failfast")[1].skipped == []
    # A chunk that is read, between parts that are not.
    skipped = [range(each.offset, each.offset + each.length) for each in report.skipped]
    begin, length = next(each for each in places if not any(each[0] in part for part in skipped))
    before = bytearray(data)
    before[begin + length - 1] ^= 1
    _, report = read(bytes(before), condition)
    assert [(each.offset, each.length) for each in report.damaged] == [(begin, length + 9)]
    assert report.skipped_bytes


def test_a_damaged_length_before_a_part_that_is_not_read() -> None:
    data, times = log(size=300)
    condition = (log_time >= at(times[150])) & (log_time < at(times[160]))
    _, report = read(data, condition)
    first = report.skipped[0]
    damaged = bytearray(data)
    damaged[first.offset + first.length + 1] ^= 0xFF
    for recover in (False, True):
        found, report = read(bytes(damaged), condition, recover=recover)
        assert found.equals(whole(bytes(damaged), condition) if not recover else found)
        every = wireloom.read("mcap", bytes(damaged), columns=COLUMNS, recover=recover)
        assert found.equals(every.filter(condition))
        assert report.damaged or report.tail != "clean"


SOURCES: list[Callable[[Path], Any]] = [lambda path: path, lambda path: path.read_bytes(), lambda path: [path, path]]


@pytest.mark.parametrize("source", SOURCES)
def test_sources_and_tools(source: Callable[[Path], Any], tmp_path: Path) -> None:
    data, times = log(messages=2000)
    path = tmp_path / "a.mcap"
    path.write_bytes(data)
    given, condition = source(path), log_time >= at(times[1900])
    wanted = whole(data, condition, ["log_time"]).num_rows * (2 if isinstance(given, list) else 1)
    assert wireloom.read("mcap", given, filter=condition).num_rows == wanted
    assert wireloom.read("mcap", given, filter=condition, threads=2).num_rows == wanted
    assert wireloom.dataset("mcap", given).count_rows(filter=condition) == wanted
    ahead = polars.lit(times[1900]).cast(polars.Datetime("ns", "UTC"))
    lazy = scan_mcap(given).filter(polars.col("log_time") >= ahead).select("topic")
    assert lazy.collect().height == wanted


def test_files_of_this_library(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    channel = {"id": 1, "topic": "/a", "message_encoding": "json", "schema_id": 0, "metadata": {}}
    rows = [
        {"channel_id": 1, "sequence": number, "log_time": number, "publish_time": 0, "data": b"x" * 100}
        for number in range(1000)
    ]
    wireloom.write("mcap", [each | {"topic": channel["topic"]} for each in rows], path, unit_rows=100)
    found, report = read(path, (log_time >= at(450)) & (log_time < at(455)))
    assert (found["sequence"].to_pylist(), report.rows, len(report.skipped)) == (list(range(450, 455)), 100, 2)


def test_decoded_messages(tmp_path: Path) -> None:
    data, times = log(messages=500)
    path = tmp_path / "inner.ksy"
    path.write_text(
        "meta: {id: inner, -wireloom: {rows: items}}\nseq: [{id: items, type: item, repeat: eos}]\n"
        "types: {item: {seq: [{id: byte, type: u1}]}}\n"
    )
    condition = log_time >= at(times[450])
    how: dict[str, Any] = {"columns": ["topic", "log_time", "data"], "decode": f"data:{path}"}
    found, report = read(data, condition, **how)
    assert report.skipped_bytes
    assert found.equals(wireloom.read("mcap", data, **how).filter(condition))


def test_a_stream_is_read_to_its_end() -> None:
    data, times = log()
    condition = log_time > at(times[280])
    found, report = read(io.BytesIO(data), condition)  # type: ignore[arg-type]
    assert found.equals(whole(data, condition))
    assert not report.skipped_bytes
    with wireloom.scan("mcap", data, filter=condition, byte_range=(0, len(data)), columns=["log_time"]) as scanner:
        assert scanner.read_all().num_rows == found.num_rows
    assert not scanner.report.files[0].skipped_bytes
