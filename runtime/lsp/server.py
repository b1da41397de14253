"""The server: registers what it answers, and reads from an editor until it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ..codegen.checking import SUFFIX
from ..codegen.spec.reader import MAX_CHARACTERS
from .answers import completed, defined, hovered, symbols
from .checks import Checks
from .document import Documents

Answer = TypeVar("Answer")

SPECS = f"**/*{SUFFIX}"
PAUSE = 0.2
"""Seconds without a change after which a text is checked."""


def serve(source: BinaryIO, target: BinaryIO, import_paths: Iterable[Path], allow_modules: Iterable[str]) -> None:
    """Answer an editor until it ends.

    Args:
        source: The messages of the editor.
        target: Where messages to the editor are written.
        import_paths: The folders of absolute imports.
        allow_modules: Modules whose routines specs may name, besides registered ones.
    """
    folders = tuple(import_paths)
    server = LanguageServer("wireloom", version("wireloom"), types.TextDocumentSyncKind.Full)
    checks = Checks(server, folders, allow_modules)
    _follow(server, checks)
    _watch(server, folders, checks)
    with ThreadPoolExecutor(2, "answer") as threads:
        _answer(server, folders, threads)
        try:
            server.start_io(source, target)
        finally:
            checks.close()
            threads.shutdown(wait=False, cancel_futures=True)


def _follow(server: LanguageServer, checks: Checks) -> None:
    """Check texts when they change."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        checks.begin(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        checks.begin(params.text_document.uri, PAUSE)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        checks.begin(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        checks.end(params.text_document.uri)


def _watch(server: LanguageServer, folders: tuple[Path, ...], checks: Checks) -> None:
    """Check texts when a file that they may import changes on disk, if the editor tells of it."""

    @server.feature(types.INITIALIZED)
    async def initialized(_params: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace is not None else None
        if watching is None or not watching.dynamic_registration:
            return
        patterns: list[types.GlobPattern] = [SPECS]
        if watching.relative_pattern_support:
            patterns += (types.RelativePattern(each.absolute().as_uri(), SPECS) for each in folders)
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(each) for each in patterns])
        watched = types.Registration("specs", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        await server.client_register_capability_async(types.RegistrationParams([watched]))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(params: types.DidChangeWatchedFilesParams) -> None:
        for each in params.changes:
            checks.begin(each.uri, PAUSE)


def _answer(server: LanguageServer, folders: tuple[Path, ...], threads: ThreadPoolExecutor) -> None:
    """Answer requests in threads, each about the text as it is when the request is taken up."""

    async def answer(uri: str, method: Callable[..., Answer], *arguments: Any) -> Answer | None:
        document = Documents(server).at(uri)
        if document is None or len(document.text) > MAX_CHARACTERS:
            return None
        # A request that is cancelled before its turn is not worked on.
        return await asyncio.get_running_loop().run_in_executor(threads, method, document, *arguments)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[" "]))
    async def completion(params: types.CompletionParams) -> types.CompletionList | None:
        return await answer(params.text_document.uri, completed, params.position)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await answer(params.text_document.uri, hovered, params.position)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def go_to(params: types.DefinitionParams) -> types.Location | None:
        return await answer(params.text_document.uri, defined, params.position, Documents(server), folders)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbol(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
        return await answer(params.text_document.uri, symbols)
