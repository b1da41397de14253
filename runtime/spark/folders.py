"""Folders of the local file system and of object stores, as the writer and the ingest pipeline need them."""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

import pyarrow.fs

from ..base.addresses import is_remote, local_path, same_for_all
from ..base.errors import WireloomError
from ..input.inputs import Location
from ..input.listing import hidden

DELETING_SECONDS = 10.0
"""How long the deletion of a folder is tried again where others still write in it."""


@dataclass(frozen=True)
class Folder:
    """A folder: ``address`` as the user wrote it, ``path`` as its file system wants it."""

    address: str
    path: str
    store: Any
    location: Location | None = None
    """How to reach object stores."""
    flat: bool = False
    """Its store has no folders that would have to be made."""
    spec: Any = None
    """The file system of fsspec, where it is one."""

    def child(self, name: str) -> str:
        """Return the address of ``name`` in the folder."""
        return f"{self.address.rstrip('/')}/{name}"

    def _inside(self, name: str) -> str:
        return f"{self.path}/{name}"

    @property
    def remote(self) -> bool:
        """Return whether it is in an object store."""
        return is_remote(self.address)

    @property
    def place(self) -> str:
        """Return the part that all names of the folder have in common."""
        return same_for_all(self.address) if self.remote else self.path

    def make(self) -> None:
        """Make the folder, and those above it; an object store needs none."""
        if not self.flat:
            self._do(lambda: self.store.create_dir(self.path, recursive=True))

    def kind(self) -> str:
        """``folder``, ``file`` or ``nothing``."""
        types = pyarrow.fs.FileType
        found = self._do(lambda: self.store.get_file_info(self.path).type)
        return {types.Directory: "folder", types.File: "file"}.get(found, "nothing")

    def names(self) -> list[str]:
        """Return the names of what is in it, sorted; none if there is no such folder."""
        # Of Google's store, Arrow lists no folders that only the names of their files make.
        recursive = self.store.type_name == "gcs"
        selector = pyarrow.fs.FileSelector(self.path, recursive=recursive, allow_not_found=True)
        found = self._do(lambda: self.store.get_file_info(selector))
        return sorted({str(each.path)[len(self.path) :].strip("/").partition("/")[0] for each in found} - {""})

    def read(self, name: str) -> bytes:
        """Return the content of a file in it."""

        def content() -> bytes:
            with self.store.open_input_stream(self._inside(name)) as file:
                found: bytes = file.read()
            return found

        return bytes(self._do(content))

    def is_empty(self) -> bool:
        """Return whether nothing that readers look at is in it."""
        return all(hidden(name) for name in self.names())

    def move(self, name: str, folder: Folder, new_name: str | None = None) -> None:
        """Move a file into another folder of the same file system; an object of a store is copied, then deleted."""
        from ..input.stores import move

        self._do(lambda: move(self.store, self._inside(name), folder._inside(new_name or name)))

    def inside(self, *names: str) -> Folder:
        """Return a folder in it."""
        joined = "/".join(names)
        return Folder(self.child(joined), self._inside(joined), self.store, self.location, self.flat, self.spec)

    def holds(self, name: str) -> bool:
        """Return whether there is a file of that name in it."""
        return bool(self._do(lambda: self.store.get_file_info(self._inside(name)).type) == pyarrow.fs.FileType.File)

    def files(self) -> dict[str, int]:
        """Return every file in it and in the folders below, with its size in bytes, by its name from here on, sorted;
        hidden files and folders are left out."""
        selector = pyarrow.fs.FileSelector(self.path, recursive=True, allow_not_found=True)
        found = {}
        for each in self._do(lambda: self.store.get_file_info(selector)):
            name = str(each.path)[len(self.path) :].strip("/")
            if each.type == pyarrow.fs.FileType.File and not any(map(hidden, name.split("/"))):
                found[name] = int(each.size)
        return dict(sorted(found.items()))

    def modified(self) -> datetime | None:
        """When a file in it, or below, was last written; ``None`` if there is none."""
        selector = pyarrow.fs.FileSelector(self.path, recursive=True, allow_not_found=True)
        found = [each.mtime for each in self._do(lambda: self.store.get_file_info(selector)) if each.mtime is not None]
        return max(found, default=None)

    def write(self, name: str, content: bytes) -> None:
        """Write a file in it, which appears under its name only when it is complete."""
        with self.created(name) as file:
            file.write(content)

    def created(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """Return a new file in it, which appears under its name when the block ends, unless that raises."""
        from ..writing import opened

        # By its path where it is local: an address may spell it otherwise.
        return opened(self.child(name) if self.remote else self._inside(name), self.location)

    def delete(self, name: str) -> None:
        """Delete a file or folder in it, if it is there."""
        types = pyarrow.fs.FileType
        kind = self._do(lambda: self.store.get_file_info(self._inside(name)).type)
        if kind == types.Directory:
            self._do(lambda: self._delete_folder(self._inside(name)))
        elif kind == types.File:
            self._do(lambda: self.store.delete_file(self._inside(name)))

    def remove(self) -> None:
        """Delete the folder itself with all that is in it, if it is there."""
        if self.kind() == "folder":
            self._do(lambda: self._delete_folder(self.path))

    def drop(self) -> None:
        """Remove the folder itself where nothing is in it, not even what another process has just put there."""
        if not self.remote:
            with suppress(OSError):
                os.rmdir(self.path)

    def _delete_folder(self, path: str) -> None:
        # A task that has just been cancelled may still make a file in it, or take its own away, while it is deleted.
        deadline = time.monotonic() + DELETING_SECONDS
        while True:
            try:
                self.store.delete_dir(path)
            except OSError:
                if self.store.get_file_info(path).type == pyarrow.fs.FileType.NotFound:
                    return
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.02)
            else:
                return

    def _do(self, action: Any) -> Any:
        if self.spec is not None:
            # Other processes write here as well.
            self.spec.invalidate_cache()
        try:
            return action()
        except OSError as error:
            raise WireloomError(f"the folder cannot be used: {error.strerror or error}", path=self.address) from None


def folder(address: str, location: Location | None = None) -> Folder:
    """Return the folder of a local path or an address. Raises ``WireloomError`` for an address of no known store."""
    if is_remote(address):
        from ..input.stores import store_of

        store = store_of(address, location or Location())
        return Folder(address, store.path, store.files, location or Location(), store.flat, store.spec)
    # Kept for places that are named beside it.
    return Folder(address, os.path.abspath(local_path(address)), pyarrow.fs.LocalFileSystem(), location)
