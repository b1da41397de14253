"""Registries of schemas: what they answer, and what is read then."""

from __future__ import annotations

import json
import socketserver
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import TemporaryError, WireloomError
from wireloom.reading.decoding import registries, registry_answers

from .test_decoded_values import NEW, OLD, avro, framed, log

Answer = bytes | Sequence[bytes | float]
"""The bytes of an answer, or of its parts, with waits between them."""
PAY = framed(3, avro(OLD, {"id": 1}))
SCHEMA = {"schema": json.dumps(OLD)}


def http(body: Any, status: str = "200 OK", *headers: str) -> bytes:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *headers]
    return "".join(f"{each}\r\n" for each in lines).encode() + b"\r\n" + content


NOT_FOUND = http({"error_code": 40403}, "404 Not Found")


@contextmanager
def serving(answers: Mapping[str, Answer]) -> Iterator[tuple[str, list[str]]]:
    """Yield the address of a registry, and what it is asked for."""
    requests: list[str] = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            lines = [line.decode().strip() for line in iter(self.rfile.readline, b"\r\n")]
            secret = "".join(each for each in lines if each.startswith("Authorization"))
            path = lines[0].split()[1]
            requests.append(f"{path} {secret}".strip())
            answer = answers.get(path, NOT_FOUND)
            try:
                for part in [answer] if isinstance(answer, bytes) else answer:
                    time.sleep(part) if isinstance(part, float) else self.wfile.write(part)
            except OSError:
                pass

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads, block_on_close, request_queue_size = True, False, 64

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", requests
        finally:
            server.shutdown()
            thread.join()


