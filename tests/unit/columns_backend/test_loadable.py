"""Every emitted program can be loaded: what is too large for an operand is refused by the lowering, with a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wireloom import UnsupportedError, engine
from wireloom.format.program import ColumnProgram, Op, Step
from wireloom.format.program_words import MOST_BYTES, MOST_MARKS
from wireloom.rows.engine_reader import EngineRowReader

from .specs import compiled, format_of, spec_text
from .test_agreement import outcome

LARGEST = MOST_BYTES
NUMBERS = [0, 1, 3, 65535, 65536, LARGEST - 1, LARGEST, LARGEST + 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**100]
FIELDS = (
    "size: '{}'",
    "type: str, encoding: UTF-8, size: '{}'",
    "type: str, encoding: ASCII, size: '{}', terminator: 0",
    "size: '{}', pad-right: 0",
    "type: pair, size: '{}'",
    "size: a + {}",
    "size: a - ({})",
    "type: pair, size: a + {}",
    "type: pair, size: a - ({})",
    "size: '{}', if: a > 3",
    "type: u1, repeat: expr, repeat-expr: '{}'",
    "type: f8, repeat: expr, repeat-expr: '{}'",
    "type: u4, repeat: expr, repeat-expr: a * {}",
    "size: 3, repeat: expr, repeat-expr: '{}'",
    "size: '{}', repeat: expr, repeat-expr: 2",
    "type: pair, repeat: expr, repeat-expr: '{}'",
)
INPUTS = (b"", b"\x01", b"\x01\x02\x03", bytes(range(40)))


def with_fields(*fields: str, instances: str = "large: {value: 0}") -> str:
    listed = "\n".join(f"  - {{id: f{number}, {field}}}" for number, field in enumerate(fields))
    row = f"seq:\n  - {{id: a, type: u1}}\n{listed}\ninstances:\n  {instances}"
    return spec_text(row, meta="columns: [a]", types="pair:\n  seq:\n    - {id: x, type: u1}\n    - {id: y, type: u1}")


def loads(program: ColumnProgram | None) -> bool:
    if program is None:
        return False
    if engine.available:
        engine.Program(program.pack())
    return True


@pytest.mark.parametrize("field", FIELDS)
def test_a_number_of_any_size_is_loaded_or_refused(field: str, subtests: pytest.Subtests) -> None:
    for number in NUMBERS:
        with subtests.test(number=number):
            program, refusal = compiled(with_fields(field.format(number)))
            assert loads(program) == (refusal is None)


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.sampled_from(FIELDS), st.sampled_from(NUMBERS) | st.integers(0, 2**70)), min_size=1),
    st.sampled_from(NUMBERS),
)
def test_whatever_is_emitted_loads(fields: list[tuple[str, int]], large: int) -> None:
    texts = [field.format(number) for field, number in fields]
    program, refusal = compiled(with_fields(*texts, "size: large", instances=f"large: {{value: '{large}'}}"))
    assert loads(program) == (refusal is None)


@pytest.mark.skipif(not engine.available, reason="the engine is not there to agree with")
@pytest.mark.parametrize("number", [str(LARGEST), str(LARGEST + 1), "1 << 63", str(2**63 - 1), str(2**64)])
@pytest.mark.parametrize("field", FIELDS)
def test_the_readers_agree_on_sizes_beyond_any_input(field: str, number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    format = format_of(with_fields(field.format(number)))
    for data in INPUTS:
        for recover in (False, True):
            by_engine = outcome(format, data, recover=recover)
            with monkeypatch.context() as patched:
                patched.setattr(engine, "available", False)
                assert outcome(format, data, recover=recover) == by_engine


def test_the_reason_names_the_field_and_the_number() -> None:
    assert compiled(with_fields(f"size: {LARGEST}"))[1] is None
    assert compiled(with_fields(f"size: {LARGEST + 1}"))[1] == (
        f'"f0" has {LARGEST + 1} bytes, but the engine supports at most {LARGEST}'
    )
    assert compiled(with_fields("size: '1 << 63'"))[1] == (
        f'"f0" has {2**63} bytes, but the engine supports at most {LARGEST}'
    )
    assert compiled(with_fields(f"size: a - ({LARGEST + 1})"))[1] == (
        f'the size of "f0" is computed with {LARGEST + 1}, but the engine supports at most {LARGEST}'
    )


@pytest.mark.slow
def test_more_checksums_than_a_program_has_places_for() -> None:
    def row(count: int) -> str:
        rule = "-wireloom: {checksum: {algorithm: crc32, over: p%d}}"
        fields = [f"  - {{id: c{n}, type: u4, {rule % n}}}\n  - {{id: p{n}, size: 2}}" for n in range(count)]
        return spec_text("seq:\n  - {id: a, type: u1}\n" + "\n".join(fields), meta="columns: [a]")

    most = MOST_MARKS // 2
    assert loads(compiled(row(most))[0])
    program, refusal = compiled(row(most + 1))
    assert (program, refusal) == (
        None,
        f"the checksums of a row begin and end at more than {MOST_MARKS} places",
    )


def test_a_run_of_bit_fields_that_no_operand_holds() -> None:
    before = "\n".join(f"  - {{id: b{number}, type: b64}}" for number in range(20))
    text = spec_text(f"seq:\n  - {{id: a, size: 65400}}\n{before}", meta="columns: [b0]\nselectable: []")
    assert compiled(text) == (None, "consecutive bit fields have more than 65535 bytes")


@pytest.mark.skipif(not engine.available, reason="the engine loads nothing")
def test_a_program_that_does_not_load_says_what_to_do() -> None:
    steps = (Step(Op.BYTES_FIXED, 0, 0, 2**63), Step(Op.END))
    program = ColumnProgram(steps=steps, columns=(), registers=0, spans=1)
    with pytest.raises(ValueError, match=r"step 0 of the program: .* has an operand that is too large"):
        program.pack()

    class Format:
        def __init__(self) -> None:
            self.program = program

    with pytest.raises(UnsupportedError, match="too large; generate the package again, or set WIRELOOM_ENGINE=objects"):
        EngineRowReader(Format(), None, None)  # type: ignore[arg-type]
