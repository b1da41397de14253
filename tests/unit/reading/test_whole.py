"""Formats whose root is read as a whole: the same rows, without places."""

import dataclasses

import pytest
import wireloom
from wireloom import registry
from wireloom.report import Damage

from . import samples

WHOLE = dataclasses.replace(registry.get("edgemq_segment"), streaming=False, choices=())
SEGMENT = samples.frames([b"a", b"bb", b"ccc"])


def test_rows() -> None:
    table, report = wireloom.read_with_report(WHOLE, SEGMENT, columns=["_offset", "payload"], batch_rows=2)
    assert table.to_pylist() == [{"_offset": None, "payload": payload} for payload in (b"a", b"bb", b"ccc")]
    [file] = report.files
    assert (file.rows, file.bytes, file.tail, file.tail_offset) == (3, len(SEGMENT), "clean", len(SEGMENT))
    assert report.engine == "objects"


def test_nothing() -> None:
    table, report = wireloom.read_with_report(WHOLE, b"")
    assert table.num_rows == 0
    assert report.clean


def test_a_cut_off_input_gives_the_rows_before() -> None:
    table, report = wireloom.read_with_report(WHOLE, SEGMENT[:-1])
    assert table["payload"].to_pylist() == [b"a", b"bb"]
    assert report.files[0].tail == "truncated"


def test_an_input_beyond_the_limit() -> None:
    table, report = wireloom.read_with_report(WHOLE, SEGMENT, max_record=30)
    assert table.num_rows == 0
    assert (report.files[0].tail, report.files[0].tail_size) == ("limit", len(SEGMENT))
    assert "max_record" in str(report.files[0].error)


def test_what_is_refused_concerns_everything() -> None:
    bad = SEGMENT[:-1] + b"x"
    columns = ["payload", "_error", "_corrupt_record"]
    table, report = wireloom.read_with_report(WHOLE, bad, columns=columns)
    assert table.to_pylist() == [
        {"payload": None, "_error": "checksum: the checksum does not hold", "_corrupt_record": bad}
    ]
    assert report.files[0].damaged == [Damage(0, len(bad), "checksum")]
    assert wireloom.read(WHOLE, bad, verify=False).num_rows == 3


def test_there_are_no_byte_ranges() -> None:
    with pytest.raises(wireloom.UnsupportedError, match="read as a whole"):
        wireloom.scan(WHOLE, SEGMENT, byte_range=(0, 5))
