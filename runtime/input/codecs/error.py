"""What a damaged compressed stream raises."""

from __future__ import annotations

from ...base.errors import DamagedInputError


class CodecError(DamagedInputError):
    """A compressed stream that cannot be undone. The reader that catches it knows path and offset."""

    def __init__(
        self, message: str, *, path: str | None = None, offset: int | None = None, reason: str | None = "codec"
    ) -> None:
        super().__init__(message, path=path, offset=offset, reason=reason)
