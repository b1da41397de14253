"""Columns of bytes that are decoded by the option ``decode``."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import wireloom
from wireloom import UnknownNameError, UnsupportedError, WireloomError

from tests.unit.commands import run

OLD = {"type": "record", "name": "Pay", "namespace": "shop", "fields": [{"name": "id", "type": "long"}]}
NEW = {**OLD, "fields": [*OLD["fields"], {"name": "currency", "type": "string", "default": "EUR"}]}
OTHER = {"type": "record", "name": "Other", "fields": [{"name": "x", "type": "int"}]}
SCHEMAS = {"3": OLD, "7": {"schema": json.dumps(NEW)}, "9": OTHER, "5": {"schema": "{}", "schemaType": "JSON"}}
PROTO = """
syntax = "proto3";
package shop.v1;
message Unused { int32 x = 1; }
message Order {
  int64 id = 1;
  string item = 2;
  message Line { string name = 1; int32 count = 2; }
  repeated Line lines = 3;
}
"""


def avro(schema: Any, value: Any) -> bytes:
    file = io.BytesIO()
    fastavro.schemaless_writer(file, schema, value)
    return file.getvalue()


def framed(number: int, content: bytes) -> bytes:
    return b"\0" + number.to_bytes(4, "big") + content


def log(path: Path, values: list[bytes | None], **more: Any) -> Path:
    rows = [{"offset": n, "timestamp": n, "key": b"k", "value": each, "headers": []} for n, each in enumerate(values)]
    wireloom.write("kafka_log", [row | more for row in rows], path)
    return path


@pytest.fixture
def registry(tmp_path: Path) -> str:
    path = tmp_path / "registry.json"
    path.write_text(json.dumps(SCHEMAS))
    return str(path)


PAYS = [
    framed(3, avro(OLD, {"id": 1})),
    None,
    framed(7, avro(NEW, {"id": 2, "currency": "USD"})),
    b"no schema",
    framed(8, b""),
    framed(9, avro(OTHER, {"x": 1})),
    framed(5, b"{}"),
    framed(3, b""),
    framed(3, avro(OLD, {"id": 3}) + b"!"),
    framed(7, avro(NEW, {"id": 4, "currency": "CHF"})),
]
GOOD = [
    (0, {"id": 1, "currency": "EUR"}),
    (1, None),
    (2, {"id": 2, "currency": "USD"}),
    (9, {"id": 4, "currency": "CHF"}),
]


def test_values_of_confluents_format(tmp_path: Path, registry: str) -> None:
    path = log(tmp_path / "0.log", PAYS)
    how: dict[str, Any] = {"decode": "value:confluent", "schemas": registry}
    table, report = wireloom.read_with_report("kafka_log", path, **how)
    assert list(zip(table["offset"].to_pylist(), table["value"].to_pylist(), strict=True)) == GOOD
    assert table.schema.field("value").type == pa.struct([("id", pa.int64()), ("currency", pa.utf8())])
    assert (report.rows, report.damaged) == (4, 6)
    assert {each.reason for each in report.files[0].damaged} == {"message"}
    rows = wireloom.read("kafka_log", path, columns=["value", "_error"], **how)["_error"].to_pylist()
    assert [each.split(": ")[1].partition(",")[0] for each in rows if each] == [
        "it does not begin with a zero and the number of a schema",
        "the registry has no schema 8",
        "object 1 of 1 is not one of the schema",
        "its schema 5 is of JSON",
        "object 1 of 1 is not one of the schema",
        "1 bytes follow the last of 1 objects",
    ]


def test_the_number_of_the_schema_to_read_by(tmp_path: Path, registry: str) -> None:
    path = log(tmp_path / "0.log", PAYS[:3])
    how: dict[str, Any] = {"decode": "value:confluent:3", "schemas": registry}
    assert wireloom.read("kafka_log", path, **how)["value"].to_pylist() == [{"id": 1}, None, {"id": 2}]
    assert wireloom.schema("kafka_log", **how).field("value").type == pa.struct([("id", pa.int64())])
    dataset = pickle.loads(pickle.dumps(wireloom.dataset("kafka_log", path, **how)))
    assert dataset.to_table(filter=pc.field("value", "id") == 2, columns=["offset"]).to_pydict() == {"offset": [2]}


@contextmanager
def serving(answers: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yield the address of a registry, and the paths that it is asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.headers.get('Authorization', '')} {self.path}")
            answer = answers.get(self.path)
            self.send_response(answer if isinstance(answer, int) else 404 if answer is None else 200)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


def test_a_registry_is_asked_once_for_each_number(tmp_path: Path) -> None:
    answers = {
        "/base/schemas/ids/3": {"schema": json.dumps(OLD)},
        "/base/schemas/ids/7": {"schema": json.dumps(NEW), "schemaType": "AVRO"},
        "/base/schemas/ids/3/subjects": ["pays-value"],
        "/base/subjects/pays-value/versions/latest": {"id": 7, "subject": "pays-value"},
    }
    path = log(tmp_path / "0.log", [each for each in PAYS if each is None or each[4] in (3, 7, 8)] * 3)
    with serving(answers) as (address, asked):
        how: dict[str, Any] = {"decode": "value:confluent", "schemas": f"http://me:secret@{address}/base/"}
        table = wireloom.read("kafka_log", path, **how)
        assert table["value"].to_pylist() == [each for _, each in GOOD] * 3
        assert sorted(asked) == [f"Basic bWU6c2VjcmV0 {each}" for each in sorted([*answers, "/base/schemas/ids/8"])]
    with serving({"/schemas/ids/3": 500}) as (address, _):
        with pytest.raises(WireloomError, match="the registry answers 500") as error:
            wireloom.read("kafka_log", path, decode="value:confluent:3", schemas=f"http://me:secret@{address}")
        assert "secret" not in str(error.value)
    with pytest.raises(WireloomError, match="the registry does not answer"):
        wireloom.read("kafka_log", path, decode="value:confluent:3", schemas="http://127.0.0.1:1")


def test_protobuf_and_json_of_a_registry(tmp_path: Path) -> None:
    path = tmp_path / "registry.json"
    schemas = {"1": {"schema": PROTO, "schemaType": "PROTOBUF"}, "2": {"schema": "{}", "schemaType": "JSON"}}
    path.write_text(json.dumps(schemas))
    order = b"\x08\x05\x12\x03pen\x1a\x05\x0a\x01a\x10\x02"
    line = b"\x0a\x01b\x10\x03"
    values = [framed(1, b"\x02\x02" + order), None, framed(1, b"\x02\x02\xff"), framed(1, b"\x03")]
    how: dict[str, Any] = {"decode": "value:confluent", "schemas": str(path)}
    table, report = wireloom.read_with_report("kafka_log", log(tmp_path / "0.log", values), **how)
    assert table["value"].to_pylist() == [{"id": 5, "item": "pen", "lines": [{"name": "a", "count": 2}]}, None]
    assert report.damaged == 2
    # A message inside of another one.
    nested = log(tmp_path / "1.log", [framed(1, b"\x04\x02\x00" + line)])
    assert wireloom.read("kafka_log", nested, **how)["value"].to_pylist() == [{"name": "b", "count": 3}]
    # The first message has a shorter number.
    first = log(tmp_path / "2.log", [framed(1, b"\x00\x08\x07")])
    assert wireloom.read("kafka_log", first, **how)["value"].to_pylist() == [{"x": 7}]
    texts = log(tmp_path / "3.log", [framed(2, b'{"a": 1}'), framed(2, b"{")])
    table, report = wireloom.read_with_report("kafka_log", texts, **how)
    assert table["value"].to_pylist() == ['{"a": 1}']
    assert report.damaged == 1


def test_values_of_one_schema_in_a_file(tmp_path: Path) -> None:
    path = log(tmp_path / "0.log", [avro(NEW, {"id": 1, "currency": "EUR"}), None, b""])
    (tmp_path / "pay.avsc").write_text(json.dumps(NEW))
    table, report = wireloom.read_with_report(
        "kafka_log", path, decode="value:avro", schemas=str(tmp_path / "pay.avsc"), columns=["value"]
    )
    assert table["value"].to_pylist() == [{"id": 1, "currency": "EUR"}, None]
    assert report.damaged == 1
    (tmp_path / "orders.proto").write_text(PROTO)
    orders = log(tmp_path / "1.log", [b"\x08\x05", b""])
    how: dict[str, Any] = {"decode": "value:protobuf:shop.v1.Order", "schemas": str(tmp_path / "orders.proto")}
    found = wireloom.read("kafka_log", orders, **how)["value"].to_pylist()
    assert found == [{"id": 5, "item": "", "lines": []}, {"id": 0, "item": "", "lines": []}]
    with pytest.raises(UnknownNameError, match=r"unknown message 'shop.v1.Odrer'"):
        wireloom.read("kafka_log", orders, **how | {"decode": "value:protobuf:shop.v1.Odrer"})


def test_values_of_a_second_format(tmp_path: Path) -> None:
    spans = [{"name": f"span {each}", "trace_id": bytes(16)} for each in range(3)]
    message = wireloom.to_wire(spans, "otlp_spans")[0]
    path = log(tmp_path / "0.log", [message, None, b"\xff", message])
    how: dict[str, Any] = {"decode": "value:otlp_spans"}
    table, report = wireloom.read_with_report("kafka_log", path, columns=["offset", "value", "_offset"], **how)
    assert table["offset"].to_pylist() == [0, 0, 0, 1, 3, 3, 3]
    names = [each and each["name"] for each in table["value"].to_pylist()]
    assert names == ["span 0", "span 1", "span 2", None, "span 0", "span 1", "span 2"]
    assert report.damaged == 1
    # A format of rows, compressed or not.
    records = io.BytesIO()
    wireloom.write("tfrecord", [{"data": b"a"}, {"data": b"b"}], records)
    content = records.getvalue()
    path = log(tmp_path / "1.log", [content, gzip.compress(content), content[:-1]])
    table, report = wireloom.read_with_report("kafka_log", path, decode="value:tfrecord", columns=["offset", "value"])
    assert table["offset"].to_pylist() == [0, 0, 1, 1]
    assert table["value"].to_pylist() == [{"data": b"a"}, {"data": b"b"}] * 2
    assert report.damaged == 1


def test_compressed_values(tmp_path: Path) -> None:
    path = log(tmp_path / "0.log", [gzip.compress(b"hello"), None, b"plain", gzip.compress(b"hello")[:-1]])
    table, report = wireloom.read_with_report("kafka_log", path, decode="value:gzip", columns=["value"])
    assert table["value"].to_pylist() == [b"hello", None]
    assert report.damaged == 2


def test_values_that_decompress_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wireloom.reading.decoding.formats.LARGEST_VALUE", 100_000)
    path = log(tmp_path / "0.log", [gzip.compress(bytes(size)) for size in (100_000, 100_001)])
    table, report = wireloom.read_with_report("kafka_log", path, decode="value:gzip", columns=["value"])
    assert table["value"].to_pylist() == [bytes(100_000)]
    assert [each.reason for each in report.files[0].damaged] == ["limit"]


def test_records_of_brokers_are_null(tmp_path: Path, registry: str) -> None:
    path = log(tmp_path / "0.log", [b"\0\0\0\0\0\0"], is_control=True, is_transactional=True)
    how: dict[str, Any] = {"decode": "value:confluent:3", "schemas": registry}
    assert wireloom.read("kafka_log", path, **how)["value"].to_pylist() == [None]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"decode": "value:avor"}, "unknown decoder 'avor': did you mean 'avro'"),
        ({"decode": "valeu:avro"}, "unknown column of kafka_log 'valeu': did you mean 'value'"),
        ({"decode": "offset:avro"}, "offset is a column of int64, and only bytes can be decoded"),
        ({"decode": "value:avro"}, "decode=value:avro needs the option schemas: the file with the schema"),
        ({"decode": "value:avro", "schemas": "http://x"}, "http://x: avro takes no registry: schemas is the file"),
        ({"decode": "value:protobuf:A", "schemas": "https://x"}, "protobuf takes no registry"),
        ({"decode": "value:confluent"}, "decode=value:confluent needs the option schemas: the address of the registry"),
        ({"decode": "value:confluent:4294967296", "schemas": "…"}, "does not begin with the number of a schema"),
        ({"decode": "value:confluent:x", "schemas": "…"}, "does not begin with the number of a schema"),
        ({"decode": "value:protobuf", "schemas": "…"}, "needs the name of a message"),
        ({"decode": "value:gzip", "schemas": "…"}, "decode=value:gzip takes no option schemas"),
        ({"decode": "value:pcap", "schemas": "…"}, "decode=value:pcap takes no option schemas"),
        ({"schemas": "…"}, "schemas is for columns that are decoded: name one by the option decode"),
    ],
)
def test_mistakes(tmp_path: Path, registry: str, options: dict[str, str], said: str) -> None:
    options = {name: value.replace("…", registry) for name, value in options.items()}
    with pytest.raises(WireloomError, match=said):
        wireloom.read("kafka_log", log(tmp_path / "0.log", [b""]), **options)


class Pipe(io.RawIOBase):
    """Bytes that can be read only once."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        return self._file.readinto(buffer)


