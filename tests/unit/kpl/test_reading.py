"""Every blob of the vectors yields the same records as Kinesis' own client."""

from __future__ import annotations

import hashlib
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom.objects.messages import write_varint

from ..reading.running import ROW_READERS, read
from .vectors import FORMAT, Case, blob_of, canonical_sha256, cases, has_bad_text, identity, text_of

READING = cases("valid", "unusual", "plain", "malformed")


def test_a_blob(subtests: pytest.Subtests) -> None:
    for case in READING:
        with subtests.test(identity(case)):
            blob = blob_of(case)
            table, report = wireloom.read_with_report(FORMAT, blob)
            expect = case["expect"]
            if case.get("ambiguous"):
                # Google's own libraries disagree about it: it only has to be read without errors.
                assert table.schema == wireloom.schema(FORMAT)
                continue
            rows = table.to_pylist()
            facts = report.files[0].facts
            assert facts["dropped"] == (expect["status"] == "dropped")
            assert facts["digest_failed"] == (expect.get("reason") == "md5")
            if expect["status"] == "dropped":
                assert rows == []
                continue
            if expect["status"] == "plain":
                assert rows == [
                    {
                        "partition_key": None,
                        "explicit_hash_key": None,
                        "sub_sequence_number": 0,
                        "data": blob,
                        "tags": None,
                        "aggregated": False,
                    }
                ]
                assert not report.files[0].damaged
                continue
            check_records(expect, rows, case)
            damaged = report.to_dict()["files"][0]["damaged"]
            if expect["status"] == "partial":
                reason = "value" if expect["reason"] == "ehk_not_integer" else "index"
                assert damaged == [[0, len(blob), reason]]
                assert f"row {expect['error_at_record']}," in str(report.files[0].error)
            else:
                assert expect["status"] == "ok"
                assert damaged == []


def check_records(expect: dict[str, Any], rows: list[dict[str, Any]], case: Case) -> None:
    """Compare the rows with those that a case lists."""
    assert len(rows) == expect["n"]
    assert all(row["aggregated"] for row in rows)
    assert [row["sub_sequence_number"] for row in rows] == list(range(len(rows)))
    if "records" in expect:
        assert [(row["partition_key"], row["explicit_hash_key"], row["data"].hex()) for row in rows] == [
            (text_of(each["pk"]), text_of(each["ehk"]), each["data_hex"]) for each in expect["records"]
        ]
    if not has_bad_text(case):
        assert canonical_sha256(rows) == expect["canon_sha256"]
    if "tags" in expect:
        assert [[[tag["key"], tag["value"]] for tag in row["tags"]] for row in rows] == [
            [[_text(key), _text(value)] for key, value in tags] for tags in expect["tags"]
        ]


def _text(value: str | None) -> str | None:
    return None if value is None else bytes.fromhex(value).decode(errors="replace")


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("more", [0, 1 << 32, 1 << 40])
def test_tags_of_more_than_32_bits(more: int, row_reader: str) -> None:
    """The KCL's parser, Google's for Java, keeps the low 32 bits."""
    record = write_varint(more + 8) + b"\x00" + write_varint(more + 26) + b"\x01d"
    content = write_varint(more + 10) + b"\x01k" + write_varint(more + 26) + bytes([len(record)]) + record
    blob = b"\xf3\x89\x9a\xc2" + content + hashlib.md5(content, usedforsecurity=False).digest()
    table, _ = read(row_reader, FORMAT, blob, mode="failfast")
    assert [(row["partition_key"], row["data"]) for row in table.to_pylist()] == [("k", b"d")]


def test_a_column_of_all_blobs() -> None:
    blobs = pa.array([blob_of(case) for case in READING], pa.binary())
    lists = wireloom.from_wire(blobs, FORMAT)
    # A blob whose first record is damaged has none: that is null, and not an aggregate without records.
    damaged = ["m_pk_idx_eq_n"]
    alone = [None if case["id"] in damaged else wireloom.read(FORMAT, blob_of(case)).to_pylist() for case in READING]
    assert lists.to_pylist() == alone


@pytest.mark.slow
def test_exploded_rows_keep_the_outer_columns() -> None:
    chosen = [case for case in READING if not case.get("ambiguous")]
    outer = pa.table(
        {
            "sequence_number": [f"seq-{number}" for number in range(len(chosen))],
            "data": pa.array([blob_of(case) for case in chosen], pa.binary()),
            "shard": pa.array(range(len(chosen)), pa.int16()),
        }
    )
    flat = wireloom.explode(outer, "data", FORMAT, columns=["partition_key", "data"], keep=["sequence_number", "shard"])
    expected = [
        (f"seq-{number}", number, row["partition_key"], row["data"])
        for number, case in enumerate(chosen)
        for row in wireloom.read(FORMAT, blob_of(case)).to_pylist()
    ]
    assert [tuple(row.values()) for row in flat.to_pylist()] == expected


def test_failfast_names_the_record() -> None:
    case = next(each for each in READING if each["id"] == "m_pk_idx_oor_mid")
    with pytest.raises(wireloom.WireloomError, match="row 2, partition_key") as caught:
        wireloom.read(FORMAT, blob_of(case), mode="failfast")
    assert caught.value.reason == "index"


def test_without_verification_a_wrong_digest_does_not_matter() -> None:
    blob = bytearray(blob_of(next(each for each in READING if each["id"] == "py_n2_uniq")))
    blob[-1] ^= 1
    assert wireloom.read(FORMAT, bytes(blob))["aggregated"].to_pylist() == [False]
    assert wireloom.read(FORMAT, bytes(blob), verify=False)["aggregated"].to_pylist() == [True, True]
