"""Checksums that are values of instances: of all algorithms, by both readers, and in expressions."""

import hashlib
import struct
from pathlib import Path
from random import Random

import pytest
import wireloom
from wireloom import SpecError
from wireloom.checksums import CHECKSUMS, Family, algorithm, function

from tests.differential.agreement import agreed, objects_only
from tests.differential.damage import damaged

from ..specs import format_of

ROWS = """
meta: {id: made, endian: le, -wireloom: {rows: rows, columns: [whole, parts, crc, digest, either, fits, low]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: note, size: 2, if: kind > 3}
      - {id: items, type: u2, repeat: expr, repeat-expr: kind}
      - {id: data, size: len}
      - {id: last, type: u1}
      - {id: more, type: u1, if: low == 3}
    instances:
      whole: {-wireloom: {checksum: {algorithm: sha256d, over: [kind, last]}}}
      parts: {-wireloom: {checksum: {algorithm: sha1, over: [[kind], [note], [data, last]]}}}
      crc: {-wireloom: {checksum: {algorithm: crc32c, over: [[kind, len], [data]], initial: 1, final-xor: 2}}}
      digest: {if: kind > 1, -wireloom: {checksum: {algorithm: md5, over: data}}}
      either: {value: 'kind > 1 ? digest : whole'}
      fits: {value: crc % 7 == last % 7}
      low: {value: crc & 7}
"""
BLOCKS = """
meta:
  id: made
  endian: le
  -wireloom:
    tables:
      blocks: {rows: blocks, columns: [hash, id]}
      rows: {rows: blocks.body.rows, columns: [hash, id, sum, data], selectable: [after], where: sum % 3 != 0}
seq: [{id: blocks, type: block, repeat: eos}]
types:
  block:
    seq:
      - {id: id, type: u4}
      - {id: len, type: u2}
      - {id: body, type: body, size: len}
      - {id: tail, type: u1}
    instances:
      hash: {-wireloom: {checksum: {algorithm: sha256, over: [id, len]}}}
      after: {-wireloom: {checksum: {algorithm: crc32, over: [id, tail]}}}
  body:
    seq: [{id: rows, type: row, repeat: eos}]
  row:
    seq: [{id: len, type: u1}, {id: data, size: len}]
    instances:
      sum: {-wireloom: {checksum: {algorithm: crc-16/modbus, over: data}}}
"""
MISTAKEN = """
meta: {id: made, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: len, type: u1}
      - {id: flags, type: b8}
      - {id: data, size: 2}
    instances:
"""


def content(random: Random) -> tuple[bytes, list[dict[str, object]]]:
    """Return an input of ``ROWS``, and what its columns must be."""
    data, rows = b"", []
    crc = function(algorithm("crc32c", 1, 2))
    for _ in range(40):
        kind, len = random.randrange(6), random.randrange(40)
        head, note, items = bytes((kind, len)), random.randbytes(2 if kind > 3 else 0), random.randbytes(2 * kind)
        body, last = random.randbytes(len), random.randbytes(1)
        whole = hashlib.sha256(hashlib.sha256(head + note + items + body + last).digest()).digest()
        sum = crc(head + body)
        assert isinstance(sum, int)
        digest = hashlib.md5(body, usedforsecurity=False).digest() if kind > 1 else None
        parts = hashlib.sha1(head[:1] + note + body + last, usedforsecurity=False).digest()
        rows.append({"whole": whole, "parts": parts, "crc": sum, "digest": digest})
        rows[-1] |= {"either": digest or whole, "fits": sum % 7 == last[0] % 7, "low": sum & 7}
        data += head + note + items + body + last + (b"!" if sum & 7 == 3 else b"")
    return data, rows


def test_runs_conditions_and_expressions() -> None:
    format = format_of(ROWS)
    assert not format.engine_refusal
    data, rows = content(Random(1))
    assert wireloom.read(format, data).to_pylist() == rows
    assert any(row["low"] == 3 for row in rows)
    for options in ({}, {"batch_rows": 1}, {"verify": False}):
        agreed(format, data, **options)


@pytest.mark.slow
def test_damage() -> None:
    format, random = format_of(ROWS), Random(2)
    data, _ = content(random)
    for _ in range(40):
        agreed(format, damaged(random, data), recover=random.random() < 0.5)


