"""Beginnings of files, files with one wrong bit, and files of other formats: which of them are of the format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from click.testing import CliRunner, Result
from wireloom.command import main
from wireloom.format.registry import get as format_of

from ..examples import strided
from ..unit.reading.running import ROW_READERS, read
from ..writing import bytes_of
from .cases import HERE
from .peers import cases

TEXT = b"To whom it may concern: this is no log at all, but a letter.\n" * 40
WRITTEN: dict[str, dict[str, Any]] = {
    "cobs_log": {"payload": b"hello\0world" * 30},
    "edgemq_segment": {"fmt": 1, "tenant": 7, "ts": 1_700_000_000_000, "payload": b"hello" * 20},
    "kpl_aggregated_record": {"partition_key": "key", "data": b"hello" * 20},
    "s2_messages": {"seq_num": 1, "timestamp": 2, "headers": [], "body": b"hello" * 20},
    "s2_session": {"seq_num": 1, "timestamp": 2, "headers": [], "body": b"hello" * 20},
    "word_stuffed_log": {"generation": 7, "payload": b"hello\xfe\xfdworld" * 60},
}
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
    """Return, for each format, a file whose rows are in order, and one that is a single message if it may be."""
    found = {name: made(name, [row]) for name, row in WRITTEN.items()}
    found["word_stuffed_log"] = b"\xfe\xfd" + found["word_stuffed_log"]
    for case in cases():
        if case.rows and not case.damaged and case.tail == "clean" and not case.file.endswith(".gz"):
            found.setdefault(case.format, case.content if HERE.joinpath(case.format, case.file).is_file() else b"")
    assert all(found.get(name) for name in wireloom.formats())
    for name in wireloom.formats():
        message = format_of(name).message
        if message is not None and "whole" in message.framings:
            found[f"{name}-whole"] = made(name, wireloom.read(name, found[name]).slice(0, 1), framing="whole")
    return [pytest.param(name.removesuffix("-whole"), content, id=name) for name, content in found.items()]


def made(name: str, rows: Any, **options: Any) -> bytes:
    """Return a file with rows."""
    return bytes_of(name, rows, codec="none", **options)


def is_message(sample: Any) -> bool:
    """Return whether a sample is a single message."""
    name, _ = sample.values
    message = format_of(name).message
    return message is not None and (message.framing == "whole" or str(sample.id).endswith("-whole"))


def is_whole_row(name: str) -> bool:
    """Return whether bytes that are not a message are a row of the format, as a record that is not aggregated."""
    message = format_of(name).message
    return message is not None and bool(message.whole)


SAMPLES = samples()


def sizes_of(content: bytes, small: int, step: int) -> list[int]:
    """Return sizes of beginnings of a file: of the small ones every ``small``-th, and some others, at most 50."""
    others = strided(range(1, len(content)), max(step, len(content) // 50))
    return sorted({*strided(range(1, min(41, len(content))), small), *others})


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize(("name", "content"), SAMPLES)
def test_each_beginning_of_a_first_record_is_an_empty_input(row_reader: str, name: str, content: bytes) -> None:
    format = format_of(name)
    if row_reader == "columns" and format.program is None and format.message_program is None:
        row_reader = "objects"
    before = 0
    for size in sizes_of(content, 3, 17):
        table, file = read(row_reader, name, content[:size], check_format=True, streamed=bool(size % 2), chunk=64)
        assert not file["damaged"], size
        assert file["tail"] in ("truncated", "clean"), size
        if table.num_rows and name != "cobs_log":
            break
        before += 1
    assert before > 1 or is_whole_row(name)


@pytest.mark.parametrize(("name", "content"), SAMPLES)
def test_surfaces_agree_on_beginnings(name: str, content: bytes, tmp_path: Path) -> None:
    """An input that ends inside its first record has no damage, no row of nulls and no record but the tail."""
    path = tmp_path / "beginning"
    for size in sizes_of(content, 1, 97)[::13]:
        path.write_bytes(content[:size])
        table, report = wireloom.read_with_report(name, path)
        [file] = report.files
        if table.num_rows or file.tail == "clean":
            break
        assert (file.tail_offset + (file.tail_size or 0), file.error) == (size, None)
        assert not wireloom.read(name, path, columns=["_error"]).num_rows
        with pytest.raises(wireloom.DamagedInputError) as raised:
            wireloom.read(name, path, mode="failfast")
        assert (raised.value.reason, raised.value.offset) == ("truncated", file.tail_offset)
        verified = run("verify", name, path, "--json")
        assert (verified.exit_code, json.loads(verified.stdout)["files"][0]["damaged"]) == (1, [])
        inspected = run("inspect", name, path)
        assert inspected.exit_code in (0, 1)
        assert "truncated" in inspected.stdout
        dumped = run("dump", name, path)
        if format_of(name).message is None:
            assert (dumped.exit_code, dumped.exception.__class__) == (1, SystemExit), dumped.output


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize(
    ("name", "content"), [each for each in SAMPLES if is_message(each) and not is_whole_row(*each.values[:1])]
)
def test_a_blob_that_ends_too_early_is_truncated(
    row_reader: str, name: str, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    if row_reader == "objects":
        monkeypatch.setenv("WIRELOOM_ENGINE", "objects")
    blobs = [content[:size] for size in range(1, len(content))]
    found, report = wireloom.from_wire_with_report(pa.array([*blobs, content], pa.binary()), name)
    assert {each.reason for each in report.problems} == {"truncated"}
    assert found[-1].is_valid


def run(*arguments: str | Path) -> Result:
    """Return the result of a command."""
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.mark.parametrize("name", DISTINCTIVE)
def test_one_wrong_bit_is_damage_unless_it_is_in_a_constant_or_a_length(name: str) -> None:
    content = made(name, [WRITTEN[name]]) if name in WRITTEN else one_row(name)
    for bit in strided(range(8 * min(len(content), 200)), 9):
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
