"""``python make.py``: writes messages with the ``tfrecord`` package's classes, each after its size as a varint, and
what these read from them. Lists of numbers are packed in one file and not in the other, made of descriptors."""

import hashlib
import json
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal.encoder import _VarintBytes
from tfrecord import example_pb2

HERE = Path(__file__).parent
FEATURES: list[dict[str, Any]] = [
    {"label": [7], "weights": [0.25, -1.5], "image": [b"\x89PNG", b""]},
    {"ids": [-1, 0, 2**63 - 1, -(2**63)], "text": ["äöü".encode()], "nothing": []},
    {},
    {f"f{number:02}": [number * 1000] for number in range(20)} | {"large": [bytes(1500)]},
]


def fill(message: Any, features: dict[str, list[Any]]) -> None:
    """Give ``Features`` their values."""
    for name, values in features.items():
        feature = message.feature[name]
        if values and isinstance(values[0], bytes):
            feature.bytes_list.value.extend(values)
        elif values and isinstance(values[0], float):
            feature.float_list.value.extend(values)
        elif values:
            feature.int64_list.value.extend(values)


def unpacked_class() -> Any:
    """The class of ``Example`` whose lists of numbers are not packed."""
    file = descriptor_pb2.FileDescriptorProto.FromString(example_pb2.DESCRIPTOR.serialized_pb)
    package = f"{file.package}." if file.package else ""
    file.name, file.package = "unpacked.proto", "unpacked"
    for message in file.message_type:
        for each in (*message.field, *(field for inner in message.nested_type for field in inner.field)):
            if each.type_name:
                each.type_name = f".unpacked.{each.type_name.removeprefix('.').removeprefix(package)}"
            if message.name in ("FloatList", "Int64List"):
                each.options.packed = False
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("unpacked.Example"))


def plain(features: Any) -> dict[str, Any]:
    """``Features`` as they are in ``cases.jsonl``, in the order of their names, as on the wire."""
    found = []
    for name, feature in sorted(features.feature.items()):
        value: dict[str, Any] = dict.fromkeys(("bytes_list", "float_list", "int64_list"))
        kind = feature.WhichOneof("kind")
        if kind is not None:
            items = getattr(feature, kind).value
            value[kind] = {"value": [shown(each) if isinstance(each, bytes) else each for each in items]}
        found.append({"key": name, "value": value})
    return {"feature": found}


def shown(data: bytes) -> str:
    """Bytes as they are in ``cases.jsonl``."""
    return data.hex() if len(data) <= 1000 else f"sha256:{hashlib.sha256(data).hexdigest()}"


def delimited(messages: list[bytes]) -> bytes:
    """Messages, each after its size."""
    return b"".join(_VarintBytes(len(each)) + each for each in messages)


def examples(kind: Any) -> list[bytes]:
    """One message for each of ``FEATURES``."""
    found = []
    for each in FEATURES:
        message = kind()
        fill(message.features, each)
        found.append(message.SerializeToString(deterministic=True))
    return found


with open(HERE / "cases.jsonl", "w") as cases:
    for name, kind in (("packed.bin", example_pb2.Example), ("unpacked.bin", unpacked_class())):
        messages = examples(kind)
        HERE.joinpath(name).write_bytes(delimited(messages))
        rows = [{"features": plain(kind.FromString(each).features) if each else None} for each in messages]
        print(json.dumps({"file": name, "rows": rows}), file=cases)
