"""HTTP client for the requests of this package; connections are kept per process."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Iterable, Iterator
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

LOG = logging.getLogger(__name__)
CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 30.0
"""Timeout in seconds for the response to a single request. Sessions have a different one, since they send
heartbeats."""
CONNECTIONS = 16
"""Maximum number of connections that are kept for each host."""
_NO_TLS = ("WRONG VERSION NUMBER", "RECORD LAYER FAILURE")
"""OpenSSL's words for something else than TLS."""
MAX_BODY = 4 << 20
"""Maximum size in bytes of a single response, or of an error's body: batches have 1 MiB, and 2 MiB when encoded."""


class S2Error(WireloomError):
    """An error response of the server. ``error``: its content."""

    def __init__(self, message: str, *, error: ServerError, advice: str | None = None) -> None:
        super().__init__(message, advice=advice)
        self.error = error


def refusal(stream: str, error: ServerError, what: str) -> WireloomError:
    """Return the exception for a server's error concerning a stream: a ``TemporaryError`` if the same request may
    succeed later, otherwise an ``S2Error``."""
    message = f"{what} {stream}: {said_by(error)}"
    if error.retryable:
        return TemporaryError(message)
    advice = None
    if error.expected_seq_num is not None or error.tail is not None:
        advice = "begin there, or before"
    elif error.status // 100 == 3:
        advice = "redirects are not followed, since the token is only for this host: give the endpoint's own address"
    return S2Error(message, error=error, advice=advice)


def said_by(error: ServerError) -> str:
    """Return what the server said, for messages."""
    said = ": ".join(each for each in (error.code, error.message) if each)
    if error.expected_fencing_token is not None:
        said = "the fencing token does not match that of the stream"
    elif error.expected_seq_num is not None:
        said = f"the next record gets the number {error.expected_seq_num}"
    elif error.tail is not None:
        said = f"the stream ends at {error.tail.seq_num}"
    status = f"the server answered {error.status}" if error.status else "the server refused it"
    return f"{status}{f' ({said:.300})' if said else ''}"


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
            raise unreachable(self.endpoint.base, _plain(error)) from None

    def ask(self, request: Request) -> tuple[int, bytes]:
        """Return the status and the body of the response to a single request. Raises ``TemporaryError``."""
        with self.opened(request, silence=ANSWER_SECONDS) as answer:
            return answer.status, body_of(answer)


def unreachable(base: str, problem: str) -> WireloomError:
    """Return the error for a server that cannot be reached: a ``TemporaryError``, unless it does not speak TLS."""
    if any(each in problem.upper().replace("_", " ") for each in _NO_TLS):
        return WireloomError(f"{base}: the server does not speak TLS", advice="begin the endpoint with http://")
    return TemporaryError(f"{base}: {problem}")


def refuse_page(base: str, content_type: str | None) -> None:
    """Raise ``WireloomError`` for a response that is a page for people, as of a gateway that asks for a login."""
    if (content_type or "").lower().startswith("text/html"):
        raise WireloomError(f"{base}: the answer is a page of HTML, not of S2", advice="check the endpoint")


def body_of(answer: BaseHTTPResponse) -> bytes:
    """Return the whole body of a response. Raises ``WireloomError`` if it is too large, and ``TemporaryError`` if it
    takes too long."""
    return whole(chunks(answer))


def whole(parts: Iterable[bytes]) -> bytes:
    """Return the parts of a body as one, with the errors of ``body_of``."""
    body, until = bytearray(), time.monotonic() + ANSWER_SECONDS
    for part in parts:
        body += part
        if len(body) > MAX_BODY:
            raise WireloomError(f"the server's answer has more than {MAX_BODY} bytes", reason="limit")
        if time.monotonic() > until:
            raise TemporaryError(f"the server's answer was not complete after {ANSWER_SECONDS:.0f} seconds")
    return bytes(body)


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
            failure = refusal(name, error_from_json(status, body), what)
        except TemporaryError as problem:
            failure = TemporaryError(f"{what} {name}: {problem.message}")
        if not isinstance(failure, TemporaryError):
            raise failure
        LOG.warning("%s: attempt %d", failure.message, retries.attempt)
        retries.wait(failure)
