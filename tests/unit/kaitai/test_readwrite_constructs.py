"""Each construct of the language, written and read again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from wireloom.codegen.backends.python.names import Api

from .compiling import Compiled
from .writing import META, read, there_and_back, writable, written

ROOT = Path(__file__).parents[3]

CONSTRUCTS: dict[str, tuple[str, bytes]] = {
    "integers and floats": (
        "seq: [{id: a, type: u1}, {id: b, type: s2be}, {id: c, type: u4}, {id: d, type: s8}, {id: e, type: f4}]",
        bytes.fromhex("01 fffe 02000000 fdffffffffffffff 0000803f"),
    ),
    "bits, be": ("seq: [{id: a, type: b3}, {id: b, type: b1}, {id: c, type: b12}, {id: d, type: u1}]", b"\xa5\x5a\x07"),
    "bits, le": ("seq: [{id: a, type: b3le}, {id: b, type: b1le}, {id: c, type: b12le}]", b"\xa5\x5a"),
    "bits that end inside a byte": (
        "seq: [{id: a, type: b5}, {id: b, type: u1}, {id: c, type: b9}]",
        b"\xf8\x07\xff\x80",
    ),
    "bits around numbers of which there are none": (
        "seq: [{id: n, type: b5}, {id: a, type: u2, repeat: expr, repeat-expr: n}, {id: b, type: b3}]",
        b"\x05",
    ),
    "text": ("seq: [{id: a, type: str, size: 6}, {id: b, type: strz}]", "größe1\0".encode()[:6] + "ß\0".encode()),
    "text, two bytes a unit": ("seq: [{id: a, type: strz, encoding: UTF-16LE}]", "aĀ\0".encode("utf-16le")),
    "a terminator that is included": ("seq: [{id: a, terminator: 0x0a, include: true}, {id: b, type: u1}]", b"ab\n\1"),
    "a terminator that stays": ("seq: [{id: a, terminator: 0x0a, consume: false}, {id: b, type: u1}]", b"ab\n"),
    "a terminator that stays at the end": ("seq: [{id: a, terminator: 0x0a, consume: false}]", b"ab\n"),
    "a terminator or the end": (
        "seq: [{id: a, size: 3, type: t}]\ntypes: {t: {seq: [{id: x, terminator: 0, eos-error: false}]}}",
        b"abc",
    ),
    "padding": (
        "seq: [{id: a, size: 6, pad-right: 0x20}, {id: b, size: 5, terminator: 0, pad-right: 0x2b}]",
        b"ab    xy\0++",
    ),
    "a switch on the stream": (
        "seq: [{id: a, type: {switch-on: _io.size, cases: {1: t, 2: u2, _: u}}}]\n"
        "types: {t: {seq: [{id: x, contents: [0]}]}, u: {seq: [{id: x, size-eos: true}]}}",
        b"abc",
    ),
    "a list that ends at an index": ("seq: [{id: a, type: u1, repeat: until, repeat-until: _index == 2}]", b"abc"),
    "a list of computed order": (
        "seq: [{id: o, type: o}]\n"
        "types: {o: {meta: {endian: {switch-on: k, cases: {1: le, _: be}}}, "
        "instances: {k: {value: 2}}, seq: [{id: b, type: u2, repeat: expr, repeat-expr: 2}]}}",
        b"\1\2\3\4",
    ),
    "zlib": ("seq: [{id: a, size-eos: true, process: zlib}]", bytes.fromhex("789c4b4c4a0600024d0127")),
    "xor and rotation": (
        "seq: [{id: k, type: u1}, {id: a, size: 2, process: xor(k)}, {id: b, size: 2, process: rol(3)}]",
        b"\x05\x01\x02\x03\x04",
    ),
    "an object between terminators": (
        "seq: [{id: a, type: t, terminator: 0x7c, repeat: expr, repeat-expr: 2}]\n"
        "types: {t: {seq: [{id: x, size-eos: true}]}}",
        b"ab|c|",
    ),
    "an object that is padded": (
        "seq: [{id: a, type: t, size: 4, pad-right: 0x20}]\ntypes: {t: {seq: [{id: x, type: u1, repeat: eos}]}}",
        b"ab  ",
    ),
    "an object with process": (
        "seq: [{id: a, type: t, size: 3, process: xor(7)}]\ntypes: {t: {seq: [{id: x, type: u1, repeat: eos}]}}",
        b"abc",
    ),
    "repetition to the end": ("seq: [{id: a, type: u2, repeat: eos}]", b"\1\0\2\0"),
    "repetition until": ("seq: [{id: a, type: u1, repeat: until, repeat-until: _ == 0}]", b"\3\2\0"),
    "repetition of bits": ("seq: [{id: a, type: b4, repeat: expr, repeat-expr: 3}]", b"\x12\x30"),
    "conditions": ("seq: [{id: a, type: u1}, {id: b, type: u1, if: a > 1}, {id: c, type: u1, if: a > 5}]", b"\2\3"),
    "a condition about the stream": ("seq: [{id: a, type: u1}, {id: b, type: u1, if: not _io.eof}]", b"\2"),
    "a switch": (
        "seq:\n- {id: k, type: u1}\n- {id: a, type: {switch-on: k, cases: {1: u1, 2: u4, 3: t}}}\n"
        "types: {t: {seq: [{id: x, type: strz}]}}",
        b"\3hi\0",
    ),
    "a switch with a size": (
        "seq:\n- {id: k, type: u1}\n- {id: a, size: 2, type: {switch-on: k, cases: {1: t}}}\n"
        "types: {t: {seq: [{id: x, type: u2}]}}",
        b"\7hi",
    ),
    "a repeated switch": (
        "seq:\n- {id: k, size: 2}\n"
        "- {id: a, type: {switch-on: 'k[_index]', cases: {1: u1, 2: u2}}, repeat: expr, repeat-expr: 2}",
        b"\2\1\0\1\3",
    ),
    "parameters": (
        "seq: [{id: n, type: u1}, {id: a, type: t(n), repeat: expr, repeat-expr: 2}]\n"
        "types: {t: {params: [{id: m, type: u1}], seq: [{id: x, size: m}]}}",
        b"\2abcd",
    ),
    "enums": ("seq: [{id: a, type: u1, enum: e}, {id: b, type: b4, enum: e}]\nenums: {e: {1: one, 2: two}}", b"\1\xf0"),
    "a byte order that is computed": (
        "seq: [{id: a, type: t}]\ntypes:\n  t:\n    meta: {endian: {switch-on: k, cases: {73: le, 77: be}}}\n"
        "    seq: [{id: v, type: u2}, {id: w, type: u}]\n    instances: {k: {value: 77}}\n"
        "    types: {u: {seq: [{id: z, type: u4}]}}",
        b"\1\2\1\2\3\4",
    ),
    "a size that asks the stream": ("seq: [{id: a, size: _io.size - 2}, {id: b, type: u2}]", b"abc\1\0"),
    "a type of itself": (
        "seq: [{id: n, type: u1}, {id: next, type: made, if: n > 0}]",
        b"\2\1\0",
    ),
}


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_what_is_read_is_written(tmp_path: Path, name: str) -> None:
    spec, data = CONSTRUCTS[name]
    kind = writable(tmp_path, spec)
    assert written(read(kind, data), len(data)) == data
    assert there_and_back(kind, read(kind, data)) == data


def test_what_is_made_is_written(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: kind, type: u1, enum: kind}, {id: note, type: note}]\nenums: {kind: {1: short, 2: long}}\n"
        "types: {note: {seq: [{id: text, type: strz}, {id: flag, type: b1}]}}",
    )
    value = kind()
    value.kind = kind.Kind.long
    value.note = kind.Note()
    value.note.text = "ü"
    value.note.flag = True
    assert there_and_back(kind, value) == b"\2\xc3\xbc\0\x80"


PLACED = """
seq: [{id: a, type: u2}]
instances:
  b: {pos: 4, type: u2}
  c: {pos: a, size: 2, if: a != 0}