def test_what_can_be_read_only_once(tmp_path: Path, registry: str) -> None:
    path = log(tmp_path / "0.log", [None, b"", framed(3, avro(OLD, {"id": 1}))] * 100)
    options = {"decode": "value:confluent", "schemas": registry, "mode": "permissive"}
    expected = wireloom.read("kafka_log", path, **options)
    assert wireloom.read("kafka_log", Pipe(path.read_bytes()), **options) == expected
    with pytest.raises(WireloomError, match="there is no message on the topic /x"):
        wireloom.read("mcap", Pipe(b""), decode="data:channel:/x")


def test_messages_are_exploded_instead() -> None:
    with pytest.raises(UnsupportedError, match=r"use wireloom.explode"):
        wireloom.read("s2_messages", b"", decode="body:gzip")


def test_commands(tmp_path: Path, registry: str) -> None:
    path = log(tmp_path / "0.log", [PAYS[0], PAYS[2]])
    options = ("--option", "decode=value:confluent", "--option", f"schemas={registry}")
    assert run("count", "kafka_log", path, *options).stdout == "2\n"
    rows = run("decode", "kafka_log", path, "--columns", "value", *options).stdout.splitlines()
    assert json.loads(rows[0]) == {"value": {"id": 1, "currency": "EUR"}}
    query = f"select sum(value.id) as n from '{path}'"
    assert run("sql", query, "--format", "kafka_log", "--to", "ndjson", *options).stdout == '{"n":3}\n'
