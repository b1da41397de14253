"""Locks a folder of an object store, so that only one process at a time writes to it.

A store has no locks, but it can refuse to write an object that exists, or that has changed. The process that holds the
lock therefore has an object, ``_wireloom/lock``, which it rewrites every minute. If the object has not been written for
some minutes, its owner is dead, and the next process takes it over.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from typing import Any

from ...base.errors import UnsupportedError, WireloomError
from ...base.extras import require
from ...input.inputs import Location
from ..folders import Folder
from ..write.commit_log import LOG_FOLDER
from ..write.driver_process import driver_process, has_ended
from .numbered_lock import LeasedLock

REFUSED = frozenset({"PreconditionFailed", "ConditionalRequestConflict", "412", "409"})
"""Error codes of a store for a write whose condition is not met."""


class StoreLock(LeasedLock):
    """A lock in an object store. Raises ``UnsupportedError`` without boto3, or if the store has no
    conditional writes."""

    def __init__(self, directory: Folder) -> None:
        super().__init__(directory.address)
        require("boto3", "s3", "a table in an object store, which is locked while it is written to,")
        from botocore.exceptions import BotoCoreError, ClientError

        from ...input.s3 import client

        self._client = client(directory.location or Location())
        self._failures: tuple[type[Exception], ...] = (BotoCoreError, ClientError)
        self._object = directory.child(f"{LOG_FOLDER}/lock")
        self._bucket, _, self._key = self._object.partition("://")[2].partition("/")
        self._content = json.dumps({"owner": driver_process(), "token": secrets.token_hex(8)}).encode()
        self._tag = ""
        self._writing = threading.Lock()

    def take(self) -> None:
        """Create the object, or take over that of a dead process."""
        if not self._put(IfNoneMatch="*"):
            found, tag, is_old = self._found()
            if found is not None and not is_old and not has_ended(found):
                raise self.is_held(self._object)
            condition = {"IfNoneMatch": "*"} if found is None else {"IfMatch": tag}
            if not self._put(**condition):
                raise self.was_faster()
        if self._put(IfNoneMatch="*"):
            raise UnsupportedError(
                "the object store does not support conditional writes (If-None-Match), so two runs cannot be "
                f"prevented from writing to {self._address} at once: ingest to a local folder, and copy it with its "
                "_wireloom"
            )

    def check(self) -> None:
        """Rewrite the object. Raises ``TemporaryError`` if it belongs to another process."""
        if not self._put(IfMatch=self._tag):
            raise self.is_lost()

    def release(self) -> None:
        """Delete the object, unless it belongs to another process."""
        with suppress(WireloomError):
            self.check()
            with self._named():
                self._client.delete_object(Bucket=self._bucket, Key=self._key)

    def _put(self, **condition: str) -> bool:
        """Write the object; return whether the condition was met."""
        with self._writing, self._named():
            try:
                answer = self._client.put_object(Bucket=self._bucket, Key=self._key, Body=self._content, **condition)
            except self._failures as error:
                if _code(error) in REFUSED:
                    return False
                raise
            self._tag = str(answer["ETag"])
            return True

    def _found(self) -> tuple[str | None, str, bool]:
        """Return the lock's owner, its ETag, and whether it has expired; ``None`` if there is no lock."""
        with self._named():
            try:
                answer = self._client.get_object(Bucket=self._bucket, Key=self._key)
            except self._failures as error:
                if _code(error) in ("NoSuchKey", "404"):
                    return None, "", True
                raise
            try:
                whose = str(json.loads(answer["Body"].read())["owner"])
            except (ValueError, KeyError, TypeError):
                whose = ""
            # According to the store's own clock.
            now = parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])
            return whose, str(answer["ETag"]), self.has_expired(answer["LastModified"], now)

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except self._failures as error:
            raise WireloomError(f"cannot be locked: {error}", path=self._address) from None


def _code(error: Any) -> str:
    return str(getattr(error, "response", {}).get("Error", {}).get("Code", ""))
