"""Wrong arguments to every function of the extension: each raises a Python error, and no buffer remains borrowed."""

from __future__ import annotations

import contextlib
import mmap
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest
from wireloom.engine import EncodeStatus, _engine
from wireloom.rows.messages.decoding import PROBLEM_SIZE

from .calls import GOOD, changed, encode, fill_messages
from .harness import COBS, CRC32, CRC32C

ERRORS = (TypeError, ValueError, OverflowError, BufferError, IndexError, AttributeError)


WRONG: list[Any] = [
    *(None, True, 1.5, "text", object(), [], {}, (), (None,) * 3, ((),) * 7, [1], int),
    *(-1, 0, 1, 2, 99, 2**31 - 1, 2**31, 2**32, 2**61, 2**62, 2**63 - 1, 2**63, 2**64, -(2**31), -(2**63), -(2**64)),
    *(
        b"",
        b"\0",
        b"x" * 1000,
        bytearray(),
        bytearray(3),
        memoryview(bytearray(64))[::2],
        memoryview(b"abcd").cast("I"),
    ),
]


def buffers_in(value: Any) -> Iterator[bytearray]:
    if isinstance(value, bytearray):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from buffers_in(each)


def ends_well(function: Callable[..., Any], arguments: list[Any]) -> None:
    """Check that the call returns or raises, and has released every buffer: a borrowed one cannot be resized."""
    with contextlib.suppress(*ERRORS):
        function(*arguments)
    for each in buffers_in(arguments):
        each.append(0)
        each.pop()


