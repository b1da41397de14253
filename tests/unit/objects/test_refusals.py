"""The effect of a refused value: raised, collected, or fatal for what follows."""

import pytest
from wireloom import SpecError
from wireloom.codegen.backends.python import BACKEND
from wireloom.formats.edgemq_segment.parser import EdgemqSegment
from wireloom.objects import (
    ChecksumError,
    EncodingError,
    EndOfStreamError,
    MemoryStream,
    ValidationExprError,
    ValidationGreaterThanError,
    ValidationLessThanError,
    ValidationNotAnyOfError,
    ValidationNotEqualError,
    ValidationNotInEnumError,
    reason_of,
)

from .compiling import made, source_of

BODY = """
seq:
  - {id: len, type: u1, valid: {min: 2}}
  - {id: kind, type: u1, enum: kind, valid: {in-enum: true}}
  - {id: level, type: u1, valid: {max: 9}}
  - {id: text, type: str, size: len, encoding: UTF-8}
  - id: sum
    type: u4
    -wireloom: {checksum: {algorithm: crc32, over: text}}
enums: {kind: {1: one}}
"""


def good():
    return made(BODY)(kind=1, level=3, text="ab").to_bytes()


def damaged(**changes):
    data = bytearray(good())
    for place, value in changes.items():
        data[{"len": 0, "kind": 1, "level": 2, "text": 3, "sum": 5}[place]] = value
    return bytes(data)


@pytest.mark.parametrize(
    ("changes", "error", "reason", "source"),
    [
        ({"len": 1}, ValidationLessThanError, "length", "/seq/0"),
        ({"kind": 2}, ValidationNotInEnumError, "value", "/seq/1"),
        ({"level": 10}, ValidationGreaterThanError, "value", "/seq/2"),
        ({"text": 0xFF}, EncodingError, "encoding", "/seq/3"),
        ({"sum": 0}, ChecksumError, "checksum", "/seq/4"),
    ],
)
def test_a_refused_value_is_raised(changes, error, reason, source):
    with pytest.raises(error) as caught:
        made(BODY).from_bytes(damaged(**changes))
    assert reason_of(caught.value) == reason
    assert caught.value.src_path == source


def collected(data):
    root = made(BODY)()
    root._io = MemoryStream(data)
    root._refusals = []
    root._read()
    return [reason_of(each) for each in root._refusals]


def test_refused_values_are_collected_where_the_end_is_known():
    assert collected(good()) == []
    assert collected(damaged(kind=2, level=10, text=0xFF, sum=0)) == ["value", "value", "encoding", "checksum"]


def test_a_value_that_frames_the_layout_is_raised_all_the_same():
    with pytest.raises(ValidationLessThanError):
        collected(damaged(len=1))
    with pytest.raises(EndOfStreamError) as caught:
        collected(damaged(len=200))
    assert reason_of(caught.value) == "truncated"


def test_objects_inside_collect_on_the_outermost():
    kind = made("seq: [{id: a, type: one, size: 1}]\ntypes: {one: {seq: [{id: x, type: u1, valid: 1}]}}")
    root = kind()
    root._io, root._refusals = MemoryStream(b"\2"), []
    root._read()
    assert [type(each) for each in root._refusals] == [ValidationNotEqualError]


def test_a_field_that_overruns_its_size_is_no_truncated_input():
    kind = made("seq: [{id: a, type: one, size: 2}]\ntypes: {one: {seq: [{id: x, type: u4}]}}")
    with pytest.raises(EndOfStreamError) as caught:
        kind.from_bytes(bytes(100))
    assert reason_of(caught.value) == "length"


@pytest.mark.parametrize(
    ("valid", "error"),
    [
        ("5", ValidationNotEqualError),
        ("{eq: 5}", ValidationNotEqualError),
        ("{min: 5, max: 5}", ValidationLessThanError),
        ("{any-of: [5]}", ValidationNotAnyOfError),
        ("{any-of: [5, 6]}", ValidationNotAnyOfError),
        ("{expr: _ == 5}", ValidationExprError),
        ("{expr: not (_ != 5)}", ValidationExprError),
    ],
)
def test_every_form_of_valid(valid, error):
    kind = made(f"seq: [{{id: a, type: u1, valid: {valid}}}, {{id: b, type: u1, repeat: eos, valid: {valid}}}]")
    assert kind.from_bytes(b"\5\5\5").b == [5, 5]
    for data in (b"\4\5", b"\5\5\4"):
        with pytest.raises(error):
            kind.from_bytes(data)


def test_valid_on_an_instance():
    kind = made("seq: [{id: a, type: u1}]\ninstances: {first: {pos: 0, type: u1, valid: {max: 10}}}")
    assert kind.from_bytes(b"\5").first == 5
    with pytest.raises(ValidationGreaterThanError) as caught:
        _ = kind.from_bytes(b"\x0b").first
    assert caught.value.src_path == "/instances/first"


def test_the_place_of_a_nested_type_in_the_spec():
    kind = made(
        """
        seq: [{id: a, type: outer}]
        types:
          outer:
            seq: [{id: b, type: inner}]
            types: {inner: {seq: [{id: x, type: u1}, {id: y, contents: [1]}]}}
        """
    )
    with pytest.raises(ValidationNotEqualError) as caught:
        kind.from_bytes(b"\0\0")
    assert caught.value.src_path == "/types/outer/types/inner/seq/1"


@pytest.mark.parametrize("size", range(4, 21))
def test_a_wrong_length_is_one_also_where_the_input_ends_soon(size):
    """Fields that are read in one step have the same meaning as one by one."""
    data = b"\0\0\0\x0c" + bytes(size - 4)
    with pytest.raises(ValidationLessThanError) as caught:
        EdgemqSegment.Frame(MemoryStream(data, base=7))
    assert reason_of(caught.value) == "length"
    with pytest.raises(EndOfStreamError) as caught:
        EdgemqSegment.Frame(MemoryStream(b"\0\0\0\x0d" + bytes(size - 4), base=7))
    assert reason_of(caught.value) == "truncated"


def test_a_checksum_over_nothing_proves_nothing():
    frame = EdgemqSegment.Frame(fmt=0, tenant=0, ts_millis=0, payload=b"")
    assert not EdgemqSegment.Frame.from_bytes(frame.to_bytes())._covers_bytes
    frame.payload = b"x"
    assert EdgemqSegment.Frame.from_bytes(frame.to_bytes())._covers_bytes


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "meta: {id: made, ks-opaque-types: true}\nseq: [{id: a, type: elsewhere}]",
            r"made.ksy:\d+:\d+: error: the type 'elsewhere' is not defined",
        ),
        (
            "meta: {id: made}\nseq: [{id: a, type: a1}]\ntypes: {a1: {}, a_1: {}}",
            "would both become the class A1",
        ),
        (
            "meta: {id: made}\nseq: [{id: class, type: u1}, {id: class_, type: u1}]",
            "would both be named class_",
        ),
    ],
)
def test_what_the_backend_refuses(spec, message):
    with pytest.raises(SpecError, match=message):
        source_of(spec)
    assert BACKEND.name == "python"
