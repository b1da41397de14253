"""Sample files, and the common parts of the tests."""

import struct
from pathlib import Path
from typing import Any

import wireloom
from wireloom.format import registry
from wireloom.input.expansion import expand
from wireloom.inspecting import Record, Wanted, record_scan, records

from ..commands import run as command

ZOO = Path(__file__).with_name("zoo.ksy")
HOSTILE = b"\x1b[31m</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"


def animal(kind: int, name: bytes, points: int, extra: bytes = b"") -> bytes:
    body = bytes((0xAB, kind)) + struct.pack(">H", 777) + name + b"\0" + bytes((points,))
    body += b"".join(struct.pack(">hh", number, -number) for number in range(points))
    body += b"one\0two\0" + struct.pack(">HH", 5, 6) + extra + bytes(each ^ 0x5A for each in b"secret")
    return struct.pack(">H", len(body)) + body


def log(path: Path, count: int = 40) -> Path:
    rows = [{"generation": each, "payload": b"%d: \xfe\xfd%s" % (each, HOSTILE)} for each in range(count)]
    wireloom.write("word_stuffed_log", rows, path)
    return path


def segment(path: Path, count: int = 40, codec: str = "none") -> Path:
    rows = [{"fmt": 0, "tenant": each, "ts_millis": 1_000 * each, "payload": b"x" * each} for each in range(count)]
    wireloom.write("edgemq_segment", rows, path, codec=codec)
    return path


def seen(format: str | Path, source: Any, **wanted: Any) -> list[Record]:
    found = registry.get(format)
    how = Wanted(**wanted)
    return list(records(record_scan(found, expand(source)[0], how)))


def spans(record: Record) -> dict[str, tuple[int, int]]:
    """Return every field by its path, with its bytes relative to the record's first."""
    found: dict[str, tuple[int, int]] = {}
    path: list[str] = []
    for top in record.fields:
        for depth, each in top.walk():
            path[depth:] = [each.name]
            if each.begin >= 0:
                found["/".join(path)] = (each.begin - record.base, each.end - record.base)
    return found


def run(*arguments: object, code: int = 0) -> str:
    return command(*arguments, code=code).output
