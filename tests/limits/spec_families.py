"""Families of short specs that expand to much: ``n`` levels, each of which uses the next one twice."""

from __future__ import annotations

from collections.abc import Callable

HEAD = """meta: {id: family, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
"""
MESSAGES = """meta: {id: family, -wireloom: {message: {at: unit, type: unit, rows: rows}}}
seq: [{id: unit, type: unit, size-eos: true}]
types:
  unit: {-wireloom: {message: {fields: [{id: rows, number: 1, label: repeated, type: row}]}}}
"""
INTEGER = "{id: a, type: u1}"
TEXT = "{id: a, type: str, size: 2, encoding: ASCII}"

Family = Callable[[int], str]


def instances(expression: str, first: str = "a", field: str = INTEGER, more: str = "", condition: str = "") -> Family:
    """Return value instances, each of which is ``expression``, in which ``P`` is the previous one. ``more``: another
    attribute, in which ``P`` is the last one."""

    def spec(n: int) -> str:
        attributes = f"{field}, {more.replace('P', f'v{n - 1}')}" if more else field
        lines = [f"      v0: {{value: {first}}}"]
        for number in range(1, n):
            before = f"v{number - 1}"
            when = f", if: '{condition.replace('P', before)}'" if condition else ""
            lines.append(f"      v{number}: {{value: '{expression.replace('P', before)}'{when}}}")
        return HEAD + f"  row:\n    seq: [{attributes}]\n    instances:\n" + "\n".join(lines) + "\n"

    return spec


def types(fields: str, last: str = INTEGER, instance: str = "", parameter: str = "") -> Family:
    """Return types whose ``fields`` use the next type, ``N``, twice."""

    def spec(n: int) -> str:
        made = [HEAD]
        for number in range(n + 1):
            name = "row" if number == 0 else f"t{number}"
            body = last if number == n else fields.replace("N", f"t{number + 1}")
            given = f"    params: [{parameter}]\n" if parameter and number else ""
            value = f"    instances: {{v: {{value: {'a + a' if number == n else instance}}}}}\n" if instance else ""
            made.append(f"  {name}:\n{given}    seq: [{body}]\n{value}")
        return "".join(made)

    return spec


def messages(n: int) -> str:
    """Return message types with two fields of the next one."""
    made = [MESSAGES]
    for number in range(n + 1):
        name = "row" if number == 0 else f"t{number}"
        kinds = ["uint32"] if number == n else [f"t{number + 1}"] * 2
        fields = ", ".join(f"{{id: f{each}, number: {each + 1}, type: {kind}}}" for each, kind in enumerate(kinds))
        made.append(f"  {name}: {{-wireloom: {{message: {{fields: [{fields}]}}}}}}\n")
    return "".join(made)


def message_instances(expression: str) -> Family:
    """Return value instances of a message type."""

    def spec(n: int) -> str:
        row = "  row:\n    -wireloom: {message: {fields: [{id: a, number: 1, type: uint32, label: optional}]}}\n"
        lines = ["      v0: {value: a}"]
        lines += [f"      v{each}: {{value: '{expression.replace('P', f'v{each - 1}')}'}}" for each in range(1, n)]
        return MESSAGES + row + "    instances:\n" + "\n".join(lines) + "\n"

    return spec


FAMILIES: dict[str, Family] = {
    "integers": instances("(P ^ P) & 0xff"),
    "conditionals": instances("P > 3 ? P : P - 1"),
    "the same either way": instances("P > 3 ? P : P"),
    "booleans": instances("P and P", first="a == 1"),
    "texts": instances("P.length > 3 ? P : P.reverse", field=TEXT),
    "lists": instances("[P[0], P[0]]", first="'[a, a]'"),
    "instances with conditions": instances("P & P", condition="P > P - 1"),
    "a size": instances("(P & P) & 7", more="{id: b, size: P}"),
    "a condition": instances("P and P", first="a == 1", more="{id: b, type: u1, if: P}"),
    "a count": instances("(P & P) & 7", more="{id: b, type: u1, repeat: expr, repeat-expr: P}"),
    "types": types("{id: a, type: N}, {id: b, type: N}"),
    "types with conditions": types("{id: z, type: u1}, {id: a, type: N, if: z == 1}, {id: b, type: N, if: z == 2}"),
    "types with sizes": types("{id: a, type: N, size: 9}, {id: b, type: N, size: 9}"),
    "types by a switch": types("{id: z, type: u1}, {id: a, type: {switch-on: z, cases: {1: N, 2: N, _: N}}}"),
    "bits": types("{id: z, type: b4}, {id: a, type: N}, {id: b, type: N}, {id: y, type: b4}", "{id: a, type: b8}"),
    "instances of other types": types("{id: a, type: N}", instance="(a.v & 7) + (a.v & 7)"),
    "messages": messages,
    "instances of messages": message_instances("(P & 255) + (P & 255)"),
    "conditionals of messages": message_instances("P > 3 ? P : P - 1"),
}


def switch(value: str, case: str, each: str, more: str = "") -> Family:
    """Return a switch of ``n`` cases. ``value``: the attribute ``k`` that it switches on; ``case``: a case, ``each``: a
    type, and ``more``: an enum's label, of the number ``N``."""

    def spec(n: int) -> str:
        cases = "".join(f"            {case.replace('N', str(number))}\n" for number in range(n))
        kinds = "".join(f"  {each.replace('N', str(number))}\n" for number in range(n))
        labels = "".join(f"    {more.replace('N', str(number))}\n" for number in range(n))
        body = "      - id: body\n        size: 4\n        type:\n          switch-on: k\n          cases:\n"
        enums = f"enums:\n  kind:\n{labels}" if more else ""
        return f"{HEAD}  row:\n    seq:\n      - {value}\n{body}{cases}{kinds}{enums}"

    return spec


SWITCHES: dict[str, Family] = {
    "numbers": switch("{id: k, type: u4}", "N: tN", "tN: {seq: [{id: x, type: u4}]}"),
    "texts": switch("{id: k, type: strz, encoding: ASCII}", "'\"N\"': tN", "tN: {seq: [{id: x, type: u4}]}"),
    "labels": switch("{id: k, type: u4, enum: kind}", "'kind::lN': tN", "tN: {seq: [{id: x, type: u4}]}", "N: lN"),
}
"""Switches of ``n`` cases, each with a type of its own."""