LARGE = json.dumps({"schema": "x" * registry_answers.LARGEST_SCHEMA}).encode()
BODY = http(SCHEMA)
ANSWERS: dict[str, tuple[Answer, str | None]] = {
    "a schema": (BODY, None),
    "a schema in parts": ([BODY[:9], 0.1, BODY[9:-3], 0.1, BODY[-3:]], None),
    "no length": (b"HTTP/1.0 200 OK\r\n\r\n" + json.dumps(SCHEMA).encode(), None),
    "unknown": (NOT_FOUND, "the registry has no schema 3"),
    "other JSON": (http([1, 2]), "no schema 3: is this"),
    "other text": (http(b"<html>"), "the answer is no JSON: is this"),
    "not UTF-8": (http(b"\0\xff"), "the answer is no JSON"),
    "nested too deeply": (http(b"[" * 100_000), "the answer is no JSON"),
    "a number as schema": (http({"schema": 5}), "no schema 3: is this"),
    "text of a number": (http({"schema": "5"}), "schema 3: the schema is no schema of Avro"),
    "half a character": (http({"schema": '"\ud800"', "schemaType": "PROTOBUF"}), "schema 3: it is no text"),
    "another type": (http({"schema": "x", "schemaType": "THRIFT"}), "schema 3 is of the type THRIFT"),
    "a type that is no text": (http({"schema": "x", "schemaType": [1]}), r"schema 3 is of the type \[1\]"),
    "references": (http(SCHEMA | {"references": [{"name": "a"}]}), "schema 3 refers to others"),
    "protobuf that does not compile": (
        http({"schema": "message {", "schemaType": "PROTOBUF"}),
        r"schema 3: schema.proto:1:\d+: ",
    ),
    "protobuf without a message": (http({"schema": "", "schemaType": "PROTOBUF"}), "schema 3: it has no message 0"),
    "too long": (http(LARGE), "the answer of the registry has more than 16777216 bytes"),
    "cut off": (BODY[:-1], "temporary: the answer of the registry ends early"),
    "closed": (b"", "temporary: the registry does not answer: Remote end closed connection"),
    "not HTTP": (b"SSH-2.0\r\n", "the answer is not HTTP: BadStatusLine"),
    "many headers": (http({}, "200 OK", *["a: b"] * 200), "the answer is not HTTP: HTTPException"),
    "busy": (http({}, "503 Service Unavailable"), "temporary: the registry answers 503 Service Unavailable"),
    "too often": (http({}, "429 Too Many Requests"), "temporary: the registry answers 429"),
    "no password": (
        http({}, "401 Unauthorized"),
        "the registry answers 401 Unauthorized: check the user and the password",
    ),
    "control characters": (http({}, "400 \x1b[2J"), r"the registry answers 400 \\x1b\[2J"),
    "a file": (http({}, "302 Found", "Location: file:///etc/passwd"), "302 Found, a redirect to file:///etc/passwd"),
    "itself": (
        http({}, "301 Moved", "Location: /x?token=secret"),
        r"a redirect to http://127.0.0.1:\d+/x that is not",
    ),
    "nothing": ([9.0], "temporary: the registry has not answered within 0.5 seconds"),
    "slow headers": ([b"HTTP/1.1 200 OK\r\na: ", *[b" ", 0.1] * 90], "temporary: the registry has not answered within"),
    "slow content": ([BODY[:60], *[b" ", 0.1] * 90], "temporary: the registry has not answered within 0.5 seconds"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    answer, said = ANSWERS[name]
    monkeypatch.setattr(registry_answers, "SECONDS", 0.5 if said and "within" in said else 60)
    with serving({"/schemas/ids/3": answer}) as (address, requests):
        started = time.monotonic()
        how: dict[str, Any] = {
            "decode": "value:confluent:3",
            "schemas": address.replace("//", "//me:secret@"),
            "columns": ["value"],
        }
        if said is None:
            assert wireloom.read("kafka_log", log(tmp_path / "0.log", [PAY]), **how)["value"].to_pylist() == [{"id": 1}]
        else:
            with pytest.raises(WireloomError, match=said.removeprefix("temporary: ")) as error:
                wireloom.read("kafka_log", log(tmp_path / "0.log", [PAY]), **how)
            assert isinstance(error.value, TemporaryError) is said.startswith("temporary: ")
            assert "127.0.0.1" in (error.value.path or "")
            assert "secret" not in str(error.value)
            assert "\n" not in str(error.value)
        # Slow answers take 9 seconds.
        assert "within" not in (said or "") or time.monotonic() - started < 8
        assert len(requests) == 1


VERSIONS: dict[str, tuple[Any, Any, str | None]] = {
    "none": (NOT_FOUND, NOT_FOUND, None),
    "no subject": ([], NOT_FOUND, None),
    "no version": (["pay"], NOT_FOUND, None),
    "an object": ({"schema": ""}, NOT_FOUND, "the answer is no list of the subjects of schema 3"),
    "objects": ([{"a": 1}], NOT_FOUND, "the answer is no list of the subjects of schema 3"),
    "a list": (["pay"], [1], "the answer is no version of the subject pay"),
    "text for a number": (["pay"], {"id": "../../3"}, "the answer is no version of the subject pay"),
    "true for a number": (["pay"], {"id": True}, "the answer is no version of the subject pay"),
    "a negative number": (["pay"], {"id": -1}, "the answer is no version of the subject pay"),
    "a number that is unknown": (["pay"], {"id": 4}, "the registry has no schema 4"),
    "half a character": (["\ud800"], NOT_FOUND, "the registry cannot be asked"),
}


@pytest.mark.parametrize("name", VERSIONS)
def test_answers_about_versions(tmp_path: Path, name: str) -> None:
    subjects, version, said = VERSIONS[name]
    answers = {
        "/schemas/ids/3": BODY,
        "/schemas/ids/3/subjects": subjects if isinstance(subjects, bytes) else http(subjects),
        "/subjects/pay/versions/latest": version if isinstance(version, bytes) else http(version),
    }
    path = log(tmp_path / "0.log", [PAY])
    with serving(answers) as (address, _):
        if said is None:
            table = wireloom.read("kafka_log", path, decode="value:confluent", schemas=address, columns=["value"])
            assert table["value"].to_pylist() == [{"id": 1}]
        else:
            with pytest.raises(WireloomError, match=said):
                wireloom.read("kafka_log", path, decode="value:confluent", schemas=address)


@pytest.mark.parametrize(
    ("subject", "path"),
    [("a b", "a%20b"), ("ü", "%C3%BC"), ("a/b", "a%2Fb"), ("a?b", "a%3Fb"), ("a%2Fb", "a%252Fb"), ("../x", "..%2Fx")],
)
def test_names_of_subjects(tmp_path: Path, subject: str, path: str) -> None:
    latest = f"/subjects/{path}/versions/latest"
    answers = {
        "/schemas/ids/3": BODY,
        "/schemas/ids/7": http({"schema": json.dumps(NEW)}),
        "/schemas/ids/3/subjects": http([subject]),
        latest: http({"id": 7}),
    }
    with serving(answers) as (address, requests):
        table = wireloom.read(
            "kafka_log", log(tmp_path / "0.log", [PAY]), decode="value:confluent", schemas=address, columns=["value"]
        )
    assert table["value"].to_pylist() == [{"id": 1, "currency": "EUR"}]
    assert latest in requests


@pytest.mark.parametrize(
    "code", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent", "300 Many"]
)
def test_a_password_is_sent_to_its_host_only(tmp_path: Path, code: str) -> None:
    with serving({"/schemas/ids/3": BODY}) as (other, of_other):
        moved = http({}, code, f"Location: {other}/schemas/ids/3")
        with serving({"/schemas/ids/3": moved}) as (address, requests):
            place = address.replace("//", "//me:secret@")
            with pytest.raises(WireloomError, match="that is not followed: give the registry's own address"):
                wireloom.read("kafka_log", log(tmp_path / "0.log", [PAY]), decode="value:confluent:3", schemas=place)
    assert requests == ["/schemas/ids/3 Authorization: Basic bWU6c2VjcmV0"]
    assert of_other == []


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://127.0.0.1:1", "the registry does not answer: Connection refused"),
        ("http://me:sec ret@127.0.0.1:1", "the registry does not answer: Connection refused"),
        ("http://127.0.0.1/a b", "the registry cannot be asked: URL can't contain control characters"),
        *(
            (address, "the address of the registry is not valid: write : / . # @ in its password as %3A")
            for address in (
                "http://",
                "http://[::1",
                "http://127.0.0.1:x",
                "http://me:sec/ret@127.0.0.1",
                "http://me:1/ret@127.0.0.1",
                "http://me:sec#ret@127.0.0.1",
                "http://me:1?ret@127.0.0.1",
            )
        ),
    ],
)
def test_addresses_that_cannot_be_asked(tmp_path: Path, address: str, said: str) -> None:
    with pytest.raises(WireloomError, match=said) as error:
        wireloom.read("kafka_log", log(tmp_path / "0.log", [PAY]), decode="value:confluent:3", schemas=address)
    assert "sec" not in str(error.value)
    assert "ret" not in str(error.value)
    assert "http" not in repr(registries.Registry(address))


