"""Storage of every kind: file systems of pyarrow and fsspec, addresses, web servers with and without ranges."""

from __future__ import annotations

import traceback
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pytest
import wireloom
from click.testing import CliRunner
from wireloom import UnsupportedError, WireloomError
from wireloom.command import main
from wireloom.input.expansion import expand
from wireloom.input.inputs import Location
from wireloom.input.stores import store_of

from ...storage_server import BUCKET, Store
from . import samples
from .web_server import Ignoring, Serving, serving

fsspec = pytest.importorskip("fsspec", reason="fsspec is not there")

LOG = samples.word_log([b"%05d" % number * 100 for number in range(3000)])
"""1.5 MB of uncompressed records."""
ROWS = 3000


@pytest.fixture
def memory() -> Any:
    """Return the file system memory://, with a log in three places."""
    found = fsspec.filesystem("memory")
    found.store.clear()
    found.pseudo_dirs[:] = [""]
    for name in ("/logs/a/1.log", "/logs/a/2.log", "/logs/b/_tmp/3.log", "/logs/b/[x] ?.log"):
        found.pipe_file(name, LOG)
    return found


def count(source: Any, **options: Any) -> int:
    return int(wireloom.read("word_stuffed_log", source, columns=["generation"], **options).num_rows)


def test_memory(memory: Any) -> None:
    table, report = wireloom.read_with_report("word_stuffed_log", "memory://logs/a/1.log", columns=["_path"])
    assert table.num_rows == ROWS
    assert set(table["_path"].to_pylist()) == {"memory://logs/a/1.log"} == {each.path for each in report.files}
    assert count("memory://logs/a") == count("memory://logs/*/?.log") == 2 * ROWS
    # Hidden folders are ignored, and a name may contain the characters of a glob.
    assert count("memory://logs") == 3 * ROWS
    assert count("memory://logs/b/[x] ?.log") == ROWS
    with pytest.raises(WireloomError, match=r"memory://logs/none: not found: check the address$"):
        count("memory://logs/none")


