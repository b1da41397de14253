"""Inputs that several modules of these tests read."""

from pathlib import Path

import pytest
import zstandard

from . import samples
from .segments import PAYLOADS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, (region, segment) in enumerate([("eu", "seg-1"), ("eu", "seg-2"), ("us", "seg-1")]):
        path = tmp_path / region / "i-1" / "7" / "segments" / f"{segment}.wal.zst"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(zstandard.ZstdCompressor().compress(samples.frames(PAYLOADS[: 100 + number])))
    (tmp_path / "_SUCCESS").write_bytes(b"")
    return tmp_path
