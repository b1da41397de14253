"""Runs the studio's server on this machine until it is interrupted."""

from __future__ import annotations

import secrets
import socket
import webbrowser
from collections.abc import Callable

import uvicorn

from ..base.errors import WireloomError
from .application import Studio, application
from .guard import Guard
from .helper import Helper

HOST = "127.0.0.1"


def serve(helper: Helper, port: int, *, opens_browser: bool, on_address: Callable[[str], None]) -> None:
    """Serve until an interrupt; ``port`` 0 selects a free port. ``on_address`` is called with the address.
    Raises ``WireloomError`` if the port is in use."""
    token = secrets.token_urlsafe(24)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise WireloomError(f"port {port} of {HOST} cannot be listened on: {reason}") from error
        listening.listen()
        number = listening.getsockname()[1]
        guarded = Guard(application(Studio(helper)), token, number)
        address = f"http://{HOST}:{number}/?token={token}"
        config = uvicorn.Config(guarded, log_level="error", access_log=False, server_header=False, ws="none")
        on_address(address)
        if opens_browser:
            webbrowser.open(address)
        uvicorn.Server(config).run([listening])
