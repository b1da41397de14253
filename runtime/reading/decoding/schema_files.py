"""Files with schemas."""

from __future__ import annotations

from ...base.errors import WireloomError

LARGEST_SCHEMA = 16 * 1024 * 1024
"""Maximum size of a file with a schema in bytes."""


def bytes_of(path: str) -> bytes:
    """Return the bytes of the file with a schema. Raises ``WireloomError``."""
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_SCHEMA + 1)
    except OSError as error:
        raise WireloomError(f"the schema cannot be read: {error.strerror}", path=path) from None
    if len(data) > LARGEST_SCHEMA:
        raise WireloomError(f"the schema has more than {LARGEST_SCHEMA} bytes", path=path)
    return data


def text_of(path: str) -> str:
    """Return the text of the file with a schema. Raises ``WireloomError``."""
    try:
        return bytes_of(path).decode()
    except UnicodeDecodeError:
        raise WireloomError("the schema is no text in UTF-8", path=path) from None
