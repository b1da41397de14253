"""The meaning of Kaitai's language, tested with classes with its API: one small spec for each point."""

import ast
import zlib
from pathlib import Path
from typing import Any

import pytest
from wireloom.codegen.backends.python.names import Api
from wireloom.objects import (
    ChecksumError,
    EndOfStreamError,
    KaitaiStructError,
    SizeError,
    UndecidedEndiannessError,
    ValidationLessThanError,
    ValidationNotEqualError,
)

from .compiling import Compiled, importable


def read(folder: Path, body: str, data: bytes, meta: str = "endian: le, encoding: ASCII") -> Any:
    """Return an object of a spec with the given ``meta`` and other parts."""
    return Compiled(folder, f"meta: {{id: made, {meta}}}\n{body}").made.from_bytes(data)


def test_what_is_absent_is_not_set(tmp_path: Path) -> None:
    body = """
seq:
  - {id: kind, type: u1}
  - {id: more, type: u1, if: kind == 1}
  - id: body
    type: {switch-on: kind, cases: {1: u1, 2: u2}}
  - id: bodies
    type: {switch-on: _index + kind, cases: {1: u1, 2: u2}}
    repeat: expr
    repeat-expr: 3
instances:
  lazy: {value: kind, if: kind == 1}
  placed:
    pos: 0
    type: {switch-on: kind, cases: {1: u1}}
"""
    full = read(tmp_path, body, b"\1\2\3\4\5\6")
    assert (full.more, full.body, full.bodies, full.lazy, full.placed) == (2, 3, [4, 0x0605], 1, 1)
    empty = read(tmp_path, body, b"\3")
    assert not hasattr(empty, "more")
    assert not hasattr(empty, "body")
    assert empty.bodies == []
    assert empty.lazy is None
    assert empty.placed is None
    assert repr(empty) == "Made(kind=3, bodies=[])"


def test_an_error_at_the_end_is_that_of_the_field(tmp_path: Path) -> None:
    fields = "seq: [{id: a, type: u1}, {id: b, type: u4}, {id: c, size: 3}]"
    made = Compiled(tmp_path, f"meta: {{id: made, endian: le}}\n{fields}").made
    with pytest.raises(EndOfStreamError, match=r"^requested 4 bytes, but only 3 bytes available$"):
        made.from_bytes(b"\1\2\3\4")
    with pytest.raises(EOFError, match=r"^requested 3 bytes, but only 0 bytes available$"):
        made.from_bytes(bytes(5))
    file = tmp_path / "short"
    file.write_bytes(bytes(6))
    with pytest.raises(EndOfStreamError, match=r"^requested 3 bytes, but only 1 bytes available$"):
        made.from_file(file)


def test_an_error_in_an_array_is_that_of_the_item(tmp_path: Path) -> None:
    with pytest.raises(EndOfStreamError, match=r"^requested 4 bytes, but only 2 bytes available$"):
        read(tmp_path, "seq: [{id: a, type: u4, repeat: expr, repeat-expr: 1000000000}]", bytes(10))


def test_a_value_is_refused_before_what_follows_is_read(tmp_path: Path) -> None:
    body = "seq: [{id: a, type: u1}, {id: magic, contents: XY}, {id: b, type: u4}]"
    with pytest.raises(ValidationNotEqualError) as raised:
        read(tmp_path, body, b"\1XZ")
    assert raised.value.src_path == "/seq/1"
    assert (raised.value.expected, raised.value.actual) == (b"XY", b"XZ")


def test_checks_of_instances(tmp_path: Path) -> None:
    made = read(tmp_path, "instances: {a: {pos: 1, type: u1, valid: {min: 5}}}", b"\1\2")
    with pytest.raises(ValidationLessThanError) as raised:
        _ = made.a
    assert raised.value.src_path == "/instances/a"


def test_text_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UnicodeDecodeError):
        read(tmp_path, "seq: [{id: a, type: str, size: 1}]", b"\xff")


