import gzip
import hashlib
import json
from pathlib import Path

import pytest
from cobs import cobs
from hypothesis import given
from hypothesis import strategies as st
from wireloom.format.program import Stuffing
from wireloom.objects import StuffingError, stuff, stuff_cobs, stuff_words, unstuff, unstuff_cobs, unstuff_words

VECTORS = Path(__file__).parents[2] / "vectors" / "word_stuffing"

# Bytes in runs around the codes' limits, full of delimiters and similar bytes.
LONG = [b"a" * 250, b"b" * 252, b"c" * 254, b"\xfe" * 251]
PIECES = st.sampled_from([b"\xfe", b"\xfd", b"\xfe\xfd", b"\0", b"a", *LONG])
CONTENT = st.lists(PIECES | st.binary(max_size=4), max_size=12).map(b"".join)


def rows(name):
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


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


@pytest.mark.parametrize("stuffing", list(Stuffing))
@given(data=CONTENT)
def test_a_limit_is_exact(stuffing, data):
    stuffed = stuff(data, stuffing)
    assert unstuff(stuffed, stuffing, len(data)) == data
    if data:
        with pytest.raises(StuffingError) as caught:
            unstuff(stuffed, stuffing, len(data) - 1)
        assert caught.value.reason == "limit"