def test_limits_of_what_a_registry_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registries, "MOST_UNKNOWN", 5)
    values = [PAY, *(framed(number, b"") for number in range(100, 120))]
    how: dict[str, Any] = {"decode": "value:confluent:3", "columns": ["value"]}
    with serving({"/schemas/ids/3": BODY}) as (address, requests):
        few = wireloom.read("kafka_log", log(tmp_path / "0.log", [*values[:6], *values[:6]]), schemas=address, **how)
        assert few["value"].to_pylist() == [{"id": 1}] * 2
        assert len(requests) == 6
        with pytest.raises(WireloomError, match="it has none of 5 schemas that values name") as error:
            wireloom.read("kafka_log", log(tmp_path / "1.log", values), schemas=address, **how)
        assert error.value.path == address
        assert len(requests) == 6
    # A file is not asked.
    (tmp_path / "registry.json").write_text(json.dumps({"3": OLD}))
    path = log(tmp_path / "1.log", values)
    found = wireloom.read("kafka_log", path, schemas=str(tmp_path / "registry.json"), **how)
    assert found["value"].to_pylist() == [{"id": 1}]
    monkeypatch.setattr(registries, "LARGEST_TOTAL", 300)
    padded = http({"schema": json.dumps(OLD | {"doc": "x" * 200})})
    values = [PAY, *(framed(number, avro(OLD, {"id": number})) for number in (4, 5))]
    with serving({f"/schemas/ids/{number}": padded for number in (3, 4, 5)}) as (address, requests):
        with pytest.raises(WireloomError, match="its schemas have more than 300 characters"):
            wireloom.read("kafka_log", log(tmp_path / "2.log", values), schemas=address, **how)
        assert len(requests) < 4


FILES: dict[str, tuple[Any, str | None]] = {
    "the schema": (OLD, None),
    "what a registry answers": (SCHEMA, None),
    "its text": (json.dumps(OLD), None),
    "a union": (["null", OLD], "object 1 of 1|bytes follow"),
    "null": (None, "schema 3 of the registry file is neither"),
    "a number": (5, "schema 3 of the registry file is neither"),
    "a number in an answer": ({"schema": 7}, "schema 3 of the registry file is neither"),
    "an unknown type": ("foo", "schema 3: the schema is no schema of Avro: foo"),
}


@pytest.mark.parametrize("name", FILES)
def test_registry_files(tmp_path: Path, name: str) -> None:
    schema, said = FILES[name]
    file = tmp_path / "registry.json"
    file.write_text(json.dumps({"3": schema}))
    how: dict[str, Any] = {"decode": "value:confluent:3", "schemas": str(file), "mode": "failfast"}
    path = log(tmp_path / "0.log", [PAY])
    if said is None:
        assert wireloom.read("kafka_log", path, columns=["value"], **how)["value"].to_pylist() == [{"id": 1}]
    else:
        with pytest.raises(WireloomError, match=said) as error:
            wireloom.read("kafka_log", path, **how)
        assert error.value.path in (str(file), str(path))


