"""Formats whose inputs have one of several framings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import WireloomError, engine
from wireloom.objects.messages.wire import write_varint

from ...writing import bytes_of
from ..frontend.specs import said
from ..specs import format_of

LENGTH = {"u4be": lambda size: size.to_bytes(4, "big"), "varint": write_varint}
ROWS = [{"time_unix_nano": number, "body": f'{{"stringValue":"message {number}"}}'} for number in range(9)]
MESSAGES: list[bytes] = [wireloom.to_wire([row], "otlp_logs")[0].as_py() for row in ROWS]


def framed(word: str, messages: list[bytes]) -> bytes:
    return b"".join(each if word == "whole" else LENGTH[word](len(each)) + each for each in messages)


def rows(content: Any, **options: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    table, report = wireloom.read_with_report("otlp_logs", content, columns=["time_unix_nano", "body"], **options)
    return table.to_pylist(), report.to_dict()["files"][0]


@pytest.mark.parametrize("count", [1, 2, 9])
@pytest.mark.parametrize("word", ["u4be", "varint", "whole"])
def test_the_beginning_shows_it(word: str, count: int) -> None:
    content = framed(word, MESSAGES[:count])
    found, file = rows(content)
    assert found == ROWS[:count]
    assert (file["framing"], file["tail"], file["messages"]) == (word, "clean", 1 if word == "whole" else count)
    assert rows(content, framing=word) == (found, file)


@pytest.mark.parametrize("word", ["u4be", "varint"])
def test_empty_messages_show_nothing(word: str) -> None:
    found, file = rows(framed(word, [b"", b"", *MESSAGES, b""]))
    assert (found, file["framing"], file["messages"]) == (ROWS, word, 12)


def test_what_is_none_of_them() -> None:
    assert rows(b"")[1]["framing"] == "u4be"
    found, file = rows(b"\xff" * 100, check_format=False)
    assert (found, file["framing"], file["tail"]) == ([], "u4be", "limit")


@pytest.mark.slow
@pytest.mark.parametrize("word", ["u4be", "varint"])
def test_a_cut_input_keeps_its_framing(word: str) -> None:
    content = framed(word, MESSAGES)
    for end in range(len(content)):
        found, file = rows(content[:end], check_format=False)
        assert found == ROWS[: len(found)]
        # The first byte of a length may have any value.
        assert file["framing"] == word or end < len(framed(word, MESSAGES[:1]))


@pytest.mark.slow
@pytest.mark.parametrize("word", ["u4be", "varint"])
def test_a_flipped_bit_costs_the_message_that_it_is_in(word: str) -> None:
    content = framed(word, MESSAGES)
    ends = [len(framed(word, MESSAGES[: number + 1])) for number in range(len(MESSAGES))]
    for place in range(ends[-1]):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        found, file = rows(bytes(damaged), recover=True)
        hit = next(number for number, end in enumerate(ends) if place < end)
        assert [row for row in found if row in ROWS[:hit] + ROWS[hit + 1 :]] == ROWS[:hit] + ROWS[hit + 1 :], place
        # Lengths below 128 are also varints, each after three zeros.
        assert file["framing"] in (word, "varint")


def test_writers_take_the_first_unless_told_otherwise(tmp_path: Path) -> None:
    for word, options in (("u4be", {}), ("varint", {"framing": "varint"}), ("whole", {"framing": "whole"})):
        found, report = rows(bytes_of("otlp_logs", ROWS, **options))
        assert (found, report["framing"]) == (ROWS, word)
    with pytest.raises(WireloomError, match="unknown framing of otlp_logs 'varnit': did you mean 'varint'"):
        rows(b"", framing="varnit")
    with pytest.raises(WireloomError, match="unknown framing of otlp_logs 'u2be'"):
        wireloom.write("otlp_logs", ROWS, tmp_path / "some", framing="u2be")


def test_values_of_columns_are_messages() -> None:
    lists = wireloom.from_wire([MESSAGES[0], None, b"".join(MESSAGES)], "otlp_logs", columns=["time_unix_nano"])
    assert [None if each is None else len(each) for each in lists.to_pylist()] == [1, None, 9]


@pytest.mark.parametrize(
    ("framing", "message"),
    [
        ("[u4be, u4be]", "the framing 'u4be' is listed twice"),
        ("[]", "expected at least one framing"),
        ("[u4be, acme:Own]", "got 'acme:Own'"),
    ],
)
def test_mistakes(framing: str, message: str) -> None:
    text = f"""
