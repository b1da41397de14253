"""What ``decode`` writes to a terminal: no control sequences; files keep the data."""

from __future__ import annotations

import io
import json
from typing import Any

import pyarrow as pa
import pytest
from wireloom.command import sink

TEXT = "a\x1b[2J\x9b\u202e\U000e0001é"


class Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


def written(file: Any, kind: str) -> str:
    batch = pa.record_batch({"t": [TEXT]})
    with sink(file, "-", kind, batch.schema, "hex") as rows:
        rows.write(batch)
    return str(file.getvalue().decode())


@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_a_terminal_gets_characters_spelled_out(kind: str) -> None:
    shown = written(Terminal(), kind)
    assert shown.replace("\n", "").isprintable()
    assert "\\u202e" in shown
    assert "é" in shown
    if kind == "ndjson":
        assert json.loads(shown) == {"t": TEXT}


def test_files_keep_the_data() -> None:
    assert TEXT in written(io.BytesIO(), "csv")
    assert "\u202e" in written(io.BytesIO(), "ndjson")
