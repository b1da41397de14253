"""Byte ranges of one input read by threads: rows, report and error are those of one thread."""

from __future__ import annotations

import gzip
import io
import random
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from hypothesis import given
from hypothesis import strategies as st
from wireloom import Format, WireloomError, engine
from wireloom.input.expansion import expand
from wireloom.reading import parts, small_file_loading
from wireloom.reading.request import scan_request

from ...campaigns import records as record_logs
from ...campaigns.delimited import checked_record, slip
from ...campaigns.mcap import Mcap
from ...writing import bytes_of
from ..specs import format_of
from .samples import cobs_log, payloads, stuff_cobs, word_log
from .test_markers import MARKERS, SPEC, blocks, written

pytestmark = pytest.mark.skipif(not engine.available, reason="only the engine lets threads read at the same time")
CAMPAIGNS = Path(__file__).parents[2] / "campaigns"


def records(source: random.Random) -> list[bytes]:
    """Return payloads of which some are longer than several byte ranges."""
    made = payloads(source.randrange(1, 40), source.randrange(1000), source.choice((3, 40, 120)))
    return [each * source.choice((1, 1, 1, 1, 12)) for each in made]


def framed(stuff: Callable[[bytes], bytes], delimiter: bytes) -> Callable[[random.Random], bytes]:
    def made(source: random.Random) -> bytes:
        frames = (stuff(checked_record(number, each)) for number, each in enumerate(records(source)))
        before = delimiter if source.random() < 0.3 else b""
        return b"".join(before + each + delimiter * source.choice((1, 1, 2, 9)) for each in frames)

    return made


def marked(source: random.Random) -> bytes:
    marker = source.choice(MARKERS)
    made = blocks(source, b"tt", marker, source.randrange(1, 30))
    if source.random() < 0.2:
        # A valid record with the marker inside.
        made.insert(source.randrange(len(made)), b"tt\x14\0abc" + marker + b"12345678" + marker)
    return written(b"tt", marker, made)


def avro(source: random.Random) -> bytes:
    codec = source.choice(("null", "deflate"))
    rows = [{"count": 1, "data": each, "codec": codec, "schema": "{}"} for each in records(source)]
    return bytes_of("avro_blocks", pa.Table.from_pylist(rows))


@cache
def formats() -> dict[str, tuple[Format | str, Callable[[random.Random], bytes], str]]:
    """Return formats with byte ranges, each with a maker of inputs and a column of its own."""
    slips, cobs = (wireloom.load_spec(CAMPAIGNS / f"{name}.ksy") for name in ("checked_slip", "checked_cobs"))
    return {
        "word-stuffed": ("word_stuffed_log", lambda source: word_log(records(source)), "payload"),
        "cobs": ("cobs_log", lambda source: cobs_log(records(source)), "payload"),
        "checked cobs": (cobs, framed(stuff_cobs, b"\0"), "payload"),
        "checked slip": (slips, framed(slip, b"\xc0"), "payload"),
        "marked": (format_of(SPEC), marked, "data"),
        "avro": ("avro_blocks", avro, "data"),
        "tfrecord": ("tfrecord", sample_of(record_logs.TFRECORD), "data"),
        "kafka": ("kafka_log", sample_of(record_logs.KAFKA), "value"),
        "mcap": ("mcap", sample_of(Mcap()), "data"),
    }


def sample_of(subject: Any) -> Callable[[random.Random], bytes]:
    return lambda source: subject.sample(source).content


