"""The structure of the project: where things are. The directions of imports are checked by import-linter, see ``make
lint``."""

import ast
import importlib
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
FOLDERS = {"codegen": ROOT / "codegen", "formats": ROOT / "generated"}
"""Folders of packages that are not in ``runtime/``."""
SPEAKING = {
    "wireloom.codegen.expression": {"nodes"},
    "wireloom.engine": {"_engine"},
    "wireloom.format": {"registry", "routines"},
}
"""Modules that are called by their own name, such as ``registry.get``; ``_engine`` is the extension in C."""
IMPORTED_BY_NAME = {
    "codegen/backends/base.py": "backends, which other packages may add to",
    "codegen/backends/columns/encodings.py": "Python's own tables of characters",
    "runtime/__init__.py": "public names, when they are first used",
    "runtime/base/face.py": "the same for packages of layers",
    "runtime/command/program.py": "the module of a command, when it is called",
    "runtime/engine/__init__.py": "the extension in C, which may be missing",
    "runtime/format/description.py": "the generated package of a format, and the classes that its spec names",
    "runtime/format/in_memory.py": "the generated package of a format",
    "runtime/format/registry.py": "generated packages, and for spec files the generator: the only import upwards",
    "runtime/format/routines.py": "modules that a caller allows a spec to name",
    "runtime/rows/messages/engine_decoder.py": "the generated package of a format",
    "runtime/spark/read/schema.py": "the generated package of a format",
    "runtime/spark/registration.py": "the generated package of a format",
}
"""Files that import modules by their names, which import-linter does not see, and what those are."""
LINE_BY_LINE = "limits/test_interrupted_"
"""Tests that interrupt inner functions at each of their lines."""
NAMED_ALIKE = {
    "Calls": "public: the calls of an appender to the system, and those to Kinesis",
    "Frame": "public: of S2's protocol, and of a delimited log in generated classes",
    "FrameError": "public: the error of either",
    "Hooks": "a spec names the implementation by the protocol's name",
    "LostRecordsError": "public: the same error of two services, with different details",
    "Packing": "a spec names the implementation by the protocol's name",
    "Progress": "generated classes name one; the other one is that of a read from S2",
    "Step": "generated programs name one; the other one is public in S2",
    "StreamReading": "public: what ``read`` of two services returns",
}
"""Names of two classes in ``runtime/``, and why they stay. No other name has two meanings."""


def test_the_root_of_the_runtime_holds_folders() -> None:
    files = {each.name for each in (ROOT / "runtime").iterdir() if each.is_file()}
    assert files == {"__init__.py", "py.typed"}


def test_a_name_is_that_of_one_class() -> None:
    defined = re.compile(r"^ *class (\w+)", re.MULTILINE)
    classes = Counter(name for file in (ROOT / "runtime").rglob("*.py") for name in defined.findall(file.read_text()))
    assert {name: count for name, count in classes.items() if count > 1} == dict.fromkeys(NAMED_ALIKE, 2)


def test_no_circle_of_headers_and_sources() -> None:
    included = {
        file.name: re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE)
        for file in (ROOT / "runtime" / "engine").glob("*.[ch]")
    }
    assert sum(map(len, included.values())) > 50
    # Raises CycleError, which names the files.
    TopologicalSorter(included).prepare()


def test_the_generator_does_not_import_what_its_code_imports() -> None:
    for path in (ROOT / "codegen").rglob("*.py"):
        text = path.read_text()
        if not any(each in text for each in ("pyarrow", "pyspark")):
            continue
        for node in ast.walk(ast.parse(text)):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [each for each in names if each.partition(".")[0] in ("pyarrow", "pyspark")], path


def test_imports_that_the_linter_does_not_see() -> None:
    by_name = re.compile(r"\b(?:import_module|__import__)\(")
    files = [*(ROOT / "runtime").rglob("*.py"), *(ROOT / "codegen").rglob("*.py")]
    assert {each.relative_to(ROOT).as_posix() for each in files if by_name.search(each.read_text())} == {
        *IMPORTED_BY_NAME
    }


def test_layers_import_no_higher_one_by_name() -> None:
    """The names of modules of the project stand in the code as they are, or begin with the package that imports."""
    found = set()
    for path in IMPORTED_BY_NAME:
        text = (ROOT / path).read_text()
        found |= {(path, each) for each in re.findall(r'import_module\(\s*"(wireloom\.[\w.]+)"', text)}
    assert found == {("runtime/format/registry.py", "wireloom.codegen.explore")}


