"""Bytes after the end, names with control sequences, and times that no column can represent."""

import json
from pathlib import Path

import pytest
import wireloom
from click.testing import CliRunner
from wireloom import formats
from wireloom.base.iso_times import time_range
from wireloom.command import main
from wireloom.format import registry

from .samples import ZOO, animal, log, run, segment


def test_a_record_after_the_last(tmp_path: Path) -> None:
    path = segment(tmp_path / "a.wal")
    assert "a.wal: there is no record 41: there are 40, damaged ones counted" in run(
        "inspect", "edgemq_segment", path, "--record", 41, code=2
    )
    assert "record 40" in run("inspect", "edgemq_segment", path, "--record", 40)
    page = tmp_path / "page.html"
    run("inspect", "edgemq_segment", path, "--record", 41, "--html", page, code=2)
    assert not page.exists()


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_a_place_after_the_end(tmp_path: Path, codec: str) -> None:
    path = segment(tmp_path / "a.wal", codec=codec)
    length = 40 * 21 + sum(range(40))
    said = run("inspect", "edgemq_segment", path, "--at", length, code=2)
    assert f"there is no record at byte {length:,} or after it: the decompressed content has {length:,} bytes" in said
    assert "record 40" in run("inspect", "edgemq_segment", path, "--at", length - 1)


def test_a_place_far_after_the_end_between_delimiters(tmp_path: Path) -> None:
    path = log(tmp_path / "a.log")
    said = run("inspect", "word_stuffed_log", path, "--at", 10**12, code=2)
    assert "there is no record at byte 1,000,000,000,000 or after it" in said


@pytest.mark.parametrize("form", [(), ("--json",)])
@pytest.mark.parametrize("name", [each for each in formats() if registry.get(each).message is None])
def test_an_empty_file_has_the_exit_code_of_verify(name: str, form: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"")
    code = CliRunner().invoke(main, ["verify", name, str(path)]).exit_code
    said = run("inspect", name, path, *form, code=code)
    assert ("a.log: there are no records" in said) or not form
    assert ("the input is empty: its header is missing" in said) == bool(code)


@pytest.mark.parametrize("place", ["50", "0x32", "0X32"])
def test_places_in_hexadecimal(place: str, tmp_path: Path) -> None:
    path = segment(tmp_path / "a.wal")
    assert run("inspect", "edgemq_segment", path, "--at", place) == run("inspect", "edgemq_segment", path, "--at", 50)
    wrong = run("inspect", "edgemq_segment", path, "--at", f"{place}x", code=2)
    assert "is not a valid number from 0" in wrong


def test_names_are_spelled_out_on_pages_and_terminals(tmp_path: Path) -> None:
    path = log(tmp_path / "a\x1b[2Jb\n.log")
    page = tmp_path / "page.html"
    run("inspect", "word_stuffed_log", path, "--html", page)
    text = page.read_text()
    assert "\x1b" not in text
    assert "\\u001b" not in text
    assert "a\\x1b[2Jb\\x0a.log" in text.partition("<title>")[2].partition("</title>")[0]
    for said in (
        run("inspect", "word_stuffed_log", path, "--record", 99, code=2),
        run("verify", "word_stuffed_log", path),
        run("verify", "edgemq_segment", path, code=2),
        run("decode", "word_stuffed_log", f"{path}x", code=2),
        run("check", f"{path}.ksy", code=2),
    ):
        assert "\x1b" not in said
        assert "\\x1b[2Jb" in said


def test_a_time_that_does_not_fit_is_null_in_the_table(tmp_path: Path) -> None:
    spec = tmp_path / "times.ksy"
    spec.write_text(
        "meta: {id: times, endian: le, -wireloom: {rows: rows}}\nseq: [{id: rows, type: row, repeat: eos}]\n"
        "types: {row: {seq: [{id: at, type: u8, -wireloom: {timestamp: ms}}]}}\n"
    )
    path = tmp_path / "a.bin"
    _, most = time_range("ms")
    path.write_bytes(b"".join(each.to_bytes(8, "little") for each in (1000, most, most + 1, 2**64 - 1)))
    assert wireloom.read(spec, path)["at"].is_null().to_pylist() == [False, False, True, True]
    shown = run("inspect", spec, path, "-n", 4).split("record ")[1:]
    assert "1970-01-01T00:00:01.000Z" in shown[0]
    assert "+294247-01-10T04:00:54.775Z" in shown[1]
    assert "null" not in shown[0] + shown[1]
    for text in shown[2:]:
        assert "(outside of the range of timestamps: null in the table)" in " ".join(text.split())


def test_a_time_that_is_not_known_is_null_in_the_table(tmp_path: Path) -> None:
    spec = tmp_path / "times.ksy"
    spec.write_text(
        "meta: {id: times, endian: le, -wireloom: {rows: rows}}\nseq: [{id: rows, type: row, repeat: eos}]\n"
        "types: {row: {seq: [{id: at, type: s8, -wireloom: {timestamp: {unit: s, absent: -1}}}]}}\n"
    )
    path = tmp_path / "a.bin"
    path.write_bytes(b"\xff" * 8 + bytes(8))
    none, some = run("inspect", spec, path, "-n", 2).split("record ")[1:]
    assert "-1 (no time: null in the table)" in none
    assert "1970-01-01T00:00:00Z" in some
    assert '"at": -1' in run("dump", spec, path)
    assert run("decode", spec, path) == '{"at":null}\n{"at":"1970-01-01T00:00:00Z"}\n'


def test_records_as_json(tmp_path: Path) -> None:
    path = log(tmp_path / "a.log")
    data = bytearray(path.read_bytes())
    data[30] ^= 1
    path.write_bytes(data)
    first, second = json.loads(run("inspect", "word_stuffed_log", path, "-n", 2, "--json", "--bytes", 0))
    assert (first["record"], first["begin"], first["reason"]) == (1, 0, "checksum")
    assert (second["record"], second["begin"], second["reason"]) == (2, first["end"], None)
    assert bytes.fromhex(second["bytes"]) == bytes(data[second["begin"] : second["end"]])
    crc, generation, payload = second["fields"]
    assert (crc["field"], crc["at"], crc["size"], crc["checked"]) == ("crc", 0, 4, True)
    assert (generation["value"], payload["at"]) == ("1", 8)
    assert first["fields"][0]["checked"] is False
    run("inspect", "word_stuffed_log", path, "--json", "--html", tmp_path / "a.html", code=2)
    run("inspect", "word_stuffed_log", path, "--json", "--record", 99, code=2)


def test_inner_fields_as_json(tmp_path: Path) -> None:
    path = tmp_path / "a.zoo"
    path.write_bytes(b"ZOO\x01" + animal(1, b"tom", 2, b"\0\0\0\x09"))
    head, tom = json.loads(run("inspect", ZOO, path, "--json"))
    assert head["kind"] == "head"
    places = {each["field"]: (each["at"], each["size"]) for each in tom["fields"]}
    assert places["body.points[1].y"] == (17, 2)
