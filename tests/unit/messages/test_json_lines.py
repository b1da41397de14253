"""Messages in JSON, one on each line, as OpenTelemetry's file exporter writes them by default: the rows are those of
the same messages in bytes."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
import zstandard
from click.testing import CliRunner
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from wireloom import WireloomError
from wireloom.command import main
from wireloom.format.registry import get
from wireloom.objects.messages import MessageError
from wireloom.objects.messages.json_wire import json_wire

from ...examples import examples
from ...vectors import otlp
from ...writing import bytes_of
from ..frontend.specs import said
from ..reading.running import ROW_READERS, read
from ..specs import format_of
from .classes import classes_of
from .google_peer import fill, google_classes, message_sets, ours, values_of_type

IDS = ("traceId", "spanId", "parentSpanId")
MAKERS: dict[str, Any] = {"otlp_logs": otlp.logs, "otlp_spans": otlp.spans, "otlp_metrics": otlp.metrics}


def in_json(message: Any, **how: Any) -> str:
    """A message in OTLP's JSON: protobuf's, but with ids as hexadecimal digits and enums as numbers."""
    how = {"use_integers_for_enums": True} | how

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                name: base64.b64decode(each).hex() if name in IDS else changed(each) for name, each in value.items()
            }
        return [changed(each) for each in value] if isinstance(value, list) else value

    return json.dumps(changed(json_format.MessageToDict(message, **how)), ensure_ascii=False)


def shown(table: pa.Table) -> str:
    """The rows as text: some floats are not equal to themselves."""
    return str(table.to_pylist())


def framed(messages: list[Any]) -> bytes:
    contents = [each.SerializeToString() for each in messages]
    return b"".join(len(each).to_bytes(4, "big") + each for each in contents)


def lines(messages: list[Any], **how: Any) -> list[bytes]:
    return [in_json(each, **how).encode() + b"\n" for each in messages]


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_the_rows_of_the_same_messages(name: str, row_reader: str, data: st.DataObject) -> None:
    messages = [MAKERS[name](random.Random(seed)) for seed in data.draw(st.lists(st.integers(0, 999), min_size=1))]
    content = b"".join(lines(messages, use_integers_for_enums=data.draw(st.booleans())))
    content = content.replace(b"\n", data.draw(st.sampled_from([b"\n", b"\r\n", b"\n\n \n"])))
    content = content if data.draw(st.booleans()) else content.rstrip()
    # Python has no values for some times.
    columns = [each.name for each in get(name).columns if not each.type.startswith("timestamp")]
    expected, _ = read(row_reader, name, framed(messages), columns=columns, framing="u4be")
    options = {"chunk": data.draw(st.sampled_from([None, 700])), "recover": data.draw(st.booleans())}
    options["batch_rows"] = data.draw(st.sampled_from([1, 7, 1000]))
    table, report = read(row_reader, name, content, columns=columns, streamed=True, **options)
    assert shown(table) == shown(expected)
    assert (report["damaged"], report["tail"], report["framing"]) == ([], "clean", "lines")


LOGS = [otlp.logs(random.Random(seed)) for seed in range(9)]
LINES = lines(LOGS)
BEGINS = [sum(map(len, LINES[:number])) for number in range(len(LINES))]


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("recover", [False, True])
@pytest.mark.parametrize(
    ("damaged", "reason", "sentence"),
    [
        (b'{"resourceLogs": [}', "message", "the text is not valid JSON"),
        (b"\0\1\2", "message", ""),
        (b'"resourceLogs"', "message", ""),
        (b'{"resourceLogs": "\xff"}', "encoding", "not UTF-8 at its byte 18"),
        (b'{"resourceLogs": {}}', "message", "resourceLogs: {} is not a list"),
        (
            b'{"resourceLogs": [{}, {"scopeLogs": [{"logRecords": [{"traceId": "xy"}]}]}]}',
            "message",
            "resourceLogs[1].scopeLogs[0].logRecords[0].traceId: 'xy' is no bytes",
        ),
        (
            b'{"resourceLogs": [{"scopeLogs": [{"logRecords": [{"timeUnixNano": "-1"}]}]}]}',
            "message",
            "timeUnixNano: '-1' does not fit: it is not in the range 0 to 18446744073709551615",
        ),
        (b'{"resourceLogs": ' * 200 + b"1" + b"}" * 200, "message", "is not a list"),
    ],
)
def test_damage_costs_its_line(row_reader: str, recover: bool, damaged: bytes, reason: str, sentence: str) -> None:
    expected = read(row_reader, "otlp_logs", b"".join(LINES), columns=["body", "_offset"])[0].to_pylist()
    assert {each["_offset"] for each in expected} <= set(BEGINS)
    for number in (0, 4, 8):
        content = b"".join((*LINES[:number], damaged + b"\n", *LINES[number + 1 :]))
        table, report = read(
            row_reader, "otlp_logs", content, columns=["body", "_offset"], recover=recover, framing="lines"
        )
        kept = [each for each in expected if each["_offset"] != BEGINS[number]]
        assert table["body"].to_pylist() == [each["body"] for each in kept]
        assert report["damaged"] == [[BEGINS[number], len(damaged) + 1, reason]]
        assert sentence in report["error"]


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_the_last_line(row_reader: str) -> None:
    """Without a line break it may be incomplete, and is read if it is not."""
    content = b"".join(LINES)
    for end in {len(content) - 1, *range(BEGINS[-1], len(content), 7)}:
        table, report = read(row_reader, "otlp_logs", content[:end], columns=["_offset"])
        is_whole = end == len(content) - 1
        assert report["tail"] == ("clean" if is_whole or end == BEGINS[-1] else "truncated")
        assert report["damaged"] == []
        assert (BEGINS[-1] in table["_offset"].to_pylist()) == is_whole
    with pytest.raises(WireloomError, match="truncated"):
        wireloom.read("otlp_logs", content[:-9], mode="failfast")
    found = wireloom.read_with_report("otlp_logs", content[:-9], tail="growing")[1].files[0]
    assert (found.tail, found.tail_offset) == ("growing", BEGINS[-1])
    assert read(row_reader, "otlp_logs", content, max_record=len(LINES[0]) - 1)[1]["tail"] == "limit"


def test_the_first_line_is_damaged() -> None:
    content = b"#" + b"".join(LINES)
    for recover in (False, True):
        table, report = read(None, "otlp_logs", content, recover=recover)
        assert (report["framing"], [each[0] for each in report["damaged"]]) == ("lines", [0])
        assert shown(table) == shown(wireloom.read("otlp_logs", b"".join(LINES[1:])))


def test_other_forms(tmp_path: Path) -> None:
    """An object over several lines, values of a column, and compressed objects with lengths, as the exporter writes
    them with ``format: json`` and ``compression: zstd``."""
    [log] = [each for each in LOGS if len(json_format.MessageToDict(each)) and otlp.log_rows(each)][:1]
    expected = wireloom.read("otlp_logs", log.SerializeToString(), framing="whole")
    printed = json.dumps(json.loads(in_json(log)), indent=2).encode()
    for content in (printed, printed.replace(b"\n", b"\r\n")):
        table, report = wireloom.read_with_report("otlp_logs", content)
        assert (shown(table), report.to_dict()["files"][0]["framing"]) == (shown(expected), "whole")
    assert str(wireloom.from_wire([printed], "otlp_logs").to_pylist()) == f"[{shown(expected)}]"
    packed = [zstandard.ZstdCompressor().compress(each) for each in LINES]
    content = b"".join(len(each).to_bytes(4, "big") + each for each in packed)
    assert shown(wireloom.read("otlp_logs", content)) == shown(wireloom.read("otlp_logs", b"".join(LINES)))
    path = tmp_path / "logs.json"
    path.write_bytes(b"".join(LINES))
    assert "otlp_logs" in CliRunner().invoke(main, ["identify", str(path)]).output
    found = CliRunner().invoke(main, ["inspect", "otlp_logs", str(path), "--record", "1"])
    assert (found.exit_code, "scope_logs" in found.output) == (0, True), found.output


@pytest.mark.parametrize("name", MAKERS)
def test_written_as_lines(name: str, tmp_path: Path) -> None:
    content = framed([MAKERS[name](random.Random(seed)) for seed in range(20)])
    columns = [each.name for each in get(name).columns if not each.derived and each.same_as == ""]
    table = wireloom.read(name, content, columns=columns, framing="u4be")
    path = tmp_path / "some.json"
    wireloom.write(name, table, path, framing="lines")
    assert shown(wireloom.read(name, path, columns=columns)) == shown(table)
    assert len(path.read_bytes().splitlines()) == 1
    if name == "otlp_logs":
        for line in path.read_text().splitlines():
            json_format.Parse(line, LogsData())


@pytest.mark.slow
@given(st.data())
def test_of_any_type(data: Any) -> None:
    """As the objects of ``json_message``, and as Google's."""
    messages = data.draw(message_sets())
    values = values_of_type(data.draw, messages, 0)
    message = ours(classes_of(messages), messages, 0, values)
    peer = fill(google_classes(messages)["M0"](), messages, 0, values)
    text = json_format.MessageToJson(peer, use_integers_for_enums=True)
    wire = json_wire(type(message), text.encode())
    assert type(message).from_bytes(wire).to_bytes() == message.to_bytes()
    with pytest.raises(MessageError):
        json_wire(type(message), text.encode()[:-1])


