"""Starting a session: what is missing gets one plain sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from wireloom.errors import UnsupportedError
from wireloom.spark.session import check_java, java_version


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
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnsupportedError, match=r"no Java was found on the path\. Install Java 17 or newer"):
        check_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UnsupportedError, match=r"there is no bin/java in it\. Install Java"):
        check_java()


def test_old_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UnsupportedError, match=r"Spark needs Java 17, and .* is Java 11"):
        check_java()
