"""A spec with the facts that are derived from it."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.base.dataclass import replace
from wireloom.codecs import BLOCK_CODECS

from ..expression.nodes import IntegerLiteral, MemberAccess, Node
from ..expression.types import BytesType, ComputedIntegerType, Path, StreamType, Type, UserType
from ..expression.walk import expressions_in, names_in, walk
from ..model.column_fit import ColumnFit
from ..model.layout import WHOLE, BitOffsets, members_read_from
from ..model.routines import refused_routines
from ..tree import Attribute, Checksum, InnerSum, Instance, Spec, StoredChecksum, Struct, Switch, SwitchCase
from ..tree.leaves import (
    SIZE_PRESERVING,
    EndOfStreamSize,
    ExpressionSize,
    FixedSize,
    Process,
    RepeatUntil,
    WithinSize,
)
from .dependencies import length_fields
from .filling import fills_of, with_made
from .lengths import derivations
from .sizes import BufferedTypes, Minimums, has_fixed_size
from .unsolved import with_read_only


def with_facts(spec: Spec) -> Spec:
    """Return a spec with the facts that are derived from it as a whole: those of the spec itself and of its imports."""
    return _Facts(spec).whole()


class _Facts:
    """Derives the facts about one spec."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.structs = {each.path: each for each in spec.family}
        self.minimums = Minimums(spec)
        self.fixed_sizes: dict[Path, bool] = {}
        self.bit_offsets = BitOffsets(self.structs)
        self.lengths = length_fields(spec)
        self.read_from = members_read_from(self.structs.values())
        self.recursive = recursive_types(spec)
        self.steps = {step[:2] for each in spec.tables for path in each.row_paths for step in path}
        at_positions = (path for path, id in self.steps if spec.struct(path).attribute(id) is None)
        self.buffered = BufferedTypes(spec, self.minimums, at_positions)
        self.fit = ColumnFit(spec.struct)

    def whole(self) -> Spec:
        """Return the spec with all facts."""
        imports = tuple(map(self._spec, self.spec.imports))
        rows = self.spec.tables[0] if self.spec.tables else None
        return with_made(with_read_only(replace(self._spec(self.spec), rows=rows, imports=imports)))

    def _spec(self, spec: Spec) -> Spec:
        title = spec.title or spec.name
        return replace(spec, title=title, root=self._struct(spec.root, ""), refused=refused_routines(spec))

    def _struct(self, struct: Struct, key_path: str) -> Struct:
        attributes = tuple(
            self._attribute(struct, each, f"{key_path}/seq/{n}") for n, each in enumerate(struct.attributes)
        )
        sums = ((each, each.checksum) for each in attributes)
        checksums = tuple(self._checksum(attributes, each, sum) for each, sum in sums if sum is not None)
        is_message = struct.message is not None
        return replace(
            struct,
            key_path=key_path,
            attributes=attributes,
            checksums=checksums,
            inner_checksums=tuple(self._inner_checksum(struct, attributes, each) for each in struct.inner_sums),
            instances=tuple(self._instance(struct, each, key_path) for each in struct.instances),
            fills=() if is_message else tuple(fills_of(attributes, derivations(self.spec, struct), checksums)),
            structs=tuple(self._struct(each, f"{key_path}/types/{each.path[-1]}") for each in struct.structs),
            buffered=self.buffered.of(struct),
            recursive=struct.path in self.recursive,
            fixed_size=has_fixed_size(self.spec, struct, self.fixed_sizes),
            least=0 if is_message else self.minimums.of_struct(struct),
            may_end_inside_a_byte=self.bit_offsets.after_type(struct) != WHOLE,
            fits_column=not is_message or self.fit.fits(UserType(struct.path)),
        )

    # Attributes -------------------------------------------------------------------------------------------------------

    def _attribute(self, struct: Struct, attribute: Attribute, key_path: str) -> Attribute:
        return replace(
            attribute,
            key_path=key_path,
            process=self._process(attribute),
            reason="length" if (struct.path, attribute.id) in self.lengths else "value",
            least=self.minimums.of(attribute),
            contains_process_errors=self._contains_process_errors(attribute),
            contains_content_errors=self._contains_content_errors(struct, attribute),
            switch=self._switch(struct, attribute, key_path),
            buffered=self.buffered.items(attribute) and not self._is_step(struct, attribute),
            iterable=attribute.repeat is not None and struct is self.spec.root and self._is_iterable(attribute),
        )

    def _process(self, attribute: Attribute) -> Process | None:
        """Return the process, with the size of an object of which zeros may be left out: the least one of its type."""
        process, kind = attribute.process, attribute.type
        if process is None or len(process.arguments) != 1 or not isinstance(kind, UserType) or attribute.switch:
            return process
        if not any(BLOCK_CODECS[each].least_size for each in process.codecs):
            return process
        least = IntegerLiteral(self.minimums.of_content(self.structs[kind.path]), type=ComputedIntegerType())
        return replace(process, arguments=(*process.arguments, least))

    def _contains_process_errors(self, attribute: Attribute) -> bool:
        """Return whether a failure of ``process`` is deferred; not if the value is needed at once, or if the step never
        fails."""
        process, kind = attribute.process, attribute.type
        if attribute.determines_layout or isinstance(attribute.repeat, RepeatUntil):
            return False
        if process is None:
            return self._is_message(kind)
        return process.name not in SIZE_PRESERVING and not (isinstance(kind, UserType) and bool(attribute.checks))

    def _contains_content_errors(self, struct: Struct, attribute: Attribute) -> bool:
        """Return whether what is wrong inside of an object costs no more than what has it, since it has no effect on
        the position of what follows it. An object in bytes of its own must also not be needed to read anything else."""
        kind, size = attribute.type, attribute.size
        if attribute.determines_layout or not isinstance(kind, UserType) or kind.opaque or self._is_message(kind):
            return False
        if isinstance(size, WithinSize):
            return True
        if isinstance(size, ExpressionSize) and self._uses_end(struct, size.expression):
            # If the input ends too early, so does the object.
            return False
        return isinstance(size, FixedSize | ExpressionSize) and (struct.path, attribute.id) not in self.read_from

    def _uses_end(self, struct: Struct, expression: Node) -> bool:
        """Return whether an expression depends on where a stream ends, by way of instances too."""
        for node in walk(expression):
            if isinstance(node, MemberAccess) and isinstance(node.value.type, StreamType) and node.name != "pos":
                return True
            found = self.spec.instance(struct, node)
            if found is not None and found[1].value is not None and self._uses_end(found[0], found[1].value):
                return True
        return False

    def _is_message(self, kind: Type) -> bool:
        return isinstance(kind, UserType) and not kind.opaque and self.spec.struct(kind.path).message is not None

    def _is_step(self, struct: Struct, attribute: Attribute) -> bool:
        return (struct.path, attribute.id) in self.steps

    def _switch(self, struct: Struct, attribute: Attribute, key_path: str) -> Switch | None:
        switch = attribute.switch
        if switch is None:
            return None
        branches: list[tuple[tuple[Node, ...], Attribute]] = []
        otherwise: Attribute | None = None
        of_type: dict[Type, list[int]] = {}
        # If no match depends on anything, cases of the same type are one branch.
        is_constant = not any(names_in(each.match) for each in switch.cases if each.match is not None)
        for case in switch.cases:
            form = self._attribute(struct, case_attribute(attribute, case), key_path)
            numbers = of_type.setdefault(form.type, [])
            same = [number for number in numbers if branches[number][1] == form]
            if case.match is None:
                otherwise = form
            elif same and (is_constant or same[-1] == len(branches) - 1):
                branches[same[-1]] = ((*branches[same[-1]][0], case.match), form)
            else:
                numbers.append(len(branches))
                branches.append(((case.match,), form))
        return replace(switch, branches=tuple(branches), otherwise=otherwise)

    def _is_iterable(self, attribute: Attribute) -> bool:
        """Return whether no size, count or check refers to the list, which does not exist while its items are read one
        by one."""
        struct = self.spec.root
        for node in expressions_in(attribute):
            if attribute.id in names_in(node):
                return False
        members = (each for holder in struct.all_structs for each in (*holder.attributes, *holder.instances))
        return not any(
            isinstance(each, MemberAccess) and each.name == attribute.id and _may_be(each.value, struct)
            for part in members
            for node in expressions_in(part)
            for each in walk(node)
        )

    # Verified and computed values
    # ----------------------------------------------------------------------------------------

    def _checksum(
        self, fields: tuple[Attribute, ...], field: Attribute, checksum: Checksum, path: tuple[str, ...] = ()
    ) -> StoredChecksum:
        names = [each.id for each in fields]
        inside = fields[names.index(checksum.first) : names.index(checksum.last) + 1]
        covered = tuple(each.id for each in inside)
        # What an expression computes may depend on what is written before.
        is_alone = len(inside) == 1 and not path and bool(checksum.algorithm or checksum.routine)
        return StoredChecksum(
            **vars(checksum),
            attribute=field,
            covered=covered,
            value=inside[0].id if is_alone and _is_plain(inside[0], checksum.content) else None,
            blanks_own=checksum.replace is not None and field in inside,
            inside=path,
            before_expansion=names.index((*path, field.id)[0]) < names.index(checksum.last)
            and _is_compressed(inside[-1])
            and not checksum.content,
        )

    def _inner_checksum(self, struct: Struct, fields: tuple[Attribute, ...], inner: InnerSum) -> StoredChecksum:
        holder = struct
        for name in inner.path:
            step = holder.attribute(name)
            assert step is not None
            assert isinstance(step.type, UserType)
            holder = self.spec.struct(step.type.path)
        number = [each.id for each in holder.attributes].index(inner.attribute.id)
        types = "".join(f"/types/{each}" for each in holder.path[1:])
        field = self._attribute(holder, inner.attribute, f"{types}/seq/{number}")
        return self._checksum(fields, field, inner.checksum, inner.path)

    def _instance(self, struct: Struct, instance: Instance, key_path: str) -> Instance:
        if instance.attribute is None:
            return instance
        key_path = f"{key_path}/instances/{instance.id}"
        attribute = self._attribute(struct, instance.attribute, key_path)
        # The value is needed at once.
        return replace(instance, attribute=replace(attribute, contains_process_errors=False))