# What tests import ---------------------------------------------------------------------------------------------------


def place(module: str) -> Path:
    """Return the folder of a package, or the file of a module without its suffix."""
    _, *parts = module.split(".")
    if parts and parts[0] in FOLDERS:
        return FOLDERS[parts[0]].joinpath(*parts[1:])
    return (ROOT / "runtime").joinpath(*parts)


def is_face(module: str) -> bool:
    """Return whether it is a package, or a module that is itself a layer of codegen or of Spark, or generated."""
    parts = module.split(".")
    alone = parts[1:2] in (["codegen"], ["spark"]) and len(parts) == 3
    return (place(module) / "__init__.py").exists() or alone or parts[1:2] == ["formats"]


def replaced(tree: ast.AST) -> set[str]:
    """Return the modules in which, or in whose parts, a name is replaced: ``setattr(module, "name", …)``, ``module.name
    = …``."""
    targets: list[ast.expr] = []
    for each in ast.walk(tree):
        if isinstance(each, ast.Call | ast.Tuple):
            pair = each.args if isinstance(each, ast.Call) else each.elts
            if len(pair) > 1 and isinstance(pair[1], ast.Constant):
                targets.append(pair[0])
        elif isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            targets.append(each)
    return {name for each in targets if (name := ast.unparse(each).partition(".")[0])}


def inner_imports(tree: ast.AST) -> Iterator[str]:
    """Yield what is imported from below the public package of a layer."""
    patched = cache(lambda: replaced(tree))
    for each in ast.walk(tree):
        if isinstance(each, ast.Import):
            yield from (
                name.name for name in each.names if name.name.startswith("wireloom.") and not is_face(name.name)
            )
        elif isinstance(each, ast.ImportFrom) and not each.level and str(each.module).startswith("wireloom"):
            module = str(each.module)
            if not is_face(module):
                yield module
            for name in each.names:
                inner = name.name.startswith("_") or is_inner(module, name.name)
                spoken = inner and (name.name in SPEAKING.get(module, ()) or (name.asname or name.name) in patched())
                if inner and not spoken:
                    yield f"{module}.{name.name}"


@cache
def is_inner(module: str, name: str) -> bool:
    """Return whether it is a module, and not a name that the package itself defines."""
    if is_face(f"{module}.{name}") or not place(f"{module}.{name}").with_suffix(".py").exists():
        return False
    package = ast.parse((place(module) / "__init__.py").read_text())
    bound = [each.name for line in package.body if isinstance(line, ast.ImportFrom) for each in line.names]
    return name not in bound


IMPORT = re.compile(r"^ *(import wireloom[\w. ]*|from wireloom[\w.]* import (?:\([^){]*\)|[\w ,]+))", re.MULTILINE)
"""An import of the project, also within a string."""


def test_tests_import_from_the_faces_of_layers() -> None:
    """A module in a layer is imported only if a name in it is replaced."""
    found = {}
    for file in sorted(TESTS.rglob("*.py")):
        path, text = file.relative_to(TESTS).as_posix(), file.read_text()
        # Whole files take long to parse, and only those with such an import have to be.
        if not any(inner_imports(ast.parse("\n".join(IMPORT.findall(text))))):
            continue
        names = sorted(set(inner_imports(ast.parse(text))))
        if names and not path.startswith(LINE_BY_LINE):
            found[path] = names
    assert found == {}


def test_what_faces_name_is_there() -> None:
    count = 0
    for root, package in ((ROOT / "runtime", "wireloom"), (ROOT / "codegen", "wireloom.codegen")):
        for file in root.rglob("__init__.py"):
            for call in ast.walk(ast.parse(file.read_text())):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "face":
                    layer = importlib.import_module(".".join((package, *file.parent.relative_to(root).parts)))
                    for name in " ".join(ast.literal_eval(call.args[1]).values()).split():
                        assert hasattr(layer, name.partition(":")[2] or name), (file, name)
                        count += 1
    assert count > 100


@pytest.mark.parametrize(
    "line",
    ["from wireloom.base.errors import SpecError", "from wireloom.reading import search", "import wireloom.s2.sse"],
)
def test_other_imports_are_found(line: str) -> None:
    assert list(inner_imports(ast.parse(line)))
