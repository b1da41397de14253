"""Folders of the local file system and of object stores, as the writer and the ingest pipeline need them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow.fs

from ..errors import WireloomError
from ..storage import REMOTE_SCHEMES, Location, hidden


@dataclass(frozen=True)
class Folder:
    """A folder: ``address`` as the user wrote it, ``path`` as its file system wants it."""

    address: str
    path: str
    store: Any

    def child(self, name: str) -> str:
        """The address of ``name`` in the folder."""
        return f"{self.address.rstrip('/')}/{name}"

    def _inside(self, name: str) -> str:
        return f"{self.path}/{name}"

    @property
    def remote(self) -> bool:
        """Whether it is in an object store."""
        return "://" in self.address and not self.address.startswith("file:")

    def make(self) -> None:
        """Makes the folder, and those above it."""
        self._do(lambda: self.store.create_dir(self.path, recursive=True))

    def kind(self) -> str:
        """``folder``, ``file`` or ``nothing``."""
        types = pyarrow.fs.FileType
        found = self._do(lambda: self.store.get_file_info(self.path).type)
        return {types.Directory: "folder", types.File: "file"}.get(found, "nothing")

    def names(self) -> list[str]:
        """The names of what is in it, sorted; none where there is no such folder."""
        selector = pyarrow.fs.FileSelector(self.path, allow_not_found=True)
        return sorted(each.base_name for each in self._do(lambda: self.store.get_file_info(selector)))

    def read(self, name: str) -> bytes:
        """The content of a file in it."""

        def content() -> bytes:
            with self.store.open_input_stream(self._inside(name)) as file:
                found: bytes = file.read()
            return found

        return bytes(self._do(content))

    def is_empty(self) -> bool:
        """Whether nothing that readers look at is in it."""
        return all(hidden(name) for name in self.names())

    def move(self, name: str, folder: Folder) -> None:
        """Moves a file into another folder of the same file system."""
        self._do(lambda: self.store.move(self._inside(name), folder._inside(name)))

    def delete(self, name: str) -> None:
        """Deletes a file or folder in it, if it is there."""
        types = pyarrow.fs.FileType
        kind = self._do(lambda: self.store.get_file_info(self._inside(name)).type)
        if kind == types.Directory:
            self._do(lambda: self.store.delete_dir(self._inside(name)))
        elif kind == types.File:
            self._do(lambda: self.store.delete_file(self._inside(name)))

    def remove(self) -> None:
        """Deletes the folder itself with all that is in it, if it is there."""
        if self.kind() == "folder":
            self._do(lambda: self.store.delete_dir(self.path))

    def _do(self, action: Any) -> Any:
        try:
            return action()
        except OSError as error:
            raise WireloomError(f"the folder cannot be used: {error.strerror or error}", path=self.address) from error


def folder(address: str, location: Location | None = None) -> Folder:
    """The folder of a local path, ``file://`` or ``s3://`` address. Raises ``WireloomError`` for other schemes."""
    scheme = urlsplit(address).scheme if "://" in address else ""
    if scheme in REMOTE_SCHEMES:
        from ..remote import filesystem, split

        bucket, key = split(address)
        return Folder(address, key, filesystem(location or Location(), bucket))
    if scheme not in ("", "file"):
        raise WireloomError(f"cannot write to {scheme}://: give a local path, file:// or s3://", path=address)
    path = unquote(urlsplit(address).path) if scheme or address.startswith("file:/") else address
    return Folder(address, os.path.abspath(path), pyarrow.fs.LocalFileSystem())
