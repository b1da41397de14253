"""Messages of MCAP that are decoded by the schemas of their channels, against google.protobuf."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from mcap.writer import CompressionType, Writer
from wireloom import UnsupportedError, WireloomError
from wireloom.format import registry

VECTOR = 'syntax = "proto3"; package geo; message Vector { double x = 1; double y = 2; bytes raw = 3; }'
POSE = """
syntax = "proto3";
package robot;
import "vector.proto";
message Pose {
  message Joint { string name = 1; repeated float angles = 2; }
  geo.Vector place = 1;
  repeated Joint joints = 2;
  map<string, int32> counts = 3;
  uint64 number = 4;
  optional int32 mode = 5;
}
"""


@pytest.fixture(scope="module")
def descriptors(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("proto")
    (folder / "vector.proto").write_text(VECTOR)
    (folder / "pose.proto").write_text(POSE)
    return registry.descriptors(folder / "pose.proto")


def classes(descriptors: bytes) -> Callable[[str], Any]:
    pool = descriptor_pool.DescriptorPool()
    for each in descriptor_pb2.FileDescriptorSet.FromString(descriptors).file:
        pool.Add(each)
    return lambda name: message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def pose(number: int) -> dict[str, Any]:
    joints = [{"name": f"j{each}", "angles": [0.5 * each, -1.0]} for each in range(number % 3)]
    place = {"x": number * 0.25, "y": -1.0, "raw": ""}
    return {"place": place, "joints": joints, "counts": {"a": number}, "number": str(number)}


def log(descriptors: bytes, **more: bytes) -> bytes:
    """Return a log of poses and vectors; and of other channels, each with one message in an encoding."""
    of = classes(descriptors)
    out = io.BytesIO()
    writer = Writer(out, chunk_size=600, compression=CompressionType.ZSTD)
    writer.start()
    schemas = {name: writer.register_schema(name, "protobuf", descriptors) for name in ("robot.Pose", "geo.Vector")}
    poses = writer.register_channel("/pose", "protobuf", schemas["robot.Pose"])
    places = writer.register_channel("/place", "protobuf", schemas["geo.Vector"])
    for number in range(60):
        message = json_format.ParseDict(pose(number), of("robot.Pose")())
        writer.add_message(poses, number, message.SerializeToString(), number, number)
        if number % 10 == 0:
            vector = of("geo.Vector")(x=number, raw=b"\xff", y=float("nan"))
            writer.add_message(places, number, vector.SerializeToString(), number, number)
    for encoding, content in more.items():
        writer.add_message(writer.register_channel(f"/{encoding}", encoding, 0), 99, content, 99, 0)
    writer.finish()
    return out.getvalue()


def test_messages_on_one_topic_are_structs(descriptors: bytes) -> None:
    table, report = wireloom.read_with_report("mcap", log(descriptors), decode="data:channel:/pose")
    assert report.clean
    assert report.rows == 60
    assert table["topic"].to_pylist() == ["/pose"] * 60
    for number, row in enumerate(table["data"].to_pylist()):
        expected = pose(number)
        assert row["place"] == expected["place"] | {"raw": b""}
        assert row["joints"] == expected["joints"]
        assert row["counts"] == [{"key": "a", "value": number}]
        assert (row["number"], row["mode"]) == (number, None)
    few = wireloom.read("mcap", log(descriptors), decode="data:channel:/place", columns=["log_time", "data"])
    assert [each["x"] for each in few["data"].to_pylist()] == [0, 10, 20, 30, 40, 50]


def test_messages_on_all_topics_are_json(descriptors: bytes) -> None:
    data = log(descriptors, json=b'{"a": [1]}', cbor=b"\xa0")
    table, report = wireloom.read_with_report("mcap", data, decode="data:channel", columns=["topic", "data"])
    assert table.schema.field("data").type == pa.utf8()
    found = [(topic, json.loads(each)) for topic, each in zip(*table.to_pydict().values(), strict=True)]
    assert found[1] == ("/place", {"x": 0.0, "y": "NaN", "raw": "/w=="})
    assert found[-1] == ("/json", {"a": [1]})
    assert len(found) == 67
    assert report.damaged == 1  # the message in CBOR
    of = classes(descriptors)("robot.Pose")
    for number, each in enumerate(value for topic, value in found if topic == "/pose"):
        each["counts"] = {pair["key"]: pair["value"] for pair in each["counts"]}
        assert json_format.ParseDict(each, of()) == json_format.ParseDict(pose(number), of())


def test_a_message_that_does_not_decode_is_damage(descriptors: bytes) -> None:
    out = io.BytesIO()
    writer = Writer(out, compression=CompressionType.NONE)
    writer.start()
    schema = writer.register_schema("geo.Vector", "protobuf", descriptors)
    channel = writer.register_channel("/place", "protobuf", schema)
    for content in (b"\x09" + bytes(8), b"\x09" + bytes(7), b"", b"\xff"):
        writer.add_message(channel, 1, content, 1, 0)
    writer.finish()
    table, report = wireloom.read_with_report("mcap", out.getvalue(), decode="data:channel:/place")
    assert [each["x"] for each in table["data"].to_pylist()] == [0.0, 0.0]
    assert [each.reason for each in report.files[0].damaged] == ["message", "message"]


def test_the_schemas_of_other_files_are_their_own(descriptors: bytes, tmp_path: Path) -> None:
    """Fields by name: those that the type lacks are left out, and those that a schema lacks are null."""
    (tmp_path / "a.proto").write_text(
        'syntax = "proto3"; package robot; message Pose { uint64 number = 7; string a = 8; }'
    )
    other = registry.descriptors(tmp_path / "a.proto")
    out = io.BytesIO()
    writer = Writer(out)
    writer.start()
    schema = writer.register_schema("robot.Pose", "protobuf", other)
    message = classes(other)("robot.Pose")(number=5, a="x")
    writer.add_message(writer.register_channel("/pose", "protobuf", schema), 1, message.SerializeToString(), 1, 0)
    writer.finish()
    first = log(descriptors)
    table = wireloom.read("mcap", [first, out.getvalue()], decode="data:channel:/pose")
    last = table["data"][-1].as_py()
    assert (last["number"], last["place"], last["joints"]) == (5, None, None)
    assert "a" not in last


def test_other_messages_on_a_topic_are_damage(descriptors: bytes) -> None:
    """Two channels of one topic have different messages, of which no field may seem to be empty."""
    out = io.BytesIO()
    writer = Writer(out, compression=CompressionType.NONE)
    writer.start()
    for name, content in (("geo.Vector", b"\x09" + bytes(8)), ("robot.Pose.Joint", b"\x0a\x01a")):
        channel = writer.register_channel("/x", "protobuf", writer.register_schema(name, "protobuf", descriptors))
        writer.add_message(channel, 1, content, 1, 0)
    writer.finish()
    table = wireloom.read("mcap", out.getvalue(), decode="data:channel:/x", columns=["data", "_error"])
    assert table["_error"].to_pylist() == [
        None,
        "message: it is a message robot.Pose.Joint, and the column has messages geo.Vector",
    ]
    every = wireloom.read("mcap", out.getvalue(), decode="data:channel", columns=["data"])["data"].to_pylist()
    assert json.loads(every[1]) == {"name": "a", "angles": []}


def test_a_damaged_chunk_is_why_a_topic_has_no_message(descriptors: bytes) -> None:
    data = bytearray(log(descriptors))
    data[data.index(b"\x28\xb5\x2f\xfd") + 8] ^= 1
    with pytest.raises(WireloomError, match=r"no message on the topic /nose \(the input is damaged at byte \d+: "):
        wireloom.read("mcap", bytes(data), decode="data:channel:/nose")


def test_mistakes(descriptors: bytes) -> None:
    data = log(descriptors, cbor=b"\xa0")
    with pytest.raises(WireloomError, match="there is no message on the topic /nose"):
        wireloom.read("mcap", data, decode="data:channel:/nose")
    with pytest.raises(UnsupportedError, match="messages of /cbor in cbor, with a schema in no encoding"):
        wireloom.read("mcap", data, decode="data:channel:/cbor")
    with pytest.raises(UnsupportedError, match="kafka_log has no messages of channels"):
        wireloom.read("kafka_log", b"", decode="value:channel")


def test_what_mcaps_own_package_writes(descriptors: bytes) -> None:
    writing = pytest.importorskip("mcap_protobuf.writer")
    out = io.BytesIO()
    writer = writing.Writer(out)
    of = classes(descriptors)("robot.Pose")
    for number in range(5):
        writer.write_message("/pose", json_format.ParseDict(pose(number), of()), log_time=number, publish_time=number)
    writer.finish()
    table = wireloom.read("mcap", out.getvalue(), decode="data:channel:/pose")
    assert [each["number"] for each in table["data"].to_pylist()] == [*range(5)]


SEPARATOR = "\n" + "=" * 80 + "\nMSG: "
SCAN = f"""# The type of a message.
std_msgs/Header header
int32 ANSWER=42
string LABEL = a#b
float64[3] place
string<=10 name
uint8[] data
Point[] points
int16[<=4] shorts
float64[] none
bool ok true
string[] names
uint64 last
{SEPARATOR}std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
{SEPARATOR}builtin_interfaces/Time
int32 sec
uint32 nanosec
{SEPARATOR}pkg/Point
float32 x
float64 y
"""
ROS = {
    "header": {"stamp": {"sec": 5, "nanosec": 6}, "frame_id": "map"},
    "place": [1.0, 2.0, 3.0],
    "name": "näme",
    "data": b"\1\2\3",
    "points": [{"x": 1.5, "y": 2.5}, {"x": 0.0, "y": -1.0}],
    "shorts": [1, -2, 3],
    "none": [],
    "ok": True,
    "names": ["a", "bcd", ""],
    "last": 2**63,
}


def ros_messages() -> dict[str, bytes]:
    """Return the message as rosbags writes it: by ROS 2 in both byte orders, and by ROS 1."""
    typesys = pytest.importorskip("rosbags.typesys")
    numpy = pytest.importorskip("numpy")
    store = typesys.get_typestore(typesys.Stores.EMPTY)
    store.register(typesys.get_types_from_msg(SCAN.replace("string LABEL = a#b\n", ""), "pkg/msg/Scan"))
    types = store.types
    header = types["std_msgs/msg/Header"](types["builtin_interfaces/msg/Time"](5, 6), "map")
    points = [types["pkg/msg/Point"](**each) for each in ROS["points"]]
    numbers = [numpy.array(ROS[name], kind) for name, kind in (("place", "f8"), ("shorts", "i2"), ("none", "f8"))]
    data = numpy.frombuffer(ROS["data"], "u1")
    rest = (ROS["ok"], ROS["names"], ROS["last"])
    message = types["pkg/msg/Scan"](header, numbers[0], ROS["name"], data, points, *numbers[1:], *rest)
    return {
        "little": bytes(store.serialize_cdr(message, "pkg/msg/Scan", little_endian=True)),
        "big": bytes(store.serialize_cdr(message, "pkg/msg/Scan", little_endian=False)),
        "ros1": bytes(store.serialize_ros1(message, "pkg/msg/Scan")),
    }


def ros_log(name: str, definition: str, encodings: tuple[str, str], *messages: bytes) -> bytes:
    out = io.BytesIO()
    writer = Writer(out)
    writer.start()
    schema = writer.register_schema(name, encodings[1], definition.encode())
    channel = writer.register_channel("/scan", encodings[0], schema)
    for number, message in enumerate(messages):
        writer.add_message(channel, number, message, number, 0)
    writer.finish()
    return out.getvalue()


def decoded(data: bytes) -> tuple[list[Any], int]:
    table, report = wireloom.read_with_report("mcap", data, decode="data:channel:/scan", columns=["data"])
    return table["data"].to_pylist(), report.damaged


def test_messages_of_ros_as_rosbags_writes_them() -> None:
    found = ros_messages()
    cdr = found["little"], found["big"]
    log = ros_log("pkg/msg/Scan", SCAN, ("cdr", "ros2msg"), *cdr, *(each[:-9] for each in cdr), cdr[0] + bytes(4))
    assert decoded(log) == ([ROS, ROS], 3)
    one = found["ros1"]
    log = ros_log("pkg/Scan", SCAN, ("ros1", "ros1msg"), one, *(one[:size] for size in range(len(one))), one + b"\0")
    assert decoded(log) == ([ROS], len(one) + 1)


def test_alignment_and_structs_without_fields() -> None:
    definition = f"Empty first\nuint8 a\nEmpty[] more\nint16[] none\nfloat64 b{SEPARATOR}pkg/Empty\n# nothing"
    message = (
        bytes([0, 1, 0, 0]) + bytes([0, 7, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]) + bytes(4) + bytes([0] * 6 + [0xF0, 0x3F])
    )
    row = {"first": {}, "a": 7, "more": [{}, {}], "none": [], "b": 1.0}
    assert decoded(ros_log("pkg/msg/Odd", definition, ("cdr", "ros2msg"), message)) == ([row], 0)
    # In ROS 1 they have no bytes, so that claims of their number are limited.
    few = bytes([7, 2, 0, 0, 0, 0, 0, 0, 0]) + bytes([0] * 6 + [0xF0, 0x3F])
    many = few.replace(b"\x07\2\0\0\0", b"\x07\xff\xff\xff\x7f")
    assert decoded(ros_log("pkg/Odd", definition, ("ros1", "ros1msg"), few, many)) == ([row], 1)


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        ("Node next", "pkg/Node contains itself"),
        ("pkg/Other x", "the schema does not define pkg/Other"),
        ("wstring text", "wstring"),
        ("int32[99999999999] x", "is no field of a message"),
    ],
)
def test_definitions_without_a_type_are_refused(definition: str, said: str) -> None:
    with pytest.raises(WireloomError, match=said):
        decoded(ros_log("pkg/msg/Node", definition, ("cdr", "ros2msg"), b"\0\1\0\0"))
