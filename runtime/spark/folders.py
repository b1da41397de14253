"""Folders of the local file system and of object stores, with the operations that writers and the pipeline need."""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from typing import IO, Any

import pyarrow.fs

from ..base.addresses import is_remote, local_path, same_for_all
from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from ..input.inputs import Location
from ..input.listing import hidden

DELETING_SECONDS = 10.0
"""Time in seconds for which the deletion of a folder is retried while other processes still write to it."""


@dataclass(frozen=True)
class Folder:
    """A folder. ``address`` is as the user wrote it, ``path`` is in the form that its file system expects."""

    address: str
    path: str
    store: Any
    location: Location | None = None
    """Options for access to an object store."""
    flat: bool = False
    """Whether the store has no real folders, so that none have to be created."""
    spec: Any = None
    """The fsspec file system of the folder; ``None`` if it has none."""

    def child(self, name: str) -> str:
        """Return the address of ``name`` in this folder."""
        return f"{self.address.rstrip('/')}/{name}"

    def _inside(self, name: str) -> str:
        return f"{self.path}/{name}"

    @property
    def remote(self) -> bool:
        """Return whether the folder is in an object store."""
        return is_remote(self.address)

    @property
    def place(self) -> str:
        """Return the common prefix of the paths of everything in the folder."""
        return same_for_all(self.address) if self.remote else self.path

    def make(self) -> None:
        """Create the folder and its parents; does nothing in an object store."""
        if not self.flat:
            self._do(lambda: self.store.create_dir(self.path, recursive=True))

    def kind(self) -> str:
        """Return the kind of the path: ``folder``, ``file`` or ``nothing``."""
        types = pyarrow.fs.FileType
        found = self._do(lambda: self.store.get_file_info(self.path).type)
        return {types.Directory: "folder", types.File: "file"}.get(found, "nothing")

    def names(self) -> list[str]:
        """Return the sorted names of the folder's entries; an empty list if the folder does not exist."""
        # For Google's store, Arrow does not list folders that exist only in the names of their files.
        recursive = self.store.type_name == "gcs"
        selector = pyarrow.fs.FileSelector(self.path, recursive=recursive, allow_not_found=True)
        found = self._do(lambda: self.store.get_file_info(selector))
        return sorted({str(each.path)[len(self.path) :].strip("/").partition("/")[0] for each in found} - {""})

    def read(self, name: str) -> bytes:
        """Return the content of a file of the folder."""

        def content() -> bytes:
            with self.store.open_input_stream(self._inside(name)) as file:
                found: bytes = file.read()
            return found

        return bytes(self._do(content))

    def is_empty(self) -> bool:
        """Return whether the folder contains nothing that readers would read."""
        return all(hidden(name) for name in self.names())

    def move(self, name: str, folder: Folder, new_name: str | None = None) -> None:
        """Move a file to another folder of the same file system. An object in a store is copied and then deleted."""
        from ..input.stores import move

        self._do(lambda: move(self.store, self._inside(name), folder._inside(new_name or name)))

    def inside(self, *names: str) -> Folder:
        """Return a subfolder."""
        joined = "/".join(names)
        return Folder(self.child(joined), self._inside(joined), self.store, self.location, self.flat, self.spec)

    def holds(self, name: str) -> bool:
        """Return whether the folder contains a file of that name."""
        return bool(self._do(lambda: self.store.get_file_info(self._inside(name)).type) == pyarrow.fs.FileType.File)

    def files(self) -> dict[str, int]:
        """Return the size in bytes of every file in the folder and its subfolders, by relative path, sorted. Hidden
        files and folders are left out.
        """
        selector = pyarrow.fs.FileSelector(self.path, recursive=True, allow_not_found=True)
        found = {}
        for each in self._do(lambda: self.store.get_file_info(selector)):
            name = str(each.path)[len(self.path) :].strip("/")
            if each.type == pyarrow.fs.FileType.File and not any(map(hidden, name.split("/"))):
                found[name] = int(each.size)
        return dict(sorted(found.items()))

    def modified(self) -> datetime | None:
        """Return the latest modification time of the files in the folder and its subfolders; ``None`` if there are no
        files.
        """
        selector = pyarrow.fs.FileSelector(self.path, recursive=True, allow_not_found=True)
        found = [each.mtime for each in self._do(lambda: self.store.get_file_info(selector)) if each.mtime is not None]
        return max(found, default=None)

    def write(self, name: str, content: bytes) -> None:
        """Write a file of the folder atomically: it appears under its name only when it is complete."""
        with self.created(name) as file:
            file.write(content)

    def created(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """Yield a new file of the folder, which appears under its name when the block ends without an error."""
        from ..writing import opened

        # A local file is deleted by its path, since an address may spell it differently.
        return opened(self.child(name) if self.remote else self._inside(name), self.location)

    def delete(self, name: str) -> None:
        """Delete a file or subfolder if it exists."""
        types = pyarrow.fs.FileType
        kind = self._do(lambda: self.store.get_file_info(self._inside(name)).type)
        if kind == types.Directory:
            self._do(lambda: self._delete_folder(self._inside(name)))
        elif kind == types.File:
            self._do(lambda: self.store.delete_file(self._inside(name)))

    def remove(self) -> None:
        """Delete the folder itself with all of its content, if it exists."""
        if self.kind() == "folder":
            self._do(lambda: self._delete_folder(self.path))

    def drop(self) -> None:
        """Remove the folder itself if it is empty; anything that another process has just put there is kept."""
        if not self.remote:
            with suppress(OSError):
                os.rmdir(self.path)

    def _delete_folder(self, path: str) -> None:
        # A task that has just been cancelled may still create or remove files here during the deletion.
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
    """Return the folder of a local path or an address. Raises ``WireloomError`` for an address of an unknown kind of
    store.
    """
    if is_remote(address):
        from ..input.stores import store_of

        store = store_of(address, location or Location())
        return Folder(address, store.path, store.files, location or Location(), store.flat, store.spec)
    # Kept for locations that are derived from this one.
    return Folder(address, os.path.abspath(local_path(address)), pyarrow.fs.LocalFileSystem(), location)
