"""A ``process`` that cannot be undone is damage of its row, with lower priority than the checksum over its bytes."""

from __future__ import annotations

import io
import json
import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wireloom
from click.testing import CliRunner
from wireloom import DamagedInputError, Format, WireloomError
from wireloom.codegen.emit import generate
from wireloom.command import main
from wireloom.format import routines

NAME = "process_of_a_test"
ROUTINE = """
from kaitaistruct import EndOfStreamError


class Odd:
    \"\"\"Undoes nothing, and fails as its first byte says.\"\"\"

    def __init__(self, *given):
        self.given = given

    def decode(self, data):
        errors = {
            250: OSError("no such disk"), 251: EndOfStreamError("end", 1, 0), 252: RuntimeError("lost"),
            253: SystemError("broken"), 254: MemoryError(), 255: EOFError(),
        }
        if data[:1] and data[0] in errors:
            raise errors[data[0]]
        return data

    encode = decode


class Text:
    def decode(self, data):
        return "text"
"""
ERRORS = {250: "value", 251: "value", 252: "value", 253: "value", 254: "limit", 255: "value"}
ROW = """
  row:
    seq:
      - {id: len, type: u1}
      - {id: body, size: len, process: zlib}
      - {id: inner, type: inner(len), size: 4, process: process_of_a_test.odd(len)}
      - {id: parts, size: 1, process: process_of_a_test.odd, repeat: expr, repeat-expr: 2}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [len, parts]}}}
  inner:
    params: [{id: n, type: u1}]
    seq: [{id: a, type: u2}, {id: b, type: u2}]
"""
SPECS = {
    "back to back": "seq: [{id: rows, type: row, repeat: eos}]\ntypes:" + ROW,
    "delimited": "seq: [{id: rows, type: row, repeat: eos, -wireloom: {framing: {stuffing: cobs, delimiter: 0}}}]\n"
    "types:" + ROW,
}
BYTE = (
    "seq: [{id: rows, type: row, repeat: eos}]\n"
    "types: {row: {seq: [{id: a, size: 1, process: process_of_a_test.ROUTINE}]}}\n"
)
COLUMNS = ["len", "body", "_offset", "_error"]


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "path" / f"{NAME}.py"
    path.parent.mkdir()
    path.write_text(ROUTINE)
    monkeypatch.syspath_prepend(path.parent)
    yield path
    sys.modules.pop(NAME, None)
    routines.load.cache_clear()


def spec_of(folder: Path, text: str) -> Path:
    path = folder / "made.ksy"
    path.write_text(f"meta: {{id: made, endian: le, -wireloom: {{rows: rows}}}}\n{text}")
    return path


def format_of(folder: Path, text: str) -> Format:
    return wireloom.load_spec(spec_of(folder, text), allow_modules=[NAME])


def row(*, body: bytes | None = None, inner: int = 1, parts: bytes = b"ab", checksum: bool = True) -> bytes:
    stored = zlib.compress(b"hello") if body is None else body
    data = bytes((len(stored),)) + stored + struct.pack("<HH", inner, 2) + parts
    return data + struct.pack("<I", zlib.crc32(data) ^ (not checksum))


def wire(format: Format, rows: list[bytes]) -> bytes:
    if not format.delimiter:
        return b"".join(rows)
    from cobs import cobs

    return b"".join(b"\0" + cobs.encode(each) for each in rows) + b"\0"


SPOILED = zlib.compress(b"hello")[:-1] + b"\0"
DAMAGED = {
    "zlib": ({"body": SPOILED}, "value"),
    "zlib and the checksum": ({"body": SPOILED, "checksum": False}, "checksum"),
    "zlib that ends early": ({"body": zlib.compress(bytes(1 << 20))[:200]}, "value"),
    **{f"an object {code}": ({"inner": code}, reason) for code, reason in ERRORS.items()},
    **{f"an item {code}": ({"parts": bytes((97, code))}, reason) for code, reason in ERRORS.items()},
    "an object and the checksum": ({"inner": 250, "checksum": False}, "checksum"),
    "an item and the checksum": ({"parts": b"\xfaa", "checksum": False}, "checksum"),
}


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.parametrize("kind", SPECS)
def test_it_is_damage_of_its_row(tmp_path: Path, kind: str, name: str) -> None:
    format = format_of(tmp_path, SPECS[kind])
    given, reason = DAMAGED[name]
    bad = row(**given)  # type: ignore[arg-type]  # of the table above
    data = wire(format, [row(), bad, row()])
    table, report = wireloom.read_with_report(format, data, columns=COLUMNS)
    good, damaged, after = table.to_pylist()
    assert (good["body"], after["body"]) == (b"hello", b"hello")
    assert (damaged["body"], damaged["_error"].partition(":")[0]) == (None, reason)
    [file] = report.files
    assert (file.rows, file.tail, [each.reason for each in file.damaged]) == (2, "clean", [reason])
    assert damaged["_offset"] == file.damaged[0].offset
    with pytest.raises(DamagedInputError) as raised:
        wireloom.read(format, data, mode="failfast")
    assert (raised.value.reason, raised.value.offset) == (reason, damaged["_offset"])
    assert wireloom.read(format, data, mode="dropmalformed").num_rows == 2


