"""`relored status`: what is indexed, whether it adds up, how fresh it is."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import click

from relore_assets.settings import Settings

if TYPE_CHECKING:
    from psycopg import Connection


@click.command("status")
@click.option("--repo", metavar="OWNER/NAME", help="Only this repository.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(repo: str | None, *, as_json: bool) -> None:
    """Show what is indexed, how complete and how fresh it is.

    Per kind of object: how many the source states, how many are collected and derived, how many are skipped and
    why. What is left over is unexplained, and 0 when all is well.
    """
    from relore_serve.database import connect_reader, require_schema  # noqa: PLC0415 - loads the driver
    from relore_serve.pages import status as page  # noqa: PLC0415 - likewise

    settings = Settings.from_env()
    settings.start_database()
    with connect_reader(settings.reader_url) as conn:
        require_schema(conn)
        payload = _payload(conn, repo)
    if as_json:
        click.echo(json.dumps(payload, indent=2))
        return
    click.echo(page.render(payload, compact=False, presentation=False))
    if payload["sources"]:
        click.echo("\nsources:")
    for source in payload["sources"]:
        click.echo(f"  {source['repo']} {source['kind']} {source['location']}")


def _payload(conn: Connection, repo: str | None) -> dict[str, Any]:
    """Collect the facts; those of this package's rules and places too, which a reader of the API does not get.

    Raises:
        BadNameError, UnknownRepository: the name is none, or the repository is not indexed.
    """
    from relore_assets.derive.derive import RULE_VERSIONS  # noqa: PLC0415 - loads the tokenizer
    from relore_assets.fetch import redact, repos  # noqa: PLC0415 - loads the driver
    from relore_serve.semantic.tier import Tier  # noqa: PLC0415 - likewise
    from relore_serve.status import facts  # noqa: PLC0415 - likewise

    chosen = repos.every(conn) if repo is None else [repos.known(conn, repo)]
    rules = {**RULE_VERSIONS, "redaction": redact.VERSION}
    return {
        "version": _version(),
        **facts(
            conn,
            [repo.id for repo in chosen],
            now=datetime.now(UTC),
            rules=rules,
            semantic=Tier.from_env(os.environ),
        ),
        "sources": [
            {"repo": repo.full_name, "kind": repo.source_kind, "location": repo.source_location}
            for repo in chosen
        ],
    }


def _version() -> str:
    """Return the installed version of this program."""
    try:
        return version("relore")
    except PackageNotFoundError:  # run from a source tree
        return "unknown"
