"""Random .proto files, proto2 and proto3, with everything that the dialect supports."""

from __future__ import annotations

from random import Random

INTEGERS = (
    *("int32", "int64", "uint32", "uint64", "sint32", "sint64"),
    *("fixed32", "fixed64", "sfixed32", "sfixed64"),
)
SCALARS = (*INTEGERS, "float", "double", "bool", "string", "bytes")
KEYS = (*INTEGERS, "bool", "string")
RESERVED = range(19000, 20000)
WORDS = (
    *("class", "from", "self", "get", "has", "to_bytes", "io", "_io", "parent", "read", "not", "None", "list", "int"),
    *("value", "HTTPCode", "camelCase", "snake_case", "x1", "_hidden", "message", "Message", "field_rule", "len"),
)
"""Names of fields and types that have a meaning elsewhere, or are written in a particular style."""
DEFAULTS = {
    "int32": ("-2147483648", "2147483647", "0"),
    "sint32": ("-1",),
    "sfixed32": ("7",),
    "int64": ("-9223372036854775808", "9223372036854775807"),
    "sint64": ("-3",),
    "sfixed64": ("5",),
    "uint32": ("4294967295",),
    "fixed32": ("1",),
    "uint64": ("18446744073709551615",),
    "fixed64": ("2",),
    "float": ("0.1", "inf", "-inf", "1e30", "nan"),
    "double": ("0.1", "-inf", "1e300", "-0.0"),
    "bool": ("true", "false"),
    "string": ('"text"', '"\\"12: \\n"', '""', '"öß"'),
    "bytes": ('"\\000\\377"', '"plain"', '""'),
}


class ProtoMaker:
    """Makes one file, with a message ``Main`` that may contain all others. Unless it is ``recursive``, no message may
    contain itself."""

    def __init__(self, seed: int, recursive: bool = True) -> None:
        self.random = Random(seed)
        self.recursive = recursive
        self.proto2 = seed % 2 == 0
        self.count = 0
        self.enums: list[tuple[str, list[str], bool]] = []
        """Full names with their labels, and whether the first value is 0."""
        self.messages: list[str] = []
        self.usable: list[str] = []
        """The messages that the current one may hold."""

    def file(self) -> str:
        """Return the text of the file."""
        enums = [self._enum("") for _ in range(self.random.randint(1, 2))]
        names = [self._name(each) for each in self.random.sample(WORDS, self.random.randint(1, 3))]
        self.messages = ["Main", *names]
        for name in names:
            if self.random.random() < 0.5:
                self.messages.append(f"{name}.Inner")
        bodies = [self._message(each) for each in ("Main", *names)]
        syntax = "proto2" if self.proto2 else "proto3"
        return "\n".join([f'syntax = "{syntax}";', "package random.protos;", *enums, *bodies, ""])

    def _name(self, word: str) -> str:
        self.count += 1
        return f"{word}{self.count}" if self.random.random() < 0.5 else f"{word}_{self.count}x"

    def _enum(self, scope: str) -> str:
        self.count += 1
        zero_first = not self.proto2 or self.random.random() < 0.6
        numbers = [*([0] if zero_first else []), *self.random.sample([1, 2, 3, 127, 128, -1, -(2**31), 2**31 - 1], 3)]
        labels = [
            f"{self.random.choice(('RED', 'Green', 'b_lue', 'none'))}_{self.count}_{n}" for n in range(len(numbers))
        ]
        name = f"Enum{self.count}"
        self.enums.append((f"{scope}{name}", labels, zero_first))
        values = "".join(f" {label} = {number};" for label, number in zip(labels, numbers, strict=True))
        return f"enum {name} {{{values} }}"

    # Messages --------------------------------------------------------------------------------------------------------

    def _message(self, name: str) -> str:
        inner = [each for each in self.messages if each.startswith(f"{name}.")]
        self.usable = self.messages if self.recursive else self.messages[self.messages.index(name) + 1 :]
        lines = [self._enum(f"{name}.")] if self.random.random() < 0.4 else []
        fields = self._fields(*((6, 16) if name == "Main" else (0, 7)))
        for each in inner:
            self.usable = self.usable if self.recursive else []
            lines.append(f"message {each.rpartition('.')[2]} {{\n{self._fields(1, 4)}\n}}")
        return "\n".join([f"message {name} {{", *lines, fields, "}"])

    def _fields(self, least: int, most: int) -> str:
        count = self.random.randint(least, most)
        numbers = iter(self._numbers(count * 4))
        lines: list[str] = []
        for _ in range(count):
            shape = self.random.choice(("plain", "plain", "labelled", "repeated", "repeated", "map", "oneof"))
            if shape == "oneof":
                self.count += 1
                members = [
                    f"    {self._type()} {self._name('o')} = {next(numbers)};" for _ in range(self.random.randint(1, 3))
                ]
                lines.append(f"  oneof choice_{self.count} {{\n" + "\n".join(members) + "\n  }")
            else:
                lines.append(f"  {self._field(shape, next(numbers))}")
        return "\n".join(lines)

    def _numbers(self, count: int) -> list[int]:
        found: list[int] = []
        while len(found) < count:
            most = self.random.choice((15, 100, 3000, 2**29 - 1))
            number = self.random.randint(1, most)
            if number not in RESERVED and number not in found:
                found.append(number)
        return found

    def _field(self, shape: str, number: int) -> str:
        name = self._name(self.random.choice(WORDS))
        if shape == "map":
            enums = [each for each, _, zero_first in self.enums if zero_first]
            value = self.random.choice([*SCALARS, *SCALARS, *self.usable, *enums])
            return f"map<{self.random.choice(KEYS)}, {value}> {name} = {number};"
        word = self._type()
        if shape == "repeated":
            packable = word not in ("string", "bytes") and word not in self.messages
            choice = self.random.choice(("", " [packed = true]", " [packed = false]")) if packable else ""
            return f"repeated {word} {name} = {number}{choice};"
        if not self.proto2:
            return f"{'optional ' if shape == 'labelled' else ''}{word} {name} = {number};"
        required = shape == "labelled" and word not in self.messages and self.random.random() < 0.3
        default = self._default(word) if not required and self.random.random() < 0.5 else ""
        return f"{'required' if required else 'optional'} {word} {name} = {number}{default};"

    def _type(self) -> str:
        enums = [each for each, _, _ in self.enums]
        return self.random.choice((self.random.choice(SCALARS),) * 3 + (*self.usable, self.random.choice(enums)))

    def _default(self, word: str) -> str:
        if word in DEFAULTS:
            return f" [default = {self.random.choice(DEFAULTS[word])}]"
        labels = next((labels for name, labels, _ in self.enums if name == word), None)
        return f" [default = {self.random.choice(labels)}]" if labels is not None else ""
