"""The address of a basin and its access token, from arguments or from the environment variables of S2's own tools."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from ..base.dataclass import dataclass
from ..base.errors import WireloomError

TOKEN_VARIABLE = "S2_ACCESS_TOKEN"
ENDPOINT_VARIABLE = "S2_BASIN_ENDPOINT"
KEY_VARIABLE = "S2_ENCRYPTION_KEY"
DEFAULT_ENDPOINT = "https://{basin}.b.s2.dev"
BASIN = "{basin}"
"""Placeholder for the name of the basin in an endpoint."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{6,46}[a-z0-9]")
_TOKEN = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of a basin. ``base``: its scheme and host; ``basin``: its name, if the host does not contain it."""

    base: str
    basin: str | None


def endpoint_of(basin: str, given: str | None = None) -> Endpoint:
    """Return the endpoint ``given``, that of the environment variable ``S2_BASIN_ENDPOINT``, or S2's own.

    >>> endpoint_of("my-basin", "https://{basin}.b.s2.dev").base
    'https://my-basin.b.s2.dev'
    >>> endpoint_of("my-basin", "http://localhost:8080/v1")
    Endpoint(base='http://localhost:8080', basin='my-basin')

    Raises ``WireloomError`` for invalid names of basins, which could lead to another host, and for addresses that are
    not those of a server.
    """
    if not isinstance(basin, str) or not _NAME.fullmatch(basin):
        raise WireloomError(
            f"{basin!r:.80} is not a valid basin name: expected 8 to 48 lower-case letters, digits and hyphens, no "
            "hyphen at its ends"
        )
    source = "endpoint" if given else ENDPOINT_VARIABLE
    address = given or os.environ.get(ENDPOINT_VARIABLE) or DEFAULT_ENDPOINT
    if "://" not in address:
        address = f"https://{address}"
    named = address.replace(BASIN, basin)
    try:
        parts = urlsplit(named)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    plain = parts.path.rstrip("/") in ("", "/v1") and not (parts.query or parts.fragment or "@" in parts.netloc)
    if parts.scheme not in ("http", "https") or not parts.hostname or not plain:
        # An address may contain a password, so it is not shown.
        raise WireloomError(
            f"{source} is not the address of a server: give one such as https://{{basin}}.b.s2.dev or "
            "http://localhost:8080, without a user, a path or a query"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    base = f"{parts.scheme}://{host}{f':{port}' if port is not None else ''}"
    return Endpoint(base, None if BASIN in address else basin)


def authorization(endpoint: Endpoint) -> dict[str, str]:
    """Return the header with the token of the environment variable ``S2_ACCESS_TOKEN``; none if it is not set, which
    only S2's own service does not accept. Raises ``WireloomError``, without showing the token."""
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        if endpoint.base.endswith(".s2.dev"):
            raise WireloomError(f"S2 requires an access token: set {TOKEN_VARIABLE} in the environment")
        return {}
    if not _TOKEN.fullmatch(token):
        raise WireloomError(f"{TOKEN_VARIABLE} contains characters that are not allowed in an access token")
    return {"Authorization": f"Bearer {token}"}


def encryption_key() -> str | None:
    """Return the key of encrypted streams from the environment variable ``S2_ENCRYPTION_KEY``."""
    return os.environ.get(KEY_VARIABLE, "").strip() or None
