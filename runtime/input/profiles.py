"""Profiles: sections of the two files in which Amazon's tools keep credentials, region and endpoint."""

from __future__ import annotations

import configparser
import os
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import WireloomError
from ..base.extras import require
from ..base.nearest import unknown


@dataclass(frozen=True)
class Profile:
    """The settings of a profile; ``None`` if it has none. ``access_key``, ``secret_key`` and ``session_token`` come
    together, and are no part of what is shown."""

    region: str | None = None
    endpoint: str | None = None
    credentials: tuple[str, str, str | None] | None = None

    def __repr__(self) -> str:
        return f"Profile(region={self.region!r}, endpoint={self.endpoint!r})"


def profile(name: str) -> Profile:
    """The profile of that name, from the files that ``AWS_SHARED_CREDENTIALS_FILE`` and ``AWS_CONFIG_FILE`` name.

    Credentials that have to be got first (single sign-on, roles, programs) are got by boto3. Raises
    ``UnknownNameError``, ``WireloomError`` for a file that cannot be read, and ``UnsupportedError`` without boto3.
    """
    credentials = _read("AWS_SHARED_CREDENTIALS_FILE", "credentials")
    settings = _read("AWS_CONFIG_FILE", "config")
    # Only in one of the two files do names have a word before them.
    found = {each: dict(credentials[each]) for each in credentials.sections()}
    for section in settings.sections():
        kind, _, rest = section.partition(" ")
        if section == "default" or kind == "profile":
            own = found.setdefault(rest.strip() or section, {})
            found[rest.strip() or section] = {**dict(settings[section]), **own}
    if name not in found:
        raise unknown("profile", name, sorted(found))
    values = found[name]
    key, secret = values.get("aws_access_key_id"), values.get("aws_secret_access_key")
    if key and secret:
        given: tuple[str, str, str | None] = (key, secret, values.get("aws_session_token"))
    else:
        given = _asked_for(name)
    return Profile(values.get("region"), values.get("endpoint_url"), given)


def _read(variable: str, usual: str) -> configparser.RawConfigParser:
    path = Path(os.environ.get(variable) or Path("~/.aws", usual)).expanduser()
    parser = configparser.RawConfigParser(default_section="", strict=False)
    try:
        if path.is_file():
            parser.read_string(path.read_text(encoding="utf-8"), str(path))
    except configparser.Error as error:
        # Its text has the lines that are wrong, and they may be keys.
        lines = [line for line, _ in getattr(error, "errors", ())] or [getattr(error, "lineno", "")]
        place = ", ".join(map(str, lines))
        raise WireloomError(f"cannot be read as a file of profiles: line {place} is wrong", path=str(path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise WireloomError(f"cannot be read as a file of profiles: {reason}", path=str(path)) from None
    return parser


def _asked_for(name: str) -> tuple[str, str, str | None]:
    require("boto3", "s3", f"profile {name!r}, which has no keys of its own,")
    import boto3
    from botocore.exceptions import BotoCoreError

    try:
        found = boto3.Session(profile_name=name).get_credentials()
        frozen = None if found is None else found.get_frozen_credentials()
    except BotoCoreError as error:
        raise WireloomError(f"the credentials of profile {name!r} cannot be got: {error}") from None
    if frozen is None:
        raise WireloomError(f"profile {name!r} has no credentials: give it keys, a role or a single sign-on")
    return frozen.access_key, frozen.secret_key, frozen.token