def test_every_family() -> None:
    names = [name for name, each in CHECKSUMS.items() if name == each.name and each.family is not Family.CRC]
    names += ["crc-3/gsm", "crc-16/modbus", "crc-24/openpgp", "crc32c", "crc-64/xz"]
    instances = "".join(
        f"      {kind}{number}: {{-wireloom: {{checksum: {{algorithm: {name}, over: {over}}}}}}}\n"
        for kind, over in (("one", "[len, data]"), ("two", "[[len], [data]]"))
        for number, name in enumerate(names)
    )
    spec = f"""
meta: {{id: made, endian: le, -wireloom: {{rows: rows}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types:
  row:
    seq: [{{id: len, type: u1}}, {{id: skipped, type: u1}}, {{id: data, size: len}}]
    instances:
{instances}"""
    random = Random(3)
    rows = [bytes((size, 9)) + random.randbytes(size) for size in (0, 1, 7, 90, 255)]
    format = format_of(spec)
    assert not format.engine_refusal
    found = agreed(format, b"".join(rows))[0]
    for number, name in enumerate(names):
        assert found[f"one{number}"] == [function(algorithm(name))(each) for each in rows]
        assert found[f"two{number}"] == [function(algorithm(name))(each[:1] + each[2:]) for each in rows]


def block(id: int, *rows: bytes) -> bytes:
    body = b"".join(bytes((len(each),)) + each for each in rows)
    return struct.pack("<IH", id, len(body)) + body + b"t"


@pytest.mark.slow
def test_rows_inside_of_later_attributes() -> None:
    """The hash of a block is known when its rows are read; one that is complete only after them is left to objects."""
    format, random = format_of(BLOCKS), Random(4)
    texts = [[random.randbytes(random.randrange(20)) for _ in range(30)] for _ in range(20)]
    data = b"".join(block(id, *each) for id, each in enumerate(texts))
    modbus = function(algorithm("crc-16/modbus"))
    hashes = [hashlib.sha256(block(id, *each)[:6]).digest() for id, each in enumerate(texts)]
    want = [(hashes[id], id, modbus(text), text) for id, each in enumerate(texts) for text in each]
    for options in ({}, {"batch_rows": 7}):
        rows = agreed(format, data, table="rows", **options)[0]
        found = list(zip(*(rows[name] for name in ("hash", "id", "sum", "data")), strict=True))
        assert found == [each for each in want if int(each[2]) % 3]
    crc = function(algorithm("crc32"))
    after = wireloom.read(format, data, table="rows", columns=["id", "after"]).to_pylist()
    assert {row["after"] for row in after if row["id"] == 3} == {crc(block(3, *texts[3]))}
    assert wireloom.read(format, data, columns=["hash"])["hash"].to_pylist() == hashes
    for _ in range(30):
        agreed(format, damaged(random, data), table="rows", recover=True)


@pytest.mark.slow
def test_rows_of_a_unit_in_several_batches(tmp_path: Path) -> None:
    """The hash before the rows of a unit is in all of its batches."""
    spec = BLOCKS.replace("len, type: u2", "len, type: u4").replace("      - {id: tail, type: u1}\n", "")
    format = format_of(spec.replace("over: [id, tail]", "over: id"))
    path, hashes = tmp_path / "large", {}
    with path.open("wb") as file:
        for id in range(3):
            body = b"\x64" * 101 * 60_000
            head = struct.pack("<II", id, len(body))
            hashes[id] = hashlib.sha256(head).digest()
            file.write(head + body)
    batches = list(wireloom.scan(format, path, table="rows", columns=["hash", "id"], batch_rows=10_000))
    assert sum(each.num_rows for each in batches) == 180_000
    for each in batches:
        assert set(zip(each["id"].to_pylist(), each["hash"].to_pylist(), strict=True)) <= set(hashes.items())


def test_objects() -> None:
    format = format_of(ROWS)
    data, rows = content(Random(5))
    log = format.root_class.from_bytes(data)
    assert [each.parts for each in log.rows] == [each["parts"] for each in rows]
    row = log.rows[0]
    made = type(row)(kind=0, data=b"abc", last=1, items=[])
    with pytest.raises(AttributeError, match="Row has no value for 'whole'"):
        _ = made.whole


