"""The folder of the vectors, and functions that read them."""

import gzip
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def rows(*parts: str) -> list[dict[str, Any]]:
    """Return the rows of a vector file of JSON lines."""
    return [json.loads(line) for line in HERE.joinpath(*parts).read_text().splitlines()]


def unzipped(*parts: str) -> bytes:
    """Return the decompressed content of a vector file."""
    return gzip.decompress(HERE.joinpath(*parts).read_bytes())
