"""Locks a folder of an object store, so that one process at a time writes to it.

A store has no locks, but it can refuse to write an object that is there, or that is not the one that it is taken for.
So the process that holds the lock has an object there, ``_wireloom/lock``, and writes it again every minute. Where that
was not done for some minutes its owner is dead, and the next process takes it over.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from typing import Any

from ...base.errors import TemporaryError, UnsupportedError, WireloomError
from ...base.extras import require
from ...input.inputs import Location
from ..folders import Folder
from ..write.commit_log import LOG_FOLDER
from ..write.driver_process import driver_process, has_ended

LEASE = 300.0
"""Seconds after which a lock that was not written again counts for nothing."""
RENEWALS = 5
"""How often it is written within that time."""
REFUSED = frozenset({"PreconditionFailed", "ConditionalRequestConflict", "412", "409"})
"""What a store says to a write whose condition does not hold."""


@contextmanager
def store_locked(place: Folder) -> Iterator[Callable[[], None]]:
    """Keep others out of a folder of a store. Yields a function that raises ``TemporaryError`` where that is not true
    any more; it is to be called before anything is done that others must not do at the same time.

    Raises ``TemporaryError`` where another process holds the lock, and ``UnsupportedError`` without boto3, or where the
    store does not know conditional writes.
    """
    lock = _Lock(place)
    lock.take()
    stopped = threading.Event()
    thread = threading.Thread(target=lock.keep, args=(stopped,), name="wireloom-lock", daemon=True)
    thread.start()
    try:
        yield lock.check
    finally:
        stopped.set()
        thread.join()
        lock.release()


class _Lock:
    """The object of one process."""

    def __init__(self, place: Folder) -> None:
        require("boto3", "s3", "a table in an object store, which is locked while it is written to,")
        from botocore.exceptions import BotoCoreError, ClientError

        from ...input.s3_client import client

        self._client = client(place.location or Location())
        self._failures: tuple[type[Exception], ...] = (BotoCoreError, ClientError)
        self._place = place
        self._address = place.child(f"{LOG_FOLDER}/lock")
        self._bucket, _, self._key = self._address.partition("://")[2].partition("/")
        self._content = json.dumps({"owner": driver_process(), "token": secrets.token_hex(8)}).encode()
        self._tag = ""
        self._writing = threading.Lock()

    def take(self) -> None:
        """Make the object, or takes over that of a dead process."""
        if not self._put(IfNoneMatch="*"):
            found, tag, is_old = self._found()
            if found is not None and not is_old and not has_ended(found):
                raise TemporaryError(
                    f"another ingest writes to it: wait for it, or stop it; {self._address} is its lock, which counts "
                    f"for nothing {LEASE:.0f} seconds after that",
                    path=self._place.address,
                )
            condition = {"IfNoneMatch": "*"} if found is None else {"IfMatch": tag}
            if not self._put(**condition):
                raise TemporaryError("another ingest has just begun to write to it", path=self._place.address)
        if self._put(IfNoneMatch="*"):
            raise UnsupportedError(
                "the object store does not know conditional writes (If-None-Match), so nothing can keep two runs from "
                f"writing to {self._place.address} at once: ingest to a local folder, and copy it with its _wireloom"
            )

    def keep(self, stopped: threading.Event) -> None:
        """Write it again and again."""
        while not stopped.wait(LEASE / RENEWALS):
            # What fails now may succeed next time; otherwise the check before the commit fails.
            with suppress(WireloomError):
                self.check()

    def check(self) -> None:
        """Write it once more. Raises ``TemporaryError`` where it is another one's."""
        if not self._put(IfMatch=self._tag):
            raise TemporaryError(
                "another ingest has taken over the table, since this one was not heard of for too long: what was not "
                "committed is dropped; run it again",
                path=self._place.address,
            )

    def release(self) -> None:
        """Delete it, unless it is another one's."""
        with suppress(WireloomError):
            self.check()
            with self._named():
                self._client.delete_object(Bucket=self._bucket, Key=self._key)

    def _put(self, **condition: str) -> bool:
        """Write the object; whether the condition held."""
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
            # By the store's own clock.
            now = parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])
            return whose, str(answer["ETag"]), (now - answer["LastModified"]).total_seconds() > LEASE

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except self._failures as error:
            raise WireloomError(f"cannot be locked: {error}", path=self._place.address) from None


def _code(error: Any) -> str:
    return str(getattr(error, "response", {}).get("Error", {}).get("Code", ""))
