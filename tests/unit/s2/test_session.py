"""Sessions in files: every stream of the vectors as a table, damage, the report, and writing."""

import json
import os
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
import wireloom.engine
import wireloom.s2 as s2
from hypothesis import given
from hypothesis import strategies as st
from kaitaistruct import ValidationGreaterThanError
from wireloom.formats.s2_session.parser import S2Session
from wireloom.s2 import SessionFraming, runs

from .cases import KINDS, identity, vectors
from .executions import execution  # noqa: F401

MALFORMED = [row for row in vectors("malformed") if row["layer"] in ("frame", "compression", "proto")]
STREAMS = [*vectors("frames"), *vectors("terminal"), *MALFORMED]


def read(data: bytes, message: str = "read_batch", **options: Any) -> tuple[pa.Table, dict[str, Any]]:
    table, report = wireloom.read_with_report("s2_session", data, message=message, **options, check_format=False)
    [file] = report.to_dict()["files"]
    return table, file


def batch(numbers: range, size: int = 10, tail: int | None = None) -> bytes:
    """Return a batch of records whose bodies are their numbers, as a message."""
    records = [s2.SequencedRecord(seq_num=each, timestamp=5, body=(b"%d " % each) * size) for each in numbers]
    return s2.ReadBatch(records=records, tail=None if tail is None else s2.StreamPosition(seq_num=tail)).to_bytes()