"""


def test_instances_are_written_at_their_positions(tmp_path: Path) -> None:
    kind = writable(tmp_path, PLACED)
    data = b"\6\0\0\0\1\2hi"
    value = read(kind, data)
    # They have not been accessed yet.
    assert written(value, 8) == data
    value.b = 0x0403
    assert written(value, 8) == b"\6\0\0\0\3\4hi"


def test_an_instance_that_is_not_enabled_is_not_written(tmp_path: Path) -> None:
    kind = writable(tmp_path, PLACED)
    value = kind()
    value.a = 0
    value.b__enabled = False
    assert value.b is None
    assert written(value) == b"\0\0"


def test_an_instance_without_a_value_is_an_error(tmp_path: Path) -> None:
    value = writable(tmp_path, PLACED)()
    value.a = 0
    with pytest.raises(AttributeError, match="b of Made is not set: assign it, or set b__enabled to False"):
        value._check()


def test_an_instance_in_the_stream_of_another_object(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: ofs, type: u1}, {id: names, type: names, size: 6}]\n"
        "instances: {name: {io: names._io, pos: ofs, type: strz}}\ntypes: {names: {seq: [{id: magic, type: u1}]}}",
    )
    data = b"\2\x09\0hey\0"
    value = read(kind, data)
    assert value.name == "hey"
    value.name = "you"
    assert written(value, 7) == b"\2\x09\0you\0"


def test_what_no_attribute_describes_stays(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: a, size: 5, type: t}]\ntypes: {t: {seq: [{id: x, type: u2}]}}")
    value = read(kind, b"\1\0abc")
    value.a.x = 2
    assert written(value, 5) == b"\2\0abc"


def test_what_stands_between_instances_stays(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: ofs, type: u1}]\ninstances: {a: {pos: ofs, type: u1}}")
    value = read(kind, b"\4abc\7tail")
    value.a = 8
    assert written(value) == b"\4abc\x08"
    value.a = 9
    assert written(value) == b"\4abc\x09"


CUSTOM = """
class Mirror:
    def __init__(self, first):
        self.first = first

    def decode(self, data):
        return data[:self.first] + data[self.first:][::-1]

    encode = decode
