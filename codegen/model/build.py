"""Symbols → structs of the model: every expression typed and checked."""

from __future__ import annotations

from collections.abc import Callable

from wireloom.base.dataclass import replace

from ..expression.fold import constant_integer
from ..expression.nodes import BooleanLiteral, IntegerLiteral, Node
from ..expression.typer import type_of
from ..expression.types import (
    BytesType,
    EnumType,
    StreamType,
    Type,
    UserType,
    assignable,
    comparable,
    is_boolean,
    is_integer,
    is_struct,
    is_text,
    type_name,
)
from ..expression.walk import updated
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Expression, ProcessReference, Section, TypeReference
from ..tree import Attribute, Checksum, Instance, Struct, Switch, SwitchCase, Valid
from ..tree.leaves import (
    ExpressionSize,
    OwnSize,
    Parameter,
    Process,
    Repeat,
    RepeatCount,
    RepeatEos,
    RepeatUntil,
    Size,
    WithinSize,
)
from ..words import shown
from .block_codecs import BlockCodecs
from .checksums import ChecksumReader
from .defaults import default_of, instance_default, size_of, with_added_items
from .extensions import FieldExtensions, fills_stream, json_members, members_named
from .fields import Field, PendingSize, PendingSwitch, PendingWithin
from .messages import message_of
from .order import computed_endian, refuse_later_names, refuse_within
from .scope import NOTHING, UNKNOWN, Bindings, Typing
from .symbols import AlreadyReportedError, Member, Symbol, World
from .varints import varint_of

Check = tuple[Callable[[Type], bool], str]

INTEGER: Check = (is_integer, "an integer")
BOOLEAN: Check = (is_boolean, "a boolean")
TEXT: Check = (is_text, "text")
BYTES: Check = (lambda type: isinstance(type, BytesType), "bytes")
STREAM: Check = (lambda type: isinstance(type, StreamType), "a stream")
VARIABLE: Check = (lambda type: not is_struct(type) and not is_boolean(type), "a variable")
STRUCT: Check = (is_struct, "an object")
HOLDS: Check = (lambda type: is_boolean(type) or is_struct(type), "a boolean")
"""Successful reading of an object is a condition too: its attributes have their own ``valid``."""


