"""``python make.py``: writes the files beside it with ``fastavro`` and ``avro``, and the blocks that ``fastavro`` finds
in them."""

import hashlib
import io
import json
import random
from pathlib import Path

import avro.datafile
import avro.io
import avro.schema
import fastavro

HERE = Path(__file__).parent
SCHEMA = {
    "type": "record",
    "name": "event",
    "fields": [
        {"name": "number", "type": "long"},
        {"name": "kind", "type": {"type": "enum", "name": "kind", "symbols": ["start", "stop"]}},
        {"name": "body", "type": ["null", "bytes"]},
    ],
}
SYNC = bytes(range(200, 216))


def shown(data: bytes) -> str:
    return data.hex() if len(data) <= 1000 else f"sha256:{hashlib.sha256(data).hexdigest()}"


def events(count: int) -> list[dict[str, object]]:
    source = random.Random(count)
    return [
        {
            "number": number * 1000 - 3,
            "kind": source.choice(("start", "stop")),
            "body": None if number % 3 == 0 else source.randbytes(source.choice((0, 5, 60))) * 3,
        }
        for number in range(count)
    ]


def by_fastavro(name: str, codec: str, count: int) -> None:
    with open(HERE / name, "wb") as file:
        more = {"sync_interval": 300, "sync_marker": SYNC, "metadata": {"origin": "vectors"}}
        fastavro.writer(file, SCHEMA, events(count), codec=codec, **more)


def by_avro(name: str, codec: str, count: int) -> None:
    """Blocks end where this writer is told so; some of them have no objects."""
    schema = avro.schema.parse(json.dumps(SCHEMA))
    with open(HERE / name, "wb") as file:
        writer = avro.datafile.DataFileWriter(file, avro.io.DatumWriter(), schema, codec=codec)
        writer.sync_marker = SYNC
        for number, event in enumerate(events(count)):
            writer.append(event)
            if number % 5 == 4:
                writer.sync()
        writer.flush()
        file.flush()


def with_a_sized_header(name: str) -> None:
    """The same as Avro's specification allows it: entries in two blocks, one of them with its size before it."""

    def long(number: int) -> bytes:
        value, made = number << 1 ^ number >> 63, bytearray()
        while value > 127:
            made.append(value & 127 | 128)
            value >>= 7
        return bytes([*made, value])

    def entry(key: str, value: str) -> bytes:
        return long(len(key)) + key.encode() + long(len(value)) + value.encode()

    first, second = entry("avro.codec", "deflate"), entry("avro.schema", json.dumps(SCHEMA))
    with open(HERE / "deflate.avro", "rb") as file:
        blocks = file.read().split(SYNC, 1)[1]
    header = b"Obj\1" + long(-1) + long(len(first)) + first + long(1) + second + long(0) + SYNC
    (HERE / name).write_bytes(header + blocks)


def blocks(name: str) -> list[dict[str, object]]:
    with open(HERE / name, "rb") as file:
        return [
            {"count": each.num_records, "codec": each.codec, "sync": SYNC.hex(), "data": shown(each.bytes_.getvalue())}
            for each in fastavro.block_reader(file)
        ]


def blocks_of_zstd(name: str) -> list[dict[str, object]]:
    """``fastavro`` reads them only where there is one more package: the same events, in blocks of five."""
    rows, made = events(12), []
    for begin in range(0, len(rows), 5):
        out = io.BytesIO()
        for each in rows[begin : begin + 5]:
            fastavro.schemaless_writer(out, SCHEMA, each)
        count = len(rows[begin : begin + 5])
        made.append({"count": count, "codec": "zstandard", "sync": SYNC.hex(), "data": shown(out.getvalue())})
    return made


for codec in ("null", "deflate", "snappy", "bzip2", "xz"):
    by_fastavro(f"{codec}.avro", codec, 24)
by_fastavro("empty.avro", "null", 0)
by_avro("zstandard.avro", "zstandard", 12)
with_a_sized_header("sized_header.avro")
with open(HERE / "cases.jsonl", "w") as cases:
    for name in ("null", "deflate", "snappy", "bzip2", "xz", "empty", "sized_header"):
        print(json.dumps({"file": f"{name}.avro", "rows": blocks(f"{name}.avro")}), file=cases)
    print(json.dumps({"file": "zstandard.avro", "rows": blocks_of_zstd("zstandard.avro")}), file=cases)
    with open(HERE / "snappy.avro", "rb") as file:
        metadata = fastavro.reader(file).metadata
    entries = [{"key": key, "value": value.encode().hex()} for key, value in metadata.items()]
    print(json.dumps({"file": "snappy.avro", "table": "metadata", "rows": entries}), file=cases)
