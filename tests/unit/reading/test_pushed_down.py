"""Queries of Polars, DuckDB and pyarrow: which columns and filters reach the reader, and that rows are the same."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pytest
import wireloom
from wireloom import UnsupportedError, WireloomError
from wireloom.reading import dataset, scanning

polars = pytest.importorskip("polars", reason="Polars is not there")

ROWS = 5000
Asked = list[tuple[tuple[str, ...], str]]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "a.wal"
    rows = [{"fmt": 0, "tenant": n % 7, "ts_millis": n, "payload": b"%d" % (n % 3)} for n in range(ROWS)]
    wireloom.write("edgemq_segment", rows, path)
    return path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    """Record columns and filter of each scan that is narrowed."""
    found: Asked = []
    inner = scanning.narrowed

    def noted(*arguments: Any) -> Any:
        request = inner(*arguments)
        found.append((tuple(request.projection.names[: request.selected_count]), str(request.filter)))
        return request

    monkeypatch.setattr(scanning, "narrowed", noted)
    monkeypatch.setattr(dataset, "narrowed", noted)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("condition", "pushed"),
    [
        ("c.tenant == 3", "(tenant == 3)"),
        ("3 > c.tenant", "(tenant < 3)"),
        ("(c.tenant > 1) & (c.payload == b'2')", '(tenant > 1) and (payload == "32")'),
        ("(c.tenant > 1) & (c.payload.bin.size() > 0)", "(tenant > 1)"),
        ("(c.tenant > 5) | (c.payload.bin.size() > 0)", "None"),
        ("c.payload.is_not_null()", "is_valid(payload)"),
        ("c.tenant.cast(polars.Float64) > 2.5", "None"),
        ("c.tenant == 1 << 40", "None"),
        ("c.ts > polars.datetime(1970, 1, 1, 0, 0, 4, time_zone='UTC')", "(ts > 1970-01-01 00:00:04.000Z)"),
    ],
)
def test_conditions_of_polars(condition: str, pushed: str, log: Path, asked: Asked) -> None:
    class Columns:
        def __getattr__(self, name: str) -> Any:
            return polars.col(name)

    wanted = eval(condition, {"c": Columns(), "polars": polars})
    lazy = wireloom.scan("edgemq_segment", log).lazy()
    found = lazy.filter(wanted).select("ts", "payload").collect()
    whole = polars.DataFrame(wireloom.read("edgemq_segment", log))
    assert found.equals(whole.filter(wanted).select("ts", "payload"))
    if "datetime" not in condition or asked[0][1] != "None":
        # A time may be a call instead of a constant.
        assert sorted(asked[0][1].strip("()").split(") and (")) == sorted(pushed.strip("()").split(") and ("))
    assert set(asked[0][0]) <= {"tenant", "ts", "payload"}


def test_limits_and_conditions_of_polars(log: Path) -> None:
    first = wireloom.scan("edgemq_segment", log, limit=10).lazy().filter(polars.col("tenant") == 3)
    assert first.select("ts").collect().height == 1
    few = wireloom.scan("edgemq_segment", log).lazy().filter(polars.col("tenant") == 3).head(5).collect()
    assert few["tenant"].to_list() == [3] * 5
    # Here the limit is before the condition.
    whole, lazy = polars.DataFrame(wireloom.read("edgemq_segment", log)), wireloom.scan("edgemq_segment", log).lazy()
    for count in (0, 10, 100):
        wanted = whole.head(count).filter(polars.col("tenant") == 3).select("ts")
        assert lazy.head(count).filter(polars.col("tenant") == 3).select("ts").collect().equals(wanted)


def test_functions_of_polars(log: Path) -> None:
    import wireloom.polars

    made = wireloom.polars.scan_edgemq_segment
    assert made is wireloom.polars.scan_edgemq_segment
    assert {"scan_edgemq_segment", "scan_pcap"} <= set(dir(wireloom.polars))
    assert {"source", "columns", "mode", "filesystem"} <= set(inspect.signature(made).parameters)
    assert made(log, columns=["tenant"]).collect().shape == (ROWS, 1)
    with pytest.raises(AttributeError, match="did you mean 'scan_pcap'"):
        _ = wireloom.polars.scan_pcapp


@pytest.mark.slow
def test_duckdb(log: Path, asked: Asked) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not there")
    import wireloom.duckdb

    connection = duckdb.connect()
    wireloom.duckdb.register(connection, "events", "edgemq_segment", log)
    asked.clear()
    query = "SELECT count(*), min(epoch_ms(ts)) FROM events WHERE tenant = 3 AND payload = '2'::BLOB"
    assert connection.execute(query).fetchall() == [(238, 17)]
    assert asked[-1][0] == ("ts",)
    assert "tenant == 3" in asked[-1][1]
    # Again, and by another condition, and by a variable's name.
    assert connection.execute("SELECT count(*) FROM events").fetchall() == [(ROWS,)]
    assert connection.execute("SELECT ts FROM events WHERE octet_length(payload) = 9").fetchall() == []
    assert connection.execute("SELECT tenant FROM events ORDER BY tenant LIMIT 2").fetchall() == [(0,), (0,)]
    logs = wireloom.dataset("edgemq_segment", log, columns=["tenant"])
    assert connection.execute("SELECT max(tenant) FROM logs").fetchall() == [(6,)]
    del logs


def test_duckdb_and_damage(log: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not there")
    content = bytearray(log.read_bytes())
    damaged = wireloom.dataset("edgemq_segment", bytes(content[: len(content) // 2 + 3]), mode="failfast")
    connection = duckdb.connect()
    with pytest.raises(Exception, match=r"(?i)truncated|cut off|incomplete|codec|ends"):
        connection.execute("SELECT count(*) FROM damaged").fetchall()
    assert damaged.schema.names[0] == "fmt"


@pytest.mark.slow
def test_datasets(log: Path) -> None:
    found = wireloom.dataset("edgemq_segment", [log, log], columns=["tenant", "ts"])
    assert isinstance(found, pyarrow.dataset.Dataset)
    assert found.count_rows() == 2 * ROWS
    wanted = pc.field("tenant") == 3
    table = found.to_table(columns=["ts"], filter=wanted)
    assert table.schema.names == ["ts"]
    assert table.num_rows == found.filter(wanted).count_rows() == 2 * 714
    assert sum(each.count_rows() for each in found.get_fragments(filter=wanted)) == 2 * 714
    assert found.head(3).num_rows == 3
    assert found.to_table(columns={"twice": pc.field("tenant") * 2}).schema.names == ["twice"]
    assert polars.scan_pyarrow_dataset(found).filter(polars.col("tenant") == 3).collect().height == 2 * 714
    assert sum(each.num_rows for each in found.to_batches(batch_size=100)) == 2 * ROWS
    for call in (lambda: found.sort_by("ts"), lambda: found.join(found, "ts"), lambda: found.replace_schema(None)):
        with pytest.raises(UnsupportedError, match=r"read it first, as with dataset.to_table\(\)"):
            call()
    with pytest.raises(WireloomError, match="the dataset has no column 'x'"):
        found.to_table(columns=["x"])
    with pytest.raises(UnsupportedError, match="leave limit out"):
        wireloom.dataset("edgemq_segment", log, limit=3).to_table(filter=wanted)
    assert wireloom.dataset("edgemq_segment", log, limit=3).to_table().num_rows == 3
    assert pa.table(found.to_table()).num_rows == 2 * ROWS
