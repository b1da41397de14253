"""Expressions of Kaitai's language about an object that has been read, evaluated by wireloom's own front end."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import wireloom.objects
from wireloom.codegen.backends.python.annotations import Annotations
from wireloom.codegen.backends.python.expressions import Translator
from wireloom.codegen.backends.python.module import Module
from wireloom.codegen.backends.python.names import Api, class_name
from wireloom.codegen.expression.parser import parse_expression
from wireloom.codegen.expression.typer import typed
from wireloom.codegen.model.containment import find_parents
from wireloom.codegen.model.declare import Declarer
from wireloom.codegen.model.imports import Loader
from wireloom.codegen.model.load import load
from wireloom.codegen.model.scope import NOTHING, StructScope, Typing
from wireloom.codegen.model.sizes import Sizes
from wireloom.codegen.model.symbols import World
from wireloom.codegen.passes import with_facts
from wireloom.codegen.spec.diagnostics import Diagnostics
from wireloom.codegen.tree import Spec


class Questions:
    """Expressions in the scope of the outermost type of a spec, whose module is in ``package``."""

    def __init__(self, path: Path, import_paths: Iterable[Path], package: str) -> None:
        folders = tuple(import_paths)
        self.spec: Spec = load(path, import_paths=folders)
        self.package = package
        self.scope = _scope(path, folders, self.spec.name)

    @property
    def root_class(self) -> Any:
        """The generated class of the outermost type."""
        return getattr(self._module(self.spec.name), class_name(self.spec.name))

    def _module(self, name: str) -> Any:
        return importlib.import_module(f"{self.package}.{name}")

    def value(self, expression: str, about: object) -> Any:
        """Return the value of an expression about an object of the outermost type.

        Raises ``wireloom.codegen.expression.lexer.ExpressionError`` if it is invalid, ``AttributeError`` or
        ``wireloom.objects.AbsentError`` if something that it refers to does not exist, and the errors of reading.
        """
        node = typed(parse_expression(expression), self.scope)
        plan = with_facts(self.spec)
        module = Module(plan, Api.KAITAI, self.package)
        translator = Translator(module, plan.root, Annotations(module, plan.root), {"_io": "self._io"})
        text = translator.text(node)
        names = {**vars(wireloom.objects), "cast": cast, "self": about, class_name(self.spec.name): self.root_class}
        names |= {f"_{each.name}": self._module(each.name) for each in self.spec.imports}
        return eval(text, names)


def _scope(path: Path, folders: tuple[Path, ...], name: str) -> StructScope:
    diagnostics = Diagnostics()
    loader = Loader(diagnostics, folders)
    loader.load(path, None, path.name)
    world = World()
    declarer = Declarer(world, diagnostics)
    for each, file in loader.files.items():
        declarer.types(file, each)
    for symbol in world.all():
        declarer.members(symbol)
    typing = Typing(world, diagnostics, Sizes(world))
    find_parents(world, typing)
    return StructScope(typing, world.roots[name], NOTHING)