def test_writing(tmp_path: Path) -> None:
    spec = ROWS.replace("      - {id: more, type: u1, if: low == 3}\n", "")
    spec = spec.replace("columns: [whole, parts", "columns: [kind, note, items, data, last, whole, parts")
    format, path = format_of(spec), tmp_path / "written"
    rows = [{"kind": 1, "note": None, "items": [3], "data": b"abc", "last": 9}]
    wireloom.write(format, rows, path)
    table = wireloom.read(format, path)
    assert table["digest"].to_pylist() == [None]
    assert table["whole"][0].as_py() == hashlib.sha256(hashlib.sha256(path.read_bytes()).digest()).digest()
    wireloom.write(format, table, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_a_checksum_of_all_rows() -> None:
    """A checksum of the outermost type over the rows is known only at the end: the input is read as a whole."""
    format = format_of(
        """
meta: {id: made, endian: le, -wireloom: {rows: rows, columns: [value], parent-columns: [hash]}}
seq: [{id: head, type: u1}, {id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: value, type: u1}]}}
instances:
  hash: {-wireloom: {checksum: {algorithm: md5, over: [head, rows]}}}
""",
    )
    assert not format.streaming
    digest = hashlib.md5(b"abc", usedforsecurity=False).digest()
    with objects_only():
        assert wireloom.read(format, b"abc", columns=["hash", "value"]).to_pylist() == [
            {"hash": digest, "value": each} for each in b"bc"
        ]
    assert wireloom.read(format, b"abc", columns=["hash"])["hash"].to_pylist() == [digest] * 2


@pytest.mark.parametrize(
    ("instance", "at", "message"),
    [
        ("{algorithm: sha257, over: data}", "sha257", "unknown checksum 'sha257'; did you mean 'sha256'?"),
        ("{algorithm: sha256, over: daat}", "daat", "which 'daat' is not; did you mean 'data'?"),
        (
            "{algorithm: sha256, over: flags}",
            "flags",
            "a checksum covers whole bytes, but this attribute is a bit field",
        ),
        (
            "{algorithm: sha256, over: [data, len]}",
            "[data",
            "'data' comes after 'len': name the first attribute, then the last",
        ),
        ("{algorithm: sha256, over: [[data], [len]]}", "[len", "runs must be in the order of the attributes"),
        ("{algorithm: sha256, over: [[len, data], [data]]}", "[data", "'data' must come after 'data'"),
        ("{algorithm: sha256, over: [len, [data]]}", "[len", "in a list of runs each run must be a list"),
        (
            "{algorithm: sha256, over: [len, flags, data]}",
            "[len",
            "a list of names must be the first and the last attribute",
        ),
        ("{algorithm: sha256, over: _parent.rows}", "_parent", "expected the name of an attribute"),
        ("{algorithm: crc32, over: data, stored: _ ^ 1}", "stored", "unknown key found, expected: algorithm"),
        ("{algorithm: sha256, over: data, initial: 1}", "initial", "sha256 is a digest: remove 'initial'"),
    ],
)
def test_mistakes(instance: str, at: str, message: str) -> None:
    line = f"      hash: {{-wireloom: {{checksum: {instance}}}}}"
    with pytest.raises(SpecError, match=message) as caught:
        format_of(MISTAKEN + line)
    assert f"made.ksy:{MISTAKEN.count(chr(10)) + 1}:{line.index(at) + 1}: error" in str(caught.value)


@pytest.mark.parametrize(
    ("instance", "message"),
    [
        ("{value: len, -wireloom: {checksum: {algorithm: md5, over: data}}}", "remove 'value'"),
        ("{pos: 0, size: 2, -wireloom: {checksum: {algorithm: md5, over: data}}}", "remove 'pos'"),
        ("{-wireloom: {checksum: {algorithm: crc32, over: data}, timestamp: s}}", "cannot be used together"),
        ("{-wireloom: {cheksum: {algorithm: crc32, over: data}}}", "did you mean 'checksum'"),
    ],
)
def test_other_keys(instance: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        format_of(f"{MISTAKEN}      hash: {instance}")


def test_what_is_read_later() -> None:
    spec = MISTAKEN.replace("len, type: u1", "len, type: u1, if: hash > 1")
    with pytest.raises(SpecError, match="'if' depends on an attribute that is read later: 'data', through 'hash'"):
        format_of(f"{spec}      hash: {{-wireloom: {{checksum: {{algorithm: crc32, over: data}}}}}}")


def test_messages() -> None:
    with pytest.raises(SpecError, match="'checksum' in an instance requires a type with 'seq'"):
        format_of(
            """
meta: {id: made, -wireloom: {message: {type: point}}}
types:
  point:
    -wireloom: {message: {syntax: proto3, fields: {1: {id: x, type: bytes}}}}
    instances:
      sum: {-wireloom: {checksum: {algorithm: crc32, over: x}}}
""",
        )
