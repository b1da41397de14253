"""Kaitai's suite of specs with mistakes (``formats_err``): the errors that its comments require, and those reported
here.

A comment names the file, the path of keys (or line and column if it is not YAML), the severity and the text. Severity
and place must be the same. The text is Kaitai's as well, unless another one explains more; each of those belongs to one
of the ``OWN`` kinds.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from wireloom.codegen.model.load import analyse
from wireloom.codegen.spec.diagnostic import Diagnostic

VERSION = "0.11"
"""The value of the suite's ``$KS_VERSION``: the version of the language that is supported here."""

OPEN = "?"
"""The suite's word for an error whose place and text it leaves open."""

OWN = {
    "types as specs write them": r"\b(?:Calc|Int|Bytes|User|Enum|Array)\w*Type\w*\b|\boperator [A-Z]",
    "expressions as specs write them": r"\b(?:Name|Str|IntNum|IfExp)\(",
    "the part of the expression that is wrong": r"^parsing expression ",
    "what belongs there": r"^expected (?:map|array|string)\b",
    "where the file was looked for": r"No such file|import search paths",
    "which key a key goes with": r"^unknown key found",
}
"""Why a text is not Kaitai's: a pattern of Kaitai's text for each reason."""

STYLE = "given that it's only used as"
"""Warnings about names of sizes and counts, which Kaitai's style guide recommends and wireloom does not ask for."""

_EXPECTED = re.compile(
    r"# (?P<file>\S+?\.ksy)(?:: (?P<path>/\S*)|:(?P<place>\d+:\d+)):\n# \t(?P<severity>\w+): (?P<text>.+)"
)


@dataclass(frozen=True)
class Expected:
    """One comment; ``path`` is ``line:column`` if the file is not YAML."""

    file: str
    path: str
    severity: str
    text: str


@dataclass(frozen=True)
class Judged:
    """A file: the required errors and the reported ones.

    ``texts`` has a word for each required error: ``exact``, ``more`` (Kaitai's text followed by a hint), or the reason
    from ``OWN`` why the text differs (``other`` if none is known).
    """

    name: str
    missing: tuple[Expected, ...]
    unasked: tuple[Diagnostic, ...]
    texts: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the word for the file: the first that is not ``exact``."""
        return next((each for each in self.texts if each != "exact"), "exact")


def specs(suite: Path) -> list[Path]:
    """Return the files of the suite, in order, without those of style."""
    files = sorted((suite / "formats_err").glob("*.ksy"))
    return [each for each in files if STYLE not in each.read_text(encoding="utf-8")]


def expected(path: Path) -> list[Expected]:
    """Return the errors that a file's comments require."""
    comments = re.match(r"(?:#.*\n)*", path.read_text(encoding="utf-8"))
    text = comments.group() if comments else ""
    return [
        Expected(
            each["file"],
            each["path"] or each["place"],
            each["severity"],
            each["text"].replace("$KS_VERSION", VERSION),
        )
        for each in _EXPECTED.finditer(text)
    ]


def is_open(path: Path) -> bool:
    """Return whether the suite requires an error without specifying it."""
    return path.read_text(encoding="utf-8").startswith(f"# {OPEN}\n")


def judged(path: Path) -> Judged:
    """Return what is reported about a file, with what is required."""
    said = list(analyse(path).diagnostics)
    missing: list[Expected] = []
    texts: list[str] = []
    for each in expected(path):
        here = [one for one in said if _same_place(one, each)]
        if not here:
            missing.append(each)
            continue
        best = next((one for one in here if one.message == each.text), here[0])
        said.remove(best)
        texts.append(_compared(best.message, each.text))
    if is_open(path):
        error = next((one for one in said if one.severity == "error"), None)
        if error is None:
            missing.append(Expected(path.name, OPEN, "error", OPEN))
        else:
            said.remove(error)
    return Judged(path.stem, tuple(missing), tuple(said), tuple(texts))


def _same_place(said: Diagnostic, wanted: Expected) -> bool:
    place = said.path or f"{said.line}:{said.column}"
    return (Path(said.file).name, said.severity, _comparable(place)) == (
        wanted.file,
        wanted.severity,
        _comparable(wanted.path),
    )


def _comparable(path: str) -> str:
    """Return a path without the case of a switch, which Kaitai's compiler writes as the tree of its expression."""
    return path.partition("/cases/")[0]


def _compared(said: str, wanted: str) -> str:
    if said == wanted:
        return "exact"
    if said.startswith(wanted):
        return "more"
    return next((reason for reason, pattern in OWN.items() if re.search(pattern, wanted)), "other")


def score(suite: Path) -> dict[str, object]:
    """Return this part of the conformance score: files, those with the right severities and places, and the texts by
    kind."""
    files = [judged(each) for each in specs(suite)]
    texts = Counter(each.text for each in files if not each.missing)
    return {
        "files": len(files),
        "severity_and_path": sum(not each.missing for each in files),
        "text_exact": texts["exact"],
        "text_exact_and_a_hint": texts["more"],
        "text_own": {reason: texts[reason] for reason in (*OWN, "other") if texts[reason]},
    }