meta:
  id: sample
  -wireloom: {{message: {{framing: {framing}, type: note}}}}
types:
  note:
    -wireloom: {{message: {{fields: [{{id: a, number: 1, type: bytes}}]}}}}
"""
    assert message in " ".join(said(text, ""))


NOTES = """
meta: {id: growing_notes, -wireloom: {message: {framing: u2be, type: note, columns: [id, text]}}}
types:
  note:
    -wireloom: {message: {fields: [{id: id, number: 1, type: uint32}, {id: text, number: 2, type: string}]}}
"""
SIZE = 12
"""Bytes of each message of ``NOTES``."""


@pytest.mark.parametrize(
    ("difference", "expected"),
    [*((each, [*range(3), *range(4, 9)]) for each in (-3, 1, 30, 40_000)), (200, [*range(3)])],
)
def test_a_damaged_length_in_an_input_that_grows(difference: int, expected: list[int]) -> None:
    format = format_of(NOTES)
    data = bytearray(framed_notes())
    damaged = 3 * SIZE
    data[damaged : damaged + 2] = (SIZE - 2 + difference).to_bytes(2, "big")
    options: dict[str, Any] = {"tail": "growing", "recover": True, "max_record": 1000}
    followed: list[int] = []
    at = 0
    for end in range(0, len(data) + 1, SIZE // 2):
        table, report = wireloom.read_with_report(format, bytes(data[:end]), **options)
        [file] = report.files
        assert file.tail == ("clean" if file.tail_offset == end else "growing")
        more, next_report = wireloom.read_with_report(format, bytes(data[at:end]), **options)
        followed += more["id"].to_pylist()
        at += next_report.files[0].tail_offset
        # Who goes on at the tail reads the same rows as who begins again.
        assert (followed, at) == (table["id"].to_pylist(), file.tail_offset)
        waits_for = damaged + 4 * SIZE if len(expected) > 3 else len(data)
        assert at <= damaged or end >= waits_for
    assert followed == expected
    assert at == (len(data) if len(expected) > 3 else damaged)


def framed_notes() -> bytes:
    bodies = (b"\x08" + bytes([number]) + b"\x12\6note %d" % number for number in range(9))
    return b"".join(len(each).to_bytes(2, "big") + each for each in bodies)


MAPS = """
meta: {id: maps_in_a_list, -wireloom: {message: {framing: u1, type: outer, columns: [items]}}}
types:
  outer: {-wireloom: {message: {fields: [{id: items, number: 1, type: item, label: repeated}]}}}
  item: {-wireloom: {message: {fields: [{id: tags, number: 1, map-key: string, type: tag}]}}}
  tag: {-wireloom: {message: {fields: [{id: text, number: 1, type: string}]}}}
"""


@pytest.mark.parametrize(
    ("entries", "name"),
    [
        (b"\x0a\x01\x00", "tags"),
        (b"\x0a\x03\x0a\x01a\x0a\x01\x00", "tags"),
        (b"\x0a\x7f", "tags"),
        (b"\x0a\x03\x0a\x01\xff", "tags.key"),
        (b"\x0a\x06\x0a\x01a\x12\x01\x00", "tags.value"),
        (b"\x0a\x08\x0a\x01a\x12\x03\x0a\x01\xff", "tags.value.text"),
    ],
)
def test_the_name_of_a_damaged_field_in_a_map(entries: bytes, name: str) -> None:
    message = b"\x0a\x00\x0a" + bytes([len(entries)]) + entries
    format = format_of(MAPS)
    for available in {engine.available, False}:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(engine, "available", available)
            [file] = wireloom.read_with_report(format, bytes([len(message)]) + message, check_format=False)[1].files
        assert file.error.startswith(f"message 1: items[1].{name}: ")
