"""What Spark's failures mean: whether the same may work when it is run again, in a sentence."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from ...base.errors import TemporaryError, WireloomError

FULL = (errno.ENOSPC, errno.EDQUOT)
FULL_TEXTS = ("No space left on device", "Disk quota exceeded")
"""What Java and Arrow say of a full disk."""
AGAIN = "what was committed stays committed: run the same command again"
UNREACHED = ("NETWORK_CONNECTION", "SERVICE_UNAVAILABLE", "SLOW_DOWN", "SlowDown", "curlCode", "onnect to the endpoint")
"""What Arrow and boto3 say where an object store does not answer, or not now."""
UNAVAILABLE = ("StatusCode.UNAVAILABLE", "RETRIES_EXCEEDED")
"""What a client of Spark Connect says that gets no answer."""


@contextmanager
def in_words() -> Iterator[None]:
    """Raises ``TemporaryError`` where Java, Spark or a disk fails, and ``WireloomError`` where Spark refuses what it
    was asked for."""
    try:
        yield
    except Exception as error:
        found = failure(error)
        if found is None:
            raise
        raise found from error


def failure(error: BaseException) -> WireloomError | None:
    """What an error of Spark, Java or a disk comes to; ``None`` for all others."""
    from py4j.protocol import Py4JError
    from pyspark.errors import AnalysisException, IllegalArgumentException, ParseException, PySparkException

    if disk_is_full(error):
        return full(error)
    if isinstance(error, WireloomError):
        unreached = any(text in str(error) for text in UNREACHED)
        return TemporaryError(f"{error}; {AGAIN}") if unreached else None
    if _is_lost(error):
        return TemporaryError(
            "Spark's Java process or server has ended, or is not reached any more, perhaps since it was killed for "
            f"want of memory; {AGAIN}"
        )
    if isinstance(error, AnalysisException | IllegalArgumentException | ParseException):
        return WireloomError(f"Spark refuses it: {_brief(error)}")
    if isinstance(error, PySparkException | Py4JError):
        return TemporaryError(f"Spark failed: {_brief(error)}; {AGAIN}")
    return None


def full(error: BaseException) -> TemporaryError:
    """What is said of a full disk."""
    return TemporaryError(
        f"the disk is full ({_brief(error)}): make room where the table is, and where spark.local.dir is; {AGAIN}"
    )


def disk_is_full(error: BaseException) -> bool:
    """Whether an error, or what it was raised for, is that no more can be written."""
    return any(
        (isinstance(each, OSError) and each.errno in FULL) or any(text in str(each) for text in FULL_TEXTS)
        for each in _causes(error)
    )


def _is_lost(error: BaseException) -> bool:
    """Whether nobody answers in Java or at the server."""
    return any(_is_unanswered(each) for each in _causes(error))


def _is_unanswered(error: BaseException) -> bool:
    from py4j.protocol import Py4JError, Py4JJavaError

    if isinstance(error, Py4JError) and not isinstance(error, Py4JJavaError):
        # Java's own mistakes come with a trace.
        return "Trace:" not in str(error)
    # A pipe is what our own output goes to.
    gone = isinstance(error, ConnectionError) and not isinstance(error, BrokenPipeError)
    return gone or any(text in str(error) for text in UNAVAILABLE)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those that it was raised for."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _brief(error: BaseException) -> str:
    """The first line of an account, and the innermost cause that it names."""
    lines = [each.strip() for each in str(error).splitlines() if each.strip()]
    causes = [each.removeprefix("Caused by: ") for each in lines if each.startswith("Caused by: ")]
    first = lines[0] if lines else type(error).__name__
    return f"{first.rstrip('.')}; {causes[-1]}" if causes and causes[-1] not in first else first
