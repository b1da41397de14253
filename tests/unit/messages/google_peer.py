"""The same message types for Google's protobuf, and values of random messages of random types."""

from itertools import count
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import strategies
from hypothesis.strategies import SearchStrategy
from wireloom.objects.messages import FieldKind, FieldRule, Label, MessageRule, MessageSet

Kind, Of = FieldKind, Label

COLORS = (0, 1, 5, -1)
"""The values of the one enum that all fields have."""

_numbers = count()


def google_classes(messages: MessageSet) -> dict[str, type[Any]]:
    """Return Google's classes of the same types: proto2 if text is not checked, proto3 if it is."""
    package = f"peer{next(_numbers)}"
    proto2 = not messages.messages[0].check_text
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{package}.proto", package=package, syntax="proto2" if proto2 else "proto3"
    )
    colors = file.enum_type.add(name="Color")
    for number, value in enumerate(COLORS):
        colors.value.add(name=f"C{number}", number=value)
    for rule in messages.messages:
        _add_type(file, rule, messages, proto2)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        rule.name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{rule.name}"))
        for rule in messages.messages
    }


def _add_type(file: Any, rule: MessageRule, messages: MessageSet, proto2: bool) -> None:
    made = file.message_type.add(name=rule.name)
    oneofs = sorted({each.oneof for each in rule.fields if each.oneof})
    for name in oneofs:
        made.oneof_decl.add(name=name)
    for field in rule.fields:
        type_name = _type_name(file, field, messages)
        target = made.field.add(name=field.name, number=field.number)
        if field.key is not None:
            entry = made.nested_type.add(name=f"{field.name.capitalize()}Entry")
            entry.options.map_entry = True
            entry.field.add(name="key", number=1, type=int(field.key), label=1)
            entry.field.add(name="value", number=2, type=int(field.kind), label=1, type_name=type_name)
            target.label, target.type = 3, 11
            target.type_name = f".{file.package}.{rule.name}.{entry.name}"
            continue
        target.type = int(field.kind)
        if type_name is not None:
            target.type_name = type_name
        target.label = {Of.REPEATED: 3, Of.REQUIRED: 2}.get(field.label, 1)
        if field.label is Of.REPEATED and field.kind not in (Kind.STRING, Kind.BYTES, Kind.MESSAGE):
            target.options.packed = field.packed
        if field.oneof:
            target.oneof_index = oneofs.index(field.oneof)
        elif field.label is Of.OPTIONAL and not proto2 and field.kind is not Kind.MESSAGE:
            # A field with presence in proto3 is the only member of its own oneof; such oneofs are last.
            target.proto3_optional = True
            target.oneof_index = len(made.oneof_decl)
            made.oneof_decl.add(name=f"_{field.name}")


def _type_name(file: Any, field: FieldRule, messages: MessageSet) -> str | None:
    if field.kind is Kind.ENUM:
        return f".{file.package}.Color"
    return f".{file.package}.{messages.messages[field.message].name}" if field.kind is Kind.MESSAGE else None


# Random types --------------------------------------------------------------------------------------------------------

KEYS = tuple(each for each in Kind if each not in (Kind.DOUBLE, Kind.FLOAT, Kind.BYTES, Kind.MESSAGE, Kind.ENUM))
UNPACKED = (Kind.STRING, Kind.BYTES, Kind.MESSAGE)


@strategies.composite
def message_sets(draw: Any) -> MessageSet:
    """Return two or three types that may contain each other, with up to seven fields each."""
    proto2 = draw(strategies.booleans())
    names = [f"M{number}" for number in range(draw(strategies.integers(2, 3)))]
    rules = []
    for name in names:
        numbers = draw(
            strategies.lists(strategies.integers(1, 40) | strategies.just((1 << 29) - 1), unique=True, max_size=7)
        )
        fields = [_field(draw, f"f{index}", number, proto2, len(names)) for index, number in enumerate(numbers)]
        rules.append(MessageRule(name, tuple(fields), check_text=not proto2))
    return MessageSet(tuple(rules))


def _field(draw: Any, name: str, number: int, proto2: bool, types: int) -> FieldRule:
    kind = draw(strategies.sampled_from(list(Kind)))
    shape = draw(strategies.sampled_from(["plain", "optional", "repeated", "map", "oneof"]))
    message = draw(strategies.integers(0, types - 1)) if kind is Kind.MESSAGE else -1
    values = COLORS if kind is Kind.ENUM and proto2 else None
    if shape == "map":
        key = draw(strategies.sampled_from(KEYS))
        return FieldRule(name, number, kind, Of.REPEATED, message=message, key=key, values=values)
    if shape == "repeated":
        packed = kind not in UNPACKED and draw(strategies.booleans())
        return FieldRule(name, number, kind, Of.REPEATED, packed=packed, message=message, values=values)
    label = Of.IMPLICIT if shape == "plain" and not proto2 and kind is not Kind.MESSAGE else Of.OPTIONAL
    return FieldRule(name, number, kind, label, oneof="o" if shape == "oneof" else "", message=message, values=values)


