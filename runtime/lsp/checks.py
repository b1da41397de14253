"""Checks of open specs, in a thread, so that requests are answered meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lsprotocol.types import Diagnostic, DiagnosticSeverity, PublishDiagnosticsParams
from pygls.lsp.server import LanguageServer

from ..base.errors import WireloomError
from ..codegen.checking import check, entry
from ..codegen.model.imports import display_name
from .document import Document, Documents

SEVERITIES = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "note": DiagnosticSeverity.Information,
}


class Checks:
    """Checks specs one after another, and publishes what is found. A result is dropped if the text, or that of an
    import, has changed meanwhile."""

    def __init__(self, server: LanguageServer, import_paths: Iterable[Path], allow_modules: Iterable[str]) -> None:
        self._server = server
        self._import_paths = tuple(import_paths)
        self._allow_modules = tuple(allow_modules)
        self._thread = ThreadPoolExecutor(1, "check")
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._found: dict[str, dict[str, list[Diagnostic]]] = {}
        """By the address of the spec that was checked, and that of the file of the diagnostics."""

    def begin(self, uri: str, delay: float = 0.0) -> None:
        """Check a spec in ``delay`` seconds, and those that may import it."""
        for each in Documents(self._server).all:
            if each.uri == uri or "imports" in each.text:
                self._cancel(each.uri)
                self._tasks[each.uri] = asyncio.ensure_future(self._check(each.uri, delay))

    def end(self, uri: str) -> None:
        """Forget a spec that was closed, and check those that may import what is saved of it."""
        self._cancel(uri)
        self._publish(uri, None, {})
        self.begin(uri)

    def close(self) -> None:
        """Drop what has not been checked yet."""
        for each in tuple(self._tasks):
            self._cancel(each)
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _cancel(self, uri: str) -> None:
        task = self._tasks.pop(uri, None)
        if task is not None:
            task.cancel()

    async def _check(self, uri: str, delay: float) -> None:
        await asyncio.sleep(delay)
        documents = Documents(self._server)
        document = documents.at(uri)
        if document is not None:
            loop = asyncio.get_running_loop()
            try:
                found = await loop.run_in_executor(self._thread, self._diagnostics, document, documents)
            except Exception as error:
                # The server goes on, whatever is in the text, and says so instead of nothing.
                said = entry(display_name(document.path), 1, 1, "error", f"the check failed: {_shown(error)}")
                found = {uri: [_diagnostic(document, said)]}
            self._publish(uri, document.version, found)

    def _publish(self, uri: str, version: int | None, found: dict[str, list[Diagnostic]]) -> None:
        before = self._found.pop(uri, {})
        if found:
            self._found[uri] = found
        for file in {**before, **found}:
            # Several specs may import the file.
            said: list[Diagnostic] = []
            for each in self._found.values():
                said += (one for one in each.get(file, ()) if one not in said)
            of_text = version if file == uri else None
            self._server.text_document_publish_diagnostics(PublishDiagnosticsParams(file, said, of_text))

    def _diagnostics(self, document: Document, documents: Documents) -> dict[str, list[Diagnostic]]:
        """Return what ``wireloom check`` says about a text, by the addresses of the files."""
        files = {display_name(document.path): document}
        found: dict[str, list[Diagnostic]] = {document.uri: []}
        for each in self._said(document, documents):
            file = files.get(each["file"])
            if file is None:
                file = files[each["file"]] = documents.of_file(each["file"])
            found.setdefault(file.uri, []).append(_diagnostic(file, each))
        return found

    def _said(self, document: Document, documents: Documents) -> list[dict[str, Any]]:
        path = document.path
        try:
            found = check(
                path, self._import_paths, self._allow_modules, text=document.text, unsaved=documents.unsaved()
            )
        except WireloomError as error:
            return [entry(display_name(path), 1, 1, "error", error.message)]
        slow = found.coverage is not None and found.coverage["engine"] == "objects"
        return [
            *(each.to_dict() for each in found.diagnostics),
            *([found.coverage] if found.coverage is not None and slow else []),
            *found.notes,
        ]


def _shown(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _diagnostic(file: Document, said: dict[str, Any]) -> Diagnostic:
    see = f"see: {said['reference']}" if said["reference"] else ""
    return Diagnostic(
        file.places.range(said["line"], said["column"], said["end_column"]),
        "\n".join(each for each in (said["message"], said["help"], see) if each),
        SEVERITIES[said["severity"]],
        code=said["reference"].rpartition(" ")[2] or None,
        source="wireloom",
        data={name: said[name] for name in ("path", "help", "reference")},
    )
