"""A server of TLS for tests, which passes what it decrypts on to another server on this machine."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit


def certificate(folder: Path) -> Path:
    """Make a certificate for this machine, and its key, in one file; return its path."""
    made = folder / "made.pem"
    command = (
        "openssl req -x509 -nodes -newkey rsa:2048 -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    )
    found = subprocess.run([*command.split(), "-keyout", "-"], capture_output=True, check=True)
    made.write_bytes(found.stdout)
    return made


async def _pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await source.read(1 << 16):
            target.write(data)
            await target.drain()
    target.close()


@contextmanager
def in_front_of(endpoint: str, certified: Path, versions: list[str]) -> Iterator[str]:
    """Run a server in front of another one during the block, which negotiates a version of HTTP; yield its address."""
    parts = urlsplit(endpoint)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certified)
    context.set_alpn_protocols(versions)
    loop = asyncio.new_event_loop()
    port: list[int] = []
    is_ready = threading.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        passed_reader, passed_writer = await asyncio.open_connection(parts.hostname, parts.port)
        await asyncio.gather(_pass_on(reader, passed_writer), _pass_on(passed_reader, writer))

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
        port.append(server.sockets[0].getsockname()[1])
        is_ready.set()

    def run() -> None:
        loop.run_until_complete(serve())
        loop.run_forever()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    is_ready.wait()
    yield f"https://127.0.0.1:{port[0]}"
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
