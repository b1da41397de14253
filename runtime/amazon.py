"""boto3's client of an object store, for what Arrow's file system does not know: metadata and conditional writes."""

from __future__ import annotations

from functools import cache
from typing import Any

from .profiles import profile
from .storage import Location


@cache
def client(location: Location) -> Any:
    """The client; one per process and place. Raises ``ImportError`` without boto3."""
    import boto3
    from botocore import UNSIGNED
    from botocore.config import Config

    own = None if location.profile is None else profile(location.profile)
    endpoint = location.endpoint or (None if own is None else own.endpoint)
    if endpoint is not None and "://" not in endpoint:
        endpoint = f"https://{endpoint}"
    session = boto3.Session(profile_name=location.profile)
    config = Config(signature_version=UNSIGNED) if location.anonymous else None
    region = location.region or session.region_name or (None if endpoint is None else "us-east-1")
    return session.client("s3", endpoint_url=endpoint, region_name=region, config=config)
