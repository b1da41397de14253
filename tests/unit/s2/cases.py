"""The vectors, and messages in their notation."""

from __future__ import annotations

import json
from typing import Any

import wireloom.s2 as s2

from tests.vectors.cases import HERE

CLASSES = {each.__qualname__.rpartition(".")[2]: each for each in (s2.AppendAck, s2.AppendInput, s2.ReadBatch)}
KINDS = {"AppendAck": "append_ack", "AppendInput": "append_input", "ReadBatch": "read_batch"}


def vectors(name: str) -> list[dict[str, Any]]:
    # Not str.splitlines, which also ends lines at U+2028.
    lines = (HERE / "s2" / f"{name}.jsonl").read_bytes().splitlines()
    return [json.loads(line) for line in lines]


def identity(row: dict[str, Any]) -> str:
    return str(row["id"])


def described(message: Any) -> dict[str, Any]:
    """Return a message in the notation of the vectors: bytes in hex, headers as pairs."""
    return {name: _described(getattr(message, name)) for name in message._fields}


def _described(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, s2.Header):
        return [value.name.hex(), value.value.hex()]
    if isinstance(value, list):
        return [_described(each) for each in value]
    return described(value) if hasattr(value, "_fields") else value


def command_words(command: s2.Fence | s2.Trim | None) -> Any:
    """Return a record's kind in the notation of the vectors."""
    match command:
        case s2.Fence(token):
            return {"fence": token}
        case s2.Trim(seq_num):
            return {"trim": seq_num}
    return "envelope"