def test_without_verifying_the_process_is_what_is_left(tmp_path: Path) -> None:
    format = format_of(tmp_path, SPECS["back to back"])
    data = row(inner=250, checksum=False) + row(checksum=False)
    table, report = wireloom.read_with_report(format, data, verify=False)
    assert (table.num_rows, [each.reason for each in report.files[0].damaged]) == (1, ["value"])


def test_the_error_names_the_field(tmp_path: Path) -> None:
    format = format_of(tmp_path, SPECS["back to back"])
    for given, field in (({"body": SPOILED}, "body"), ({"inner": 250}, "inner")):
        with pytest.raises(DamagedInputError) as raised:
            wireloom.read(format, row() + row(**given), mode="failfast")  # type: ignore[arg-type]
        assert (raised.value.field, raised.value.record) == (field, 2)


def test_what_later_bytes_depend_on_loses_the_place(tmp_path: Path) -> None:
    """The end of such a row is not known."""
    text = (
        "seq: [{id: rows, type: row, repeat: eos}]\ntypes:\n"
        "  row: {seq: [{id: head, type: head, size: 2, process: process_of_a_test.odd}, {id: body, size: head.n}]}\n"
        "  head: {seq: [{id: n, type: u2}]}\n"
    )
    table, report = wireloom.read_with_report(format_of(tmp_path, text), b"\1\0a\2\0bc\xfa\0d\1\0e")
    [file] = report.files
    assert (table.num_rows, file.tail_offset, file.error) == (2, 7, None)
    assert file.tail != "clean"


def test_a_format_that_is_read_as_a_whole(tmp_path: Path) -> None:
    text = "seq: [{id: rows, type: row(1), repeat: eos}]\ntypes:" + ROW.replace(
        "row:\n", "row:\n    params: [{id: p, type: u1}]\n"
    )
    format = format_of(tmp_path, text)
    assert not format.streaming
    assert wireloom.read(format, row() + row())["body"].to_pylist() == [b"hello", b"hello"]
    _, report = wireloom.read_with_report(format, row() + row(inner=250) + row(), check_format=False)
    assert [each.reason for each in report.files[0].damaged] == ["value"]
    assert report.files[0].error is None


def test_rows_that_are_processed_as_a_whole(tmp_path: Path) -> None:
    text = (
        "seq: [{id: rows, type: row, size: 4, process: process_of_a_test.odd, repeat: eos}]\n"
        "types: {row: {seq: [{id: a, type: u2}, {id: b, type: u2}]}}\n"
    )
    table, report = wireloom.read_with_report(format_of(tmp_path, text), b"\1\0\2\0\xfa\0\0\0\3\0\4\0")
    assert table.to_pylist() == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    assert [each.reason for each in report.files[0].damaged] == ["value"]


def test_what_stands_before_the_rows(tmp_path: Path) -> None:
    text = (
        "seq: [{id: head, size: 2, process: process_of_a_test.odd}, {id: rows, type: row, repeat: eos}]\n"
        "types: {row: {seq: [{id: a, type: u1}]}}\n"
    )
    format = format_of(tmp_path, text)
    assert wireloom.read(format, b"ab\1\2").num_rows == 2
    table, report = wireloom.read_with_report(format, b"\xfab\1\2")
    [file] = report.files
    assert file.error is None
    assert [each.reason for each in file.damaged] == ["value"] or file.tail != "clean"
    assert table.num_rows in (0, 2)


def test_inspect_shows_it_in_its_place(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, SPECS["back to back"])
    data = tmp_path / "data"
    data.write_bytes(row() + row(inner=250) + row())
    result = CliRunner().invoke(main, ["inspect", str(spec), str(data), "--json", "--allow-module", NAME])
    assert result.exit_code == 0, result.output
    inner = next(each for each in json.loads(result.stdout)[1]["fields"] if each["field"] == "inner")
    assert inner["problem"] == "process_of_a_test:Odd: OSError: no such disk"


def test_objects_raise_it_at_once(tmp_path: Path) -> None:
    kind: Any = format_of(tmp_path, SPECS["back to back"]).root_class
    with pytest.raises(ValueError, match="OSError: no such disk") as raised:
        kind.from_io(io.BytesIO(row(inner=250)))
    assert isinstance(raised.value.__cause__, OSError)


def test_what_a_writer_cannot_encode_names_the_row(tmp_path: Path) -> None:
    text = BYTE.replace("ROUTINE", "odd")
    with pytest.raises(WireloomError, match=r"row 1.*OSError: no such disk"):
        wireloom.write(format_of(tmp_path, text), [{"a": b"a"}, {"a": b"\xfa"}], io.BytesIO())


def test_a_routine_that_is_wrong_is_no_damage(tmp_path: Path) -> None:
    text = BYTE.replace("ROUTINE", "text")
    with pytest.raises(WireloomError, match=r"decode\(data\) gives str") as raised:
        wireloom.read(format_of(tmp_path, text), b"a")
    assert not isinstance(raised.value, DamagedInputError)


def test_a_routine_that_is_gone_is_no_damage(tmp_path: Path, module: Path) -> None:
    generate([spec_of(tmp_path, SPECS["back to back"])], module.parent / "made_with_a_process", allow_modules=[NAME])
    from made_with_a_process.made import FORMAT  # type: ignore[import-not-found]

    module.unlink()
    with pytest.raises(WireloomError, match=f"needs the module {NAME}: install it") as raised:
        wireloom.read(FORMAT, row())
    assert not isinstance(raised.value, DamagedInputError)
