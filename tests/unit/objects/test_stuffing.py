import gzip
import hashlib
import json
from pathlib import Path

import pytest
from cobs import cobs, cobsr
from hypothesis import given
from hypothesis import strategies as st
from wireloom.format.stuffings import HDLC, SLIP, Stuffing
from wireloom.objects import (
    ConsistencyError,
    StuffingError,
    stuff,
    stuff_cobs,
    stuff_words,
    unstuff,
    unstuff_cobs,
    unstuff_words,
)

from ...stuffings import CODES, FRAMINGS

VECTORS = Path(__file__).parents[2] / "vectors" / "word_stuffing"
ESCAPES = VECTORS.with_name("escapes")

# Bytes in runs around the codes' limits, full of delimiters and similar bytes.
LONG = [b"a" * 250, b"b" * 252, b"c" * 254, b"\xfe" * 251]
PIECES = st.sampled_from([b"\xfe", b"\xfd", b"\xfe\xfd", b"\0", b"a", *LONG])
CONTENT = st.lists(PIECES | st.binary(max_size=4), max_size=12).map(b"".join)


def rows(name, folder=VECTORS):
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def case(row, field):
    if field in row:
        return bytes.fromhex(row[field])
    return gzip.decompress((VECTORS / f"{row['file']}.{field}.gz").read_bytes())


def test_words_are_stuffed_as_the_reference_does(subtests):
    for row in rows("encode.jsonl"):
        with subtests.test(row["id"]):
            payload, stuffed = case(row, "payload"), case(row, "stuffed")
            assert stuff_words(payload) == stuffed
            assert unstuff_words(stuffed) == payload


def test_words_are_unstuffed_as_the_reference_does(subtests):
    for row in rows("decode_words.jsonl"):
        with subtests.test(row["id"]):
            if "input" in row:
                data = bytes.fromhex(row["input"])
            else:
                data = b"".join(bytes.fromhex(piece) * count for piece, count in row["input_rle"])
            if not row["ok"]:
                with pytest.raises(StuffingError) as caught:
                    unstuff_words(data)
                assert caught.value.reason == "stuffing"
                continue
            found = unstuff_words(data)
            if row.get("output") is not None:
                assert found.hex() == row["output"]
            else:
                assert hashlib.sha256(found).hexdigest() == row["output_sha256"]
            assert (stuff_words(found) == data) == row["canonical"]


def test_cobs_vectors(subtests):
    for row in rows("cobs.jsonl"):
        with subtests.test(row["id"]):
            if row["kind"] == "encode":
                payload = bytes.fromhex(row["payload"])
                assert stuff_cobs(payload).hex() == row["pypi_encoded"]
                assert unstuff_cobs(bytes.fromhex(row["pypi_encoded"])) == payload
                assert unstuff_cobs(bytes.fromhex(row["paper_encoded"])) == payload
            elif row["pypi_error"]:
                with pytest.raises(StuffingError):
                    unstuff_cobs(bytes.fromhex(row["input"]))
            else:
                assert unstuff_cobs(bytes.fromhex(row["input"])).hex() == row["pypi_output"]


@given(CONTENT)
def test_words_round_trip_without_the_delimiter(data):
    stuffed = stuff_words(data)
    assert b"\xfe\xfd" not in stuffed
    assert unstuff_words(stuffed) == data


@given(CONTENT)
def test_cobs_agrees_with_the_package_of_that_name(data):
    assert stuff_cobs(data) == cobs.encode(data)


@given(CONTENT)
def test_cobs_is_decoded_as_the_package_does(data):
    try:
        expected = cobs.decode(data)
    except cobs.DecodeError:
        with pytest.raises(StuffingError):
            unstuff_cobs(data)
    else:
        assert unstuff_cobs(data) == expected


@pytest.mark.parametrize("stuffing", [Stuffing.NONE, *CODES], ids=repr)
@given(data=CONTENT.filter(bool))
def test_a_limit_is_exact(stuffing, data):
    stuffed = stuff(data, stuffing)
    assert unstuff(stuffed, stuffing, len(data)) == data
    with pytest.raises(StuffingError) as caught:
        unstuff(stuffed, stuffing, len(data) - 1)
    assert caught.value.reason == "limit"


