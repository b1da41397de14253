"""Locks a folder of any fsspec store that can refuse to create an existing file.

The locks are files with increasing numbers in ``_wireloom``, of which the highest is valid. A process takes the lock by
creating the next number, which only one process can do. The holder rewrites its file repeatedly. A file that has not
been written for some minutes belongs to a dead process, and so does one that states so itself. Numbers are never
reused, so a process that was suspended for long notices when a higher number than its own exists.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from ...base.addresses import scheme_of
from ...base.errors import TemporaryError, UnsupportedError, WireloomError
from ...base.extras import require
from ...input.inputs import Location
from ...input.stores import AZURE
from ..folders import Folder
from ..write.commit_log import LOG_FOLDER
from ..write.driver_process import driver_process, has_ended

LEASE = 300.0
"""Seconds without renewal after which a lock has expired."""
RENEWALS = 5
"""Number of renewals within that time."""


class LeasedLock(ABC):
    """The lock of one process on the folder at ``address``."""

    def __init__(self, address: str) -> None:
        self._address = address

    @contextmanager
    def held(self) -> Iterator[Callable[[], None]]:
        """Take the lock, renew it until the block ends, and release it. Yields ``check``, which has to be called before
        any operation that requires exclusive access.

        Raises ``TemporaryError`` if another process holds the lock.
        """
        self.take()
        stopped = threading.Event()
        thread = threading.Thread(target=self._renew, args=(stopped,), name="wireloom-lock", daemon=True)
        thread.start()
        try:
            yield self.check
        finally:
            stopped.set()
            thread.join()
            self.release()

    def _renew(self, stopped: threading.Event) -> None:
        while not stopped.wait(LEASE / RENEWALS):
            # The next attempt may succeed; otherwise the check before the commit fails.
            with suppress(WireloomError):
                self.check()

    @abstractmethod
    def take(self) -> None:
        """Take the lock. Raises ``TemporaryError`` if another process holds it."""

    @abstractmethod
    def check(self) -> None:
        """Renew the lock. Raises ``TemporaryError`` if another process has taken over."""

    @abstractmethod
    def release(self) -> None:
        """Release the lock, unless another process has taken over."""

    @staticmethod
    def has_expired(written: datetime, now: datetime) -> bool:
        """Return whether a lock has expired; both times are of the store's clock."""
        return (now - written).total_seconds() > LEASE

    def is_held(self, lock: str) -> TemporaryError:
        """Return the error for a lock, at address ``lock``, that another process holds."""
        return TemporaryError(
            f"another ingest writes to it: wait for it, or stop it; {lock} is its lock, which counts for nothing "
            f"{LEASE:.0f} seconds after that",
            path=self._address,
        )

    def was_faster(self) -> TemporaryError:
        """Return the error for a lock that another process has taken at the same time."""
        return TemporaryError("another ingest has just started to write to it", path=self._address)

    def is_lost(self) -> TemporaryError:
        """Return the error for a lock that another process has taken over."""
        return TemporaryError(
            "another ingest has taken over the table, since this one did not renew its lock in time: "
            "uncommitted data is dropped; run it again",
            path=self._address,
        )


NAME = re.compile(r"lock-(\d{9})")
RELEASED = "released"
ADVICE = "ingest to a local folder, and copy it with its _wireloom"


