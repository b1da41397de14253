"""The specs of the cookbook's pages read files that the formats' own packages wrote, as these packages read them."""

from __future__ import annotations

import base64
import io
import json
import math
import struct
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
import wireloom
from wireloom import Format

from ..examples import examples
from .blocks import blocks

FOLDER = Path(__file__).parents[2] / "docs" / "cookbook"


def spec_of(page: str, name: str) -> str:
    """Return the spec ``name`` on a page."""
    texts = (each.text for each in blocks((FOLDER / f"{page}.md").read_text()))
    return next(each for each in texts if each.startswith(f"# {name}.ksy\n"))


def format_of(page: str, name: str, folder: Path) -> Format:
    (folder / f"{name}.ksy").write_text(spec_of(page, name))
    return wireloom.load_spec(folder / f"{name}.ksy")


def test_bags_of_rosbags(tmp_path: Path) -> None:
    rosbag1 = pytest.importorskip("rosbags.rosbag1", reason="rosbags is not installed")
    typesys = pytest.importorskip("rosbags.typesys")
    store = typesys.get_typestore(typesys.Stores.ROS1_NOETIC)
    text, number = store.types["std_msgs/msg/String"], store.types["std_msgs/msg/Int32"]
    with rosbag1.Writer(tmp_path / "a.bag") as writer:
        connections = {
            kind: writer.add_connection(topic, kind, typestore=store)
            for topic, kind in (("/chatter", text.__msgtype__), ("/count", number.__msgtype__))
        }
        for at in range(40):
            message = text(data=f"hi {at}") if at % 3 else number(data=at * at)
            packed = store.serialize_ros1(message, message.__msgtype__)
            writer.write(connections[message.__msgtype__], 10**9 * (at + 1), packed)
    table, report = wireloom.read_with_report(
        format_of("self_describing_records", "ros_bag", tmp_path), tmp_path / "a.bag"
    )
    assert report.clean
    with rosbag1.Reader(tmp_path / "a.bag") as reader:
        known = [(each.topic, each.msgtype.replace("/msg/", "/"), bytes(data)) for each, _, data in reader.messages()]
    assert [tuple(each.values()) for each in table.to_pylist()] == known
    assert len(known) == 40


def test_activities_of_fit_tool(tmp_path: Path) -> None:
    """fit_tool writes a new definition whenever a message has other fields; fitdecode reads them."""
    builder = pytest.importorskip("fit_tool.fit_file_builder", reason="fit_tool is not installed")
    fitdecode = pytest.importorskip("fitdecode", reason="fitdecode is not installed")
    from fit_tool.profile.messages.event_message import EventMessage
    from fit_tool.profile.messages.record_message import RecordMessage

    def of(kind: Any, **values: Any) -> Any:
        message = kind()
        for name, value in values.items():
            setattr(message, name, value)
        return message

    made = builder.FitFileBuilder(auto_define=True)
    for number in range(20):
        at = 1_600_000_000_000 + 1000 * number
        made.add(of(RecordMessage, timestamp=at, heart_rate=90 + number))
        made.add(of(RecordMessage, timestamp=at, cadence=60 + number))
        made.add(of(EventMessage, timestamp=at))
        made.add(of(RecordMessage, timestamp=at, cadence=70 + number, heart_rate=80))
    made.build().to_file(str(tmp_path / "a.fit"))
    table, report = wireloom.read_with_report(format_of("self_describing_records", "fit", tmp_path), tmp_path / "a.fit")
    assert report.clean
    known = []
    for frame in fitdecode.FitReader(str(tmp_path / "a.fit")):
        if frame.frame_type == fitdecode.FIT_FRAME_DATA and frame.name == "record":
            values = {each.name: each.raw_value for each in frame.fields}
            at = datetime.fromtimestamp(values["timestamp"] + 631_065_600, UTC)
            known.append((at, values.get("heart_rate"), values.get("cadence")))
    assert [tuple(each.values()) for each in table.to_pylist()] == known
    assert len(known) == 60


