"""Lowers checksums to steps: the marks that the engine sets while it reads the bytes that they cover, those that are
verified at the end of their type, and those that are values of instances."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wireloom.base.dataclass import dataclass, replace
from wireloom.checksums import function
from wireloom.format.program import ChecksumRule, Op, Place

from ...expression.nodes import CoveredChecksum
from ...passes.running_checksums import running_checksum_holder
from ...tree import StoredChecksum
from .assembler import Assembler
from .instructions import AbsentInstruction, Label, Operation, Refusal, RemovableOperation
from .interval import Interval
from .lowering_context import LoweringContext
from .parameters import must_have_value
from .refusal import NotForEngineError
from .run_builder import RunBuilder
from .stack_code import StackCode, required
from .symbols import ObjectScope, Scalar, Span, checksum_target


def before_expansion(
    context: LoweringContext,
    scope: ObjectScope,
    marks: Marks,
    covers: list[StoredChecksum],
    conditions: dict[str, Scalar],
) -> Callable[[], None]:
    """Return a function that appends the checksums to be verified before the block that they end with is
    decompressed."""

    def append() -> None:
        for cover in covers:
            context.assembler.add(Op.MARK, marks.covered(cover)[1], 2, comment=f"{cover.last} will end")
            lower_checksum(context, scope, cover, marks, conditions.get(cover.attribute.id))

    return append


def after_expansion(
    context: LoweringContext,
    scope: ObjectScope,
    marks: Marks,
    covers: list[StoredChecksum],
    conditions: dict[str, Scalar],
) -> Callable[[], None]:
    """Return a function that appends the checksums of the content of a block that has just been decompressed."""

    def append() -> None:
        for cover in covers:
            for place, mark in enumerate(marks.covered(cover), 1):
                comment = f"content of {cover.last} {'begins' if place == 1 else 'ends'}"
                context.assembler.add(Op.MARK, mark, place, comment=comment)
            lower_checksum(context, scope, cover, marks, conditions.get(cover.attribute.id))

    return append


def lower_checksum(
    context: LoweringContext, scope: ObjectScope, cover: StoredChecksum, marks: Marks, present: Scalar | None
) -> None:
    """Append the steps that verify one checksum.

    Args:
        context: The state of the walk.
        scope: The object whose attributes are covered.
        cover: The checksum, and what it covers.
        marks: The marks at the beginning and at the end of the covered bytes.
        present: The register that says whether the optional field with the checksum is there; ``None`` for a field that
            always is.

    Raises:
        NotForEngineError: The engine does not support such a checksum.
    """
    name, algorithm = cover.attribute.id, cover.made_by
    holder: object = scope
    for each in cover.inside:
        holder = holder.members.get(each) if isinstance(holder, ObjectScope) else None
    found = holder.members.get(name) if isinstance(holder, ObjectScope) else None
    if cover.routine is not None:
        raise NotForEngineError(f'the checksum "{name}" is computed by a routine')
    if cover.extra is not None and not algorithm.in_pieces:
        raise NotForEngineError(f'the checksum "{name}" has an extra byte')
    if cover.blanks_own and not algorithm.in_pieces:
        raise NotForEngineError(
            f'the checksum "{name}" covers itself, which the engine does not support for {cover.algorithm}'
        )
    if not isinstance(found, Scalar | Span) or (isinstance(found, Span) and not found.located):
        raise NotForEngineError(f'the engine does not support the checksum "{name}"')
    # An expression in place of an algorithm is a stored value that does not depend on the checksum.
    rule = ChecksumRule(cover.algorithm or "xor8", cover.initial, cover.final_xor)
    if isinstance(found, Span):
        rule = replace(rule, place=Place.SPAN_BE if cover.endian == "be" else Place.SPAN_LE)
    if cover.blanks_own and cover.replace is not None:
        rule = replace(rule, replace=cover.replace, own=marks.before(name), own_size=cover.attribute.least)
    assembler, absent = context.assembler, Label()
    if present is not None:
        assembler.add(Op.SKIP_IF_ZERO, present, 0, absent, comment=f"is {name} there?")
    if cover.condition is not None:
        question = f"is {name} verified?"
        needed = assembler.temporary(context.compiler(scope).compile(cover.condition), question, speculative=True)
        assembler.add(Op.SKIP_IF_ZERO, needed, 0, absent, comment=question)
    compiler, continues, stored = context.compiler(scope), None, None
    running = _running_checksum(context, scope, cover, found)
    unknown = Label()
    if running is not None:
        previous, known = running.read(assembler, name, cover)
        compiler = replace(compiler, it=previous)
        assembler.add(Op.SKIP_IF_ZERO, known, 0, unknown, comment=f"is what {name} continues known?")
    if cover.continues is not None:
        what = f"what {name} continues"
        compiled = required(compiler.compile(cover.continues))
        continues = assembler.temporary(compiled, what, speculative=True)
        if compiled.may_fail:
            must_have_value(context, StackCode((continues,), continues.interval), what)
    extra = None
    if cover.extra is not None:
        compiled = required(compiler.compile(cover.extra))
        extra = assembler.temporary(compiled, f"extra byte of {name}", speculative=True)
        if compiled.may_fail:
            must_have_value(context, StackCode((extra,), extra.interval), extra.name)
        if not compiled.interval.within(0, 255):
            assembler.add(Op.CHECK_RANGE, extra, Refusal(True, "value"), 0, 255, comment=extra.name)
    if cover.stored is not None:
        sum = Scalar(f"sum of {name}", Interval(0, (1 << algorithm.width) - 1))
        stored = sum, replace(compiler, it=sum).compile(cover.stored)
        alone = all(each is sum for each in stored[1].read())
        if not alone and (stored[1].may_fail or stored[1].nullable):
            raise NotForEngineError(f'the stored value of the checksum "{name}" may have no value')
    comment = f"{name} over {cover.first}" + (f" to {cover.last}" if cover.last != cover.first else "")
    assembler.checksum(rule, found, *marks.covered(cover), comment, continues, stored, extra)
    assembler.bind(unknown)
    if running is not None:
        assembler.add(Op.SET_RUNNING_CHECKSUM, running.number, running.value, comment=name)
    assembler.bind(absent)


def lower_message_sums(context: LoweringContext, scope: ObjectScope, broken: Scalar) -> None:
    """Append the steps that verify the checksums of a message whose fields have been read; they are skipped for a
    message that is ``broken``, since its fields are unknown."""
    covers = scope.struct.verified
    if not covers:
        return
    assembler, marks = context.assembler, Marks(context.assembler, covers)
    unknown, after = Label(), Label()
    assembler.add(Op.SKIP_UNLESS, broken, 0, unknown, 0, comment="can its checksums be verified?")
    for cover in covers:
        span = scope.members.get(cover.first)
        if not isinstance(span, Span):
            raise NotForEngineError(f'the engine does not support the checksum "{cover.attribute.id}"')
        for number, place, what in zip(marks.covered(cover), (3, 4), ("begins", "ends"), strict=True):
            assembler.add(Op.MARK, number, place, span, comment=f"{cover.first} {what}")
        lower_checksum(context, scope, cover, marks, None)
    running_checksums = [
        running
        for each in covers
        if (running := _running_checksum(context, scope, each, scope.members[each.attribute.id]))
    ]
    assembler.add(Op.JUMP, 0, 0, after)
    assembler.bind(unknown)
    for running in running_checksums:
        nothing = Scalar(running.value.name, running.value.interval, nullable=True)
        assembler.instructions.append(AbsentInstruction(nothing))
        assembler.add(Op.SET_RUNNING_CHECKSUM, running.number, nothing, comment=f"no {nothing.name}")
    assembler.bind(after)


# Checksums that continue those of the items before them ---------------------------------------------------------------


@dataclass(frozen=True)
class _RunningChecksum:
    """A checksum that continues that of the previous item: the ``number`` of its carried value, and the register with
    the checksum stored in this item."""

    number: int
    value: Scalar

    def read(self, assembler: Assembler, name: str, cover: StoredChecksum) -> tuple[Scalar, Scalar]:
        """Append ``RUNNING_CHECKSUM``; return the register with the checksum of the previous item, and one that says
        whether it is known."""
        nothing = function(cover.made_by)(b"")
        assert isinstance(nothing, int)
        previous = Scalar(f"{name} before", self.value.interval.union(Interval(nothing, nothing)))
        known = Scalar(f"is {name} before known?", Interval(0, 1))
        assembler.add(Op.RUNNING_CHECKSUM, previous, self.number, known, nothing, comment=f"{name} of the item before")
        return previous, known


def _running_checksum(
    context: LoweringContext, scope: ObjectScope, cover: StoredChecksum, value: object
) -> _RunningChecksum | None:
    """Return the carried value of a checksum, if it continues that of the previous item. It belongs to the object that
    contains the items."""
    if not cover.is_running:
        return None
    found = running_checksum_holder(scope.spec, scope.struct)
    holder: ObjectScope | None = scope
    for _ in range(found.up if found is not None else 0):
        holder = None if holder is None else holder.parent
    number = None if holder is None else context.running_checksums.get((holder, cover.attribute.id))
    if number is None or not isinstance(value, Scalar):
        raise NotForEngineError(f'the checksum "{cover.attribute.id}" continues that of an item of the same unit')
    return _RunningChecksum(number, value)


class Marks:
    """The marks of one type. A position that several checksums use has one mark."""

    def __init__(self, assembler: Assembler, covers: Iterable[StoredChecksum]) -> None:
        self._before: dict[str, int] = {}
        self._after: dict[str, int] = {}
        self._covered: dict[tuple[str, ...], tuple[int, int]] = {}
        for cover in covers:
            if cover.content:
                self._covered[cover.path] = (assembler.mark(), assembler.mark())
                continue
            for name in cover.marked:
                if name not in self._before:
                    self._before[name] = assembler.mark()
            if cover.last not in self._after:
                self._after[cover.last] = assembler.mark()
            self._covered[cover.path] = (self._before[cover.first], self._after[cover.last])
        self.fields = self._before.keys() | self._after.keys()
        """The fields with a mark before or after them."""

    def before(self, name: str) -> int:
        """Return the mark before an attribute."""
        return self._before[name]

    def set_before(self, run: RunBuilder, name: str) -> None:
        """Append the mark before an attribute, if there is one."""
        if name in self._before:
            run.mark(self._before[name], f"{name} begins")

    def set_after(self, run: RunBuilder, name: str) -> None:
        """Append the mark after an attribute, if there is one."""
        if name in self._after:
            run.mark(self._after[name], f"{name} ends")

    def covered(self, cover: StoredChecksum) -> tuple[int, int]:
        """Return the marks between which a checksum is computed."""
        return self._covered[cover.path]


# Checksums that are values of instances -------------------------------------------------------------------------------


class ComputedChecksums:
    """The checksums of one object. Each has two marks for each run of attributes, with consecutive numbers."""

    def __init__(self, context: LoweringContext, scope: ObjectScope) -> None:
        self.context, self.scope = context, scope
        self.nodes = () if scope.in_function else scope.struct.computed_checksums
        self._targets = {each.id: checksum_target(each) for each in self.nodes}
        self._marks = {each.id: [context.assembler.mark() for _ in range(2 * len(each.runs))] for each in self.nodes}
        self.fields = {name for each in self.nodes for run in each.runs for name in run}
        """The fields that a run begins or ends with."""

    def before(self, name: str) -> None:
        """Append the marks before an attribute. They are dropped if no step needs the checksum."""
        self._mark(name, 0, f"{name} begins")

    def after(self, name: str) -> None:
        """Append the marks after an attribute, and the steps of the checksums whose last attribute it is."""
        self._mark(name, 1, f"{name} ends")
        for each in self.nodes:
            if each.runs[-1][1] == name:
                self._lower(each)

    def _mark(self, name: str, end: int, comment: str) -> None:
        for each in self.nodes:
            for number, run in enumerate(each.runs):
                if run[end] == name:
                    mark = self._marks[each.id][2 * number + end]
                    self.context.run.mark(mark, comment, self._targets[each.id])

    def _lower(self, node: CoveredChecksum) -> None:
        context, target, assembler = self.context, self._targets[node.id], self.context.assembler
        context.run.flush()
        target.path_conditions = context.path_conditions
        self.scope.checksums[node.id] = target
        context.created.append(target)
        absent, condition = Label(), self._condition(node)
        if condition is not None:
            question = f"is {node.id} there?"
            there = assembler.temporary(condition, question, speculative=True)
            operation = Operation(Op.SKIP_IF_ZERO, there, 1, absent, comment=question)
            assembler.instructions.append(RemovableOperation(operation, target))
        place = Place.SPAN_LE if isinstance(target, Span) else Place.REGISTER
        rule = ChecksumRule(node.algorithm, node.initial, node.final_xor, place=place)
        covered = ", ".join(first if first == last else f"{first} to {last}" for first, last in node.runs)
        assembler.sum(target, rule, self._marks[node.id][0], len(node.runs), f"{node.id} over {covered}")
        assembler.bind(absent)

    def _condition(self, node: CoveredChecksum) -> StackCode | None:
        """Return the condition of the instance, without which no expression uses its value; ``None`` if there is none,
        or if it cannot be computed yet."""
        instance = self.scope.struct.instance(node.id)
        try:
            condition = None if instance is None else instance.condition
            return None if condition is None else self.context.compiler(self.scope).compile(condition)
        except NotForEngineError:
            return None
