"""Damaged records: modes, recovery, limits, and the content of the report."""

import io
from pathlib import Path

import pytest
import wireloom
from wireloom import Damage

from . import samples
from .segments import BAD, PLACES, SEGMENT


@pytest.mark.parametrize("mode", ["permissive", "PERMISSIVE", "dropmalformed", "DropMalformed"])
def test_a_damaged_record_is_left_out_and_counted(mode: str) -> None:
    table, report = wireloom.read_with_report("edgemq_segment", BAD, mode=mode)
    assert table["tenant"].to_pylist() == [each for each in range(300) if each != 10]
    [file] = report.files
    assert file.damaged == [Damage(PLACES[10], PLACES[11] - PLACES[10], "checksum")]
    assert (file.rows, file.bytes, file.tail, file.tail_offset) == (299, len(BAD), "clean", len(BAD))
    assert not report.clean
    assert report.to_dict()["damaged"] == 1


def test_a_damaged_record_as_a_row() -> None:
    columns = ["_offset", "tenant", "payload", "_error", "_corrupt_record"]
    table, report = wireloom.read_with_report("edgemq_segment", BAD, columns=columns)
    assert table.num_rows == 300
    assert report.rows == 299
    assert table.slice(10, 1).to_pylist() == [
        {
            "_offset": PLACES[10],
            "tenant": None,
            "payload": None,
            "_error": "checksum: the checksum does not match",
            "_corrupt_record": BAD[PLACES[10] : PLACES[11]],
        }
    ]
    assert table["_error"].null_count == table["_corrupt_record"].null_count == 299
    assert table["_offset"].to_pylist() == PLACES[:-1]
    dropped = wireloom.read("edgemq_segment", BAD, columns=columns, mode="dropmalformed")
    assert dropped.num_rows == 299
    assert dropped["_error"].null_count == 299


def test_failfast_says_where_and_why(tmp_path: Path) -> None:
    path = tmp_path / "bad.wal"
    path.write_bytes(BAD)
    with pytest.raises(wireloom.DamagedInputError) as caught:
        wireloom.read("edgemq_segment", path, mode="failfast")
    assert (caught.value.path, caught.value.offset, caught.value.reason) == (str(path), PLACES[10], "checksum")
    assert (caught.value.record, caught.value.field) == (11, "crc32c")
    assert str(caught.value) == (
        f"{path} at byte {PLACES[10]}, record 11, field crc32c: the checksum does not match (checksum); "
        "mode='permissive' leaves it out, verify=False keeps it"
    )


def test_without_verification() -> None:
    table, report = wireloom.read_with_report("edgemq_segment", BAD, verify=False)
    assert table.num_rows == 300
    assert report.clean


LOST = SEGMENT[: PLACES[10]] + bytes(4) + SEGMENT[PLACES[10] + 4 :]
"""The tenth frame's length is zero."""


def test_an_impossible_length_ends_the_reading() -> None:
    table, report = wireloom.read_with_report("edgemq_segment", LOST)
    assert table.num_rows == 10
    [file] = report.files
    assert (file.tail, file.tail_offset, file.bytes, file.damaged) == ("invalid_length", PLACES[10], PLACES[10], [])


def test_recovery_goes_on_at_the_next_frame() -> None:
    columns = ["_offset", "tenant", "_error", "_corrupt_record"]
    table, report = wireloom.read_with_report("edgemq_segment", LOST, recover=True, columns=columns)
    [file] = report.files
    assert file.damaged == [Damage(PLACES[10], PLACES[11] - PLACES[10], "length")]
    assert (file.rows, file.tail) == (299, "clean")
    assert table["_offset"].to_pylist() == PLACES[:-1]
    [row] = table.slice(10, 1).to_pylist()
    assert row["_error"] == "length: a length or a count is wrong"
    assert row["_corrupt_record"] == LOST[PLACES[10] : PLACES[11]]
    assert table["tenant"].to_pylist() == [None if each == 10 else each for each in range(300)]


def test_recovery_in_failfast_raises() -> None:
    with pytest.raises(wireloom.DamagedInputError) as caught:
        wireloom.read("edgemq_segment", LOST, recover=True, mode="failfast")
    assert (caught.value.offset, caught.value.reason) == (PLACES[10], "length")


@pytest.mark.parametrize("recover", [False, True])
def test_a_cut_off_frame(recover: bool) -> None:
    table, report = wireloom.read_with_report("edgemq_segment", SEGMENT[:-1], recover=recover)
    [file] = report.files
    assert table.num_rows == 299
    assert (file.tail, file.tail_offset, file.damaged) == ("truncated", PLACES[299], [])
    assert file.bytes == len(SEGMENT) - 1
    assert not report.clean


def test_a_wrong_length_is_told_from_a_wrong_payload_by_what_follows() -> None:
    longer = bytearray(SEGMENT)
    longer[PLACES[10] + 3] += 5
    table, report = wireloom.read_with_report("edgemq_segment", bytes(longer))
    assert table.num_rows == 10
    assert report.files[0].tail_offset == PLACES[10]
    assert report.files[0].damaged == []
    table, report = wireloom.read_with_report("edgemq_segment", bytes(longer), recover=True)
    assert table["tenant"].to_pylist() == [each for each in range(300) if each != 10]
    assert report.files[0].damaged == [Damage(PLACES[10], PLACES[11] - PLACES[10], "checksum")]


def test_a_record_beyond_the_limit() -> None:
    data = samples.frame(b"a") + samples.frame(b"b" * 1000) + samples.frame(b"c")
    table, report = wireloom.read_with_report("edgemq_segment", data, max_record=500)
    assert table["payload"].to_pylist() == [b"a"]
    assert (report.files[0].tail, report.files[0].tail_offset) == ("limit", 22)
    assert report.files[0].error == "larger than 500 bytes at byte 22: raise max_record to read it"
    table, report = wireloom.read_with_report("edgemq_segment", data, max_record=500, recover=True)
    assert table["payload"].to_pylist() == [b"a", b"c"]
    assert report.files[0].damaged == [Damage(22, 1021, "limit")]


def test_a_frame_beyond_the_limit() -> None:
    data = samples.word_log([b"a", b"b" * 5000, b"c"])
    columns = ["payload", "_error", "_corrupt_record"]
    for source in (data, io.BytesIO(data)):
        table, report = wireloom.read_with_report("word_stuffed_log", source, max_record=500, columns=columns)
        [damage] = report.files[0].damaged
        assert damage.reason == "limit"
        assert [row["payload"] for row in table.to_pylist()] == [b"a", None, b"c"]
        assert table["_corrupt_record"][1].as_py() == data[damage.offset : damage.offset + damage.length]


def test_a_report_lists_so_many_damaged_ranges_and_counts_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    from wireloom.reading import damage_log

    monkeypatch.setattr(damage_log, "MOST_LISTED", 10)
    data = b"".join(b"\x01\xfe\xfd" for _ in range(50)) + samples.word_log([b"a"])
    table, report = wireloom.read_with_report("word_stuffed_log", data)
    assert table.num_rows == 1
    assert len(report.files[0].damaged) == 10
    assert report.files[0].unlisted == 40
    assert report.damaged == 50
    assert report.to_dict()["files"][0]["unlisted"] == 40
