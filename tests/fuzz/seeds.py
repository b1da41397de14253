"""``python -m tests.fuzz.seeds``: writes the seeds in ``corpora/``, made from the vectors and the built-in specs.

A seed is an input of its target, so most begin with the target's choices, followed by the vector's bytes. A few small
ones suffice: the fuzzer finds the rest, and its grown corpora remain in ``fuzz-report/``.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zstandard
from wireloom.format import registry
from wireloom.format.program import ColumnProgram

from ..unit.frontend.test_hostile import HEADER_BYTES
from .surfaces import damage, formats, inspecting, objects, s2_frames
from .targets import CORPORA, ROOT

VECTORS = ROOT / "tests" / "vectors"
LARGEST = 1200
"""Maximum number of bytes of a seed."""
MOST = 24
"""Maximum number of seeds of a kind."""
STEP_CHOICES = 40
"""Number of bytes that determine a random program in the targets of the engine."""


def rows(*parts: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in VECTORS.joinpath(*parts).read_bytes().splitlines()]


def hexes(key: str, *parts: str) -> Iterator[bytes]:
    """Yield the vectors that are in hexadecimal under that key."""
    found = (bytes.fromhex(row[key]) for row in rows(*parts) if row.get(key))
    yield from (each for each in found if len(each) <= LARGEST)


def segments() -> Iterator[bytes]:
    """Yield the beginnings of EdgeMQ segments before compression."""
    for path in sorted((VECTORS / "edgemq").glob("*.wal.zst")):
        try:
            with zstandard.ZstdDecompressor().stream_reader(path.read_bytes()) as reader:
                yield reader.read(LARGEST // 2)
        except zstandard.ZstdError:
            continue


def beginnings(format: str, *files: str) -> list[bytes]:
    """Return the first bytes of files."""
    return [VECTORS.joinpath(format, each).read_bytes()[:LARGEST] for each in files]


def some(seeds: Iterator[bytes], most: int = MOST) -> list[bytes]:
    """Return distinct ones, evenly spread over all."""
    found = sorted(set(seeds), key=lambda each: (len(each), each))
    return found[:: max(1, -(-len(found) // most))]


def packed(program: ColumnProgram) -> bytes:
    """Return a program padded to whole words, after their count, as the target reads it."""
    while len(program.pack()) % 8:
        program = dataclasses.replace(program, constants=program.constants + b"\0")
    content = program.pack()
    return bytes([0, len(content) // 8]) + content


def choices(name: str) -> bytes:
    """Return bytes from which a target makes a program; always the same ones."""
    return hashlib.sha512(name.encode()).digest()[:STEP_CHOICES]


def program_seeds() -> Iterator[bytes]:
    inputs = {
        "edgemq_segment": segments(),
        "word_stuffed_log": hexes("stream", "word_stuffing", "encode.jsonl"),
        "cobs_log": (each + b"\0" for each in hexes("pypi_encoded", "word_stuffing", "cobs.jsonl")),
    }
    for name, found in inputs.items():
        program = registry.get(name).program
        assert program is not None
        for content in some(found, 6):
            # The value of an input register, the sizes of buffers and rows, how the input is cut, then the input.
            yield packed(program) + b"\0\x40\xff\4\xff\xff\1\0\1\1\x07\x05\x10\1\1" + content
    yield from (b"\1" + choices(f"program {number}") * 3 for number in range(MOST))


def messages() -> list[bytes]:
    aggregates = (each for each in hexes("blob_hex", "kpl", "valid.jsonl"))
    return some(aggregates, 12) + some(hexes("hex", "s2", "messages.jsonl"), 12)


def snappy_seeds() -> Iterator[bytes]:
    blocks = (
        base64.b64decode(row["base64"]) for row in rows("s2_compression", "cases.jsonl") if row["kind"] == "block"
    )
    for block in some((each for each in blocks if len(each) <= LARGEST // 10), 8):
        yield b"\2" + block
    yield from (bytes([1 + number % 2 * 2]) + choices(f"elements {number}") * 8 for number in range(6))


def spec_seeds() -> Iterator[bytes]:
    for path in (ROOT / "specs").glob("*.ksy"):
        # Without most of the documentation, which is a third of the bytes.
        yield DOC.sub("", BLOCK.sub("", path.read_text())).encode()
    zoo = ROOT / "tests" / "unit" / "inspecting" / "zoo.ksy"
    yield zoo.read_bytes()
    yield from (each.encode() for each in (*NAMING, HEADER_BYTES))


BLOCK = re.compile(r"^( +)doc: [|>].*\n(?:\1 +.*\n|\n)*", re.MULTILINE)
DOC = re.compile(r"""^ +doc: (?![|>]).*\n|, doc: (?:'[^'\n]*'|"[^"\n]*"|[^'"{},\n]+)(?=[,}])""", re.MULTILINE)

NAMING = (
    "meta: {id: a, -wireloom: {rows: r}}\nseq: [{id: r, type: t, repeat: eos}]\n"
    """types: {t: {seq: [{id: b, size: 1, process: 'antigravity.fly([115])'}]}}\n""",
    "meta: {id: a, -wireloom: {message: {type: t, hooks: 'antigravity:Fly', framing: 'antigravity:Fly'}}}\n"
    "types: {t: {-wireloom: {message: {fields: [{id: b, number: 1, type: bool}]}}}}\n",
)
"""Specs that name classes of others, which must not be run."""