def test_an_encoding_that_python_does_not_know_fails_when_it_is_used(tmp_path: Path) -> None:
    body = """
seq: [{id: a, size: 1}]
instances:
  written: {pos: 0, size: 1, type: str, encoding: 'EBCDIC\\x'}
  computed: {value: "a.to_s('NONE')"}
"""
    made = read(tmp_path, body, b"A")
    with pytest.raises(LookupError, match=r"^unknown encoding: EBCDIC\\x$"):
        _ = made.written
    with pytest.raises(LookupError, match=r"^unknown encoding: NONE$"):
        _ = made.computed


def test_errors_of_input_are_those_of_python_as_well(tmp_path: Path) -> None:
    body = """
seq: [{id: a, type: u1}]
instances:
  quotient: {value: 7 / a}
  rest: {value: 7 % a}
  item: {value: "[1, 2, 300][a + 5]"}
  number: {value: "'x'.to_i"}
  unzipped: {pos: 0, size: 1, process: zlib}
"""
    made = read(tmp_path, body, b"\0")
    kinds = {"quotient": ZeroDivisionError, "rest": ZeroDivisionError, "item": IndexError, "number": ValueError}
    for name, kind in {**kinds, "unzipped": zlib.error}.items():
        with pytest.raises(kind) as raised:
            getattr(made, name)
        assert isinstance(raised.value, KaitaiStructError)


def test_opaque_types(tmp_path: Path) -> None:
    outside = "meta: {id: outside}\nparams: [{id: n, type: u1}]\nseq: [{id: a, type: u1}, {id: b, size: n}]"
    body = """
meta: {id: made, ks-opaque-types: true}
seq:
  - {id: whole, type: outside(2)}
  - {id: sized, type: outside(1), size: 3, process: xor(1)}
instances:
  inside: {value: whole.a.as<u1> + 1}
  text: {value: "sized.b.as<bytes>.to_s('ASCII')"}
"""
    made = Compiled(tmp_path, outside, body).made.from_bytes(b"\7xy\6@??")
    assert (made.whole.a, made.whole.b, made.sized.b, made.inside, made.text) == (7, b"xy", b"A", 8, "A")
    assert made.whole._parent is None


def test_an_opaque_type_may_be_any_class(tmp_path: Path) -> None:
    compiled = Compiled(tmp_path, "meta: {id: made, ks-opaque-types: true}\nseq: [{id: a, type: by_hand}]")
    (compiled.folder / "by_hand.py").write_text(
        "class ByHand:\n    def __init__(self, _io):\n        self.word = _io.read_bytes(3)\n"
    )
    assert compiled.made.from_bytes(b"abc").a.word == b"abc"


def test_types_of_other_files_are_roots_of_their_own(tmp_path: Path) -> None:
    other = "meta: {id: other}\ntypes: {part: {seq: [{id: v, type: u1}]}}\nseq: [{id: own, type: part}]"
    body = "meta: {id: made, imports: [other]}\nseq: [{id: a, type: other}, {id: b, type: 'other::part'}]"
    made = Compiled(tmp_path, other, body).made.from_bytes(b"\1\2")
    assert made.a._parent is None
    assert made.a._root is made.a
    assert made.a.own._root is made.a
    assert made.a.own._parent is made.a
    assert made.b._parent is None
    assert made.b._root is None


def test_specs_may_import_each_other(tmp_path: Path) -> None:
    one = "meta: {id: one, imports: [two]}\nseq: [{id: n, type: u1}, {id: next, type: two, if: n > 0}]"
    two = "meta: {id: two, imports: [one]}\nseq: [{id: one, type: one}]\nenums: {colour: {1: red}}"
    made = Compiled(tmp_path, one, two).one.from_bytes(b"\2\1\0")
    assert made.next.one.next.one.n == 0


