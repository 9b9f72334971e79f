"""The program: run a verb, and turn what went wrong into one line and an exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from relore_client import output
from relore_client.failures import Failure
from relore_client.options import Shared
from relore_client.prose import NAME
from relore_client.verbs import cli

if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and exit with the code that docs/cli.md gives the outcome."""
    output.prepare_streams()
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        return _answered(arguments)
    except Failure as failure:
        output.complain(str(failure))
        return failure.exit_code
    except click.UsageError as error:
        output.complain(_usage(error))
        return error.exit_code
    except click.ClickException as error:
        output.complain(error.format_message())
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _INTERRUPTED


def _answered(arguments: Sequence[str] | None) -> int:
    try:
        result: object = cli.main(args=arguments, prog_name=NAME, standalone_mode=False, obj=Shared())
    except click.exceptions.NoArgsIsHelpError as error:
        output.show(error.format_message())
        return error.exit_code
    return result if isinstance(result, int) else 0


def _usage(error: click.UsageError) -> str:
    where = error.ctx.command_path if error.ctx is not None else NAME
    return f"{cli.explain(error)} ('{where} --help' lists what there is.)"
