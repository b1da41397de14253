"""Inputs that are not of the format that they are read as."""

import gzip
import io
import zlib
from pathlib import Path
from typing import Any

import pytest
import wireloom
import zstandard
from click.testing import CliRunner
from wireloom.command import main
from wireloom.reading import wrong_format
from wireloom.rows.zero_runs import NOT_ZERO

from ..specs import format_of
from . import samples
from .running import ROW_READERS, read

TEXT = b"To whom it may concern: this is no log at all, but a letter.\n" * 40
ZEROS = bytes(100_000)
FORMATS = ["edgemq_segment", "tfrecord", "s2_session"]
DELIMITED = "word_stuffed_log"
VECTORS = Path(__file__).parents[2] / "vectors" / "pcapng"
JOURNAL = Path(__file__).parent / "specs" / "journal.ksy"


def scanned(name: str, source: Any, mode: str) -> list[Any]:
    return list(wireloom.scan(name, source, mode=mode))


SIZED = """
meta: {id: sized, endian: le, -wireloom: {rows: rows}}
seq: [{id: head, type: u1}, {id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: len, type: u2}, {id: body, size: len}]}}
"""


@pytest.mark.parametrize("chunk", [None, 1, 7, 1000])
def test_the_first_bytes_are_judged_whatever_the_window_is(chunk: int | None) -> None:
    """A record that is larger than max_record is one of the format, which its first bytes alone do not show."""
    log = b"\7" + (40).to_bytes(2, "little") + bytes(range(40))
    format = format_of(SIZED)
    _, report = read(None, format, log, chunk=chunk, streamed=chunk is not None, max_record=20)
    assert (report["tail"], "foreign" in report) == ("limit", False)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("mode", ["permissive", "dropmalformed"])
