"""Translates errors of Spark, Java and disks to errors of wireloom, which indicate whether another run may succeed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ...base import errors
from ...base.errors import FULL, TemporaryError, WireloomError

FULL_TEXTS = ("No space left on device", "Disk quota exceeded", *(f"[Errno {each}]" for each in FULL))
"""Messages of Java, Arrow and Python for a full disk."""
AGAIN = "committed data is kept: run the same command again"
UNREACHED = ("NETWORK_CONNECTION", "SERVICE_UNAVAILABLE", "SLOW_DOWN", "SlowDown", "curlCode", "onnect to the endpoint")
"""Messages of Arrow and boto3 for an object store that does not respond, or is temporarily unavailable."""
UNAVAILABLE = ("StatusCode.UNAVAILABLE", "RETRIES_EXCEEDED")
"""Messages of a Spark Connect client that gets no response."""
PYTHON_ERROR = re.compile(r"(\w+\.)*\w*(Error|Exception)(: |$)")
"""The last line of a traceback, which Spark includes in its own message."""
_ERRORS = f"{errors.__name__}."


@contextmanager
def translate_failures() -> Iterator[None]:
    """Raise ``TemporaryError`` if Java, Spark or a disk fails, and ``WireloomError`` if Spark refuses a request."""
    try:
        yield
    except Exception as error:
        found = failure(error)
        if found is None:
            raise
        raise found from error


def failure(error: BaseException) -> WireloomError | None:
    """Return the translation of an error of Spark, Java or a disk; ``None`` for all other errors."""
    from py4j.protocol import Py4JError
    from pyspark.errors import AnalysisException, IllegalArgumentException, ParseException, PySparkException

    if _disk_is_full(error):
        return _disk_full_error(error)
    if isinstance(error, WireloomError):
        unreached = any(text in str(error) for text in UNREACHED)
        return TemporaryError(f"{error}; {AGAIN}") if unreached else None
    if any(_is_unanswered(each) for each in _causes(error)):
        return TemporaryError(
            "Spark's Java process or server has ended or cannot be reached, perhaps because it was "
            f"killed when memory ran out; {AGAIN}"
        )
    if isinstance(error, AnalysisException | IllegalArgumentException | ParseException):
        return WireloomError(f"Spark refuses it: {_brief(error)}")
    if isinstance(error, PySparkException | Py4JError):
        return TemporaryError(f"Spark failed: {_brief(error)}; {AGAIN}")
    return None


@contextmanager
def unwrap_task_errors() -> Iterator[None]:
    """Raise the wireloom error that a task, or planning, has raised, instead of Spark's error that contains it."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        for line in str(error).splitlines():
            name, _, message = line.strip().partition(": ")
            kind = getattr(errors, name.removeprefix(_ERRORS), None) if name.startswith(_ERRORS) else None
            if isinstance(kind, type) and issubclass(kind, WireloomError):
                raise kind(message) from None
        if _disk_is_full(error):
            raise _disk_full_error(error) from error
        raise


def _disk_full_error(error: BaseException) -> TemporaryError:
    return TemporaryError(
        f"the disk is full ({_brief(error)}): make room where the table is, and where spark.local.dir is; {AGAIN}"
    )


def _disk_is_full(error: BaseException) -> bool:
    return any(
        (isinstance(each, OSError) and each.errno in FULL) or any(text in str(each) for text in FULL_TEXTS)
        for each in _causes(error)
    )


def _is_unanswered(error: BaseException) -> bool:
    """Return whether an error means that Java, or the Spark Connect server, does not respond."""
    from py4j.protocol import Py4JError, Py4JJavaError

    if isinstance(error, Py4JError) and not isinstance(error, Py4JJavaError):
        # Java's own exceptions have a stack trace.
        return "Trace:" not in str(error)
    # A broken pipe concerns our own output.
    gone = isinstance(error, ConnectionError) and not isinstance(error, BrokenPipeError)
    return gone or any(text in str(error) for text in UNAVAILABLE)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _brief(error: BaseException) -> str:
    """Return the first line of an error's message, and the innermost cause in it."""
    lines = [each.strip() for each in str(error).splitlines() if each.strip()]
    causes = [each.removeprefix("Caused by: ") for each in lines if each.startswith("Caused by: ")]
    first = lines[0] if lines else type(error).__name__
    raised = [each for each in lines if PYTHON_ERROR.match(each)]
    if first.endswith(":") and raised:
        first = f"{first} {raised[-1]}"
    return f"{first.rstrip('.')}; {causes[-1]}" if causes and causes[-1] not in first else first