def test_logs_of_pyulog(tmp_path: Path) -> None:
    """pyulog writes what it has read: here a log with the formats of two topics."""
    pyulog = pytest.importorskip("pyulog", reason="pyulog is not installed")

    def message(kind: bytes, body: bytes) -> bytes:
        return struct.pack("<H", len(body)) + kind + body

    log = b"ULog\x01\x12\x35\x01" + bytes(8) + message(b"B", bytes(40))
    log += message(b"F", b"attitude:uint64_t timestamp;float roll;")
    log += message(b"F", b"battery:uint64_t timestamp;float volts;uint8_t cells;")
    log += message(b"F", b"other:uint64_t timestamp;uint8_t x;")
    for number, topic in enumerate((b"other", b"attitude", b"battery")):
        log += message(b"A", struct.pack("<BH", 0, number) + topic)
    for number in range(20):
        log += message(b"D", struct.pack("<HQf", 1, 10 * number, number / 4))
        log += message(b"D", struct.pack("<HQfB", 2, 10 * number + 1, number / 8, number))
        log += message(b"D", struct.pack("<HQB", 0, 10 * number + 2, number))
    (tmp_path / "a.ulg").write_bytes(log)
    pyulog.ULog(str(tmp_path / "a.ulg")).write_ulog(str(tmp_path / "b.ulg"))
    known = pyulog.ULog(str(tmp_path / "b.ulg"))
    ulog = format_of("self_describing_records", "ulog", tmp_path)
    for topic in ("attitude", "battery"):
        table, report = wireloom.read_with_report(ulog, tmp_path / "b.ulg", table=topic)
        assert report.clean
        assert table.to_pydict() == {name: list(each) for name, each in known.get_dataset(topic).data.items()}
        assert table.num_rows == 20


def test_packets_of_pymavlink(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVLINK20", "1")
    common = pytest.importorskip("pymavlink.dialects.v20.common", reason="pymavlink is not installed")
    written = io.BytesIO()
    sender = common.MAVLink(written, srcSystem=7)
    for number in range(20):
        sender.heartbeat_send(2, 3, 0, number, 4)
        sender.attitude_send(number, 0.1, 0.2, 0.3, 0, 0, 0)
        sender.system_time_send(number, number << 16)
    text = spec_of("own_checksum", "mavlink")
    extra = {number: kind.crc_extra for number, kind in common.mavlink_map.items()}
    (tmp_path / "mavlink.ksy").write_text(text.replace("{0: 50, 2: 137, 30: 39}", str(extra)))
    mavlink = wireloom.load_spec(tmp_path / "mavlink.ksy")
    table, report = wireloom.read_with_report(mavlink, written.getvalue())
    assert report.clean
    assert table["message"].to_pylist() == [0, 30, 2] * 20
    for message, code in ((0, 50), (2, 137), (30, 39)):
        assert extra[message] == code
        (tmp_path / "wrong.ksy").write_text(text.replace(f"{message}: {code}", f"{message}: {code + 1}"))
        _, report = wireloom.read_with_report(tmp_path / "wrong.ksy", written.getvalue())
        assert [str(each.reason) for each in report.files[0].damaged] == ["checksum"] * 20
    root = mavlink.root_class().from_bytes(written.getvalue())
    for each in root.packets:
        each.crc = 0
    assert root.to_bytes() == written.getvalue()


Documents = Callable[[bytes], Iterator[tuple[int, Any]]]
"""Yields the documents of some bytes, each with its offset, up to the first one that a package refuses, whose value is
``None``."""


def document(random: Random, depth: int = 0) -> Any:
    """Return a document as all three formats have it."""
    number = random.randrange(-(2**63), 2**63) >> random.randrange(64)
    plain = [None, True, False, number, random.uniform(-9, 9), math.inf, 0.5, "\u00e9" * random.randrange(40)]
    if depth > 3 or random.random() < 0.4:
        return random.choice([*plain, 'x"\n\0', random.randbytes(random.randrange(300))])
    items = [document(random, depth + 1) for _ in range(random.choice([0, 1, 3, 17 if depth == 0 else 2]))]
    return items if random.random() < 0.5 else {f"k{number}": each for number, each in enumerate(items)}


def plain(value: Any, *, subtypes: bool = False) -> Any:
    """Return a document of a package as the JSON of the specs has it. ``subtypes``: bytes have a type there."""
    if isinstance(value, Mapping):
        names = (key if isinstance(key, str) else json.dumps(key) for key in map(plain, value))
        return dict(zip(names, (plain(each, subtypes=subtypes) for each in value.values()), strict=True))
    if isinstance(value, list | tuple):
        return [plain(each, subtypes=subtypes) for each in value]
    if isinstance(value, bytes):
        text = base64.b64encode(value).decode()
        return {"subtype": getattr(value, "subtype", 0), "data": text} if subtypes else text
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def msgpack_documents(data: bytes) -> Iterator[tuple[int, Any]]:
    import msgpack

    unpacker = msgpack.Unpacker(io.BytesIO(data))
    while True:
        at = unpacker.tell()
        try:
            found = unpacker.unpack()
        except (ValueError, msgpack.UnpackException, TypeError):
            yield at, None
            return
        yield at, [plain(found)]


def cbor_documents(data: bytes) -> Iterator[tuple[int, Any]]:
    import cbor2

    stream = io.BytesIO(data)
    while stream.tell() < len(data):
        at = stream.tell()
        try:
            found = cbor2.load(stream)
        except (cbor2.CBORError, ValueError, TypeError, OverflowError):
            yield at, None
            return
        yield at, [plain(found)]


def bson_documents(data: bytes) -> Iterator[tuple[int, Any]]:
    import bson

    at = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "little", signed=True)
        if size < 5 or at + size > len(data):
            yield at, None
            return
        try:
            yield at, [plain(bson.decode(data[at : at + size]), subtypes=True)]
        except (bson.InvalidBSON, OverflowError):
            yield at, None
            return
        at += size


