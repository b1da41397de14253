"""The spec front end and the generated code: whatever the text, the result is a model or diagnostics with a position.

And whatever the text, no module is imported that is not a part of the runtime, and no code names a class that is not
registered.
"""

from __future__ import annotations

import ast
import importlib.metadata  # noqa: F401 - the registry of plug-ins imports it when it is first asked
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

import jinja2  # noqa: F401 - backends import it when they render the first template
from wireloom import SpecError
from wireloom.codegen.backends.columns import BACKEND as COLUMNS
from wireloom.codegen.backends.python import BACKEND as PYTHON
from wireloom.codegen.expression.methods import METHODS
from wireloom.codegen.model.load import analyse
from wireloom.codegen.passes import with_facts
from wireloom.codegen.spec.tables import TABLES
from wireloom.format import routines

OURS = {"wireloom", "encodings", "unicodedata"}
"""What may be imported in the meantime: parts of the generator and codecs that are not loaded yet, and their
imports."""
IMPORTED = {"__future__", "collections", "enum", "itertools", "pyarrow", "struct", "typing", "wireloom"}
"""The imports of generated modules."""
NAMING = {"framing", "packing", "hooks", "indexer"}
"""Arguments that contain the place of a class."""


def words() -> set[str]:
    """Return the words of specs, for the fuzzer's dictionary."""
    found = {key for table in TABLES.values() for key in table.keys}
    found |= {name for methods in METHODS.values() for name in methods}
    found |= {"os.system", "subprocess:Popen", "antigravity", *routines.BUILT_IN}
    return found | {"u1", "s2be", "b3le", "f4", "str", "strz", "eos", "_root", "_parent", "_io", "_index", "crc32c"}


class Canary(MetaPathFinder):
    """Raises at the first import of anything that is not in ``OURS``."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        assert fullname.partition(".")[0] in OURS, f"{fullname} is imported"

    def __enter__(self) -> None:
        sys.meta_path.insert(0, self)

    def __exit__(self, *_: Any) -> None:
        sys.meta_path.remove(self)


def places(tree: ast.Module) -> Iterator[str]:
    """Yield what generated code calls by its place: classes of ``process``, and of messages."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("undone", "done"):
            yield ast.literal_eval(node.args[1])
        if isinstance(node, ast.keyword) and node.arg in NAMING and isinstance(node.value, ast.Constant):
            yield from (text for text in [str(node.value.value)] if ":" in text)
        if isinstance(node, ast.Import | ast.ImportFrom) and not (isinstance(node, ast.ImportFrom) and node.level):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]
            assert {each.partition(".")[0] for each in names} <= IMPORTED, ast.unparse(node)


def check(data: bytes) -> None:
    with Canary():
        compiled(data.decode("utf-8", "replace"))


def compiled(text: str) -> None:
    result = analyse("nowhere/x.ksy", text, display_name="x.ksy")
    assert (result.spec is None) == any(each.severity == "error" for each in result.diagnostics)
    for each in result.diagnostics:
        assert each.file == "x.ksy"
        assert each.line >= 1 <= each.column
        assert "\n" not in str(each)
    if result.spec is None:
        return
    try:
        plan = with_facts(result.spec)
        [parser] = PYTHON.files(plan)
        columns = COLUMNS.files(plan)
    except SpecError as error:
        # Errors that only generated code has, such as an encoding that Python does not know, have a position too.
        assert "x.ksy:" in str(error)
        return
    for file in (parser, *columns):
        tree = ast.parse(file.text, file.path)
        assert all(routines.is_registered(each) for each in places(tree)), file.text
        compile(tree, file.path, "exec")
    exec(compile(parser.text, parser.path, "exec"), {"__name__": "fuzzed"})