def rows_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the expected rows of a message of the vectors, without commands."""
    if "records" not in message:
        return [message]
    above = {name: message[name] for name in ("match_seq_num", "fencing_token") if name in message}
    return [
        {
            **record,
            "headers": [
                {"name": bytes.fromhex(name), "value": bytes.fromhex(value)} for name, value in record["headers"]
            ],
            "body": bytes.fromhex(record["body"]),
            "command": None,
            **above,
        }
        for record in message["records"]
    ]


@pytest.mark.usefixtures("execution")
def test_every_stream_as_a_table(subtests: pytest.Subtests) -> None:
    for row in STREAMS:
        with subtests.test(identity(row)):
            table, file = read(bytes.fromhex(row["hex"]), KINDS[row["type"]])
            messages = [each["message"] for each in row["expect"] if "message" in each]
            count = sum(each.get("records", 0) for each in row["expect"])
            expected = [each for message in messages for each in rows_of(message)]
            assert table.num_rows == count + len(expected) == file["rows"]
            if not count:
                assert table.to_pylist() == expected
            bad = [each for each in row["expect"] if "frame_error" in each or "payload_error" in each]
            lost = file["tail"] == "invalid_length"
            assert len(file["damaged"]) == len(bad) - lost
            if not lost:
                assert file["tail"] == ("truncated" if row["leftover_bytes"] else "clean")
            terminals = [each["terminal"] for each in row["expect"] if "terminal" in each]
            assert file["terminal"] == (terminals[0] if terminals else None)
            assert (
                file["reconnect_advised"] == any(each.get("reconnect_advised") for each in row["expect"]) or count > 0
            )
            if row["type"] == "ReadBatch" and not bad:
                assert file["heartbeats"] == sum(not message["records"] for message in messages)
                assert [{key: tail[key] for key in ("seq_num", "timestamp")} for tail in file["tails"]] == [
                    message["tail"] for message in messages if message["tail"]
                ]


@pytest.mark.slow
@pytest.mark.parametrize("compression", s2.COMPRESSIONS)
@pytest.mark.parametrize("size", [1, 100, 3000])
@pytest.mark.usefixtures("execution")
def test_a_long_session_from_memory_and_from_a_file(compression: str, size: int, tmp_path: Path) -> None:
    count = 40 if size == 3000 else 120
    frames = [s2.encode_frame(batch(range(at * 10, at * 10 + 10), size), compression) for at in range(count)]
    (tmp_path / "session").write_bytes(b"".join(frames))
    for source in (b"".join(frames), tmp_path / "session"):
        table, report = wireloom.read_with_report("s2_session", source, columns=["seq_num", "body", "_offset"])
        assert report.clean
        assert table["seq_num"].to_pylist() == list(range(count * 10))
        assert table["body"].to_pylist() == [(b"%d " % each) * size for each in range(count * 10)]
        offsets = [0]
        for frame in frames:
            offsets.append(offsets[-1] + len(frame))
        assert table["_offset"].to_pylist() == [offset for offset in offsets[:-1] for _ in range(10)]
        assert report.to_dict()["files"][0]["gaps"] == []


@pytest.mark.slow
@pytest.mark.usefixtures("execution")
def test_compressed_and_other_frames_in_turn() -> None:
    randomness = random.Random(3)
    stream, expected, number = [], [], 0
    for _ in range(300):
        size, compression = randomness.choice([0, 1, 30, 400]), randomness.choice(s2.COMPRESSIONS)
        numbers = range(number, number + randomness.randrange(1, 40)) if size else range(number, number)
        stream.append(s2.encode_frame(batch(numbers, size, tail=numbers.stop), compression))
        expected += numbers
        number = numbers.stop
    table, file = read(b"".join(stream))
    assert table["seq_num"].to_pylist() == expected
    assert file["gaps"] == []
    assert len(file["tails"]) == 300
    assert file["last_tail"]["seq_num"] == number


@pytest.mark.parametrize("compression", s2.COMPRESSIONS)
@pytest.mark.usefixtures("execution")
def test_damage_costs_its_frame(compression: str) -> None:
    frames = [s2.encode_frame(batch(range(at * 10, at * 10 + 10), 200), compression) for at in range(5)]
    hurt = bytearray(frames[2])
    hurt[-1 if compression == "gzip" else len(hurt) // 2] ^= 0xFF
    if compression == "none":
        hurt[4:6] = b"\x0a\xff"
    begin = sum(map(len, frames[:2]))
    data = b"".join([*frames[:2], bytes(hurt), *frames[3:]])
    table, file = read(data, columns=["seq_num", "_error", "_corrupt_record"])
    assert [each.as_py() for each in table["seq_num"]] == [*range(20), None, *range(30, 50)]
    assert [entry[:2] for entry in file["damaged"]] == [[begin, len(hurt)]]
    assert file["damaged"][0][2] == ("message" if compression == "none" else "codec")
    assert table["_corrupt_record"].to_pylist()[20] == bytes(hurt)
    assert file["gaps"] == [{"offset": begin + len(hurt), "expected": 20, "found": 30}]
    with pytest.raises(wireloom.DamagedInputError) as caught:
        read(data, mode="failfast")
    assert caught.value.offset == begin


@pytest.mark.usefixtures("execution")
def test_gaps_tails_and_heartbeats() -> None:
    messages = [
        batch(range(5, 8)),
        batch(range(10, 12), tail=20),
        batch(range(0), tail=20),
        batch(range(20, 22)),
        batch(range(0)),
        batch(range(23, 24)),
    ]
    frames = [s2.encode_frame(each) for each in messages]
    offsets = [sum(map(len, frames[:number])) for number in range(len(frames))]
    _, file = read(b"".join(frames), columns=["body"])
    assert file["heartbeats"] == 2
    assert file["gaps"] == [
        {"offset": offsets[1], "expected": 8, "found": 10},
        # The heartbeat's tail: 12 to 19 are missing, though no record has shown it.
        {"offset": offsets[2], "expected": 12, "found": 20},
        {"offset": offsets[5], "expected": 22, "found": 23},
    ]
    assert file["tails"] == [
        {"offset": offsets[1], "seq_num": 20, "timestamp": 0},
        {"offset": offsets[2], "seq_num": 20, "timestamp": 0},
    ]
    assert file["last_tail"] == file["tails"][-1]


@pytest.mark.usefixtures("execution")
def test_a_gap_that_ends_at_the_tail() -> None:
    """Only heartbeats show it, among records and if none follow; each gap is reported once."""
    tails = [batch(range(0), tail=number) for number in (4000, 4000, 8001, 8001)]
    messages = [*tails, batch(range(8001, 8003)), batch(range(0), tail=8003), batch(range(0), tail=9000)]
    frames = [s2.encode_frame(each) for each in messages]
    offsets = [sum(map(len, frames[:number])) for number in range(len(frames))]
    for columns in (["seq_num"], ["seq_num", "_error"]):
        _, file = read(b"".join(frames), columns=columns)
        assert file["gaps"] == [
            {"offset": offsets[2], "expected": 4000, "found": 8001},
            {"offset": offsets[6], "expected": 8003, "found": 9000},
        ]
    damaged = s2.encode_frame(b"\x0a\xff")
    _, file = read(frames[0] + damaged + frames[2] + frames[4], columns=["seq_num", "_error"])
    assert [(gap["expected"], gap["found"]) for gap in file["gaps"]] == [(4000, 8001)]


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3), st.booleans()), max_size=25))
def test_gaps_are_those_of_one_number_after_another(given_batches: list[tuple[int, int, bool]]) -> None:
    stream, expected, following = [], [], None
    for first, count, has_tail in given_batches:
        numbers = range(first, first + count)
        found = [*numbers] or ([first] if has_tail else [])
        for number in found:
            if following not in (None, number):
                expected.append((following, number))
            following = number if not count else number + 1
        stream.append(s2.encode_frame(batch(numbers, tail=first if has_tail else None)))
    _, file = read(b"".join(stream))
    assert [(gap["expected"], gap["found"]) for gap in file["gaps"]] == expected


@pytest.mark.slow
@pytest.mark.usefixtures("execution")
def test_facts_are_bounded() -> None:
    data = s2.encode_frame(batch(range(0, 4000, 2))) + s2.encode_frame(batch(range(0), tail=1)) * 1500
    _, file = read(data)
    # 1999 between the records, and the first heartbeat, whose tail lies after.
    assert (len(file["gaps"]), file["unlisted_gaps"]) == (1000, 1000)
    assert (len(file["tails"]), file["unlisted_tails"]) == (1000, 500)


@pytest.mark.usefixtures("execution")
def test_nothing_after_a_terminal_frame_is_read() -> None:
    good = s2.encode_frame(batch(range(3)))
    data = good + s2.encode_terminal(s2.Terminal(503, '{"code":"unavailable","message":"m"}')) + b"\0\0\0"
    table, file = read(data)
    assert table.num_rows == 3
    assert file["terminal"] == {"status": 503, "body": '{"code":"unavailable","message":"m"}'}
    assert (file["tail"], file["tail_offset"], file["damaged"]) == ("clean", len(data) - 3, [])


@pytest.mark.parametrize(("length", "size"), [(0, 3), (2_097_153, 3), (0xFFFFFF, 3)])
@pytest.mark.usefixtures("execution")
def test_a_length_that_no_frame_has_ends_the_reading(length: int, size: int) -> None:
    good = s2.encode_frame(batch(range(3)))
    data = good + length.to_bytes(3, "big") + good
    table, file = read(data)
    assert table.num_rows == 3
    assert (file["tail"], file["tail_offset"]) == ("invalid_length", len(good))
    assert str(length) in file["error"]
    with pytest.raises(wireloom.WireloomError) as caught:
        read(data, mode="failfast")
    # The next frame is not searched for.
    assert "recover" not in str(caught.value)


@pytest.mark.parametrize("cut", [1, 2, 3, 4, 10])
@pytest.mark.usefixtures("execution")
def test_a_session_that_was_cut(cut: int) -> None:
    good = s2.encode_frame(batch(range(3)))
    table, file = read(good + good[:cut])
    assert table.num_rows == 3
    assert (file["tail"], file["tail_offset"], file["tail_size"]) == ("truncated", len(good), cut)
    with pytest.raises(wireloom.WireloomError, match=f"{cut} bytes are present") as caught:
        read(good + good[:cut], mode="failfast")
    assert (caught.value.offset, caught.value.reason) == (len(good), "truncated")


@pytest.mark.usefixtures("execution")
def test_messages_above_the_largest_record() -> None:
    small, large = s2.encode_frame(batch(range(1))), s2.encode_frame(batch(range(1, 2), 2000), "zstd")
    table, file = read(small + large + small, max_record=1000)
    assert table.num_rows == 2
    assert file["damaged"] == [[len(small), len(large), "limit"]]


def test_frames_as_objects() -> None:
    small = s2.ReadBatch(records=[s2.SequencedRecord(seq_num=7, body=b"x")])
    data = s2.encode_frame(small.to_bytes(), reconnect_advised=True) + s2.encode_frame(batch(range(9), 500), "zstd")
    data += s2.encode_terminal(s2.Terminal(503, "{}"))
    session = S2Session.from_bytes(data)
    first, second, last = session.frames
    assert (first.reconnect_advised, first.message) == (True, small)
    assert (second.compression, len(second.message)) == (S2Session.Compression.zstd, second.length - 1)
    assert (last.is_terminal, last.terminal.status, last.terminal.body) == (True, 503, "{}")
    assert session.to_bytes() == data
    with pytest.raises(ValidationGreaterThanError):
        S2Session.from_bytes(b"\x20\0\1\0")


def drive(data: bytes, sizes: list[int]) -> tuple[list[bytes], dict[str, Any], str]:
    """Return the results of a framing whose window grows by those sizes."""
    from wireloom.format import registry

    framing = SessionFraming(registry.get("s2_session"), max_record=2_097_152)
    units: list[bytes] = []
    begin, end = 0, 0
    for size in [*sizes, len(data)]:
        end = min(end + size, len(data))
        while True:
            # A window's memory is reused: results must not refer to it later.
            memory = bytearray(data[begin:end])
            taken = framing.take(memoryview(memory), begin, end == len(data))
            units += [
                bytes(memoryview(taken.source)[at : at + size])
                for at, size in zip(taken.begins, taken.sizes, strict=True)
            ]
            memory[:] = bytes(len(memory))
            begin += taken.consumed
            if taken.ended:
                return units, dict(framing.facts()), taken.ended
            if not taken.consumed:
                break
    raise AssertionError("it does not end")


messages = st.lists(
    st.tuples(st.binary(max_size=1500) | st.builds(lambda size: b"x" * size, st.integers(0, 80_000)), st.booleans()),
    max_size=12,
)


@given(messages, st.sampled_from(s2.COMPRESSIONS), st.lists(st.integers(0, 3000), max_size=10))
def test_any_window_gives_the_same_units(found: list[tuple[bytes, bool]], compression: str, sizes: list[int]) -> None:
    data = b"".join(s2.encode_frame(each, compression if squeezed else "none") for each, squeezed in found)
    units, facts, ended = drive(data, sizes)
    assert units == [each for each, _ in found]
    assert ended == "clean"
    assert not facts["reconnect_advised"]


@given(messages, st.sampled_from(s2.COMPRESSIONS), st.data())
def test_damage_loses_no_message_before_it(
    found: list[tuple[bytes, bool]], compression: str, data: st.DataObject
) -> None:
    frames = [s2.encode_frame(each, compression if squeezed else "none") for each, squeezed in found]
    stream = bytearray(b"".join(frames) + b"\0")
    place = data.draw(st.integers(0, len(stream) - 1))
    stream[place] ^= data.draw(st.integers(1, 255))
    whole = sum(sum(map(len, frames[: number + 1])) <= place for number in range(len(frames)))
    units, _, _ = drive(bytes(stream), data.draw(st.lists(st.integers(0, 3000), max_size=4)))
    assert units[:whole] == [each for each, _ in found[:whole]]


@pytest.mark.slow
@given(messages, st.sampled_from(s2.COMPRESSIONS), st.data())
def test_damage_anywhere_is_reported_the_same_by_both(
    found: list[tuple[bytes, bool]], compression: str, data: st.DataObject
) -> None:
    batches = [batch(range(at, at + len(each) % 50), tail=at) for at, (each, _) in enumerate(found)]
    stream = bytearray(b"".join(s2.encode_frame(each, compression) for each in batches) + b"\0\0\5\0\x0a\2\x12\7")
    for _ in range(data.draw(st.integers(0, 3))):
        stream[data.draw(st.integers(0, len(stream) - 1))] ^= data.draw(st.integers(1, 255))
    outcomes = []
    for available in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(wireloom.engine, "available", available)
            table, file = read(bytes(stream), columns=["seq_num", "body", "command", "_offset", "_error"])
        errors = [each and each.partition(":")[0] for each in table["_error"].to_pylist()]
        file.pop("error", None)
        outcomes.append((table.drop(["_error"]), errors, file))
    assert outcomes[0] == outcomes[1]


def large_session(compression: str) -> tuple[bytes, list[int], list[list[Any]]]:
    """Return batches whose compressed bodies are large enough for threads, heartbeats between them, and damage: the
    bytes, the numbers of the records that can be read, and the damaged ranges."""
    randomness = random.Random(11)
    stream, numbers, damaged = bytearray(), [], []
    for number in range(60):
        body = randomness.randbytes(randomness.choice([100, 30_000, 300_000]))
        made = s2.ReadBatch(records=[s2.SequencedRecord(seq_num=number, body=body + bytes(1_000_000))])
        frame = bytearray(s2.encode_frame(made.to_bytes(), compression))
        if number in (7, 30):
            frame[-1:] = b""
            frame[:3] = (len(frame) - 3).to_bytes(3, "big")
            damaged.append([len(stream), len(frame), "codec"])
        else:
            numbers.append(number)
        stream += frame
        if number % 3 == 0:
            stream += s2.encode_frame(batch(range(0), tail=number + 1))
    return bytes(stream), numbers, damaged


@pytest.mark.slow
@pytest.mark.parametrize("compression", ["zstd", pytest.param("gzip", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("processors", [1, 2])
def test_threads_change_nothing(
    processors: int, compression: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "processors", lambda: processors)
    data, numbers, damaged = large_session(compression)
    (tmp_path / "session").write_bytes(data)
    for source in (data, tmp_path / "session"):
        with wireloom.scan("s2_session", source, columns=["seq_num", "body"]) as scanner:
            found = [number for each in scanner for number in each["seq_num"].to_pylist()]
        assert found == numbers
        [file] = scanner.report.to_dict()["files"]
        assert file["damaged"] == damaged
        assert (file["tail"], file["heartbeats"]) == ("clean", 20)


def test_a_process_that_was_forked_has_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "processors", lambda: 2)
    data, _, _ = large_session("zstd")
    view, slots = memoryview(data), runs.Slots()
    run = runs.find_run(view, 0)
    run.begin_ahead(view, slots)
    there = run.contents(view, slots)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert run.contents(view, slots) == there


def test_reports_are_json() -> None:
    _, report = wireloom.read_with_report("s2_session", s2.encode_frame(batch(range(2), tail=5)))
    assert json.loads(json.dumps(report.to_dict())) == report.to_dict()
