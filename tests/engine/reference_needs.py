"""The steps of a program that are run: those whose results are used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from wireloom.format.program import OPERANDS, Code, ColumnProgram, Op, Place, Step

FOLLOWING: dict[int, int] = {
    Code.CONSTANT: 8,
    Code.CONSTANT_UNSIGNED: 8,
    Code.REGISTER: 2,
    Code.SPAN_SIZE: 2,
    Code.SPAN_ORDER: 3,
    Code.CAST: 1,
}
"""Number of bytes that follow a code, except those with which a span is compared."""

READ = {"REGISTER": "registers", "SPAN": "spans", "TEXT": "spans", "MARK": "marks"}
"""What a step reads by an operand of each kind."""
UNLESS_IDLE = (Op.EXPRESSION, Op.SLICE, Op.SUM, Op.DIGEST)
"""Steps that are only run if something uses their result: a value that nothing uses cannot be invalid."""


def reachable(program: ColumnProgram) -> set[int]:
    found = {0}
    for at, step in enumerate(program.steps):
        if at in found:
            found |= {step.c} if step.op in (Op.JUMP, Op.SKIP_IF_ZERO) else set()
            found |= {at + 1} if step.op not in (Op.JUMP, Op.END) else set()
    return found


@dataclass
class Needs:
    """The registers, spans and marks that steps read."""

    registers: set[int] = field(default_factory=set)
    spans: set[int] = field(default_factory=set)
    marks: set[int] = field(default_factory=set)

    def add(self, program: ColumnProgram, step: Step, verify: bool) -> bool:
        """Add what a step reads, and return whether the step is run."""
        kinds = OPERANDS[step.op]
        if step.op in UNLESS_IDLE and step.a not in (self.registers if kinds[0] == "RESULT" else self.spans):
            return False
        match step.op:
            case Op.CHECKSUM if not verify:
                return True
            case Op.CHECKSUM:
                rule = program.checksums[step.a]
                (self.registers if rule.place is Place.REGISTER else self.spans).add(step.b)
                self.registers |= {rule.continues} if rule.continues >= 0 else set()
                self.marks |= {rule.own} if rule.replace >= 0 else set()
            case Op.EXPRESSION:
                code = program.constants[step.c : step.c + step.d]
                self.registers |= {number for each, number in operands_of(code) if each == Code.REGISTER}
                self.spans |= {number for each, number in operands_of(code) if each != Code.REGISTER}
            case Op.SUM | Op.DIGEST:
                self.marks |= set(range(step.c, step.c + 2 * step.d))
            case Op.MARK if step.a in self.marks and step.b >= 3:
                self.spans.add(step.c)
        for name, kind in zip("abcd", kinds, strict=False):
            if kind in READ:
                getattr(self, READ[kind]).add(getattr(step, name))
        return True


def live_steps(program: ColumnProgram, verify: bool) -> set[int]:
    """Return the expressions and slices whose results are used."""
    needs = Needs()
    steps = ((at, program.steps[at]) for at in sorted(reachable(program), reverse=True))
    run = {at for at, step in steps if needs.add(program, step, verify)}
    return {at for at in run if program.steps[at].op in (Op.EXPRESSION, Op.SLICE)}


def following(code: bytes, at: int) -> int:
    """Return the number of bytes that follow the code at ``at``."""
    return FOLLOWING.get(code[at], 0) + (code[at + 3] if code[at] == Code.SPAN_ORDER else 0)


def number_at(code: bytes, at: int) -> int:
    return int.from_bytes(code[at : at + 2], "little")


def operands_of(code: bytes) -> Iterator[tuple[int, int]]:
    """Yield the registers and spans that the code reads, each with its operation."""
    at = 0
    while at < len(code):
        if code[at] in (Code.REGISTER, Code.SPAN_SIZE, Code.SPAN_ORDER):
            yield code[at], number_at(code, at + 1)
        at += 1 + following(code, at)