def test_a_module_whose_name_is_a_keyword(tmp_path: Path) -> None:
    other = "meta: {id: lambda}\nseq: [{id: v, type: u1}]"
    body = "meta: {id: made, imports: [lambda]}\nseq: [{id: a, type: lambda}]"
    compiled = Compiled(tmp_path, other, body)
    assert compiled.made.from_bytes(b"\1").a.v == 1
    assert (compiled.folder / "lambda_.py").is_file()


def test_imports_from_folders(tmp_path: Path) -> None:
    library, beside = tmp_path / "library/common", tmp_path / "beside"
    library.mkdir(parents=True)
    beside.mkdir()
    (library / "deep.ksy").write_text("meta: {id: deep, imports: [shallow]}\nseq: [{id: s, type: shallow}]")
    (library / "shallow.ksy").write_text("meta: {id: shallow}\nseq: [{id: v, type: u1}]")
    (beside / "near.ksy").write_text("meta: {id: near}\nseq: [{id: w, type: u1}]")
    body = "meta: {id: made, imports: [/common/deep, beside/near]}\nseq: [{id: a, type: deep}, {id: b, type: near}]"
    compiled = Compiled(tmp_path, body, import_paths=(tmp_path / "library",))
    made = compiled.made.from_bytes(b"\1\2")
    assert (made.a.s.v, made.b.w) == (1, 2)
    assert {each.stem for each in compiled.folder.glob("[a-z]*.py")} == {"made", "deep", "shallow", "near"}


def test_custom_processes_are_looked_up_by_name(tmp_path: Path) -> None:
    nested = tmp_path / "processes_of_a_test"
    nested.mkdir()
    (nested / "__init__.py").touch()
    kind = "class {}:\n    def __init__(self, *given):\n        self.given = given\n"
    decode = "    def decode(self, data):\n        return data[::-1] + repr(self.given).encode()\n"
    (nested / "inner.py").write_text(kind.format("TurnRound") + decode)
    (tmp_path / "turn_alone.py").write_text(kind.format("TurnAlone") + decode)
    body = """
seq:
  - {id: a, size: 3, process: "processes_of_a_test.inner.turn_round(a_key, true)"}
  - {id: b, size: 3, process: turn_alone}
instances: {a_key: {value: 7}}
"""
    with importable(tmp_path):
        made = read(tmp_path, body, b"abcdef")
    assert (made.a, made.b) == (b"cba(7, True)", b"fed()")


def test_arguments_of_a_custom_process_see_the_stream_after_its_bytes(tmp_path: Path) -> None:
    decode = "    def decode(self, data):\n        return data + bytes((self.given,))\n"
    (tmp_path / "turn_place.py").write_text(
        f"class TurnPlace:\n    def __init__(self, given):\n        self.given = given\n{decode}"
    )
    with importable(tmp_path):
        made = read(tmp_path, "seq: [{id: a, size: 3, process: turn_place(_io.pos)}]", b"abcdef")
    assert made.a == b"abc\x03"


def test_custom_processes_are_imported_where_kaitais_modules_import_them(tmp_path: Path) -> None:
    body = """
seq:
  - {id: a, size: 3, process: io.deeper.turn_round}
  - {id: b, size: 3, process: kaitai_stream}
  - {id: c, size: 3, process: kaitai_stream(1), type: kaitai_stream}
types: {kaitai_stream: {seq: [{id: x, size: 3}]}}
"""
    for api in (Api.KAITAI, Api.KAITAI_READ_WRITE):
        compiled = Compiled(tmp_path, f"meta: {{id: made}}\n{body}", api=api)
        tree = ast.parse((compiled.folder / "made.py").read_text())
        imports = {ast.unparse(each) for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)}
        assert "import io.deeper as _io_deeper" in imports
        assert any(each.startswith("from kaitai_stream import KaitaiStream as ") for each in imports)
        bound = [name.asname or name.name for each in tree.body if hasattr(each, "names") for name in each.names]
        assert len(bound) == len(set(bound))


