"""``wireloom diff``: reports what a change of a spec means for readers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import shell_completion
from .parameters import import_option

if TYPE_CHECKING:
    from wireloom.codegen.changes.change import Change
    from wireloom.codegen.changes.revisions import Side

CODES = (0, 1, 3)
"""Exit codes by severity: no relevant change, compatible, breaking. 2 is unusable input, as in every command."""


@click.command("diff", short_help="Check whether a change of a spec breaks readers; exit code 3 if it does.")
@click.argument("old", metavar="OLD", shell_complete=shell_completion.files)
@click.argument("new", metavar="NEW", shell_complete=shell_completion.files)
@import_option
@click.option("--json", "as_json", is_flag=True, help="Print the changes as JSON.")
@click.pass_context
def command(context: click.Context, old: str, new: str, import_paths: tuple[Path, ...], as_json: bool) -> None:
    """Check whether a change of a spec breaks its readers, as "buf breaking" does for protobuf: compare columns, bytes,
    checks, settings and documentation of two versions.

    OLD and NEW are spec files, folders of them, REVISION:PATH as in git, or only a revision, which means the path
    of the other side. Folders of absolute imports inside the repository are those of the revision.

    \b
      wireloom diff HEAD specs/door_log.ksy
      wireloom diff HEAD~1:specs/door_log.ksy specs/door_log.ksy
      wireloom diff origin/main specs/

    The exit code is 0 if no change affects readers, 1 if the changes are compatible, and 3 if they are breaking:
    files are read differently or refused, or columns are missing. It is 2 if a spec cannot be read.
    """
    from wireloom.codegen.changes.change import severity_of
    from wireloom.codegen.changes.revisions import both_sides

    with both_sides(old, new, import_paths) as (before, after):
        found = dict(_compared(before, after))
    severity = severity_of(each for changes in found.values() for each in changes)
    if as_json:
        described = {
            "old": before.shown,
            "new": after.shown,
            "level": severity.name.lower(),
            "specs": [
                {
                    "spec": name,
                    "level": severity_of(changes).name.lower(),
                    "changes": [
                        {"level": each.severity.name.lower(), "area": each.area, "place": each.place, "text": each.text}
                        for each in changes
                    ],
                }
                for name, changes in found.items()
            ],
        }
        click.echo(json.dumps(described, indent=2, ensure_ascii=False))
    else:
        for line in _lines(found):
            click.echo(line)
    context.exit(CODES[severity])


def _compared(old: Side, new: Side) -> Iterator[tuple[str, tuple[Change, ...]]]:
    from wireloom.codegen.changes.change import SETTINGS, Change, Severity
    from wireloom.codegen.changes.compare import compare

    from ..base.errors import WireloomError

    if not new.files and not (old.files and old.revision is not None):
        raise WireloomError("there are no specs in this folder", path=new.shown)
    if old.single != new.single:
        raise WireloomError(f"compare a file with a file, or a folder with a folder: {old.shown}, {new.shown}")
    if new.single and new.files:
        [before], [after] = old.files, new.files
        spec = new.spec(after)
        yield spec.name, compare(old.spec(before), spec)
        return
    for name in sorted({*old.files, *new.files}):
        title = name.removesuffix(".ksy")
        if name not in new.files:
            yield title, (Change(Severity.BREAKING, SETTINGS, "spec", "was removed"),)
        elif name not in old.files:
            new.spec(name)  # an error if it has one
            yield title, (Change(Severity.COMPATIBLE, SETTINGS, "spec", "was added"),)
        else:
            yield title, compare(old.spec(name), new.spec(name))


def _lines(found: dict[str, tuple[Change, ...]]) -> Iterator[str]:
    from wireloom.codegen.changes.change import severity_of

    for spec, changes in found.items():
        if not changes:
            yield f"{spec}: no changes that affect readers"
            continue
        yield f"{spec}: {severity_of(changes).name.lower()}"
        for each in changes:
            yield f"  {each.severity.name.lower():<10}  {each.area:<8}  {each}"
