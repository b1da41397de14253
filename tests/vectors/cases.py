"""Where the vectors are, and how they are read."""

import gzip
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def rows(*parts: str) -> list[dict[str, Any]]:
    """The JSON lines of one vector file."""
    return [json.loads(line) for line in HERE.joinpath(*parts).read_text().splitlines()]


def unzipped(*parts: str) -> bytes:
    """The content of one gzip file of the vectors."""
    return gzip.decompress(HERE.joinpath(*parts).read_bytes())
