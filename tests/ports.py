"""Ports for servers that cannot choose one themselves."""

from __future__ import annotations

import socket
from contextlib import ExitStack


def free_ports(count: int) -> list[int]:
    """Return different ports of this machine to which nothing is bound."""
    with ExitStack() as bound:
        sockets = [bound.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]
