"""Addresses: their schemes, those of local files (RFC 8089), and the refusal of credentials in them."""

from __future__ import annotations

import os
import re
from urllib.parse import quote_from_bytes, unquote

from .errors import WireloomError
from .shown_addresses import has_password

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)(?:::[^/]*)?://")
FILE = "file"
S3 = ("s3", "s3a", "s3n")
"""Spellings of one scheme."""
THIS_HOST = ("", "localhost")


def scheme_of(address: str) -> str:
    """Return the scheme of an address in lower case; empty for a path.

    >>> scheme_of("S3://logs/a"), scheme_of("file:/logs"), scheme_of("logs/a"), scheme_of("filecache::s3://logs/a")
    ('s3', 'file', '', 'filecache')
    """
    found = _SCHEME.match(address)
    if found:
        return found[1].lower()
    return FILE if address.startswith("file:/") else ""


def is_remote(address: str) -> bool:
    """Return whether an address names something other than a local file.

    >>> is_remote("gs://logs/a"), is_remote("file:///logs/a"), is_remote("logs/a")
    (True, False, False)
    """
    return scheme_of(address) not in ("", FILE)


def same_for_all(address: str) -> str:
    """Return the canonical spelling of a remote address.

    >>> same_for_all("s3a://logs/a/"), same_for_all("gs://logs/a")
    ('s3://logs/a', 'gs://logs/a')
    """
    scheme, _, rest = address.partition("://")
    return f"{'s3' if scheme.lower() in S3 else scheme}://{rest}".rstrip("/")


def local_path(address: str) -> str:
    """Return the path that a ``file:`` address names; any other text unchanged.

    >>> local_path("file:///logs/day%201"), local_path("file:/logs"), local_path("logs/a%20b")
    ('/logs/day 1', '/logs', 'logs/a%20b')

    Raises ``WireloomError`` for an address on another host.
    """
    if not address.startswith("file:/"):
        return address
    path = address.removeprefix("file:")
    if path.startswith("//"):
        host, slash, path = path[2:].partition("/")
        if host.lower() not in THIS_HOST:
            message = (
                f"{host} is a remote host: mount its files and give their path, or use file:///PATH for a local file"
            )
            raise WireloomError(message, path=address)
        path = slash + path
    return unquote(path, errors="surrogateescape")


def path_text(path: str) -> str:
    """Return a path as text that Arrow and JSON can hold: a local path that is not UTF-8 as its ``file:`` address.

    >>> path_text("/logs/a.log"), path_text(os.fsdecode(b"/logs/\\xff.log"))
    ('/logs/a.log', 'file:///logs/%FF.log')
    """
    try:
        path.encode()
    except UnicodeEncodeError:
        return f"file://{quote_from_bytes(os.fsencode(os.path.abspath(path)))}"
    return path


ADVICE = "set credentials in the environment or in a profile instead"


def check_endpoint(endpoint: str) -> None:
    """Raise ``WireloomError`` for an endpoint with credentials, without showing it."""
    if "@" in endpoint:
        raise WireloomError(f"an endpoint consists of a host and a port: {ADVICE}")


def check_bucket(bucket: str) -> None:
    """Raise ``WireloomError`` for an address with credentials, without showing it."""
    if "@" in bucket or ":" in bucket:
        raise WireloomError(f"an s3 address has the form s3://BUCKET/KEY: {ADVICE}")


def check_address(address: str) -> None:
    """Raise ``WireloomError`` for an address with a password, without showing it."""
    if has_password(address):
        raise WireloomError(f"an address must not contain a password: {ADVICE}")
