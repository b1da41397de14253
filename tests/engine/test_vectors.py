"""Stuffed bytes made by others: Backtrace's own library and the COBS package of PyPI."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from wireloom import engine
from wireloom.format.program import Stuffing

from .harness import WORD_STUFFED, read

VECTORS = Path(__file__).parents[1] / "vectors" / "word_stuffing"
LIMIT = 1 << 24


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


def unstuffed(data: bytes, stuffing: Stuffing) -> bytes | None:
    try:
        return engine.unstuff(data, stuffing.packed, LIMIT)
    except ValueError:
        return None


def large(case: dict[str, Any], part: str) -> bytes:
    return gzip.decompress((VECTORS / f"{case['file']}.{part}.gz").read_bytes())


def test_encode(subtests: pytest.Subtests) -> None:
    for case in lines("encode.jsonl"):
        with subtests.test(case["id"]):
            small = "payload" in case
            payload = bytes.fromhex(case["payload"]) if small else large(case, "payload")
            stuffed = bytes.fromhex(case["stuffed"]) if small else large(case, "stuffed")
            assert engine.stuff(payload, Stuffing.WORD.packed) == stuffed
            assert engine.unstuff(stuffed, Stuffing.WORD.packed, LIMIT) == payload
            if "record" in case:
                stuffed = engine.stuff(bytes.fromhex(case["record"]), Stuffing.WORD.packed)
                assert stuffed.hex() + "fefd" == case["stream"]


def test_decode(subtests: pytest.Subtests) -> None:
    for case in lines("decode_words.jsonl"):
        with subtests.test(case["id"]):
            if "input" in case:
                data = bytes.fromhex(case["input"])
            else:
                data = b"".join(bytes.fromhex(part) * times for part, times in case["input_rle"])
            found = unstuffed(data, Stuffing.WORD)
            assert (found is not None) == case["ok"]
            if found is None:
                continue
            if case.get("output") is not None:
                assert found.hex() == case["output"]
            else:
                assert hashlib.sha256(found).hexdigest() == case["output_sha256"]
            assert (engine.stuff(found, Stuffing.WORD.packed) == data) == case["canonical"]


def test_cobs(subtests: pytest.Subtests) -> None:
    for case in lines("cobs.jsonl"):
        with subtests.test(case["id"]):
            if case["kind"] == "encode":
                payload = bytes.fromhex(case["payload"])
                assert engine.stuff(payload, Stuffing.COBS.packed).hex() == case["pypi_encoded"]
                assert unstuffed(bytes.fromhex(case["pypi_encoded"]), Stuffing.COBS) == payload
                assert unstuffed(bytes.fromhex(case["paper_encoded"]), Stuffing.COBS) == payload
            else:
                found = unstuffed(bytes.fromhex(case["input"]), Stuffing.COBS)
                assert (None if found is None else found.hex()) == case.get("pypi_output")


def test_streams(subtests: pytest.Subtests) -> None:
    for case in lines("decode_streams.jsonl"):
        with subtests.test(case["id"]):
            data = bytes.fromhex(case["stream"]) if "stream" in case else gzip.decompress(
                (VECTORS / "large" / Path(case["file"]).name).read_bytes()
            )  # fmt: skip
            found = dict(read(WORD_STUFFED, data, chunk=700, capacity=11).rows)
            for wanted in case["records"]:
                generation, payload, _ = found.pop(wanted["offset"])
                assert generation == wanted["generation"]
                assert isinstance(payload, bytes)
                if "payload" in wanted:
                    assert payload.hex() == wanted["payload"]
                else:
                    assert hashlib.sha256(payload).hexdigest() == wanted["payload_sha256"]
            # The reference was built for payloads of at most 512 bytes; it loses only longer ones.
            assert all(isinstance(values[1], bytes) and len(values[1]) > 512 for values in found.values())
