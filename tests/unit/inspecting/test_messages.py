"""Files of messages: the bytes around, between and after them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import wireloom
from hypothesis import given
from hypothesis import strategies as st
from wireloom.format.message_rules import LENGTHS
from wireloom.input.expansion import expand
from wireloom.inspecting import MessageScan, Record, Wanted
from wireloom.s2 import Terminal, encode_terminal, frame_parts
from wireloom.units.framing import Prefixed

from ..messages.notes import FORMAT, framed
from ..messages.notes.wire import note, page
from .samples import run

SESSION = "s2_session"
ROWS = [{"seq_num": 1, "timestamp": 5, "headers": [{"name": b"a", "value": b"x"}], "body": b"q" * 2000}]
HEADER = ["length", "is_terminal", "compression", "reconnect_advised", "reserved"]
UNKNOWN = b"\0\0\x03\x60ab"
"""A frame with an unknown compression."""


def session(tmp_path: Path, compression: str = "none", rows: Any = ROWS) -> bytes:
    path = tmp_path / "one.s2s"
    wireloom.write(SESSION, rows, path, compression=compression)
    return path.read_bytes()


def shown(data: bytes, format: Any = SESSION, **wanted: Any) -> list[Record]:
    found = wireloom.format.registry.get(format) if isinstance(format, str) else format
    return list(MessageScan(found, expand(data)[0], Wanted(**{"count": 9, **wanted})).shown())


def values(record: Record) -> dict[str, Any]:
    return {each.name: each.value for each in record.fields}


def kinds(found: list[Record]) -> list[str]:
    return [each.kind for each in found]


@pytest.mark.parametrize("cut", [1, 3, 100, 2000])
def test_a_cut_tail_is_shown(cut: int, tmp_path: Path) -> None:
    data = session(tmp_path)
    path = tmp_path / "cut.s2s"
    path.write_bytes(data[:-cut])
    text = run("inspect", SESSION, path)
    assert text.startswith(f"tail  bytes 0 to {len(data) - cut:,} (")
    assert "truncated: the input ends inside the record" in text
    assert "bytes are present" in text
    assert "there are no records" not in text
    out = tmp_path / "page.html"
    run("inspect", SESSION, path, "--html", out)
    on_page: Any = json.loads(re.search(r'id="data">(.*?)</script>', out.read_text(), re.DOTALL)[1])  # type: ignore[index]
    assert [(each["kind"], each["begin"], each["end"]) for each in on_page["records"]] == [("tail", 0, len(data) - cut)]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_a_tail_inside_of_the_header(size: int, tmp_path: Path) -> None:
    data = session(tmp_path)
    message, tail = shown(data + data[:size])
    assert (message.kind, message.end) == ("message", len(data))
    assert (tail.kind, tail.begin, tail.end, tail.data) == ("tail", len(data), len(data) + size, data[:size])
    assert [each.name for each in tail.fields] == [[], [], HEADER[:1], [*HEADER, "message"]][size - 1]


def test_a_length_that_cannot_be(tmp_path: Path) -> None:
    data = session(tmp_path)
    [_, tail] = shown(data + b"\xff\xff\xff\0abc")
    assert (tail.kind, tail.reason, values(tail)) == ("tail", "length", {"length": 0xFFFFFF})
    assert tail.message is not None
    assert "16777215" in tail.message


def test_a_clean_end_shows_no_tail(tmp_path: Path) -> None:
    assert kinds(shown(session(tmp_path))) == ["message"]
    assert kinds(shown(b"")) == []


def test_the_tail_is_not_shown_before_it_is_reached(tmp_path: Path) -> None:
    data = session(tmp_path)
    assert kinds(shown(data * 2 + data[:9], count=2)) == ["message"] * 2
    assert kinds(shown(data * 2 + data[:9], count=2, all_damage=True)) == ["message"] * 2 + ["tail"]
    assert kinds(shown(data * 2 + data[:9], offset=2 * len(data))) == ["tail"]


@pytest.mark.parametrize("compression", ["none", "zstd", "gzip"])
def test_ranges_without_a_message_stand_in_their_place(compression: str, tmp_path: Path) -> None:
    data = session(tmp_path, compression)
    found = shown(UNKNOWN + data + UNKNOWN * 2 + data + UNKNOWN)
    assert kinds(found) == ["damage", "message", "damage", "damage", "message", "damage"]
    assert [each.begin for each in found] == sorted(each.begin for each in found)
    assert [each.number for each in found if each.kind == "message"] == [1, 2]
    problems = {each.name: each.problem for each in found[0].fields}
    assert problems["compression"] == "an unknown compression (3)"
    assert kinds(shown(UNKNOWN + data + UNKNOWN + data + UNKNOWN, number=2)) == ["damage", "message", "damage"]
    assert kinds(shown(data + UNKNOWN * 3 + data, count=2)) == ["message", "damage"]
    assert kinds(shown(data + UNKNOWN * 99, count=1, all_damage=True)) == ["message"] + ["damage"] * 50


def test_a_frame(tmp_path: Path) -> None:
    data = session(tmp_path)
    [found] = shown(data)
    assert [each.name for each in found.fields] == [*HEADER, "message"]
    assert values(found)["length"] == len(data) - 3
    assert [(each.begin, each.end) for each in found.fields] == [(0, 3), *[(3, 4)] * 4, (4, len(data))]
    [records] = found.fields[-1].children
    assert (records.begin, records.end) == (4, len(data))


@pytest.mark.parametrize(("compression", "said"), [("zstd", "zstd (1)"), ("gzip", "gzip (2)")])
def test_a_compressed_frame_is_shown_as_it_stands(compression: str, said: str, tmp_path: Path) -> None:
    data = session(tmp_path, compression)
    [found] = shown(data)
    assert found.content == data
    message = found.fields[-1]
    assert (message.name, message.begin, message.end) == ("message", 4, len(data))
    inner = {each.name: each for _, each in message.walk() if each is not message}
    assert inner["seq_num (1, varint)"].value == 1
    assert inner["body (4, bytes)"].value == b"q" * 2000
    assert {each.begin for each in inner.values()} == {-1}
    path = tmp_path / "one.s2s"
    text = run("inspect", SESSION, path)
    assert said in text
    assert "seq_num (1, varint)" in text
    # The previous frame is copied next to what is decompressed, and still has its place in the input.
    plain = session(tmp_path, rows=[{"seq_num": 1, "body": b"small"}])
    first, _ = shown(plain + data)
    assert first.fields[-1].children[0].begin == 4


@pytest.mark.slow
def test_a_terminal_frame(tmp_path: Path) -> None:
    data = session(tmp_path)
    path = tmp_path / "ended.s2s"
    path.write_bytes(data + encode_terminal(Terminal(416, '{"code":"range"}')))
    text = run("inspect", SESSION, path)
    assert f"frame  bytes {len(data):,} to" in text
    assert re.search(r"status +\+4 +2 B +416\n", text)
    assert """'{"code":"range"}'""" in text
    assert "frame  bytes" not in run("inspect", SESSION, path, "-n", 1)
    [_, bad] = shown(data + b"\0\0\x02\x80a")
    assert (bad.kind, bad.fields[-1].problem) == ("damage", "a terminal message without a status")


@pytest.mark.parametrize("word", LENGTHS)
def test_lengths_before_units(word: str) -> None:
    format = framed(word)
    framing = Prefixed(format, max_record=1 << 20)
    unit = page(note("a", b"x"))
    stored = framing.framed(unit)
    first, second, tail = shown(stored * 2 + stored[:-1], format)
    assert (first.kind, second.kind, tail.kind) == ("message", "message", "tail")
    width = len(stored) - len(unit)
    length, message = second.fields
    assert (length.name, length.value, length.size) == ("length", len(unit), width)
    assert (message.begin, message.end) == (len(stored) + width, 2 * len(stored))
    assert message.children[0].begin == len(stored) + width
    assert tail.fields[1].problem == f"{len(unit) - 1} of {len(unit)} bytes are present"


def test_an_input_that_is_one_message_has_nothing_around_it() -> None:
    unit = page(note("a", b"x"))
    [found] = shown(unit, FORMAT)
    assert found.fields[0].name == "notes (1, bytes)"


@given(st.binary(max_size=40))
def test_any_bytes_are_described_within_their_bounds(stored: bytes) -> None:
    described = [frame_parts(memoryview(stored))]
    described += [Prefixed(framed(word), max_record=9).described(memoryview(stored)) for word in ("varint", "u8be")]
    for parts in described:
        assert all(0 <= each.begin <= each.end <= len(stored) for each in parts)
    for each in shown(stored):
        assert all(0 <= part.begin <= part.end <= len(stored) for part in each.fields)


def test_one_of_something_is_no_plural(tmp_path: Path) -> None:
    data = session(tmp_path)
    path = tmp_path / "tail.s2s"
    path.write_bytes(data + b"\0")
    text = run("inspect", SESSION, path)
    assert "(1 byte)" in text
    assert "1 row, " in run("verify", SESSION, path, code=1)
    out = tmp_path / "page.html"
    run("inspect", SESSION, path, "--html", out)
    assert not re.search(r"\)\} (good )?(bytes|records)", out.read_text())
