"""Instances of plain specs: values of every type, and parts of the stream at other positions."""

from __future__ import annotations

from random import Random
from typing import Any

from .pieces import Scope, any_expression

WORDS = ('"abc"', '""', '"é"', "'x,y'")


def text_expression(random: Random, scope: Scope) -> str:
    """Return an expression whose value is text."""
    first = random.choice([*scope.texts, *WORDS])
    number = any_expression(random, scope, 2)
    return random.choice(
        [
            f"{first}.reverse",
            f"{first}.substring(0, 2)",
            f"{first} + {random.choice(WORDS)}",
            f"({number}).to_s",
            f"({number} > 3 ? {first} : {random.choice(WORDS)})",
            f'f"{{{number}}} is {{{first}}}"',
            f"[{random.choice(WORDS)}, {first}].max",
        ]
    )


def column_expression(random: Random, scope: Scope) -> str:
    """Return an expression that both readers return as a column: a number, computed text, or a property of such
    text."""
    if random.random() < 0.5:
        return any_expression(random, scope)
    first, second = (random.choice([*scope.texts, *scope.texts, *WORDS]) for _ in range(2))
    number = random.choice([each.name for each in scope.numbers] or ["3"])
    text = random.choice(
        [
            f"{first}.substring({random.choice(['0', '1', number])}, 3)",
            f"({number} > 3 ? {first} : {second})",
            f"({number} > 3 ? (10 / ({number} - 4) > 1 ? {first} : {second}) : {first}.substring(3 - {number}, 3))",
            *(f'{each}.to_s("{random.choice(["UTF-8", "ASCII", "UTF-16LE", "ISO-8859-1"])}")' for each in scope.chunks),
        ]
    )
    order = random.choice(["==", "!=", "<", ">="])
    asked = [text, text, f"({text}).length", f"{text} {order} {first}", f"({text}).to_i"]
    return random.choice(asked)


def boolean_expression(random: Random, scope: Scope) -> str:
    left, right = any_expression(random, scope, 2), any_expression(random, scope, 2)
    text = random.choice([*scope.texts, *WORDS])
    return random.choice(
        [
            f"{left} < {right} and {right} != 3",
            f"not ({left} == {right}) or false",
            f"{text} == {random.choice(WORDS)}",
            f"{text} < {random.choice(WORDS)}",
            "_io.size > 9",
            *(f"{each} == [0x61, 0x62].as<bytes>" for each in scope.chunks),
        ]
    )


def number_expression(random: Random, scope: Scope) -> str:
    choices = [
        any_expression(random, scope),
        f"({boolean_expression(random, scope)}).to_i",
        f"{random.choice([*scope.texts, *WORDS])}.length",
        '"7f".to_i(16)',
        "kind::two.to_i",
        f"[1000, {any_expression(random, scope, 2)}, 3].{random.choice(['max', 'min', 'first', 'last', 'size'])}",
        f"({any_expression(random, scope, 2)}).as<u1>",
        "sizeof<u4> + bitsizeof<b3>",
        "_io.size",
        "1.5.to_i",
        "(2.5 * 2).to_i",
        "7 % -3",
        "-7 / 2",
        "0x10 + 0b11 + 0o17 + 1_000",
        "5 & ~1 << 3 | 2 ^ 7",
    ]
    for each in scope.arrays:
        choices += [f"{each}.size", f"({each}.size > 0 ? 1 : 2)"]
    for each in scope.chunks:
        choices += [f"{each}[0]", f"{each}.first", f"{each}.last", f"{each}.max", f"{each}.length"]
    return random.choice(choices)


def instance(random: Random, scope: Scope) -> dict[str, Any]:
    """Return an instance, occasionally with a condition."""
    made: dict[str, Any]
    match random.randrange(8):
        case 0 | 1 | 2:
            made = {"value": number_expression(random, scope)}
        case 3:
            made = {"value": text_expression(random, scope)}
        case 4:
            made = {"value": boolean_expression(random, scope)}
        case 5:
            made = {"pos": random.choice(["0", "1", "_io.size - 2"]), "type": random.choice(["u1", "u2", "s4be"])}
        case 6:
            made = {"pos": "0", "size": random.choice(["1", "3", "_io.size"])}
        case _:
            made = {"pos": "0", "type": "u1", "repeat": "eos"}
    if random.random() < 0.2:
        made["if"] = boolean_expression(random, scope)
    return made
