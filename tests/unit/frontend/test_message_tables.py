"""Tables of messages in the model."""

from __future__ import annotations

import pytest
from wireloom.codegen.spec.tables import TABLES
from wireloom.codegen.tree.leaves import Units

from tests.unit.frontend.specs import compiled, said


def table(meta: str, rest: str = "") -> Units:
    body = f"""
  -wireloom:
    message: {{{meta}}}
types:
  batch:
    -wireloom:
      message:
        fields:
          - {{id: groups, number: 1, type: group, label: repeated}}
          - {{id: rows, number: 2, type: row, label: repeated}}
          - {{id: room, number: 3, type: string}}
  group:
    -wireloom:
      message:
        fields:
          - {{id: rows, number: 1, type: row, label: repeated}}
          - {{id: room, number: 3, type: string}}
  row:
    -wireloom:
      message:
        fields:
          - {{id: at, number: 1, type: uint64}}
          - {{id: tree, number: 2, type: tree}}
  tree: {{-wireloom: {{message: {{fields: [{{id: tree, number: 1, type: tree}}]}}}}}}
{rest}"""
    found = compiled(body, "meta:\n  id: demo\n").units
    assert found is not None
    return found


def test_other_keys_of_the_table() -> None:
    body = """\
      codec: zstd
      max-record: 5
      path: "{day}/x"
      columns: [a]
      rows: a
      message: {type: m}
types:
  m: {-wireloom: {message: {fields: [{id: day, number: 1, type: bool}]}}}
"""
    assert said(body, "meta:\n  id: demo\n  -wireloom:\n") == [
        "3:13: error: the path pattern has 'day', which is already a column",
        "4:7: error: 'columns' and 'message' cannot be used together: 'message' defines the table",
        "5:7: error: 'rows' and 'message' cannot be used together: 'message' defines the table",
    ]
    body = body.replace("{day}", "{place}").replace("columns: [a]", "").replace("rows: a", "")
    found = compiled(body, "meta:\n  id: demo\n  -wireloom:\n")
    assert (found.codec, found.max_record, found.path_pattern, found.tables) == ("zstd", 5, "{place}/x", ())


IN_A_TABLE = [word for word in TABLES["table"].keys if word in TABLES["meta-extensions"].keys]
VALUES = {"fragments": "{kind: a, data: b, first: 1, last: 2}", "unit": "a", "rows": "a"}


@pytest.mark.parametrize("word", IN_A_TABLE)
@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("message: {type: m}", "'{}' and 'message' cannot be used together: 'message' defines the table"),
        ("tables: {t: {rows: a}}", "'{}' is a key of each table: move it into 'tables'"),
    ],
)
def test_keys_of_a_single_table(word: str, other: str, message: str) -> None:
    names = ("columns", "selectable", "parent-columns")
    value = "[a]" if word in names else VALUES.get(word, "true")
    body = f"      {word}: {value}\n      {other}\n"
    fields = "[{id: b, number: 1, type: bool}]"
    types = f"types:\n  m: {{-wireloom: {{message: {{fields: {fields}}}}}}}\n  r: {{seq: [{{id: b, size: 1}}]}}\n"
    layout = "" if "message" in other else "seq: [{id: a, type: r, repeat: eos}]\n"
    assert said(body + layout + types, "meta:\n  id: demo\n  -wireloom:\n") == [f"1:7: error: {message.format(word)}"]
