"""Beginnings of files, files with one wrong bit, and files of other formats: which of them are of the format."""

from __future__ import annotations

import io
from typing import Any

import pytest
import wireloom
from wireloom.format import format_of

from ..examples import strided
from ..unit.reading.running import ROW_READERS, read
from .cases import HERE
from .peers import cases

TEXT = b"To whom it may concern: this is no log at all, but a letter.\n" * 40
WRITTEN: dict[str, dict[str, Any]] = {
    "cobs_log": {"payload": b"hello\0world" * 30},
    "edgemq_segment": {"fmt": 1, "tenant": 7, "ts": 1_700_000_000_000, "payload": b"hello" * 20},
    "s2_session": {"seq_num": 1, "timestamp": 2, "headers": [], "body": b"hello" * 20},
    "word_stuffed_log": {"generation": 7, "payload": b"hello\xfe\xfdworld" * 60},
}
UNITS = {"s2_session", "otlp_logs", "otlp_spans", "tf_example"}
"""Formats of messages, some of which have the message alone as a file: what is missing of it is its damage."""
MAY_BE_ANYTHING = {"cobs_log", "kpl_aggregated_record", "leveldb_log", "prometheus_wal", "word_stuffed_log"}
"""Formats of which a text may be the beginning: a first record without an end yet, or a record of any bytes."""
DISTINCTIVE = {
    "avro_blocks": range(4),
    "cobs_log": range(0),
    "edgemq_segment": range(4),
    "kafka_log": range(8, 17),
    "leveldb_log": range(4, 7),
    "mcap": range(8),
    "mysql_binlog": range(4),
    "pcap": range(4),
    "s2_session": range(1),
    "tfrecord": range(8),
    "word_stuffed_log": range(1),
}
"""The bytes of a file with one record that are a constant or a length: one wrong bit may make it another format."""


def samples() -> list[Any]:
    """Return, for each format, a file whose rows are in order."""
    found = {name: made(name, [row]) for name, row in WRITTEN.items()}
    found["word_stuffed_log"] = b"\xfe\xfd" + found["word_stuffed_log"]
    for case in cases():
        if case.rows and not case.damaged and case.tail == "clean" and not case.file.endswith(".gz"):
            found.setdefault(case.format, case.content if HERE.joinpath(case.format, case.file).is_file() else b"")
    return [pytest.param(name, content, id=name) for name, content in found.items() if content]


def made(name: str, rows: Any) -> bytes:
    """Return a file with rows."""
    output = io.BytesIO()
    wireloom.write(name, rows, output, codec="none")
    return output.getvalue()


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize(("name", "content"), samples())
def test_each_beginning_of_a_first_record_is_an_empty_input(row_reader: str, name: str, content: bytes) -> None:
    format = format_of(name)
    if row_reader == "columns" and format.program is None and format.message_program is None:
        row_reader = "objects"
    before = 0
    for size in sorted({*range(1, 41), *strided(range(len(content)), 7)} & set(range(len(content)))):
        table, file = read(row_reader, name, content[:size], check_format=True, streamed=bool(size % 2), chunk=64)
        if table.num_rows and name != "cobs_log":
            break
        before += 1
        if name not in UNITS:
            assert not file["damaged"], size
            assert file["tail"] in ("truncated", "clean"), size
    assert before > 1


@pytest.mark.parametrize("name", DISTINCTIVE)
def test_one_wrong_bit_is_damage_unless_it_is_in_a_constant_or_a_length(name: str) -> None:
    content = made(name, [WRITTEN[name]]) if name in WRITTEN else one_row(name)
    for bit in strided(range(8 * min(len(content), 200)), 3):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        _, report = wireloom.read_with_report(name, bytes(changed), check_format=False)
        [file] = report.files
        assert not file.foreign or bit // 8 in DISTINCTIVE[name], (bit, file.evidence)


def one_row(name: str) -> bytes:
    """Return a file with the first row of another one, or all of that if it cannot be written."""
    case = next(each for each in cases() if each.format == name and each.rows and not each.damaged and not each.table)
    if format_of(name).read_only or name == "avro_blocks":
        return case.content
    return made(name, wireloom.read(name, case.content).slice(0, 1))


@pytest.mark.parametrize("name", [each for each in wireloom.formats() if each not in MAY_BE_ANYTHING])
@pytest.mark.parametrize("content", [TEXT, b"\xff\xfe\xfe" * 3000], ids=["text", "binary"])
def test_other_files_are_of_another_format(name: str, content: bytes) -> None:
    with pytest.raises(wireloom.WrongFormatError, match=f"not in the format {name}\\?"):
        wireloom.read(name, content)


@pytest.mark.parametrize("name", sorted(MAY_BE_ANYTHING - {"kpl_aggregated_record"}))
def test_a_text_may_be_the_beginning_of_a_record(name: str) -> None:
    table, report = wireloom.read_with_report(name, TEXT)
    assert (table.num_rows, report.files[0].tail, report.files[0].damaged) == (0, "truncated", [])
