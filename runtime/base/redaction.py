"""Refusal of credentials in addresses, which are shown in errors and reports."""

from __future__ import annotations

from .errors import WireloomError
from .shown_addresses import has_password

ADVICE = "set credentials in the environment or in a profile instead"


def check_endpoint(endpoint: str) -> None:
    """Raise ``WireloomError`` for an endpoint with credentials, without showing it."""
    if "@" in endpoint:
        raise WireloomError(f"an endpoint consists of a host and a port: {ADVICE}")


def check_bucket(bucket: str) -> None:
    """Raise ``WireloomError`` for an address with credentials, without showing it."""
    if "@" in bucket or ":" in bucket:
        raise WireloomError(f"an s3 address has the form s3://BUCKET/KEY: {ADVICE}")


def check_address(address: str) -> None:
    """Raise ``WireloomError`` for an address with a password, without showing it."""
    if has_password(address):
        raise WireloomError(f"an address must not contain a password: {ADVICE}")
