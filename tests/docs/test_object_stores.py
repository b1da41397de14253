"""The part of a page about storage: its examples run in memory and on a store on this machine."""

from pathlib import Path

import pytest

from ..storage_server import Store
from .blocks import Page, part


def test_the_page(tmp_path: Path, object_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    object_store.client.create_bucket(Bucket="logs")
    page = Page(part("reading", "Any storage"), tmp_path)
    page.namespace["endpoint"] = object_store.endpoint
    assert page.run() == 2
