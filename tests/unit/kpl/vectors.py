"""The cases in ``tests/vectors/kpl``, whose README describes their fields."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "vectors" / "kpl"
FORMAT = "kpl_aggregated_record"

Case = dict[str, Any]


def cases(*names: str) -> list[Case]:
    """Return the rows of these files."""
    return [json.loads(line) for name in names for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]


def blob_of(case: Case) -> bytes:
    """Return the blob of a case."""
    if "blob_hex" in case:
        return bytes.fromhex(case["blob_hex"])
    data = (FOLDER / case["blob_file"]).read_bytes()
    assert hashlib.sha256(data).hexdigest() == case["blob_sha256"]
    return data


def text_of(value: dict[str, str] | None) -> str | None:
    """Return a key as the table shows it: bytes that are not UTF-8 as U+FFFD."""
    if value is None:
        return None
    return value["s"] if "s" in value else bytes.fromhex(value["hex"]).decode(errors="replace")


def canonical_sha256(rows: Iterable[dict[str, Any]]) -> str:
    """Return the digest that the cases use for records that are too many to list."""
    digest = hashlib.sha256()
    for row in rows:
        for value in (row["partition_key"], row["explicit_hash_key"], row["data"]):
            content = value.encode() if isinstance(value, str) else value
            digest.update(struct.pack("<i", -1 if content is None else len(content)) + (content or b""))
    return digest.hexdigest()


def has_bad_text(case: Case) -> bool:
    """Return whether some key of the case is not UTF-8: the digest is that of its bytes, while the table shows
    U+FFFD."""
    keys = [each[part] for each in case["expect"].get("records", []) for part in ("pk", "ehk")]
    return any(each is not None and "hex" in each for each in keys)


def identity(case: Case) -> str:
    """Return the name of a case, for pytest."""
    return str(case["id"])
