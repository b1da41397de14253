"""Object stores, through a server on this machine: listing, ranges, profiles, digests, commands."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import DamagedInputError, UnknownNameError, UnsupportedError, WireloomError
from wireloom.input.expansion import expand
from wireloom.input.inputs import Location
from wireloom.input.remote_files import HEAD_SIZE, READ_SIZE
from wireloom.writing import opened

from ...storage_server import BUCKET, Store
from ..commands import run
from . import samples

SEGMENT = samples.frames([b'{"n":%d}' % number for number in range(50)])


@pytest.fixture(autouse=True)
def quiet_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))


def read(store: Store, source: Any, **options: Any) -> Any:
    return wireloom.read("edgemq_segment", source, endpoint=store.endpoint, **options)


@pytest.mark.slow
def test_prefixes_globs_and_lists(object_store: Store) -> None:
    for name in ("day=1/a.wal", "day=1/b.wal", "day=1/_temporary/c.wal", "day=2/d.wal", "day=3/.hidden.wal"):
        object_store.put(f"listed/{name}", SEGMENT)
    root = f"s3://{BUCKET}/listed"
    for address, files in (
        (f"{root}/", 3),
        (f"{root}/day=1", 2),
        (f"s3a://{BUCKET}/listed/day=2/d.wal", 1),
        (f"s3n://{BUCKET}/listed/*/[ad].wal", 2),
        (f"{root}/day={{1,2}}/*.wal", 3),
        ([f"{root}/day=1/a.wal", f"{root}/day=2"], 2),
    ):
        assert len(expand(address, Location(endpoint=object_store.endpoint))) == files
        assert read(object_store, address).num_rows == files * 50
    with pytest.raises(WireloomError, match="no such object: check bucket, key, region and credentials"):
        read(object_store, f"{root}/nothing/*")


def test_a_key_that_arrow_does_not_open(object_store: Store) -> None:
    object_store.put("empty//part.wal", SEGMENT)
    with pytest.raises(WireloomError, match=r"cannot be opened: Empty path component.*; copy the object to a key with"):
        read(object_store, f"s3://{BUCKET}/empty")


@pytest.mark.slow
def test_only_the_range_is_fetched(object_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of four byte ranges costs its own bytes, the first ones and the end of a row, and no row is returned
    twice."""
    content = samples.word_log([bytes([number % 251]) * 1000 for number in range(8000)])
    address = object_store.put("ranges/large.log", content)
    step = len(content) // 4
    found: list[int] = []
    for begin in range(0, len(content), step):
        object_store.requests.clear()
        table = wireloom.read(
            "word_stuffed_log",
            address,
            byte_range=(begin, begin + step),
            columns=["_offset"],
            endpoint=object_store.endpoint,
        )
        found += table["_offset"].to_pylist()
        ranges = object_store.ranges("large.log")
        # Blocks that are read ahead after the range are small.
        assert object_store.fetched("large.log") <= step + 6 * HEAD_SIZE
        assert all(end - start <= READ_SIZE for start, end in ranges)
        assert not any(start > begin + step + 5 * HEAD_SIZE for start, _ in ranges)
    assert len(found) == len(set(found)) == 8000


def test_a_small_object_is_one_request(object_store: Store) -> None:
    address = object_store.put("small/one.wal", SEGMENT)
    object_store.requests.clear()
    assert read(object_store, address).num_rows == 50
    assert len(object_store.ranges("one.wal")) == 1


# Profiles -------------------------------------------------------------------------------------------------------------


