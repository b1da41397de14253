"""Fields that a table of messages cannot contain: writing one is refused unless loss is allowed."""

import json
from pathlib import Path

import pytest
import wireloom
from click.testing import CliRunner
from wireloom.command import main
from wireloom.writing.messages.row_packing import fields_without_columns

TRACES = """
meta:
  id: traces
  -wireloom: {message: {at: data, type: traces, rows: resource_spans.scope_spans.spans, columns: [COLUMNS]}}
seq:
  - {id: data, type: traces, size-eos: true}
types:
  traces:
    -wireloom: {message: {fields: [{id: resource_spans, number: 1, type: resource_spans, label: repeated}]}}
  resource_spans:
    -wireloom:
      message:
        fields:
          - {id: resource, number: 1, type: value}
          - {id: scope_spans, number: 2, type: scope_spans, label: repeated}
          - {id: schema_url, number: 3, type: string}
  scope_spans:
    -wireloom:
      message:
        fields:
          - {id: scope, number: 1, type: string}
          - {id: spans, number: 2, type: span, label: repeated}
  span:
    -wireloom:
      message:
        fields:
          - {id: name, number: 1, type: string}
          - {id: lambda, number: 2, type: uint32}
          - {id: attributes, number: 3, type: value, label: repeated}
    instances:
      shown: {value: lambda}
  value:
    -wireloom:
      message:
        fields:
          - {id: text, number: 1, type: string}
          - {id: values, number: 2, type: value, label: repeated}
"""
LOST = ("resource_spans.resource", "resource_spans.scope_spans.spans.attributes")
ROWS = [{"name": "a", "lambda": 1, "scope": "s", "schema_url": "u"}]


def traces(folder: Path, columns: str) -> wireloom.Format:
    (folder / "traces.ksy").write_text(TRACES.replace("COLUMNS", columns))
    return wireloom.load_spec(folder / "traces.ksy")


def test_what_no_column_holds(tmp_path: Path) -> None:
    assert fields_without_columns(traces(tmp_path, "name, lambda, scope, schema_url")) == LOST
    # A column that only shows a field contains it.
    assert fields_without_columns(traces(tmp_path, "name, shown, scope, schema_url")) == LOST
    # A field of the row that is not a column by default may be selected.
    assert fields_without_columns(traces(tmp_path, "lambda")) == (
        LOST[0],
        "resource_spans.schema_url",
        "resource_spans.scope_spans.scope",
        LOST[1],
    )


def test_it_is_refused_unless_that_is_meant(tmp_path: Path) -> None:
    format = traces(tmp_path, "name, lambda, scope, schema_url")
    with pytest.raises(wireloom.UnsupportedError, match=rf"no column for {LOST[0]}, {LOST[1]}\. .*lossy=True"):
        wireloom.write(format, ROWS, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    wireloom.write(format, ROWS, tmp_path / "out", lossy=True)
    assert wireloom.read(format, tmp_path / "out").to_pylist() == ROWS
    with pytest.raises(wireloom.UnsupportedError, match="cannot represent all of a message"):
        wireloom.to_wire(ROWS, format)
    [blob] = wireloom.to_wire(ROWS, format, lossy=True).to_pylist()
    assert blob == (tmp_path / "out").read_bytes()
    with pytest.raises(wireloom.WireloomError, match="lossy is true or false, not 'maybe'"):
        wireloom.to_wire(ROWS, format, lossy="maybe")


def test_tables_that_hold_all_need_no_leave(tmp_path: Path) -> None:
    text = TRACES.replace("          - {id: attributes, number: 3, type: value, label: repeated}\n", "")
    text = text.replace("          - {id: resource, number: 1, type: value}\n", "")
    (tmp_path / "traces.ksy").write_text(text.replace("COLUMNS", "name, lambda, scope, schema_url"))
    format = wireloom.load_spec(tmp_path / "traces.ksy")
    assert fields_without_columns(format) == ()
    wireloom.write(format, ROWS, tmp_path / "out")
    # Formats with their own packing, and layouts, know what they write.
    wireloom.write("s2_messages", [{"seq_num": 1, "timestamp": 2, "headers": [], "body": b"x"}], tmp_path / "batch")
    event = {"fmt": 0, "tenant": 1, "ts_millis": 2, "payload": b"x"}
    wireloom.write("edgemq_segment", [event], tmp_path / "segment", lossy=True)


def test_the_command(tmp_path: Path) -> None:
    traces(tmp_path, "name, lambda, scope, schema_url")
    (tmp_path / "rows.ndjson").write_text(json.dumps(ROWS[0]) + "\n")
    arguments = ["encode", str(tmp_path / "traces.ksy"), str(tmp_path / "rows.ndjson"), "-o", str(tmp_path / "out")]
    refused = CliRunner().invoke(main, arguments)
    assert refused.exit_code != 0
    assert not (tmp_path / "out").exists()
    assert CliRunner().invoke(main, [*arguments, "--lossy"]).exit_code == 0
    assert (tmp_path / "out").stat().st_size > 0


def test_columns_that_the_rows_lack_are_named(tmp_path: Path) -> None:
    format = traces(tmp_path, "name, shown, lambda, scope, schema_url")
    assert wireloom.write(format, ROWS, tmp_path / "out", lossy=True).absent == ()
    table = wireloom.read(format, tmp_path / "out", columns=["name", "shown"])
    assert wireloom.write(format, table, tmp_path / "out", lossy=True).absent == ("scope", "schema_url")
    rows = [{"name": "a"}, {"lambda": 1}]
    assert wireloom.write(format, rows, tmp_path / "out", lossy=True).absent == ("scope", "schema_url")
    (tmp_path / "rows.json").write_text(json.dumps(rows[0]))
    names = [str(tmp_path / name) for name in ("traces.ksy", "rows.json", "out")]
    result = CliRunner().invoke(main, ["encode", *names[:2], "-o", names[2], "--lossy", "--json"])
    assert "warning: the rows lack the columns lambda, scope, schema_url" in result.stderr
    assert json.loads(result.stdout)["absent"] == ["lambda", "scope", "schema_url"]
