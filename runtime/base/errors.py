"""The errors that users see. Every one is a ``WireloomError``."""

from __future__ import annotations

import errno

from .shown_addresses import without_secrets

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Numbers of the system's errors for a full disk."""
NO_SPEC_FILE = "no such spec file: check the path and the folder it is relative to"


class WireloomError(Exception):
    """An error of wireloom, with its position if that is known.

    - ``path``: the file, or ``None`` for bytes in memory.
    - ``offset``: the byte position in the decompressed input.
    - ``reason``: for damaged input, one of ``wireloom.base.report.REASONS``; ``record`` is then the number of the
      record, counted from 1, ``field`` the name of the invalid field, and ``advice`` the option with which reading
      would have continued.

    Unknown attributes are ``None``. Passwords and queries of addresses are removed from the message and the path.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        offset: int | None = None,
        reason: str | None = None,
        record: int | None = None,
        field: str | None = None,
        advice: str | None = None,
    ) -> None:
        message = without_secrets(message)
        super().__init__(message)
        self.message = message
        self.path = None if path is None else without_secrets(path)
        self.offset = offset
        self.reason = reason
        self.record = record
        self.field = field
        self.advice = advice

    def __str__(self) -> str:
        place = self.path or ""
        if self.offset is not None:
            place = f"{place} at byte {self.offset}" if place else f"byte {self.offset}"
        for word, value in (("record", self.record), ("field", self.field)):
            if value is not None:
                place = f"{place}, {word} {value}" if place else f"{word} {value}"
        sentence = f"{self.message}; {self.advice}" if self.advice else self.message
        return f"{place}: {sentence}" if place else sentence

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword arguments do not survive the default pickling, and errors cross Spark's process boundary.
        return (_rebuild, (type(self), self.message, dict(vars(self))))


def _rebuild(kind: type[WireloomError], message: str, attributes: dict[str, object]) -> WireloomError:
    # Not by calling the constructor: those of subclasses have other parameters.
    error = kind.__new__(kind, message)
    Exception.__init__(error, message)
    vars(error).update(attributes)
    return error


class DamagedInputError(WireloomError):
    """Damaged input: in mode ``failfast``, or if no row can be read."""


class WrongFormatError(DamagedInputError):
    """Inputs that contain bytes but no record of the requested format."""


class UnknownNameError(WireloomError):
    """A format, column, option or value of an option that does not exist; the message names the nearest."""

    option: tuple[str, str, tuple[str, ...]] | None = None
    """For an option of a reader: the format, the unknown name and the valid names, of which a command accepts fewer."""


class UnsupportedError(WireloomError):
    """A feature that this format, platform or installation does not support."""


class RoutineError(WireloomError):
    """A class that a ``process`` of a spec names lacks a method, or returned a value that is not bytes."""


class MissingExtraError(UnsupportedError, ImportError):
    """A package that a part of wireloom requires is not installed; the message names the extra that installs it.

    It is also an ``ImportError``, for programs that test whether a part of wireloom can be imported. ``name`` is the
    missing package.
    """

    def __init__(self, message: str, *, name: str | None = None) -> None:
        super().__init__(message)
        self.name = name


class TemporaryError(WireloomError):
    """A failure that may be temporary, such as that of storage, a full disk or a lock held by another process: the same
    call may succeed later."""


class NothingThereError(WireloomError):
    """A path, pattern, folder or prefix without any input, or without one so far."""


class SpecError(WireloomError):
    """A spec that cannot be compiled. The message contains every diagnostic: a line that begins with its position,
    followed by the spec's own line and help, indented."""

    def rendered(self, colour: bool = False) -> str:
        """Return the whole message, with or without terminal colours."""
        return str(self)
