"""Property tests use the same examples in every run of the suite; ``make fuzz`` searches for new ones. One Spark
session and one object store serve all tests of a process, and all tests that need Spark run in one process."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from . import java, kinesis_server
from .examples import PROFILE, examples
from .java import PRELOADING, java_options
from .scheduling import SPARK, check_groups, scheduler
from .storage_server import Store, running, running_apart

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from . import s2_server as s2_servers

# A command that a test runs in this process hides pandas from pyarrow, for good, unless it has been imported. Tests
# read times in nanoseconds as values of Python by it, whichever test is first.
with contextlib.suppress(ImportError):
    import pandas  # noqa: F401

# No test depends on how fast the machine is.
same = settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
for each in ("quick", "suite", "thorough"):
    settings.register_profile(each, same, max_examples=examples(100))
settings.register_profile("fuzz", deadline=None, print_blob=True)
settings.load_profile(PROFILE)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Shells start background jobs in this way, and commands that tests interrupt would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

for name in tuple(os.environ):
    if name.startswith(("AWS_", "S2_")) or name.lower().endswith("_proxy"):
        # The accounts and the proxy of this machine's user are not for servers that tests start.
        del os.environ[name]
os.environ.update(AWS_CONFIG_FILE=os.devnull, AWS_SHARED_CREDENTIALS_FILE=os.devnull, AWS_EC2_METADATA_DISABLED="true")

SPARK_SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": java_options(),
}
"""Settings that avoid the session's slow start, code generation for tiny data, and half of the time of a stream."""


@pytest.fixture(scope="session")
def object_store() -> Iterator[Store]:
    """Start an S3 server on this machine."""
    with running() as store:
        yield store


@pytest.fixture
def single_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up on a store that cannot be reached at the first attempt, without the pauses before the others."""
    import pyarrow.fs

    once = pyarrow.fs.AwsStandardS3RetryStrategy(max_attempts=1)
    monkeypatch.setattr(pyarrow.fs, "S3FileSystem", functools.partial(pyarrow.fs.S3FileSystem, retry_strategy=once))


@pytest.fixture(scope="session")
def store_apart(object_store: Store) -> Iterator[Store]:
    """Start the same in a separate process, for a client that holds Python's lock while it waits."""
    with running_apart() as store:
        yield store


@pytest.fixture(scope="session")
def kinesis(object_store: Store) -> Iterator[kinesis_server.Streams]:
    """Start streams of Kinesis on the same server."""
    with kinesis_server.on(object_store.endpoint) as streams:
        yield streams


@pytest.fixture(scope="session")
def s2_running() -> Iterator[s2_servers.Server]:
    """Start an S2 server on this machine, with its token in the environment."""
    # Imported here: all other tests run without the package for S2.
    from . import s2_server as s2_servers

    with s2_servers.running() as server:
        yield server


@pytest.fixture
def s2_server(s2_running: s2_servers.Server, monkeypatch: pytest.MonkeyPatch) -> s2_servers.Server:
    """Return the same, without streams, as the endpoint of the environment."""
    s2_running.reset()
    monkeypatch.setenv("S2_BASIN_ENDPOINT", s2_running.endpoint)
    return s2_running


@pytest.fixture(scope="session")
def fork_server() -> Iterator[None]:
    """Start the process from which Spark's Python processes are forked, also those of sessions in other processes."""
    with java.fork_server():
        yield


@pytest.fixture(scope="session")
def spark(
    tmp_path_factory: pytest.TempPathFactory,
    object_store: Store,
    s2_running: s2_servers.Server,
    fork_server: None,
) -> Iterator[SparkSession]:
    """Start the session of the suite, which is then the active one: requests for a local session return it.

    It finds the data sources by itself: nothing is registered. The tasks take the credentials of the object store, and
    the token of S2, from the environment in which the session is started.
    """
    import wireloom
    from wireloom.spark.session import start
    from wireloom.spark.versions import is_at_least

    # An editable install does not list top-level packages, so the discovery packages are added to the path.
    found = tmp_path_factory.mktemp("discovery")
    root = Path(wireloom.__file__).parent.parent
    for package in (*root.glob("generated/*/pyspark_*"), *root.glob("runtime/spark/live/pyspark_*")):
        (found / package.name).symlink_to(package)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(found), PRELOADING, *([before] if before else [])])
    inside = "checkpointing." if is_at_least((4, 1)) else ""
    settings = {
        **SPARK_SETTINGS,
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        # The other implementation starts several system programs for each file of a checkpoint.
        "spark.sql.streaming.checkpointFileManagerClass": (
            f"org.apache.spark.sql.execution.streaming.{inside}FileSystemBasedCheckpointFileManager"
        ),
    }
    session = start("wireloom tests", cores=1, settings=settings)
    yield session
    session.stop()
    os.environ.pop("PYTHONPATH")
    if before is not None:
        os.environ["PYTHONPATH"] = before


FOLDERS = Path(__file__).parent
READERS = ("columns", "objects")
"""The engine and the object parser, for the parametrisation of tests."""


def pytest_configure(config: pytest.Config) -> None:
    for name in sorted({each.name for pattern in ("*/", "*/*/") for each in FOLDERS.glob(pattern)}):
        config.addinivalue_line("markers", f"{name}: tests in the folder of that name")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let garbage collections during the tests visit what tests create, instead of the whole suite each time; and let
    those that visit all of it be rare, which take several percent of the tests' time otherwise."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], 100)
    gc.enable()
    return result


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Save the collections at the end of a process that shares the suite (``-n``), where nothing would be reported."""
    if hasattr(session.config, "workerinput"):
        gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    check_groups(items)
    for item in items:
        for mark in _marks_of(item.path.parent):
            item.add_marker(mark)
    if PROFILE != "thorough":
        _deselect(config, items, lambda item: item.get_closest_marker("thorough") is not None)
    if os.environ.get("WIRELOOM_ENGINE") == "objects":
        # Tests that name a reader are run with both if the engine is available.
        _deselect(config, items, _names_a_reader)


def _deselect(config: pytest.Config, items: list[pytest.Item], left_out: Callable[[pytest.Item], bool]) -> None:
    """Remove the items for which ``left_out`` is true; pytest reports their number."""
    removed = [item for item in items if left_out(item)]
    items[:] = [item for item in items if not left_out(item)]
    config.hook.pytest_deselected(items=removed)


@functools.cache
def _marks_of(folder: Path) -> tuple[pytest.MarkDecorator, ...]:
    """Return the markers of the tests in a folder: tests/unit/reading has unit and reading."""
    return tuple(getattr(pytest.mark, name) for name in folder.relative_to(FOLDERS).parts[:2])


def _names_a_reader(item: pytest.Item) -> bool:
    callspec = getattr(item, "callspec", None)
    return callspec is not None and any(each in READERS for each in callspec.params.values() if isinstance(each, str))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return the scheduler of tests for ``--dist loadgroup``: by the groups of ``scheduling``, and by files."""
    return scheduler(config, log) if config.getoption("dist") == "loadgroup" else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test that starts Java without the fixture ``spark``, since that is another session."""
    before = _has_java()
    yield
    if not before and _has_java():
        pytest.fail(f"it started a Spark session; let it ask for the fixture {SPARK!r}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the tables that tests have recorded as the property ``table``."""
    for report in [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]:
        for text in (value for name, value in report.user_properties if name == "table"):
            terminalreporter.section(report.nodeid)
            terminalreporter.write_line(str(text))


def _has_java() -> bool:
    module = sys.modules.get("pyspark.core.context")
    return module is not None and module.SparkContext._gateway is not None
