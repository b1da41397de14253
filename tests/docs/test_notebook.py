"""The example notebook runs, and contains what it prints and shows."""

import json

from .notebook import PAGE, run, text


def test_its_outputs_are_those_of_its_cells() -> None:
    written = PAGE.read_text()
    found = run(json.loads(written))
    assert text(found) == written, "run 'python -m tests.docs.notebook' and look at what it changes"
    shown = [each["data"] for cell in found["cells"] for each in cell.get("outputs", ()) if "data" in each]
    assert sum("text/html" in each for each in shown) >= 3
