"""Answers of a registry of schemas over HTTP."""

from __future__ import annotations

import io
import json
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead, InvalidURL
from time import monotonic
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urljoin, urlsplit
from urllib.request import (
    AbstractHTTPHandler,
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
)

from ...base.errors import TemporaryError, WireloomError
from ...base.text import printable
from .schema_files import LARGEST_SCHEMA

if TYPE_CHECKING:
    import socket

SECONDS = 30
"""Time limit of a request: from the connection to the last byte of the answer."""
BUSY = (408, 425, 429)
"""Codes of answers, besides those from 500 on, after which the same request may succeed."""
CUT = "the answer of the registry ends early"
LONGEST_SAID = 200
"""Maximum number of characters of the server's words in a message."""


def is_address(place: str) -> bool:
    """Return whether a place is an address, and not the path of a file."""
    return place.startswith(("http://", "https://"))


def is_valid(address: str) -> bool:
    """Return whether an address has a host, a port that is a number, if any, and an @ after a password only."""
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0 and "@" not in parts.path + parts.query + parts.fragment
    except ValueError:
        return False


def asked(registry: str, *names: str) -> Any:
    """Return the answer of a registry.

    Args:
        registry: Its address, perhaps with a user and a password. These are sent to this host only: no redirect is
            followed.
        names: The names in the path.

    Returns:
        The JSON of the answer, or ``None`` if the registry does not have that.

    Raises:
        TemporaryError: It does not answer in time, or is not able to.
        WireloomError: It refuses the request, or is no registry.
    """
    address, deadline = registry, monotonic() + SECONDS
    try:
        parts = urlsplit(registry)
        path = parts.path.rstrip("/") + "".join(f"/{quote(each, safe='')}" for each in names)
        address = parts._replace(netloc=parts.netloc.rpartition("@")[2], path=path).geturl()
        headers = {"Accept": "application/vnd.schemaregistry.v1+json"}
        if parts.username is not None:
            user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            headers["Authorization"] = f"Basic {b64encode(user.encode()).decode()}"
        with _opener(deadline).open(Request(address, headers=headers), timeout=SECONDS) as answer:
            content = answer.read(LARGEST_SCHEMA + 1)
            is_cut = bool(answer.length) and len(content) <= LARGEST_SCHEMA
    except HTTPError as error:
        with error:
            return _refused(error, address)
    except (OSError, HTTPException, ValueError) as error:
        _fail(error, address)
    if len(content) > LARGEST_SCHEMA:
        raise WireloomError(f"the answer of the registry has more than {LARGEST_SCHEMA} bytes", path=address)
    if is_cut:
        raise TemporaryError(CUT, path=address)
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise WireloomError("the answer is no JSON: is this the address of a registry?", path=address) from None


def _refused(error: HTTPError, address: str) -> None:
    """Return for the answer that something is not there. Raises ``WireloomError`` for other ones."""
    if error.code == 404:
        return
    said = f"the registry answers {error.code} {_said(error.reason)}".rstrip()
    if error.code >= 500 or error.code in BUSY:
        raise TemporaryError(said, path=address) from None
    if 300 <= error.code < 400:
        target = _said(urljoin(address, error.headers.get("Location", "")))
        said += f", a redirect to {target} that is not followed: give the registry's own address"
    elif error.code in (401, 403):
        said += ": check the user and the password in its address"
    raise WireloomError(said, path=address) from None


def _fail(error: Exception, address: str) -> NoReturn:
    """Raise the error for a request without an answer."""
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, TimeoutError):
        raise TemporaryError(f"the registry has not answered within {SECONDS} seconds", path=address) from None
    if isinstance(reason, IncompleteRead):
        raise TemporaryError(CUT, path=address) from None
    # Certificates that are not valid are values too.
    if isinstance(reason, ValueError | InvalidURL):
        raise WireloomError(f"the registry cannot be asked: {_said(reason)}", path=address) from None
    if isinstance(reason, HTTPException) and not isinstance(reason, OSError):
        raise WireloomError(f"the answer is not HTTP: {_said(repr(reason))}", path=address) from None
    said = getattr(reason, "strerror", None) or reason
    raise TemporaryError(f"the registry does not answer: {_said(said)}", path=address) from None


def _said(text: object) -> str:
    return printable(str(text)[:LONGEST_SAID])


def _opener(deadline: float) -> OpenerDirector:
    """Return what opens addresses of HTTP, through the proxies of the environment, and follows no redirect."""
    opener = OpenerDirector()
    for each in (
        ProxyHandler(),
        UnknownHandler(),
        _Connections(deadline),
        HTTPDefaultErrorHandler(),
        HTTPErrorProcessor(),
    ):
        opener.add_handler(each)
    return opener


class _Connections(AbstractHTTPHandler):
    """Opens connections whose answers end at a deadline."""

    def __init__(self, deadline: float) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, request: Request) -> HTTPResponse:
        return self.do_open(self._made(HTTPConnection), request)

    def https_open(self, request: Request) -> HTTPResponse:
        return self.do_open(self._made(HTTPSConnection), request)

    http_request = https_request = AbstractHTTPHandler.do_request_

    def _made(self, kind: type[HTTPConnection]) -> Callable[..., HTTPConnection]:
        def made(host: str, **more: Any) -> HTTPConnection:
            connection = kind(host, **more)
            connection.response_class = partial(_Answer, self._deadline)  # type: ignore[assignment]
            return connection

        return made


class _Answer(HTTPResponse):
    """An answer of which each read ends at a deadline: a timeout of the socket would begin anew with each byte."""

    def __init__(self, deadline: float, sock: socket.socket, *more: Any, **named: Any) -> None:
        super().__init__(sock, *more, **named)
        self.fp.close()
        self.fp = io.BufferedReader(_UntilDeadline(deadline, sock))


class _UntilDeadline(io.RawIOBase):
    def __init__(self, deadline: float, sock: socket.socket) -> None:
        super().__init__()
        self._deadline, self._socket = deadline, sock
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
