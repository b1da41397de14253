"""Amazon S3 and compatible object stores: ``pyarrow.fs``, boto3's client for what it does not have (metadata and
conditional writes), and AWS profiles."""

from __future__ import annotations

import logging
import os
import re
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import pyarrow.fs

from ..base.addresses import check_bucket, check_endpoint
from ..base.dataclass import dataclass
from ..base.errors import UnknownNameError, WireloomError
from ..base.extras import require
from ..base.text import unknown
from .inputs import Location


@dataclass(frozen=True)
class Profile:
    """The settings of a profile, ``None`` if it has none. ``access_key``, ``secret_key`` and ``session_token`` are set
    together and are not part of the ``repr``."""

    region: str | None = None
    endpoint: str | None = None
    credentials: tuple[str, str, str | None] | None = None

    def __repr__(self) -> str:
        return f"Profile(region={self.region!r}, endpoint={self.endpoint!r})"


def profile(name: str) -> Profile:
    """Return the profile of that name, with credentials from keys, roles, single sign-on or programs.

    Raises ``UnknownNameError``, ``WireloomError`` for files that cannot be read and credentials that cannot be
    obtained, and ``UnsupportedError`` without botocore.
    """
    require("botocore", "s3", f"profile {name!r}")
    from botocore.exceptions import BotoCoreError
    from botocore.session import Session

    try:
        session = Session(profile=name)
        if name not in session.available_profiles:
            known = sorted(session.available_profiles)
            if not known:
                raise UnknownNameError(
                    f"unknown profile {name!r}: no profile is configured, neither in ~/.aws/config nor in the "
                    "files that AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE name"
                )
            raise unknown("profile", name, known)
        found = session.get_credentials()
        frozen = None if found is None else found.get_frozen_credentials()
        own = session.get_scoped_config()
        endpoint = _endpoint(session.full_config.get("services", {}), own)
    except (BotoCoreError, OSError, ValueError) as error:
        raise WireloomError(f"profile {name!r} cannot be used: {error}") from None
    if frozen is None:
        raise WireloomError(f"profile {name!r} has no credentials: give it keys, a role or a single sign-on")
    return Profile(own.get("region"), endpoint, (frozen.access_key, frozen.secret_key, frozen.token))


def _endpoint(services: dict[str, Any], own: dict[str, Any]) -> str | None:
    """Return the endpoint of S3: that of the profile's ``services`` section, otherwise the general one."""
    service = services.get(own.get("services", ""), {}).get("s3", {})
    found = service.get("endpoint_url") or own.get("endpoint_url")
    return None if found is None else str(found)


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


@cache
def filesystem(location: Location, bucket: str) -> Any:
    """Return the file system of a bucket; one per process and location, since it holds the connections."""
    options: dict[str, Any] = {"anonymous": location.anonymous}
    endpoint, region = location.endpoint, location.region
    if location.profile is not None:
        own = profile(location.profile)
        endpoint, region = endpoint or own.endpoint, region or own.region
        if own.credentials is not None and not location.anonymous:
            options |= dict(zip(("access_key", "secret_key", "session_token"), own.credentials, strict=True))
    if endpoint is not None:
        check_endpoint(endpoint)
        parts = urlsplit(endpoint if "://" in endpoint else f"https://{endpoint}")
        options |= {"endpoint_override": parts.netloc, "scheme": parts.scheme}
    region = region or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    elsewhere = endpoint is not None or any(
        os.environ.get(each) for each in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")
    )
    if region is None and not elsewhere:
        try:
            region = pyarrow.fs.resolve_s3_region(bucket)
        except OSError:
            region = None
    if region is not None:
        options["region"] = region
    return pyarrow.fs.S3FileSystem(**options)


def split(address: str) -> tuple[str, str]:
    """Return the bucket, and the path of bucket and key for ``pyarrow.fs``.

    >>> split("s3a://bucket/some/key")
    ('bucket', 'bucket/some/key')
    """
    rest = address.split("://", 1)[1]
    bucket = rest.split("/", 1)[0]
    if not bucket:
        raise WireloomError("an s3 address needs a bucket: s3://BUCKET/KEY", path=address)
    check_bucket(bucket)
    return bucket, rest.rstrip("/")
