"""Polars, DuckDB and pandas read a scanner: the page's examples, and that nothing is copied in between."""

from pathlib import Path

import pyarrow as pa
import pytest
import wireloom

from .blocks import Page

pytest.importorskip("duckdb")
pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

PAGE = Path(__file__).parents[2] / "docs" / "dataframes.md"


def test_the_page(tmp_path: Path) -> None:
    assert Page(PAGE.read_text(), tmp_path).run() >= 5


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "a.wal"
    wireloom.write(
        "edgemq_segment", [{"fmt": 0, "tenant": n, "ts_millis": n, "payload": b"x"} for n in range(5000)], path
    )
    return path


def test_the_stream_hands_over_the_memory_that_the_engine_filled(log: Path) -> None:
    addresses = []
    scanner = wireloom.scan("edgemq_segment", log, columns=["tenant"], batch_rows=1000)

    class Noted:
        """The scanner's batches, whose addresses are recorded as they pass."""

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            def batches() -> object:
                for batch in scanner:
                    addresses.append(batch.column(0).buffers()[1].address + 4 * batch.column(0).offset)
                    yield batch

            return pa.RecordBatchReader.from_batches(scanner.schema, batches()).__arrow_c_stream__(requested_schema)

    column = polars.DataFrame(Noted())["tenant"]
    # Polars passes its memory on unchanged.
    chunks = pa.chunked_array(column).chunks
    assert [each.buffers()[1].address + 4 * each.offset for each in chunks] == addresses
    assert len(addresses) >= 5


def test_a_reader_that_stops_early(log: Path) -> None:
    with wireloom.scan("edgemq_segment", log, columns=["tenant"], batch_rows=100) as scanner:
        reader = pa.RecordBatchReader.from_stream(scanner)
        assert reader.read_next_batch().num_rows == 100
        reader.close()
    assert scanner.report.files[0].tail == "unread"
    assert scanner.report.rows < 5000
