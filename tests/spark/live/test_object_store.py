"""Data sources on an object store: prefixes, splits, digests, partition columns, writing."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import wireloom
from wireloom import DamagedInputError, UnknownNameError
from wireloom.base.errors import NothingThereError
from wireloom.input.remote_files import HEAD_SIZE
from wireloom.spark.ingest import ingest

from ...storage_server import BUCKET, Store
from ..conftest import ROWS, Sample
from ..driver import planned, read, source

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def prefix(object_store: Store, samples: dict[str, Sample], monkeypatch: pytest.MonkeyPatch) -> str:
    """Return three logs in two folders of partitions, and files that are ignored."""
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    content = samples["word_stuffed_log"].file.read_bytes()
    for name in ("day=1/a.log", "day=1/b.log", "day=2/c.log", "day=2/_x.log", "_y/d.log"):
        object_store.put(f"spark/{name}", content)
    return f"s3://{BUCKET}/spark"


def test_prefixes_and_partition_columns(prefix: str, object_store: Store) -> None:
    options: dict[str, Any] = {"endpoint": object_store.endpoint}
    table = read("word_stuffed_log", path=prefix, **options)
    assert table.num_rows == 3 * ROWS
    assert table["day"].value_counts().to_pylist() == [
        {"values": day, "counts": n * ROWS} for day, n in ((1, 2), (2, 1))
    ]
    assert read("word_stuffed_log", path=f"{prefix}/day=*/[bc].log", **options).num_rows == 2 * ROWS
    assert (
        read(
            "word_stuffed_log", path=prefix, recursiveFileLookup="false", ignoreMissingFiles="true", **options
        ).num_rows
        == 0
    )
    assert read("word_stuffed_log", path=prefix.replace("s3:", "s3a:"), pathGlobFilter="a*", **options).num_rows == ROWS


def test_each_split_fetches_its_own_range(object_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    rows = [{"generation": number, "payload": os.urandom(1000)} for number in range(6000)]
    wireloom.write("word_stuffed_log", rows, tmp_path / "large.wsl")
    content = (tmp_path / "large.wsl").read_bytes()
    address = object_store.put("splits/large.wsl", content)
    reader, partitions, _ = planned(
        "word_stuffed_log",
        path=address,
        endpoint=object_store.endpoint,
        columns="generation",
        maxPartitionBytes="1500k",
        openCostInBytes="0",
    )
    assert len(partitions) == 4
    found: list[int] = []
    for partition in partitions:
        object_store.requests.clear()
        found += [each for batch in reader.read(partition) for each in batch["generation"].to_pylist()]
        assert object_store.fetched("large.wsl") <= (1500 << 10) + 6 * HEAD_SIZE
    assert sorted(found) == list(range(6000))


def test_objects_that_go(prefix: str, object_store: Store) -> None:
    for choice in ("false", "true"):
        object_store.put("spark/day=1/going.log", b"x\0")
        reader, partitions, _ = planned(
            "word_stuffed_log",
            path=f"{prefix}/day=1/going.log",
            endpoint=object_store.endpoint,
            ignoreMissingFiles=choice,
        )
        object_store.client.delete_object(Bucket=BUCKET, Key="spark/day=1/going.log")
        if choice == "true":
            assert list(reader.read(partitions[0])) == []
        else:
            with pytest.raises(NothingThereError, match="the object no longer exists"):
                list(reader.read(partitions[0]))


def test_digests(object_store: Store, samples: dict[str, Sample], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    content = samples["word_stuffed_log"].file.read_bytes()
    options: dict[str, Any] = {"endpoint": object_store.endpoint, "verifySha256": "true", "mode": "FAILFAST"}
    split = {"maxPartitionBytes": "1k", "openCostInBytes": "0"}
    address = object_store.put("digests/good.log", content, sha256=hashlib.sha256(content).hexdigest())
    _, partitions, _ = planned("word_stuffed_log", path=address, **options, **split)
    assert len(partitions) == 1
    assert read("word_stuffed_log", path=address, **options).num_rows == ROWS
    address = object_store.put("digests/bad.log", content, sha256="f" * 64)
    with pytest.raises(
        DamagedInputError, match=r"and the object's metadata says f{64}: the object was changed or damaged"
    ):
        read("word_stuffed_log", path=address, **options)
    shown = read("word_stuffed_log", path=address, columns="_error", **options | {"mode": "PERMISSIVE"})["_error"]
    assert shown.null_count == ROWS
    assert shown[ROWS].as_py().startswith("digest: ")


def test_who_asks(
    object_store: Store, samples: dict[str, Sample], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = samples["word_stuffed_log"].file.read_bytes()
    closed, opened = (object_store.put(f"who/{public}.log", content, public=public) for public in (False, True))
    (tmp_path / "config").write_text(f"[profile logs]\nregion = us-east-1\nendpoint_url = {object_store.endpoint}\n")
    (tmp_path / "credentials").write_text("[logs]\naws_access_key_id = local\naws_secret_access_key = local\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    place = {"endpoint": object_store.endpoint, "region": "us-east-1"}
    assert read("word_stuffed_log", path=opened, anonymous="true", **place).num_rows == ROWS
    assert read("word_stuffed_log", path=closed, profile="logs").num_rows == ROWS
    with pytest.raises(UnknownNameError, match="unknown value of option anonymous 'yes'"):
        read("word_stuffed_log", path=opened, anonymous="yes", **place)
    with pytest.raises(UnknownNameError, match="unknown profile 'log': did you mean 'logs'"):
        read("word_stuffed_log", path=closed, profile="log")


def test_in_spark(spark: SparkSession, prefix: str, object_store: Store) -> None:
    """Written by a query that also reads, and read in both ways."""
    options = {"endpoint": object_store.endpoint, "region": "us-east-1"}
    frame = spark.read.format("word_stuffed_log").options(**options).load(f"{prefix}/day=1")
    target = f"s3://{BUCKET}/spark-out"
    frame.drop("day").write.format("word_stuffed_log").options(**options).mode("append").save(target)
    assert wireloom.read("word_stuffed_log", target, **options).num_rows == 2 * ROWS
    assert spark.read.format("word_stuffed_log").options(**options).load(target).count() == 2 * ROWS
    assert not [each for each in object_store.keys("spark-out/") if "temporary" in each]
    assert source("word_stuffed_log", path=prefix, **options).schema().names == ["generation", "payload", "day"]


def test_prefixes_are_listed_once(spark: SparkSession, prefix: str, object_store: Store, tmp_path: Path) -> None:
    """As often as in a read without Spark, and the size of no object is requested again."""
    options = {"endpoint": object_store.endpoint, "region": "us-east-1"}

    def asked(read: Callable[[], Any]) -> tuple[int, int]:
        object_store.requests.clear()
        read()
        lists = [path for method, path, _ in object_store.requests if method == "GET" and path.strip("/") == BUCKET]
        return len(lists), sum(method == "HEAD" for method, _, _ in object_store.requests)

    def ingested(**choices: Any) -> None:
        choices |= {"options": options, "existing": "overwrite"}
        ingest(spark, "word_stuffed_log", prefix, str(tmp_path / "table"), **choices)

    once = asked(lambda: wireloom.read("word_stuffed_log", prefix, **options))
    reader = spark.read.format("word_stuffed_log").options(**options)
    assert asked(lambda: reader.load(prefix).collect()) == once
    assert asked(ingested) == once
    assert asked(lambda: ingested(columns=["payload", "day"], partition_by=["day"])) == once

    def streamed() -> None:
        frame = spark.readStream.format("word_stuffed_log").schema("day int").options(**options).load(prefix)
        writer = frame.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start().awaitTermination()

    assert asked(streamed)[0] == once[0]
