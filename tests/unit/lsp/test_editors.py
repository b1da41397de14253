"""Real editors, where they are installed: Neovim with the server, and the YAML language server with the JSON Schema."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from wireloom.codegen.spec.schema import schema

from ...waiting import SECONDS
from .editor import Editor, place

ROOT = Path(__file__).parents[3]
NEOVIM, YAML_SERVER = shutil.which("nvim"), shutil.which("yaml-language-server")


@pytest.mark.skipif(NEOVIM is None, reason="Neovim is not installed (Debian: neovim)")
def test_neovim(tmp_path: Path) -> None:
    (tmp_path / "part.ksy").write_text("meta: {id: part}\nseq: [{id: c, type: u1}]\n")
    (tmp_path / "log.ksy").write_text(
        "meta: {id: log, endian: le, imports: [part]}\n"
        "seq:\n  - {id: head, type: part, repeat: expr, repeat-expr: 2}\n  - {id: b, typ: u4}\n"
    )
    script = Path(__file__).with_name("neovim.lua")
    found = subprocess.run(
        [str(NEOVIM), "--clean", "--headless", "-c", f"luafile {script}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHON": sys.executable},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (found.returncode, found.stdout.splitlines()) == (
        0,
        [
            "diagnostic 4 unknown key 'typ' in an attribute; did you mean 'type'?",
            "hover attribute.repeat",
            "completion eos",
            "definition 1 11",
        ],
    ), found.stderr


WRONG = """\
meta: {id: wrong, endian: le}
seq:
  - id: a
    typ: u1
types:
  part:
    instances:
      one: {value: 1}
    seq:
      - id: b
        repeat: often
"""


def settings() -> list[dict[str, Any]]:
    """Return the settings of Visual Studio Code on the page about editors."""
    page = (ROOT / "docs" / "commands.md").read_text().partition("### Editors")[2].partition("\n## ")[0]
    return [json.loads(each) for each in re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)]


def test_settings() -> None:
    server, of_yaml = settings()
    command = [server["glspc.server.command"], *server["glspc.server.commandArguments"]]
    assert command == ["wireloom", "lsp"]
    assert list(of_yaml["yaml.schemas"].values()) == ["*.ksy"]
    assert all(each["files.associations"] == {"*.ksy": "yaml"} for each in (server, of_yaml))


@pytest.mark.skipif(YAML_SERVER is None, reason="yaml-language-server is not installed (npm: yaml-language-server)")
def test_the_yaml_language_server(tmp_path: Path) -> None:
    (tmp_path / "wireloom.schema.json").write_text(json.dumps(schema()))
    editor = Editor(tmp_path, command=(str(YAML_SERVER), "--stdio"))
    first = "# yaml-language-server: $schema=wireloom.schema.json\n"
    for path in sorted((ROOT / "specs").glob("*.ksy")):
        assert editor.diagnostics(editor.open(path.name, first + path.read_text())) == [], path.name

    text = first + WRONG
    uri = editor.open("wrong.ksy", text)
    said = [each["message"].splitlines()[0] for each in editor.diagnostics(uri)]
    assert said == ["Property typ is not allowed.", 'Value is not accepted. Valid values: "eos", "expr", "until".']
    hover = editor.about(uri, "hover", position=place(text, "re|peat: often"))
    assert "wireloom reference attribute.repeat" in str(hover)
    completed = editor.about(uri, "completion", position=place(text, "repeat: |often"))
    assert {"eos", "expr", "until"} <= {each["label"] for each in completed["items"]}
    assert editor.close() == 0