def inside(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield the value with one of its parts replaced, at any depth."""
    if not isinstance(value, tuple) or depth == 2:
        return
    for number, part in enumerate(value[:4]):
        for other in (*WRONG, *inside(part, depth + 1)):
            yield (*value[:number], other, *value[number + 1 :])
    yield value[:-1]
    yield (*value, None)


@pytest.mark.parametrize("name", GOOD)
def test_anything_in_the_place_of_any_argument(name: str) -> None:
    function, arguments = GOOD[name]
    before = function(*arguments())
    for number in range(len(arguments())):
        for wrong in (*WRONG, *inside(arguments()[number])):
            given = arguments()
            given[number] = wrong
            ends_well(function, given)
    after = function(*arguments())
    assert type(before) is type(after)
    assert before == after or name in ("Program", "MessageProgram", "checksum")


@pytest.mark.parametrize("name", GOOD)
def test_too_many_and_too_few(name: str) -> None:
    function, arguments = GOOD[name]
    given = arguments()
    # The checksums' last argument is optional.
    fewest = len(given) - (name in ("crc32c", "crc32"))
    for count in range(fewest):
        with pytest.raises(TypeError):
            function(*given[:count])
    with pytest.raises(TypeError):
        function(*given, None)
    for each in buffers_in(given):
        each.append(0)


WRONG = [
    ("fill_arena", {"_2": 2**62, "_3": 2**62}),
    ("fill_arena", {"_2": -1}),
    ("fill_arena", {"_2": 5, "_3": 4}),
    ("fill_arena", {"_3": 2**63 - 1}),
    ("fill_arena", {"_4": -1}),
    ("fill_arena", {"_7": -1}),
    ("fill_arena", {"_12": bytes(64)}),
    ("fill_arena", {"_13": -1}),
    ("fill_arena", {"_14": 0}),
    ("fill_arena", {"_14": 2**31}),
    ("fill_arena", {"_14": 2**62}),
    ("fill_arena", {"_18": (1,)}),
    ("arena_size", {"_1": bytes(6)}),
    ("arena_size", {"_1": bytes(8)}),
    ("arena_size", {"_2": -1}),
    ("arena_size", {"_2": 2**31}),
    ("fill_arena", {"_7": 200}),
    ("fill_arena", {"_7": 2**62}),
    ("fill_arena", {"_8": b"\1" * 7}),
    ("fill_arena", {"_8": bytes(7)}),
    ("fill_arena", {"_10": bytearray(100)}),
    ("fill_arena", {"_11": ()}),
    ("fill_arena", {"_11": (bytearray(50),) * 2}),
    ("fill_arena", {"_11": (bytes(50),)}),
    ("fill_arena", {"_12": bytearray(31)}),
    ("export_arena", {"_4": bytearray(100)}),
    ("export_arena", {"_5": ()}),
    ("export_arena", {"_5": (bytearray(50),) * 2}),
    ("export_arena", {"_5": (bytearray(42),)}),
    ("export_arena", {"_6": 6}),
    ("export_arena", {"_6": -1}),
    ("export_arena", {"_7": (4,) * 7}),
    ("export_arena", {"_7": (0,) * 6}),
    ("export_arena", {"_7": (0, 0, 0, -1, 0, 0, 0)}),
    ("resync", {"_3": 2**63 - 1}),
    ("resync", {"_7": 0}),
    ("resync", {"_0": _engine.Program(COBS.pack())}),
    # Eight times that number of bytes is zero in 64 bits.
    ("fill_messages", {"_5": 2**61}),
    ("fill_messages", {"_5": 2**62}),
    ("fill_messages", {"_4": 2**62, "_5": 2**62}),
    ("fill_messages", {"_4": 1, "_5": 0}),
    ("fill_messages", {"_2": bytearray(7)}),
    ("fill_messages", {"_3": bytearray(struct.pack("=Q", 2**64 - 1))}),
    ("fill_messages", {"_2": bytearray(struct.pack("=Q", 2**64 - 1))}),
    ("fill_messages", {"_8": 0}),
    ("fill_messages", {"_11": bytearray(3)}),
    ("fill_messages", {"_12": bytearray(3)}),
    ("fill_messages", {"_12": bytes(4)}),
    ("fill_messages", {"_13": bytearray(PROBLEM_SIZE - 1)}),
    ("repeat_inner", {"_1": bytearray(3)}),
    ("repeat_inner", {"_1": bytearray(8)}),
    ("repeat_inner", {"_1": bytearray(struct.pack("=3i", 3, 1, 0))}),
    ("repeat_inner", {"_1": bytearray(struct.pack("=3i", 0, 1, -1))}),
    ("repeat_inner", {"_0": struct.pack("=3Q", 2**63, 2**63, 3)}),
    ("repeat_weigh", {"_1": -1}),
    ("repeat_weigh", {"_2": bytearray(7)}),
    ("repeat", {"_0": struct.pack("=3Q", 1, 2, 3)}),
    ("repeat", {"_0": struct.pack("=3Q", 0, 2, 2**63)}),
    ("repeat", {"_0": struct.pack("=3Q", 0, 2, 5)}),
    ("repeat", {"_2": -1}),
    ("repeat", {"_2": 2**62}),
    ("repeat", {"_2": 0}),
    ("repeat", {"_1": bytearray(12), "_2": 0, "_3": bytearray(3)}),
    ("repeat", {"_1": bytearray(12), "_2": 0, "_3": bytearray(24)}),
    ("repeat", {"_3": bytearray(5)}),
    ("encode", {"_0": ((2**32, 1, None, 0),)}),
    ("encode", {"_0": ((-1, 1, None, 0),)}),
    ("encode", {"_0": ((4, 2**32, None, 0),)}),
    ("encode", {"_0": ((4, 0, bytearray(7), 0),)}),
    ("encode", {"_0": ((4, 1, None, 0),) * 5000}),
    ("encode", {"_1": bytearray(11)}),
    ("encode", {"_3": 3}),
    ("encode", {"_4": 2**31}),
    ("encode", {"_5": (2**32 + 1, 0, 0, 0, 0, -1)}),
    ("encode", {"_5": (1, 2**32, 0, 0, 0, -1)}),
    ("encode", {"_5": (1, 0, -1, 0, 0, -1)}),
    ("encode", {"_5": (1, 0, 0, 256, 0, -1)}),
    ("encode", {"_6": b"12345"}),
    ("encode", {"_6": bytearray(b"12")}),
    ("encode", {"_7": b"\3"}),
    ("encode", {"_10": bytes(200)}),
    ("find_delimiter", {"_3": b""}),
    ("find_delimiter", {"_3": b"12345"}),
    ("find_delimiter", {"_2": 5}),
    ("find_delimiter", {"_1": -1}),
    ("stuff", {"_1": b"\0"}),
    ("stuff", {"_1": b"\3"}),
    ("unstuff", {"_1": b"\0"}),
    ("unstuff", {"_2": -1}),
    ("unstuff", {"_2": 3}),
    ("md5_many", {"_1": bytearray(16)}),
    ("md5_many", {"_1": bytearray(7), "_2": bytearray(7)}),
    ("md5_many", {"_2": bytearray(b"\4" + bytes(7))}),
    ("md5_many", {"_1": bytearray(b"\xff" * 8)}),
]


def test_refused(subtests: pytest.Subtests) -> None:
    for name, changes in WRONG:
        with subtests.test(f"{name} {changes}"):
            given = changed(name, **changes)
            with pytest.raises(ERRORS, match=r"\w{3}"):
                GOOD[name][0](*given)
            for each in buffers_in(given):
                each.append(0)


def moved(value: Any) -> Any:
    """Return the same buffers at addresses that no number may have."""
    if isinstance(value, bytearray):
        return memoryview(bytearray(len(value) + 1))[1:]
    return tuple(map(moved, value)) if isinstance(value, tuple) else value


def test_buffers_at_odd_addresses() -> None:
    for name, places in {"fill_arena": (10, 11, 12), "fill_messages": (10, -2, -1)}.items():
        function, arguments = GOOD[name]
        given = arguments()
        for place in places:
            given[place] = moved(given[place])
        assert function(*given) == function(*arguments())
    fields, offsets, data, *rest = encode()
    odd = memoryview(b"\0" + offsets)[1:]
    assert _engine.encode(moved(fields), odd, data, *rest) == _engine.encode(*encode())


def empties() -> list[Any]:
    """Return buffers without bytes, some of them at address zero."""
    return [
        b"",
        bytearray(),
        memoryview(b""),
        pa.py_buffer(b""),
        pa.allocate_buffer(0),
        pa.array([], "u1").buffers()[1],
    ]


def test_buffers_of_no_bytes() -> None:
    for nothing in empties():
        assert CRC32C(nothing) == CRC32(nothing) == 0
        assert _engine.find_delimiter(nothing, 0, 0, b"\0") == -1
        assert _engine.stuff(nothing, b"\2") == b"\1"
        with pytest.raises(ValueError, match="not stuffed"):
            _engine.unstuff(nothing, b"\1", 0)
        assert _engine.md5_many(nothing, nothing, nothing) == b""
        assert _engine.md5_many(nothing, bytes(8), bytes(8)) == _engine.md5_many(b"", bytes(8), bytes(8))
        assert _engine.fill_arena(*changed("fill_arena", _1=nothing, _3=0))[0] == 0
        assert _engine.resync(*changed("resync", _1=nothing, _3=0)) == (1, 0)
        assert _engine.fill_messages(*changed("fill_messages", _1=nothing, _3=bytes(8)))[:3] == (0, 1, 0)
        out = bytearray() if memoryview(nothing).readonly else nothing
        assert _engine.encode(((3, 0, nothing, 0),), None, None, 0, 0, None, b"", b"\0", 0, 9, out) == (0, 0, 0, 0)
        with pytest.raises(ValueError, match="program"):
            _engine.Program(nothing)
        with pytest.raises(ValueError, match="program"):
            _engine.MessageProgram(nothing)


def test_offsets_at_the_end_of_what_numbers_hold() -> None:
    last = 2**63 - 1
    for stop in (-1, 0, last):
        rows = _engine.fill_arena(*changed("fill_arena", _4=last, _15=stop))
        assert rows[0] == (3 if stop < 0 else 0)
    assert _engine.resync(*changed("resync", _4=last)) == (0, 9)
    assert _engine.fill_arena(*changed("fill_arena", _13=2**31 - 1))[0] == 1


def test_what_stands_in_borrowed_memory_is_not_believed() -> None:
    """A state that claims more than the vectors contain, and offsets of the caller that lead anywhere."""
    for state in (b"\xff" * 8, (51).to_bytes(8, "little"), (2**63).to_bytes(8, "little")):
        for place in range(3):
            given = fill_messages()
            memory = memoryview(given[11]).cast("B")
            memory[8 * place : 8 * place + 8] = state
            with pytest.raises(ValueError, match="holds less than its state says"):
                _engine.fill_messages(*given)
    for offsets in ((5, 3, 0), (-1, 2, 3), (6, 6, 6), (0, 6, 5)):
        rows, size, status, _ = _engine.encode(*changed("encode", _1=bytearray(struct.pack("=3i", *offsets))))
        assert (rows, size, EncodeStatus(status)) == (0, 0, EncodeStatus.REFUSED)


def test_a_read_only_map_is_read() -> None:
    with mmap.mmap(-1, 1 << 16) as memory:
        memory[:3] = b"abc"
        assert CRC32C(memoryview(memory)[:3]) == CRC32C(b"abc")