def _is_compressed(field: Attribute) -> bool:
    """Return whether a field is decompressed and neither optional nor repeated."""
    if field.repeat is not None or field.condition is not None or field.switch is not None:
        return False
    return field.process is not None and bool(field.process.codecs)


def _is_plain(field: Attribute, content: bool) -> bool:
    """Return whether the value of a field is its bytes on the wire, or their ``content``."""
    if field.message is not None:
        return True
    return (
        isinstance(field.type, BytesType)
        and isinstance(field.size, FixedSize | ExpressionSize | EndOfStreamSize)
        and not (field.repeat or field.switch or field.condition or field.is_cut)
        and (field.process is None or content)
    )


def _may_be(node: Node, struct: Struct) -> bool:
    """Return whether the value of an expression may be an object of the type."""
    return not isinstance(node.type, UserType) or node.type.path == struct.path


def case_attribute(attribute: Attribute, case: SwitchCase) -> Attribute:
    """Return the attribute as it is in one case of its switch."""
    return replace(
        attribute, type=case.type, arguments=case.arguments, size=case.size, terminator=case.terminator, switch=None
    )


def recursive_types(spec: Spec) -> frozenset[Path]:
    """Return the types whose objects may contain, at any depth, an object of the same type."""
    endless = _endless(spec)
    found = (each for each in spec.root.all_structs if each.path in endless)
    return frozenset(
        each.path
        for each in found
        if each.path in spec.reached((inner.path for inner in _contained(spec, each)), instances=True)
    )


def _endless(spec: Spec) -> frozenset[Path]:
    """Return the types that contain, at any depth, a type that contains itself."""
    left = {each.path: {inner.path for inner in _contained(spec, each)} for each in spec.family}
    holders: dict[Path, list[Path]] = {}
    for path, inner in left.items():
        for each in inner:
            holders.setdefault(each, []).append(path)
    waiting = [path for path, inner in left.items() if not inner]
    while waiting:
        path = waiting.pop()
        del left[path]
        for each in holders.get(path, ()):
            left[each].discard(path)
            if not left[each]:
                waiting.append(each)
    return frozenset(left)


def _contained(spec: Spec, struct: Struct) -> Iterator[Struct]:
    kinds = (kind for each in struct.all_attributes for kind in each.object_types)
    return (spec.struct(each.path) for each in kinds if not each.opaque)
