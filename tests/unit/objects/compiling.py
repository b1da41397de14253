"""Specs given as text, compiled by the python backend and imported."""

import textwrap
from functools import cache
from types import ModuleType
from typing import Any

from wireloom.codegen.backends.python import BACKEND
from wireloom.codegen.model.load import load
from wireloom.codegen.passes import with_facts


def source_of(text: str, allow_modules: tuple[str, ...] = ()) -> str:
    """Return the module of a spec, not formatted."""
    return BACKEND.files(with_facts(load("made.ksy", text=textwrap.dedent(text), allow_modules=allow_modules)))[0].text


@cache
def module_of(text: str, allow_modules: tuple[str, ...] = ()) -> ModuleType:
    """Return the module of a spec, imported."""
    module = ModuleType("made")
    exec(compile(source_of(text, allow_modules), "made.py", "exec"), module.__dict__)
    return module


def root_of(text: str, name: str = "Made", allow_modules: tuple[str, ...] = ()) -> Any:
    """Return the root class of a spec whose id is ``made``."""
    return getattr(module_of(text, allow_modules), name)


def made(body: str, meta: str = "endian: le") -> Any:
    """Return the root class of a spec of which only ``seq`` and what follows are given."""
    head = f"meta:\n  id: made\n  {meta}\n"
    return root_of(head + textwrap.dedent(body).lstrip("\n"))
