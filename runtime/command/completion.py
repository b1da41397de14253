"""``wireloom completion``: prints the script with which a shell completes wireloom's commands."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", short_help="Print a completion script for bash, zsh or fish.")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a script for SHELL (bash, zsh or fish), to be evaluated in its start-up file.

    It completes commands, options, names of formats and their columns, and files.

    \b
      eval "$(wireloom completion bash)"      # in ~/.bashrc
      eval "$(wireloom completion zsh)"       # in ~/.zshrc
      wireloom completion fish | source       # in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    group = context.find_root()
    name = group.info_name or "wireloom"
    kind = get_completion_class(shell)
    assert kind is not None
    variable = f"_{name}_COMPLETE".replace("-", "_").replace(".", "_").upper()
    made = kind(group.command, {}, name, variable)
    # ``source()`` is not used: for bash it runs bash to check its version, although the script may be for another
    # machine.
    click.echo(made.source_template % made.source_vars())
