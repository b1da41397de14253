"""Streaming reads without Spark: objects of a store that are replaced or grow."""

from __future__ import annotations

from pathlib import Path

import pytest
from wireloom import WireloomError

from ..storage_server import BUCKET, Store
from .rotating import numbered
from .stream_driver import LOG, Query, payloads, together, write


def test_an_object_that_was_replaced_in_the_same_second(object_store: Store, tmp_path: Path) -> None:
    content = [write(LOG, tmp_path / text, text) for text in ("one", "two")]
    address = object_store.put(f"{tmp_path.name}/in/a.log", content[0])
    place = {"endpoint": object_store.endpoint, "region": "us-east-1"}
    query = Query(LOG, path=address.rpartition("/")[0], **place)
    assert together(query) == ["one"]
    query.restart()
    assert payloads(query.read()) == ["one"]
    object_store.put(f"{tmp_path.name}/in/a.log", content[1])
    with pytest.raises(
        WireloomError, match=r"a\.log: the file, of \d+ bytes, was replaced by another of the same size"
    ):
        query.read()


def test_an_object_that_grows(object_store: Store, tmp_path: Path) -> None:
    """Each time there is a new object under its key, with the content of the old one and more."""
    place = {"endpoint": object_store.endpoint, "region": "us-east-1", "tail": "true"}
    query = Query(LOG, path=f"s3://{BUCKET}/{tmp_path.name}/in", **place)
    for text in numbered("row"):
        object_store.put(f"{tmp_path.name}/in/a.log", write(LOG, tmp_path / "log", text))
        assert together(query) == [text]
        assert payloads(query.read()) == [text]
    object_store.put(f"{tmp_path.name}/in/a.log", write(LOG, tmp_path / "other", *numbered("other", 9)))
    with pytest.raises(WireloomError, match="was planned, the file was replaced"):
        query.read()
    with pytest.raises(WireloomError, match="was then replaced, or truncated and written again"):
        query.plan()


def test_a_key_that_arrow_does_not_open(object_store: Store, tmp_path: Path) -> None:
    address = object_store.put(f"{tmp_path.name}/in//a.log", write(LOG, tmp_path / "log", "one"))
    place = {"endpoint": object_store.endpoint, "region": "us-east-1"}
    with pytest.raises(WireloomError, match=r"Empty path component.*; copy the object to a key without //") as raised:
        Query(LOG, path=f"s3://{BUCKET}/{tmp_path.name}/in", **place).plan()
    assert raised.value.path == address
