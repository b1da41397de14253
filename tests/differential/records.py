"""Generated specs of rows inside records that are assembled from pieces and may be compressed."""

from __future__ import annotations

import zlib
from random import Random
from typing import Any

from wireloom.codecs import BLOCK_CODECS

from .pieces import Values
from .specs import Made
from .unit_specs import unit_spec

CODECS = ("none", "zstd", "snappy", "zlib")
SAID = 16
"""The kind of a piece that says how the following records are compressed."""


def record_spec(random: Random) -> Made:
    """Return a spec whose records are the inputs of another generated spec."""
    made = unit_spec(random)
    while "_root" in made.text:
        made = unit_spec(random)
    codecs = random.random() < 0.5
    whole = {key: made.spec[key] for key in ("seq", "instances") if key in made.spec}
    given: dict[str, Any] = made.spec["meta"]["-wireloom"]
    inner = {**given, "rows": f"pieces.data.as<whole>.{given['rows']}"}
    if random.random() < 0.3:
        inner["unit"] = "pieces"
    sum = {"checksum": {"algorithm": "crc32", "over": ["kind", "data"]}}
    seq: list[dict[str, Any]] = [
        {"id": "crc", "type": "u4le", "-wireloom": sum},
        {"id": "kind", "type": "u1"},
        {"id": "len_data", "type": "u1"},
        {"id": "data", "size": "len_data"},
    ]
    fragments: dict[str, Any] = {"kind": "kind", "data": "data", "full": 1, "first": 2, "middle": 3, "last": [4, 5]}
    if codecs:
        seq.insert(3, {"id": "codec", "type": "u1", "if": f"kind == {SAID}"})
        cases = dict(enumerate(CODECS))
        fragments |= {"skip": SAID, "codec": {"switch-on": "codec", "cases": cases, "max-expanded": 400}}
    tables = {"inner": inner, "records": {"rows": "pieces", "columns": ["data"], "fragments": fragments}}
    spec = {
        "meta": {**made.spec["meta"], "-wireloom": {"tables": tables}},
        "seq": [{"id": "pieces", "type": "piece", "repeat": "eos"}],
        "types": {**made.spec["types"], "whole": whole, "piece": {"seq": seq}},
        "enums": made.spec["enums"],
    }

    def write(random: Random, _: Values) -> bytes:
        log, codec = b"", "none"
        for _ in range(random.randrange(1, 6)):
            if codecs and random.random() < 0.4:
                codec = random.choice(CODECS)
                log += piece(SAID, b"", bytes([CODECS.index(codec)]))
            log += record(random, BLOCK_CODECS[codec].compress(made.write(random, {})))
        return log

    return Made(spec, write)


def record(random: Random, data: bytes) -> bytes:
    """Return a record in as many pieces as necessary, or in more."""
    most = random.choice([255, 255, 40, 7])
    parts = [data[begin : begin + most] for begin in range(0, len(data), most)] or [b""]
    if len(parts) == 1:
        return piece(1, data)
    last = piece(random.choice([4, 5]), parts[-1])
    return piece(2, parts[0]) + b"".join(piece(3, each) for each in parts[1:-1]) + last


def piece(kind: int, data: bytes, codec: bytes = b"") -> bytes:
    covered = bytes([kind, len(data)]) + codec + data
    return zlib.crc32(covered).to_bytes(4, "little") + covered
