"""The spec front end: whatever the text, the answer is a model or diagnostics with a place."""

from wireloom.codegen.backends.python import BACKEND
from wireloom.codegen.expression.methods import METHODS
from wireloom.codegen.model.load import analyse
from wireloom.codegen.spec.tables import TABLES


def words() -> set[str]:
    """What a spec is made of, for the fuzzer's dictionary."""
    found = {key for table in TABLES.values() for key in table.keys}
    found |= {name for methods in METHODS.values() for name in methods}
    return found | {"u1", "s2be", "b3le", "f4", "str", "strz", "eos", "_root", "_parent", "_io", "_index", "crc32c"}


def check(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    result = analyse("nowhere/x.ksy", text, display_name="x.ksy")
    assert (result.spec is None) == any(each.severity == "error" for each in result.diagnostics)
    for each in result.diagnostics:
        assert each.file == "x.ksy"
        assert each.line >= 1 <= each.column
        assert "\n" not in str(each)
    if result.spec is not None:
        for file in BACKEND.files(result.spec):
            compile(file.text, file.path, "exec")
