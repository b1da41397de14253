"""Word-stuffed logs made by the reference, COBS by the PyPI package: the same records, the same bytes."""

import hashlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom

from ..writing import bytes_of
from .cases import rows, unzipped

STOCK_LIMIT = 1024
"""The largest encoded record that the reference reads as it comes."""


def payload_of(row: dict[str, Any]) -> bytes:
    if "payload" in row:
        return bytes.fromhex(row["payload"])
    return unzipped("word_stuffing", f"{row['file']}.payload.gz")


def test_encode(subtests: pytest.Subtests) -> None:
    for row in rows("word_stuffing", "encode.jsonl"):
        with subtests.test(row["id"]):
            payload = payload_of(row)
            table = pa.table({"generation": pa.array([row["generation"]], pa.uint32()), "payload": [payload]})
            stream = bytes_of("word_stuffed_log", table)
            assert len(stream) == row["stream_len"]
            if "stream" in row:
                assert stream.hex() == row["stream"]
            else:
                assert hashlib.sha256(stream).hexdigest() == row["stream_sha256"]
            back = wireloom.read("word_stuffed_log", stream, columns=["generation", "payload", "crc"], mode="failfast")
            assert back.to_pylist() == [{"generation": row["generation"], "payload": payload, "crc": row["crc"]}]


def records_of(table: pa.Table) -> list[tuple[int, int, str]]:
    return [
        (row["_offset"], row["generation"], hashlib.sha256(row["payload"]).hexdigest()) for row in table.to_pylist()
    ]


def expected_of(records: list[dict[str, Any]]) -> list[tuple[int, int, str]]:
    return [
        (
            record["offset"],
            record["generation"],
            record.get("payload_sha256") or hashlib.sha256(bytes.fromhex(record["payload"])).hexdigest(),
        )
        for record in records
    ]


def test_decode_stream(subtests: pytest.Subtests) -> None:
    for row in rows("word_stuffing", "decode_streams.jsonl"):
        with subtests.test(row["id"]):
            stream = bytes.fromhex(row["stream"]) if "stream" in row else unzipped("word_stuffing", row["file"])
            assert len(stream) == row["length"]
            columns = ["_offset", "generation", "payload"]
            table, report = wireloom.read_with_report(
                "word_stuffed_log", stream, columns=columns, max_record=STOCK_LIMIT, check_format=False
            )
            assert records_of(table) == expected_of(row["records"])
            # Every byte is accounted for: by a good row's frame, a damaged or skipped range, or the tail.
            [file] = report.files
            covered = sum(record["end"] - record["offset"] for record in row["records"])
            covered += sum(damage.length for damage in file.damaged) + file.skipped_bytes
            if file.tail == "clean":
                assert covered in (len(stream), len(stream) - 2)
            else:
                assert file.tail == "truncated"
                assert covered == file.tail_offset


@pytest.mark.parametrize(
    "row", rows("word_stuffing", "chunks.jsonl"), ids=lambda row: f"{row['file']}-{row['mode']}-{row['chunk_size']}"
)
def test_every_record_belongs_to_exactly_one_range(row: dict[str, Any], tmp_path: Path) -> None:
    content = unzipped("word_stuffing", row["file"])
    source: Any = content
    if row["mode"] == "fd":
        # The reference looks after the zeros that a file begins with, as we do, but not after those of a buffer.
        source = tmp_path / "log"
        source.write_bytes(content)
    size = row["chunk_size"]
    nonempty = dict(row["nonempty_chunks"])
    # One read per range: the smallest ranges are sampled, with all that own a record among them.
    starts = range(0, len(content), size)
    if len(starts) > 400:
        starts = sorted({*list(starts)[:: len(starts) // 150], *list(nonempty)[:150]})
    for start in starts:
        table = wireloom.read(
            "word_stuffed_log", source, columns=["_offset"], byte_range=(start, min(start + size, len(content)))
        )
        expected = [row["record_offsets"][index] for index in nonempty.get(start, [])]
        assert table["_offset"].to_pylist() == expected, start


@pytest.mark.slow
def test_first_record_at_or_after() -> None:
    [row, *_] = rows("word_stuffing", "seek.jsonl")
    content = unzipped("word_stuffing", row["file"])
    offsets = wireloom.read("word_stuffed_log", content, columns=["_offset"])["_offset"].to_pylist()
    entries = row["first_record_at_or_after"]
    for [start, index], [end, _] in zip(entries, [*entries[1:], [len(content), -1]], strict=True):
        # An entry's index holds for every offset from its own to the next one's.
        for offset in {start, (start + end) // 2, max(start, end - 1)}:
            with wireloom.scan(
                "word_stuffed_log", content, columns=["_offset"], byte_range=(offset, len(content)), batch_rows=1
            ) as scanner:
                found = next((batch["_offset"][0].as_py() for batch in scanner if batch.num_rows), None)
            assert found == (offsets[index] if index >= 0 else None), offset


def test_decode_words(subtests: pytest.Subtests) -> None:
    for row in rows("word_stuffing", "decode_words.jsonl"):
        with subtests.test(row["id"]):
            from wireloom.objects import stuff_words, unstuff_words

            if "input" in row:
                data = bytes.fromhex(row["input"])
            else:
                data = b"".join(bytes.fromhex(part) * repeat for part, repeat in row["input_rle"])
            if not row["ok"]:
                with pytest.raises(ValueError, match=r"\w"):
                    unstuff_words(data)
                continue
            output = unstuff_words(data)
            if row.get("output") is not None:
                assert output.hex() == row["output"]
            else:
                assert len(output) == row["output_len"]
                assert hashlib.sha256(output).hexdigest() == row["output_sha256"]
            assert (stuff_words(output) == data) is row["canonical"]


def test_decode_stream_from_a_file(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for row in [row for row in rows("word_stuffing", "decode_streams.jsonl") if "stream" in row]:
        with subtests.test(row["id"]):
            path = tmp_path / "log"
            path.write_bytes(bytes.fromhex(row["stream"]))
            columns = ["_offset", "generation", "payload"]
            table = wireloom.read("word_stuffed_log", path, columns=columns, max_record=STOCK_LIMIT, check_format=False)
            assert records_of(table) == expected_of(row.get("fd_records", row["records"]))


COBS = rows("word_stuffing", "cobs.jsonl")


def test_cobs_encode(subtests: pytest.Subtests) -> None:
    for row in [row for row in COBS if row["kind"] == "encode"]:
        with subtests.test(row["id"]):
            payload = bytes.fromhex(row["payload"])
            assert bytes_of("cobs_log", pa.table({"payload": [payload]})).hex() == row["pypi_encoded"] + "00"
            for encoded in (row["pypi_encoded"], row["paper_encoded"]):
                stream = bytes.fromhex(encoded) + b"\0"
                assert wireloom.read("cobs_log", stream, mode="failfast")["payload"].to_pylist() == [payload]


def test_cobs_decode(subtests: pytest.Subtests) -> None:
    for row in [row for row in COBS if row["kind"] == "decode"]:
        with subtests.test(row["id"]):
            from wireloom.objects import unstuff_cobs

            data = bytes.fromhex(row["input"])
            if row["pypi_output"] is None:
                with pytest.raises(ValueError, match=r"\w"):
                    unstuff_cobs(data)
            else:
                assert unstuff_cobs(data).hex() == row["pypi_output"]
