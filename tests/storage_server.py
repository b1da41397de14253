"""A local object store for tests: its content, and the requests that it received."""

from __future__ import annotations

import logging
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from .ports import free_ports
from .waiting import SECONDS

BUCKET = "wireloom-logs"
KEYS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}


class Store:
    """A running server. ``requests``: method, path, and the requested range of bytes, of each request so far."""

    def __init__(self, endpoint: str, client: Any) -> None:
        self.endpoint = endpoint
        self.client = client
        self.requests: list[tuple[str, str, tuple[int, int] | None]] = []

    def put(self, key: str, content: bytes, *, public: bool = False, **metadata: str) -> str:
        """Create an object, which can be read without credentials if ``public``; return its address."""
        access = "public-read" if public else "private"
        self.client.put_object(Bucket=BUCKET, Key=key, Body=content, Metadata=metadata, ACL=access)
        return f"s3://{BUCKET}/{key}"

    def get(self, key: str) -> bytes:
        """Return the content of an object."""
        content: bytes = self.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        return content

    def keys(self, prefix: str) -> list[str]:
        """Return the keys with the prefix, without the empty objects that represent folders."""
        found = self.client.list_objects_v2(Bucket=BUCKET, Prefix=prefix)
        return [each["Key"] for each in found.get("Contents", []) if not each["Key"].endswith("/")]

    def age(self, key: str, modified: datetime) -> None:
        """Set the modification time of an object."""
        from moto.core import DEFAULT_ACCOUNT_ID
        from moto.s3.models import s3_backends

        s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets[BUCKET].keys[key].last_modified = modified.replace(tzinfo=None)

    def listings(self) -> int:
        """Return how many pages of listings were requested."""
        return sum(method == "GET" and path.strip("/") == BUCKET for method, path, _ in self.requests)

    def ranges(self, key: str) -> list[tuple[int, int]]:
        """Return the requested ranges of an object: the first byte and the one after the last."""
        return [found for method, path, found in self.requests if method == "GET" and path.endswith(key) and found]

    def fetched(self, key: str) -> int:
        """Return how many bytes of an object were requested."""
        return sum(end - begin for begin, end in self.ranges(key))


@contextmanager
def running() -> Iterator[Store]:
    """Run a server on this machine only, with credentials in the environment while it runs."""
    import boto3
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    before = {name: os.environ.get(name) for name in KEYS}
    os.environ.update(KEYS)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        store = Store(endpoint, client)
        inner = server._server.app

        def counting(environ: dict[str, Any], start: Any) -> Any:
            found = re.fullmatch(r"bytes=(\d+)-(\d+)", environ.get("HTTP_RANGE", ""))
            wanted = (int(found[1]), int(found[2]) + 1) if found else None
            store.requests.append((environ["REQUEST_METHOD"], environ["PATH_INFO"], wanted))
            return inner(environ, start)

        server._server.app = counting
        yield store
    finally:
        server.stop()
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)


@contextmanager
def running_apart() -> Iterator[Store]:
    """Run a server in a separate process, for clients that hold Python's lock while they wait. ``requests`` remains
    empty.

    Credentials must be in the environment.
    """
    import boto3

    [port] = free_ports(1)
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + SECONDS
        while not _answers(port):
            assert process.poll() is None, "the server has ended"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.1)
        endpoint = f"http://127.0.0.1:{port}"
        client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        yield Store(endpoint, client)
    finally:
        process.kill()
        process.wait()


def _answers(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0
