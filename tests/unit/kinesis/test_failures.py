"""Temporary failures are retried, within bounds; a refusal is an error at once."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError
from wireloom import TemporaryError, WireloomError
from wireloom.kinesis import Calls, Producer, read

from ...kinesis_server import REGION, Streams

CLIENT = "wireloom.kinesis.calls._client"


class Failing:
    """A client some of whose calls fail: ``errors`` has the codes for each operation, in the order of the calls."""

    def __init__(self, client: Any, **errors: list[str]) -> None:
        self.client, self.errors = client, errors

    def __getattr__(self, operation: str) -> Any:
        waiting = self.errors.get(operation)
        if waiting:
            code = waiting.pop(0)

            def fail(**_asked: Any) -> Any:
                raise ClientError({"Error": {"Code": code, "Message": "not now"}}, operation)

            return fail
        return getattr(self.client, operation)


@pytest.mark.slow
def test_what_is_throttled_or_has_expired_is_asked_again(kinesis: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = kinesis.new()
    kinesis.put(stream, ("k", b"a"))
    errors = {
        "list_shards": ["LimitExceededException"],
        "get_shard_iterator": ["ProvisionedThroughputExceededException"],
        "get_records": ["ProvisionedThroughputExceededException", "ExpiredIteratorException", "InternalFailure"],
    }
    client = Failing(kinesis.client, **errors)
    monkeypatch.setattr(CLIENT, lambda *_: client)
    assert read(stream).read_all()["data"].to_pylist() == [b"a"]
    assert not any(errors.values())


@pytest.mark.slow
def test_failures_have_an_end(kinesis: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Failing(kinesis.client, list_shards=["ThrottlingException"] * 100, put_records=["AccessDeniedException"])
    monkeypatch.setattr(CLIENT, lambda *_: client)
    with pytest.raises(TemporaryError, match="list_shards: ThrottlingException: not now, for 0 seconds"):
        read("orders", patience=0)
    monkeypatch.undo()
    with pytest.raises(TemporaryError, match="list_shards: Could not connect"):
        read("orders", region=REGION, endpoint_url="http://127.0.0.1:9", patience=0)
    monkeypatch.setattr(CLIENT, lambda *_: client)
    with pytest.raises(WireloomError, match="put_records: AccessDeniedException"):
        Calls("orders")("put_records", Records=[])


@pytest.mark.slow
@pytest.mark.parametrize("aggregated", [True, False])
def test_partial_failures_keep_the_order_of_keys(
    aggregated: bool, kinesis: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    from moto.kinesis.models import KinesisBackend

    stream, calls = kinesis.new(4), []
    inner = KinesisBackend.put_records

    def partly(self: Any, stream_arn: Any, stream_name: Any, records: list[Any]) -> Any:
        calls.append(len(records))
        # A third of the calls accepts only every second record.
        kept = [place for place in range(len(records)) if len(calls) % 3 or place % 2]
        made = iter(inner(self, stream_arn, stream_name, [records[place] for place in kept])["Records"])
        refused = {"ErrorCode": "ProvisionedThroughputExceededException", "ErrorMessage": "too much"}
        results = [next(made) if place in kept else refused for place in range(len(records))]
        return {"FailedRecordCount": len(records) - len(kept), "Records": results}

    monkeypatch.setattr(KinesisBackend, "put_records", partly)
    options = {"region": REGION, "endpoint_url": kinesis.endpoint}
    with Producer(stream, aggregated=aggregated, target_size=120, **options) as producer:
        for n in range(40):
            producer.put(f"key {n % 8}", b"%d" % n)
    rows = read(stream, **options).read_all().to_pylist()
    assert len(rows) == 40
    for key in range(8):
        own = [int(row["data"]) for row in rows if row["partition_key"] == f"key {key}"]
        assert own == sorted(own)
    assert len(calls) > 3
