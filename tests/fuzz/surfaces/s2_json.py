"""S2's JSON: read, or refused with a position; what was read is written and read again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import wireloom.s2 as s2

READERS: tuple[Callable[[bytes, str], Any], ...] = (
    s2.append_input_from_json,
    s2.read_batch_from_json,
    lambda document, _: s2.append_ack_from_json(document),
    lambda document, _: s2.tail_from_json(document),
)
WRITERS: tuple[Callable[[Any, str], Any], ...] = (
    s2.append_input_to_json,
    s2.read_batch_to_json,
    lambda value, _: s2.append_ack_to_json(value),
    lambda value, _: s2.tail_to_json(value),
)


def words() -> set[str]:
    keys = ("records", "body", "headers", "timestamp", "seq_num", "tail", "start", "end", "match_seq_num")
    return {f'"{key}":' for key in (*keys, "fencing_token")} | {
        "null",
        "true",
        "1e9",
        "18446744073709551615",
        "[[",
        "]]",
    }


def refuse_constant(word: str) -> None:
    raise ValueError(word)


def is_json(document: bytes) -> bool:
    """Return whether Python's own parser accepts it, which allows lone surrogates and huge numbers."""
    try:
        json.loads(document.decode(), parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        return False
    return True


def check(data: bytes) -> None:
    if not data:
        return
    format, document = ("raw", "base64")[data[0] & 1], data[1:]
    for read, write in zip(READERS, WRITERS, strict=True):
        try:
            value = read(document, format)
        except (s2.JsonError, s2.ValidationError) as error:
            if isinstance(error, s2.JsonError):
                assert 0 <= (error.offset or 0) <= len(document)
            continue
        assert is_json(document)
        written = write(value, format)
        again = read(written.encode() if isinstance(written, str) else written, format)
        assert again == value