@pytest.mark.parametrize(
    ("name", "package", "documents"),
    [
        ("msgpack", "msgpack", msgpack_documents),
        ("cbor", "cbor2", cbor_documents),
        ("bson", "bson", bson_documents),
    ],
)
def test_documents_of_any_shape(name: str, package: str, documents: Documents, tmp_path: Path) -> None:
    """What a package refuses is no row, and what both read is the same, also after any byte of it was changed. Packages
    accept a little more: names of items in BSON, other keys in CBOR. They interpret tags, extensions and dates."""
    module = pytest.importorskip(package, reason=f"{package} is not installed")
    made = {"msgpack": "packb", "cbor": "dumps", "bson": "encode"}[name]
    format = format_of("documents_of_any_shape", name, tmp_path)
    [column] = format.schema.names

    def rows(data: bytes) -> dict[int, str]:
        table = wireloom.read(format, data, columns=["_offset", column], check_format=False)
        return dict(zip(*table.to_pydict().values(), strict=True))

    def pack(value: Any) -> bytes:
        packed: bytes = getattr(module, made)({"value": value} if name == "bson" else value)
        return packed

    random = Random(5)
    data = b"".join(pack(document(random)) for _ in range(100))
    known = {at: each[0] for at, each in documents(data) if each is not None}
    assert {at: json.loads(text) for at, text in rows(data).items()} == known
    assert len(known) == 100
    compared = 0
    for _ in range(examples(3)):
        data = b"".join(pack(document(random, 2)) for _ in range(4))
        for place in range(len(data)):
            damaged = bytearray(data)
            damaged[place] = random.choice([0, 255, damaged[place] ^ 1 << random.randrange(8)])
            found = rows(bytes(damaged))
            for at, value in documents(bytes(damaged)):
                text = found.get(at, "")
                if value is None:
                    assert not text or any(each in text for each in ('"tag"', '"type"', "Z"))
                elif text and "undefined" not in str(value):
                    assert str(value) == str([json.loads(text)]) or '"tag"' in text or '"type"' in text
                    compared += 1
    assert compared > 100
