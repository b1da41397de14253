"""Generated specs as strategies of Hypothesis: every choice can be reverted when a failure is shrunk."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from ..examples import PROFILE
from .records import record_spec
from .specs import Made, table_spec
from .unit_specs import unit_spec

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


def bounded(examples: int) -> Callable[[Any], Any]:
    """Return the settings for that many examples in ``make test``, and four times as many in ``make thorough`` and in
    every run of the fuzzer."""
    count = examples if PROFILE in ("quick", "suite") else 4 * examples
    return settings(max_examples=count, suppress_health_check=list(HealthCheck))
