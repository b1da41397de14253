"""Formats in the box against files that their own implementations wrote: good ones, cut ones, damaged ones."""

from __future__ import annotations

import io
import random
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom import engine
from wireloom.format.registry import get as format_of

from ..examples import PROFILE
from ..unit.reading.running import read
from .peers import FORMATS, PeerCase, each_case, plain_rows

UNITS = {
    "bitcoin_blocks": "blocks",
    "etcd_wal": "records",
    "kafka_log": "batches",
    "mcap": "records",
    "pcapng": "blocks",
}
"""Tables whose rows are what damage costs; else it is a row of the table itself."""
BLOCKS = {"leveldb_log": 32768, "prometheus_wal": 32768}
"""Sizes of the blocks of which damage costs the rest."""
UNCHECKED = frozenset(
    {
        "avro_blocks",
        "bitcoin_blocks",
        "etcd_wal",
        "kafka_log",
        "mcap",
        "otlp_logs",
        "otlp_metrics",
        "otlp_spans",
        "pcap",
        "pcapng",
        "prometheus_wal",
        "tf_example",
    }
)
"""Formats with values that no checksum covers: the unit that is hit may come out with a wrong one."""

LENGTHS = {
    "bitcoin_blocks": range(4, 8),
    "etcd_wal": range(8, 18),
    "mcap": range(1, 9),
    "mysql_binlog": range(9, 13),
    "pcap": range(8, 12),
}
"""The bytes of a record with a length that nothing proves, or with what the next one continues: if one is wrong, the
next record is at an unknown place, or does not hold either."""


CUTS, FLIPS = (12, 24) if PROFILE == "thorough" else (3, 3)
"""Of each file and table; campaigns damage many more files that are made up."""
DECLARING = frozenset({"pcapng"})
"""Formats with records without rows that say what those with rows mean: nothing proves them."""


def is_plain(case: PeerCase) -> bool:
    """Whether the file is not compressed as a whole, and in order."""
    return not case.file.endswith((".gz", ".zst")) and not case.damaged and case.tail == "clean" and bool(case.rows)


@each_case()
def test_rows_are_those_of_the_peer(case: PeerCase) -> None:
    options = {"columns": case.columns} if case.rows else {}
    content, found = case.content, []
    for row_reader in case.row_readers:
        for ways in ({}, {"streamed": True, "chunk": 64, "batch_rows": 3}):
            table, file = read(row_reader, case.format, content, **options, **case.options, **ways)
            found.append(table)
            assert ([each[2] for each in file["damaged"]], file["tail"]) == (case.damaged, case.tail)
    assert plain_rows(found[0]) == case.rows
    assert all(is_same(found[0], each) for each in found[1:])


@pytest.mark.skipif(not engine.available, reason="the engine is not there")
@pytest.mark.parametrize("name", FORMATS)
def test_the_engine_reads_the_default_table(name: str) -> None:
    format = format_of(name)
    assert format.program is not None or format.message_program is not None


def is_same(table: pa.Table, other: pa.Table) -> bool:
    """Whether the rows are the same; the values of ``equals`` are not if they are NaN."""
    return table.equals(other) or plain_rows(table) == plain_rows(other)


