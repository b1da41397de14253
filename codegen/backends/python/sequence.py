"""The common parts of the classes of all APIs: the reader of ``seq``, and the instances."""

from __future__ import annotations

from collections.abc import Iterable

from ...tree import Attribute, Run, Step, StoredChecksum
from ...tree.leaves import WithinSize
from .checksum_proofs import verifies_methods
from .checksums import covered_lines, stored_methods, verify_lines
from .instances import instance_method
from .marks import Marks
from .names import field_name
from .outdated import compared_lines, measured
from .reading import encoded_bytes_lines, read_lines
from .runs import run_lines
from .scope import ClassScope, member
from .statements import attempt, block
from .view import Lines, MethodView


def parameter_list(scope: ClassScope) -> tuple[str, ...]:
    """Return the parameters of the type as declared by a constructor."""
    return tuple(f"{field_name(each.id)}: {scope.annotations.of(each.type)}" for each in scope.struct.parameters)


def parameter_names(scope: ClassScope) -> tuple[str, ...]:
    """Return the names of the parameters of the type."""
    return tuple(field_name(each.id) for each in scope.struct.parameters)


def debug_initializer(scope: ClassScope) -> str:
    """Return the statement of constructors that makes the attribute with the positions of fields."""
    return f"self._debug = {scope.call('defaultdict', scope.annotations.builtin('dict'))}"


def reader(scope: ClassScope, name: str, lines: Lines) -> MethodView:
    """Return a method that reads into the object.

    If objects may be nested without limit, exceeding the maximum depth is an error of its own. The check costs nothing
    until then; if there is no stack left for a call, an outer object raises the error. With wireloom's own API nested
    objects count as repetition too.
    """
    if lines and scope.struct.recursive:
        counted = (scope.call("count_items", "self._io", 1),) if scope.own else ()
        deeper = f"raise {scope.call('too_deep', 'error', 'self')} from None"
        lines = (attempt((*counted, *lines), "RecursionError as error", [deeper]),)
    return MethodView(f"{name}(self) -> None", lines or ("pass",))


def sequence(scope: ClassScope, steps: Iterable[Step], covers: Iterable[StoredChecksum]) -> Lines:
    """Return the statements that execute steps in order, and verify checksums."""
    lines = sequence_body(scope, steps, covers)
    # Every statement that reads uses the stream; an object without fields needs none.
    return ("io = self._io", *lines) if lines else ()


def sequence_body(scope: ClassScope, steps: Iterable[Step], covers: Iterable[StoredChecksum]) -> Lines:
    """Return the statements of ``sequence`` without the assignment of ``io``."""
    marks = Marks(scope.struct)
    marks.want_computed()
    parts = list(steps)
    for each in measured(scope.struct):
        marks.want_size(each)
    lines = ["begin = io.pos()"] if any(_leads_elsewhere(scope, each) for each in parts) else []
    covers = list(covers)
    early = [each for each in covers if each.before_expansion]
    tails: list[tuple[int, tuple[int, ...]]] = []
    for step in parts:
        fields, offsets = (step.attributes, step.offsets) if isinstance(step, Run) else ((step,), (0,))
        lines.extend(marks.before(fields, offsets))
        if isinstance(step, Attribute) and (sums := [each for each in early if each.last == step.id]):
            lines.extend(encoded_bytes_lines(scope, step))
            lines.extend(marks.after(fields))
            lines.extend(verify_lines(scope, marks, sums))
        lines.extend(run_lines(scope, step) if isinstance(step, Run) else read_lines(scope, step, member(fields[0].id)))
        lines.extend(marks.after(fields))
        lines.extend(covered_lines(scope, marks, fields))
        if step is not parts[-1] and (numbers := scope.last_steps(fields[0])):
            tails.append((len(lines), numbers))
    for begin, numbers in reversed(tails):
        flags = ["sums=True"] if early else []
        lines[begin:] = [block(f"with {scope.call('AfterRows', 'self', 'io', *numbers, *flags)}:", lines[begin:])]
    return (
        *lines,
        *compared_lines(scope, marks),
        *verify_lines(
            scope, marks, (each for each in covers if each not in early and not (each.content and scope.own))
        ),
    )


def _leads_elsewhere(scope: ClassScope, step: Step) -> bool:
    """Return whether a step leads to rows in bytes that have already been read, which are located relative to the
    beginning of the object.
    """
    return isinstance(step, Attribute) and isinstance(step.size, WithinSize) and bool(scope.row_steps(step))


def common_methods(scope: ClassScope) -> list[MethodView]:
    """Return the methods of ``to-string`` and of the instances."""
    struct = scope.struct
    methods = []
    if struct.to_string is not None:
        text = scope.translator(struct.position).text(struct.to_string)
        methods.append(MethodView("__str__(self) -> str", (f"return {text}",)))
    methods.extend(instance_method(scope, each) for each in struct.instances)
    methods.extend(stored_methods(scope))
    methods.extend(verifies_methods(scope))
    return methods
