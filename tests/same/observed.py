"""``python -m tests.same.observed OUT``: reads all inputs with the wireloom that is imported, and writes a digest of
each result as JSON."""

from __future__ import annotations

import hashlib
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import wireloom
from wireloom import engine
from wireloom.format.registry import get as format_of

from ..campaigns.case import Case
from ..campaigns.running import damage
from ..campaigns.subjects import SUBJECTS
from ..unit.reading.running import read

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests" / "vectors"
FORMATS = {"edgemq": "edgemq_segment", "kpl": "kpl_aggregated_record", "word_stuffing": "word_stuffed_log"}
"""The formats of the folders of vectors that are not named by theirs."""
SOURCES = frozenset({".py", ".java", ".go", ".md", ".jsonl", ".txt", ".pyc"})
READERS = ("columns", "objects")
DAMAGES = 12
"""Number of damaged inputs of each campaign."""
CHANGES = 1
"""Number of cuts, and of flipped bits, of each vector."""
MOST = 100_000
"""Vectors above this size are only read whole, and by the engine."""


def digest(*parts: object) -> str:
    return hashlib.sha256("\n".join(map(repr, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def result(reader: str, format: Any, data: bytes, **options: Any) -> str:
    """Return a digest of the rows and the report, or of the error."""
    try:
        table, report = read(reader, format, data, **options)
    except wireloom.WireloomError as error:
        return digest(type(error).__name__, error.offset, error.reason)
    except Exception as error:
        # A crash is a result that the other tree does not have.
        return digest("crash", type(error).__name__)
    report.pop("error", None)
    for each in report.get("files", ()):
        each.pop("error", None)
    return digest(table.schema.to_string(), table.to_pydict(), sorted(report.items(), key=str))


def vectors() -> Iterator[tuple[str, str]]:
    """Yield the name and the digest of each reading of each vector."""
    for path in sorted(VECTORS.rglob("*")):
        if not path.is_file() or path.suffix in SOURCES or path.parent.name == "checksums":
            continue
        folder = path.relative_to(VECTORS).parts[0]
        name = FORMATS.get(folder, folder)
        data = path.read_bytes()
        source = random.Random(path.name)
        inputs = {"whole": data}
        for number in range(CHANGES if len(data) < MOST else 0):
            inputs[f"cut {number}"] = data[: source.randrange(len(data) + 1)]
            if data:
                at = source.randrange(len(data))
                inputs[f"flip {number}"] = data[:at] + bytes((data[at] ^ 1 << source.randrange(8),)) + data[at + 1 :]
        for table in format_of(name).tables or ("",):
            chosen = {"table": table} if table else {}
            for what, content in inputs.items():
                for reader in READERS if len(data) < MOST else READERS[:1]:
                    for recover in (False, True):
                        key = f"{path.relative_to(VECTORS)} {table} {what} {reader}{' recover' * recover}"
                        yield key, result(reader, name, content, recover=recover, **chosen)


class Recorded(Case):
    """A damaged input whose results are kept."""

    def read(self, format: Any, **options: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Read it as a campaign does, and keep a digest of what comes."""
        rows, report = super().read(format, **options)
        self.counts[digest(rows, sorted(report.items(), key=str))] += 1
        return rows, report


def campaigns() -> Iterator[tuple[str, str]]:
    """Yield the name and the digest of each damaged input of the campaigns."""
    with tempfile.TemporaryDirectory() as folder:
        for name, subject in SUBJECTS.items():
            sample = subject.sample(random.Random(f"same {name}"))
            for number in range(DAMAGES):
                source = random.Random(f"same {name} {number}")
                case = Recorded(source, sample, damage(subject, sample, source), Path(folder), Counter())
                try:
                    subject.check(case)
                    said = ""
                except Exception as error:
                    said = f"{type(error).__name__}"
                yield f"campaign {name} {number}", digest(sorted(case.counts.items()), said)


def main(out: Path) -> None:
    """Write the digests."""
    if not engine.available:
        raise SystemExit("the engine is not built")
    found = dict(vectors())
    found.update(campaigns())
    out.write_text(json.dumps(found, indent=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
