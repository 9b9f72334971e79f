"""`relored`: fills the tables, serves them, and keeps the services of one machine.

This module knows the verbs by name and one line each; what a verb does stands in `relore_assets.commands`
and is imported when the verb is called, so that ``relored --help`` costs what an empty program costs.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from typing import Any, NoReturn

import click

_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


@dataclass(frozen=True)
class Verb:
    """A verb's module in `relore_assets.commands`, which exposes ``command``, and its line in the help."""

    module: str
    help: str


VERBS = {
    "up": Verb("up", "Run everything on this machine: Postgres, the API, the Dagster UI. Ctrl-C stops it."),
    "down": Verb("down", "Stop what `relored up` left running, Postgres included."),
    "doctor": Verb("doctor", "Check this installation and say what to do about each fault."),
    "migrate": Verb("migrate", "Bring the database's schema to this program's version."),
    "import": Verb("import_", "Index a repository's history from an archive on disk."),
    "fetch": Verb("fetch", "Bring what GitHub holds of a repository into the staging table."),
    "backfill": Verb("backfill", "Fetch a repository's whole history from GitHub, and derive it."),
    "sample": Verb(
        "sample", "Fetch a declared part of a history: threads that changed since a date, each whole."
    ),
    "refresh": Verb("refresh", "Fetch single threads again, whole, and derive them."),
    "derive": Verb("derive", "Rebuild threads, documents and signals from what was fetched."),
    "precedents": Verb("precedents", "Build finished units of work from what was derived."),
    "embeddings": Verb("embeddings", "Make a vector of every thread, for the optional semantic tier."),
    "authority": Verb("authority", "Work out who had write access, and when."),
    "poll": Verb("poll", "Fetch and derive what moved at GitHub since the last time."),
    "sweep": Verb("sweep", "Remove what was deleted or transferred at GitHub."),
    "forget": Verb("forget", "Remove words that somebody asked to have removed, for good."),
    "status": Verb("status", "Show what is indexed, how complete and how fresh it is."),
    "mine": Verb("mine", "Mine questions for the benchmark from the record."),
    "judge": Verb("judge", "Fold verdicts on answers into a set of questions, and freeze it."),
    "bench": Verb("bench", "Measure how well a set's questions are answered."),
    "report": Verb("report", "Write what the benchmark found into one page."),
    "export-corpus": Verb("export_corpus", "Write every document in scope to a file, in a stable order."),
    "fingerprint": Verb("fingerprint", "Print one content hash per table, for comparing two databases."),
    "serve": Verb("serve", "Answer questions over HTTP."),
    "demo": Verb("demo", "Index a bundled sample history and ask it a few questions."),
}


class _Verbs(click.Group):
    """A group that imports a verb's module when the verb is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the verbs in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        """Import a verb."""
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        command: click.Command = importlib.import_module(f"relore_assets.commands.{verb.module}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - likewise
        """List the verbs without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, verb.help) for name, verb in VERBS.items()])


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="relore", message="%(version)s")
def cli() -> None:
    """Index the history of GitHub repositories and serve it.

    State lives in the user's data directory, or in RELORE_HOME; the database is an embedded Postgres, or
    the one that RELORE_DATABASE_URL names.
    """


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a verb and leave with its exit code.

    Expected failures are one sentence on stderr and their class's exit code, mostly 1; an interruption is 130 and
    no word.
    """
    # Dagster marks whole feature areas that we use on purpose; said here, so that Dagster need not be imported.
    warnings.filterwarnings("ignore", message=".* is currently in beta")
    try:
        result: Any = cli.main(args=arguments, prog_name="relored", standalone_mode=False)
        sys.exit(result if isinstance(result, int) else 0)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(_INTERRUPTED)
    except PackageNotFoundError:
        raise
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if not package or package.startswith("relore_"):
            raise
        click.echo(f"Error: relored needs {package}, which is not installed: install relore[all].", err=True)
        sys.exit(1)
    except Exception as error:
        sentence = _expected(error)
        if sentence is None:
            raise
        click.echo(f"Error: {sentence}", err=True)
        sys.exit(getattr(error, "exit_code", 1))


def _expected(error: Exception) -> str | None:
    """Return the sentence of a failure that the caller can act on, None for a fault of the program."""
    from relore_assets.errors import ReloreError  # noqa: PLC0415 - only when something failed
    from relore_serve.database import StoreError  # noqa: PLC0415 - likewise, and it loads the driver

    return str(error) if isinstance(error, ReloreError | StoreError) else None