PROTO = 'syntax = "proto3"; package shop; {} message Line {{ string name = 1; }}'
ORDER = "message Order { int32 id = 1; message Part { string code = 1; } }"


def test_messages_of_one_protobuf_schema(tmp_path: Path) -> None:
    """A column has one type: values of another message are damage, and a message is found by its name."""
    texts = {"1": PROTO.format(ORDER), "2": PROTO.format("message New { int32 id = 1; } " + ORDER)}
    file = tmp_path / "registry.json"
    file.write_text(json.dumps({number: {"schema": text, "schemaType": "PROTOBUF"} for number, text in texts.items()}))
    values = [
        framed(1, b"\0\x08\x05"),  # Order
        framed(1, b"\x02\x02\x0a\x02hi"),  # Line
        framed(1, b"\x04\0\0\x0a\x02hi"),  # Order.Part
        framed(2, b"\0\x08\x06"),  # New
        framed(2, b"\x02\x02\x08\x07"),  # Order, of which the number is another one
        framed(2, b"\x02\x0e"),
    ]
    how: dict[str, Any] = {"schemas": str(file), "columns": ["value", "_error"], "decode": "value:confluent"}
    rows = wireloom.read("kafka_log", log(tmp_path / "0.log", values), **how).to_pylist()
    assert [each["value"] or each["_error"] for each in rows] == [
        {"id": 5},
        "message: it is a message Line, and the column has messages Order",
        "message: it is a message Order.Part, and the column has messages Order",
        "message: it is a message New, and the column has messages Order",
        {"id": 7},
        "message: schema 2: it has no message 7",
    ]
    for decode, count, kind in (
        ("value:confluent:1", 2, {"id": "int32"}),
        ("value:confluent:2", 1, {"id": "int32"}),
        ("value:confluent:1:Line", 1, {"name": "string"}),
        ("value:confluent:2:Order.Part", 1, {"code": "string"}),
    ):
        table = wireloom.read("kafka_log", tmp_path / "0.log", **how | {"decode": decode, "columns": ["value"]})
        assert table.num_rows == count
        assert {each.name: str(each.type) for each in table.schema.field("value").type} == kind
    with pytest.raises(WireloomError, match=r"schema 1: unknown message 'shop.Lien': did you mean 'shop.Line'"):
        wireloom.schema("kafka_log", decode="value:confluent:1:Lien", schemas=str(file))
    rows = wireloom.read("kafka_log", log(tmp_path / "1.log", values[2:3]), **how).to_pylist()
    assert rows == [{"value": {"code": "hi"}, "_error": None}]


def test_the_message_of_the_first_value_is_found_in_the_newest_schema(tmp_path: Path) -> None:
    newer = "message New { int32 x = 1; } message Order { int32 id = 1; int32 more = 2; }"
    texts = {1: PROTO.format(ORDER), 2: PROTO.format(newer)}
    answers = {f"/schemas/ids/{n}": http({"schema": each, "schemaType": "PROTOBUF"}) for n, each in texts.items()}
    answers |= {"/schemas/ids/1/subjects": http(["s"]), "/subjects/s/versions/latest": http({"id": 2})}
    order, part = framed(1, b"\0\x08\x05"), framed(1, b"\x04\0\0\x0a\x02hi")
    with serving(answers) as (address, _):
        how: dict[str, Any] = {"schemas": address, "columns": ["value"], "decode": "value:confluent"}
        rows = wireloom.read("kafka_log", log(tmp_path / "0.log", [order]), **how)["value"].to_pylist()
        assert rows == [{"id": 5, "more": None}]
        # The newest schema has no such message: its own one is read.
        rows = wireloom.read("kafka_log", log(tmp_path / "1.log", [part]), **how)["value"].to_pylist()
        assert rows == [{"code": "hi"}]


def test_why_no_value_has_a_schema(tmp_path: Path) -> None:
    file = tmp_path / "registry.json"
    file.write_text(
        json.dumps({"3": {"schema": "message {", "schemaType": "PROTOBUF"}, "4": {"schema": "{}", "references": [1]}})
    )
    for value, said in (
        (framed(3, b"\0"), r"\(schema 3: schema.proto:1:\d+: "),
        (framed(4, b"\0"), r"\(schema 4 refers to others"),
        (framed(5, b"\0"), r"\(the registry has no schema 5\)"),
        (b"x", r"\(it does not begin with a zero"),
    ):
        with pytest.raises(WireloomError, match=said):
            wireloom.read("kafka_log", log(tmp_path / "0.log", [value]), decode="value:confluent", schemas=str(file))