@pytest.mark.parametrize("kind", ["fsspec", "pyarrow", "wrapped"])
def test_a_file_system_of_the_caller(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.log").write_bytes(LOG)
    (folder / "b.log").write_bytes(LOG)
    local = fsspec.filesystem("file")
    own = {
        "fsspec": fsspec.filesystem("dir", path=str(tmp_path), fs=local),
        "pyarrow": pyarrow.fs.SubTreeFileSystem(str(tmp_path), pyarrow.fs.LocalFileSystem()),
        "wrapped": pyarrow.fs.PyFileSystem(
            pyarrow.fs.FSSpecHandler(fsspec.filesystem("dir", path=str(tmp_path), fs=local))
        ),
    }[kind]
    table = wireloom.read("word_stuffed_log", "in/*.log", filesystem=own, columns=["generation", "payload", "_path"])
    assert table.num_rows == 2 * ROWS
    assert set(table["_path"].to_pylist()) == {"in/a.log", "in/b.log"}
    found = [
        wireloom.read("word_stuffed_log", "in/a.log", filesystem=own, byte_range=part).num_rows
        for part in ((0, 1_000_000), (1_000_000, 2_000_000))
    ]
    assert all(found)
    assert sum(found) == ROWS
    first = wireloom.first_row("word_stuffed_log", "in/a.log", at=1_000_000, filesystem=own)
    assert first is not None
    assert first.values["generation"] == table["generation"][found[0]].as_py()
    wireloom.write("word_stuffed_log", table.select(["generation", "payload"]), "in/c.log", filesystem=own)
    assert count(str(folder / "c.log")) == 2 * ROWS
    assert sorted(each.name for each in folder.iterdir()) == ["a.log", "b.log", "c.log"]


def test_what_is_no_file_system() -> None:
    with pytest.raises(WireloomError, match=r"filesystem must be a file system of pyarrow\.fs or fsspec.*, not 's3'"):
        count("a", filesystem="s3")


def test_open_files(memory: Any) -> None:
    assert count(fsspec.open("memory://logs/a/1.log")) == ROWS
    assert count(fsspec.open_files("memory://logs/a/*.log")) == 2 * ROWS
    table = wireloom.read("word_stuffed_log", "memory://logs/a/1.log", columns=["generation", "payload"])
    wireloom.write("word_stuffed_log", table, fsspec.open("memory://out/x.log", "wb"))
    assert count("memory://out/x.log") == ROWS
    assert memory.find("/out") == ["/out/x.log"]
    for wrong, error in ((fsspec.open("memory://logs/a/1.log", "r"), "open it with 'rb'"),):
        with pytest.raises(WireloomError, match=error):
            count(wrong)
    with pytest.raises(WireloomError, match="leave compression= out"):
        count(fsspec.open("memory://logs/a/1.log", compression="gzip"))


def test_a_write_that_fails(memory: Any) -> None:
    with pytest.raises(WireloomError):
        wireloom.write("word_stuffed_log", [{"generation": 1, "payload": b""}, {"generation": "x"}], "memory://new/x")
    assert memory.find("/new") == []


def test_chains(memory: Any, tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("in/a.log", LOG)
    address = f"zip://in/*.log::file://{tmp_path}/x.zip"
    assert [each.path for each in expand(address)] == [f"zip://in/a.log::file://{tmp_path}/x.zip"]
    assert count(address) == ROWS
    (tmp_path / "b.log").write_bytes(LOG)
    assert count(f"simplecache::file://{tmp_path}/b.log") == ROWS


# Web servers ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("handler", [Serving, Ignoring])
def test_web_servers(handler: Any, tmp_path: Path) -> None:
    pytest.importorskip("aiohttp", reason="aiohttp is not there")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_bytes(LOG)
    (tmp_path / "logs" / "_b.log").write_bytes(LOG)
    (tmp_path / "c.log").write_bytes(LOG)
    with serving(tmp_path, handler) as (address, asked):
        whole = wireloom.read("word_stuffed_log", f"{address}/logs/a.log")
        assert whole.num_rows == ROWS
        assert asked == [("/logs/a.log", "")]
        asked.clear()
        parts = [
            wireloom.read("word_stuffed_log", f"{address}/logs/a.log", byte_range=(begin, begin + 400_000))
            for begin in range(0, 1_600_000, 400_000)
        ]
        assert [row for part in parts for row in part["payload"].to_pylist()] == whole["payload"].to_pylist()
        assert all(part.num_rows for part in parts)
        wireloom.read("word_stuffed_log", f"{address}/logs/a.log", byte_range=(1_400_000, 1_400_100))
        assert all(given for _, given in asked) == (handler is Serving)
        # A folder's listing, a glob, and a query, which is not in any output.
        assert count(f"{address}/logs/") == count(f"{address}/lo*/*.log") == ROWS
        assert count(f"{address}/") == 2 * ROWS
        secret = f"{address}/logs/a.log?sig=SECRET"
        table, report = wireloom.read_with_report("word_stuffed_log", secret, columns=["_path"])
        assert report.files[0].path == f"{address}/logs/a.log" == table["_path"][0].as_py()
        assert "SECRET" not in repr(expand(secret))
        for name, error in (("none.log", "the server answers 404"), ("forbidden", "the server answers 40")):
            with pytest.raises(WireloomError, match=error) as caught:
                count(f"{address}/{name}?sig=SECRET")
            assert "SECRET" not in "".join(
                each for each in traceback.format_exception(caught.value) if __file__ not in each
            )
        with pytest.raises(WireloomError, match="its file system only reads"):
            wireloom.write("word_stuffed_log", [], f"{address}/new.log")
        done = CliRunner().invoke(main, ["verify", "word_stuffed_log", f"{address}/logs/a.log"])
        assert (done.exit_code, done.stdout.startswith(f"{address}/logs/a.log: clean")) == (0, True)


def test_a_server_that_is_not_there() -> None:
    pytest.importorskip("aiohttp", reason="aiohttp is not there")
    with pytest.raises(WireloomError, match=r"the server cannot be reached: .*127"):
        count("http://127.0.0.1:9/a.log")


# Stores ---------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_s3_through_fsspec(object_store: Store) -> None:
    from fsspec.implementations.arrow import ArrowFSWrapper

    name = object_store.put("any/x.log", LOG)
    host = object_store.endpoint.partition("://")[2]
    own = pyarrow.fs.S3FileSystem(endpoint_override=host, scheme="http", region="us-east-1")
    for store in (own, ArrowFSWrapper(own)):
        assert count(f"{BUCKET}/any/*.log", filesystem=store) == ROWS
        object_store.requests.clear()
        assert count(f"{BUCKET}/any/x.log", filesystem=store, byte_range=(700_000, 700_400)) in (0, 1)
        assert 0 < object_store.fetched("any/x.log") < len(LOG) or store is not own
    assert count(name, endpoint=object_store.endpoint) == ROWS


def test_other_stores() -> None:
    """Their file systems are created; their content needs the stores."""
    google = store_of("gs://logs/a/*.log", Location(endpoint="http://127.0.0.1:9", anonymous=True))
    assert (google.files.type_name, google.path, google.address("logs/a/b")) == ("gcs", "logs/a/*.log", "gs://logs/a/b")
    azure = store_of("abfss://logs@name.dfs.core.windows.net/a b/", Location())
    assert (azure.files.type_name, azure.path) == ("abfs", "logs/a b")
    assert azure.address("logs/x") == "abfss://logs@name.dfs.core.windows.net/x"


@pytest.mark.parametrize(
    ("address", "options", "error"),
    [
        ("nothing://a/b", {}, "neither pyarrow nor fsspec supports it"),
        ("gs:///b", {}, "has no bucket: gs://BUCKET/PATH"),
        ("zip://a::memory://none.zip", {}, "not found: check the address"),
        ("abfs://logs/b", {}, "the account is missing"),
        ("memory://a", {"region": "x"}, "region is an option of s3://"),
        ("sftp://me:SECRET@host/a", {}, "an address must not contain a password"),
        ("https://me:SECRET@host/a", {}, "an address must not contain a password"),
        ("simplecache::https://me:SECRET@host/a", {}, "an address must not contain a password"),
    ],
)
def test_addresses_that_are_refused(address: str, options: dict[str, Any], error: str) -> None:
    with pytest.raises(WireloomError, match=error) as caught:
        count(address, **options)
    assert "SECRET" not in "".join(traceback.format_exception(caught.value)).replace(repr(address), "")


def test_packages_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any, **__: Any) -> Any:
        raise ImportError("Install adlfs to access Azure")

    monkeypatch.setattr(fsspec.core, "url_to_fs", missing)
    with pytest.raises(UnsupportedError, match="az:// needs a package that is not installed: Install adlfs"):
        count("az://logs/a")


def test_digests_are_of_s3(memory: Any) -> None:
    with pytest.raises(UnsupportedError, match="verify_sha256 needs the metadata of s3:// objects"):
        count("memory://logs/a/1.log", verify_sha256=True)


def test_a_store_that_cannot_move_files(tmp_path: Path) -> None:
    """Like those of Azure without a hierarchical namespace."""

    class Handler(pyarrow.fs.FSSpecHandler):
        def move(self, src: str, dest: str) -> None:
            raise NotImplementedError("move")

    files = pyarrow.fs.PyFileSystem(Handler(fsspec.filesystem("dir", path=str(tmp_path), fs=fsspec.filesystem("file"))))
    wireloom.write("word_stuffed_log", [{"generation": 0, "payload": b"x"}], "a.log", filesystem=files)
    assert [each.name for each in tmp_path.iterdir()] == ["a.log"]
    assert count("a.log", filesystem=files) == 1


@pytest.mark.parametrize("refused", ["get_file_info", "open_input_file", "open_output_stream"])
def test_errors_that_arrow_has_no_class_for(refused: str, tmp_path: Path) -> None:
    """Like those of Azure without credentials."""
    (tmp_path / "a.log").write_bytes(LOG)
    handler = pyarrow.fs.FSSpecHandler(fsspec.filesystem("file"))
    files = pyarrow.fs.SubTreeFileSystem(str(tmp_path), pyarrow.fs.PyFileSystem(handler))

    def refuse(*_: Any) -> Any:
        raise pa.ArrowException("Unknown error: no token\nSee the manual")

    setattr(handler, refused, refuse)
    written = partial(wireloom.write, "word_stuffed_log", [])
    call = written if refused == "open_output_stream" else count
    with pytest.raises(WireloomError, match=r"a.log: .*: Unknown error: no token$"):
        call("a.log", filesystem=files)


def test_azure_without_a_key_and_without_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ACCOUNT_KEY", "SAS_TOKEN"):
        monkeypatch.delenv(f"AZURE_STORAGE_{name}", raising=False)
    with pytest.raises(WireloomError, match=r"tokens are not sent over http: .* set AZURE_STORAGE_ACCOUNT_KEY"):
        count("abfss://logs@account.dfs.core.windows.net/a.log", endpoint="http://127.0.0.1:9")
