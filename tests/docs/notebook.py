"""The example notebook; ``python -m tests.docs.notebook`` runs its cells and writes their outputs into it."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import tempfile
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


def run(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook with the outputs that its cells have in an empty folder, as Jupyter shows them."""
    namespace: dict[str, Any] = {"__name__": "notebook"}
    count = 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                count += 1
                cell["execution_count"] = count
                cell["outputs"] = _outputs("".join(cell["source"]), namespace, count)
    return notebook


def _outputs(source: str, namespace: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Return what a cell prints, and the value of the expression at its end."""
    statements = ast.parse(source)
    last = statements.body.pop() if isinstance(statements.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(statements, "cell", "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(keepends=True)
        outputs.append({"output_type": "execute_result", "execution_count": count, "data": data, "metadata": {}})
    return outputs


def text(notebook: dict[str, Any]) -> str:
    """Return the text of a notebook's file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(run(json.loads(PAGE.read_text()))))
