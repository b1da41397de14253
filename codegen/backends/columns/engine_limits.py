"""The limits of what the engine loads."""

from __future__ import annotations

from collections.abc import Iterable

from wireloom.format.program import OPERANDS, ColumnProgram, Op, Step
from wireloom.format.program_words import (
    DEEPEST_LIMIT,
    MOST_BYTES,
    MOST_CARRIED_VALUES,
    MOST_CHECKSUMS,
    MOST_COLUMNS,
    MOST_CONSTANTS,
    MOST_DELIMITER_BYTES,
    MOST_MARKS,
    MOST_MESSAGE_FIELDS,
    MOST_MESSAGES,
    MOST_OWN_BYTES,
    MOST_REGISTERS,
    MOST_SERIES,
    MOST_SPANS,
    MOST_STEPS,
    MOST_STORES,
)

from .refusal import NotForEngineError

WIDEST_NEED = 0xFFFF
"""The width of the operand of ``NEED`` is 16 bits."""

_LIMITED = {Op.NEED, *(op for op, kinds in OPERANDS.items() if not {"SIZE", "ADDEND"}.isdisjoint(kinds))}
"""The operations with operands that are sizes."""


def refuse_unloadable(program: ColumnProgram, steps: Iterable[tuple[Step, str]]) -> None:
    """Raise ``NotForEngineError`` if a count or an operand of the program exceeds what the engine loads.

    ``steps``: each step of the program, with the name of its field.
    """
    _refuse_counts(program)
    depth = 0
    for step, name in steps:
        if step.op in _LIMITED:
            _refuse_operands(step, name)
        depth += (step.op in (Op.LIMIT_FIXED, Op.LIMIT_REGISTER, Op.LIMIT_SPAN)) - (step.op is Op.LIMIT_END)
        if depth > DEEPEST_LIMIT:
            raise NotForEngineError(f"sized types are nested more than {DEEPEST_LIMIT} levels deep")


def _refuse_counts(program: ColumnProgram) -> None:
    counts = (
        ("a row takes", "steps", len(program.steps), MOST_STEPS),
        ("the table has", "columns", len(program.columns), MOST_COLUMNS),
        ("the row needs", "registers", program.registers, MOST_REGISTERS),
        ("the row needs", "places of bytes or text", program.spans, MOST_SPANS),
        ("the checksums of a row begin and end at", "places", program.marks, MOST_MARKS),
        (
            "a row has",
            "variables and checksums that continue each other",
            program.running_checksums + len(program.variables),
            MOST_CARRIED_VALUES,
        ),
        ("a row has", "variables that are lists or tables", program.stores, MOST_STORES),
        ("expressions use instructions of", "lists", program.series, MOST_SERIES),
        ("a row has", "messages", len(program.messages), MOST_MESSAGES),
        (
            "the messages of a row have",
            "fields",
            sum(len(each.fields) for each in program.messages),
            MOST_MESSAGE_FIELDS,
        ),
        ("a row has", "checksums", len(program.checksums), MOST_CHECKSUMS),
        ("the expressions and contents of a row take", "bytes", len(program.constants), MOST_CONSTANTS),
        ("the delimiter has", "bytes", len(program.delimiter), MOST_DELIMITER_BYTES),
        ("a checksum has", "bytes", max((each.own_size for each in program.checksums), default=0), MOST_OWN_BYTES),
    )
    for subject, what, count, most in counts:
        if count > most:
            raise NotForEngineError(f"{subject} more than {most} {what}")


def _refuse_operands(step: Step, name: str) -> None:
    for kind, value in zip(OPERANDS[step.op], (step.a, step.b, step.c, step.d), strict=False):
        if kind == "SIZE" and value < 0:
            raise NotForEngineError(f'"{name}" has a negative size')
        if kind == "SIZE" and value > MOST_BYTES:
            raise NotForEngineError(f'"{name}" has {value} bytes, but the engine supports at most {MOST_BYTES}')
        if kind == "ADDEND" and abs(value) > MOST_BYTES:
            raise NotForEngineError(
                f'the size of "{name}" is computed with {abs(value)}, but the engine supports at most {MOST_BYTES}'
            )
    if step.op is Op.NEED and step.a > WIDEST_NEED:
        raise NotForEngineError(f"consecutive bit fields have more than {WIDEST_NEED} bytes")
