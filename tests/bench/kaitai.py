"""Kaitai's own compiler, as modules to compare with.

It comes from npm, or from the folder ``KAITAI_COMPILER``, where npm installed it before, and runs under Node.js; where
either is missing there is nothing to compare with.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import yaml

ROOT = Path(__file__).parents[2]
VERSION = "0.11.0"

SCRIPT = """
const fs = require("fs");
const [output, mode] = process.argv.slice(2);
let name = "kaitai-struct-compiler";
if (mode === "read-write") {
  // The package has no argument for this mode: the settings that it makes are changed in a copy of it.
  const text = fs.readFileSync(require.resolve(name), "utf8");
  const changed = text.replace("RuntimeConfig((!debug), debug, false, true, false,",
                               "RuntimeConfig(false, debug, true, false, true,");
  if (changed === text) { console.error("no settings found in the compiler"); process.exit(1); }
  name = "./read-write.js";
  fs.writeFileSync(name, changed);
}
const spec = JSON.parse(fs.readFileSync("spec.json", "utf8"));
require(name).compile("python", spec, null, false).then(
  (files) => fs.writeFileSync(output, Object.values(files)[0]),
  (error) => { console.error(String(error)); process.exit(1); });
"""


def kaitai_module(folder: Path, mode: str = "read") -> ModuleType:
    """The compiler's output for the EdgeMQ spec, imported; ``mode``: ``read`` or ``read-write``.

    Raises ``RuntimeError`` with why not.
    """
    if not shutil.which("node"):
        raise RuntimeError("Node.js is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    modules = _node_modules(folder)
    (folder / "compile.js").write_text(SCRIPT)
    spec = yaml.safe_load((ROOT / "specs/edgemq_segment.ksy").read_text())
    (folder / "spec.json").write_text(json.dumps(spec))
    path = folder / f"{mode.replace('-', '_')}.py"
    found = {**os.environ, "NODE_PATH": str(modules)}
    done = subprocess.run(
        ["node", "compile.js", path.name, mode], cwd=folder, env=found, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"Kaitai's compiler refused the spec: {done.stderr.strip()[-200:]}")
    return imported(f"kaitai_{path.stem}", path)


def _node_modules(folder: Path) -> Path:
    """The folder that holds the compiler's package, installed below ``folder`` where the environment names none."""
    given = os.environ.get("KAITAI_COMPILER")
    modules = Path(given or folder, "node_modules").absolute()
    if (modules / "kaitai-struct-compiler").exists():
        return modules
    if given:
        raise RuntimeError("KAITAI_COMPILER names no folder with node_modules/kaitai-struct-compiler")
    if not shutil.which("npm"):
        raise RuntimeError("npm is not installed")
    command = ["npm", "install", "--silent", "--prefix", str(folder), f"kaitai-struct-compiler@{VERSION}"]
    if subprocess.run(command, capture_output=True).returncode:
        raise RuntimeError("npm could not install kaitai-struct-compiler")
    return modules


def imported(name: str, path: Path) -> ModuleType:
    """The module in a file."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
