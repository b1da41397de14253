"""Errors that parsing raises in addition to those of ``kaitaistruct``, and what each error means for a row."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable
from typing import Any, TypeVar

from ..base.errors import UnsupportedError, WireloomError
from ..base.report import too_much_computed
from ..format.columns import objects_only_read
from .kaitai import EndOfStreamError, InvalidArgumentError, KaitaiStream, KaitaiStructError, ValidationFailedError

Failure = TypeVar("Failure", bound=KaitaiStructError)


class ChecksumError(ValidationFailedError):
    """A stored checksum differs from that of the bytes. ``expected`` is the computed one, ``actual`` the stored one:
    numbers, or the bytes of a digest."""

    def __init__(
        self, expected: int | bytes, actual: int | bytes, io: KaitaiStream | None, src_path: str | None
    ) -> None:
        shown = [each.hex() if isinstance(each, bytes) else f"{each:#x}" for each in (expected, actual)]
        super().__init__(f"checksum of the bytes is {shown[0]}, but {shown[1]} is stored", io, src_path)
        self.expected = expected
        self.actual = actual


class SizeError(ValidationFailedError):
    """The size that an input states for something differs from that of its attributes. ``expected`` is the stated one,
    ``actual`` the other, in bytes."""

    reason = "length"

    def __init__(self, expected: int, actual: int, io: KaitaiStream | None, src_path: str | None) -> None:
        super().__init__(f"the stated size is {expected} bytes, but the attributes have {actual}", io, src_path)
        self.expected = expected
        self.actual = actual


class EncodingError(ValidationFailedError):
    """Bytes that are not valid text in the declared encoding."""

    def __init__(self, encoding: str, actual: bytes, io: KaitaiStream | None, src_path: str | None) -> None:
        super().__init__(f"not {encoding}: {actual[:40]!r}{'…' if len(actual) > 40 else ''}", io, src_path)
        self.encoding = encoding
        self.actual = actual


class StuffingError(KaitaiStructError, ValueError):
    """Invalid stuffed bytes. ``reason`` is ``stuffing``, or ``limit`` if there are too many of them."""

    def __init__(self, message: str, reason: str = "stuffing") -> None:
        super().__init__(message, None)
        self.reason = reason


class UnfinishedError(StuffingError):
    """Stuffed bytes that end inside a block, and may be the beginning of a record. ``content``: what its blocks so far
    stand for."""

    def __init__(self, message: str, content: bytes) -> None:
        super().__init__(message)
        self.content = content


class FrameError(KaitaiStructError):
    """A frame between two delimiters that does not contain an item."""

    def __init__(self, message: str, reason: str = "length") -> None:
        super().__init__(message, None)
        self.reason = reason


class ProcessError(KaitaiStructError, ValueError):
    """Bytes that ``process`` cannot decode, or that would expand beyond the limit."""

    def __init__(self, message: str, reason: str = "value") -> None:
        super().__init__(message, None)
        self.reason = reason


class InflateError(ProcessError, zlib.error):
    """Bytes that are not a zlib stream."""


class ExpressionError(KaitaiStructError, ValueError):
    """An expression without a value: a division by zero, text that is not a number, an item that does not exist."""

    reason = "value"

    def __init__(self, message: str) -> None:
        super().__init__(message, None)


class DivisionError(ExpressionError, ZeroDivisionError):
    """An expression divides by zero."""

    def __init__(self) -> None:
        super().__init__("division by zero")


class ItemError(ExpressionError, IndexError):
    """An expression accesses the item ``index`` of a list that has only ``count`` items."""

    def __init__(self, index: int, count: int) -> None:
        super().__init__(f"index {index} is out of range: there are {count} items")
        self.index, self.count = index, count


class AbsentError(ExpressionError):
    """An expression needs the value of something that is absent."""


class UnsetError(ExpressionError, AttributeError):
    """An attribute has no value: it was not given, or an expression needs it before it has been read."""

    def __init__(self, holder: object, name: str) -> None:
        super().__init__(f"{type(holder).__qualname__} has no value for '{name}': it was not given, or is read later")
        self.obj, self.name = holder, name


class NoObjectError(AttributeError):
    """A value that is not an object was given where an object is required."""


class ComputedError(ExpressionError):
    """The text computed from a record, or the items in its decompressed bytes, exceed the limit."""

    reason = "limit"

    def __init__(self, limit: int) -> None:
        super().__init__(too_much_computed(limit))


class StalledError(KaitaiStructError):
    """A repetition of items without bytes that would never end."""

    reason = "length"

    def __init__(self, src_path: str | None) -> None:
        super().__init__("the repeated items consume no bytes", src_path)


FAILURES = (
    KaitaiStructError, EOFError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError
)  # fmt: skip
"""What generated code, and classes that users provide, raise for bytes that violate the format."""


class DepthError(WireloomError, RecursionError):
    """Objects are nested more deeply than Python's recursion limit allows."""


