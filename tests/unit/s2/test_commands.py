"""Command records: recognised, checked and built; metering and limits."""

from typing import Any

import pytest
import wireloom.s2 as s2
import zstandard

from .cases import command_words, identity, vectors

VALIDATION = [row for row in vectors("malformed") if row["layer"] == "validation"]
MEBIBYTE = 1024 * 1024


@pytest.mark.parametrize("row", vectors("commands"), ids=identity)
def test_every_command(row: dict[str, Any]) -> None:
    batch = s2.AppendInput.from_bytes(bytes.fromhex(row["hex"]))
    [record] = batch.records
    assert [[each.name.hex(), each.value.hex()] for each in record.headers] == row["headers"]
    assert (s2.operation_of(record) is not None) == row["reader_is_command"]
    if "expect_error" in row:
        with pytest.raises(s2.ValidationError) as caught:
            s2.check_append(batch)
        assert caught.value.record == 1
    else:
        accepted = s2.check_append(batch)
        assert [command_words(each) for each in accepted.commands] == [row["expect"]]
        assert accepted.size == s2.metered_size(record) == row["metered"]
        command = s2.command_of(record)
        if command is not None:
            assert s2.command_record(command) == record


@pytest.mark.slow
@pytest.mark.parametrize("row", VALIDATION, ids=identity)
def test_every_batch_of_the_limits(row: dict[str, Any]) -> None:
    data = (
        bytes.fromhex(row["hex"])
        if "hex" in row
        else zstandard.decompress(bytes.fromhex(row["zstd_hex"]), 8 * MEBIBYTE)
    )
    batch = s2.AppendInput.from_bytes(data)
    if row["expect_error"]:
        with pytest.raises(s2.ValidationError):
            s2.check_append(batch)
    else:
        assert s2.check_append(batch).size == row["expect_ok"]["metered"]


@pytest.mark.parametrize(("size", "holds"), [(MEBIBYTE - 8, True), (MEBIBYTE - 7, False)])
def test_the_largest_record(size: int, holds: bool) -> None:
    batch = s2.AppendInput(records=[s2.AppendRecord(body=bytes(size))])
    if holds:
        assert s2.check_append(batch).metered == (MEBIBYTE,)
    else:
        with pytest.raises(s2.ValidationError, match="1048577") as caught:
            s2.check_append(batch)
        assert (caught.value.record, caught.value.reason) == (1, "limit")


def test_the_largest_batch() -> None:
    half = s2.AppendRecord(body=bytes(MEBIBYTE // 2 - 8))
    assert s2.check_append(s2.AppendInput(records=[half, half])).size == MEBIBYTE
    with pytest.raises(s2.ValidationError, match="batch has at most 1048576"):
        s2.check_append(s2.AppendInput(records=[half, half, s2.AppendRecord()]))


def test_the_error_names_the_record() -> None:
    nameless = s2.AppendRecord(headers=[s2.Header(name=b"a"), s2.Header(value=b"b")])
    with pytest.raises(s2.ValidationError, match="record 2") as caught:
        s2.check_append(s2.AppendInput(records=[s2.AppendRecord(body=b"x"), nameless]))
    assert (caught.value.record, caught.value.field) == (2, "headers")


def test_tokens_have_36_bytes() -> None:
    record = s2.AppendRecord(body=b"x")
    s2.check_append(s2.AppendInput(records=[record], fencing_token="é" * 18))
    with pytest.raises(s2.ValidationError, match="38"):
        s2.check_append(s2.AppendInput(records=[record], fencing_token="é" * 19))


@pytest.mark.parametrize(
    "command",
    [s2.Fence("x" * 37), s2.Fence("\ud800"), s2.Trim(-1), s2.Trim(1 << 64)],
    ids=lambda each: type(each).__name__,
)
def test_commands_that_cannot_be_built(command: s2.Fence | s2.Trim) -> None:
    with pytest.raises(s2.ValidationError):
        s2.command_record(command)


def test_a_command_has_the_timestamp_that_it_is_given() -> None:
    record = s2.command_record(s2.Fence(""), timestamp=0)
    assert (record.timestamp, record.body) == (0, b"")
    assert s2.command_of(record) == s2.Fence("")


def test_an_operation_of_the_future_survives_reading() -> None:
    record = s2.SequencedRecord(headers=[s2.Header(value=b"rotate")], body=b"anything")
    assert s2.operation_of(record) == b"rotate"
    with pytest.raises(s2.ValidationError, match="rotate"):
        s2.command_of(record)