EXPRESSIONS = (
    "n * 2 + (f > 1.5 ? 1 : -1)",
    "t.substring(0, n).reverse + 'x' * 1",
    "b[0] + l[n % 3] << 2 & 0xff | 0b11 ^ ~n",
    "e == animals::cat and not (n == 0) or s.v >= -7",
    "l.max - l.min + l.size + b.length + t.length",
    "t.to_i(16) + n.to_s.length + b.to_s('ASCII').length",
    "[1, 2, n].last + sizeof<sub> + bitsizeof<u1> + n.as<u1>",
    'f"{n} of {t}"',
    "_root.n + _io.pos + _io.size",
)


def seeds() -> dict[str, list[bytes]]:
    """Return the seeds by target."""
    streams = some(hexes("hex", "s2", "frames.jsonl"), 10) + some(hexes("hex", "s2", "terminal.jsonl"), 4)
    documents = [row["json"].encode() for row in rows("s2", "json.jsonl") if "json" in row]
    events = [row["text"].encode() for row in rows("s2", "sse.jsonl") if "text" in row]
    logs = {
        "edgemq_segment": some(segments(), 6),
        "word_stuffed_log": some(hexes("stream", "word_stuffing", "encode.jsonl"), 6),
        "cobs_log": some(hexes("pypi_encoded", "word_stuffing", "cobs.jsonl"), 4),
        "kpl_aggregated_record": some(hexes("blob_hex", "kpl", "unusual.jsonl"), 6),
        "s2_messages": some(hexes("hex", "s2", "messages.jsonl"), 6),
        "leveldb_log": beginnings("leveldb_log", "transactions.log"),
        "prometheus_wal": beginnings("prometheus_wal", "torn"),
    }
    kinds = {
        "EdgemqSegment": logs["edgemq_segment"],
        "WordStuffedLog": logs["word_stuffed_log"],
        "CobsLog": logs["cobs_log"],
        "KplAggregatedRecord": logs["kpl_aggregated_record"],
        "S2Session": streams[:6],
    }
    stuffed = [
        *hexes("payload", "word_stuffing", "encode.jsonl"),
        *hexes("input", "word_stuffing", "decode_words.jsonl"),
    ]
    return {
        "fuzz_fill": list(program_seeds()),
        "fuzz_rows": [b"".join(choices(f"layout {number} {part}") for part in range(4)) for number in range(MOST)],
        "fuzz_units": [choices(f"unit {number}") * 3 for number in range(MOST)],
        "fuzz_encode": [choices(f"rows {number}") + each for number, each in enumerate(some(iter(stuffed)))],
        "fuzz_messages": [b"\1" + choices(f"message {number}") + each for number, each in enumerate(messages())],
        "fuzz_fields": [choices(f"fields {number}") * 3 for number in range(MOST)],
        "fuzz_stuffing": [bytes([number, 3, 0xFE]) + each for number, each in enumerate(some(iter(stuffed)))],
        "fuzz_wire": [bytes([number]) + each for number, each in enumerate(messages())],
        "fuzz_expression": [choices(f"expression {number}") * 2 for number in range(MOST)],
        "fuzz_index": [choices(f"window {number}") * 5 for number in range(MOST)],
        "fuzz_digests": [
            bytes([number * 23 % 256, 40, number * 9, number]) + each for number, each in enumerate(messages())
        ],
        "fuzz_snappy": list(snappy_seeds()),
        "specs": list(spec_seeds()),
        "expressions": [each.encode() for each in EXPRESSIONS],
        "objects": [
            bytes([number]) + each
            for number, kind in enumerate(objects.KINDS)
            for each in kinds.get(kind.__name__, logs["s2_messages"])[:6]
        ],
        "s2_frames": [bytes([number % len(s2_frames.KINDS), 0]) + each for number, each in enumerate(streams)],
        "s2_json": [b"\0" + each for each in some(iter(documents))],
        "s2_events": [b"\0" + each for each in some(iter(events))],
        "formats": [
            bytes([number, 0, number % 8, 0]) + each
            for number, (name, _) in enumerate(formats.TABLES)
            for each in logs[name][:4]
        ],
        "inspecting": [
            bytes([number, number % 4, number % 3, number * 5 % 16, 0, 0, 0, 9]) + each
            for number, (name, _) in enumerate(inspecting.TABLES)
            for each in logs.get(name, streams)[:4]
        ],
        "damage": [
            bytes([number]) + choices(f"log {number} {each}") * 3
            for number in range(len(damage.NAMES))
            for each in range(4)
        ],
    }


def write(folder: Path = CORPORA) -> int:
    """Write the seeds again; return their total number of bytes."""
    shutil.rmtree(folder, ignore_errors=True)
    total = 0
    for target, found in seeds().items():
        (folder / target).mkdir(parents=True)
        for content in found:
            # Named by content, as by libFuzzer.
            (folder / target / hashlib.sha1(content).hexdigest()).write_bytes(content)
            total += len(content)
    return total


if __name__ == "__main__":
    print(f"{write()} bytes of seeds in {CORPORA.relative_to(ROOT)}")
