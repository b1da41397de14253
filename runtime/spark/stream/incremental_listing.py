"""Incremental listings of object stores, for queries that list the same prefixes again and again.

A store lists keys in order, a thousand per request, and can begin after any key (S3's ``StartAfter``). New keys usually
appear next to other recent ones: at the end of a prefix, of the folder of a host, or of the current day. After a full
listing, therefore, only the gaps next to recent keys, and the end, are requested. Keys that appear elsewhere, and
objects that are replaced or deleted elsewhere, are found by the next full listing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import timedelta
from time import monotonic

from ...base.addresses import S3, scheme_of
from ...base.errors import NothingThereError, UnsupportedError, WireloomError
from ...base.extras import require
from ...input.expansion import expand
from ...input.inputs import Input, Location
from ...input.listing import alternatives
from ...input.remote_listing import Below
from ..read.file_listing import EPOCH, input_of, microseconds

PAGE = 1000
"""Number of keys per request, the maximum that a store returns."""


class IncrementalListing:
    """Lists the paths of a query, completely at least once per ``interval``.

    Raises ``UnsupportedError`` for addresses that are not of ``s3://``, and ``MissingExtraError`` without boto3.
    """

    def __init__(self, paths: Iterable[str], interval: timedelta) -> None:
        for path in paths:
            if scheme_of(path) not in S3:
                raise UnsupportedError("fullListingInterval is an option of s3://: leave it out", path=path)
        require("boto3", "s3", "fullListingInterval, which lists after a key,")
        self._interval = interval
        self._known: dict[str, list[Input]] = {}
        """The last listing of each pattern, sorted by key."""
        self._full_at: dict[str, float] = {}

    def expand(self, path: str, location: Location) -> list[Input]:
        """Return the objects of a path, like ``input.expand``. Raises ``NothingThereError`` and ``WireloomError``."""
        found = {each.address: each for pattern in alternatives(path) for each in self._listed(pattern, location)}
        if not found:
            raise NothingThereError("no such object: check bucket, key, region and credentials", path=path)
        return list(found.values())

    def _listed(self, pattern: str, location: Location) -> list[Input]:
        known, now = self._known.get(pattern), monotonic()
        if known and now - self._full_at[pattern] < self._interval.total_seconds():
            found = _continued(pattern, known, self._interval, location)
        else:
            try:
                found = sorted(expand(pattern, location), key=lambda each: each.address)
            except NothingThereError:
                found = []
            self._full_at[pattern] = now
        self._known[pattern] = found
        return found


def _continued(pattern: str, known: Sequence[Input], interval: timedelta, location: Location) -> list[Input]:
    """Return the last listing, updated at its end and next to the objects that were modified within ``interval`` before
    the newest one."""
    scheme, _, path = pattern.rstrip("/").partition("://")
    if known[0].address == pattern:
        return expand(pattern, location)
    below = Below.of(path, is_folder=known[0].address.startswith(f"{scheme}://{path}/"))
    pages = _Pages(f"{scheme}://", below, location)
    addresses = [each.address for each in known]
    times = [each.modified or EPOCH for each in known]
    since = max(times) - interval
    # A gap has the index of the object after it.
    recent = [number for number, time in enumerate(times) if time > since]
    gaps = sorted({*recent, *(number + 1 for number in recent), len(known)})
    found: list[Input] = []
    index, after = 0, ""
    for gap in gaps:
        if gap < index:
            continue
        if gap > index:
            found += known[index:gap]
            after = addresses[gap - 1]
        while True:
            page, last = pages.after(after)
            found += page
            if last is None:
                return found
            after, index = last, bisect_right(addresses, last)
            # If a page ends with new objects, more of them may follow.
            if index > gap and (not page or page[-1].address == addresses[index - 1]):
                break
    return found


class _Pages:
    """The listings of a prefix, each from a key on; keys are passed and returned as addresses."""

    def __init__(self, scheme: str, below: Below, location: Location) -> None:
        from botocore.exceptions import BotoCoreError, ClientError

        from ...input.s3 import client

        self._client = client(location)
        self._failures = (BotoCoreError, ClientError)
        self._location, self._below = location, below
        self._bucket, _, folder = below.folder.partition("/")
        self._base = f"{scheme}{self._bucket}/"
        self._prefix = f"{folder}/" if folder else ""

    def after(self, address: str) -> tuple[list[Input], str | None]:
        """Return the readable objects of the next page, and the address from which to continue; ``None`` after the last
        page.

        Raises ``WireloomError``.
        """
        try:
            answer = self._client.list_objects_v2(
                Bucket=self._bucket,
                Prefix=self._prefix,
                StartAfter=address.removeprefix(self._base),
                MaxKeys=PAGE,
            )
        except self._failures as error:
            raise WireloomError(
                f"the object store refused the request: {error}", path=f"{self._base}{self._prefix}"
            ) from None
        objects = answer.get("Contents", [])
        page = [
            input_of(f"{self._base}{each['Key']}", each["Size"], microseconds(each["LastModified"]), self._location)
            for each in objects
            if not each["Key"].endswith("/") and self._below.holds(f"{self._bucket}/{each['Key']}")
        ]
        more = answer.get("IsTruncated") and objects
        return page, f"{self._base}{objects[-1]['Key']}" if more else None
