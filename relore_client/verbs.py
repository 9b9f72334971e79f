"""The verbs and what each takes. What answers mean is said on the pages, which the server renders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from relore_client import api, asking, prose
from relore_client.completion import SHELLS
from relore_client.options import Shared, Verbs

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.shell_completion import CompletionItem

_LONGEST_NUMBER = 10
_LONGEST_ECHO = 80

Number = tuple[str | None, int]


class Reference(click.ParamType[Number]):
    """A thread: 92, #92 or owner/name#92, as the pages print it."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Number:
        """Return the repository, if it is part of the reference, and the number."""
        if not isinstance(value, str):
            return value
        repo, _, number = value.rpartition("#")
        if not (number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER):
            shown = value if len(value) <= _LONGEST_ECHO else f"{value[:_LONGEST_ECHO]}…"
            self.fail(f"{shown} is no thread: give its number, or owner/name#number.", param, ctx)
        return repo or None, int(number)


@click.group(
    cls=Verbs,
    help=prose.PROGRAM.help,
    epilog=prose.PROGRAM.epilog,
    context_settings={"max_content_width": 110},
)
def cli() -> None:
    """Nothing happens before a verb is known; see `prose` for what is printed as help."""


def _verb(text: prose.Prose) -> Callable[[Any], Any]:
    return cli.command(help=text.help, epilog=text.epilog)


_thread = click.argument("thread", type=Reference(), metavar="N")


def _repo(*, multiple: bool = False) -> Callable[[Any], Any]:
    return click.option(
        "--repo",
        "repos" if multiple else "repo",
        metavar="OWNER/NAME",
        multiple=multiple,
        envvar=api.REPO_VARIABLE,
        help=f"The repository{' (repeatable)' if multiple else ''}; overrides {api.REPO_VARIABLE}.",
    )


def _cutoff(command: Any) -> Any:
    before = click.option("--before", metavar="TIME", help="Only what was there then, strictly before TIME.")
    exclude = click.option(
        "--exclude",
        multiple=True,
        metavar="N",
        help="Withhold a thread: its number, or owner/name#number (repeatable).",
    )
    return before(exclude(command))


def _several(flag: str, name: str, metavar: str, text: str, **more: Any) -> Callable[[Any], Any]:
    return click.option(flag, name, multiple=True, metavar=metavar, help=f"{text} (repeatable).", **more)


def _path(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete a path of the tree it stands in."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - needed to complete only

    del context, parameter
    return [CompletionItem(incomplete, type="file")]


def _limit(text: str) -> Callable[[Any], Any]:
    return click.option(
        "--limit", type=click.IntRange(1), metavar="N", help=f"{text}, at most 10. [default: 10]"
    )


_errors = _several(
    "--error", "errors", "TEXT", "Threads that carry this error: its line, or a whole pasted traceback"
)
_files = _several(
    "--file",
    "files",
    "PATH",
    "Threads that changed this file: any trailing part of its path",
    shell_complete=_path,
)
_symbols = _several("--symbol", "symbols", "NAME", "Threads that name this function, class or method")
_cursor = click.option("--cursor", metavar="TEXT", help="The next page, by what the last one printed.")


@_verb(prose.INFLIGHT)
@_thread
@_repo()
@_cutoff
@click.pass_obj
def inflight(shared: Shared, thread: Number, repo: str | None, **asked: Any) -> None:
    """Ask who claims to be fixing a thread."""
    asking.by_number(shared, "inflight", thread, repo, asked)


@_verb(prose.BRIEF)
@_thread
@_repo()
@_cutoff
@click.pass_obj
def brief(shared: Shared, thread: Number, repo: str | None, **asked: Any) -> None:
    """Ask what one would look up before reading a thread."""
    asking.by_number(shared, "brief", thread, repo, asked)


@_verb(prose.SEARCH)
@click.argument("query", nargs=-1, metavar="[QUERY]...")
@_errors
@_files
@click.option("--mentioned", is_flag=True, help="--file also matches where the file was only named.")
@_symbols
@_several("--test", "tests", "ID", "Threads that name this test: tests/test_x.py::test_y")
@_several("--contains", "contains", "TEXT", "Texts with this part of an identifier, wherever in it it stands")
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
@_cutoff
@_repo(multiple=True)
@click.option(
    "--sort", type=click.Choice(["relevance", "newest"]), help="Order of the hits. [default: relevance]"
)
@_limit("Hits on the page")
@_cursor
@click.option("--no-expand", is_flag=True, help="Ask exactly this question; read no errors or names off it.")
@click.option("--explain", is_flag=True, help="Say of each hit why it is there.")
@click.pass_obj
def search(shared: Shared, query: tuple[str, ...], *, no_expand: bool, **asked: Any) -> None:
    """Ask the index."""
    asking.post(shared, "search", query, {**asked, **({"expand": False} if no_expand else {})})


@_verb(prose.PRECEDENT)
@click.argument("text", nargs=-1, metavar="[TEXT]...")
@click.option(
    "--kind",
    type=click.Choice(["bug_fix", "feature", "refactor", "deprecation"]),
    help="Only work of this kind.",
)
@_files
@_errors
@_symbols
@click.option(
    "--rejected",
    is_flag=True,
    help="Only what was turned down: closed unmerged, or merged and reverted.",
)
@click.option("--since", metavar="TIME", help="Only what was finished at TIME or later.")
@_cutoff
@_repo(multiple=True)
@_limit("Precedents on the page")
@_cursor
@click.pass_obj
def precedent(shared: Shared, text: tuple[str, ...], **asked: Any) -> None:
    """Ask how such work went before."""
    asking.post(shared, "precedent", text, asked)


@_verb(prose.THREAD)
@_thread
@click.option(
    "--focus", metavar="TEXT", help="Order the comments by TEXT; with --outline, narrow them to it."
)
@click.option("--full", is_flag=True, help="The opening post whole.")
@click.option("--outline", is_flag=True, help="One line per comment, oldest first, 100 at a time.")
@click.option("--after", metavar="ID", help="Continue behind this comment, in order.")
@click.option("--comment", metavar="ID", help="This one comment, whole.")
@click.option("--files", is_flag=True, help="The paths of the diff, not only how many.")
@_repo()
@_cutoff
@click.pass_obj
def thread(shared: Shared, thread: Number, repo: str | None, **asked: Any) -> None:
    """Read one thread."""
    asking.by_number(shared, "thread", thread, repo, asked)


@_verb(prose.SIMILAR)
@_thread
@_limit("Threads on the page")
@_repo()
@_cutoff
@click.pass_obj
def similar(shared: Shared, thread: Number, repo: str | None, **asked: Any) -> None:
    """Ask which threads are most like one."""
    asking.by_number(shared, "similar", thread, repo, asked)


@_verb(prose.STATUS)
@click.pass_obj
def status(shared: Shared) -> None:
    """Ask what the server holds."""
    asking.status(shared)


@_verb(prose.GUIDE)
@click.pass_obj
def guide(shared: Shared) -> None:
    """Print what an agent should be told about this program."""
    from relore_client.guide import text  # noqa: PLC0415 - needed here only

    told = text(cli)
    asking.tell(shared, {"guide": told}, told)


@_verb(prose.COMPLETION)
@click.argument("shell", type=click.Choice(SHELLS), metavar=f"[{'|'.join(SHELLS)}]")
@click.pass_obj
def completion(shared: Shared, shell: str) -> None:
    """Print what a shell needs to complete verbs and flags."""
    from relore_client.completion import script  # noqa: PLC0415 - loads what only completing needs

    told = script(cli, shell)
    asking.tell(shared, {"shell": shell, "script": told}, told)
