"""``python make.py``: writes ``level.log`` with LevelDB (``plyvel``), ``rocks.log`` with RocksDB (``rocksdict``), and
what they hold: the changes that were made, in batches that are the records. ``Make.java`` makes the other files."""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def varint(number: int) -> bytes:
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    return bytes([*made, number])


def sized(data: bytes) -> bytes:
    return varint(len(data)) + data


def batch(sequence: int, *changes: tuple[bytes, bytes | None]) -> bytes:
    """A batch of puts, and of deletes where there is no value."""
    made = sequence.to_bytes(8, "little") + len(changes).to_bytes(4, "little")
    for key, value in changes:
        made += b"\0" + sized(key) if value is None else b"\1" + sized(key) + sized(value)
    return made


Change = tuple[bytes, bytes | None]


def text(data: bytes) -> str:
    return data.hex() if len(data) <= 1000 else f"sha256:{hashlib.sha256(data).hexdigest()}"


def both(file: str, first: int, *batches: tuple[Change, ...]) -> list[dict[str, Any]]:
    """The cases of both tables of a file. ``first``: the first sequence number."""
    records: list[dict[str, Any]] = []
    changes: list[dict[str, Any]] = []
    for each in batches:
        records.append({"data": text(batch(first, *each))})
        for key, value in each:
            row = {"sequence": first, "type": "delete" if value is None else "put", "column_family": 0}
            changes.append(row | {"key": text(key), "value": None if value is None else text(value)})
            first += 1
    return [{"file": file, "rows": records}, {"file": file, "table": "changes", "rows": changes}]


def values(count: int, sizes: tuple[int, ...]) -> list[tuple[bytes, bytes]]:
    source = random.Random(3)
    return [(b"key%04d" % number, source.randbytes(sizes[number % len(sizes)])) for number in range(count)]


def level(folder: str) -> None:
    """Write a log that is kept, since the process ends without closing the store."""
    import plyvel

    store = plyvel.DB(folder, create_if_missing=True)
    for key, value in LEVEL:
        store.put(key, value)
    store.delete(b"key0000")
    with store.write_batch() as changes:
        changes.put(b"a", b"1")
        changes.delete(b"b")
    os._exit(0)


def rocks(folder: str) -> None:
    """The same, in a file that was a log before and is used again."""
    from rocksdict import Options, Rdict

    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.set_recycle_log_file_num(2)
    store = Rdict(folder, options)
    for _ in range(3):
        for key, value in ROCKS:
            store.put(key, value)
        store.flush()
    for key, value in ROCKS:
        store.put(key, value)
    store.flush_wal(True)
    os._exit(0)


LEVEL = values(16, (0, 3, 100, 9000))
ROCKS = values(8, (0, 3, 20000, 100))


def made(name: str, folder: str) -> None:
    subprocess.run([sys.executable, __file__, name, folder], check=True)


if len(sys.argv) > 1:
    {"level": level, "rocks": rocks}[sys.argv[1]](sys.argv[2])
cases = []
with tempfile.TemporaryDirectory() as folder:
    made("level", folder)
    [log] = Path(folder).glob("*.log")
    shutil.copy(log, HERE / "level.log")
    cases += both("level.log", 1, *((each,) for each in LEVEL), ((b"key0000", None),), ((b"a", b"1"), (b"b", None)))
with tempfile.TemporaryDirectory() as folder:
    made("rocks", folder)
    shutil.copy(max(Path(folder).glob("*.log")), HERE / "rocks.log")
    cases += both("rocks.log", 3 * len(ROCKS) + 1, *((each,) for each in ROCKS))
with open(HERE / "cases.jsonl", "w") as file:
    for each in cases:
        print(json.dumps(each), file=file)