def test_a_processed_repetition_has_one_key_per_item(tmp_path: Path) -> None:
    body = "seq: [{id: a, size: 2, process: xor(_index), repeat: eos}, {id: b, size-eos: true}]"
    assert read(tmp_path, body, b"AAAAAA").a == [b"AA", b"@@", b"CC"]


def test_a_byte_order_is_inherited_whatever_the_parent(tmp_path: Path) -> None:
    body = """
seq: [{id: kind, type: u1}, {id: outer, type: outer}]
types:
  outer:
    meta: {endian: {switch-on: _root.kind, cases: {1: le, 2: be}}}
    seq:
      - {id: own, type: u2}
      - {id: near, type: inner}
      - {id: far, type: inner, parent: _root}
      - {id: none, type: inner, parent: false}
    types: {inner: {seq: [{id: v, type: u2}]}}
"""
    made = read(tmp_path, body, b"\1" + b"\1\0" * 4)
    assert (made.outer.own, made.outer.near.v, made.outer.far.v, made.outer.none.v) == (1, 1, 1, 1)
    assert made.outer.far._parent is made
    assert made.outer.none._parent is None
    assert read(tmp_path, body, b"\2" + b"\1\0" * 4).outer.far.v == 256
    with pytest.raises(UndecidedEndiannessError):
        read(tmp_path, body, b"\3" + bytes(8))


def test_bits_of_both_orders(tmp_path: Path) -> None:
    body = """
seq:
  - {id: a, type: b3}
  - {id: b, type: b13}
  - {id: c, type: inner}
  - {id: d, type: b64}
types:
  inner:
    meta: {bit-endian: be}
    seq: [{id: x, type: b4}, {id: flag, type: b1}, {id: y, type: b11}]
"""
    made = read(tmp_path, body, b"\x0d\x01\x5a\xbc" + bytes(range(1, 9)), "bit-endian: le")
    assert (made.a, made.b) == (5, (0x010D >> 3))
    assert (made.c.x, made.c.flag, made.c.y) == (5, True, 0x2BC)
    assert made.d == int.from_bytes(bytes(range(1, 9)), "little")


def test_terminators_of_wide_text(tmp_path: Path) -> None:
    body = """
seq:
  - {id: a, type: strz, encoding: UTF-16LE}
  - {id: b, type: strz, encoding: UTF-32BE}
  - {id: c, type: strz, encoding: UTF-16BE, size: 8}
  - {id: d, type: strz, encoding: UTF-16LE, eos-error: false, include: true}
"""
    data = "Ā\0".encode("utf-16-le") + "x€\0".encode("utf-32-be") + "ab\0c".encode("utf-16-be") + b"z\0"
    made = read(tmp_path, body, data)
    assert (made.a, made.b, made.c, made.d) == ("Ā", "x€", "ab", "z")


def test_integers_beyond_64_bits_and_53(tmp_path: Path) -> None:
    body = """
seq: [{id: e, type: u8, enum: wide}, {id: f, type: s1, enum: signed}]
instances:
  more: {value: e.to_i * 0x1_0000_0000 + 9007199254740993}
  known: {value: "e == wide::top"}
enums:
  wide: {18446744073709551615: top, 0x1000000000000001: mid}
  signed: {-128: least, 0: none}
"""
    made = read(tmp_path, body.replace("_0000", "0000"), b"\xff" * 8 + b"\x80")
    kind = type(made)
    assert made.e is kind.Wide.top
    assert made.f is kind.Signed.least
    assert made.known is True
    assert made.more == 0xFFFFFFFFFFFFFFFF * (1 << 32) + 9007199254740993


def test_a_number_without_a_label_stays_a_number(tmp_path: Path) -> None:
    made = read(tmp_path, "seq: [{id: a, type: u1, enum: e}]\nenums: {e: {1: one}}", b"\2")
    assert made.a == 2
    assert type(made.a) is int


