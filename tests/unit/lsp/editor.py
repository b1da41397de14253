"""An editor for tests: starts the server, and exchanges messages with it over standard input and output."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from tests.waiting import SECONDS

Message = dict[str, Any]
UTF_16 = ("utf-16",)
OWN = (sys.executable, "-c", "from wireloom.command.entry import main; main()", "lsp")


class Editor:
    """A server, and what it has said that was not asked for yet."""

    def __init__(
        self, folder: Path, *options: str, encodings: tuple[str, ...] = UTF_16, command: tuple[str, ...] = OWN
    ) -> None:
        self.process = subprocess.Popen(
            [*command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder
        )
        self.folder = folder
        self.answers: dict[int, Message] = {}
        self.notes: list[Message] = []
        self.requests: list[Message] = []
        """Those of the server, all of which are granted."""
        self._number = 0
        self._versions: dict[str, int] = {}
        self._received: queue.Queue[Message | None] = queue.Queue()
        threading.Thread(target=self._receive, daemon=True).start()
        # Editors from before version 3.17 of the protocol know no encodings.
        general = {"positionEncodings": list(encodings)} if encodings else {}
        watching = {"didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True}}
        capabilities = {"general": general, "textDocument": {}, "workspace": watching}
        begin = {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities}
        self.capabilities = self.ask("initialize", begin)["result"]["capabilities"]
        self.tell("initialized", {})

    # Messages --------------------------------------------------------------------------------------------------------

    def send(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def tell(self, method: str, params: Any) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def begin(self, method: str, params: Any) -> int:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.send(json.dumps(message).encode())
        return self._number

    def ask(self, method: str, params: Any) -> Message:
        return self.answer(self.begin(method, params))

    def answer(self, number: int) -> Message:
        while number not in self.answers:
            self._next()
        return self.answers.pop(number)

    def _next(self) -> None:
        message = self._received.get(timeout=SECONDS)
        assert message is not None, "the server has ended"
        if "id" in message and "method" in message:
            self.requests.append(message)
            self.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": None}).encode())
        elif "id" in message:
            self.answers[message["id"]] = message
        else:
            self.notes.append(message)

    def _receive(self) -> None:
        out = self.process.stdout
        assert out is not None
        while header := out.readline():
            if header.lower().startswith(b"content-length:"):
                size = int(header.partition(b":")[2])
                while out.readline().strip():
                    pass
                self._received.put(json.loads(out.read(size)))
        self._received.put(None)

    # Specs -----------------------------------------------------------------------------------------------------------

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> str:
        uri = self.uri(name)
        self._versions[uri] = 1
        item = {"uri": uri, "languageId": "kaitai", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return uri

    def change(self, uri: str, text: str) -> int:
        self._versions[uri] += 1
        document = {"uri": uri, "version": self._versions[uri]}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        return self._versions[uri]

    def about(self, uri: str, method: str, **more: Any) -> Any:
        """Return the result of a request about a document."""
        answer = self.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, **more})
        assert "error" not in answer, answer
        return answer["result"]

    def diagnostics(self, uri: str, version: int | None = None) -> list[Message]:
        """Return the next diagnostics of a file, or those of a version of its text."""
        while True:
            for index, note in enumerate(self.notes):
                params = note["params"]
                if note["method"] != "textDocument/publishDiagnostics" or params["uri"] != uri:
                    continue
                if version is None or params.get("version") == version:
                    del self.notes[index]
                    found: list[Message] = params["diagnostics"]
                    return found
            self._next()

    def close(self) -> int:
        """End the server as editors do, and return its exit code."""
        assert self.ask("shutdown", None)["result"] is None
        self.tell("exit", None)
        return self.process.wait(SECONDS)


def place(text: str, marked: str) -> dict[str, int]:
    """Return the position of ``|`` in a part of an ASCII text."""
    before, _, after = marked.partition("|")
    assert text.count(before + after) == 1, marked
    above = text[: text.index(before + after) + len(before)].split("\n")
    return {"line": len(above) - 1, "character": len(above[-1])}