SPEC = """
meta: {{id: sample, -wireloom: {{message: {{{}, type: note}}}}}}
types:
  note:
    -wireloom:
      message:
        fields:
          - {{id: a, number: 1, type: note, json: true}}
          - {{id: b, number: 2, type: {}, json-name: theB, hex: true}}
"""


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_names_and_digits_in_text(row_reader: str) -> None:
    format = format_of(SPEC.format("framing: lines", "bytes"))
    content = b'{"a": {"theB": "00fF", "b": null, "other": [{}]}, "theB": ""}\n{"a": {"a": {"b": "1"}}}\n'
    table, report = read(row_reader, format, content)
    assert table.to_pylist() == [{"a": '{"theB":"00ff"}', "b": b""}]
    assert report["damaged"] == [[62, 25, "message"]]
    assert bytes_of(format, table) == b'{"a":{"theB":"00ff"}}\n'
    assert pa.types.is_binary(table.schema.field("b").type)


def test_mistakes() -> None:
    assert "'hex' requires a field of type bytes" in " ".join(said(SPEC.format("framing: lines", "string"), ""))
    message = " ".join(said(SPEC.format("framing: [lines, u1], least: 2", "bytes"), ""))
    assert "messages with the framing 'lines' are JSON: they have no envelope" in message
