"""Random specs of tables of messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

NUMERIC = (
    "double", "float", "int64", "int32", "fixed64", "fixed32", "bool", "uint32", "sfixed32", "sfixed64", "sint32",
)  # fmt: skip
SCALARS = (*NUMERIC, "sint32", "sint64", "color", *("bytes", "string", "uint64") * 2)
KEYS = ("int32", "uint64", "sint64", "fixed32", "bool", "string", "string")
DEFAULTS = {"uint64": "7", "int32": "-3", "string": "dflt", "bool": "true", "color": "blue"}

HEAD = """\
meta:
  id: made
  -wireloom:
    message:
      {least}
      type: t0
      {rows}
      columns: [{columns}]
      selectable: []
      unit-columns: [{unit_columns}]
      {extras}
enums:
  color: {{0: red, 1: green, 7: blue}}
types:
"""


@dataclass
class Type:
    """A message type that is being made: its lines, and the names of fields that can be columns."""

    name: str
    syntax: str
    lines: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    instances: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    messages: dict[str, str] = field(default_factory=dict)
    maps: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    """Messages that columns contain as JSON."""

    def add(self, text: str, column: str = "") -> None:
        """Add one more field; ``text`` comes after its number."""
        number = len(self.lines) + 1
        if number % 4 == 0:
            # Tags of two and three bytes, in another order than that of the numbers.
            number = 5000 // number
        self.lines.append(f"          - {{number: {number}, {text}}}\n")
        if column:
            self.columns.append(column)


def random_spec(random: Random) -> str:
    """Return a spec. The unit is ``t0``; rows are the unit itself, or one to three levels below it; other types are in
    columns."""
    levels = random.choice((1, 2, 2, 2, 3, 4))
    inner = random.randrange(3)
    types = [Type(f"t{number}", random.choice(("proto2", "proto3"))) for number in range(levels + inner)]
    for number, each in enumerate(types):
        deeper = types[max(number + 1, levels) :]
        _fields(random, each, deeper)
        if (number == 0 or number >= levels) and random.random() < 0.4:
            # It may contain itself, as text. For the others the instances must know their enclosing messages.
            shapes = ("", ", label: repeated", ", map-key: string", ", map-key: sint32", ", oneof: choice")
            shape = random.choice(shapes)
            name = f"{each.name}_self"
            each.add(f"id: {name}, type: {each.name}, json: true{shape}", name)
            each.texts.add(name)
        if number == 0 and random.random() < 0.2:
            # It may contain itself if no column shows it.
            each.add(f"id: {each.name}_again, type: {each.name}, label: repeated")
    path = []
    for number in range(levels - 1):
        label = "repeated" if number == levels - 2 else random.choice(("repeated", "optional"))
        types[number].add(f"id: rows{number}, type: t{number + 1}, label: {label}")
        path.append(f"rows{number}")
    columns = []
    for number in reversed(range(levels)):
        chosen = [each for each in types[number].columns if random.random() < 0.8]
        columns += chosen
    columns += _look_ups(random, types[:levels])
    extras = ""
    if random.random() < 0.5:
        extras = "row-number: row_number"
        columns.insert(random.randrange(len(columns) + 1), "row_number")
    columns += _aliases(random, types[levels - 1], types[levels:])
    unit_columns = [each for each in types[0].columns if random.random() < 0.5]
    head = HEAD.format(
        least=random.choice(("", "least: 1", "least: 3")),
        rows=f"rows: {'.'.join(path)}" if path else "",
        columns=", ".join(columns),
        unit_columns=", ".join(unit_columns),
        extras=extras,
    )
    return head + "".join(_type(random, each) for each in types)


def _type(random: Random, type: Type) -> str:
    wire_types = random.choice(("skip", "refuse"))
    lines = [f"  {type.name}:\n", "    -wireloom:\n", "      message:\n", f"        syntax: {type.syntax}\n"]
    lines += [f"        wire-types: {wire_types}\n", "        fields:\n", *type.lines]
    if type.instances:
        lines += ["    instances:\n", *type.instances]
    return "".join(lines)


def _fields(random: Random, type: Type, deeper: list[Type]) -> None:
    for number in range(random.randrange(1, 7)):
        name = f"{type.name}_f{number}"
        kind = random.choice(deeper).name if deeper and random.random() < 0.25 else random.choice(SCALARS)
        text = f"id: {name}, type: {kind}"
        choice = random.random()
        if choice < 0.15:
            text += f", map-key: {random.choice(KEYS)}"
            type.maps.add(name)
        elif choice < 0.45:
            text += ", label: repeated"
            if kind in ("bytes", "string"):
                type.tables.append(name)
        elif choice < 0.55:
            text += ", oneof: choice"
        elif choice < 0.7:
            text += ", label: optional"
        elif choice < 0.78 and type.syntax == "proto2":
            text += ", label: required"
        elif choice < 0.9 and type.syntax == "proto2" and kind in DEFAULTS:
            text += f", default: {DEFAULTS[kind]}"
        if kind == "color" and "label" not in text and "map" not in text and random.random() < 0.5:
            text += ", labels: true"
        if kind in ("int64", "uint64") and "repeated" not in text and "map" not in text and random.random() < 0.3:
            text += f", timestamp: {random.choice(('s', 'ms', 'us', 'ns'))}"
        if kind.startswith("t") and random.random() < 0.4:
            text += ", json: true"
            type.texts.add(name)
        if kind.startswith("t") and "repeated" not in text and "map-key" not in text:
            type.messages[name] = kind
        type.add(text, name)


def _aliases(random: Random, row: Type, inner: list[Type]) -> list[str]:
    """Return instances that are a field under another name, also one inside a message."""
    found = []
    for name in row.columns:
        # Expressions do not accept maps.
        if name not in row.maps and random.random() < 0.2:
            path = name
            holder = next((each for each in inner if each.name == row.messages.get(name)), None)
            inside = sorted(set(holder.columns) - holder.maps - holder.texts) if holder is not None else []
            if inside and random.random() < 0.7:
                path = f"{name}.{random.choice(inside)}"
            if path in row.texts:
                continue
            row.instances.append(f"      alias_{name}: {{value: {path}}}\n")
            found.append(f"alias_{name}")
    return found


def _look_ups(random: Random, levels: list[Type]) -> list[str]:
    found = []
    row = levels[-1]
    for number in range(random.choice((0, 1, 2))):
        up = random.randrange(len(levels))
        holder = levels[-1 - up]
        kind = random.choice(("bytes", "string"))
        table = f"table{number}_{holder.name}"
        holder.add(f"id: {table}, type: {kind}, label: repeated")
        index = f"index{number}"
        row.add(f"id: {index}, type: {random.choice(('uint64', 'int32', 'sint64', 'uint32'))}, label: optional", index)
        mask = random.choice(("", " & 1", " & 0xffffffff"))
        value = f"'{'_parent.' * up}{table}[{index}{mask}]'"
        integer = ", -wireloom: {text: integer}" if kind == "string" and random.random() < 0.5 else ""
        row.instances.append(f"      item{number}: {{value: {value}{integer}}}\n")
        found.append(f"item{number}")
    return found