@pytest.mark.parametrize("packed", [bytes, gzip.compress, zstandard.compress])
def test_a_text_is_no_log(name: str, mode: str, packed: Any, tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_bytes(packed(TEXT))
    for source in (lambda: path, path.read_bytes, lambda: io.BytesIO(path.read_bytes())):
        for function in (wireloom.read, wireloom.read_with_report, scanned):
            said = f"not in the format {name}\\? No record in it is valid"
            with pytest.raises(wireloom.WrongFormatError, match=said) as caught:
                function(name, source(), mode=mode)
            assert caught.value.path in (str(path), None)
            assert caught.value.reason
            assert "name the right format, or check_format=False to read" in str(caught.value)
        table, report = wireloom.read_with_report(name, source(), mode=mode, check_format=False)
        assert (table.num_rows, report.files[0].foreign, report.clean) == (0, True, False)
        assert report.to_dict()["files"][0]["foreign"] is True


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("format", [*FORMATS[:2], DELIMITED, JOURNAL])
@pytest.mark.parametrize("recover", [False, True])
def test_both_readers_say_so(row_reader: str, format: Any, recover: bool) -> None:
    rubbish = b"\xff\xfe\xfe" * 300
    for options in ({}, {"streamed": True, "chunk": 50}):
        with pytest.raises(wireloom.WrongFormatError, match="No record in it is valid"):
            read(row_reader, format, rubbish, recover=recover, check_format=True, **options)


@pytest.mark.parametrize("name", ["pcap", "avro_blocks"])
def test_a_header_that_is_refused_in_a_compressed_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / "letter.zst"
    path.write_bytes(zstandard.compress(TEXT * 100))
    with pytest.raises(wireloom.WrongFormatError, match=f"not in the format {name}"):
        wireloom.read(name, path)
    assert CliRunner().invoke(main, ["decode", name, str(path)]).exit_code == 2


def test_a_name_that_promises_a_codec(tmp_path: Path) -> None:
    path = tmp_path / "a.wal.zst"
    path.write_bytes(TEXT)
    with pytest.raises(
        wireloom.WrongFormatError, match=r"is valid \(not a zstd stream, though its name ends in \.zst\)"
    ):
        wireloom.read("edgemq_segment", path)


def test_good_files_beside_it_come_out_first(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.wal").write_bytes(TEXT if number in (0, 2) else samples.frames([b"a", b"b"]))
    batches: list[Any] = []
    with pytest.raises(wireloom.WrongFormatError, match=r"0\.wal: not in the format .*; nor in .*2\.wal;") as caught:
        batches.extend(wireloom.scan("edgemq_segment", tmp_path))
    assert sum(batch.num_rows for batch in batches) == 8
    assert caught.value.path == str(tmp_path / "0.wal")
    assert wireloom.read("edgemq_segment", tmp_path, check_format=False).num_rows == 8
    # A caller who stops before the end does not know all files.
    with wireloom.scan("edgemq_segment", tmp_path) as scanner:
        assert next(scanner).num_rows == 2


@pytest.mark.parametrize("name", [*FORMATS, DELIMITED])
@pytest.mark.parametrize("content", [b"", b"\0", ZEROS])
def test_nothing_and_zeros_are_not_judged(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.write_bytes(content)
    for source in (path, content, gzip.compress(content), io.BytesIO(content)):
        assert wireloom.read(name, source).num_rows == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["edgemq_segment", DELIMITED])
def test_parts_and_what_grows_are_not_judged(name: str) -> None:
    for begin in range(0, len(TEXT), 500):
        assert wireloom.read(name, TEXT, byte_range=(begin, begin + 500)).num_rows == 0
    assert wireloom.read(name, TEXT, tail="growing").num_rows == 0


def test_one_record_that_holds_is_enough() -> None:
    assert wireloom.read("edgemq_segment", samples.frame(b"a") + TEXT).num_rows == 1
    assert wireloom.read("edgemq_segment", TEXT + samples.frame(b"a"), recover=True).num_rows == 1
    assert wireloom.read("word_stuffed_log", TEXT + b"\xfe\xfd" + samples.word_log([b"a"])).num_rows == 1
    assert wireloom.read("word_stuffed_log", b"\xfe\xfd").num_rows == 0, "a log that has just been begun"


def test_what_shows_its_damage_does_not_read_as_empty() -> None:
    table = wireloom.read("word_stuffed_log", TEXT + b"\xfe\xfd", columns=["payload", "_error"])
    assert table["_error"].null_count == 0
    assert table.num_rows == 1


def test_a_head_that_holds_is_of_the_format() -> None:
    """If other bytes in its place would be invalid."""
    assert wireloom.read(JOURNAL, b"JRNL\x01\x00" + b"\xff").num_rows == 0


def test_a_head_that_anything_fits_proves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "headed.ksy"
    path.write_text(
        "meta: {id: headed, endian: be, -wireloom: {rows: rows}}\n"
        "seq: [{id: number, type: u2}, {id: rows, type: row, repeat: eos}]\n"
        "types: {row: {seq: [{id: size, type: u4}, {id: body, size: size}]}}\n"
    )
    assert wireloom.read(path, b"To").num_rows == 0
    with pytest.raises(wireloom.WrongFormatError):
        wireloom.read(path, TEXT)


def test_a_storage_that_fails_is_no_other_format() -> None:
    class Failing(io.BytesIO):
        def readinto(self, buffer: Any) -> int:
            raise OSError(5, "Input/output error")

    _, report = wireloom.read_with_report("edgemq_segment", Failing(TEXT))
    assert not report.files[0].foreign
    assert not report.clean


@pytest.mark.slow
def test_zeros_of_a_window_that_grows_are_looked_through_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    class Noted:
        def search(self, view: memoryview, begin: int = 0) -> Any:
            looked.append(len(view) - begin)
            return NOT_ZERO.search(view, begin)

    monkeypatch.setattr(wrong_format, "NOT_ZERO", Noted())
    size = 20_000_000
    path = tmp_path / "zeros.zst"
    path.write_bytes(zstandard.compress(bytes(size)))
    for name in ("kpl_aggregated_record", "edgemq_segment"):
        looked.clear()
        wireloom.read(name, path, codec="zstd")
        assert sum(looked) <= size


def test_another_format_or_damage() -> None:
    """In mode failfast, damage at the beginning may mean that the input is of another format."""
    with pytest.raises(
        wireloom.DamagedInputError, match="or it is not in the format edgemq_segment; mode='permissive'"
    ):
        wireloom.read("edgemq_segment", TEXT, mode="failfast")


@pytest.mark.parametrize("name", FORMATS)
def test_a_compressed_input_of_which_nothing_can_be_read(name: str, tmp_path: Path) -> None:
    broken = bytearray(gzip.compress(bytes(range(1, 200)) * 50))
    broken[10:] = b"\xff" * len(broken[10:])
    for content, why in ((bytes(broken), "the gzip stream is damaged"), (bytes(broken[:5]), "ends early")):
        for path in (tmp_path / "broken.gz", tmp_path / "broken"):
            path.write_bytes(content)
            _, report = wireloom.read_with_report(name, path, codec="gzip")
            assert why in str(report.files[0].error)
            assert not report.clean
            assert CliRunner().invoke(main, ["verify", name, str(path), "--option=codec=gzip"]).exit_code == 2
    path.write_bytes(TEXT)
    for codec in ("gzip", "zstd"):
        said = rf"not in the format {name}\? No record in it is valid \(not a {codec} stream\)"
        with pytest.raises(wireloom.WrongFormatError, match=said):
            wireloom.read(name, path, codec=codec)
        for command in ("decode", "verify"):
            assert CliRunner().invoke(main, [command, name, str(path), f"--option=codec={codec}"]).exit_code == 2


@pytest.mark.parametrize("place", range(4, 8))
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_units_without_rows_tell_formats_apart(row_reader: str, place: int) -> None:
    """The length of the first packet of a capture is damaged; its section and interfaces are valid."""
    data = bytearray((VECTORS / "little.pcapng").read_bytes())
    first = wireloom.read("pcapng", bytes(data), columns=["_offset"])["_offset"][0].as_py()
    data[first + place] ^= 0x40
    table, file = read(row_reader, "pcapng", bytes(data))
    assert table.num_rows == 0
    assert file["tail"] != "clean"


@pytest.mark.parametrize(
    ("name", "options", "is_named"),
    [
        ("edgemq_segment", {}, True),
        ("edgemq_segment", {"recover": True}, False),
        # Without its header, nothing of a file can be read.
        ("pcap", {}, False),
        (DELIMITED, {}, False),
    ],
)
def test_recover_is_recommended_where_it_searches(name: str, options: dict[str, Any], is_named: bool) -> None:
    with pytest.raises(wireloom.WrongFormatError) as caught:
        wireloom.read(name, b"\xff\xfe\xfe" * 300, **options)
    advice = "; if only its first record is damaged, recover=True searches for the next one"
    assert str(caught.value).endswith(advice) == is_named


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"To whom it may concern: this is a letter.", "it seems to be text"),
        (b'{"resourceLogs": [{"scopeLogs": []}]}', "it seems to be JSON text"),
        (zlib.compress(bytes(range(200)))[:-1], "it seems to be compressed with zlib"),
        (b"PAR1" + bytes(3) + b"\xff" * 30, "it is a Parquet file"),
    ],
)
def test_the_error_says_what_the_file_is(content: bytes, kind: str) -> None:
    with pytest.raises(
        wireloom.WrongFormatError, match=rf"\(its first record would have [0-9,]+ bytes; {kind}\); name"
    ):
        wireloom.read("tfrecord", content)