def only_read(type: str, *unsolved: str, **why: str) -> UnsupportedError:
    """Return the error for writing an object of a read-only type. The arguments are those of ``objects_only_read``."""
    return UnsupportedError(objects_only_read(type, *unsolved, **why))


def too_deep(error: RecursionError, holder: Any = None) -> DepthError:
    """Return the error for objects that are nested too deeply; ``holder`` is one of them, whose stream shows how far it
    was read."""
    if isinstance(error, DepthError):
        return error
    io = getattr(holder, "_io", None)
    file = getattr(getattr(io, "_io", None), "name", None)
    return DepthError(
        f"objects are nested too deeply for Python, whose calls may go {sys.getrecursionlimit()} deep: if "
        "you trust the input, allow more with sys.setrecursionlimit, in a thread with a large stack "
        "(threading.stack_size)",
        path=file if isinstance(file, str) else None,
        offset=None if io is None else io.pos(),
        reason="limit",
    )


def unset(error: AttributeError) -> AttributeError:
    """Return an ``UnsetError`` for access to an attribute without a value, and an error that says so for a value in the
    place of an object; return other errors unchanged."""
    if "attribute '_parent'" in str(error):
        return NoObjectError("an object of a type of the spec was expected, found None or another value")
    fields = getattr(type(error.obj), "_fields", ())
    return UnsetError(error.obj, error.name) if error.name is not None and error.name in fields else error


def with_reason(error: Failure, reason: str) -> Failure:
    """Return the same error with a reason, a word of ``wireloom.base.report.REASONS``."""
    error.reason = reason
    return error


def deciding(refusals: Iterable[KaitaiStructError], *, verify: bool) -> KaitaiStructError | None:
    """Return the refusal that determines why an item is damaged; ``None`` if the item is valid. ``verify``: whether
    checksums count.

    It is the first one, except that a checksum mismatch takes precedence over a ``process`` that could not be undone:
    the checksum covers the stored bytes, and shows that they are damaged.
    """
    counting = [each for each in refusals if verify or not isinstance(each, ChecksumError)]
    first = next(iter(counting), None)
    if not isinstance(first, ProcessError):
        return first
    return next((each for each in counting if isinstance(each, ChecksumError)), first)


def reason_of(error: Exception) -> str:
    """Return the reason why an item that raised ``error`` is damaged, a word of ``wireloom.base.report.REASONS``.

    ``truncated``: the input ended inside the item. ``limit``: among others, objects nested too deeply for Python. Other
    errors have the reason that generated code gave them, by default ``value``.
    """
    reason = getattr(error, "reason", None)
    # UnicodeDecodeError and others of Python's own errors also carry a ``reason``, which is prose.
    if isinstance(reason, str) and isinstance(error, KaitaiStructError):
        return reason
    if isinstance(error, ChecksumError):
        return "checksum"
    if isinstance(error, EncodingError):
        return "encoding"
    if isinstance(error, EndOfStreamError):
        return "truncated"
    if isinstance(error, InvalidArgumentError):
        return "length"
    if isinstance(error, RecursionError):
        return "limit"
    return "value"
