"""Headers of requests: the basin, the key of an encrypted stream, and the configuration of new streams."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any, Literal, TypedDict

from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from ..base.text import unknown
from .json import dumps

BASIN = "S2-Basin"
ENCRYPTION_KEY = "S2-Encryption-Key"
STREAM_CONFIG = "S2-Stream-Config"
KEY_SIZE = 32
"""Size in bytes of a key of AEGIS-256 and AES-256-GCM, the supported ciphers."""
TIMESTAMPING = ("client-prefer", "client-require", "arrival")
_STORAGE_CLASS = re.compile(r"[a-z0-9-]{1,64}")
_BASIN_NAME = re.compile(r"[a-z0-9][a-z0-9-]{6,46}[a-z0-9]")


@dataclass(frozen=True, slots=True)
class StreamConfig:
    """The configuration of a stream that a read or an append creates if it does not exist; the basin's defaults apply
    for ``None``.

    ``storage_class``: such as ``standard`` or ``express``, one that the basin's location supports. ``retention``:
    seconds after which records are trimmed, or ``infinite``. ``timestamping``: ``client-prefer``, ``client-require`` or
    ``arrival``; ``uncapped``: whether timestamps of clients may be in the future. ``delete_on_empty``: seconds after
    which an empty stream is deleted, 0 for never. Raises ``WireloomError`` for other values.

    >>> StreamConfig(retention=86400, timestamping="arrival").to_json()
    '{"retention_policy":{"age":86400},"timestamping":{"mode":"arrival"}}'
    """

    storage_class: str | None = None
    retention: int | Literal["infinite"] | None = None
    timestamping: str | None = None
    uncapped: bool | None = None
    delete_on_empty: int | None = None

    def __post_init__(self) -> None:
        if self.storage_class is not None and not _STORAGE_CLASS.fullmatch(str(self.storage_class)):
            raise WireloomError(
                f"storage_class must be a name of lowercase letters, digits and hyphens, not {self.storage_class!r:.60}"
            )
        if self.timestamping is not None and self.timestamping not in TIMESTAMPING:
            raise unknown("timestamping", str(self.timestamping), TIMESTAMPING)
        if self.retention != "infinite":
            _check_seconds("retention", self.retention, 1)
        _check_seconds("delete_on_empty", self.delete_on_empty, 0)
        if self.uncapped is not None and not isinstance(self.uncapped, bool):
            raise WireloomError(f"uncapped must be true or false, not {self.uncapped!r:.60}")

    def to_json(self) -> str:
        """Return the configuration as JSON for S2's API."""
        written: dict[str, Any] = {}
        if self.storage_class is not None:
            written["storage_class"] = self.storage_class
        if self.retention is not None:
            is_infinite = self.retention == "infinite"
            written["retention_policy"] = {"infinite": {}} if is_infinite else {"age": self.retention}
        timestamping = {"mode": self.timestamping, "uncapped": self.uncapped}
        settings = {name: value for name, value in timestamping.items() if value is not None}
        if settings:
            written["timestamping"] = settings
        if self.delete_on_empty is not None:
            written["delete_on_empty"] = {"min_age_secs": self.delete_on_empty}
        return dumps(written)


def basin_headers(basin: str | None) -> dict[str, str]:
    """Return the header that names a basin, for endpoints whose host does not. Raises ``WireloomError``
    for an invalid name."""
    if basin is None:
        return {}
    if not isinstance(basin, str) or not _BASIN_NAME.fullmatch(basin):
        raise WireloomError(
            "the name of a basin has 8 to 48 lowercase letters, digits and hyphens, and neither begins nor ends with a"
            f" hyphen, unlike {basin!r:.60}"
        )
    return {BASIN: basin}


class RecordOptions(TypedDict, total=False):
    """Options of all requests that read or append records."""

    basin: str | None
    encryption_key: bytes | str | None
    stream_config: StreamConfig | None


def record_headers(
    *, basin: str | None = None, encryption_key: bytes | str | None = None, stream_config: StreamConfig | None = None
) -> dict[str, str]:
    """Return the headers of requests that read or append records. Raises ``WireloomError``, without showing the key."""
    headers = basin_headers(basin)
    if encryption_key is not None:
        headers[ENCRYPTION_KEY] = _key(encryption_key)
    if stream_config is not None:
        headers[STREAM_CONFIG] = stream_config.to_json()
    return headers


def _key(key: bytes | str) -> str:
    try:
        content = base64.b64decode(key.strip(), validate=True) if isinstance(key, str) else bytes(key)
    except (binascii.Error, ValueError, TypeError):
        content = b""
    if len(content) != KEY_SIZE:
        raise WireloomError(f"an encryption key must be {KEY_SIZE} bytes, or their base64 text")
    return base64.b64encode(content).decode()


def _check_seconds(name: str, value: Any, least: int) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 1 << 64:
        raise WireloomError(f"{name} must be a number of seconds of at least {least}, not {value!r:.60}")
