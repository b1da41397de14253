"""The spec front end and the code it leads to: whatever the text, the answer is a model or diagnostics with a place."""

from wireloom.codegen.backends.python import BACKEND
from wireloom.codegen.expression.methods import METHODS
from wireloom.codegen.model.load import analyse
from wireloom.codegen.spec.tables import TABLES
from wireloom.errors import SpecError


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
    if result.spec is None:
        return
    try:
        files = BACKEND.files(result.spec)
    except SpecError as error:
        # What only the generated code cannot do, such as an encoding that Python does not know, has a place too.
        assert "x.ksy:" in str(error)
        return
    for file in files:
        compile(file.text, file.path, "exec")
