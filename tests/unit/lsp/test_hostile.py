"""The server outlives broken messages and texts, and ends when its editor does."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest
from wireloom.codegen.spec.reader import MAX_CHARACTERS

from ...waiting import SECONDS
from .editor import Editor
from .test_exchanges import LOG

METHODS = ("completion", "hover", "definition")
GOOD = "meta: {id: good}\n"
BROKEN = {
    "mappings in mappings": "{a: " * 5000,
    "lists in lists": "- " * 5000,
    "aliases of aliases": "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{f'*a{n - 1}, ' * 9}]\n" for n in range(1, 12)),
    "surrogates": 'meta: {id: a, title: "\ud800"}\n',
    "null characters": "meta: {id: a\0}\n",
    "a type in itself": "meta: {id: a}\nseq: [{id: b, type: a}]\n",
    "an import of itself": "meta: {id: a, imports: [broken, ../../../../etc/passwd, /dev/zero]}\n",
    "quotes": "\"'" * 10_000,
    "an instance of itself": "meta: {id: a}\ninstances: {b: {value: c}, c: {value: b}}\n",
    "a chain of members": "meta: {id: a}\ninstances: {b: {value: b" + ".b" * 1500 + "}}\n",
}


def ask_everything(editor: Editor, uri: str, text: str) -> None:
    lines = text.split("\n")
    for line in {0, len(lines) // 2, len(lines) - 1}:
        for character in {0, len(lines[line]) // 2, len(lines[line]), 10**9}:
            for method in METHODS:
                editor.about(uri, method, position={"line": line, "character": character})
    editor.about(uri, "documentSymbol")


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_text(name: str, editor: Editor) -> None:
    uri = editor.open("broken.ksy", BROKEN[name])
    assert editor.diagnostics(uri, 1)
    ask_everything(editor, uri, BROKEN[name])
    version = editor.change(uri, GOOD)
    assert editor.diagnostics(uri, version) == []


@pytest.mark.slow
def test_a_text_that_is_being_typed(editor: Editor) -> None:
    uri = editor.open("log.ksy", "")
    for end in range(0, len(LOG), 23):
        editor.change(uri, LOG[:end])
        position = {"line": LOG[:end].count("\n"), "character": len(LOG[:end].rpartition("\n")[2])}
        for method in METHODS:
            editor.about(uri, method, position=position)
        editor.about(uri, "documentSymbol")
    version = editor.change(uri, GOOD)
    assert editor.diagnostics(uri, version) == []


def test_a_text_beyond_the_limit(editor: Editor) -> None:
    text = "# é\n" + "a: b\n" * (MAX_CHARACTERS // 5 + 1)
    uri = editor.open("huge.ksy", text)
    assert editor.diagnostics(uri)[0]["message"].startswith(f"a spec has at most {MAX_CHARACTERS} characters")
    for method in METHODS:
        assert editor.about(uri, method, position={"line": 1, "character": 1}) is None
    assert editor.about(uri, "documentSymbol") is None


@pytest.mark.slow
def test_thousands_of_names_on_one_line(editor: Editor) -> None:
    labels = ", ".join(f"{number}: é{number}" if number == 7 else f"{number}: a{number}" for number in range(20_000))
    text = f"meta: {{id: a}}\nenums: {{e: {{{labels}}}}}\n" + "   # more\n" * 20_000
    uri = editor.open("line.ksy", text)
    assert len(editor.about(uri, "documentSymbol")[0]["children"]) == 20_000 - 1


def test_broken_frames(editor: Editor) -> None:
    assert editor.process.stdin is not None
    for frame in (b"\r\n", b"Content-Length: x\r\n\r\n", b"nonsense\r\n", b"Content-Length: 3\r\n\r\n{}}"):
        editor.process.stdin.write(frame)
    for body in (b"\xff\xfe", b"7", b"[" * 100_000, b"{}", b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "1.0", "method": "x"}'):
        editor.send(body)
    editor.send(
        json.dumps({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 7}}).encode()
    )
    editor.tell("textDocument/didChange", {"textDocument": {"uri": "file:///none", "version": 1}, "contentChanges": []})
    editor.tell("unknown/notification", {})
    assert editor.ask("unknown/request", {})["error"]["code"] == -32601
    editor.begin("textDocument/hover", {"textDocument": {"uri": 7}})
    nowhere = {"line": 0, "character": 0}
    assert editor.about("file:///not/open.ksy", "hover", position=nowhere) is None
    uri = editor.open("frames.ksy", GOOD)
    assert editor.diagnostics(uri) == []


def test_a_request_that_is_cancelled(editor: Editor) -> None:
    seq = "".join(f"  - {{id: a{number}, type: u1}}\n" for number in range(4000))
    uri = editor.open("long.ksy", f"meta: {{id: long}}\nseq:\n{seq}")
    numbers = [editor.begin("textDocument/documentSymbol", {"textDocument": {"uri": uri}}) for _ in range(8)]
    editor.tell("$/cancelRequest", {"id": numbers[-1]})
    answers = [editor.answer(each) for each in numbers]
    assert all("result" in each for each in answers[:-1])
    assert answers[-1]["error"]["code"] == -32800
    editor.tell("$/cancelRequest", {"id": 10**6})
    assert editor.diagnostics(uri) == []


def test_the_end_of_the_editor(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    assert editor.process.stdin is not None
    editor.process.stdin.close()
    assert editor.process.wait(SECONDS) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal(number: signal.Signals, tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    editor.process.send_signal(number)
    assert editor.process.wait(SECONDS) == 128 + number


PRINTING = """
import os
print("printed")
os.write(1, b"written")
"""


def test_what_a_module_prints_is_no_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "printing.py").write_text(PRINTING)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    editor = Editor(tmp_path, "--allow-module", "printing", "--stdio")
    text = (
        "meta: {id: log, -wireloom: {rows: rows}}\n"
        "seq: [{id: rows, type: row, repeat: eos}]\n"
        "types: {row: {seq: [{id: a, size: 4, process: printing.none}]}}\n"
    )
    found = editor.diagnostics(editor.open("log.ksy", text))
    assert "printing" in found[0]["message"]
    assert editor.close() == 0
