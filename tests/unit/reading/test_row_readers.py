"""Both row readers return the same rows and the same report, however the input is cut, for any bytes."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wireloom import engine

from ...examples import examples
from . import samples
from .running import read
from .samples import rows_of

both = pytest.mark.skipif(not engine.available, reason="the engine is not there")
quick = settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])

FORMATS = ("edgemq_segment", "word_stuffed_log", "cobs_log")
COLUMNS = {
    "edgemq_segment": ["_offset", "fmt", "tenant", "ts", "ts_millis", "len", "crc32c", "payload"],
    "word_stuffed_log": ["_offset", "generation", "payload", "crc"],
    "cobs_log": ["_offset", "payload"],
}
MORE = ["_error", "_corrupt_record"]


def good(name: str, payloads: list[bytes]) -> bytes:
    if name == "edgemq_segment":
        return samples.frames(payloads)
    return samples.word_log(payloads) if name == "word_stuffed_log" else samples.cobs_log(payloads)


SPECIAL = st.sampled_from(
    [b"\xfe\xfd", b"\0", b"\0\0\0\x0d", b"\xff\xff\xff\xff", b"\xfe", bytes(30), samples.frame(b"")]
)
PAYLOAD = st.one_of(st.binary(max_size=40), st.integers(0, 700).map(lambda size: b"a" * size), SPECIAL)


@st.composite
def damaged(draw: st.DrawFn, name: str) -> bytes:
    """Return a log in which a few bytes were changed, removed, inserted or cut off; or bytes of any kind."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=300))
    data = bytearray(good(name, draw(st.lists(PAYLOAD, max_size=12))))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        match draw(st.sampled_from(["change", "remove", "insert", "cut", "zero"])):
            case "change" if at < len(data):
                data[at] ^= draw(st.integers(1, 255))
            case "remove":
                del data[at : at + draw(st.integers(1, 40))]
            case "insert":
                data[at:at] = draw(st.one_of(st.binary(max_size=40), SPECIAL))
            case "zero":
                size = min(draw(st.integers(1, 60)), len(data) - at)
                data[at : at + size] = bytes(size)
            case _:
                del data[at:]
    return bytes(data)


OPTIONS = st.fixed_dictionaries(
    {
        # Any bytes may occur here, also those of a compressed stream.
        "codec": st.just("none"),
        "mode": st.sampled_from(["permissive", "dropmalformed"]),
        "recover": st.booleans(),
        "verify": st.sampled_from([True, True, False]),
        "max_record": st.sampled_from([None, 30, 64, 300]),
        "batch_rows": st.sampled_from([1, 3, 16384]),
    }
)


@pytest.mark.slow
@both
@pytest.mark.parametrize("name", FORMATS)
@quick
@given(data=st.data())
def test_row_readers_agree(name: str, data: st.DataObject) -> None:
    content = data.draw(damaged(name))
    options = data.draw(OPTIONS)
    columns = COLUMNS[name] + data.draw(st.sampled_from([[], MORE]))
    expected = read("objects", name, content, columns=columns, **options)
    found = read("columns", name, content, columns=columns, **options)
    assert found[1] == expected[1]
    assert rows_of(found[0]) == rows_of(expected[0])
    assert found[0].schema == expected[0].schema


@pytest.mark.slow
@both
@pytest.mark.parametrize("row_reader", ["columns", "objects"])
@pytest.mark.parametrize("name", FORMATS)
@quick
@given(data=st.data())
def test_chunks_of_any_size_give_the_same(name: str, row_reader: str, data: st.DataObject) -> None:
    content = data.draw(damaged(name))
    options = data.draw(OPTIONS)
    columns = COLUMNS[name] + data.draw(st.sampled_from([[], MORE]))
    expected = read(row_reader, name, content, columns=columns, **options)
    chunk = data.draw(st.sampled_from([1, 2, 3, 7, 20, 64, 1000]))
    found = read(row_reader, name, content, columns=columns, chunk=chunk, streamed=True, **options)
    assert found[1] == expected[1]
    assert rows_of(found[0]) == rows_of(expected[0])


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ["columns", "objects"])
@pytest.mark.parametrize("name", FORMATS)
@quick
@given(data=st.data())
def test_byte_ranges_yield_each_row_and_each_damage_once(name: str, row_reader: str, data: st.DataObject) -> None:
    if row_reader == "columns" and not engine.available:
        pytest.skip("the engine is not there")
    content = data.draw(damaged(name))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content) + 2), max_size=4)))
    streamed = data.draw(st.booleans())
    options: dict[str, Any] = {"columns": ["_offset", *MORE], "codec": "none", "recover": data.draw(st.booleans())}
    table, report = read(row_reader, name, content, **options)
    rows, damage, skipped = [], [], 0
    for begin, end in zip([0, *cuts], [*cuts, len(content) + 2], strict=True):
        part, file = read(row_reader, name, content, byte_range=(begin, end), chunk=16, streamed=streamed, **options)
        assert all(begin <= row["_offset"] < end for row in rows_of(part))
        rows += rows_of(part)
        damage += file["damaged"]
        skipped += file.get("skipped_bytes", 0)
    assert rows == rows_of(table)
    assert damage == report["damaged"]
    assert skipped == report.get("skipped_bytes", 0)


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ["columns", "objects"])
@pytest.mark.parametrize("name", FORMATS)
def test_good_logs(name: str, row_reader: str) -> None:
    if row_reader == "columns" and not engine.available:
        pytest.skip("the engine is not there")
    payloads = samples.payloads(150, largest=2000)
    content = good(name, payloads)
    for options in ({}, {"streamed": True, "chunk": 100}, {"streamed": True, "prefetch": True, "chunk": 5000}):
        table, report = read(row_reader, name, content, columns=["payload", "_offset"], **options)
        assert table["payload"].to_pylist() == payloads
        assert (report["rows"], report["bytes"]) == (150, len(content))
        assert (report["tail"], report["tail_offset"], report["damaged"]) == ("clean", len(content), [])
