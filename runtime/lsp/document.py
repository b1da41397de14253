"""Specs that are open in an editor: their texts, which need not be saved, and their places."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from lsprotocol.types import PositionEncodingKind
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path
from pygls.workspace import TextDocument

from ..codegen.checking import SUFFIX
from ..codegen.model.imports import display_name
from .places import Places


class Document:
    """The text of a spec at one moment."""

    def __init__(self, uri: str, path: Path, text: str, version: int | None, encoding: str) -> None:
        self.uri = uri
        self.path = path
        self.text = text
        self.version = version
        self.encoding = encoding

    @cached_property
    def places(self) -> Places:
        """Return the positions in the text."""
        return Places(self.text, self.encoding)


class Documents:
    """The open specs of an editor, as they are when the object is made. An editor may send all its YAML files: those of
    another suffix, and new ones that it does not call ``ksy``, are none."""

    def __init__(self, server: LanguageServer) -> None:
        # An enum where the editor names none, as older ones do, else a string.
        self.encoding = PositionEncodingKind(server.workspace.position_encoding or "utf-16").value
        texts = server.workspace.text_documents.values()
        self.all = [self._document(each) for each in texts if each.path.endswith(SUFFIX) or each.language_id == "ksy"]

    def _document(self, each: TextDocument) -> Document:
        return Document(each.uri, Path(each.path or f"untitled{SUFFIX}"), each.source, each.version, self.encoding)

    def at(self, uri: str) -> Document | None:
        """Return the document of an address; ``None`` if it is not open."""
        return next((each for each in self.all if unquote(each.uri) == unquote(uri)), None)

    def unsaved(self) -> dict[Path, str]:
        """Return the texts by the absolute paths of their files."""
        return {Path(os.path.abspath(each.path)): each.text for each in self.all}

    def of_file(self, name: str) -> Document:
        """Return the document of a file that a diagnostic names, open or not."""
        for each in self.all:
            if display_name(each.path) == name:
                return each
        path = Path.cwd() / name
        try:
            text = path.read_text("utf-8-sig", "replace")
        except OSError:
            text = ""
        return Document(from_fs_path(str(path)) or "", path, text, None, self.encoding)
