"""The flags that every verb takes, on either side of it, and messages that say where a flag belongs.

A flag given before the verb and one given after it end in the same `Shared`; where both are given, the one
nearer to the verb's own arguments wins, as the more deliberate.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import click

from relore_client import api, output


@dataclass
class Shared:
    """What the global flags said; None is not given."""

    json: bool | None = None
    compact: bool | None = None
    plain: bool | None = None
    api: str | None = None
    fields: str | None = None

    @property
    def machine(self) -> bool:
        """Whether the payload is wanted instead of the page; naming parts of it is wanting it."""
        return bool(self.json) or self.fields is not None

    def presentation(self, *, terminal: bool) -> bool:
        """Whether advice is printed: on a terminal, unless the piped form was asked for."""
        return terminal and not self.plain

    def shortened(self, *, terminal: bool) -> bool:
        """Whether quoted prose is shortened: in the piped form, and in JSON only where it was asked for."""
        if self.compact is not None:
            return self.compact
        return not self.machine and not self.presentation(terminal=terminal)


def _remember(context: click.Context, parameter: click.Parameter, value: object) -> None:
    if value is not None and parameter.name:
        setattr(context.ensure_object(Shared), parameter.name, value)


def _global_options() -> list[click.Parameter]:
    common: dict[str, Any] = {"default": None, "expose_value": False, "callback": _remember}
    return [
        click.Option(["--json"], is_flag=True, help="The answer as JSON, ASCII only.", **common),
        click.Option(
            ["--compact/--no-compact"],
            is_flag=True,
            help="Shorten quoted prose; facts stay. The default in a pipe, not on a terminal nor for --json.",
            **common,
        ),
        click.Option(
            ["--plain"], is_flag=True, help="On a terminal, print what a pipe would get: no advice.", **common
        ),
        click.Option(
            ["--fields"],
            metavar="PATHS",
            help="Of the JSON only these dotted paths, divided by commas: count,hits.url. Implies --json.",
            **common,
        ),
        click.Option(["--api"], metavar="URL", help="The server; overrides RELORE_API.", **common),
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Print the version, and the version of the API this client speaks.",
        ),
        click.Option(
            list(_HELP),
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_help,
            help="Show this message and exit.",
        ),
    ]


_HELP = ("-h", "--help")

GLOBAL_FLAGS = (
    "--json",
    "--compact",
    "--no-compact",
    "--plain",
    "--fields",
    "--api",
    "--version",
    "--help",
)


def _show_version(context: click.Context, parameter: click.Parameter, value: object) -> None:
    del parameter
    if value and not context.resilient_parsing:
        output.show(f"relore {api.client_version()} (API {api.API})")
        context.exit()


def _show_help(context: click.Context, parameter: click.Parameter, value: object) -> None:
    del parameter
    if value and not context.resilient_parsing:
        output.show(context.get_help())
        context.exit()


class Verb(click.Command):
    """A command that takes the global flags besides its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, add_help_option=False, **kwargs)
        self.params = [*self.params, *_global_options()]


class Verbs(click.Group):
    """The program: its verbs in the order they are reached for, and errors that say where a flag belongs."""

    command_class = Verb

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, add_help_option=False, **kwargs)
        self.params = [*self.params, *_global_options()]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read what stands before the verb; asked there for help on a verb, help on that verb is meant."""
        verb = next((place for place, word in enumerate(args) if word in self.commands), None)
        asked = [] if verb is None else [word for word in args[:verb] if word in _HELP]
        if verb is not None and asked:
            before = [word for word in args[:verb] if word not in _HELP]
            args = [*before, args[verb], asked[0], *args[verb + 1 :]]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs as they were declared."""
        del ctx
        return list(self.commands)

    def explain(self, error: click.UsageError) -> str:
        """Return what is wrong with the command line, and what would be right."""
        if isinstance(error, click.NoSuchOption):
            return self._misplaced(error)
        return error.format_message()

    def _misplaced(self, error: click.NoSuchOption) -> str:
        flag = error.option_name
        owners = [name for name, verb in self.commands.items() if _has(verb, flag)]
        inside = error.ctx.command.name if error.ctx is not None and error.ctx.command is not self else None
        if inside is None and owners:
            verb = owners[0]
            whose = _listed(owners)
            return f"{flag} is misplaced: it belongs to {whose} and goes after the verb: relore {verb} {flag} ..."
        if inside is not None and owners:
            return (
                f"{inside} has no option {flag}; {_listed(owners)} {'has' if len(owners) == 1 else 'have'}."
            )
        near = f" Did you mean {' or '.join(sorted(error.possibilities))}?" if error.possibilities else ""
        dash = (
            f" Text that begins with a dash goes behind --: relore {inside} -- -Werror"
            if inside in {"search", "precedent"}
            else ""
        )
        return f"{inside or 'relore'} has no option {flag}.{near}{dash}"


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def _has(command: click.Command, flag: str) -> bool:
    return any(
        flag in (*parameter.opts, *parameter.secondary_opts)
        for parameter in command.params
        if isinstance(parameter, click.Option)
    )


def on_terminal() -> bool:
    """Whether a person is looking at standard output."""
    try:
        return sys.stdout.isatty()
    except (ValueError, AttributeError):  # closed, or never there
        return False
