"""Files that appear when they are complete, also in an object store."""

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.fs
import pytest
import wireloom
from wireloom import TemporaryError, WireloomError
from wireloom.command import main
from wireloom.input import s3
from wireloom.writing import opened, write

from ...storage_server import Store

ROWS = Path(__file__).with_name("rows.ndjson")


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that represents the bucket ``b`` of an object store."""
    store = pyarrow.fs.SubTreeFileSystem(str(tmp_path), pyarrow.fs.LocalFileSystem())
    monkeypatch.setattr(s3, "filesystem", lambda location, bucket: store)
    (tmp_path / "b").mkdir()
    return tmp_path / "b"


@pytest.mark.parametrize("scheme", ["s3", "s3a", "s3n"])
def test_an_object(scheme: str, bucket: Path) -> None:
    report = write("cobs_log", [{"payload": b"a"}], f"{scheme}://b/a.log")
    assert report.stored == 3
    assert (bucket / "a.log").read_bytes() == b"\x02a\x00"
    assert os.listdir(bucket) == ["a.log"]


@pytest.mark.parametrize(("name", "row"), [("cobs_log", {"payload": b"a"}), ("otlp_logs", {"event_name": "a"})])
def test_the_options_of_a_store(
    name: str, row: dict[str, object], object_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows and messages are written to a store that the environment does not name."""
    for each in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(each, raising=False)
    bucket, how = f"rows-{name.replace('_', '-')}", {"endpoint": object_store.endpoint, "region": "us-east-1"}
    object_store.client.create_bucket(Bucket=bucket)
    write(name, [row], f"s3://{bucket}/a", **how)
    found = wireloom.read(name, f"s3://{bucket}/a", columns=list(row), **how)
    assert found.to_pylist() == [row]
    with pytest.raises(WireloomError, match="region must be a string"):
        write(name, [row], f"s3://{bucket}/a", region=7)


def test_an_object_that_fails(bucket: Path) -> None:
    (bucket / "a.log").write_bytes(b"old")

    def interrupted() -> Iterator[dict[str, bytes]]:
        yield {"payload": b"new"}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write("cobs_log", interrupted(), "s3://b/a.log")
    assert (bucket / "a.log").read_bytes() == b"old"
    assert os.listdir(bucket) == ["a.log"]


def test_a_store_that_refuses(bucket: Path) -> None:
    with pytest.raises(WireloomError, match="cannot be written") as caught:
        write("cobs_log", [{"payload": b"a"}], "s3://b/missing/folder/a.log")
    assert caught.value.path == "s3://b/missing/folder/a.log"


def test_a_file_address(tmp_path: Path) -> None:
    with opened(f"file://{tmp_path}/a") as file:
        file.write(b"content")
        assert not (tmp_path / "a").exists()
    assert (tmp_path / "a").read_bytes() == b"content"


def test_a_full_disk(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with (
        pytest.raises(TemporaryError, match="No space left on device; make room") as caught,
        opened("/dev/full") as file,
    ):
        file.write(b"content")
    assert caught.value.path == "/dev/full"


def test_a_new_file_gets_the_permissions_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    with opened(tmp_path / "ours") as file:
        file.write(b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_everything_is_written_by_one_call(tmp_path: Path) -> None:
    content: Any = memoryview(bytes(range(256)) * 4096).cast("B")
    with opened(tmp_path / "a") as file:
        assert file.write(content) == len(content)
    assert (tmp_path / "a").read_bytes() == bytes(content)


@pytest.mark.parametrize("name", ["rows.ndjson", "rows.ndjson.gz", "rows.parquet", "rows.arrow", "rows.arrows", "rows"])
def test_rows_from_an_object(name: str, bucket: Path) -> None:
    kind = [] if "." in name else ["--to", "ndjson"]
    main(["encode", "cobs_log", str(ROWS), "-o", "s3://b/a.log"], standalone_mode=False)
    main(["decode", "cobs_log", str(bucket / "a.log"), "-o", f"s3://b/{name}", *kind], standalone_mode=False)
    main(["encode", "cobs_log", f"s3://b/{name}", "-o", "s3://b/again.log"], standalone_mode=False)
    assert (bucket / "again.log").read_bytes() == (bucket / "a.log").read_bytes() != b""


def test_a_file_that_takes_little_at_once_gets_everything() -> None:
    class Short(io.RawIOBase):
        taken = b""

        def writable(self) -> bool:
            return True

        def write(self, data: Any, /) -> int:
            self.taken += bytes(data[:7])
            return len(data[:7])

    file, whole = Short(), io.BytesIO()
    for out in (file, whole):
        wireloom.write("cobs_log", [{"payload": b"payload %d" % number} for number in range(9)], out)
    assert file.taken == whole.getvalue()
    assert not file.closed
