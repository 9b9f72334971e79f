"""The command line: parse, ask, print. What answers mean is said on the pages, which the server renders."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, cast

import click

from relore_client import api, output
from relore_client.failures import Failure
from relore_client.options import Shared, Verbs, on_terminal
from relore_client.prose import INFLIGHT, PROGRAM, SEARCH, STATUS, THREAD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_INTERRUPTED = 130
_LONGEST_NUMBER = 10
_LONGEST_ECHO = 80


class Reference(click.ParamType[tuple[str | None, int]]):
    """A thread: 92, #92 or owner/name#92, as the pages print it."""

    name = "N"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str | None, int]:
        """Return the repository, if it is part of the reference, and the number."""
        if not isinstance(value, str):
            return value
        repo, _, number = value.rpartition("#")
        if not (number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER):
            shown = value if len(value) <= _LONGEST_ECHO else f"{value[:_LONGEST_ECHO]}…"
            self.fail(f"{shown} is no thread: give its number, or owner/name#number.", param, ctx)
        return repo or None, int(number)


def _print_version(context: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click passes it so
    if value and not context.resilient_parsing:
        output.show(f"relore {api.client_version()} (API {api.API})")
        context.exit()


@click.group(
    cls=Verbs,
    help=PROGRAM.help,
    epilog=PROGRAM.epilog,
    context_settings={"max_content_width": 110},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and the API version this client speaks.",
)
def cli() -> None:
    """Nothing happens before a verb is known; see `PROGRAM` for what is printed as help."""


def _repo_option(*, multiple: bool = False) -> Callable[[Any], Any]:
    return click.option(
        "--repo",
        "repos" if multiple else "repo",
        metavar="OWNER/NAME",
        multiple=multiple,
        envvar=api.REPO_VARIABLE,
        help=f"The repository{' (repeatable)' if multiple else ''}; overrides {api.REPO_VARIABLE}.",
    )


def _cutoff_options(command: Any) -> Any:
    before = click.option("--before", metavar="TIME", help="Only what was there then, strictly before TIME.")
    exclude = click.option(
        "--exclude",
        multiple=True,
        metavar="N",
        help="Withhold a thread: its number, or owner/name#number (repeatable).",
    )
    return before(exclude(command))


def _several(flag: str, name: str, metavar: str, text: str) -> Callable[[Any], Any]:
    return click.option(flag, name, multiple=True, metavar=metavar, help=f"{text} (repeatable).")


@cli.command(help=INFLIGHT.help, epilog=INFLIGHT.epilog)
@click.argument("thread", type=Reference(), metavar="N")
@_repo_option()
@_cutoff_options
@click.pass_obj
def inflight(shared: Shared, thread: tuple[str | None, int], repo: str | None, **asked: Any) -> None:
    """Ask who claims to be fixing a thread."""
    _by_number(shared, "inflight", thread, repo, asked)


@cli.command(help=SEARCH.help, epilog=SEARCH.epilog)
@click.argument("query", nargs=-1, metavar="[QUERY]...")
@_several("--error", "errors", "TEXT", "Threads that carry this error: its line, or a whole pasted traceback")
@_several("--file", "files", "PATH", "Threads that changed this file: any trailing part of its path")
@click.option("--mentioned", is_flag=True, help="--file also matches where the file was only named.")
@_several("--symbol", "symbols", "NAME", "Threads that name this function, class or method")
@_several("--test", "tests", "ID", "Threads that name this test: tests/test_x.py::test_y")
@_several("--label", "labels", "NAME", "Threads that carry this label")
@_several("--author", "authors", "LOGIN", "What this person wrote")
@click.option(
    "--kind",
    type=click.Choice(["failure", "precedent", "rationale"]),
    help="What is wanted; the server sets the trust floor that fits it.",
)
@click.option(
    "--trust",
    type=click.Choice(["reported", "authoritative", "machine"]),
    help="Raise the trust floor. machine asks for what bots wrote, and only that.",
)
@click.option("--since", metavar="TIME", help="Only what was written at TIME or later.")
@_cutoff_options
@_repo_option(multiple=True)
@click.option(
    "--sort", type=click.Choice(["relevance", "newest"]), help="Order of the hits. [default: relevance]"
)
@click.option(
    "--limit", type=click.IntRange(1), metavar="N", help="Hits on the page, at most 10. [default: 10]"
)
@click.option("--cursor", metavar="TEXT", help="The next page, by what the last one printed.")
@click.option("--no-expand", is_flag=True, help="Ask exactly this question; read no errors or names off it.")
@click.pass_obj
def search(shared: Shared, query: tuple[str, ...], *, no_expand: bool, **asked: Any) -> None:
    """Ask the index."""
    body = {"query": " ".join(query), **asked, **({"expand": False} if no_expand else {}), **_view(shared)}
    _answer(shared, api.Question("/api/v1/search", body=_body(body)))


@cli.command(help=THREAD.help, epilog=THREAD.epilog)
@click.argument("thread", type=Reference(), metavar="N")
@click.option(
    "--focus", metavar="TEXT", help="Order the comments by TEXT; with --outline, narrow them to it."
)
@click.option("--full", is_flag=True, help="The opening post whole.")
@click.option("--outline", is_flag=True, help="One line per comment, oldest first, 100 at a time.")
@click.option("--after", metavar="ID", help="Continue behind this comment, in order.")
@click.option("--comment", metavar="ID", help="This one comment, whole.")
@click.option("--files", is_flag=True, help="The paths of the diff, not only how many.")
@_repo_option()
@_cutoff_options
@click.pass_obj
def thread(shared: Shared, thread: tuple[str | None, int], repo: str | None, **asked: Any) -> None:
    """Read one thread."""
    _by_number(shared, "thread", thread, repo, asked)


@cli.command(help=STATUS.help, epilog=STATUS.epilog)
@click.pass_obj
def status(shared: Shared) -> None:
    """Ask what the server holds."""
    _answer(shared, api.Question("/api/v1/status", _parameters(_view(shared))))


def _by_number(
    shared: Shared, route: str, reference: tuple[str | None, int], repo: str | None, asked: dict[str, Any]
) -> None:
    part, number = reference
    given = click.get_current_context().get_parameter_source("repo")
    if part and repo and given is click.core.ParameterSource.COMMANDLINE and part.lower() != repo.lower():
        raise click.UsageError(f"{part}#{number} is not in {repo}: name one repository.")
    parameters = {"repo": part or repo, **asked, **_view(shared)}
    _answer(shared, api.Question(f"/api/v1/{route}/{number}", _parameters(parameters)))


def _view(shared: Shared) -> dict[str, object]:
    """Return how the answer is to be shown; what is off is left out."""
    terminal = on_terminal()
    view = {
        "render": not shared.machine,
        "compact": shared.shortened(terminal=terminal),
        "presentation": not shared.machine and shared.presentation(terminal=terminal),
    }
    return {name: True for name, wanted in view.items() if wanted}


_FLAGS = {
    "repos": "repo",
    "errors": "error",
    "files": "file",
    "symbols": "symbol",
    "tests": "test",
    "labels": "label",
    "authors": "author",
}


def _body(values: Mapping[str, object]) -> dict[str, object]:
    """Return the JSON of a question; what was not given is left out."""
    given = {name: _sendable(value) for name, value in values.items()}
    for name, value in given.items():
        if name != "query" and (value == "" or (isinstance(value, list) and "" in value)):
            flag = _FLAGS.get(name, name)
            raise click.UsageError(f"--{flag} is empty: leave it out, or give it a value.")
    return {name: value for name, value in given.items() if value or name == "expand"}


def _parameters(values: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of a query string; what was not given is left out."""
    pairs: list[tuple[str, str]] = []
    for name, value in _body(values).items():
        several = cast("list[object]", value) if isinstance(value, list) else [value]
        pairs += [(name, "true" if one is True else str(one)) for one in several]
    return tuple(pairs)


def _sendable(value: object) -> object:
    """Return ``value`` with bytes that are no UTF-8 replaced, as a shell may hand them over in arguments."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, tuple):
        return [_sendable(item) for item in cast("tuple[object, ...]", value)]
    return value


def _answer(shared: Shared, question: api.Question) -> None:
    server = api.Server.from_env(os.environ, url=shared.api)
    payload = api.ask(server, question)
    if shared.machine:
        import json  # noqa: PLC0415  # needed here only

        try:
            text = json.dumps(payload, indent=2, ensure_ascii=True)
        except RecursionError as error:
            raise api.unreadable(server) from error
    else:
        text = payload.get("rendered")
        if not isinstance(text, str) or not text:
            raise api.unreadable(server)
    output.show(text)


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
        result: object = cli.main(args=arguments, prog_name="relore", standalone_mode=False, obj=Shared())
    except click.exceptions.NoArgsIsHelpError as error:
        output.show(error.format_message())
        return error.exit_code
    return result if isinstance(result, int) else 0


def _usage(error: click.UsageError) -> str:
    where = error.ctx.command_path if error.ctx is not None else "relore"
    return f"{cli.explain(error)} ('{where} --help' lists what there is.)"
