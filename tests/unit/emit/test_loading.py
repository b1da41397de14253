"""Loading a spec renders no more than the description of its default table, and reading a table no more than that."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import wireloom
import wireloom.format.registry

ROOT = Path(__file__).parents[3]
MCAP = ROOT / "specs" / "mcap.ksy"
LOADED = f"""
import sys
import wireloom
import wireloom.format.registry

found = wireloom.load_spec({str(MCAP)!r})
assert "jinja2" not in sys.modules, "templates are compiled"
assert "pyarrow" not in sys.modules
modules = [name for name in sys.modules if name.startswith(found.module)]
assert modules == [found.module], modules
assert "wireloom.codegen.backends.columns.program" not in sys.modules, "a program is compiled"
assert found.of_table("chunks").program is not None
modules = [name for name in sys.modules if name.startswith(found.module)]
assert modules == [found.module, f"{{found.module}}.chunks", f"{{found.module}}.chunks.columns"], modules
"""


@pytest.mark.slow
def test_loading_a_spec_renders_one_package() -> None:
    subprocess.run([sys.executable, "-c", LOADED], check=True)


@pytest.mark.slow
def test_other_tables_are_those_of_the_generated_package() -> None:
    generated, loaded = (wireloom.format.registry.get(each) for each in ("mcap", MCAP))
    for table in generated.tables:
        found, expected = loaded.of_table(table), generated.of_table(table)
        assert found.columns == expected.columns
        assert found.schema == expected.schema
        # The registers of a loaded table are numbered for it alone.
        assert [each.op for each in found.program.steps] == [each.op for each in expected.program.steps]
        assert found.program.columns == expected.program.columns


@pytest.mark.slow
def test_a_pickle_contains_all_modules() -> None:
    loaded = wireloom.load_spec(MCAP)
    copied = pickle.loads(pickle.dumps(loaded.of_table("chunks")))
    assert copied == loaded.of_table("chunks")
    assert set(copied.files) == set(loaded.files)
    assert "class Mcap" in copied.files["mcap/parser.py"]
