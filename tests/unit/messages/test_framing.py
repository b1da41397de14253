"""How units are stored in an input: every cut of it, hostile lengths, and writing."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

import pytest
import wireloom
from hypothesis import given
from hypothesis import strategies as st
from wireloom import Damage, Scanner, WireloomError
from wireloom.format.message_rules import LENGTHS
from wireloom.input.expansion import expand
from wireloom.objects.messages.wire import write_varint
from wireloom.reading.request import scan_request
from wireloom.rows.reader import BATCH_BYTES
from wireloom.units.framing import Framing, framing_class, units_of
from wireloom.units.units import Units

from ..specs import format_of
from .notes import FORMAT, framed

PREFIXED = tuple(LENGTHS)
contents = st.lists(st.binary(max_size=200), max_size=8)


def framing(word: str, max_record: int = 1 << 20) -> Framing:
    made = framed(word)
    return framing_class(made)(made, max_record=max_record)


def taken(source: bytes, word: str, cuts: tuple[int, ...] = (), max_record: int = 1 << 20) -> tuple[list[bytes], Units]:
    """Return all units of an input that arrives in pieces, and the last answer."""
    reader, found, begin = framing(word, max_record), [], 0
    for end in (*sorted(cuts), len(source)):
        at_end = end == len(source)
        while True:
            units = reader.take(memoryview(source)[begin:end], begin, at_end)
            for each, size, offset, span in zip(units.begins, units.sizes, units.offsets, units.spans, strict=True):
                found.append(bytes(memoryview(units.source)[each : each + size]))
                assert begin <= offset <= offset + span <= end
            begin += units.consumed
            if units.ended or not units.consumed:
                break
            assert units.needed == 0 or units.needed > end - begin
        if units.ended:
            break
    return found, units


@pytest.mark.parametrize("word", PREFIXED)
@given(units=contents.filter(bool), data=st.data())
def test_an_input_that_ends_inside_a_unit_is_truncated(word: str, units: list[bytes], data: st.DataObject) -> None:
    writer = framing(word)
    framed_units = list(map(writer.framed, units))
    source = b"".join(framed_units)
    end = data.draw(st.integers(0, len(source) - 1))
    found, last = taken(source[:end], word)
    ends = [len(b"".join(framed_units[:number])) for number in range(len(units) + 1)]
    complete = max(number for number, each in enumerate(ends) if each <= end)
    assert found == units[:complete]
    assert (last.ended == "truncated") == (end not in ends)


@pytest.mark.parametrize("word", ["u4be", "u8le", "varint"])
def test_a_length_is_refused_before_its_bytes_are_there(word: str) -> None:
    fixed = word != "varint"
    head = (1 << 30).to_bytes(int(word[1]), "little" if "le" in word else "big") if fixed else write_varint(1 << 40)
    units = framing(word).take(memoryview(head), 0, False)
    assert units.ended == "limit"
    assert "max_record" in units.detail


@pytest.mark.parametrize("head", [b"\xff" * 10, b"\xff" * 9 + b"\x02", b"\x80" * 11])
def test_a_length_that_is_no_varint_ends_the_reading(head: bytes) -> None:
    units = framing("varint").take(memoryview(b"\x01a" + head), 0, False)
    assert (units.ended, units.sizes, units.consumed) == ("invalid_length", [1], 2)


def test_a_long_varint_is_one() -> None:
    assert taken(b"\x81\x80\x00a", "varint")[0] == [b"a"]


def test_needed_says_how_many_bytes_are_missing() -> None:
    units = framing("u4be").take(memoryview(b"\0\0\0\x01a" + b"\0\0\x10\0abc"), 0, False)
    assert (units.consumed, units.needed) == (5, 4 + 4096)
    assert framing("u4be").take(memoryview(b"\0\0"), 0, False).needed == 4


def test_a_call_takes_a_bounded_part_of_a_large_view() -> None:
    size = (1 << 20) + 4
    units = framing("u4be").take(memoryview((b"\0\x10\0\0" + bytes(1 << 20)) * 12), 0, True)
    assert BATCH_BYTES + size <= units.consumed < BATCH_BYTES + 2 * size, "that many after the first one"


def test_whole_waits_for_the_end_and_keeps_the_limit() -> None:
    reader = framing("whole", max_record=4)
    assert reader.take(memoryview(b"abc"), 0, False).needed == 4
    assert reader.take(memoryview(b"abcde"), 0, False).ended == "limit"
    units = reader.take(memoryview(b"abcd"), 0, True)
    assert (units.begins, units.sizes, units.ended) == ([0], [4], "clean")
    assert framing("whole").take(memoryview(b""), 0, True).sizes == [0]


def test_whole_is_written_once() -> None:
    writer = framing("whole")
    assert writer.framed(b"abc") + writer.finish() == b"abc"
    with pytest.raises(WireloomError, match="one unit"):
        writer.framed(b"abc")


def test_a_unit_must_fit_its_length() -> None:
    with pytest.raises(WireloomError, match="256 bytes") as raised:
        framing("u1").framed(bytes(256))
    assert raised.value.reason == "limit"


def test_classes_of_others_are_loaded_by_name() -> None:
    word = "wireloom.units.framing:Prefixed"
    assert framing_class(framed(word)).__name__ == "Prefixed"
    for missing in ("no_such_module_here:Framing", "wireloom.units.framing:Nothing", "nothing"):
        with pytest.raises(WireloomError, match=r"install it|has no class"):
            framing_class(framed(missing))


def test_only_formats_of_messages_have_units() -> None:
    with pytest.raises(WireloomError, match=r"wireloom\.read"):
        units_of(dataclasses.replace(FORMAT, message=None))


ENVELOPED = """
meta:
  id: enveloped
  -wireloom: {message: {at: body, framing: FRAMING, type: event, columns: [n]}}
