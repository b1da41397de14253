"""Instances of the read-write API: properties that read, set and write their values."""

from __future__ import annotations

from wireloom.base.dataclass import replace

from ....tree import Attribute, Instance
from ..docstrings import described, named
from ..instances import instance_method, is_cached, read_in_place, slot
from ..names import field_name
from ..scope import INSTANCE, ClassScope
from ..statements import block, when, when_all
from ..view import Lines, MethodView
from .deferral import depends_on_stream
from .solved import solution_texts
from .writing import field_writer


def instance_methods(scope: ClassScope, instance: Instance) -> list[MethodView]:
    """Return all methods of a class for an instance."""
    if instance.attribute is None:
        return [instance_method(scope, instance), _invalidate(scope, instance)]
    inside = replace(scope, places=INSTANCE)
    return [
        _getter(inside, instance),
        _setter(inside, instance),
        _writer(inside, instance, instance.attribute),
    ]


def _invalidate(scope: ClassScope, instance: Instance) -> MethodView:
    forget: Lines = (f"self._forget({slot(instance)!r})",) if is_cached(scope, instance) else ()
    doc = f"``{instance.id}`` is computed again when it is accessed" + ("." if forget else ", with or without this.")
    return MethodView(f"_invalidate_{field_name(instance.id)}(self) -> None", forget, doc)


def _getter(scope: ClassScope, instance: Instance) -> MethodView:
    name, kept = field_name(instance.id), f"self.{slot(instance)}"
    lines = read_in_place(scope, instance, kept)
    absent = f"not self.{name}__enabled"
    if instance.condition is not None:
        absent += f" or {scope.translator(instance.position).negation(instance.condition)}"
    annotation = scope.annotations.of_instance(instance)
    nothing = "None" if annotation.endswith("| None") else scope.call("cast", repr(annotation), None)
    return MethodView(
        signature=f"{name}(self) -> {annotation}",
        lines=(
            when(f"self._should_write_{name}", [f"self._write_{name}()"]),
            when(f"hasattr(self, {slot(instance)!r})", [f"return {kept}"]),
            when(absent, [f"return {nothing}"]),
            when(f"not self._is_there({name!r})", lines),
            f"return {kept}",
        ),
        doc=described(instance.doc, instance.doc_ref) or named(scope.module, "instance", instance.id),
        decorators=("property",),
    )


def _setter(scope: ClassScope, instance: Instance) -> MethodView:
    name = field_name(instance.id)
    return MethodView(
        signature=f"{name}(self, value: {cached_annotation(scope, instance)}) -> None",
        lines=(f"self.{slot(instance)} = value",),
        decorators=(f"{name}.setter",),
    )


def cached_annotation(scope: ClassScope, instance: Instance) -> str:
    """Return the annotation of the value that an instance stores; absent values are not stored."""
    if instance.attribute is None:
        return scope.annotations.of_instance(instance)
    text = scope.annotations.of_field(instance.attribute)
    # A value that matches no case of a switch is stored as ``None``.
    unmatched = instance.attribute.unmatched and instance.attribute.repeat is None
    return f"{text} | None" if unmatched and not text.endswith("| None") else text


def _writer(scope: ClassScope, instance: Instance, field: Attribute) -> MethodView:
    name = field_name(instance.id)
    lines = field_writer(scope, replace(field, condition=None), f"self.{slot(instance)}")
    text = scope.translator(instance.position).text
    if instance.pos is not None:
        position = ["io", text(instance.pos), *solution_texts(scope, instance.pos, field)]
        position += ["from_end=True"] if depends_on_stream(scope, instance.pos) else []
        lines = (block(f"with {scope.call('placed', *position)}:", lines),)
    lines = (f"io = {'self._io' if instance.io is None else text(instance.io)}", *lines)
    if instance.condition is not None:
        lines = (when_all([text(instance.condition)], lines),)
    return MethodView(f"_write_{name}(self) -> None", (f"self._should_write_{name} = False", *lines))
