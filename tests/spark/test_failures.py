"""The message and the exit code if Spark, Java or a disk fails; without Spark."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import AnalysisException, IllegalArgumentException, PySparkException
from pyspark.errors.exceptions.connect import SparkConnectGrpcException
from wireloom import TemporaryError, UnsupportedError, WireloomError
from wireloom.command import main
from wireloom.spark import ingest as pipeline
from wireloom.spark import session
from wireloom.spark.folders import folder
from wireloom.spark.ingest.failures import failure, unwrap_task_errors
from wireloom.spark.ingest.lock import locked

FULL = """Job aborted due to stage failure: Task 0 in stage 0.0 failed 1 times, most recent failure: Lost task 0.0
org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to file:/data/t. SQLSTATE: 58030
\tat org.apache.spark.sql.errors.QueryExecutionErrors$.taskFailedWhileWritingRowsError
Caused by: java.io.IOException: No space left on device
\tat java.base/java.io.FileOutputStream.writeBytes(Native Method)
"""
AGAIN = "committed data is kept: run the same command again"


def full_folder() -> WireloomError:
    """Return the error of a full folder."""
    try:
        try:
            raise OSError(errno.ENOSPC, "No space left on device")
        except OSError as error:
            raise WireloomError("the folder cannot be used", path="/data/t") from error
    except WireloomError as error:
        return error


def lost() -> Exception:
    """Return the error of cancelling the jobs of a Java that has ended."""
    try:
        try:
            raise Py4JNetworkError("Answer from Java side is empty")
        except Py4JNetworkError:
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")  # noqa: B904
    except OSError as error:
        return error


FAILURES = [
    (PySparkException(FULL), 1, "the disk is full (Job aborted due to stage failure"),
    (full_folder(), 1, "the disk is full (/data/t: the folder cannot be used): make room where the table is"),
    (OSError(errno.ENOSPC, "No space left on device"), 1, "the disk is full"),
    (lost(), 1, "Spark's Java process or server has ended or cannot be reached"),
    (Py4JError("An error occurred while calling o45.read"), 1, "Spark's Java process or server has ended"),
    (Py4JError("An error occurred while calling o45.read. Trace:\nno such method"), 1, "Spark failed: An error"),
    (SparkConnectGrpcException("<_InactiveRpcError\nstatus = StatusCode.UNAVAILABLE"), 1, "Spark's Java process or"),
    (PySparkException("Python worker exited unexpectedly (crashed)"), 1, "Spark failed: Python worker exited"),
    (TemporaryError("another ingest writes to it", path="/data/t"), 1, "/data/t: another ingest writes to it"),
    (
        WireloomError('cannot be locked: Could not connect to the endpoint URL: "http://x"'),
        1,
        "cannot be locked: Could",
    ),
    (WireloomError("cannot be locked: Access Denied"), 2, "cannot be locked: Access Denied"),
    (AnalysisException("[UNRESOLVED_COLUMN] A column cannot be resolved"), 2, "Spark refuses it: [UNRESOLVED_COLUMN]"),
    (IllegalArgumentException("Error parsing 'soon' to interval"), 2, "Spark refuses it: Error parsing 'soon'"),
    (UnsupportedError("not this one"), 2, "not this one"),
]


@pytest.mark.parametrize(("error", "code", "said"), FAILURES)
def test_exit_codes(error: Exception, code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.log").write_bytes(b"")

    def fail(*_: Any, **__: Any) -> None:
        raise error

    class Gone:
        """A session that cannot be stopped either."""

        stop = fail

    monkeypatch.setattr(session, "local_session", lambda _: Gone())
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    monkeypatch.setattr(pipeline, "ingest", fail)
    result = CliRunner().invoke(main, ["ingest", "cobs_log", str(tmp_path / "a.log"), "--table", str(tmp_path / "t")])
    assert result.exit_code == code
    assert result.stderr.startswith(f"wireloom: error: {said}")
    assert len(result.stderr.splitlines()) == 1
    if code == 1 and not isinstance(error, TemporaryError):
        assert result.stderr.rstrip().endswith(AGAIN)


def test_what_is_no_failure_of_spark() -> None:
    assert failure(ValueError("a mistake of ours")) is None


def test_a_full_disk_is_named_in_python_too() -> None:
    said = r"the disk is full \(Job aborted .*; java\.io\.IOException: No space left on device\)"
    with pytest.raises(TemporaryError, match=said), unwrap_task_errors():
        raise PySparkException(FULL)
    with pytest.raises(PySparkException, match="something else"), unwrap_task_errors():
        raise PySparkException("something else")


def test_another_run_may_be_over_next_time(tmp_path: Path) -> None:
    @contextmanager
    def held() -> Iterator[None]:
        with locked(folder(str(tmp_path))):
            yield

    with held(), pytest.raises(TemporaryError, match="another ingest writes to it"), held():
        pass
