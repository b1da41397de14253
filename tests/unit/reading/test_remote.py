"""Object stores, represented by a folder."""

from pathlib import Path
from typing import Any

import pyarrow.fs
import pytest
import wireloom
from wireloom.input import remote_files, s3
from wireloom.input.expansion import expand
from wireloom.input.inputs import Location

from . import samples

asked: list[tuple[Location, str]] = []


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = (
        "bucket/a/1.log",
        "bucket/a/2.log",
        "bucket/a/_tmp/3.log",
        "bucket/a/b/4.log",
        "bucket/.x",
        "bucket/c/5.bin",
    )
    for number, name in enumerate(files):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(samples.word_log([b"%d" % number] * 100))
    folder = pyarrow.fs.SubTreeFileSystem(str(tmp_path), pyarrow.fs.LocalFileSystem())

    def filesystem(location: Location, bucket: str) -> Any:
        asked.append((location, bucket))
        return folder

    asked.clear()
    monkeypatch.setattr(s3, "filesystem", filesystem)
    return tmp_path


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("s3://bucket/a/1.log", ["a/1.log"]),
        ("s3a://bucket/a", ["a/1.log", "a/2.log", "a/b/4.log"]),
        ("s3n://bucket/a/", ["a/1.log", "a/2.log", "a/b/4.log"]),
        ("s3://bucket", ["a/1.log", "a/2.log", "a/b/4.log", "c/5.bin"]),
        ("s3://bucket/*/?.log", ["a/1.log", "a/2.log"]),
        ("s3://bucket/**/*.log", ["a/1.log", "a/2.log", "a/b/4.log"]),
        ("s3://bucket/a/[!1].log", ["a/2.log"]),
        ("s3://bucket/[ac]", ["a/1.log", "a/2.log", "a/b/4.log", "c/5.bin"]),
    ],
)
def test_addresses(address: str, found: list[str]) -> None:
    inputs = expand(address)
    scheme = address.split("://")[0]
    assert [each.path for each in inputs] == [f"{scheme}://bucket/{name}" for name in found]
    assert all(each.size and each.modified and each.seekable for each in inputs)


@pytest.mark.parametrize("address", ["s3://bucket/nothing", "s3://bucket/*.nothing", "s3://bucket/none/*"])
def test_addresses_without_an_object_are_errors(address: str) -> None:
    with pytest.raises(wireloom.WireloomError, match="no such object: check bucket"):
        expand(address)


def test_no_bucket() -> None:
    with pytest.raises(wireloom.WireloomError, match="needs a bucket"):
        expand("s3:///key")


def test_region_endpoint_and_anonymous_access() -> None:
    expand("s3://bucket/a", Location("eu-1", "http://localhost:9000", True))
    assert asked[0] == (Location("eu-1", "http://localhost:9000", True), "bucket")


def test_reading(store: Path) -> None:
    table, report = wireloom.read_with_report("word_stuffed_log", "s3://bucket/a/", columns=["payload", "_path"])
    assert [file.path for file in report.files] == [f"s3://bucket/a/{name}" for name in ("1.log", "2.log", "b/4.log")]
    assert table.num_rows == 300
    size = (store / "bucket/a/1.log").stat().st_size
    found = []
    for begin in range(0, size, 100):
        part = wireloom.read(
            "word_stuffed_log", "s3://bucket/a/1.log", byte_range=(begin, begin + 100), columns=["_offset"]
        )
        found += part["_offset"].to_pylist()
    assert len(found) == 100


def test_requests_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_files, "READ_SIZE", 1000)
    [found] = expand("s3://bucket/a/1.log")
    stream = found.open()
    content = samples.word_log([b"0"] * 100)
    buffer = memoryview(bytearray(len(content)))
    filled = 0
    while count := stream.readinto(buffer[filled : filled + 7]):
        filled += count
    assert bytes(buffer[:filled]) == content
    assert stream.seek(5) == 5
    stream.readinto(buffer)
    assert bytes(buffer[:10]) == content[5:15]
    stream.close()


def test_an_object_that_goes_before_it_is_opened(store: Path) -> None:
    [found] = expand("s3://bucket/a/1.log")
    (store / "bucket/a/1.log").unlink()
    with pytest.raises(wireloom.WireloomError, match="cannot be opened") as caught:
        found.open()
    assert caught.value.path == "s3://bucket/a/1.log"


def test_a_store_that_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise OSError("ACCESS_DENIED")

    monkeypatch.setattr(s3, "filesystem", refuse)
    with pytest.raises(wireloom.WireloomError, match="the object store refused the request: ACCESS_DENIED"):
        expand("s3://bucket/a")


def test_options_of_the_file_system(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[str, Any]] = []
    monkeypatch.undo()
    monkeypatch.setattr(pyarrow.fs, "S3FileSystem", lambda **options: made.append(options))
    monkeypatch.setattr(pyarrow.fs, "resolve_s3_region", lambda bucket: f"region-of-{bucket}")
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    s3.filesystem.__wrapped__(Location(), "b")
    s3.filesystem.__wrapped__(Location("eu-1", "http://localhost:9000", True), "b")
    s3.filesystem.__wrapped__(Location(endpoint="localhost:9000"), "b")
    monkeypatch.setenv("AWS_REGION", "us-7")
    s3.filesystem.__wrapped__(Location(), "b")
    assert made == [
        {"anonymous": False, "region": "region-of-b"},
        {"anonymous": True, "endpoint_override": "localhost:9000", "scheme": "http", "region": "eu-1"},
        {"anonymous": False, "endpoint_override": "localhost:9000", "scheme": "https"},
        {"anonymous": False, "region": "us-7"},
    ]
