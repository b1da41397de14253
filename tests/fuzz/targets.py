"""The targets of the fuzzer, and their outcomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from .surfaces import NAMES as SURFACES

ROOT = Path(__file__).parents[2]
CORPORA = Path(__file__).parent / "corpora"
"""Small seeds, made by ``python -m tests.fuzz.seeds``; in the repository."""
REPORT = ROOT / "fuzz-report"
"""The report, the findings, and the grown corpora, with which the next run continues."""

Kind = Literal["engine", "python", "properties", "differential"]


@dataclass(frozen=True)
class Target:
    """``share``: its share of the time. ``about``: what it tests."""

    name: str
    kind: Kind
    share: float
    about: str


TARGETS = (
    Target("fuzz_fill", "engine", 3, "column programs x inputs, at once and in pieces"),
    Target(
        "fuzz_rows",
        "engine",
        2,
        "layouts as specs have them x rows that mostly follow them, many together and one by one",
    ),
    Target(
        "fuzz_units", "engine", 2, "programs with rows inside of units, loops and lists x inputs, at once and in pieces"
    ),
    Target("fuzz_messages", "engine", 2, "message programs x units, at once and in pieces"),
    Target("fuzz_fields", "engine", 1, "messages in rows: made-up fields x messages of them, at once and in pieces"),
    Target("fuzz_encode", "engine", 1, "rows from columns, with any fields, offsets, stuffing and delimiter"),
    Target("fuzz_stuffing", "engine", 1, "word stuffing, COBS, escapes, the search for delimiters"),
    Target("fuzz_wire", "engine", 1, "varints, tags, skipped fields, text"),
    Target("fuzz_expression", "engine", 1, "expressions over any registers, beside arithmetic of their own"),
    Target("fuzz_index", "engine", 1, "what is known of long ranges of a window: checksums, bytes, text"),
    Target("fuzz_digests", "engine", 1, "CRC-32C, CRC-32, MD5, SHA-256 and merkle roots of any size at any address"),
    Target("fuzz_snappy", "engine", 1, "blocks of Snappy and S2, beside a decompressor byte by byte"),
    *(Target(name, "python", 1, f"tests/fuzz/surfaces/{name}.py") for name in SURFACES),
    Target("properties", "properties", 2, "property tests, with new examples"),
    Target("differential", "differential", 3, "made-up specs: engine = objects = Kaitai's compiler"),
)


@dataclass
class Outcome:
    """``seconds``: the elapsed time; ``cpu_seconds``: the CPU time. ``coverage``: program counters or branches that
    were reached, as libFuzzer counts them. ``findings``: files or commands that show what was found. ``absent``: why it
    did not run, or ran without guidance."""

    target: str
    kind: Kind
    seconds: float = 0.0
    executions: int | None = None
    coverage: int | None = None
    features: int | None = None
    corpus: int | None = None
    corpus_bytes: int | None = None
    findings: list[str] = field(default_factory=list)
    absent: str | None = None
    cpu_seconds: float = 0.0

    @property
    def per_second(self) -> float | None:
        return self.executions / self.seconds if self.executions and self.seconds else None
