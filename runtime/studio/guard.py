"""The guard of the studio: accepts only the browser that has the address with the token, and no pages of
other sites."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "wireloom-studio"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


class Guard:
    """Refuses requests without the token, for another host, or from another origin; passes other requests to ``app``.

    The token is in the first address and is then kept in a cookie that pages of other sites do not send. The cookie's
    name contains the port, since all ports of a host share their cookies.
    """

    def __init__(self, app: App, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._cookie = f"{COOKIE}-{port}"
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Implement the ASGI interface."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if scope["type"] != "http":
            refusal = refusal or "not found"
        if refusal is not None:
            body = f"refused: {refusal}\n".encode()
            start = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
            await send({"type": "http.response.start", "status": 403, "headers": [*start, *HEADERS]})
            await send({"type": "http.response.body", "body": body})
            return
        cookie = f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict"
        added = [*HEADERS, *([(b"set-cookie", cookie.encode())] if _query(scope, "token") else [])]

        async def sent(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *added]
            await send(message)

        await self._app(scope, receive, sent)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> str | None:
        if headers.get("host", "") not in self._hosts:
            return "the request's Host header does not name this server"
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in self._hosts}:
            return "the request comes from another site"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "the request comes from another site"
        presented = _query(scope, "token") or self._of_cookie(headers.get("cookie", ""))
        if not secrets.compare_digest(presented.encode(), self._token.encode()):
            return "open the address that 'wireloom studio' printed: it has the token"
        return None

    def _of_cookie(self, text: str) -> str:
        try:
            found = SimpleCookie(text).get(self._cookie)
        except CookieError:
            return ""
        return found.value if found is not None else ""


def _query(scope: Scope, name: str) -> str:
    query: bytes = scope.get("query_string", b"")
    return parse_qs(query.decode("latin-1")).get(name, [""])[0]
