"""Frames without bytes are no records and no damage: logs with a delimiter on both sides of each record have them."""

from __future__ import annotations

import io
from itertools import pairwise, product
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import wireloom
from wireloom import Damage
from wireloom.format.registry import get as format_of
from wireloom.reading import damage_log

from .running import ROW_READERS, read
from .samples import cobs_log, word_log

PAYLOADS = [b"a", b"\0\xfe\xfd\n" * 3, b"b" * 40]
LINES = """
meta: {id: lines, -wireloom: {rows: records, max-record: 100000}}
seq:
  - {id: records, type: record, repeat: eos, -wireloom: {framing: {delimiter: DELIMITER, stuffing: none}}}
types:
  record:
    seq:
      - {id: payload, size-eos: true}
"""
PLACES = {
    "none": (0, 0, 0, 0),
    "both sides": (1, 1, 1, 1),
    "first": (4, 0, 0, 0),
    "between": (0, 70, 2, 0),
    "last": (0, 0, 0, 9),
    "many": (300, 700, 1, 50),
}
"""Number of delimiters more than necessary before the first, before each other and after the last record."""


def framings(tmp_path: Any) -> dict[str, tuple[Any, bytes, list[bytes]]]:
    """Return, by name, a format, its delimiter and the frames of three records with the delimiter after each."""
    found: dict[str, tuple[Any, bytes, list[bytes]]] = {
        "cobs_log": ("cobs_log", b"\0", [cobs_log([each]) for each in PAYLOADS]),
        "word_stuffed_log": ("word_stuffed_log", b"\xfe\xfd", [word_log([each]) for each in PAYLOADS]),
    }
    for delimiter in (b"\n", b"\r\n", b"\r\n\r", b"\0"):
        path = tmp_path / f"lines_{delimiter.hex()}.ksy"
        path.write_text(LINES.replace("DELIMITER", str(list(delimiter))).replace("id: lines", f"id: {path.stem}"))
        found[path.stem] = (
            wireloom.load_spec(path),
            delimiter,
            [each + delimiter for each in (b"a", b"bc" * 30, b"d")],
        )
    return found


def log(delimiter: bytes, records: list[bytes], more: tuple[int, ...]) -> tuple[bytes, list[list[Any]], list[int]]:
    """Return a log, the ranges of its empty frames, and the offsets of its records."""
    content, skipped, offsets = b"", list[list[Any]](), list[int]()
    for count, record in zip(more, [*records, b""], strict=True):
        begin = max(0, len(content) - len(delimiter))
        content += delimiter * count
        # The first delimiter of a file that begins with one is that of its first record.
        end = max(0, len(content) - len(delimiter))
        if end > begin:
            skipped.append([begin, end - begin, "empty"])
        if record:
            offsets.append(end)
        content += record
    return content, skipped, offsets


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("place", PLACES)
def test_empty_frames_are_skipped_wherever_they_are(row_reader: str, place: str, tmp_path: Any) -> None:
    for format, delimiter, records in framings(tmp_path).values():
        content, skipped, offsets = log(delimiter, records, PLACES[place])
        plain, _ = read(row_reader, format, b"".join(records), columns=["payload"])
        assert plain.num_rows == 3
        chunks = (None, 3, 64, 1000) if len(content) > 500 else (None, 1, 3, 64)
        for chunk, mode in product(chunks, ("permissive", "failfast")):
            how: dict[str, Any] = {"streamed": chunk is not None, "chunk": chunk}
            columns = ["payload", "_offset", "_error", "_corrupt_record"]
            table, file = read(row_reader, format, content, columns=columns, mode=mode, **how)
            assert table["payload"].to_pylist() == plain["payload"].to_pylist(), (format, how)
            assert table["_offset"].to_pylist() == offsets
            assert (file["damaged"], file["tail"], file["tail_offset"]) == ([], "clean", len(content))
            assert file.get("skipped", []) == skipped
            assert file.get("skipped_bytes", 0) == sum(size for _, size, _ in skipped)
        cuts = sorted({0, 1, 2, 5, *offsets, *(each + 1 for each in offsets), len(content) // 2, len(content)})
        parts = [
            read(row_reader, format, content, columns=["_offset"], byte_range=each, streamed=True, chunk=50)
            for each in pairwise(cuts)
        ]
        assert [offset for table, _ in parts for offset in table["_offset"].to_pylist()] == offsets
        assert sum(file.get("skipped_bytes", 0) for _, file in parts) == sum(size for _, size, _ in skipped)
        assert all(file["damaged"] == [] for _, file in parts)


@pytest.mark.parametrize("place", PLACES)
def test_objects_pass_over_empty_frames(place: str, tmp_path: Any) -> None:
    for format, delimiter, records in framings(tmp_path).values():
        content, _, _ = log(delimiter, records, PLACES[place])
        parser = format_of(format).root_class
        assert [each.payload for each in parser.from_bytes(content).records] == [
            each.payload for each in parser.from_bytes(b"".join(records)).records
        ]
        assert len([*parser.iter_records(io.BytesIO(content))]) == 3


def test_damage_beside_empty_frames_is_still_damage() -> None:
    first, second = word_log([b"a"]), word_log([b"b"])
    broken = first[:-3] + bytes((first[-3] ^ 1,)) + first[-2:]
    d = b"\xfe\xfd"
    for content in (d + broken + d + second, first + d * 3 + bytes(4096) + d + d + second):
        _, report = wireloom.read_with_report("word_stuffed_log", content)
        [file] = report.files
        assert len(file.damaged) == 1
        assert not report.clean
        assert file.rows == (2 if content.startswith(first) else 1)


def test_a_report_lists_so_many_skipped_ranges_and_counts_the_bytes_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(damage_log, "MOST_LISTED", 3)
    content = b"".join(cobs_log([b"a"]) + b"\0" for _ in range(10))
    _, report = wireloom.read_with_report("cobs_log", content)
    [file] = report.files
    assert file.skipped == [Damage(2, 1, "empty"), Damage(6, 1, "empty"), Damage(10, 1, "empty")]
    assert (file.skipped_bytes, file.rows, report.clean) == (10, 10, True)


def test_batches_of_any_size_end_anywhere_among_empty_frames() -> None:
    content = b"".join(cobs_log([b"%d" % number]) + bytes(number % 7) for number in range(300))
    expected = pa.chunked_array([[b"%d" % number for number in range(300)]])
    skipped = sum(number % 7 for number in range(300))
    for rows in (1, 2, 7, 128, 300):
        with wireloom.scan("cobs_log", content, columns=["payload"], batch_rows=rows) as scanner:
            assert scanner.read_all()["payload"].combine_chunks() == expected.combine_chunks()
        assert scanner.report.files[0].skipped_bytes == skipped
        with wireloom.scan(
            "cobs_log", content, columns=["payload"], batch_rows=rows, filter=pc.field("payload") == b"7"
        ) as some:
            assert some.read_all().num_rows == 1
        assert some.report.files[0].skipped_bytes == skipped
