"""The structure of the project: where things are. The directions of imports are checked by import-linter, see ``make
lint``."""

import ast
import importlib
import re
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
IMPORTED_BY_NAME = {
    "codegen/backends/base.py": "backends, which other packages may add to",
    "codegen/backends/columns/encodings.py": "Python's own tables of characters",
    "runtime/__init__.py": "public names, when they are first used",
    "runtime/base/face.py": "the same for packages of layers",
    "runtime/command/command_group.py": "the module of a command, when it is called",
    "runtime/engine/__init__.py": "the extension in C, which may be missing",
    "runtime/format/description.py": "the generated package of a format, and the classes that its spec names",
    "runtime/format/in_memory.py": "the generated package of a format",
    "runtime/format/registry.py": "generated packages, and for spec files the generator: the only import upwards",
    "runtime/format/routines.py": "modules that a caller allows a spec to name",
    "runtime/spark/read/schema.py": "the generated package of a format",
    "runtime/spark/registration.py": "the generated package of a format",
}
"""Files that import modules by their names, which import-linter does not see, and what those are."""
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
    assert found == {("runtime/format/registry.py", "wireloom.codegen.loading")}


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


def test_what_programs_in_strings_import_is_there() -> None:
    """Programs that tests run in other processes: neither the type checker nor the linter sees their imports."""
    imports = re.compile(r"^\s*from (wireloom[\w.]*) import ([\w, ]+)$", re.MULTILINE)
    named = {
        (module, name)
        for file in TESTS.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for module, names in imports.findall(node.value)
        for name in names.replace(" ", "").split(",")
    }
    assert len(named) > 30
    for module, name in sorted(named):
        if not hasattr(importlib.import_module(module), name):
            importlib.import_module(f"{module}.{name}")
