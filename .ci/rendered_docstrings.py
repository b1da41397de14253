"""Docstrings in the documentation: functions that take options list them, as in ``help()``, and examples are code."""

import importlib
import inspect
import re
import sys

import griffe

# The group docs does not install it, so no other environment uses it here.
sys.modules["pyspark"] = None  # type: ignore[assignment]

EXAMPLE = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


class RenderedDocstrings(griffe.Extension):
    """Changes docstrings before they are rendered."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Take docstrings with ``{options}`` from the imported functions, and fence the examples of all."""
        if obj.docstring is None:
            return
        text = obj.docstring.value
        if obj.is_function and "{options}" in text:
            try:
                function = importlib.import_module(obj.module.path)
            except ImportError:
                # No page shows it: a page with a placeholder is an error.
                return
            for name in obj.path.removeprefix(f"{obj.module.path}.").split("."):
                function = getattr(function, name)
            text = inspect.getdoc(function) or ""
        obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", text)
