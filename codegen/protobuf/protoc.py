"""protoc: ``.proto`` files → their descriptors. It is part of the package grpcio-tools, needed only here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wireloom.base.errors import SpecError, WireloomError
from wireloom.base.extras import require

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

LOGGED = re.compile(r"[IWEF]\d{4} |WARNING: All log messages before ")
"""Lines that protoc logs for its developers."""
SECONDS = 120
"""Time limit of protoc, in seconds."""


def described(path: Path, import_paths: Sequence[Path] = ()) -> FileDescriptorSet:
    """Return the descriptors of a file and of all files that it imports, with comments; those of the file itself come
    last.

    Imports are searched for in ``import_paths``, or in the folder of the file if it is in none of them; protobuf's own
    types are always found. Raises ``UnsupportedError`` without grpcio-tools, ``SpecError`` with protoc's message for
    each mistake, and ``WireloomError`` if the file cannot be read.
    """
    require("grpc_tools", "proto", "reading .proto files")
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    if not path.is_file():
        raise WireloomError("is not a file: give a .proto file", path=str(path))
    folders = [each.resolve() for each in import_paths]
    file = path.resolve()
    if not any(file.is_relative_to(each) for each in folders):
        folders.insert(0, file.parent)
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "descriptors"
        options = [f"--proto_path={each}" for each in folders]
        options += ["--include_imports", "--include_source_info", f"--descriptor_set_out={output}"]
        _run([*options, str(file)], path, file)
        return FileDescriptorSet.FromString(output.read_bytes())


def _run(arguments: Sequence[str], path: Path, file: Path) -> None:
    command = [sys.executable, "-m", "grpc_tools.protoc", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise WireloomError(
            f"protoc was stopped after {SECONDS} seconds: import fewer or smaller files", path=str(path)
        ) from error
    if done.returncode == 0:
        return
    said = [each for each in done.stderr.decode("utf-8", "replace").strip().splitlines() if not LOGGED.match(each)]
    lines = [_line(each, path, file) for each in said] or [f"error: protoc rejected {path}"]
    if path.suffix != ".proto":
        lines.append("    = a .proto file is expected, and the name of this one ends differently")
    raise SpecError("\n".join(lines))


def _line(line: str, path: Path, file: Path) -> str:
    """Return a line of protoc's output in the form of our diagnostics, with the file as named by the caller."""
    line = line.replace(str(file.parent) + os.sep, "")
    parts = line.split(":", 3)
    if len(parts) == 4 and parts[1].isdigit() and parts[2].isdigit():
        name = str(path) if parts[0] == file.name else parts[0]
        text = parts[3].strip()
        severity, text = ("warning", text[9:]) if text.startswith("warning: ") else ("error", text)
        return f"{name}:{parts[1]}:{parts[2]}: {severity}: {text}"
    return f"error: {line}"
