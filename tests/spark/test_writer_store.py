"""Writing to an object store, on a server on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pytest
import wireloom

from .driver import schema_of, sent, source

moto = pytest.importorskip("moto.server")


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Any]]:
    """Return a server's address, and its files."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "reader")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    files = pyarrow.fs.S3FileSystem(
        endpoint_override=f"127.0.0.1:{port}", scheme="http", region="us-east-1", allow_bucket_creation=True
    )
    files.create_dir("logs")
    yield f"http://127.0.0.1:{port}", files
    server.stop()


def test_writing_to_a_store(store: tuple[str, Any]) -> None:
    endpoint, files = store
    rows = pa.table({"payload": pa.array([b"%d" % each for each in range(100)], pa.binary())})
    location = {"endpoint": endpoint, "region": "us-east-1"}
    options = {"path": "s3a://logs/out", "maxRecordsPerFile": 30, **location}

    def written(overwrite: bool = False) -> tuple[Any, Any]:
        writer = sent(source("cobs_log", **options).writer(schema_of("payload BINARY"), overwrite))
        return writer, writer.write(iter(rows.to_batches()))

    def there() -> list[str]:
        selector = pyarrow.fs.FileSelector("logs/out", recursive=True)
        return [each.path for each in files.get_file_info(selector) if each.type == pyarrow.fs.FileType.File]

    for overwrite, total in ((False, 100), (False, 200), (True, 100)):
        writer, message = written(overwrite)
        writer.commit([message])
        assert wireloom.read("cobs_log", "s3://logs/out", **location).num_rows == total
        assert len(there()) == total // 25
    writer, _ = written()
    writer.abort([None])
    assert len(there()) == 4
