"""What a shell is given so that the program's verbs and flags complete.

The scripts are click's, bound to the name the program is installed under. While a word is completed they run
the program, which answers from its own declarations and asks no server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_client.prose import NAME

if TYPE_CHECKING:
    import click

SHELLS = ("bash", "zsh", "fish")

VARIABLE = f"_{NAME.upper()}_COMPLETE"
"""Set by the scripts, to tell a completion from a run."""


def script(program: click.Command, shell: str) -> str:
    """Return the script for one of `SHELLS`."""
    from click.shell_completion import ShellComplete, get_completion_class  # noqa: PLC0415 - needed here only

    kind = get_completion_class(shell)
    if kind is None:
        raise LookupError(shell)
    # Past bash's own class, which would start a shell to learn its version; an older one is served below.
    text = ShellComplete.source(kind(program, {}, NAME, VARIABLE))
    return "".join(map(_for_any_bash, text.splitlines(keepends=True))) if shell == "bash" else text


def _for_any_bash(line: str) -> str:
    """Let a bash that cannot keep the order of completions sort them, instead of completing nothing."""
    command = line.strip()
    if not command.startswith("complete -o nosort "):
        return line
    return line.replace(command, f"{command} 2> /dev/null || {command.replace('-o nosort ', '')}")
