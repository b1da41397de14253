"""Memory stays bounded, whatever the size of the input."""

import resource
from pathlib import Path

import pyarrow as pa
import wireloom
import zstandard

from ..writing import bytes_of
from .children import MEGABYTE, measured, measured_reads, needs_engine, needs_proc


def frames(megabytes: int, payload: bytes) -> tuple[bytes, int]:
    count = megabytes * MEGABYTE // (len(payload) + 21)
    table = pa.table(
        {
            "fmt": pa.array([0] * count, pa.uint8()),
            "tenant": pa.array(range(count), pa.uint32()),
            "ts": pa.array([1_790_000_000_000] * count, pa.timestamp("ms", "UTC")),
            "payload": pa.array([payload] * count, pa.binary()),
        }
    )
    return bytes_of("edgemq_segment", table, codec="none"), count


@needs_proc
@needs_engine
def test_a_segment_of_two_gigabytes(tmp_path: Path) -> None:
    block, count = frames(20, b"x" * 179)
    path = tmp_path / "large.wal.zst"
    repeats = 100
    with path.open("wb") as file, zstandard.ZstdCompressor(level=1).stream_writer(file) as writer:
        for _ in range(repeats):
            writer.write(block)
    [words], grown = measured_reads(("edgemq_segment", path))
    size = len(block) * repeats
    assert size > 1990 * MEGABYTE
    assert words == [str(count * repeats), str(size), "clean"]
    assert grown < 200 * MEGABYTE


@needs_proc
def test_a_bomb_is_left_at_its_first_frame() -> None:
    path = Path(__file__).parents[1] / "vectors" / "edgemq" / "bomb_1gib_zeros.wal.zst"
    [(rows, size, *_)], grown = measured_reads(("edgemq_segment", path))
    assert int(rows) == 0
    assert int(size) < 64 * MEGABYTE
    assert grown < 200 * MEGABYTE


def test_a_claimed_length_allocates_nothing() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for claimed in (0xFFFFFFFF, 0x7FFFFFFF, 0x10000000):
        data = claimed.to_bytes(4, "big") + bytes(40)
        table, report = wireloom.read_with_report("edgemq_segment", data, check_format=False)
        assert table.num_rows == 0
        assert report.files[0].tail == "truncated"
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown * 1024 < 150 * MEGABYTE


PARTITIONS = """
import os
import sys
import numpy as np
import pyarrow as pa
from wireloom.spark.folders import folder
from wireloom.spark.ingest.table_files import FileLayout, write_table_files

BEFORE = resident()
rows, size, batches = 10_000, 1600, int(sys.argv[2])
kinds = pa.array([number % 1000 for number in range(rows)], pa.int32())
offsets = pa.py_buffer(np.arange(0, (rows + 1) * size, size, dtype=np.int32))
schema = pa.schema({"kind": pa.int32(), "payload": pa.binary()})


def made():
    for _ in range(batches):
        payload = pa.Array.from_buffers(pa.binary(), rows, [None, offsets, pa.py_buffer(os.urandom(rows * size))])
        yield pa.record_batch([kinds, payload], schema)


files = write_table_files(made(), schema, folder(sys.argv[1]), FileLayout(("kind",)))
print(len({each.folder for each in files}), sum(each.rows for each in files))
"""


@needs_proc
def test_a_thousand_partitions_of_one_task(tmp_path: Path) -> None:
    """The memory of a task of an ingest does not depend on the number of partitions to which its rows belong."""
    [kinds, rows], grown = measured(PARTITIONS, tmp_path, 20)
    assert (int(kinds), int(rows)) == (1000, 200_000)
    # It grows by 230 MB here, and by 470 MB if it keeps all 320 MB of rows, instead of 64 MiB.
    assert grown < 340 * MEGABYTE
