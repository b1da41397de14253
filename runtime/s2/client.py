"""HTTP client for the requests of this package; connections are kept per process."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..base.errors import TemporaryError, WireloomError
from ..base.extras import require
from ..base.retries import Retries
from .endpoint import Endpoint, authorization, endpoint_of
from .errors import ServerError, error_from_json
from .requests import Request

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, PoolManager

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 30.0
"""Timeout in seconds for the response to a single request. Sessions have a different one, since they send
heartbeats."""
CONNECTIONS = 16
"""Maximum number of connections that are kept for each host."""
MAX_BODY = 4 << 20
"""Maximum size in bytes of a single response, or of an error's body: batches have 1 MiB, and 2 MiB when encoded."""


class S2Error(WireloomError):
    """An error response of the server. ``error``: its content."""

    def __init__(self, message: str, *, error: ServerError) -> None:
        super().__init__(message)
        self.error = error


def refusal(stream: str, error: ServerError, what: str) -> S2Error:
    """Return the exception for a server's error concerning a stream."""
    said = ": ".join(each for each in (error.code, error.message) if each)
    if error.expected_fencing_token is not None:
        said = "the fencing token does not match that of the stream"
    elif error.expected_seq_num is not None:
        said = f"the next record gets the number {error.expected_seq_num}"
    elif error.tail is not None:
        said = f"the stream ends at {error.tail.seq_num}"
    status = f"the server answered {error.status}" if error.status else "the server refused it"
    return S2Error(f"{what} {stream}: {status}{f' ({said:.300})' if said else ''}", error=error)


class Client:
    """Sends requests to one basin. Redirects are not followed, since the token is only for this host."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    @contextmanager
    def opened(self, request: Request, *, silence: float) -> Iterator[BaseHTTPResponse]:
        """Yield the response to a request, whose body has not been read. ``silence``: seconds without a byte after
        which reading fails. Raises ``TemporaryError`` if there is no connection, or it breaks."""
        require("urllib3", "s2", "S2")
        import urllib3

        headers = {**request.headers, **authorization(self.endpoint)}
        try:
            answer = _pool(os.getpid(), self.endpoint.base).request(
                request.method,
                self.endpoint.base + request.target,
                body=request.body or None,
                headers=headers,
                preload_content=False,
                decode_content=False,
                redirect=False,
                retries=False,
                timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=silence),
            )
            try:
                yield answer
            finally:
                # Does nothing if the response was read to its end, which has released its connection.
                answer.close()
        except urllib3.exceptions.HTTPError as error:
            raise TemporaryError(f"{self.endpoint.base}: {_plain(error)}") from None

    def ask(self, request: Request) -> tuple[int, bytes]:
        """Return the status and the body of the response to a single request. Raises ``TemporaryError``."""
        with self.opened(request, silence=ANSWER_SECONDS) as answer:
            return answer.status, body_of(answer)


def body_of(answer: BaseHTTPResponse) -> bytes:
    """Return the whole body of a response. Raises ``WireloomError`` if it is too large."""
    body: bytes = answer.read(MAX_BODY + 1)
    if len(body) > MAX_BODY:
        raise too_large()
    return body


def too_large() -> WireloomError:
    """Return the error for a response of more than ``MAX_BODY`` bytes."""
    return WireloomError(f"the server's answer has more than {MAX_BODY} bytes", reason="limit")


def chunks(answer: BaseHTTPResponse, size: int = 1 << 18) -> Iterator[bytes]:
    """Yield the body of a response as it is received."""
    while chunk := answer.read1(size):
        yield chunk


@cache
def _pool(_process: int, base: str) -> PoolManager:
    """Return the connection pool of this process; a forked process must not use that of its parent."""
    import urllib3

    proxy = proxy_of(base)
    settings: dict[str, Any] = {"maxsize": CONNECTIONS, "retries": False}
    return urllib3.ProxyManager(proxy, **settings) if proxy else urllib3.PoolManager(**settings)


def proxy_of(base: str) -> str | None:
    """Return the proxy of the environment for an address, if there is one."""
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(base)
    return None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)


def _plain(error: Exception) -> str:
    """Return the reason of a failure, without addresses of objects in memory."""
    reason = getattr(error, "reason", None) or error
    text = str(reason.args[-1] if getattr(reason, "args", None) else reason)
    # urllib3 puts the connection's class, host and port first.
    return re.sub(r"^(<.*?>|\w+\(.*?\)): ", "", text).split("\n", 1)[0][:300] or type(reason).__name__


def client_of(basin: str, endpoint: str | None = None) -> Client:
    """Return the client of a basin; see ``endpoint_of``."""
    return Client(endpoint_of(basin, endpoint))


def answer_to(client: Client, request: Request, name: str, what: str, *, patience: float) -> bytes:
    """Return the body of the response to a repeatable request, which is retried for ``patience`` seconds
    if that may help. Raises ``S2Error`` and ``TemporaryError``; ``what`` and ``name`` are the operation
    and its target, for the message."""
    retries = Retries(patience)
    while True:
        failure: WireloomError
        try:
            status, body = client.ask(request)
            if 200 <= status < 300:
                return body
            error = error_from_json(status, body)
            failure = refusal(name, error, what)
            if not error.retryable:
                raise failure
        except TemporaryError as problem:
            failure = TemporaryError(f"{what} {name}: {problem.message}")
        retries.wait(failure)
