"""Commands of wireloom, run in this process."""

from __future__ import annotations

from click.testing import CliRunner, Result
from wireloom.command import main


def run(*arguments: object, code: int = 0, input: bytes | str | None = None) -> Result:
    """Return the result of a command. Raises what it raises, and ``AssertionError`` for another exit code."""
    result = CliRunner().invoke(main, [*map(str, arguments)], input=input)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result
