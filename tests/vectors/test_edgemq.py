"""EdgeMQ segments made outside of this project: what a correct reader returns for each, through the public API."""

import hashlib
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom

from ..writing import bytes_of
from .cases import HERE, rows

CASES = rows("edgemq", "cases.jsonl")
COLUMNS = ["_offset", "fmt", "tenant", "ts", "ts_millis", "len", "payload"]
LARGEST_MILLISECONDS = (2**63 - 1) // 1000


def path_of(case: dict[str, Any]) -> str:
    return str(HERE / "edgemq" / case["file"])


def check_rows(table: pa.Table, expected: list[dict[str, Any]]) -> None:
    assert table["_offset"].to_pylist() == [record["offset"] for record in expected]
    assert table["fmt"].to_pylist() == [record["fmt"] for record in expected]
    assert table["tenant"].to_pylist() == [record["tenant"] for record in expected]
    assert table["ts_millis"].to_pylist() == [record["ts_ms"] for record in expected]
    assert table["ts"].cast(pa.int64()).to_pylist() == [
        record["ts_ms"] if record["ts_ms"] <= LARGEST_MILLISECONDS else None for record in expected
    ]
    assert table["len"].to_pylist() == [record["payload_len"] + 13 for record in expected]
    payloads = table["payload"].to_pylist()
    assert [len(payload) for payload in payloads] == [record["payload_len"] for record in expected]
    assert [hashlib.sha256(payload).hexdigest() for payload in payloads] == [
        record["payload_sha256"] for record in expected
    ]
    for payload, record in zip(payloads, expected, strict=True):
        if "payload_hex" in record:
            assert payload.hex() == record["payload_hex"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_case_by_path(case: dict[str, Any]) -> None:
    table, report = wireloom.read_with_report("edgemq_segment", path_of(case), columns=COLUMNS, check_format=False)
    check_rows(table, case["records"])
    [file] = report.to_dict()["files"]
    assert file["path"] == path_of(case)
    assert file["rows"] == len(case["records"])
    if "error" in case:
        assert file["error"]
        assert not report.clean
    else:
        assert file["damaged"] == case["damaged"]
    if case["tail"] != "any":
        assert (file["tail"], file["tail_offset"]) == (case["tail"], case["tail_offset"])
    assert file["stride"] == {"layout": "layout", "21+LEN": "rules"}[case["stride"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_case_from_memory_and_from_a_file_object(case: dict[str, Any]) -> None:
    content = Path(path_of(case)).read_bytes()
    for source in (content, io.BytesIO(content)):
        table = wireloom.read("edgemq_segment", source, columns=COLUMNS, check_format=False)
        check_rows(table, case["records"])


# A search in a gigabyte of zeros takes seconds; tests/limits has smaller ones.
RECOVERED = [
    pytest.param(case, id=case["case"], marks=[pytest.mark.thorough] * case["case"].startswith("bomb"))
    for case in CASES
]


@pytest.mark.parametrize("case", RECOVERED)
def test_case_with_recovery(case: dict[str, Any]) -> None:
    table, report = wireloom.read_with_report(
        "edgemq_segment", path_of(case), columns=COLUMNS, recover=True, check_format=False
    )
    check_rows(table, case.get("recover_records", case["records"]))
    if "recover_records" in case:
        assert not report.clean


LOST = {
    **{case["case"]: (case["tail_offset"], "length") for case in CASES if case["tail"].startswith("invalid_")},
    **{case["case"]: (case["tail_offset"], "truncated") for case in CASES if case["tail"] == "truncated"},
    # Frame 10 lacks bytes, so its checksum does not hold, and frames that do hold stand after it at other places.
    "bytes_removed": (1002, "checksum"),
}
"""Cases in which the layout is lost: where and why."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_failfast_raises_exactly_where_something_is_damaged(case: dict[str, Any]) -> None:
    _, report = wireloom.read_with_report("edgemq_segment", path_of(case), check_format=False)
    if report.clean:
        table = wireloom.read("edgemq_segment", path_of(case), columns=COLUMNS, mode="failfast")
        check_rows(table, case["records"])
        return
    with pytest.raises(wireloom.DamagedInputError) as caught:
        wireloom.read("edgemq_segment", path_of(case), mode="FAILFAST")
    assert caught.value.path == path_of(case)
    assert caught.value.reason
    if case["damaged"]:
        assert caught.value.offset == case["damaged"][0][0]
        assert caught.value.reason == case["damaged"][0][2]
    elif "error" not in case and case["case"] in LOST:
        assert (caught.value.offset, caught.value.reason) == LOST[case["case"]]


def test_a_damaged_frame_is_a_row_of_nulls_where_the_reason_is_selected() -> None:
    [case] = [each for each in CASES if each["case"] == "crc_payload_flip"]
    [[offset, length, reason]] = case["damaged"]
    table = wireloom.read(
        "edgemq_segment", path_of(case), columns=["_offset", "tenant", "payload", "_error", "_corrupt_record"]
    )
    damaged = [row for row in table.to_pylist() if row["_error"] is not None]
    assert len(damaged) == 1
    [row] = damaged
    assert row["tenant"] is None
    assert row["payload"] is None
    assert row["_offset"] == offset
    assert reason in row["_error"]
    assert len(row["_corrupt_record"]) == length
    assert table.num_rows == len(case["records"]) + 1
    dropped = wireloom.read("edgemq_segment", path_of(case), columns=["tenant", "_error"], mode="dropmalformed")
    assert dropped.num_rows == len(case["records"])


def test_without_verification_a_damaged_payload_comes_out() -> None:
    [case] = [each for each in CASES if each["case"] == "crc_payload_flip"]
    assert wireloom.read("edgemq_segment", path_of(case), verify=False).num_rows == len(case["records"]) + 1


def test_the_stride_can_be_forced() -> None:
    [case] = [each for each in CASES if each["case"] == "stride_21_plus_len"]
    assert wireloom.read("edgemq_segment", path_of(case), stride="rules").num_rows == 50
    table, report = wireloom.read_with_report("edgemq_segment", path_of(case), stride="layout")
    assert table.num_rows == 1
    assert not report.clean


@pytest.mark.parametrize("case", CASES[:1], ids=lambda case: case["case"])
def test_written_frames_equal_the_raw_segment(case: dict[str, Any]) -> None:
    raw = (HERE / "edgemq" / "raw_wal.wal").read_bytes()
    table = wireloom.read("edgemq_segment", path_of(case))
    assert bytes_of("edgemq_segment", table, codec="none") == raw
