"""boto3's client of an object store, for what Arrow's file system does not have: metadata and conditional writes."""

from __future__ import annotations

import logging
import re
from functools import cache
from typing import Any

from ..base.redaction import check_endpoint
from .inputs import Location
from .profiles import profile

TALKATIVE = ("botocore.auth", "botocore.endpoint")
"""Loggers that log whole requests, including session tokens, at level DEBUG."""
TOKEN = re.compile(r"(x-amz-security-token['\"]?\s*[:=]\s*b?['\"]?)[^\s'\",}]+", re.IGNORECASE)


class WithoutTokens(logging.Filter):
    """A filter that removes tokens from log records."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Remove tokens from the record, and keep it."""
        record.msg, record.args = TOKEN.sub(r"\1…", record.getMessage()), ()
        return True


_without_tokens = WithoutTokens()


@cache
def client(location: Location) -> Any:
    """Return the client; one per process and location. Raises ``ImportError`` without boto3, and ``WireloomError`` for
    credentials in an endpoint."""
    import boto3
    from botocore import UNSIGNED
    from botocore.config import Config

    for name in TALKATIVE:
        logging.getLogger(name).addFilter(_without_tokens)
    own = None if location.profile is None else profile(location.profile)
    endpoint = location.endpoint or (None if own is None else own.endpoint)
    check_endpoint(endpoint or "")
    if endpoint is not None and "://" not in endpoint:
        endpoint = f"https://{endpoint}"
    session = boto3.Session(profile_name=location.profile)
    config = Config(signature_version=UNSIGNED) if location.anonymous else None
    region = location.region or session.region_name or (None if endpoint is None else "us-east-1")
    return session.client("s3", endpoint_url=endpoint, region_name=region, config=config)
