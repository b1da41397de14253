"""What the server answers, as it is sent. ``python -m tests.unit.lsp.test_exchanges`` writes the answers into
``exchanges.json``, and a reviewer of the change reads them."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from .editor import Editor, place

GOLDEN = Path(__file__).with_name("exchanges.json")

LOG = """\
meta:
  id: log
  endian: le
  imports: [common]
  -wireloom: {rows: readings}
doc: Readings of a thermometer.
seq:
  - {id: header, type: common}
  - {id: readings, type: reading(header.version), repeat: eos}
types:
  reading:
    params:
      - {id: version, type: u1}
    seq:
      - id: kind
        type: u1
        enum: kinds
      - id: len_text
        type: u2
        if: kind == kinds::text
      - id: text
        size: len_text
        type: str
        encoding: ASCII
        wrong: 1
      - id: inner
        type: part
    instances:
      both: {value: _parent.header.version + inner.depth.as<s4>}
    types:
      part:
        seq: [{id: depth, type: u1}]
    enums:
      kinds:
        0: number
        1: {id: text, doc: A text.}
"""
COMMON = """\
meta: {id: common, endian: be}
seq:
  - {id: version, type: u1}
  - {id: flags, type: u9}
"""
HOVERS = ["end|ian: le", "rea|dings}", "repe|at: eos", "kinds::te|xt", "A te|xt.", "id: lo|g", "wro|ng: 1"]
COMPLETIONS = [
    "meta:|\n",
    "repeat: e|os",
    "type: pa|rt",
    "enum: |kinds",
    "size: len|_text",
    "\n        en|coding: ASCII",
]
DEFINITIONS = [
    "[comm|on]", "rows: read|ings}", "type: com|mon}", "type: rea|ding(", "(hea|der.version", "(header.ver|sion",
    "enum: ki|nds", "if: ki|nd ==", "== ki|nds::", "kinds::te|xt", "size: len|_text", "type: pa|rt", "_par|ent.header",
    "_parent.hea|der", ".header.ver|sion + ", "+ inn|er.depth", "inner.dep|th.as", "as<s|4>", "type: s|tr",
    "endian: l|e", "A te|xt.",
]  # fmt: skip


def exchanges() -> dict[str, Any]:
    """Return the answers of a server, by request."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "common.ksy").write_text(COMMON)
        editor = Editor(folder)
        uri = editor.open("log.ksy", LOG)
        found: dict[str, Any] = {
            "capabilities": editor.capabilities,
            "diagnostics": editor.diagnostics(uri),
            "diagnostics of the import": editor.diagnostics(editor.uri("common.ksy")),
            "symbols": editor.about(uri, "documentSymbol"),
        }
        for method, places in (("hover", HOVERS), ("completion", COMPLETIONS), ("definition", DEFINITIONS)):
            for each in places:
                answer = editor.about(uri, method, position=place(LOG, each))
                if method == "completion":
                    # There are many: those of a key stand for the others.
                    answer["items"] = answer["items"][:3]
                found[f"{method} {each.strip()}"] = answer
        assert editor.close() == 0
        text = json.dumps(found).replace(folder.as_uri(), "file://")
    return dict(json.loads(text))


def test_exchanges() -> None:
    assert exchanges() == json.loads(GOLDEN.read_text())


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(exchanges(), indent=1, ensure_ascii=False) + "\n")
