"""Types of the model as Python annotations."""

from __future__ import annotations

from ...expression.types import (
    AnyStructType,
    BitsType,
    BooleanType,
    BytesType,
    ComputedFloatType,
    ComputedIntegerType,
    EnumType,
    FloatType,
    IntegerType,
    ListType,
    StreamType,
    StringType,
    TableType,
    Type,
    UnionType,
    UserType,
    VarintType,
)
from ...tree import Attribute, Instance, Struct
from .absence import member_may_be_absent
from .module import Module
from .names import Api, field_name

DECORATORS = ("classmethod", "property")
BUILTINS = ("bool", "bytes", "dict", "float", "int", "list", "str", "tuple", "type", *DECORATORS)


class Annotations:
    """Annotations inside the class of ``struct``, whose members may shadow the names of Python's built-in types."""

    def __init__(self, module: Module, struct: Struct) -> None:
        self.module = module
        self.struct = struct
        self._hidden = {each for each in BUILTINS if _is_member(struct, each) and field_name(each) == each}
        self._unions: dict[int, tuple[UnionType, str]] = {}
        """Annotations of union types, cached by ``id`` along with the type, since every case of a switch needs them."""

    def builtin(self, name: str) -> str:
        """Return the name of a built-in type of Python, qualified if a member of the class shadows it."""
        return f"{self.module.use_module('builtins')}.{name}" if name in self._hidden else name

    def of(self, type_: Type) -> str:
        """Return the annotation of a value of a type."""
        match type_:
            case BooleanType() | BitsType(width=1):
                return self.builtin("bool")
            case IntegerType() | BitsType() | VarintType() | ComputedIntegerType():
                return self.builtin("int")
            case FloatType() | ComputedFloatType():
                return self.builtin("float")
            case BytesType():
                return self.builtin("bytes")
            case StringType():
                return self.builtin("str")
            case EnumType(path):
                return f"{self.module.enum_of(path)} | {self.builtin('int')}"
            case UserType(path):
                return self.module.class_of(path)
            case ListType(item):
                return f"{self.builtin('list')}[{self.of(item)}]"
            case TableType(key, value):
                return f"{self.module.use('Table')}[{self.of(key)}, {self.of(value)}]"
            case StreamType():
                return self.module.use("KaitaiStream")
            case UnionType(members) if members:
                if id(type_) not in self._unions:
                    self._unions[id(type_)] = type_, " | ".join(dict.fromkeys(self.of(each) for each in members))
                return self._unions[id(type_)][1]
            case AnyStructType() | UnionType():
                return self.module.use("Any")
        raise AssertionError(type_)

    def of_item(self, field: Attribute) -> str:
        """Return the annotation of one item of a field; it includes ``None`` for a switch without a default."""
        text = self.of(field.type)
        absent = field.unmatched and self.module.api is Api.WIRELOOM
        return f"{text} | None" if absent else text

    def of_field(self, field: Attribute) -> str:
        """Return the annotation of a field: a list if it is repeated, with ``None`` if it may be absent.

        With Kaitai's API absent fields are not set, so the annotation never includes ``None``.
        """
        text = self.of_item(field)
        if field.message is not None and field.message.key is not None:
            return f"{self.builtin('dict')}[{self._of_key(field.message.key)}, {text}]"
        if field.repeat is not None:
            text = f"{self.builtin('list')}[{text}]"
        absent = field.condition is not None or (field.message is not None and field.message.label == "optional")
        absent = absent and self.module.api is Api.WIRELOOM
        return f"{text} | None" if absent and not text.endswith("| None") else text

    def _of_key(self, kind: str) -> str:
        return self.builtin({"string": "str", "bool": "bool"}.get(kind, "int"))

    def of_instance(self, instance: Instance) -> str:
        """Return the annotation of an instance."""
        if instance.variable and isinstance(instance.type, ListType) and self.module.api is Api.WIRELOOM:
            return self.module.use("Items")
        text = self.of_field(instance.attribute) if instance.attribute is not None else self.of(instance.type)
        absent = member_may_be_absent(self.module, self.struct, instance.id)
        return f"{text} | None" if absent and not text.endswith("| None") else text


def _is_member(struct: Struct, name: str) -> bool:
    return any(each is not None for each in (struct.parameter(name), struct.attribute(name), struct.instance(name)))
