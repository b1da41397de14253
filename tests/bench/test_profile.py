"""The output of profilers is interpreted correctly."""

from __future__ import annotations

from . import profile

CALLGRIND = """\
fl=(1) engine.c
fn=(1) wl_fill
12 100
+3 20
cfn=(2) wl_row'2
calls=1 40
13 1000
fn=(2)
40 700
* 150
fn=(3) memcpy
0 30
"""
PERF = """\
     7f0a01 wl_fill (/a/_engine.abi3.so)
     7f0a02 wl_fill (/a/_engine.abi3.so)
     7f0b01 __memcpy_avx512_unaligned_erms (/lib/libc.so.6)
     7f0c01 _PyEval_EvalFrameDefault (/usr/bin/python3.11)
     7f0d01 arrow::Buffer::~Buffer (/b/libarrow.so.2200)
 ffff810001 [unknown] ([kernel.kallsyms])
"""


def test_own_costs_are_told_from_those_of_what_is_called() -> None:
    assert profile.costs(CALLGRIND) == {"wl_fill": 120, "wl_row": 850, "memcpy": 30}


def test_samples_are_those_of_the_engine_and_of_libraries() -> None:
    assert profile.samples(PERF) == {
        "wl_fill": 2,
        "__memcpy_avx512_unaligned_erms": 1,
        "(Python)": 1,
        "(libarrow)": 1,
        "(the kernel: pages that are touched for the first time)": 1,
    }


def test_small_shares_are_put_together() -> None:
    found = profile.costs(CALLGRIND)
    found["tiny"] = 1
    shares = dict(profile.shares(found))
    assert list(shares) == ["wl_row", "wl_fill", "memcpy", "all others"]
    assert sum(shares.values()) == 1