class Builder:
    """Builds the structs of one compilation."""

    def __init__(self, world: World, typing: Typing, diagnostics: Diagnostics) -> None:
        self.world, self.typing, self.diagnostics = world, typing, diagnostics

    def struct(self, symbol: Symbol) -> Struct:
        """Return the struct of a symbol, with nested structs. It is incomplete if there are errors."""
        section = symbol.section
        attributes = [self._attribute(symbol, each) for each in symbol.of_kind("attribute")]
        instances = [self._instance(symbol, each) for each in symbol.of_kind("instance")]
        return Struct(
            path=symbol.path,
            parameters=tuple(
                Parameter(each.id, each.type, each.section.word("doc").strip(), each.position)
                for each in symbol.of_kind("parameter")
                if each.type is not None
            ),
            attributes=tuple(each for each in attributes if each is not None),
            instances=tuple(each for each in instances if each is not None),
            structs=tuple(self.struct(each) for each in symbol.types.values()),
            enums=tuple(symbol.enums.values()),
            message=message_of(symbol),
            shown=members_named(symbol, "columns", self.diagnostics),
            json=json_members(symbol, self.diagnostics),
            fills_stream=fills_stream(symbol, self.diagnostics),
            to_string=self.checked(symbol, section, "to-string", TEXT),
            varint=varint_of(symbol.path, section.extensions),
            parents=tuple(each.path for each in symbol.parents),
            endian=computed_endian(symbol, self.typing, self.diagnostics),
            doc=section.word("doc").strip(),
            doc_ref=tuple(each.value for each in section.texts("doc-ref")),
            position=section.position,
        )

    # Members ---------------------------------------------------------------------------------------------------------

    def _attribute(self, symbol: Symbol, member: Member) -> Attribute | None:
        if member.field is None:
            return None
        field, section = member.field, member.section
        if field.message is not None:
            return self._message_field(symbol, member, field)
        whole = Bindings(index=field.repeats)
        item = replace(whole, item=field.type)
        arguments = self._arguments(symbol, field.reference, field.type, whole) if field.reference else ()
        attribute = Attribute(
            id=member.id,
            type=field.type,
            size=self._size(symbol, field.size, whole),
            arguments=arguments,
            switch=self._switch(symbol, field.switch, whole) if field.switch else None,
            terminator=field.terminator,
            pad_right=section.integer("pad-right"),
            process=self._process(symbol, section, whole),
            repeat=self._repeat(symbol, field, item),
            condition=self.checked(symbol, section, "if", BOOLEAN),
            contents=field.contents,
            valid=self._valid(symbol, field, item),
            parent=self._parent(symbol, section, whole),
            doc=section.word("doc").strip(),
            doc_ref=tuple(each.value for each in section.texts("doc-ref")),
            anonymous=member.kind == "attribute" and "id" not in section,
            position=member.position,
        )
        extensions = section.extensions
        if extensions is not None:
            codecs = BlockCodecs(symbol, extensions, self.typing, self.diagnostics, self.amount)
            attribute = updated(attribute, process=codecs.process(attribute, whole))
        refuse_later_names(symbol, member, attribute, self.diagnostics)
        return attribute if extensions is None else self._extended(symbol, member, extensions, attribute)

    def _extended(self, symbol: Symbol, member: Member, extensions: Section, attribute: Attribute) -> Attribute:
        """Return an attribute with its keys under ``-wireloom``, except ``codec``."""
        typing, diagnostics = self.typing, self.diagnostics
        refuse_within(self.world, symbol, member, attribute, diagnostics)
        attribute = updated(attribute, checksum=self._checksum(symbol, member, attribute))
        if member.kind == "attribute":
            attribute = updated(attribute, default=default_of(symbol, extensions, attribute, typing, diagnostics))
            attribute = with_added_items(symbol, extensions, attribute, typing, diagnostics)
            attribute = updated(attribute, size_of=size_of(symbol, member, extensions, attribute, diagnostics))
        return FieldExtensions(symbol, member, extensions, diagnostics).attribute(attribute, typing)

    def _checksum(self, symbol: Symbol, member: Member, attribute: Attribute) -> Checksum | None:
        extensions = member.section if attribute.message is not None else member.section.extensions
        section = extensions.section("checksum") if extensions is not None and "checksum" in extensions else None
        if section is None:
            return None

        def typed(section: Section, key: str, bindings: Bindings) -> Node | None:
            return self.checked(symbol, section, key, BOOLEAN if key == "if" else INTEGER, bindings)

        return ChecksumReader(symbol, self.diagnostics, member, typed, self._process).read(section, attribute)

    def _message_field(self, symbol: Symbol, member: Member, field: Field) -> Attribute:
        attribute = Attribute(
            id=member.id,
            type=field.type,
            size=OwnSize(),
            repeat=RepeatEos() if field.repeats else None,
            message=field.message,
            doc=member.section.word("doc").strip(),
            doc_ref=tuple(each.value for each in member.section.texts("doc-ref")),
            position=member.position,
        )
        attribute = FieldExtensions(symbol, member, member.section, self.diagnostics).message_field(attribute)
        return updated(attribute, checksum=self._checksum(symbol, member, attribute))

    def _instance(self, symbol: Symbol, member: Member) -> Instance | None:
        section = member.section
        doc = section.word("doc").strip()
        doc_ref = tuple(each.value for each in section.texts("doc-ref"))
        try:
            type = self.typing.member_type(symbol, member)
        except AlreadyReportedError:
            return None
        if member.field is None:
            if member.value is None:
                self.typing.instance(symbol, member)
            if member.value is None:
                return None
            condition = self.checked(symbol, section, "if", BOOLEAN)
            instance = Instance(member.id, type, value=member.value, condition=condition, doc=doc, doc_ref=doc_ref)
            instance = replace(instance, position=member.position)
            extensions = section.extensions
            if extensions is None:
                return instance
            if "sets" in extensions:
                instance = replace(instance, sets=self.checked(symbol, extensions, "sets", VARIABLE))
            instance = instance_default(symbol, extensions, instance, self.typing, self.diagnostics)
            return FieldExtensions(symbol, member, extensions, self.diagnostics).instance(instance)
        attribute = self._attribute(symbol, member)
        if attribute is None:
            return None
        pos = section.expression("pos")
        return Instance(
            id=member.id,
            type=type,
            attribute=attribute,
            pos=self.amount(symbol, pos, "'pos'") if pos is not None else None,
            io=self.checked(symbol, section, "io", STREAM),
            condition=attribute.condition,
            valid=attribute.valid,
            logical=attribute.logical,
            doc=doc,
            doc_ref=doc_ref,
            position=member.position,
        )

    # Expressions -----------------------------------------------------------------------------------------------------

    def checked(
        self, symbol: Symbol, section: Section, key: str, check: Check, bindings: Bindings = NOTHING
    ) -> Node | None:
        """Return the typed expression of a key. A wrong type is reported as an error at its position in the spec.

        Args:
            symbol: The type in whose scope the expression is.
            section: The section of the spec with the key.
            key: The key.
            check: The types that the key accepts, and their name in messages.
            bindings: What ``_`` and ``_index`` are in the expression, if it may use them.

        Returns:
            The expression; ``None`` if the key is missing or its expression has an error.
        """
        expression = section.expression(key)
        return self._expect(symbol, expression, f"'{key}'", check, bindings) if expression is not None else None

    def _expect(
        self, symbol: Symbol, expression: Expression, what: str, check: Check, bindings: Bindings
    ) -> Node | None:
        node = self.typing.expression(symbol, expression, bindings)
        if node is None:
            return None
        test, wanted = check
        if not test(type_of(node)):
            found = type_of(node)
            message = f"{what} must be {wanted}, found {type_name(found)}"
            of = self.world.at(found.path) if isinstance(found, UserType) and not found.opaque else None
            if of is not None and test is is_integer and "value" in of.members:
                message += "; add '.value' for its integer"
            self.diagnostics.error(expression.place(node.start, node.end), message)
            return None
        return node

    def _size(self, symbol: Symbol, size: PendingSize, bindings: Bindings) -> Size:
        if isinstance(size, PendingWithin):
            node = self._expect(symbol, size.expression, "'within'", BYTES, bindings)
            return WithinSize(node if node is not None else size.expression.node)
        if not isinstance(size, Expression):
            return size
        node = self.amount(symbol, size, "'size'", bindings)
        return ExpressionSize(node if node is not None else size.node)

    def amount(self, symbol: Symbol, expression: Expression, what: str, bindings: Bindings = NOTHING) -> Node | None:
        """Return the typed ``expression`` of a size, count or position like ``checked``: an integer, and no negative
        constant. ``what``: the key with its quotes, for messages. A negative constant is an error, but returned."""
        node = self._expect(symbol, expression, what, INTEGER, bindings)
        number = None if isinstance(node, IntegerLiteral | None) else constant_integer(node)  # literals have no sign
        if number is not None and number < 0:
            self.diagnostics.error(expression.position, f"{what} must not be negative, found {number}")
        return node

    def _repeat(self, symbol: Symbol, field: Field, item: Bindings) -> Repeat | None:
        how = field.section.word("repeat")
        if how == "eos":
            return RepeatEos()
        if how == "expr":
            count = field.section.expression("repeat-expr")
            node = self.amount(symbol, count, "'repeat-expr'") if count is not None else None
            return RepeatCount(node) if node is not None else None
        if how == "until":
            node = self.checked(symbol, field.section, "repeat-until", BOOLEAN, item)
            return RepeatUntil(node) if node is not None else None
        return None

    def _parent(self, symbol: Symbol, section: Section, bindings: Bindings) -> Node | None:
        expression = section.expression("parent")
        if expression is None:
            return None
        if isinstance(expression.node, BooleanLiteral) and not expression.node.value:
            return self.typing.expression(symbol, expression, bindings)
        return self._expect(symbol, expression, "'parent'", STRUCT, bindings)

    def _process(self, symbol: Symbol, section: Section, bindings: Bindings, key: str = "process") -> Process | None:
        process = section.get(key)
        if not isinstance(process, ProcessReference):
            return None
        arguments = [self.typing.expression(symbol, each, bindings) for each in process.arguments]
        for index, node in enumerate(arguments):
            if node is None:
                return None
            kind = type_of(node)
            wrong = None
            if process.name in ("rol", "ror") and not is_integer(kind):
                wrong = "an integer"
            if process.name == "xor" and not is_integer(kind) and type_name(kind) != "bytes":
                wrong = "an integer or bytes"
            if wrong:
                place = process.arguments[index].place(node.start, node.end)
                found = type_name(kind)
                self.diagnostics.error(place, f"the argument of '{process.name}' must be {wrong}, found {found}")
        return Process(process.name, tuple(each for each in arguments if each is not None), process.position)

    def _arguments(self, symbol: Symbol, reference: TypeReference, type: Type, bindings: Bindings) -> tuple[Node, ...]:
        nodes = [
            self.typing.expression(symbol, reference.argument(index), bindings)
            for index in range(len(reference.arguments))
        ]
        target = self.world.at(type.path) if isinstance(type, UserType) and not type.opaque else None
        if target is not None:
            parameters = target.of_kind("parameter")
            if len(parameters) != len(nodes) and not target.unknown_members:
                message = f"parameter count mismatch: {len(parameters)} declared, but {len(nodes)} used"
                names = ", ".join(each.id for each in parameters)
                hint = f"{shown(reference.name)} takes {f'({names})' if names else 'no arguments'}"
                self.diagnostics.error(reference.position, message, hint=hint)
            for index, (node, parameter) in enumerate(zip(nodes, parameters, strict=False)):
                if node is None or parameter.type is None:
                    continue
                if not assignable(type_of(node), parameter.type):
                    wanted, found = type_name(parameter.type), type_name(type_of(node))
                    place = reference.argument(index).place(node.start, node.end)
                    self.diagnostics.error(place, f"the parameter '{parameter.id}' must be {wanted}, found {found}")
        return tuple(each for each in nodes if each is not None)

    def _switch(self, symbol: Symbol, switch: PendingSwitch, bindings: Bindings) -> Switch | None:
        on = self.typing.expression(symbol, switch.on, bindings)
        inside = replace(bindings, switch_on=type_of(on)) if on is not None else UNKNOWN
        cases: list[SwitchCase] = []
        reasons: set[str] = set()
        for case in switch.cases:
            match = None
            if case.match is not None:
                match = self.typing.expression(symbol, case.match, inside)
                reason = comparable(type_of(on), type_of(match), "==") if on is not None and match is not None else None
                if reason and reason not in reasons:  # in other cases it is the same mistake
                    reasons.add(reason)
                    self.diagnostics.error(case.position, f"this case can never match: {reason}")
            arguments = self._arguments(symbol, case.reference, case.type, inside) if case.reference else ()
            size = self._size(symbol, case.size, bindings)
            cases.append(SwitchCase(match, case.type, arguments, size, case.terminator))
        return Switch(on, tuple(cases)) if on is not None else None

    def _valid(self, symbol: Symbol, field: Field, item: Bindings) -> Valid | None:
        value = field.section.get("valid")
        if isinstance(value, Expression):
            node = self._bound(symbol, value, field.type, item, "==")
            return Valid(equal=node) if node is not None else None
        if not isinstance(value, Section):
            return None
        groups = [
            keys
            for keys in (("eq",), ("min", "max"), ("any-of",), ("in-enum",), ("expr",))
            if any(k in value for k in keys)
        ]
        if len(groups) != 1:
            problem = "these keys of 'valid' cannot be used together" if groups else "'valid' is empty"
            self.diagnostics.error(value.position, f"{problem}; expected eq, min and max, any-of, in-enum or expr")
            return None
        if value.flag("in-enum") and not isinstance(field.type, EnumType):
            self.diagnostics.error(value.position_of("in-enum"), "`valid/in-enum` requires the `enum` key")
        one_of = [
            self._bound(symbol, each, field.type, item, "==")
            for each in value.items("any-of")
            if isinstance(each, Expression)
        ]
        return Valid(
            equal=self._bound_key(symbol, value, "eq", field.type, item, "=="),
            minimum=self._bound_key(symbol, value, "min", field.type, item, "<="),
            maximum=self._bound_key(symbol, value, "max", field.type, item, "<="),
            any_of=tuple(each for each in one_of if each is not None),
            in_enum=value.flag("in-enum"),
            expression=self.checked(symbol, value, "expr", HOLDS, item),
        )

    def _bound_key(
        self, symbol: Symbol, valid: Section, key: str, type: Type, item: Bindings, operator: str
    ) -> Node | None:
        expression = valid.expression(key)
        return self._bound(symbol, expression, type, item, operator) if expression is not None else None

    def _bound(self, symbol: Symbol, expression: Expression, type: Type, item: Bindings, operator: str) -> Node | None:
        node = self.typing.expression(symbol, expression, item)
        if node is None:
            return None
        reason = comparable(type, type_of(node), operator)
        if reason:
            self.diagnostics.error(expression.place(node.start, node.end), reason)
            return None
        return node