"""


def test_a_process_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mirror.py").write_text(CUSTOM)
    monkeypatch.syspath_prepend(tmp_path)
    kind = writable(
        tmp_path,
        "seq: [{id: len, type: u1}, {id: a, size: len, process: mirror(1)}, "
        "{id: b, size: 4, type: t, process: mirror(2)}]\ntypes: {t: {seq: [{id: x, type: str, size: 4}]}}",
    )
    value = read(kind, b"\3abcwxyz")
    assert (value.a, value.b.x, value._raw_b) == (b"acb", "wxzy", b"wxzy")
    value.a, value.b.x = b"12345", "abcd"
    assert there_and_back(kind, value) == b"\x0515432abdc"
    assert (value._raw_b, value._raw__raw_b) == (b"abcd", b"abdc")


FRAMES = (
    "seq: [{{id: notes, type: note, repeat: eos, -wireloom: {{framing: {{stuffing: {}}}}}}}]\n"
    "types: {{note: {{seq: [{{id: text, size-eos: true}}]}}}}"
)


def test_frames(tmp_path: Path) -> None:
    kind = writable(tmp_path, FRAMES.format("cobs, delimiter: [0]"))
    value = kind()
    value.notes = [kind.Note(), kind.Note()]
    value.notes[0].text, value.notes[1].text = b"a\0b", b"c"
    assert there_and_back(kind, value) == b"\2a\2b\0\2c\0"


def test_frames_with_escapes(tmp_path: Path) -> None:
    kind = writable(tmp_path, FRAMES.format("{escape: 0xdb, map: {0xdc: 0xc0, 0xdd: 0xdb}}, delimiter: 0xc0"))
    value = kind()
    value.notes = [kind.Note(), kind.Note()]
    value.notes[0].text, value.notes[1].text = b"a\xc0b", b"\xdb"
    assert there_and_back(kind, value) == b"a\xdb\xdcb\xc0\xdb\xdd\xc0"


def test_zlib_that_another_made_stays_as_it_is(tmp_path: Path) -> None:
    import zlib

    kind = writable(tmp_path, "seq: [{id: len, type: u1}, {id: a, size: len, process: zlib}]")
    packed = zlib.compress(b"abc" * 30, 1)
    data = bytes((len(packed),)) + packed
    value = read(kind, data)
    assert written(value) == data
    value.a = b"other"
    assert zlib.decompress(written(value)[1:]) == b"other"


def test_imported_types(tmp_path: Path) -> None:
    part = "meta: {id: part, endian: le}\nseq: [{id: len, type: u2}, {id: body, size: len}]\n"
    (tmp_path / "part.ksy").write_text(part)
    text = "meta: {id: made, endian: le, imports: [part]}\nseq: [{id: a, type: part}, {id: b, type: part}]"
    kind = Compiled(tmp_path, text, part, api=Api.KAITAI_READ_WRITE).made
    value = read(kind, b"\1\0x\2\0yz")
    value.a.body = b"longer"
    assert there_and_back(kind, value) == b"\6\0longer\2\0yz"


def names(value: Any) -> set[str]:
    return {name for name in dir(value) if not name.startswith("__")}


def test_the_protocol_is_there(tmp_path: Path) -> None:
    value = writable(tmp_path, PLACED)()
    protocol = {"_read", "_check", "_write", "_write__seq", "_fetch_instances", "_io", "_parent", "_root", "_dirty"}
    assert protocol | {"b__enabled", "_should_write_b"} <= names(value)


@pytest.mark.slow
def test_the_linter_has_nothing_to_say_of_the_classes(tmp_path: Path) -> None:
    for number, (text, _) in enumerate(CONSTRUCTS.values()):
        folder = tmp_path / f"made_{number}"
        folder.mkdir()
        assert Compiled(folder, META + text, api=Api.KAITAI_READ_WRITE).errors == []
    # Not the layout of modules, which is done later, nor docstrings if the spec has none.
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--config", ROOT / "pyproject.toml"]
    options = ["--extend-ignore", "D101,D102,D202,D209,D413,E,I001,W", "--output-format", "concise"]
    done = subprocess.run([*command, *options, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
