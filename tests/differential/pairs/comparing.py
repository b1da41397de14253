"""Comparison of the two readers, and of windows of different sizes, on inputs of one spec."""

from __future__ import annotations

import traceback
from random import Random
from typing import Any

from wireloom import Format
from wireloom.reading.request import of_table

from ...unit.columns_backend.specs import format_of
from ..agreement import ROW_COLUMNS, objects_only, outcome
from ..damage import damaged
from ..specs import Made

Options = dict[str, Any]
WINDOWS = (1, 3, 7, 20, 64, 1000)
READERS: tuple[Options, ...] = (
    {},
    {"recover": True},
    {"mode": "failfast"},
    {"mode": "dropmalformed"},
    {"batch_rows": 1},
    {"batch_rows": 3, "recover": True},
    {"verify": False},
    {"check_format": True},
)
LIMITS = (9, 20, 40, 120)
ROUNDS = 8
"""How often five inputs are made of a spec until at least one has rows."""


def compare(made: Made, seed: int, *, limited: bool, rounds: int = 1) -> tuple[str | None, int]:
    """Compare the readers on inputs of a spec, half of them damaged or cut off.

    Args:
        made: The spec and its writer.
        seed: Of the damage, the options and the windows.
        limited: Whether every read has a ``max_record`` near the sizes of the records.
        rounds: How often five inputs are made; more often if no input has rows.

    Returns:
        How the readers differ, if they do, and the number of results with rows.
    """
    format, random, results = format_of(made.text), Random(seed), 0
    for number in range(max(rounds, ROUNDS)):
        if number >= rounds and results:
            break
        good = [made.write(random, {}) for _ in range(2)]
        for data in [*good, good[1][: random.randrange(len(good[1]) + 1)], *(damaged(random, each) for each in good)]:
            for options in options_of(format, data, random, limited=limited):
                try:
                    difference, rows = compare_input(format, data, random, options)
                except Exception:
                    difference, rows = f"{options}\ninput   {data.hex()}\n{traceback.format_exc()}", 0
                if difference:
                    return f"{made.text}\n{difference}", results
                results += rows > 0
    return None, results


def options_of(format: Format, data: bytes, random: Random, *, limited: bool) -> list[Options]:
    """Return the options of the reads of an input. One that is read as a whole is also read with a ``max_record`` near
    its size."""
    options = dict(random.choice(READERS))
    if len(format.tables) > 1 and random.random() < 0.3:
        options["table"] = random.choice([*format.tables])
    limits = (max(1, len(data) - 1), len(data) or 1, len(data) + 1)
    if not of_table(format, dict(options))[0].streaming:
        limit = {"max_record": random.choice(limits)}
        return [options | limit] if limited else [options, options | limit]
    return [options | {"max_record": random.choice(LIMITS)}] if limited or random.random() < 0.2 else [options]


def compare_input(format: Format, data: bytes, random: Random, options: Options) -> tuple[str | None, int]:
    """Return how the readers differ about an input, if they do, and the number of rows. What objects alone read is
    compared between windows."""
    of = of_table(format, dict(options))[0]
    every = [each.name for each in of.columns]
    names = [each.name for each in of.columns if not each.engine_refusal]
    more: tuple[str, ...] = ROW_COLUMNS
    if random.random() < 0.4:
        names, more = random.sample(names, min(2, len(names))), ("_offset",)
    window = random.choice(WINDOWS)
    columns, whole_rows = [*names, *more], [*every, *ROW_COLUMNS]
    with objects_only():
        expected = outcome(format, data, columns=columns, **options)
    others: list[tuple[str, Any, Any]] = []
    if of.engine_refusal is None:
        others.append(("engine", expected, outcome(format, data, columns=columns, **options)))
        inside = outcome(format, data, columns=columns, window=window, **options)
        others.append((f"engine, {window=}", expected, inside))
    if len(names) < len(every) or of.engine_refusal is not None or random.random() < 0.3:
        with objects_only():
            whole = outcome(format, data, columns=whole_rows, **options)
            inside = outcome(format, data, columns=whole_rows, window=window, **options)
        others.append((f"objects, {window=}", whole, inside))
    for name, first, second in others:
        if first != second:
            return f"{options}, {columns}\ninput   {data.hex()}\n{shown(name, first, second)}", 0
    rows = next(iter(expected[0].values()), ()) if isinstance(expected[0], dict) else ()
    return None, len(rows)


def shown(name: str, first: Any, second: Any) -> str:
    """Return how two results differ: the columns, and the entries of the report."""
    if not (isinstance(first[0], dict) and isinstance(second[0], dict)):
        return f"objects {first}\n{name} {second}"
    pairs = [(first[0], second[0]), *zip(first[1], second[1], strict=True)]
    return "\n".join(
        f"{key}\n  objects {one.get(key)}\n  {name} {other.get(key)}"
        for one, other in pairs
        for key in {**one, **other}
        if one.get(key) != other.get(key)
    )
