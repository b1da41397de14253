"""Access control."""

import asyncio
from typing import Any

import pytest
from wireloom.studio.guard import Guard

TOKEN = "secret"
HOST = (b"host", b"127.0.0.1:4000")
COOKIE = (b"cookie", b"other=1; wireloom-studio-4000=secret")


def asked(headers: list[tuple[bytes, bytes]], query: bytes = b"", kind: str = "http") -> tuple[int, dict[str, str]]:
    sent: list[Any] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError

    scope = {"type": kind, "headers": headers, "query_string": query}
    asyncio.run(Guard(app, TOKEN, 4000)(scope, receive, send))
    return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0]["headers"]}


def test_the_token_opens_and_a_cookie_keeps_open() -> None:
    status, headers = asked([HOST], b"token=secret")
    assert status == 200
    assert headers["set-cookie"] == "wireloom-studio-4000=secret; Path=/; HttpOnly; SameSite=Strict"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert asked([HOST, COOKIE])[0] == 200
    assert asked([HOST, COOKIE, (b"origin", b"http://127.0.0.1:4000"), (b"sec-fetch-site", b"same-origin")])[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        [HOST],
        [HOST, (b"cookie", b"wireloom-studio-4000=guess")],
        [HOST, (b"cookie", b"\xff=;;=")],
        [COOKIE],
        [(b"host", b"evil.example:4000"), COOKIE],
        [(b"host", b"127.0.0.1"), COOKIE],
        [HOST, COOKIE, (b"origin", b"http://evil.example")],
        [HOST, COOKIE, (b"origin", b"null")],
        [HOST, COOKIE, (b"origin", b"http://127.0.0.1:4001")],
        [HOST, COOKIE, (b"sec-fetch-site", b"cross-site")],
        [HOST, COOKIE, (b"sec-fetch-site", b"same-site")],
    ],
)
def test_others_are_refused(headers: list[tuple[bytes, bytes]]) -> None:
    status, answer = asked(headers)
    assert status == 403
    assert "set-cookie" not in answer


def test_sockets_are_refused() -> None:
    assert asked([HOST, COOKIE], kind="websocket")[0] == 403
