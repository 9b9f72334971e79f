"""`relored demo`."""

from __future__ import annotations

import click


@click.command("demo")
@click.option(
    "--once", is_flag=True, help="Stop when the questions are answered; the Dagster UI is not started."
)
@click.option("--port", type=click.IntRange(1, 65535), help="The API's port. [default: 8080, or a free one]")
@click.option(
    "--dagster-port", type=click.IntRange(1, 65535), help="The UI's port. [default: 3000, or a free one]"
)
def command(once: bool, port: int | None, dagster_port: int | None) -> None:  # noqa: FBT001 - click passes by name
    """Index a bundled sample history and ask it a few questions.

    The project in it and its people are invented. Everything is kept in the folder `demo` of the state
    folder, apart from your own data, and listens on this machine's loopback address only. Stays in the
    foreground; Ctrl-C stops all of it. A second run finds everything in place and writes nothing.
    """
    from relore_assets.demo import run  # noqa: PLC0415 - the help should not wait for it

    if once:
        run.once(click.echo)
    else:
        run.until_stopped(click.echo, api_port=port, dagster_port=dagster_port)
