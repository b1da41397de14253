"""Written logs, and damage to them: both readers agree, and undamaged rows are returned.

Random bytes never have a valid checksum; here the fuzzer changes the rows and the positions of damage.
"""

from __future__ import annotations

import io
from typing import Any

import wireloom
from wireloom.format import registry

from ...differential.agreement import agreed, read_rows
from .formats import DELIMITED, options_of
from .taking import Taker

NAMES = ("edgemq_segment", "word_stuffed_log", "cobs_log", "kpl_aggregated_record", "s2_session")


def rows_of(taker: Taker, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for number in range(taker.byte() % 12):
        content = taker.bytes(taker.byte() % 48) * (1 + (taker.byte() % 64 == 63) * 40)
        match name:
            case "edgemq_segment":
                rows.append({"fmt": 0, "tenant": taker.byte(), "ts_millis": taker.number(4), "payload": content})
            case "word_stuffed_log":
                rows.append({"generation": taker.byte(), "payload": content})
            case "cobs_log":
                rows.append({"payload": content})
            case "kpl_aggregated_record":
                rows.append({"partition_key": f"key{taker.byte() % 4}", "data": content})
            case _:
                rows.append({"seq_num": number, "timestamp": taker.byte(), "headers": [], "body": content})
    return rows


def damaged(taker: Taker, data: bytes) -> bytes:
    """Return the data after overwriting, inserting, removing, repeating and cutting off."""
    content = bytearray(data)
    for _ in range(taker.byte() % 4):
        at = taker.number(2) % (len(content) + 1)
        size = taker.byte() % 24
        match taker.byte() % 6:
            case 0 | 1:
                content[at : at + 1] = bytes([taker.byte()])
            case 2:
                content[at:at] = taker.bytes(size)
            case 3:
                del content[at : at + size]
            case 4:
                content[at:at] = content[at : at + size]
            case _:
                del content[at:]
    return bytes(content)


def check(data: bytes) -> None:
    taker = Taker(data)
    name = taker.pick(NAMES)
    format = registry.get(name)
    rows = rows_of(taker, name)
    target = io.BytesIO()
    try:
        wireloom.write(name, rows, target)
    except wireloom.WireloomError as error:
        assert str(error)
        return
    content = target.getvalue()
    if name in DELIMITED or name == "edgemq_segment":
        content = plain(format, content)
        assert read_rows(format, content, list(rows[0]) if rows else []) == rows
    content = damaged(taker, content)
    options = options_of(taker, format, len(content))
    agreed(format, content, **options)


def plain(format: Any, content: bytes) -> bytes:
    """Return the log before compression: what follows damage in a compressed file is undetermined."""
    if content[:4] != b"\x28\xb5\x2f\xfd":
        return content
    import zstandard

    return zstandard.ZstdDecompressor().stream_reader(content, read_across_frames=True).read()
