"""The generated object parser beside what Kaitai's own compiler generates for the same layout.

The compiler comes from npm and runs under Node.js; where either is missing the comparison is reported as absent.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

from .data import segment
from .measure import Comparison, Work

ROOT = Path(__file__).parents[2]
SCRIPT = """
const compiler = require("kaitai-struct-compiler");
const spec = JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"));
compiler.compile("python", spec, null, false).then(
  (files) => process.stdout.write(JSON.stringify(files)),
  (error) => { console.error(String(error)); process.exit(1); });
"""


def kaitai_module(folder: Path) -> ModuleType:
    """Kaitai's compiler's output for the EdgeMQ spec, imported. Raises ``RuntimeError`` with why not."""
    if not shutil.which("npm") or not shutil.which("node"):
        raise RuntimeError("Node.js with npm is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "node_modules/kaitai-struct-compiler").exists():
        command = ["npm", "install", "--silent", "--prefix", str(folder), "kaitai-struct-compiler@0.11.0"]
        if subprocess.run(command, capture_output=True).returncode:
            raise RuntimeError("npm could not install kaitai-struct-compiler")
    (folder / "compile.js").write_text(SCRIPT)
    spec = yaml.safe_load((ROOT / "specs/edgemq_segment.ksy").read_text())
    (folder / "spec.json").write_text(json.dumps(spec))
    done = subprocess.run(["node", "compile.js", "spec.json"], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"Kaitai's compiler refused the spec: {done.stderr.strip()[-200:]}")
    [(name, text)] = json.loads(done.stdout).items()
    path = folder / name
    path.write_text(text)
    module_spec = importlib.util.spec_from_file_location("kaitai_edgemq_segment", path)
    assert module_spec
    assert module_spec.loader
    module = importlib.util.module_from_spec(module_spec)
    module_spec.loader.exec_module(module)
    return module


def comparisons(size: int, folder: Path) -> Iterator[Comparison]:
    from wireloom.formats.edgemq_segment.parser import EdgemqSegment

    raw = segment(min(size, 8_000_000))
    title = "objects: EdgeMQ frames read into Python objects"
    mine = Work("wireloom, generated parser", len(raw), lambda: EdgemqSegment.from_bytes(raw))
    try:
        module: Any = kaitai_module(folder)
    except RuntimeError as error:
        absent = Work("Kaitai's compiler's output", len(raw), lambda: None)
        yield Comparison(title, mine, absent, target=2.0, absent=str(error))
        return
    theirs = Work("Kaitai's compiler's output", len(raw), lambda: module.EdgemqSegment.from_bytes(raw))
    yield Comparison(title, mine, theirs, target=2.0, note="checksums verified by ours, not by theirs")