def test_a_number_may_have_a_label_of_each_of_two_enums(tmp_path: Path) -> None:
    body = "seq: [{id: a, type: u1, enum: e}]\nenums: {e: {1: one}, f: {1: uno}}\ninstances: {b: {value: a, enum: f}}"
    made = read(tmp_path, body, b"\1")
    assert made.a is type(made).E.one
    assert made.b is type(made).F.uno
    assert read(tmp_path, body, b"\2").b == 2


def test_sizes_texts_and_casts(tmp_path: Path) -> None:
    body = """
seq: [{id: a, type: u4}, {id: b, type: part, repeat: expr, repeat-expr: 2}]
types: {part: {seq: [{id: x, type: u2}, {id: y, type: b12}]}}
instances:
  sizes: {value: '[a._sizeof, sizeof<part>, bitsizeof<part>, sizeof<u8>]'}
  text: {value: 'f"{a}: {b[1].x + 1} {a > 1}"'}
  empty: {value: '[].as<bytes>'}
  none: {value: '[].as<u2[]>'}
  list: {value: '[1, 2].as<u4[]>'}
  wide: {value: b.first.x.as<u1>}
to-string: 'f"made of {a}"'
"""
    made = read(tmp_path, body, b"\2\0\0\0\1\0\0\0\3\0\0\0")
    assert made.sizes == bytes((4, 4, 28, 8))
    assert made.text == "2: 4 true"
    assert (made.empty, made.none, made.list, made.wide) == (b"", [], [1, 2], 1)
    assert str(made) == "made of 2"


def test_a_path_leads_to_what_is_visible_from_its_first_part(tmp_path: Path) -> None:
    body = """
seq: [{id: a, type: 'outer::inner::beside'}]
types:
  beside: {seq: [{id: v, type: u1}]}
  outer: {types: {inner: {seq: [{id: w, type: u2}]}}}
"""
    assert read(tmp_path, body, b"\5").a.v == 5


def test_checksums_are_verified(tmp_path: Path) -> None:
    body = """
seq:
  - {id: flag, type: u1}
  - {id: data, size: 9}
  - {id: crc, type: u4, if: flag == 1, -wireloom: {checksum: {algorithm: crc32, over: data}}}
"""
    good = b"\1" + b"123456789" + (0xCBF43926).to_bytes(4, "little")
    assert read(tmp_path, body, good).crc == 0xCBF43926
    assert not hasattr(read(tmp_path, body, b"\0" + good[1:]), "crc")
    with pytest.raises(ChecksumError):
        read(tmp_path, body, good.replace(b"9", b"8"))


def test_sizes_are_compared(tmp_path: Path) -> None:
    body = """
seq:
  - {id: len, type: u1, -wireloom: {size-of: [size, part]}}
  - {id: size, type: u1}
  - {id: part, type: part, size: size}
types:
  part: {-wireloom: {trailing-bytes: refuse}, seq: [{id: a, type: u2}]}
"""
    assert read(tmp_path, body, b"\3\2ab").part.a == 0x6261
    for bad in (b"\2\2ab", b"\4\3abc"):
        with pytest.raises(SizeError, match=r"the stated size is \d bytes, but the attributes have"):
            read(tmp_path, body, bad)


@pytest.mark.parametrize("name", ["import.turn", "lambda", "a.class.b", "none"])
def test_a_process_that_python_cannot_import_is_refused(tmp_path: Path, name: str) -> None:
    for api in (Api.KAITAI, Api.KAITAI_READ_WRITE):
        compiled = Compiled(tmp_path, f"meta: {{id: made}}\nseq: [{{id: a, size: 3, process: {name}}}]\n", api=api)
        assert f"made.ksy:2:33: error: '{name}' is not a class that Python can import" in compiled.errors[0]


@pytest.mark.parametrize("name", ["a..b", "a.", ".a", "a.1", "a b", "A.b"])
def test_a_process_has_a_name(tmp_path: Path, name: str) -> None:
    compiled = Compiled(tmp_path, f"meta: {{id: made}}\nseq: [{{id: a, size: 3, process: '{name}'}}]\n")
    assert "or the name of a routine" in compiled.errors[0]
