"""Generated specs as strategies of Hypothesis: every choice can be reverted when a failure is shrunk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from ..examples import PROFILE
from .records import record_spec
from .specs import Made, table_spec
from .unit_specs import unit_spec

T = TypeVar("T")
IS_QUICK = PROFILE in ("quick", "suite")

randoms: st.SearchStrategy[Random] = st.randoms(use_true_random=False)


def tables() -> st.SearchStrategy[Made]:
    """Return specs of tables, with all of wireloom's extensions to Kaitai's language."""
    return randoms.map(table_spec)


def units() -> st.SearchStrategy[Made]:
    """Return specs of tables whose rows are inside units."""
    return randoms.map(unit_spec)


def records() -> st.SearchStrategy[Made]:
    """Return specs of tables whose rows are inside records in pieces."""
    return randoms.map(record_spec)


def bounded(examples: int, thorough: int = 0) -> Callable[[Any], Any]:
    """Return the settings for that many examples in ``make test``. In ``make thorough`` and in every run of the fuzzer
    there are ``thorough``, or four times as many."""
    count = examples if IS_QUICK else thorough or 4 * examples
    return settings(max_examples=count, suppress_health_check=list(HealthCheck))


def some(random: Random, values: Sequence[T], count: int = 2) -> Sequence[T]:
    """Return ``count`` of the values, such as options for reading; in ``make thorough`` all of them."""
    return random.sample(values, count) if IS_QUICK else values
