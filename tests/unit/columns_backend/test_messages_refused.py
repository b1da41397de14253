"""Tables of messages that the engine reads or refuses, with one sentence; and messages of other specs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from wireloom import SpecError
from wireloom.codegen.backends.columns.message_lower import compile_units, coverage
from wireloom.codegen.loading import load_format
from wireloom.command import check_command as check
from wireloom.format.message_program import FieldSource, LookupSource

from .message_specs import AGGREGATE, STREAM
from .specs import format_of, planned
from .test_messages import columns_of

LOOK_UPS = {
    "masked on the left": ("_parent.keys[0xff & key_index]", 0xFF),
    "not masked": ("_parent.keys[key_index]", 0xFFFFFFFFFFFFFFFF),
    "masked by a sum": ("_parent.keys[key_index & (0xf0 + 0xf)]", 0xFF),
}


@pytest.mark.parametrize("name", LOOK_UPS)
def test_look_ups_are_recognised(name: str) -> None:
    expression, mask = LOOK_UPS[name]
    plan = planned(AGGREGATE.replace("_parent.keys[key_index & 0xffffffff]", expression))
    assert columns_of(plan)["key"].source == LookupSource(FieldSource((1,), up=1), FieldSource((1,)), mask=mask)


NO_LOOK_UPS = {
    "another mask": ("_parent.keys[key_index & -1]", ""),
    "a computed index": ("_parent.keys[key_index + 1]", ""),
    "a condition": ("_parent.keys[key_index]", ", if: key_index < 3"),
}


@pytest.mark.parametrize("name", NO_LOOK_UPS)
def test_what_is_no_look_up_is_refused(name: str) -> None:
    expression, more = NO_LOOK_UPS[name]
    plan = planned(AGGREGATE.replace("'_parent.keys[key_index & 0xffffffff]'", f"'{expression}'{more}"))
    column = columns_of(plan)["key"]
    assert (column.source, column.lookup) == (None, "")
    assert column.refusal.startswith('the column "key" is computed: ')
    assert plan.units is not None
    program, refusal = compile_units(plan, plan.units, plan.units.kinds[0], tuple(columns_of(plan).values()))
    assert program is None
    assert refusal == column.refused
    assert coverage(plan, plan.units) == refusal


def test_a_format_that_the_engine_refuses_says_why() -> None:
    format = format_of(AGGREGATE.replace("key_index & 0xffffffff", "key_index + 1"))
    assert format.message_program is None
    assert format.engine_refusal is not None
    assert 'the column "key" is computed' in format.engine_refusal


def test_what_is_no_column_cannot_be_computed_with() -> None:
    text = STREAM.replace("columns: [seq_num, at, headers, command]", "columns: [seq_num, command], selectable: []")
    assert columns_of(planned(text))["command"].refusal == (
        'the column "command" is computed: an expression uses "headers", which is not a column: '
        'add "headers" to "selectable"'
    )


def test_what_units_without_a_message_would_compute_needs_a_mark() -> None:
    text = AGGREGATE.replace("otherwise: {whole: data, mark: whole}", "otherwise: {whole: data}")
    columns = columns_of(planned(text.replace("tags, whole]", "tags]")))
    assert columns["size"].refusal == (
        'the column "size" is computed: it requires "data" and a "mark" of the rows without a message'
    )


def test_a_column_cannot_hold_the_rows() -> None:
    all_rows = "key: {value: '_parent.records'}"
    text = AGGREGATE.replace("key: {value: '_parent.keys[key_index & 0xffffffff]'}", all_rows)
    plan = planned(text)
    assert plan.units is not None
    found = coverage(plan, plan.units)
    assert found is not None
    assert found.sentence == 'the column "key" contains the rows'


def test_check_says_what_reads_the_messages(tmp_path: Path) -> None:
    path = tmp_path / "aggregate.ksy"
    path.write_text(AGGREGATE)
    found = CliRunner().invoke(check, [str(path)])
    assert (found.exit_code, found.output) == (0, f"{path}: aggregate: the engine reads its messages\n")
    path.write_text(AGGREGATE.replace("key_index & 0xffffffff", "key_index + 1"))
    found = CliRunner().invoke(check, [str(path), "--json"])
    (said,) = json.loads(found.output)
    assert said["engine"] == "objects"
    assert said["message"].startswith('the object parser reads its messages: the column "key" is computed: ')


def test_a_type_that_contains_itself_is_no_column() -> None:
    text = STREAM.replace("type: header, label: repeated}", "type: record, label: repeated}", 1)
    text = text.replace("if: headers.size == 1 and headers[0].name.length == 0", "if: headers.size == 1")
    text = text.replace('headers[0].value.to_s("UTF-8")', "headers[0].seq_num")
    with pytest.raises(SpecError, match="is recursive"):
        columns_of(planned(text))


IMPORTING = """
meta:
  id: importing
  imports: [stream]
  -wireloom:
    message: {framing: u2be, type: 'stream::batch', rows: records, columns: [seq_num, command], selectable: [headers]}
"""


def test_messages_of_another_spec(tmp_path: Path) -> None:
    (tmp_path / "stream.ksy").write_text(STREAM)
    (tmp_path / "importing.ksy").write_text(IMPORTING)
    format = load_format(tmp_path / "importing.ksy")
    assert format.row == "..stream.parser:Stream.Record"
    assert format.row_class.__module__.endswith(".stream.parser")
    assert format.message_class.__qualname__ == "Stream.Batch"
    program = format.message_program
    assert program is not None
    assert program.types.messages[0].name == "Stream.Batch"


NESTED = """
meta:
  id: nested
  -wireloom:
    message: {type: log, rows: rows, framing: varint, columns: [n, found], selectable: [SELECTABLE]}
types:
  log:
    -wireloom: {message: {fields: [
      {id: rows, number: 1, type: row, label: repeated}, {id: attributes, number: 2, type: pair, label: repeated}]}}
  row:
    -wireloom: {message: {fields: [
      {id: n, number: 1, type: sint64}, {id: resource, number: 2, type: resource},
      {id: attributes, number: 3, type: pair, label: repeated}]}}
    instances: {found: {value: 'EXPRESSION'}}
  resource:
    -wireloom: {message: {fields: [{id: attributes, number: 1, type: pair, label: repeated}]}}
  pair:
    -wireloom: {message: {fields: [{id: key, number: 1, type: string}]}}
"""
ADVICE = {
    "resource.attributes.size": 'is not a column: add "resource" to "selectable"',
    "_parent.attributes.size": "is not a column and cannot be one: "
    'a message nearer to the row has a member "attributes"',
    "_parent.rows.size": "is not a column and cannot be one: it leads to the rows",
}


@pytest.mark.parametrize("expression", ADVICE)
def test_what_must_be_a_column_is_said_only_where_it_can_be_one(expression: str) -> None:
    text = NESTED.replace("EXPRESSION", expression).replace("SELECTABLE", "")
    refusal = columns_of(planned(text))["found"].refusal
    assert refusal.endswith(ADVICE[expression])
    if "resource" in expression:
        advised = planned(NESTED.replace("EXPRESSION", expression).replace("SELECTABLE", "resource"))
        assert columns_of(advised)["found"].refusal == ""