# Random messages, as plain values ------------------------------------------------------------------------------------

INTEGERS: dict[FieldKind, SearchStrategy[Any]] = {
    **dict.fromkeys((Kind.INT32, Kind.SINT32, Kind.SFIXED32), strategies.integers(-(1 << 31), (1 << 31) - 1)),
    **dict.fromkeys((Kind.INT64, Kind.SINT64, Kind.SFIXED64), strategies.integers(-(1 << 63), (1 << 63) - 1)),
    **dict.fromkeys((Kind.UINT32, Kind.FIXED32), strategies.integers(0, (1 << 32) - 1)),
    **dict.fromkeys((Kind.UINT64, Kind.FIXED64), strategies.integers(0, (1 << 64) - 1)),
}


def _scalars(kind: FieldKind) -> SearchStrategy[Any]:
    match kind:
        case Kind.BOOL:
            return strategies.booleans()
        case Kind.STRING:
            return strategies.text(strategies.characters(exclude_categories=["Cs"]), max_size=5)
        case Kind.BYTES:
            return strategies.binary(max_size=5)
        case Kind.ENUM:
            return strategies.sampled_from(COLORS)
        case Kind.FLOAT:
            return strategies.floats(width=32, allow_nan=False)
        case Kind.DOUBLE:
            return strategies.floats(allow_nan=False)
    # Small numbers are those whose lengths differ.
    return INTEGERS[kind] | strategies.sampled_from([0, 1, 127, 128, 300])


def values_of_type(draw: Any, messages: MessageSet, index: int, depth: int = 2) -> dict[str, Any]:
    """Return values of some fields of a type, by name: sub-messages as pairs of their type and their values."""
    found: dict[str, Any] = {}
    taken: set[str] = set()
    for rule in messages.messages[index].fields:
        if rule.oneof in taken or (rule.kind is Kind.MESSAGE and depth == 0) or draw(strategies.booleans()):
            continue
        if rule.oneof:
            taken.add(rule.oneof)
        if rule.key is not None:
            keys = draw(strategies.lists(_scalars(rule.key), max_size=3, unique=True))
            found[rule.name] = {key: _value(draw, messages, rule, depth) for key in keys}
        elif rule.label is Of.REPEATED:
            found[rule.name] = [_value(draw, messages, rule, depth) for _ in range(draw(strategies.integers(0, 3)))]
        else:
            found[rule.name] = _value(draw, messages, rule, depth)
    return found


def _value(draw: Any, messages: MessageSet, rule: FieldRule, depth: int) -> Any:
    if rule.kind is Kind.MESSAGE:
        return values_of_type(draw, messages, rule.message, depth - 1)
    return draw(_scalars(rule.kind))


def ours(classes: dict[str, type[Any]], messages: MessageSet, index: int, values: dict[str, Any]) -> Any:
    """Return wireloom's object with those values."""
    rule = messages.messages[index]
    given = {}
    for field in rule.fields:
        if field.name not in values:
            continue
        value = values[field.name]
        if field.kind is Kind.MESSAGE:

            def made(each: dict[str, Any], of: int = field.message) -> Any:
                return ours(classes, messages, of, each)

            if field.key is not None:
                value = {key: made(each) for key, each in value.items()}
            else:
                value = [made(each) for each in value] if field.label is Of.REPEATED else made(value)
        given[field.name] = value
    return classes[rule.name](**given)


def fill(target: Any, messages: MessageSet, index: int, values: dict[str, Any]) -> Any:
    """Return Google's object with those values, which must be empty before."""
    for field in messages.messages[index].fields:
        if field.name not in values:
            continue
        value, held = values[field.name], getattr(target, field.name)
        if field.key is not None:
            for key, each in value.items():
                if field.kind is Kind.MESSAGE:
                    fill(held[key], messages, field.message, each)
                else:
                    held[key] = each
        elif field.kind is Kind.MESSAGE:
            if field.label is Of.REPEATED:
                for each in value:
                    fill(held.add(), messages, field.message, each)
            else:
                held.SetInParent()
                fill(held, messages, field.message, value)
        elif field.label is Of.REPEATED:
            held.extend(value)
        else:
            setattr(target, field.name, value)
    return target
