"""Objects whose bytes were created before the lengths on which they depend were filled in, and are created once more.

The bytes of an object must exist before their length is known. If their content depends on that length, as a field
does that exists only if the length is large enough, they are compared with those of the new length. All other objects
are written once, since objects are nested: writing them twice at each level would take 2 ** depth times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ...expression.nodes import MemberAccess, Name, Node
from ...expression.types import IntegerType, UserType, VarintType
from ...expression.walk import all_names, expressions_in, names_in, walk
from ...tree import Attribute, Spec, Struct
from .encoding import packer_text, varint_text
from .marks import Marks
from .names import field_name
from .scope import ClassScope, member, place
from .statements import block, when
from .view import Lines


def before_lines(scope: ClassScope, wires: Mapping[str, str]) -> Iterator[str]:
    """Yield the statements that keep the lengths and arguments before they are filled in, for ``outdated_lines``."""
    for field in _dependent(scope, wires):
        yield f"{_before(field)} = {_set_values(scope, field)}"


def outdated_lines(
    scope: ClassScope, wires: Mapping[str, str], wire_lines: Callable[[Attribute, str], Lines]
) -> Iterator[str]:
    """Yield the statements that refuse bytes that differ with the lengths that were filled in.

    Args:
        wires: By field, the variable with its bytes.
        wire_lines: Returns the statements that assign the bytes of a field to a variable.
    """
    dependent = _dependent(scope, wires)
    for field in scope.struct.attributes:
        if field.id not in wires:
            continue
        yield from (f"{target} = {scope.text(argument, field)}" for target, argument in _arguments(scope, field))
        if field not in dependent:
            continue
        again = f"again_{field_name(field.id)}"
        compared = scope.call("unchanged", again, wires[field.id], repr(field.id))
        differs = scope.call("differs", _before(field), _set_values(scope, field))
        yield block(f"if {differs}:", [*wire_lines(field, again), compared])


def _before(field: Attribute) -> str:
    return f"before_{field_name(field.id)}"


def _dependent(scope: ClassScope, wires: Mapping[str, str]) -> tuple[Attribute, ...]:
    """Return the fields whose bytes may depend on lengths that are filled in after the bytes were created."""
    solved = _solved(scope)
    if not solved:
        return ()
    names = _depending_names(scope.spec)
    return tuple(
        each
        for each in scope.struct.attributes
        if each.id in wires
        and (
            any(True for _ in _arguments(scope, each))
            or any(names_in(node) & solved for node in _own_expressions(each))
            or any(_reaches(scope.spec, kind, names) for kind in each.object_types)
        )
    )


def _solved(scope: ClassScope) -> set[str]:
    return {each.id for each in scope.struct.fills if each.how == "solved"}


def _own_expressions(field: Attribute) -> Iterator[Node]:
    """Yield the expressions that choose the type of a field, and the arguments of its process."""
    if field.switch is not None:
        yield field.switch.on
    for form in (field, *field.forms):
        if form.process is not None:
            # The size of what is compressed is checked, but does not change the bytes.
            yield from form.process.arguments[:1] if form.process.codecs else form.process.arguments


def _set_values(scope: ClassScope, field: Attribute) -> str:
    """Return the text of the values on which the bytes of a field may depend, as far as they are set."""
    targets = [place(each.id) for each in scope.struct.fills if each.how == "solved"]
    parts = [each.rpartition(".")[::2] for each in targets + [target for target, _ in _arguments(scope, field)]]
    return f"({''.join(f'getattr({object}, {name!r}, None), ' for object, name in parts)})"


def _arguments(scope: ClassScope, field: Attribute) -> Iterator[tuple[str, Node]]:
    """Yield the parameters of an object that are filled in after it was created, and their arguments."""
    if not isinstance(field.type, UserType) or field.type.opaque or field.condition is not None:
        return
    solved = {each.partition(".")[0] for each in _solved(scope)}
    parameters = scope.spec.struct(field.type.path).parameters
    for parameter, argument in zip(parameters, field.arguments, strict=True):
        if names_in(argument) & solved:
            yield f"{member(field.id)}.{field_name(parameter.id)}", argument


def _depending_names(spec: Spec) -> set[str]:
    """Return the names of all lengths that are filled in, and of the instances that depend on them."""
    structs = [*spec.family]
    names = {each.id.rpartition(".")[2] for struct in structs for each in struct.fills if each.how == "solved"}
    instances = [(each.id, all_names(each)) for struct in structs for each in struct.instances]
    while found := {id for id, used in instances if id not in names and used & names}:
        names |= found
    return names


def _reaches(spec: Spec, kind: UserType, names: set[str]) -> bool:
    """Return whether objects of a type, or objects inside them, refer to one of ``names`` of an object that contains
    them."""
    for path in () if kind.opaque else spec.reached([kind.path], instances=True):
        struct = spec.struct(path)
        for expression in expressions_in((struct.attributes, struct.instances)):
            nodes = [*walk(expression)]
            outside = any(isinstance(each, Name) and each.id in ("_parent", "_root") for each in nodes)
            if outside and any(isinstance(each, MemberAccess) and each.name in names for each in nodes):
                return True
    return False


def measured(struct: Struct) -> tuple[Attribute, ...]:
    """Return the fields that contain sizes of later fields."""
    return tuple(each for each in struct.attributes if each.size_of is not None)


def compared_lines(scope: ClassScope, marks: Marks) -> Lines:
    """Return the statements that run after all fields and refuse size fields that differ from the measured size."""
    sizes = [each for each in measured(scope.struct) if each.size_of is not None and each.size_of[1] in marks.ends]
    lines = [_compared(scope, each, scope.text(Name(each.id), each), _extent(marks, each)) for each in sizes]
    if scope.struct.fills_stream:
        lines.append(_compared(scope, None, "io.size()", "io.pos()"))
    return tuple(lines)


def _compared(scope: ClassScope, field: Attribute | None, stated: str, found: str) -> str:
    place = scope.struct.key_path if field is None else field.key_path
    refusal = scope.refusal("SizeError", (stated, found, "io", repr(place)), "length", loses=field is not None)
    return when(f"{found} != {stated}", [refusal])


def _extent(marks: Marks, field: Attribute) -> str:
    """Return the text of the size in bytes of the fields whose size a field is."""
    assert field.size_of is not None
    first, last = field.size_of
    begin, end = marks.begins[first], marks.ends[last]
    return f"{end} - ({begin})" if "+" in begin else f"{end} - {begin}"


def is_inserted(field: Attribute) -> bool:
    """Return whether a field is written after the bytes it measures."""
    return field.size_of is not None and isinstance(field.type, VarintType)


def unmeasured_lines(scope: ClassScope) -> Iterator[str]:
    """Yield the statements that reserve space for sizes."""
    for each in measured(scope.struct):
        yield f"{member(each.id)} = 0"


def inserted_lines(scope: ClassScope, marks: Marks, written: Attribute) -> Iterator[str]:
    """Yield the statements after a field that insert sizes in front of the bytes they measure."""
    for field in reversed(scope.struct.attributes):
        if field.size_of is not None and field.size_of[1] == written.id and isinstance(field.type, VarintType):
            yield _assigned(marks, field)
            number = varint_text(scope, field, field.type, member(field.id))
            yield f"io.insert({marks.begins[field.id]}, {number})"


def measured_lines(scope: ClassScope, marks: Marks) -> Lines:
    """Return the statements that fill in sizes after everything has been written."""
    lines: list[str] = []
    for field in scope.struct.attributes:
        if field.size_of is None or not isinstance(field.type, IntegerType):
            continue
        value = scope.call("packed", packer_text(scope, field, field.type), repr(field.id), member(field.id))
        lines += [_assigned(marks, field), f"io.overwrite({marks.begins[field.id]}, {value})"]
    return tuple(lines)


def _assigned(marks: Marks, field: Attribute) -> str:
    return f"{member(field.id)} = {_extent(marks, field)}"
