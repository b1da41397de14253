"""AWS profiles: credentials, region and endpoint, read by botocore."""

from __future__ import annotations

from typing import Any

from ..base.dataclass import dataclass
from ..base.errors import UnknownNameError, WireloomError
from ..base.extras import require
from ..base.nearest import unknown


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
