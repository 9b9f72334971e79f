"""`relored serve`."""

from __future__ import annotations

import logging
import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

import click
from waitress.server import create_server

from relore_assets.errors import ReloreError
from relore_assets.settings import Settings
from relore_serve.database import connect_reader, open_reader, require_schema
from relore_serve.search.scope import repositories
from relore_serve.semantic.tier import Tier
from relore_serve.web.app import create_app
from relore_serve.web.binding import UnsafeBinding, check_binding
from relore_serve.web.labels import Labels, LabelsError
from relore_serve.web.listening import LISTENING
from relore_serve.web.pin import Pin, PinError
from relore_serve.web.quota import Limits
from relore_serve.web.tokens import TokenError, Tokens

if TYPE_CHECKING:
    from types import FrameType


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8080, show_default=True)
@click.option(
    "--threads",
    type=click.IntRange(1, 64),
    default=8,
    show_default=True,
    help="Requests answered at once; each holds one database connection meanwhile.",
)
@click.option(
    "--trust-network",
    is_flag=True,
    help="Listen beyond this machine without tokens: everybody who can connect may read everything.",
)
@click.option(
    "--as-of",
    metavar="TIME",
    help="Evaluation mode: answer as of this instant, which names its time zone. Requests can only narrow it.",
)
@click.option(
    "--exclude-thread",
    "excluded",
    metavar="[OWNER/NAME#]N",
    multiple=True,
    help="Evaluation mode: withhold this thread from everybody. May be repeated.",
)
def command(
    host: str,
    port: int,
    threads: int,
    trust_network: bool,  # noqa: FBT001 - click passes by name
    as_of: str | None,
    excluded: tuple[str, ...],
) -> None:
    """Answer questions over HTTP.

    Without tokens (RELORE_API_TOKENS or RELORE_API_TOKENS_FILE) it listens to this machine only. Starts the
    embedded Postgres when no other is configured, and refuses a schema of another version.
    """
    try:
        tokens = Tokens.from_env(os.environ)
        limits = Limits.from_env(os.environ)
        check_binding(host, has_tokens=bool(tokens), trust_network=trust_network)
        pin = Pin.parse(as_of, excluded)
        labels = Labels.from_env(os.environ)
    except (TokenError, UnsafeBinding, LabelsError, ValueError) as error:
        raise ReloreError(str(error)) from error
    settings = Settings.from_env()
    settings.start_database()
    with connect_reader(settings.reader_url) as connection:
        require_schema(connection)
        try:
            pin = pin.resolved(repositories(connection))
        except PinError as error:
            raise ReloreError(str(error)) from error
        absent = pin.absent(connection)
    if pin:
        click.echo(f"Evaluation mode: {_told(pin)}.", err=True)
    if absent:
        click.echo(f"Warning: withheld, but not held here so far: {', '.join(absent)}.", err=True)
    if trust_network and not tokens:
        click.echo(
            "Warning: no tokens, and the network is trusted: everything indexed is open to it.", err=True
        )

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    reader = open_reader(settings.reader_url, size=threads)
    app = create_app(
        reader=reader,
        tokens=tokens,
        limits=limits,
        trust_network=trust_network,
        pin=pin,
        labels=labels,
        semantic=Tier.from_env(os.environ),
    )
    try:
        server = create_server(app, host=host, port=port, threads=threads, ident=None, **LISTENING)
    except OSError as error:
        reader.close()
        raise ReloreError(f"Cannot listen on {host} port {port}: {error.strerror}.") from error
    signal.signal(signal.SIGTERM, _leave)
    click.echo(f"Serving on http://{host}:{port}")
    try:
        server.run()
    finally:
        reader.close()


def _leave(_number: int, _frame: FrameType | None) -> NoReturn:
    """End the server as Ctrl-C does: what is being answered is answered first."""
    sys.exit(0)


def _told(pin: Pin) -> str:
    parts = [f"as of {pin.before:%Y-%m-%dT%H:%M:%SZ}"] if pin.before else []
    parts += (
        [f"without {', '.join(f'{one.repo}#{one.number}' for one in pin.exclude)}"] if pin.exclude else []
    )
    return ", ".join(parts)
