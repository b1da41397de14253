"""The messages of the vectors of KPL and S2, read and written by classes that are made from rules."""

import hashlib
from typing import Any

import pytest
from wireloom.objects.messages import MessageError

from tests.vectors.cases import HERE, rows

from .classes import KPL, S2, classes_of

KPL_CLASSES = classes_of(KPL)
S2_CLASSES = classes_of(S2)
AggregatedRecord = KPL_CLASSES["AggregatedRecord"]


def named(found: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(each, id=each["id"]) for each in found]


# S2 ------------------------------------------------------------------------------------------------------------------


def position_of(message: Any) -> Any:
    return message and {"seq_num": message.seq_num, "timestamp": message.timestamp}


def record_of(record: Any) -> dict[str, Any]:
    found = {
        "timestamp": record.timestamp,
        "headers": [[each.name.hex(), each.value.hex()] for each in record.headers],
        "body": record.body.hex(),
    }
    return {**found, "seq_num": record.seq_num} if "seq_num" in record._fields else found


def description(message: Any) -> dict[str, Any]:
    match type(message).__name__:
        case "AppendAck":
            return {name: position_of(getattr(message, name)) for name in ("start", "end", "tail")}
        case "ReadBatch":
            return {"records": [record_of(each) for each in message.records], "tail": position_of(message.tail)}
    return {
        "records": [record_of(each) for each in message.records],
        "match_seq_num": message.match_seq_num,
        "fencing_token": message.fencing_token,
    }


@pytest.mark.parametrize("row", named(rows("s2", "messages.jsonl")))
def test_s2_messages(row: dict[str, Any]) -> None:
    data = bytes.fromhex(row["hex"])
    if row.get("divergent"):
        with pytest.raises(MessageError, match="64 bits") as caught:
            S2_CLASSES[row["type"]].from_bytes(data)
        assert caught.value.field == "match_seq_num"
        assert caught.value.offset == 5
        return
    message = S2_CLASSES[row["type"]].from_bytes(data)
    assert description(message) == row["expect"]
    written = row["hex"] if row["canonical"] else row["reencoded_prost"]
    assert message.to_bytes().hex() == written
    assert S2_CLASSES[row["type"]].from_bytes(message.to_bytes()) == message


@pytest.mark.parametrize("row", named([each for each in rows("s2", "malformed.jsonl") if each["layer"] == "proto"]))
def test_s2_refuses_what_prost_refuses(row: dict[str, Any]) -> None:
    body = bytes.fromhex(row["hex"])[4:]
    with pytest.raises(MessageError) as caught:
        S2_CLASSES[row["type"]].from_bytes(body)
    assert caught.value.reason == "message"
    assert caught.value.offset is not None
    assert 0 <= caught.value.offset < len(body)


# KPL -----------------------------------------------------------------------------------------------------------------


def blob(row: dict[str, Any]) -> bytes:
    if "blob_hex" in row:
        return bytes.fromhex(row["blob_hex"])
    return (HERE / "kpl" / row["blob_file"]).read_bytes()


def raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def kept(message: Any) -> list[tuple[bytes, bytes | None, bytes]]:
    """Return the records up to the first whose index is invalid, as the client library accepts them."""
    keys, hash_keys = message.partition_key_table, message.explicit_hash_key_table
    found = []
    for record in message.records:
        index, hash_index = record.partition_key_index & 0xFFFFFFFF, record.explicit_hash_key_index
        if index >= len(keys):
            break
        hash_key = None
        if hash_index is not None:
            hash_index &= 0xFFFFFFFF
            if hash_index >= len(hash_keys) or not hash_keys[hash_index].lstrip("+").isdecimal():
                break
            hash_key = raw(hash_keys[hash_index])
        found.append((raw(keys[index]), hash_key, record.data))
    return found


def canonical_digest(records: list[tuple[bytes, bytes | None, bytes]]) -> str:
    digest = hashlib.sha256()
    for record in records:
        for part in record:
            size = -1 if part is None else len(part)
            digest.update(size.to_bytes(4, "little", signed=True) + (part or b""))
    return digest.hexdigest()


def kpl(*files: str) -> list[dict[str, Any]]:
    found = [each for name in files for each in rows("kpl", name)]
    return [each for each in found if not each.get("ambiguous")]


ELSEWHERE = ("magic", "md5", "length", "too_short", "hash_range")
"""Reasons that do not concern the message."""


def is_message(row: dict[str, Any]) -> bool:
    return row["expect"]["status"] in ("ok", "partial")


def test_kpl_valid(subtests: pytest.Subtests) -> None:
    for row in filter(is_message, kpl("valid.jsonl", "unusual.jsonl")):
        with subtests.test(row["id"]):
            message = AggregatedRecord.from_bytes(blob(row)[4:-16])
            records = kept(message)
            assert len(records) == row["expect"]["n"]
            assert canonical_digest(records) == row["expect"]["canon_sha256"]
            if "tags" in row["expect"]:
                tags = [
                    [[raw(tag.key).hex(), raw(tag.get("value")).hex()] for tag in each.tags] for each in message.records
                ]
                shown = [[[key, value or ""] for key, value in each] for each in row["expect"]["tags"]]
                assert tags == shown
            assert AggregatedRecord.from_bytes(message.to_bytes()) == message


def test_kpl_bytes_of_the_libraries_come_back(subtests: pytest.Subtests) -> None:
    for row in filter(is_message, kpl("valid.jsonl")):
        with subtests.test(row["id"]):
            content = blob(row)[4:-16]
            assert AggregatedRecord.from_bytes(content).to_bytes() == content


@pytest.mark.parametrize(
    "row", named([each for each in kpl("malformed.jsonl") if each["expect"].get("reason") not in ELSEWHERE])
)
def test_kpl_malformed(row: dict[str, Any]) -> None:
    expect = row["expect"]
    content = blob(row)[4:-16]
    if is_message(row):
        records = kept(AggregatedRecord.from_bytes(content))
        assert len(records) == expect["n"]
        assert canonical_digest(records) == expect["canon_sha256"]
        return
    with pytest.raises(MessageError) as caught:
        AggregatedRecord.from_bytes(content)
    assert caught.value.reason == "message"
    assert caught.value.offset is not None
    assert 0 <= caught.value.offset <= len(content)
    assert (caught.value.message == "the required field is missing") == (expect["reason"] == "missing_required")