def both(case: PeerCase, content: bytes, **options: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The rows and the report of both readers, which have to agree; without what is looked up in other records, which
    may be those that are damaged."""
    columns = ["_offset", *(each for each in case.columns if each != "_offset")]
    found = []
    for row_reader in case.row_readers:
        table, file = read(row_reader, case.format, content, columns=columns, **case.options, **options)
        found.append((table, {**file, "error": None}))
    (table, report), (other, other_report) = found[0], found[-1]
    assert is_same(table, other)
    assert report == other_report
    rows = plain_rows(table)
    format = format_of(case.format).of_table(case.table) if case.table else format_of(case.format)
    looked_up = {each.name for each in format.columns if each.looked_up}
    return [{name: value for name, value in row.items() if name not in looked_up} for row in rows], report


@each_case(is_plain, thinned=True)
def test_a_cut_file_gives_the_rows_before(case: PeerCase) -> None:
    content = case.content
    whole, _ = both(case, content)
    ranges = units(case, content)
    source = random.Random(case.file)
    for end in sorted(source.sample(range(len(content)), min(CUTS, len(content)))):
        rows, _ = both(case, content[:end])
        assert rows == whole[: len(rows)]
        assert case.format in BLOCKS or len(rows) >= sum(
            1 for row in whole for unit in ranges if unit[0] <= row["_offset"] < unit[1] <= end
        )


def units(case: PeerCase, content: bytes) -> list[tuple[int, int]]:
    """The ranges of bytes that damage costs."""
    if case.format in BLOCKS:
        return [(begin, begin + BLOCKS[case.format]) for begin in range(0, len(content), BLOCKS[case.format])]
    if (case.format, case.table) == ("avro_blocks", "metadata"):
        # Nothing proves the lengths of the entries of the header.
        return [(0, len(content))]
    table = UNITS.get(case.format, case.table)
    options = {"table": table} if table else {}
    begins = wireloom.read(case.format, content, columns=["_offset"], **options)["_offset"].to_pylist()
    return [each for each in zip(begins, [*begins[1:], len(content)], strict=True) if each[0] != each[1]]


@each_case(is_plain, thinned=True)
def test_a_flipped_bit_costs_the_record_that_it_is_in(case: PeerCase) -> None:
    content = case.content
    whole, _ = both(case, content)
    ranges = units(case, content)
    distinct = case.table != "" and format_of(case.format).of_table(case.table).distinct
    source = random.Random(case.file)
    places = source.sample(range(ranges[0][0], len(content)), min(FLIPS, len(content) - ranges[0][0]))
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= 1 << source.randrange(8)
        rows, file = both(case, bytes(damaged), recover=True)
        [(begin, end)] = [each for each in ranges if each[0] <= place < each[1]]
        hit = [begin <= row["_offset"] < end for row in whole]
        if case.format in DECLARING and not any(hit):
            continue
        if case.format in BLOCKS:
            # A record goes on up to the next one, perhaps in the block.
            begins = sorted({row["_offset"] for row in whole})
            after = dict(zip(begins, [*begins[1:], len(content)], strict=True))
            hit = [row["_offset"] < end and begin < after[row["_offset"]] for row in whole]
        if case.format == "tf_example" and content[end : end + 1] == b"\0":
            # An empty message after a damaged one is a byte that proves nothing.
            hit = [each or row["_offset"] == end for row, each in zip(whole, hit, strict=True)]
        kept = [row for row, each in zip(whole, hit, strict=True) if not each]
        unchecked = case.unchecked or case.format in UNCHECKED
        # Without its description, events without checksums cannot be told from damaged ones.
        is_description = case.format == "mysql_binlog" and begin == ranges[0][0]
        if unchecked and (is_description or place - begin in LENGTHS.get(case.format, ())):
            kept = [row for row in kept if row["_offset"] < begin]
            rows = [row for row in rows if row["_offset"] < begin]
        assert [row for row in rows if row in kept] == kept, place
        if distinct:
            # The row is read where it is repeated, as in a summary.
            rows = [
                row for row in rows if row in whole or all(row | {"_offset": each["_offset"]} != each for each in whole)
            ]
        assert all(row in kept or begin <= row["_offset"] < end or case.format in BLOCKS for row in rows), place
        if not unchecked:
            assert all(row in whole for row in rows), place
            assert rows == whole or file["damaged"] or file["tail"] != "clean", place
        # Without a search the rows before the damage are read, and none that is not there.
        plain, _ = both(case, bytes(damaged))
        before = [row for row in kept if row["_offset"] < begin]
        assert [row for row in plain if row in before] == before, place
        assert unchecked or all(row in whole or begin <= row["_offset"] < end for row in plain), place


NOT_WRITTEN = {
    ("odd.mcap", "messages"): "time: null",
    ("odd.mcap", "records"): "time: null",
    ("odd.mcap", "channels"): "channel 9 is another one than before",
}
"""What is refused, by file and table: times that no column contains, and a channel that is declared anew."""


@each_case(lambda case: is_plain(case) and not case.read_only)
def test_what_is_written_is_what_was_read(case: PeerCase) -> None:
    columns = format_of(case.format).of_table(case.options["table"]).columns if "table" in case.options else ()
    columns = columns or format_of(case.format).columns
    wanted = [each.name for each in columns if each.default or each.required_for_defaults]
    table = wireloom.read(case.format, case.content, columns=wanted, **case.options)
    written = io.BytesIO()
    refused = NOT_WRITTEN.get((case.file, case.options.get("table", "messages")))
    if refused is not None:
        with pytest.raises(wireloom.WireloomError, match=refused):
            wireloom.write(case.format, table, written, codec="none", **case.options)
        return
    # A data point of one kind is not all that a metric may be.
    lossy = case.format == "otlp_metrics" and bool(case.options)
    wireloom.write(case.format, table, written, codec="none", lossy=lossy, **case.options)
    again = wireloom.read(case.format, written.getvalue(), columns=wanted, mode="failfast", **case.options)
    # Some floats are not equal to themselves.
    assert again.equals(table) or (again.schema, plain_rows(again)) == (table.schema, plain_rows(table))
