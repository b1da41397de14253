"""What the classes of all APIs are made of: what constructors keep, the reader of ``seq``, and the instances."""

from __future__ import annotations

from collections.abc import Iterable

from ...model.model import Attribute
from ...plan.sizes import fixed_size, runs
from .api import Api
from .checksums import verify_lines
from .fused import offsets, read_run, unfailing
from .instances import instance_method
from .marks import Marks
from .names import field_name
from .reading import attribute_lines
from .scope import ClassScope, member
from .view import Line, Lines, MethodView, block


def parameter_list(scope: ClassScope) -> tuple[str, ...]:
    """The parameters of the type, as a constructor declares them."""
    return tuple(f"{field_name(each.id)}: {scope.annotations.of(each.type)}" for each in scope.struct.parameters)


def keep_parameters(scope: ClassScope) -> Lines:
    """A constructor keeps the parameters of the type."""
    return tuple(Line(f"{member(each.id)} = {field_name(each.id)}") for each in scope.struct.parameters)


def keep_family(scope: ClassScope) -> Lines:
    """A constructor keeps ``_parent`` and ``_root``; who has no root is one, with Kaitai's API only the outermost."""
    if scope.module.api is not Api.WIRELOOM and scope.struct is not scope.spec.root:
        return Line("self._parent = _parent"), Line("self._root = _root")
    return (
        Line("self._parent = _parent"),
        # Assigned in two steps: a type checker lets only ``Any`` stand for the root's class.
        block("if _root is None:", [Line("_root = self")]),
        Line("self._root = _root"),
    )


def reader(name: str, lines: Lines) -> MethodView:
    """A method that reads into the object."""
    return MethodView(f"{name}(self) -> None", lines or (Line("pass"),))


def sequence(scope: ClassScope, attributes: tuple[Attribute, ...], only: frozenset[str] | None) -> Lines:
    """Reads attributes in order and verifies the checksums: all of them, or those of ``only``."""
    marks = Marks(scope.struct)
    lines: list[Line] = []
    for run in _groups(scope, attributes):
        fixed = fixed_size(run[0]) is not None
        lines.extend(marks.before(run, offsets(run) if fixed else (0,)))
        if len(run) > 1:
            lines.extend(read_run(scope, run))
        else:
            lines.extend(attribute_lines(scope, run[0], member(run[0].id), scope.source_of(run[0])))
        lines.extend(marks.behind(run))
    lines.extend(verify_lines(scope, marks, only))
    # Every statement that reads names the stream; an object without attributes has none.
    return (Line("io = self._io"), *lines) if lines else ()


def _groups(scope: ClassScope, attributes: tuple[Attribute, ...]) -> Iterable[tuple[Attribute, ...]]:
    """The attributes that are read in one step each time."""
    if scope.module.api is Api.WIRELOOM:
        return runs(attributes)
    if scope.module.debug:
        # Where each attribute lies is only known where each is read alone.
        return ((each,) for each in attributes)
    return (part for run in runs(attributes) for part in unfailing(run))


def common_methods(scope: ClassScope) -> list[MethodView]:
    """``to-string`` and the instances."""
    struct = scope.struct
    methods = []
    if struct.to_string is not None:
        text = scope.translator(struct.position).text(struct.to_string)
        methods.append(MethodView("__str__(self) -> str", (Line(f"return {text}"),)))
    methods.extend(instance_method(scope, each) for each in struct.instances)
    return methods
