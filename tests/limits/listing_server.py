"""A server on this machine that lists objects that do not exist, of several hosts and days."""

from __future__ import annotations

import threading
from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
DAYS, HOSTS = 28, 97
LAYOUTS = {"day=…/host-…/": "day={day:02}/host-{host:02}/{number:09}", "host-…/": "host-{host:02}/{number:09}"}
LATER = timedelta(days=DAYS)
"""The time of one more object of each host."""


def objects(layout: str, files: int) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return key and time of objects that arrived evenly within that many days, in the order of keys; without and with
    those that arrive later."""
    found = []
    for number in range(files + HOSTS):
        since = LATER * (number / files) if number < files else LATER
        key = LAYOUTS[layout].format(day=since.days + 1, host=number % HOSTS, number=number)
        found.append((f"logs/{key}", f"{BEGIN + since:%Y-%m-%dT%H:%M:%S.000Z}"))
    return sorted(found[:files]), sorted(found)


class Lists(BaseHTTPRequestHandler):
    """Answers listings; nothing else exists."""

    protocol_version = "HTTP/1.1"
    objects: ClassVar[list[tuple[str, str]]] = []
    keys: ClassVar[list[str]] = []
    requests: ClassVar[int] = 0

    def do_HEAD(self) -> None:
        self._answer(404, b"")

    def do_GET(self) -> None:
        asked = {name: value for name, [value] in parse_qs(urlsplit(self.path).query).items()}
        most = int(asked.get("max-keys", 1000))
        begin = bisect_right(self.keys, asked.get("continuation-token", asked.get("start-after", "")))
        page = self.objects[begin : begin + most]
        more = begin + most < len(self.keys)
        found = "".join(
            f"<Contents><Key>{key}</Key><LastModified>{time}</LastModified><ETag>e</ETag><Size>10000000</Size></Contents>"
            for key, time in page
        )
        token = f"<NextContinuationToken>{page[-1][0]}</NextContinuationToken>" if more else ""
        Lists.requests += most > 1
        self._answer(
            200,
            f'<?xml version="1.0"?><ListBucketResult><Name>bucket</Name><KeyCount>{len(page)}</KeyCount>'
            f"<IsTruncated>{str(more).lower()}</IsTruncated>{token}{found}</ListBucketResult>".encode(),
        )

    def _answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Type", "application/xml")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


def serve(pipe: Connection, layout: str, files: int) -> None:
    """Serve the objects, including the later ones after the first message; answer messages with the number of listings
    so far."""
    first, all_of_them = objects(layout, files)
    Lists.objects, Lists.keys = first, [key for key, _ in first]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Lists)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pipe.send(server.server_port)
    while pipe.recv():
        pipe.send(Lists.requests)
        Lists.requests = 0
        Lists.objects, Lists.keys = all_of_them, [key for key, _ in all_of_them]
