"""``python make.py``: writes the files beside it with the ``tfrecord`` package, and the records that it reads."""

import gzip
import hashlib
import json
import random
from pathlib import Path

from tfrecord.reader import tfrecord_iterator
from tfrecord.writer import TFRecordWriter

HERE = Path(__file__).parent


def shown(data: bytes) -> str:
    return data.hex() if len(data) <= 1000 else f"sha256:{hashlib.sha256(data).hexdigest()}"


def examples() -> None:
    """Records that are messages with features of all three kinds."""
    writer = TFRecordWriter(str(HERE / "examples.tfrecord"))
    for number in range(12):
        writer.write(
            {
                "label": (number - 3, "int"),
                "weights": ([number / 4, -1.5], "float"),
                "image": (b"\x89PNG" * number, "byte"),
            }
        )
    writer.close()


def raw() -> None:
    """Records of any bytes, empty ones and large ones among them."""
    source = random.Random(1)
    with open(HERE / "raw.tfrecord", "wb") as file:
        for size in (0, 1, 7, 8, 0, 300, 4000, 12):
            data = source.randbytes(size)
            length = size.to_bytes(8, "little")
            file.write(length + TFRecordWriter.masked_crc(length) + data + TFRecordWriter.masked_crc(data))


examples()
raw()
(HERE / "packed.tfrecord.gz").write_bytes(gzip.compress((HERE / "examples.tfrecord").read_bytes(), mtime=0))
with open(HERE / "cases.jsonl", "w") as cases:
    for name in ("examples.tfrecord", "raw.tfrecord", "packed.tfrecord.gz"):
        kind = "gzip" if name.endswith(".gz") else None
        rows = [{"data": shown(bytes(each))} for each in tfrecord_iterator(str(HERE / name), compression_type=kind)]
        print(json.dumps({"file": name, "rows": rows}), file=cases)
