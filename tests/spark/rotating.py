"""Rotation, copying and truncation of logs, as done by programs and logrotate, for tests of streams that follow
them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from wireloom import codecs

from .stream_driver import Query, write

Format = tuple[str, dict[str, str]]
"""A format, and the options with which its files grow."""


def numbered(text: str, count: int = 4) -> list[str]:
    return [f"{text} {number}" for number in range(count)]


def rotate(path: Path, name: str) -> None:
    """Rotate as most programs do: the log is renamed, and the next record begins a new one."""
    path.rename(path.with_name(name))


def copy_and_cut(path: Path, name: str) -> None:
    """Copy and truncate, as logrotate does for programs that do not support rotation."""
    shutil.copyfile(path, path.with_name(name))
    os.truncate(path, 0)


def lost(query: Query) -> int:
    """Return how many lost files the query has counted."""
    found: int = json.loads(query.offset)["lost"]
    return found


def following(tailed: tuple[str, dict[str, str]], path: Path | str, **options: Any) -> Query:
    return Query(tailed[0], path=path, **tailed[1], **options)


def append(tailed: tuple[str, dict[str, str]], path: Path, *texts: str) -> None:
    write(tailed[0], path, *texts, codec="none")


def packed(content: bytes, codec: str) -> bytes:
    """Return bytes compressed with a codec."""
    compressor = codecs.compressor(codec)
    return bytes(compressor.compress(content)) + compressor.flush()


def compress(path: Path, name: str, codec: str = "gzip") -> None:
    """Compress as logrotate does: the file is removed when the compressed one exists."""
    content = path.read_bytes()
    path.with_name(name).write_bytes(packed(content, codec))
    path.unlink()
