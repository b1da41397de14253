"""The completions of shells."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner
from wireloom.command import main


def completed(line: str) -> list[str]:
    *before, last = line.split(" ")
    found = BashComplete(main, {}, "wireloom", "_WIRELOOM_COMPLETE").get_completions(before, last)
    return [f"<{each.type}>" if each.type != "plain" else each.value for each in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("dec", ["decode"]),
        ("decode edge", ["edgemq_segment"]),
        ("decode ./my", ["<file>"]),
        ("verify cobs_log ", ["<file>"]),
        ("decode edgemq_segment x --columns ts,te", ["ts,tenant"]),
        ("decode edgemq_segment --columns _o", ["_offset"]),
        ("ingest edgemq_segment x --partition-by inst", ["instance_id"]),
        ("decode nonsense x --columns t", []),
        ("decode /no/such.ksy x --columns t", []),
        ("decode edgemq_segment x --option stride=l", ["stride=layout"]),
        ("decode edgemq_segment x --option max_r", ["max_record="]),
        ("decode s2_session x --option message=append_a", ["message=append_ack"]),
        ("decode kpl_aggregated_record x --option hash", ["hash_range="]),
        ("decode cobs_log x --mode f", ["failfast"]),
        ("decode cobs_log x -o ", ["<file>"]),
        ("ingest cobs_log x --table ", ["<dir>"]),
        ("completion z", ["zsh"]),
    ],
)
def test_completions(line: str, expected: list[str]) -> None:
    assert completed(line) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_that_its_shell_accepts(shell: str) -> None:
    result = CliRunner().invoke(main, ["completion", shell], prog_name="wireloom")
    assert result.exit_code == 0
    assert f"_WIRELOOM_COMPLETE={shell}_complete" in result.output
    found = shutil.which(shell)
    if found is not None:
        subprocess.run([found, "-n"], input=result.output, text=True, check=True, capture_output=True)


def test_an_unknown_shell() -> None:
    result = CliRunner().invoke(main, ["completion", "tcsh"])
    assert result.exit_code == 2
    assert "'bash', 'zsh', 'fish'" in result.stderr


def test_no_shell() -> None:
    result = CliRunner().invoke(main, ["completion"])
    assert result.exit_code == 2
    assert "'{bash|zsh|fish}'. Choose from: bash, zsh, fish (see" in result.stderr


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_a_format(tmp_path: Path) -> None:
    command = tmp_path / "wireloom"
    command.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'from wireloom.command import main; main()' \"$@\"\n")
    command.chmod(0o755)
    lines = [
        f'PATH="{tmp_path}:$PATH"',
        'eval "$(wireloom completion bash)"',
        "COMP_WORDS=(wireloom decode word)",
        "COMP_CWORD=2",
        "_wireloom_completion wireloom",
        'echo "${COMPREPLY[@]}"',
    ]
    done = subprocess.run(["bash", "-c", "\n".join(lines)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("word_stuffed_log\n", "")
