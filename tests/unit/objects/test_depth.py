"""Objects that are nested more deeply than Python's calls allow."""

import io
from pathlib import Path

import pytest
from kaitaistruct import KaitaiStream
from wireloom import WireloomError
from wireloom.codegen.backends.python.names import Api
from wireloom.objects import DepthError

from ..kaitai.compiling import Compiled
from .compiling import made

CHAIN = "seq: [{id: more, type: u1}, {id: inner, type: made, if: more == 1}]"
DEPTH = 100_000
DATA = b"\1" * DEPTH + b"\0"
SAID = r"byte \d+: objects are nested too deeply for Python, whose calls may go \d+ deep: .*recursionlimit"


def chain(kind):
    value = None
    for _ in range(DEPTH):
        outer = kind()
        outer.more = 0 if value is None else 1
        if value is not None:
            outer.inner = value
        value = outer
    return value


def test_reading_ends_with_an_error_of_its_own(tmp_path: Path):
    kind = Compiled(tmp_path, f"meta: {{id: made}}\n{CHAIN}").made
    for read in (made(CHAIN).from_bytes, kind.from_bytes, lambda data: kind(KaitaiStream(io.BytesIO(data)))):
        with pytest.raises(DepthError, match=SAID) as caught:
            read(DATA)
        assert isinstance(caught.value, WireloomError)
        assert isinstance(caught.value, RecursionError)
        assert (caught.value.reason, caught.value.path) == ("limit", None)
        assert 0 < caught.value.offset < DEPTH
        # What is nested less deeply is read.
        assert read(b"\1" * 50 + b"\0").inner.inner.more == 1


def test_the_file_is_named(tmp_path: Path):
    (tmp_path / "deep").write_bytes(DATA)
    with pytest.raises(DepthError, match=f"deep at {SAID}"):
        made(CHAIN).from_file(str(tmp_path / "deep"))


@pytest.mark.slow
def test_classes_that_write_as_well(tmp_path: Path):
    kind = Compiled(tmp_path, f"meta: {{id: made}}\n{CHAIN}", api=Api.KAITAI_READ_WRITE).made
    with pytest.raises(DepthError, match=SAID):
        kind.from_bytes(DATA)._read()
    with pytest.raises(DepthError, match="objects are nested too deeply"):
        chain(kind)._to_bytes()


def test_writing(tmp_path: Path):
    with pytest.raises(DepthError, match="objects are nested too deeply"):
        chain(made(CHAIN)).to_bytes()


def test_types_that_hold_each_other_by_way_of_others(tmp_path: Path):
    text = (
        "meta: {id: made}\nseq: [{id: more, type: u1}, {id: inner, type: {switch-on: more, cases: {1: link}}}]\n"
        "types: {link: {seq: [{id: next, type: made, size-eos: true}]}}"
    )
    with pytest.raises(DepthError, match="objects are nested too deeply"):
        Compiled(tmp_path, text).made.from_bytes(DATA)
