"""Kaitai's own compiler and the classes that it generates."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from types import ModuleType
from typing import Any

SCRIPT = Path(__file__).parent / "compile.js"
FOLDER = os.environ.get("KAITAI_COMPILER", "")
"""A folder in which ``npm install kaitai-struct-compiler`` was run."""


def absence() -> str:
    """Return why the compiler cannot be used; empty if it can."""
    if not FOLDER:
        return "KAITAI_COMPILER names no folder with node_modules/kaitai-struct-compiler"
    if not (Path(FOLDER) / "node_modules" / "kaitai-struct-compiler").is_dir():
        return f"no node_modules/kaitai-struct-compiler in {FOLDER}"
    return "" if shutil.which("node") else "node is not installed"


@dataclass(frozen=True)
class Compiled:
    """The module that was compiled from a spec, or why there is none."""

    module: ModuleType | None
    error: str


def compile_all(specs: Sequence[dict[str, Any]]) -> list[Compiled]:
    """Compile all specs in one process."""
    command = ["node", str(SCRIPT), FOLDER]
    done = subprocess.run(command, input=json.dumps(specs), capture_output=True, text=True, check=True)
    return [_module(each) for each in json.loads(done.stdout)]


def _module(result: dict[str, Any]) -> Compiled:
    if "error" in result:
        return Compiled(None, result["error"])
    [(name, text)] = result["files"].items()
    module = ModuleType(name.removesuffix(".py"))
    exec(compile(text, name, "exec"), module.__dict__)
    return Compiled(module, "")


@dataclass(frozen=True)
class Shape:
    """The names of the members of an object of a spec, by type; the root's type is the empty name."""

    fields: dict[str, list[str]]
    instances: dict[str, list[str]]


def shape_of(spec: dict[str, Any]) -> Shape:
    bodies = {"": spec, **spec.get("types", {})}
    return Shape(
        {type: [each["id"] for each in body.get("seq", ())] for type, body in bodies.items()},
        {type: list(body.get("instances", {})) for type, body in bodies.items()},
    )


REFUSED = "refused"
"""In place of an object: several fields may be read together, so which of two errors comes first is not the same."""
UNKNOWN = "not computable"
"""In place of an instance's value."""


def told(value: Any, shape: Shape) -> Any:
    """Return a value as plain data; objects with all attributes and instances."""
    match value:
        case bool() | None:
            return value
        case IntEnum() | int():
            return int(value)
        case float():
            return repr(value)
        case str() | bytes():
            return value
        case list():
            return [told(each, shape) for each in value]
    type_name = type(value).__name__.lower()
    type_name = type_name if type_name in shape.fields else ""
    found = {name: told(getattr(value, name, None), shape) for name in shape.fields[type_name]}
    for name in shape.instances[type_name]:
        try:
            found[name] = told(getattr(value, name), shape)
        except Exception:  # whatever Kaitai's classes raise
            found[name] = UNKNOWN
    return found


def outcome(root: Any, data: bytes, shape: Shape) -> Any:
    """Return the object of the bytes, or the error."""
    try:
        value = root.from_bytes(data)
    except Exception:  # whatever Kaitai's classes raise
        return REFUSED
    return told(value, shape)
