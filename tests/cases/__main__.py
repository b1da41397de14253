"""``python -m tests.cases FILE…`` writes what cases return into their files, as what is expected: review ``git diff``.
Everything before the line ``cases:`` stays as it is; the cases are written in one style."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from .case import EXPECTED, KEYS, Case, Plain, cases_of, loaded
from .running import as_expected, observed

WIDTH = 116
SHORT = 36
"""The length of a case of a list up to which several are in a line."""


ERRORS = {"refused", "fails", "engine"}


class Flow(dict[str, Any]):
    """A mapping that is written in lines as long as possible."""


class FlowList(list[Any]):
    """A list that is written so."""


class Dumper(Plain, yaml.SafeDumper):
    """The style of the files: no aliases, and items of a list are indented."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def lines(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if "\n" in text else None)


Dumper.add_representer(str, lines)
Dumper.add_representer(Flow, lambda dumper, data: dumper.represent_mapping("tag:yaml.org,2002:map", data.items(), True))
Dumper.add_representer(FlowList, lambda dumper, data: dumper.represent_sequence("tag:yaml.org,2002:seq", data, True))


def dumped(value: Any) -> str:
    return yaml.dump(value, Dumper=Dumper, width=WIDTH, allow_unicode=True, sort_keys=False)


def flowing(value: Any) -> Any:
    """Return a value whose lists and mappings are written in lines."""
    if isinstance(value, dict):
        return Flow((key, flowing(each)) for key, each in value.items())
    return FlowList(map(flowing, value)) if isinstance(value, list) else value


def filled(keys: Mapping[str, Any], case: Case, common: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a case with what it returns, apart from keys that all of its list have in common."""
    made = {key: value for key, value in keys.items() if key not in EXPECTED}
    made |= {key: value for key, value in as_expected(case, observed(case)).items() if common.get(key) != value}
    for key in ERRORS & made.keys():
        # What follows shows the place in the spec.
        made[key] = made[key].partition("\n")[0]
    return {key: made[key] for key in KEYS if key in made}


def text_of(name: str, keys: Mapping[str, Any]) -> str:
    """Return a case as it stands in its file: in one line, if that is short."""
    short = dumped({name: flowing(dict(keys))})
    if "each" not in keys and short.count("\n") == 1 and len(short) < WIDTH:
        return short
    values = {key: flowing(each) for key, each in keys.items()}
    if any(len(dumped(each)) > SHORT for each in values.get("each", ())):
        values["each"] = [*values["each"]]
    return dumped({name: values})


def written(path: Path) -> str:
    """Return the text of a file, with what its cases return."""
    found, cases = loaded(path), cases_of(path)
    parts = []
    for name, keys in found["cases"].items():
        if "each" in keys:
            common = {key: value for key, value in keys.items() if key != "each"}
            parts.append(text_of(name, common | {"each": [filled(own, next(cases), common) for own in keys["each"]]}))
        else:
            parts.append(text_of(name, filled(keys, next(cases), {})))
    head, line, _ = path.read_text(encoding="utf-8").partition("\ncases:\n")
    indented = "".join(f"  {each}\n" for part in parts for each in part.splitlines())
    return head + line + indented


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        Path(argument).write_text(written(Path(argument)), encoding="utf-8")
