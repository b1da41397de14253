"""One size of several fields, and sizes in which more than one attribute is not given."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from kaitaistruct import ConsistencyError
from wireloom.command import main

from .writing import made, read, writable

SHARED = "seq: [{id: n, type: u1}, {id: a, size: n}, {id: b, size: n}]"
OPTIONAL = "seq: [{id: n, type: u1}, {id: t, type: u1}, {id: a, size: n, if: t == 1}, {id: b, size: n}]"
TOTAL = """
seq:
  - {id: total, type: u4}
  - {id: len_a, type: u2}
  - {id: a, size: len_a}
  - {id: b, size: total - len_a}
"""
GRID = "seq: [{id: w, type: u1}, {id: h, type: u1}, {id: cells, type: u1, repeat: expr, repeat-expr: w * h}]"


def test_fields_that_share_a_size_must_be_as_long_as_each_other(tmp_path: Path) -> None:
    kind = writable(tmp_path, SHARED)
    assert made(kind, a=b"ab", b=b"cd")._to_bytes() == b"\2abcd"
    for a, b in ((b"abc", b"ab"), (b"ab", b"abc")):
        text = f"(?m)^Check failed: b, expected: {len(a)}, actual: {len(b)}$"
        with pytest.raises(ConsistencyError, match=text):
            made(kind, a=a, b=b)._to_bytes()
        with pytest.raises(ConsistencyError, match=text):
            made(kind, a=a, b=b)._check()


def test_what_was_read_may_become_longer_in_both_only(tmp_path: Path) -> None:
    value = read(writable(tmp_path, SHARED), b"\3abcdef")
    value.a = b"wxyz"
    with pytest.raises(ConsistencyError, match=r"^Check failed: b, expected: 4, actual: 3\nin b of Made: "):
        value._to_bytes()
    value.b = b"1234"
    assert value._to_bytes() == b"\4wxyz1234"


def test_a_field_that_is_absent_decides_nothing(tmp_path: Path) -> None:
    kind = writable(tmp_path, OPTIONAL)
    assert made(kind, t=0, b=b"ab")._to_bytes() == b"\2\0ab"
    assert made(kind, t=1, a=b"ab", b=b"cd")._to_bytes() == b"\2\1abcd"
    with pytest.raises(ConsistencyError):
        made(kind, t=1, a=b"a", b=b"cd")._to_bytes()


def test_a_total_follows_when_its_parts_do(tmp_path: Path) -> None:
    assert made(writable(tmp_path, TOTAL), a=b"abc", b=b"defgh")._to_bytes() == b"\x08\0\0\0\3\0abcdefgh"


def test_of_two_factors_the_one_that_is_not_given_follows(tmp_path: Path) -> None:
    kind = writable(tmp_path, GRID)
    assert made(kind, w=2, cells=[1, 2, 3, 4, 5, 6])._to_bytes() == b"\2\3\1\2\3\4\5\6"
    assert made(kind, h=2, cells=[1, 2, 3, 4, 5, 6])._to_bytes() == b"\3\2\1\2\3\4\5\6"
    for given in ({}, {"w": 4}):
        with pytest.raises(AttributeError, match="is not set and cannot be derived: assign it"):
            made(kind, cells=[1, 2, 3, 4, 5, 6], **given)._to_bytes()


@pytest.mark.parametrize(
    ("seq", "named"),
    [
        (
            "[{id: bits, type: u1}, {id: body, size: bits / 8}]",
            "'bits', which cannot be derived from the size of 'body'",
        ),
        (
            "[{id: n, type: u1}, {id: items, type: u1, repeat: expr, repeat-expr: n * n}]",
            "'n', which cannot be derived",
        ),
        ("[{id: head, type: head}, {id: body, size: head.n - 1}]", ""),
        ("[{id: n, type: u1}, {id: m, type: u1}, {id: a, size: m}, {id: body, size: n - m}]", ""),
    ],
)
def test_the_generator_says_what_has_to_be_given(seq: str, named: str, tmp_path: Path) -> None:
    spec = tmp_path / "given.ksy"
    spec.write_text(f"meta: {{id: given, endian: le}}\nseq: {seq}\ntypes: {{head: {{seq: [{{id: n, type: u1}}]}}}}\n")
    arguments = ["generate", "--kaitai", "--read-write", "-o", str(tmp_path / "out"), str(spec)]
    said = CliRunner().invoke(main, arguments)
    assert said.exit_code == 0
    assert ("note: a writer requires a value of" in said.output) == bool(named)
    assert named in said.output
