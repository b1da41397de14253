"""The suite's folder, and the modules that are generated from its specs."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from wireloom.codegen.backends.python.names import Api
from wireloom.codegen.kaitai.generate import generate

VARIABLE = "KAITAI_TESTS"
ABSENT = f"{VARIABLE} is not set: it is the folder of a checkout of kaitai-io/kaitai_struct_tests"


@dataclass(frozen=True)
class Suite:
    """A checkout. ``work``: a separate folder for generated files."""

    folder: Path
    work: Path

    @property
    def formats(self) -> Path:
        """Return the folder of the specs."""
        return self.folder / "formats"

    @property
    def import_paths(self) -> tuple[Path, ...]:
        """Return the folders in which absolute imports are searched. They include the parts of the format gallery,
        which is another repository, that one of the specs needs."""
        gallery = self.work / "gallery" / "common"
        if not gallery.exists():
            gallery.mkdir(parents=True)
            (gallery / "vlq_base128_le.ksy").write_text(VLQ)
        return self.formats / "ks_path", self.work / "gallery"

    @cached_property
    def python_path(self) -> tuple[str, ...]:
        """Return the path on which Python finds the generated packages, and the suite's own modules that they need."""
        return str(self.work), str(self.folder / "spec/python/extra")

    @cached_property
    def _readers(self) -> dict[str, str]:
        return self.package("testformats", Api.KAITAI)

    def package_of_readers(self) -> dict[str, str]:
        """Generate the package ``testformats`` of classes that read, once; return the result of ``package``."""
        return self._readers

    @cached_property
    def _writers(self) -> dict[str, str]:
        return self.package("testwrite", Api.KAITAI_READ_WRITE)

    def package_of_writers(self) -> dict[str, str]:
        """Generate the package ``testwrite`` of classes that read and write, once; return the result of ``package``."""
        return self._writers

    def package(self, name: str, api: Api) -> dict[str, str]:
        """Generate a package of all specs; return the names of those that are refused, each with the first line of the
        reason."""
        specs = sorted(self.formats.glob("*.ksy"))
        place = self.work / name
        outcome = generate(specs, place, api=api, package=name, import_paths=self.import_paths)
        (place / "__init__.py").touch()
        reasons = [str(each).splitlines()[0] for each in outcome.errors]
        return {Path(reason.split(":")[0]).stem: reason.split(": ", 1)[-1] for reason in reasons}

    def commit(self) -> dict[str, str]:
        """Return the checkout's commit and its date; empty if the folder is not a repository."""
        command = ["git", "-C", str(self.folder), "log", "-1", "--format=%H %cs"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        words = done.stdout.split()
        return {"commit": words[0], "date": words[1]} if len(words) == 2 else {}


def find_suite() -> Suite | None:
    """Return the checkout that the environment names; ``None`` if there is none."""
    named = os.environ.get(VARIABLE)
    folder = Path(named).resolve() if named else None
    if folder is None or not (folder / "spec/ks").is_dir():
        return None
    return Suite(folder, Path(tempfile.mkdtemp(prefix="conformance-")))


VLQ = """
meta: {id: vlq_base128_le}
seq:
  - {id: groups, type: group, repeat: until, repeat-until: not _.has_next}
types:
  group:
    seq:
      - {id: has_next, type: b1}
      - {id: value, type: b7}
instances:
  len: {value: groups.size}
  value:
    value: |
      groups[0].value + (len >= 2 ? groups[1].value << 7 : 0) + (len >= 3 ? groups[2].value << 14 : 0)
"""
