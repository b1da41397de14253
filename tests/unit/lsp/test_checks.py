"""Diagnostics: what ``wireloom check`` says about the text in the editor, saved or not, and about no older one."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from wireloom.codegen import checking
from wireloom.codegen.spec.diagnostic import Diagnostic
from wireloom.lsp import checks

from ...waiting import SECONDS
from ..commands import run
from .editor import Editor

SPECS = {
    "a type that is not there": "meta: {id: log, endian: le}\nseq: [{id: a, type: thing}, {id: b, type: u4, eos: 1}]\n",
    "text that is not YAML": "meta: {id: log\nseq: [",
    "nothing": "",
    "a list": "- meta\n",
    "an older number": "meta: {id: log}\nenums: {e: {010: ten}}\nseq: [{id: a, type: u1, enum: e}]\n",
    "characters of several units": 'meta: {id: log, title: "🙂é"}\nseq: [{id: a, doc: "🙂", type: x}]\n',
    "lines of YAML": "meta: {id: log}\n# \u2028# \x85\nseq: [{id: a, type: x}]\n",
    "a control character": "meta: {id: log, title: \x01}\n",
    "rows of the object parser": (
        "meta: {id: log, -wireloom: {rows: rows}}\n"
        "seq: [{id: rows, type: row, repeat: eos}]\n"
        "types: {row: {seq: [{id: a, type: u1}, {id: b, size: a, process: rol(a)}]}}\n"
    ),
    "a writer that lacks a value": (
        "meta: {id: log}\nseq: [{id: n, type: u1}, {id: a, type: u1, repeat: expr, repeat-expr: n * n}]\n"
    ),
}
SEVERITIES = {"error": 1, "warning": 2, "note": 3}


@pytest.mark.parametrize("name", SPECS)
def test_the_check_says_the_same(name: str, editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    text = SPECS[name]
    path = editor.folder / "log.ksy"
    path.write_text(text)
    monkeypatch.chdir(editor.folder)
    code = 0 if all(each not in name for each in ("not", "nothing", "list", "character", "lines")) else 1
    expected = json.loads(run("check", "log.ksy", "--json", code=code).stdout)
    uri = editor.open("log.ksy", text)
    found = editor.diagnostics(uri)
    editor.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert editor.diagnostics(uri) == []
    said = [each for each in expected if each.get("engine", "objects") == "objects"]
    assert len(found) == len(said)
    for one, other in zip(found, said, strict=True):
        assert one["severity"] == SEVERITIES[other["severity"]]
        assert one["message"].splitlines()[0] == other["message"].splitlines()[0]
        assert one["data"] == {key: other[key] for key in ("path", "help", "reference")}
        assert other["help"] in one["message"]
        assert other["reference"] in one["message"]
        if text.isascii():
            begin, end = one["range"]["start"], one["range"]["end"]
            lines = text.split("\n")
            assert begin["line"] == other["line"] - 1
            assert begin["character"] == min(other["column"] - 1, len(lines[begin["line"]]))
            assert end["character"] >= begin["character"]


@pytest.mark.slow
def test_units_of_the_client(tmp_path: Path) -> None:
    text = SPECS["characters of several units"]
    for encodings, column in ((("utf-8",), 33), (("utf-16",), 31), (("utf-32",), 30), ((), 31)):
        editor = Editor(tmp_path, encodings=encodings)
        assert editor.capabilities["positionEncoding"] == (encodings[0] if encodings else "utf-16")
        found = editor.diagnostics(editor.open("log.ksy", text))
        assert found[0]["range"]["start"] == {"line": 1, "character": column}
        assert editor.close() == 0


LOG = "meta: {id: log, imports: [part]}\nseq: [{id: a, type: part}]\n"
PART = "meta: {id: part}\nseq: [{id: b, type: %s}]\n"


def test_unsaved_imports(editor: Editor) -> None:
    (editor.folder / "part.ksy").write_text(PART % "x")
    log = editor.open("log.ksy", LOG)
    assert editor.diagnostics(log) == []
    # Of a file that is not open.
    part = editor.uri("part.ksy")
    assert len(editor.diagnostics(part)) == 1
    # Its own check finds the same, and says it once.
    assert editor.open("part.ksy", PART % "x") == part
    assert len(editor.diagnostics(part, 1)) == 1
    editor.change(part, PART % "u1")
    while editor.diagnostics(part):
        # Of one of the two checks: the other one follows.
        pass
    version = editor.change(part, "meta: {id: part}\nseq: [{id: b, type: u1}, {id: b, type: u1}]\n")
    assert "duplicate" in editor.diagnostics(part, version)[0]["message"]
    # On disk is what it was.
    editor.tell("textDocument/didClose", {"textDocument": {"uri": part}})
    while not (found := editor.diagnostics(part)) or "'x'" not in found[0]["message"]:
        pass
    editor.tell("textDocument/didClose", {"textDocument": {"uri": log}})
    while editor.diagnostics(part):
        pass


def test_saving(editor: Editor) -> None:
    uri = editor.open("saved.ksy", "meta: {id: saved, imports: [later]}\n")
    assert "cannot find the import" in editor.diagnostics(uri)[0]["message"]
    (editor.folder / "later.ksy").write_text("meta: {id: later}\n")
    editor.tell("textDocument/didSave", {"textDocument": {"uri": uri}})
    assert editor.diagnostics(uri) == []


def test_imports_on_disk(tmp_path: Path) -> None:
    """The editor is asked to watch specs in its folders and in those of absolute imports."""
    library, specs = tmp_path / "library", tmp_path / "specs"
    library.mkdir()
    specs.mkdir()
    editor = Editor(specs, "-I", str(library))
    log = editor.open("log.ksy", LOG.replace("[part]", "[/part]"))
    assert "cannot find the import" in editor.diagnostics(log)[0]["message"]
    assert [each["method"] for each in editor.requests] == ["client/registerCapability"]
    [registration] = editor.requests[0]["params"]["registrations"]
    assert registration["method"] == "workspace/didChangeWatchedFiles"
    patterns = [each["globPattern"] for each in registration["registerOptions"]["watchers"]]
    assert patterns == ["**/*.ksy", {"baseUri": library.as_uri(), "pattern": "**/*.ksy"}]

    part = (library / "part.ksy").as_uri()
    for text, kind, file, said in (
        (PART % "x", 1, part, 1),
        (PART % "u1", 2, part, 0),
        (None, 3, log, 1),
        (PART % "u1", 1, log, 0),
    ):
        if text is None:
            (library / "part.ksy").unlink()
        else:
            (library / "part.ksy").write_text(text)
        editor.tell("workspace/didChangeWatchedFiles", {"changes": [{"uri": part, "type": kind}]})
        while len(editor.diagnostics(file)) != said:
            pass
    position = {"line": 1, "character": LOG.splitlines()[1].index("part")}
    assert editor.about(log, "definition", position=position)["uri"] == part
    assert editor.close() == 0


def test_other_files(editor: Editor) -> None:
    """Editors that take specs for YAML send all YAML files."""
    uri = editor.open("compose.yaml", "services: {}\n")
    assert editor.about(uri, "hover", position={"line": 0, "character": 1}) is None
    assert editor.about(uri, "documentSymbol") is None
    spec = editor.open("after.ksy", "meta: {id: after}\n")
    assert editor.diagnostics(spec) == []
    assert all(note["params"].get("uri") != uri for note in editor.notes)


class Server:
    """What the checks need of a server."""

    def __init__(self) -> None:
        self.document = SimpleNamespace(uri="untitled:a", path="Untitled", source="one", version=1, language_id="ksy")
        self.workspace = SimpleNamespace(position_encoding="utf-16", text_documents={"a": self.document})
        self.published: list[tuple[int, str]] = []

    async def has_published(self) -> None:
        while not self.published:
            await asyncio.sleep(0.001)

    def text_document_publish_diagnostics(self, params: Any) -> None:
        self.published.append((params.version, params.diagnostics[0].message))


def test_stale_results_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The event loop goes on while a check runs; its result is dropped if the text has changed."""
    begun, goes_on = threading.Event(), threading.Event()
    checked: list[str] = []

    def check(path: Path, *_: Any, text: str, unsaved: Any) -> checking.Checked:
        checked.append(text)
        begun.set()
        assert goes_on.wait(600)
        return checking.Checked([], writing=[Diagnostic(str(path), 1, 1, "note", text)])

    async def edit(server: Server) -> None:
        each = checks.Checks(server, (), ())  # type: ignore[arg-type]
        each.begin("untitled:a")
        while not begun.is_set():
            await asyncio.sleep(0.001)
        for version, text in enumerate(("two", "three", "four"), 2):
            server.document.version, server.document.source = version, text
            each.begin("untitled:a", 0 if text == "four" else 1000)
        await asyncio.sleep(0.01)
        assert server.published == []
        goes_on.set()
        await asyncio.wait_for(server.has_published(), SECONDS)
        each.close()

    monkeypatch.setattr(checks, "check", check)
    server = Server()
    asyncio.run(edit(server))
    assert server.published == [(4, "four")]
    assert checked == ["one", "four"]


def test_a_check_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(*_: Any, **__: Any) -> checking.Checked:
        raise MemoryError("all of it")

    async def edit(server: Server) -> None:
        each = checks.Checks(server, (), ())  # type: ignore[arg-type]
        each.begin("untitled:a")
        await asyncio.wait_for(server.has_published(), SECONDS)
        each.close()

    monkeypatch.setattr(checks, "check", check)
    server = Server()
    asyncio.run(edit(server))
    assert server.published == [(1, "the check failed: MemoryError: all of it")]