@pytest.mark.parametrize(("stuffing", "delimiter"), [each[1:] for each in FRAMINGS], ids=repr)
@given(data=CONTENT.filter(bool) | st.binary(min_size=1))
def test_every_code_round_trips_without_the_delimiter(stuffing, delimiter, data):
    stuffed = stuff(data, stuffing)
    assert delimiter not in stuffed
    assert unstuff(stuffed, stuffing) == data


@pytest.mark.parametrize("stuffing", CODES, ids=repr)
def test_a_code_is_its_source(stuffing):
    assert eval(repr(stuffing), {"Stuffing": Stuffing}) == stuffing


@given(CONTENT)
def test_reduced_cobs_agrees_with_the_package(data):
    assert stuff(data, Stuffing.cobs(reduced=True)) == cobsr.encode(data)
    try:
        expected = cobsr.decode(data)
    except cobsr.DecodeError:
        with pytest.raises(StuffingError):
            unstuff(data, Stuffing.cobs(reduced=True))
    else:
        assert unstuff(data, Stuffing.cobs(reduced=True)) == expected


@given(CONTENT)
def test_cobs_with_a_delimiter_is_xored(data):
    assert stuff(data, Stuffing.cobs(0x7E)) == bytes(each ^ 0x7E for each in cobs.encode(data))


def test_slip_agrees_with_sliplib(subtests):
    for row in rows("slip.jsonl", ESCAPES):
        with subtests.test(str(row)):
            if "payload" in row:
                assert stuff(bytes.fromhex(row["payload"]), SLIP).hex() == row["encoded"]
            stuffed = bytes.fromhex(row.get("encoded", row.get("input")))
            expected = row.get("payload", row.get("decoded"))
            if expected is None:
                with pytest.raises(StuffingError) as caught:
                    unstuff(stuffed, SLIP)
                assert caught.value.reason == "stuffing"
            else:
                assert unstuff(stuffed, SLIP).hex() == expected


def test_hdlc_agrees_with_yahdlc(subtests):
    for row in rows("hdlc.jsonl", ESCAPES):
        with subtests.test(str(row)):
            stuffed = bytes.fromhex(row["frame"])[1:-1]
            address, control, *content = found = unstuff(stuffed, HDLC)
            assert (address, control, bytes(content[:-2]).hex()) == (0xFF, 16 + 2 * row["seq_no"], row["payload"])
            assert stuff(found, HDLC) == stuffed


@pytest.mark.parametrize(
    ("content", "wire"),
    [
        (b"~", b"\x7d\x5e"),
        (b"}", b"\x7d\x5d"),
        (b"a\x03\xff", b"a\x03\xff"),
    ],
)
def test_octets_of_rfc_1662(content, wire):
    assert stuff(content, HDLC) == wire
    assert unstuff(wire, HDLC) == content


def test_hdlc_reads_any_octet_after_an_escape():
    """RFC 1662, 4.2: PPP senders escape the control characters that the receiver asks for, and 03 is 7D 23 then."""
    assert unstuff(b"\xff\x7d\x23\xc0\x21", HDLC) == b"\xff\x03\xc0\x21"


@pytest.mark.parametrize(
    ("stuffed", "stuffing", "message"),
    [
        (b"ab\xdb", SLIP, "ends after an escape db"),
        (b"a\xdbb", SLIP, "62 is no code after an escape db"),
        (b"a\xdb\xdb\xdd", SLIP, "db is no code"),
        (b"ab\x7d", HDLC, "ends after an escape 7d"),
        (b"\x01\x7ea", Stuffing.cobs(0x7E), "a byte 7e inside"),
    ],
)
def test_what_is_not_stuffed_is_refused(stuffed, stuffing, message):
    with pytest.raises(StuffingError, match=message) as caught:
        unstuff(stuffed, stuffing)
    assert caught.value.reason == "stuffing"


@pytest.mark.parametrize("stuffing", [SLIP, HDLC], ids=repr)
def test_an_empty_frame_is_no_record(stuffing):
    with pytest.raises(ConsistencyError, match="not empty"):
        stuff(b"", stuffing)