def test_a_profile_has_keys_region_and_endpoint(
    object_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = object_store.put("profile/x.wal", SEGMENT)
    (tmp_path / "credentials").write_text("[logs]\naws_access_key_id = local\naws_secret_access_key = local\n")
    (tmp_path / "config").write_text(
        f"[profile logs]\nregion = us-east-1\nendpoint_url = {object_store.endpoint}\n[default]\nregion = eu-west-1\n"
    )
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    assert wireloom.read("edgemq_segment", address, profile="logs").num_rows == 50
    with pytest.raises(UnknownNameError, match="unknown profile 'log': did you mean 'logs'"):
        wireloom.read("edgemq_segment", address, profile="log")
    (tmp_path / "config").write_text("no section")
    with pytest.raises(WireloomError, match="Unable to parse config file"):
        wireloom.read("edgemq_segment", address, profile="logz")


@pytest.mark.slow
def test_anonymous_requests_are_not_signed(object_store: Store) -> None:
    closed = object_store.put("open/closed.wal", SEGMENT)
    with pytest.raises(WireloomError, match=r"the object store refused the request: .*ACCESS_DENIED"):
        read(object_store, closed, anonymous=True)
    address = object_store.put("open/x.wal", SEGMENT, public=True, sha256="1" * 64)
    assert read(object_store, address, anonymous=True).num_rows == 50
    with pytest.raises(DamagedInputError, match="the object's metadata says 1111"):
        read(object_store, address, anonymous=True, verify_sha256=True, mode="failfast")


# Digests --------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_digest_in_the_metadata(object_store: Store) -> None:
    good = object_store.put("digest/good.wal", SEGMENT, sha256=hashlib.sha256(SEGMENT).hexdigest().upper())
    bad = object_store.put("digest/bad.wal", SEGMENT, sha256="0" * 64)
    bare = object_store.put("digest/bare.wal", SEGMENT)
    for address in (good, bare):
        assert read(object_store, address, verify_sha256=True, mode="failfast").num_rows == 50
    assert read(object_store, bad, mode="failfast").num_rows == 50
    shown = read(object_store, bad, verify_sha256=True, columns=["tenant", "_error"])
    assert shown.num_rows == 51
    assert re.match(
        r"digest: the SHA-256 of the stored bytes is [0-9a-f]{64}, and the object's metadata says 0{64}",
        shown["_error"][50].as_py(),
    )
    with pytest.raises(DamagedInputError, match=r"bad\.wal at byte \d+: the SHA-256 of the stored bytes is"):
        read(object_store, bad, verify_sha256=True, mode="failfast")
    with pytest.raises(UnsupportedError, match="leave byte_range or verify_sha256 out"):
        read(object_store, bad, verify_sha256=True, byte_range=(0, 5))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["large.wal.zst", "large.wal"])
def test_the_digest_of_a_large_object(name: str, object_store: Store, tmp_path: Path) -> None:
    table = wireloom.read("edgemq_segment", samples.frames([bytes(range(256)) * 40] * 2000))
    wireloom.write("edgemq_segment", table, tmp_path / name)
    content = (tmp_path / name).read_bytes()
    address = object_store.put(f"digest/{name}", content, sha256=hashlib.sha256(content).hexdigest())
    assert read(object_store, address, verify_sha256=True, mode="failfast").num_rows == 2000
    changed = object_store.put(f"digest/changed-{name}", content, sha256=hashlib.sha256(content + b"x").hexdigest())
    _, report = wireloom.read_with_report("edgemq_segment", changed, endpoint=object_store.endpoint, verify_sha256=True)
    assert report.rows == 2000
    assert [each.reason for each in report.files[0].damaged] == ["digest"]


# Writing, commands ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_writing(object_store: Store) -> None:
    location = Location(endpoint=object_store.endpoint)
    with opened(f"s3://{BUCKET}/written/x", location) as file:
        file.write(b"content")
    assert object_store.get("written/x") == b"content"

    def fail() -> None:
        with opened(f"s3://{BUCKET}/written/y", location) as file:
            file.write(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert object_store.keys("written/") == ["written/x"]


@pytest.mark.slow
def test_commands(object_store: Store, tmp_path: Path) -> None:
    address = object_store.put("command/x.wal", SEGMENT, public=True, sha256="1" * 64)
    endpoint = ("--endpoint", object_store.endpoint)
    assert len(run("decode", "edgemq_segment", address, *endpoint).stdout.splitlines()) == 50
    assert run("extract", "edgemq_segment", address, *endpoint).stdout.startswith('{"n":0}\n{"n":1}\n')
    assert run("verify", "edgemq_segment", address, *endpoint, "--region", "us-east-1")
    told = run("verify", "edgemq_segment", address, *endpoint, "--verify-sha256", "--json", code=1)
    assert json.loads(told.stdout)["files"][0]["damaged"][0][2] == "digest"
    told = run("verify", "edgemq_segment", address, *endpoint, "--verify-sha256", code=1)
    assert re.match(
        r"s3://\S+: the SHA-256 of the stored bytes is [^;]*; [^;]*; 50 rows, [0-9,]+ bytes\n$", told.stdout
    )
    assert run("inspect", "edgemq_segment", address, *endpoint, "-n", "1", "--json")
    target = f"s3://{BUCKET}/command/rows.ndjson"
    run("decode", "edgemq_segment", address, *endpoint, "--bytes", "utf8", "-o", target)
    again = f"s3://{BUCKET}/command/again.wal.zst"
    run("encode", "edgemq_segment", target, *endpoint, "--bytes", "utf8", "-o", again)
    assert read(object_store, again).equals(read(object_store, address))
    (tmp_path / "credentials").write_text("[logs]\naws_access_key_id = local\naws_secret_access_key = local\n")
    assert run("decode", "edgemq_segment", address, *endpoint, "--profile", "logs")
    assert run("decode", "edgemq_segment", address, *endpoint, "--anonymous")
