"""Amazon S3 and compatible object stores, through ``pyarrow.fs``."""

from __future__ import annotations

import os
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import pyarrow.fs

from ..base.errors import WireloomError
from ..base.redaction import check_bucket, check_endpoint
from .inputs import Location
from .profiles import profile


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
