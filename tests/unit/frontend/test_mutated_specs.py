"""Specs with pieces exchanged, removed and replaced: each results in code that Python compiles, or in diagnostics.

With ``KAITAI_TESTS`` the specs of Kaitai's suite are changed too.
"""

from __future__ import annotations

import json
import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wireloom import SpecError
from wireloom.codegen.backends.columns import BACKEND as COLUMNS
from wireloom.codegen.backends.python import BACKEND as PYTHON
from wireloom.codegen.passes import with_facts
from wireloom.codegen.spec.kinds import BUILT_IN
from wireloom.codegen.spec.tables import TABLES
from wireloom.codegen.tree import Spec

from tests.unit.frontend.test_hostile import HEADER_BYTES, KITCHEN_SINK, SPECS, judged
from tests.unit.teaching.test_together import MANY

SUITE = os.environ.get("KAITAI_TESTS")
SAMPLES = [HEADER_BYTES, KITCHEN_SINK, MANY, *SPECS]
if SUITE:
    SAMPLES += [path.read_text(encoding="utf-8") for path in sorted(Path(SUITE, "formats").glob("*.ksy"))]

NAMES = [
    *(*BUILT_IN, "b1", "b7le", "bytes", "io", "any", "x", "t", "sub", "sub(1)", "::x", "x::sub", "u1[]", "zlib"),
    *("eos", "expr", "until", "le", "be", "UTF-16LE", "no-such", "on", "~", "xor(n)", "my.proc(n, 1)", "crc32c"),
]  # fmt: skip
EXPRESSIONS = """\
n
a
_
_io
_root
_parent
_index
_on
_sizeof
_root.a
_parent._parent._parent
n.size
a.to_s
_io.size - _io.pos
sizeof<x>
b.first.v
[n, n]
n ? 1 : 2
animals::cat
n / 0
1 << n
_root.as<x>
_parent.as<sub>.v
a[n]
-n * 2 ** 3
n > 1 and not true
'é' + "\\n"
f"{n}"
x.a.x.a
_root.sync
sync == _root.sync
data < _root.sync
a != [0, 0].as<bytes>
""".splitlines()
PARTS: list[Any] = [
    *(None, True, False, 0, -1, 2**64, 10**400, 1.5, "", [], {}, [[]], {"a": {}}, ["a", 1, {}]),
    {"switch-on": "n", "cases": {"1": "sub(1)", "_": "x"}},
    {"switch-on": "_root", "cases": {"e::f": "u1"}},
    {"id": "z", "type": "x"},
    {"seq": [{"id": "q", "type": "x"}], "instances": {"v": {"value": "_root.n"}}},
    {"min": 1, "max": "n"},
    {"value": "n + a.size"},
    {"pos": "n", "io": "_root._io", "size": "_io.size"},
    {"algorithm": "crc32c", "over": ["a", "b"]},
    {"algorithm": "sha256d", "over": "a", "replace": 0},
    {"algorithm": {"width": 24, "poly": 0x864CFB}, "over": "a", "stored": "_ + n", "continues": "n"},
    {"algorithm": "fletcher16", "over": "a", "endian": "be"},
]
VALUES = [*NAMES, *EXPRESSIONS, *PARTS]
KEYS = sorted({key for table in TABLES.values() for key in table.keys} | {"-wireloom", "a", "n"})
KINDS = ("replace", "remove", "copy", "key", "wrap")


def slots(tree: Any) -> list[tuple[Any, Any]]:
    """Return every place of the tree: its container, and its key or index there."""
    found: list[tuple[Any, Any]] = []
    waiting = [tree]
    while waiting:
        current = waiting.pop()
        inside = (
            current.items() if isinstance(current, dict) else enumerate(current) if isinstance(current, list) else ()
        )
        for key, value in inside:
            found.append((current, key))
            waiting.append(value)
    return found


def change(tree: Any, kind: str, at: int, other: int, value: Any, key: str) -> None:
    """Make one change, in place."""
    places = slots(tree)
    if not places:
        return
    holder, where = places[at % len(places)]
    if kind == "remove":
        del holder[where]
    elif kind == "copy":
        source, name = places[other % len(places)]
        holder[where] = deepcopy(source[name])
    elif kind == "key" and isinstance(holder, dict):
        holder[key] = holder.pop(where)
    elif kind == "wrap":
        holder[where] = [holder[where]]
    else:
        holder[where] = deepcopy(value)


def generated(spec: Spec) -> None:
    """Check that the code of a spec can be compiled, or that a sentence says why there is none."""
    for backend in (PYTHON, COLUMNS):
        try:
            files = backend.files(with_facts(spec))
        except SpecError:
            continue
        for file in files:
            if file.path.endswith(".py"):
                compile(file.text, file.path, "exec")


@pytest.mark.parametrize("zeros", range(1, 12))
def test_constants_among_the_bytes_of_a_header(zeros: int) -> None:
    """Until a reader fills them in, the bytes of the header are zeros, which other constants may equal or overlap."""
    for condition in ("len == 0", "data == _root.sync", "_root.sync > data and len << 56 > 1"):
        text = HEADER_BYTES.replace("[0, 0]}", f"{[0] * zeros}}}").replace("len * 2 + 1 > 100", condition)
        result = judged(text)
        assert result.spec is not None
        generated(result.spec)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)
@given(
    st.sampled_from(SAMPLES),
    st.lists(
        st.tuples(
            st.sampled_from(KINDS),
            st.integers(0, 10_000),
            st.integers(0, 10_000),
            st.sampled_from(VALUES),
            st.sampled_from(KEYS),
        ),
        min_size=1,
        max_size=5,
    ),
)
def test_exchanged_pieces(text: str, changes: list[tuple[str, int, int, Any, str]]) -> None:
    tree = yaml.safe_load(text)
    for each in changes:
        change(tree, *each)
    result = judged(json.dumps(tree, default=str))
    if result.spec is not None:
        generated(result.spec)