SUMMED = """
meta: {id: activity, endian: le, -wireloom: {rows: records}}
seq:
  - {id: len_header, type: u1, valid: 6}
  - {id: count, type: u1}
  - {id: signature, contents: .FIT}
  - {id: records, type: record, repeat: expr, repeat-expr: count}
  - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [len_header, records]}}}
types: {record: {seq: [{id: value, type: u2}]}}
"""


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_one_bit_of_a_file_with_one_checksum_is_damage(row_reader: str, tmp_path: Path) -> None:
    (tmp_path / "activity.ksy").write_text(SUMMED)
    body = b"\x06\x03.FIT" + bytes(range(6))
    content = body + zlib.crc32(body).to_bytes(4, "little")
    for place in range(1, len(content)):
        if place not in range(2, 6):
            damaged = content[:place] + bytes((content[place] ^ 4,)) + content[place + 1 :]
            _, file = read(row_reader, tmp_path / "activity.ksy", damaged, check_format=True)
            assert file["damaged"] or file["tail"] != "clean"
    with pytest.raises(wireloom.WrongFormatError, match="the first signature is invalid"):
        read(row_reader, tmp_path / "activity.ksy", content.replace(b"FIT", b"FAT"), check_format=True)


def test_a_folder_whose_newest_file_holds_half_a_record(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.wal").write_bytes(samples.frames([b"a", b"b"]))
    (tmp_path / "3.wal").write_bytes(samples.frame(b"a")[:15])
    table, report = wireloom.read_with_report("edgemq_segment", tmp_path)
    assert (table.num_rows, [each.tail for each in report.files]) == (6, ["clean"] * 3 + ["truncated"])
    assert CliRunner().invoke(main, ["decode", "edgemq_segment", str(tmp_path)]).exit_code == 0
    for size in range(1, 4):
        (tmp_path / "3.wal").rename(tmp_path / "4.wal.zst")
        (tmp_path / "4.wal.zst").write_bytes(zstandard.compress(samples.frame(b"a"))[:size])
        assert wireloom.read("edgemq_segment", tmp_path).num_rows == 6
        (tmp_path / "4.wal.zst").rename(tmp_path / "3.wal")


def test_some_damaged_records_are_damage_and_many_are_evidence() -> None:
    good = samples.word_log([b"a"])
    bad = good[:-3] + bytes((good[-3] ^ 1,)) + good[-2:]
    assert wireloom.read("word_stuffed_log", bad * 3).num_rows == 0
    with pytest.raises(wireloom.WrongFormatError, match="none of 4 is valid"):
        wireloom.read("word_stuffed_log", bad * 4)
