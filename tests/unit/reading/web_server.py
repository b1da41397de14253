"""Web servers on this machine that serve a folder, with ranges and without."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

Asked = list[tuple[str, str]]
"""Path and range of each request that returns bytes."""


class Ignoring(SimpleHTTPRequestHandler):
    """Ignores ranges."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments: Any, asked: Asked, **options: Any) -> None:
        self.asked = asked
        super().__init__(*arguments, **options)

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers.get("Range", "")))
        if "forbidden" in self.path:
            self.send_error(403)
        else:
            self.answer()

    def answer(self) -> None:
        super().do_GET()

    def log_message(self, *_: Any) -> None:
        pass


class Serving(Ignoring):
    """Serves ranges."""

    def answer(self) -> None:
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not found:
            super().answer()
            return
        content = Path(self.translate_path(self.path)).read_bytes()
        begin, end = int(found[1]), min(int(found[2]) + 1, len(content))
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(content)}")
        self.send_header("Content-Length", str(end - begin))
        self.end_headers()
        self.wfile.write(content[begin:end])


@contextmanager
def serving(folder: Path, handler: Any) -> Iterator[tuple[str, Asked]]:
    """Yield the address of a server of a folder, and its requests."""
    asked: Asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder), asked=asked))
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
