"""The errors that users see. Every one is a ``WireloomError``."""

from __future__ import annotations


class WireloomError(Exception):
    """Something that wireloom refuses, with the place where that is known.

    ``path`` is the file (or ``None`` for bytes in memory), ``offset`` the byte position in the decompressed input,
    ``reason`` one of ``wireloom.report.REASONS`` where the error is about damaged input.
    """

    def __init__(
        self, message: str, *, path: str | None = None, offset: int | None = None, reason: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.offset = offset
        self.reason = reason

    def __str__(self) -> str:
        place = self.path or ""
        if self.offset is not None:
            place = f"{place} at byte {self.offset}" if place else f"byte {self.offset}"
        return f"{place}: {self.message}" if place else self.message

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword arguments do not survive the default pickling, and errors cross Spark's process boundary.
        return (_rebuild, (type(self), self.message, self.path, self.offset, self.reason))


def _rebuild(
    kind: type[WireloomError], message: str, path: str | None, offset: int | None, reason: str | None
) -> WireloomError:
    return kind(message, path=path, offset=offset, reason=reason)


class DamagedInputError(WireloomError):
    """Input that breaks its format, in mode ``failfast``, or where nothing at all can be read."""


class UnknownNameError(WireloomError):
    """A format, column, option or value of an option that does not exist; the message names the nearest."""


class UnsupportedError(WireloomError):
    """Something that this format, platform or installation does not offer."""


class SpecError(WireloomError):
    """A spec that cannot be compiled; the message holds every diagnostic: a line that begins with its place, and
    indented behind it the spec's own line and help."""

    def rendered(self, colour: bool = False) -> str:
        """The whole message, with a terminal's colours or without."""
        return str(self)
