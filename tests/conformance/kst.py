"""The declarative tests, ``spec/ks/*.kst``: a spec, a file, and the expected values of expressions about the object."""

from __future__ import annotations

import contextlib
import math
import re
from enum import IntEnum
from pathlib import Path
from typing import Any

import yaml
from wireloom import objects

from .questions import Questions
from .suite import Suite

PACKAGE = "testformats"

ERRORS: dict[str, type[Exception]] = {"ConversionError": ValueError}
"""The suite's names for errors that are not classes of Kaitai's own."""

CLOSE = 1e-6
"""Relative difference up to which the suite considers two floats equal."""


def run(suite: Suite) -> dict[str, str]:
    """Return for each test, by name, why it does not pass, or an empty text."""
    refused = suite.package_of_readers()
    return {path.stem: _reason(suite, path, refused) for path in sorted((suite.folder / "spec/ks").glob("*.kst"))}


def _reason(suite: Suite, path: Path, refused: dict[str, str]) -> str:
    # All values remain text: numbers too are expressions of Kaitai's language.
    test = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)
    if test["id"] in refused:
        return f"refused: {refused[test['id']]}"
    try:
        _check(suite, test)
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return ""


def _check(suite: Suite, test: dict[str, Any]) -> None:
    questions = Questions(suite.formats / f"{test['id']}.ksy", suite.import_paths, PACKAGE)
    about = suite.folder / "src" / test["data"]
    if "exception" in test:
        _raises(test["exception"], lambda: _read(questions, about, asked=False))
        return
    with contextlib.closing(_read(questions, about, asked="asserts" in test)) as found:
        for each in test.get("asserts", ()):
            _assert(questions, each, found)


def _read(questions: Questions, path: Path, *, asked: bool) -> Any:
    """``asked``: whether there are any questions about the object."""
    made = questions.root_class.from_file(path)
    if questions.spec.debug:
        try:
            made._read()
        except EOFError:
            # The parts that could be read exist, and the questions are about them, unless they are about the error
            # itself.
            if not asked:
                made.close()
                raise
    return made


def _assert(questions: Questions, given: dict[str, Any], about: Any) -> None:
    asked = given["actual"]
    if "exception" in given:
        _raises(given["exception"], lambda: questions.value(asked, about))
        return
    if given["expected"] == "null":
        with contextlib.suppress(AttributeError, objects.AbsentError):
            actual = questions.value(asked, about)
            assert actual is None, f"{asked} is {actual!r}, not absent"
        return
    actual, expected = questions.value(asked, about), questions.value(given["expected"], about)
    assert _equal(actual, expected), f"{asked} is {actual!r}, not {expected!r}"


def _equal(actual: Any, expected: Any) -> bool:
    if isinstance(expected, float):
        return isinstance(actual, float) and math.isclose(actual, expected, rel_tol=CLOSE, abs_tol=CLOSE)
    if isinstance(expected, IntEnum):
        return actual is expected
    if isinstance(expected, bytes) and isinstance(actual, list):
        # A list of small numbers is written like bytes.
        return actual == list(expected)
    return bool(actual == expected) and not isinstance(actual, IntEnum)


def _raises(wanted: Any, call: Any) -> None:
    """``wanted``: the name of an error, possibly with a type in angle brackets, or a mapping that also contains its
    message."""
    name = re.sub("<.*", "", wanted if isinstance(wanted, str) else wanted["type"])
    kind = ERRORS.get(name) or getattr(objects, name)
    raised: Exception | None = None
    try:
        call()
    except kind as error:
        raised = error
    assert raised is not None, f"{name} was not raised"
    message = "" if isinstance(wanted, str) else wanted["message"]
    assert message in ("", str(raised)), f"the message is {str(raised)!r}, not {message!r}"