class NumberedLock(LeasedLock):
    """A lock in an fsspec store. Raises ``UnsupportedError`` if the store cannot have locks."""

    def __init__(self, directory: Folder) -> None:
        super().__init__(directory.address)
        self._files, path = _exclusive(directory)
        self._folder = f"{path.rstrip('/')}/{LOG_FOLDER}"
        self._number = 0
        self._writing = threading.Lock()

    def take(self) -> None:
        """Create the file with the next number."""
        with self._named():
            self._files.makedirs(self._folder, exist_ok=True)
            now = self._probe()
            known = self._numbers()
            last = known[-1] if known else 0
            if last and not self._is_free(last, now):
                raise self.is_held(self._name(last))
            if not self._create(self._name(last + 1)):
                raise self.was_faster()
            self._number = last + 1
            for each in known:
                with suppress(FileNotFoundError):
                    self._files.rm_file(self._name(each))

    def check(self) -> None:
        """Rewrite the file. Raises ``TemporaryError`` if another process has taken over."""
        with self._writing, self._named():
            if self._numbers()[-1:] != [self._number]:
                raise self.is_lost()
            self._files.pipe_file(self._name(self._number), _content(driver_process()))

    def release(self) -> None:
        """Mark the lock as released; the file is kept, so that the next number is a new one."""
        with suppress(WireloomError):
            self.check()
            with self._named():
                self._files.pipe_file(self._name(self._number), _content(RELEASED))

    def _probe(self) -> datetime:
        """Return the store's time. Raises ``UnsupportedError`` if the store creates a file twice."""
        name = f"{self._folder}/.probe-{secrets.token_hex(8)}.tmp"
        try:
            if not self._create(name) or self._create(name):
                raise UnsupportedError(
                    "the store does not support creating a file only if it does not exist, so two runs cannot "
                    f"be prevented from writing at once: {ADVICE}",
                    path=self._address,
                )
            return self._modified(name)
        finally:
            with suppress(FileNotFoundError):
                self._files.rm_file(name)

    def _create(self, name: str) -> bool:
        try:
            self._files.pipe_file(name, _content(driver_process()), mode="create")
        except FileExistsError:
            return False
        except (TypeError, ValueError, NotImplementedError) as error:
            raise UnsupportedError(
                f"the store cannot create a file only if it does not exist ({error}): {ADVICE}", path=self._address
            ) from None
        return True

    def _is_free(self, number: int, now: datetime) -> bool:
        try:
            owner = str(json.loads(self._files.cat_file(self._name(number)))["owner"])
        except FileNotFoundError:
            return False
        except (ValueError, KeyError, TypeError):
            owner = ""
        expired = self.has_expired(self._modified(self._name(number)), now)
        return owner == RELEASED or has_ended(owner) or expired

    def _modified(self, name: str) -> datetime:
        self._files.invalidate_cache()
        found: datetime = self._files.modified(name)
        return found if found.tzinfo else found.replace(tzinfo=UTC)

    def _numbers(self) -> list[int]:
        self._files.invalidate_cache()
        try:
            found = self._files.ls(self._folder, detail=False)
        except FileNotFoundError:
            # Stores without folders report an empty one as missing.
            return []
        names = (str(each).rpartition("/")[2] for each in found)
        return sorted(int(number[1]) for each in names if (number := NAME.fullmatch(each)))

    def _name(self, number: int) -> str:
        return f"{self._folder}/lock-{number:09d}"

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except WireloomError:
            raise
        except Exception as error:
            # Implementations may raise exceptions of any type.
            raise WireloomError(f"cannot be locked: {error!r}", path=self._address) from None


def _content(owner: str) -> bytes:
    return json.dumps({"owner": owner, "token": secrets.token_hex(8)}).encode()


def _exclusive(directory: Folder) -> tuple[Any, str]:
    """Return the fsspec file system of a folder, and its path there; those of pyarrow cannot create files
    exclusively."""
    if directory.spec is not None:
        return directory.spec, directory.path
    scheme, location = scheme_of(directory.address), directory.location or Location()
    require("fsspec", "fsspec", f"a table at {scheme}://, which is locked while it is written to,")
    import fsspec

    try:
        files, path = fsspec.core.url_to_fs(directory.address, **_options(directory.address, location))
    except (ImportError, ValueError, TypeError) as error:
        raise UnsupportedError(
            f"a table at {scheme}:// is locked through fsspec while it is written to, which cannot access it "
            f"({error}): install the package that it names, or {ADVICE}",
            path=directory.address,
        ) from None
    return files, str(path)


def _options(address: str, location: Location) -> dict[str, Any]:
    """Return pyarrow's options under the names that fsspec's packages for Google's and Azure's stores use."""
    if scheme_of(address) not in AZURE:
        endpoint = {} if location.endpoint is None else {"endpoint_url": location.endpoint}
        return {**endpoint, **({"token": "anon"} if location.anonymous else {})}
    known = {
        name: value
        for name in ("account_name", "account_key", "sas_token")
        if (value := os.environ.get(f"AZURE_STORAGE_{name.upper()}"))
    }
    _, at, host = address.partition("://")[2].partition("/")[0].rpartition("@")
    if at:
        known["account_name"] = host.partition(".")[0]
    if location.endpoint is None:
        return known
    server = location.endpoint if "://" in location.endpoint else f"https://{location.endpoint}"
    # In adlfs, only a connection string can specify another address than Azure's own.
    parts = {
        "BlobEndpoint": f"{server.rstrip('/')}/{known.get('account_name', '')}",
        "AccountName": known.get("account_name"),
        "AccountKey": known.get("account_key"),
        "SharedAccessSignature": known.get("sas_token"),
    }
    return {"connection_string": ";".join(f"{name}={value}" for name, value in parts.items() if value)}