def damaged(source: random.Random, content: bytes, size: int) -> bytes:
    """Return an input after accidents, most of them near multiples of ``size``."""
    data = bytearray(content)
    for _ in range(source.choice((0, 0, 1, 2, 5))):
        place = source.randrange(len(data) + 1)
        if source.random() < 0.7:
            place = min(max(0, place - place % size + source.randrange(-3, 4)), len(data))
        match source.randrange(7):
            case 0 if place < len(data):
                data[place] ^= 1 << source.randrange(8)
            case 1:
                del data[place : place + source.choice((1, 2, 60, size))]
            case 2:
                data[place:place] = source.choice((b"\0", b"\xfe\xfd", b"\xc0", b"\xfe", MARKERS[0], b"\0" * 70))
            case 3:
                del data[max(place, 1) :]
            case 4:
                end = min(place + source.choice((1, 9, size, 3 * size)), len(data))
                data[place:end] = bytes(end - place)
            case 5:
                data[place:place] = data[place // 2 : place // 2 + 90]
            case 6:
                data += data[:place]
    return bytes(data)


def outcome(format: Format | str, content: Any, **options: Any) -> Any:
    """Return the rows, the report and the error of a scan."""
    batches, error = [], None
    with wireloom.scan(format, content, **options) as scanner:
        try:
            batches += list(scanner)
        except WireloomError as failure:
            error = (type(failure), str(failure), vars(failure))
    return pa.Table.from_batches(batches, scanner.schema).to_pylist(), scanner.report.to_dict(), scanner.begun, error


NAMES = (
    *("word-stuffed", "cobs", "checked cobs", "checked slip", "marked", "avro"),
    *("tfrecord", "kafka", "mcap"),
)


@given(
    name=st.sampled_from(NAMES),
    seed=st.integers(0, 1 << 32),
    size=st.sampled_from((20, 64, 100, 333, 1000)),
    threads=st.integers(2, 5),
    in_file=st.booleans(),
    nulls=st.booleans(),
    once=st.booleans(),
    options=st.fixed_dictionaries(
        {},
        optional={
            "mode": st.sampled_from(("failfast", "dropmalformed")),
            "recover": st.just(True),
            "verify": st.just(False),
            "check_format": st.just(False),
            "max_ahead": st.sampled_from((1, 1 << 30)),
            "batch_rows": st.sampled_from((2, 7)),
            "max_record": st.sampled_from((50, 300)),
            "tail": st.just("growing"),
            "filter": st.just(pa.compute.field("_offset") > 300),
            "prefetch": st.booleans(),
        },
    ),
)
def test_ranges_are_as_the_whole(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    seed: int,
    size: int,
    threads: int,
    in_file: bool,
    nulls: bool,
    once: bool,
    options: dict[str, Any],
) -> None:
    format, made, column = formats()[name]
    source = random.Random(seed)
    content: Any = damaged(source, made(source), size)
    # The beginning of a range is searched for, which takes long if there are many.
    size = max(size, len(content) // 40)
    if in_file:
        path = tmp_path_factory.getbasetemp() / f"ranges-{name}"
        path.write_bytes(content)
        content = path
    columns = ["_offset", column, *(["_error", "_corrupt_record"] if nulls else [])]
    content = content if once else [content, made(source), content]
    expected = outcome(format, content, columns=columns, threads=1, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "RANGE", size)
        patch.setattr(small_file_loading, "SMALL", 0)
        found = outcome(format, content, columns=columns, threads=threads, **options)
    assert found == expected


def names_of_threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name.startswith("wireloom-scan-")]


LOG = word_log([b"%d " % number * 9 for number in range(500)])


def test_threads_end_where_the_consumer_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "RANGE", 1000)
    with wireloom.scan("word_stuffed_log", LOG, threads=3, batch_rows=5) as scanner:
        taken = [next(scanner).num_rows for _ in range(4)]
        assert len(names_of_threads()) == 3
    assert not names_of_threads()
    [report] = scanner.report.files
    assert (report.rows, report.tail) == (sum(taken), "unread")
    assert wireloom.read("word_stuffed_log", LOG, byte_range=(0, report.tail_offset)).num_rows == report.rows
    assert report.bytes == report.tail_offset < len(LOG)


@pytest.mark.parametrize("damaged", [False, True])
def test_progress_only_grows(damaged: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "RANGE", 1000)
    content, told = LOG[: len(LOG) - damaged * 3], []
    wireloom.read(
        "word_stuffed_log", content, threads=3, batch_rows=5, progress=lambda done, total: told.append((done, total))
    )
    assert told == sorted(told)
    assert told[-1] == (len(content), len(content))


def test_small_inputs_are_whole() -> None:
    for source, options, expected in (
        (b"x" * (2 * parts.RANGE - 1), {}, 1),
        (b"x" * (2 * parts.RANGE), {}, 2),
        (b"x" * (9 * parts.RANGE // 2), {}, 4),
        (b"x" * (2 * parts.RANGE), {"tail": "growing"}, 1),
        (b"x" * (2 * parts.RANGE), {"byte_range": (0, 1 << 40)}, 1),
        (b"x" * (2 * parts.RANGE), {"codec": "zstd"}, 1),
        (bytes(2 * parts.RANGE), {}, 1),
    ):
        request = scan_request("word_stuffed_log", threads=3, **options)
        found = [each.byte_range for each in parts.parts_of(request, expand(source))]
        assert len(found) == expected
        # Only if threads are asked for.
        assert len(list(parts.parts_of(scan_request("word_stuffed_log", **options), expand(source)))) == 1
        ranges = [each for each in found if each is not None]
        assert [begin for begin, _ in ranges[1:]] == [end for _, end in ranges[:-1]]


def test_a_compressed_file_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "RANGE", 10)
    monkeypatch.setattr(small_file_loading, "SMALL", 0)
    path = tmp_path / "a.log"
    path.write_bytes(gzip.compress(LOG))
    request = scan_request("word_stuffed_log", threads=3)
    assert [each.byte_range for each in parts.parts_of(request, expand(path))] == [None]


def test_a_limit_and_other_formats_take_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "RANGE", 100)
    frames = wireloom.read("word_stuffed_log", LOG)
    segment = bytes_of("cobs_log", frames.select(["payload"]))
    for format, content, options in (
        ("word_stuffed_log", LOG, {"limit": 400}),
        ("word_stuffed_log", LOG, {"threads": 1}),
        ("word_stuffed_log", io.BytesIO(LOG), {}),
        ("cobs_log", segment, {"byte_range": (0, 5000)}),
    ):
        with wireloom.scan(format, content, batch_rows=5, **{"threads": 3, **options}) as scanner:
            next(scanner)
            assert not names_of_threads()


def test_a_frame_over_the_limit_belongs_to_the_range_it_begins_in() -> None:
    content = word_log([b"a", b"b" * 200, b"c"])
    offsets = wireloom.read("word_stuffed_log", content, columns=["_offset"])["_offset"].to_pylist()
    for cut in range(len(content)):
        ranges = [(0, cut), (cut, len(content))]
        reports = [
            wireloom.read_with_report("word_stuffed_log", content, byte_range=each, max_record=50)[1] for each in ranges
        ]
        [place] = [number for number, each in enumerate(reports) if each.damaged]
        assert place == (cut <= offsets[1])
        assert sum(each.rows for each in reports) == 2