seq:
  - {id: magic, contents: EV}
  - {id: body, type: event, size: 2}
  - {id: digest, size: SIZE, -wireloom: {checksum: {algorithm: DIGEST, over: body}}}
types:
  event:
    -wireloom: {message: {fields: [{id: n, number: 1, type: uint32}]}}
"""


@pytest.mark.parametrize("engine", ["columns", "objects"])
@pytest.mark.parametrize("word", ["varint", "u2be"])
@pytest.mark.parametrize("digest", ["md5", "sha1", "sha256"])
def test_an_envelope_stands_inside_of_each_unit(digest: str, word: str, engine: str, tmp_path: Path) -> None:
    digest_size = hashlib.new(digest).digest_size
    text = ENVELOPED.replace("FRAMING", word).replace("SIZE", str(digest_size)).replace("DIGEST", digest)
    made = format_of(text)
    bodies = [b"\x08\x05", b"\x08\x06", b"\x08\x07"]
    units = [b"EV" + each + hashlib.new(digest, each).digest() for each in bodies]
    length = bytes([4 + digest_size]) if word == "varint" else bytes([0, 4 + digest_size])
    out = tmp_path / "events"
    wireloom.write(made, [{"n": 5}, {"n": 6}, {"n": 7}], out)
    assert out.read_bytes() == b"".join(length + each for each in units)
    units[1] = units[1][:-1] + bytes([units[1][-1] ^ 1])
    units.append(b"XX" + units[0][2:])
    source = b"".join(length + each for each in units)
    reads = scan_request(made)
    reads = reads if reads.engine == "objects" else dataclasses.replace(reads, engine=engine)
    scanner = Scanner(reads, expand(source))
    assert scanner.read_all()["n"].to_pylist() == [5, 7]
    size = len(length) + 4 + digest_size
    assert scanner.report.files[0].damaged == [Damage(size, size, "digest"), Damage(3 * size, size, "magic")]
