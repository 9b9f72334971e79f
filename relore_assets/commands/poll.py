"""`relored poll`: what moved at GitHub, fetched and derived."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import click

from relore_assets.settings import Settings

if TYPE_CHECKING:
    from relore_assets.runs.following import Polled

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_INTERVAL = re.compile(r"([0-9]{1,6})([smhd]?)")


def _seconds(ctx: click.Context, param: click.Parameter, value: str) -> int:
    """Read a length of time: seconds, or a number with s, m, h or d behind it."""
    read = _INTERVAL.fullmatch(value)
    if read is None or int(read[1]) == 0:
        raise click.BadParameter(f"{value!r} is no length of time: 30s, 5m, 2h or 1d", ctx, param)
    return int(read[1]) * _UNITS[read[2]]


@click.command("poll")
@click.option(
    "--repo", metavar="OWNER/NAME", help="One repository; without it, all that are fetched from GitHub."
)
@click.option(
    "--once", is_flag=True, help="Look once, and leave with an exit code other than 0 unless all is well."
)
@click.option(
    "--interval",
    default="5m",
    show_default=True,
    callback=_seconds,
    help="Time between two looks: 30s, 5m, 2h.",
)
@click.pass_context
def command(ctx: click.Context, repo: str | None, interval: int, *, once: bool) -> None:
    """Fetch and derive what moved at GitHub since the last time. Looking costs no quota while nothing moves.

    `relored up` does the same by itself. Deletions are for `relored sweep`.
    """
    from relore_assets.runs import following  # noqa: PLC0415 - imports Dagster, which takes its time

    settings = Settings.from_env()
    while True:
        polled = following.poll(settings, repo, say=click.echo)
        for one in polled:
            click.echo(_line(one), err=one.problem is not None)
        if once:
            ctx.exit(max(one.exit_code for one in polled))
        time.sleep(interval)


def _line(one: Polled) -> str:
    if one.problem is not None:
        return f"{one.repo}: {one.problem}"
    if not one.moved:
        return f"{one.repo}: nothing moved"
    return f"{one.repo}: up to date, {one.rows_written:,} rows written"
