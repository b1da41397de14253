"""What is logged while an object store is really read, with all logging at its most verbose level."""

from __future__ import annotations

import hashlib
import logging
import traceback
from pathlib import Path

import pytest
import wireloom
from wireloom.input.inputs import Location
from wireloom.input.s3 import client, filesystem

from ..storage_server import BUCKET, Store
from ..unit.reading.samples import frames

SECRET = "wJalrXUtnFEMIKFAKEbPxRfiCYEXAMPLEKEY"
TOKEN = "FwoGZXIvYXdzEXAMPLETOKEN"


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "AKIAFAKEEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_SESSION_TOKEN": TOKEN,
        "AWS_REGION": "us-east-1",
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
    }.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("verify", [False, True])
def test_reading_logs_no_keys(
    verify: bool, object_store: Store, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    content = frames([b"one", b"two"])
    object_store.put("secrets/a.wal", content, sha256=hashlib.sha256(content).hexdigest())
    caplog.set_level(logging.DEBUG)
    for source, rows in ((f"s3://{BUCKET}/secrets/a.wal", 2), (f"s3://{BUCKET}/secrets/*.wal", 2)):
        table = wireloom.read(
            "edgemq_segment", source, endpoint=object_store.endpoint, verify_sha256=verify, columns=["payload"]
        )
        assert table.num_rows == rows
    with pytest.raises(wireloom.WireloomError) as caught:
        wireloom.read("edgemq_segment", f"s3://{BUCKET}/secrets/missing.wal", endpoint=object_store.endpoint)
    shown = caplog.text + "".join(capfd.readouterr()) + str(caught.value) + repr(caught.value.__cause__)
    assert SECRET not in shown
    assert TOKEN not in shown


def test_what_spark_sends_to_its_workers_has_no_keys(object_store: Store) -> None:
    pytest.importorskip("pyspark", reason="Spark is not there")
    from pyspark import cloudpickle

    from ..spark import driver

    object_store.put("sent/a.wal", frames([b"one", b"two"]))
    found = driver.source(
        "edgemq_segment", path=f"s3://{BUCKET}/sent/*.wal", endpoint=object_store.endpoint, region="us-east-1"
    )
    reader = found.reader(schema=found.schema())
    partitions = list(reader.partitions())
    sent = cloudpickle.dumps((found, reader, partitions))  # type: ignore[no-untyped-call]
    assert b"sent/a.wal" in sent
    for secret in (SECRET, TOKEN):
        assert secret.encode() not in sent
        assert secret not in repr((found.options, vars(reader), partitions))


KEY = "AKIAFAKEEXAMPLE"
BELONG = "set credentials in the environment or in a profile instead"


@pytest.mark.parametrize(
    "endpoint", [f"http://{KEY}:{SECRET}@127.0.0.1:9", f"{KEY}:{SECRET}@127.0.0.1:9", f"https://{SECRET}@127.0.0.1:9"]
)
def test_endpoints_with_keys_are_refused_before_anything_is_asked(endpoint: str, tmp_path: Path) -> None:
    (tmp_path / "config").write_text(f"[profile bad]\nendpoint_url = {endpoint}\nregion = us-east-1\n")
    (tmp_path / "credentials").write_text(f"[bad]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n")
    calls = (
        lambda: Location(endpoint=endpoint),
        lambda: wireloom.read("edgemq_segment", "s3://bucket/a.wal", endpoint=endpoint),
        lambda: wireloom.read("edgemq_segment", "s3://bucket/a.wal", profile="bad"),
        lambda: filesystem(Location(profile="bad"), "bucket"),
        lambda: client(Location(profile="bad")),
    )
    for call in calls:
        with pytest.raises(wireloom.WireloomError, match=BELONG) as caught:
            call()
        assert SECRET not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("bucket", [f"{KEY}:{SECRET}@bucket", f"{SECRET}@bucket", f"{KEY}:{SECRET}"])
@pytest.mark.parametrize("scheme", ["s3", "s3a", "s3n"])
def test_addresses_with_keys_are_refused_before_anything_is_asked(bucket: str, scheme: str) -> None:
    address = f"{scheme}://{bucket}/a.wal"
    calls = (
        lambda: wireloom.read("edgemq_segment", address),
        lambda: wireloom.read("edgemq_segment", address + "*"),
        lambda: wireloom.write("edgemq_segment", [], address),
    )
    for call in calls:
        with pytest.raises(wireloom.WireloomError, match=BELONG) as caught:
            call()
        assert SECRET not in "".join(traceback.format_exception(caught.value))
