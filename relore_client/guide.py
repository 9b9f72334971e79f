"""What an agent is told about this program at its start, made of the commands themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_client.options import GLOBAL_FLAGS
from relore_client.prose import CODES, DATA, NAME, ORDER, VARIABLES

if TYPE_CHECKING:
    import click


def text(program: click.Group) -> str:
    """Return Markdown for a start-up file: short, because it is read at the start of every session."""
    flags = {usage: _flags(program.commands[usage.partition(" ")[0]]) for usage, _ in ORDER}
    common = [
        flag
        for flag in next(iter(flags.values()))
        if sum(flag in own for own in flags.values()) > len(ORDER) / 2
    ]
    steps = "\n".join(
        f"{place}. {_step(usage, when, [flag for flag in flags[usage] if flag not in common])}"
        for place, (usage, when) in enumerate(ORDER, 1)
    )
    codes = "; ".join(f"{code} {what}" for code, what in CODES)
    variables = "\n".join(f"- `{name}`: {what}" for name, what in VARIABLES)
    data = "\n".join(line.strip() for line in DATA.splitlines())
    return f"""## The history of this project: `{NAME}`

Before you diagnose, change or reopen something, ask what was already said, decided, tried and rejected in this
project's issues and pull requests. Ask in this order:

{steps}

`N` is a number or `owner/name#number`. All but `status` also take {_marked(common)}; every verb takes
{_marked(GLOBAL_FLAGS)} on either side of it.
Two or three distinctive words find more than a sentence; a pasted traceback works as it is. In a pipe pages are
short: `--no-compact` gives them whole, `--json` everything. `{NAME} VERB --help` says the rest.

{data}

Exit codes: {codes}. Nothing found is 0: an answer, not a fault.
A failure is one line on standard error. Where the server is not reachable or failed, nothing is known: do not take
it for "nobody ever said so".

{variables}
"""


def _flags(verb: click.Command) -> list[str]:
    return [
        option.opts[0]
        for option in verb.params
        if option.param_type_name == "option" and not set(GLOBAL_FLAGS).intersection(option.opts)
    ]


def _step(usage: str, when: str, flags: list[str]) -> str:
    return f"`{NAME} {usage}`: {when}" + (f" {_marked(flags)}." if flags else "")


def _marked(flags: list[str] | tuple[str, ...]) -> str:
    return " ".join(f"`{flag}`" for flag in flags)
