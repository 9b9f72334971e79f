"""`relored bench`: how well questions are answered."""

from __future__ import annotations

import click

from relore_assets.settings import Settings

SYSTEMS = ("index", "index+expand", "index+semantic", "fulltext", "grep", "github")


@click.command("bench")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="An indexed repository.")
@click.option(
    "--set",
    "named",
    default="",
    metavar="FILE|NAME",
    help="A frozen set of questions: its file, or its name; the newest frozen one unless given.",
)
@click.option(
    "--system",
    "systems",
    multiple=True,
    type=click.Choice(SYSTEMS),
    help="What is measured; may be repeated. All that can run here unless given.",
)
@click.option("--clone", default="", metavar="DIR", help="A clone of the repository, which grep searches.")
@click.option("--ablate", is_flag=True, help="Measure too what is lost without each part of the ranking.")
@click.option("--unfrozen", is_flag=True, help="Take a set that is not frozen.")
@click.option("--again", is_flag=True, help="Keep the run though it says what the last one said.")
@click.option("--accept", is_flag=True, help="Hold later runs against this one.")
def command(
    repo: str,
    named: str,
    systems: tuple[str, ...],
    clone: str,
    *,
    ablate: bool,
    unfrozen: bool,
    again: bool,
    accept: bool,
) -> None:
    """Put a set's questions to search and to what stands beside it, and say how well they are answered.

    Every system gets the same questions under the same bounds: cutoff, withheld threads, floor of trust. Figures bear
    95 % intervals; questions that leak stand apart. A set that is not frozen is refused and leaves with 2.
    """
    from relore_assets.bench.benching import Wanted  # noqa: PLC0415 - not needed for --help
    from relore_assets.bench.table import text  # noqa: PLC0415 - likewise
    from relore_assets.runs import benching  # noqa: PLC0415 - imports Dagster, which takes its time

    wanted = Wanted(named, systems, clone, ablate, unfrozen, again, accept)
    finished = benching.bench(Settings.from_env(), repo, wanted, say=click.echo)
    done = finished.benched
    if not done.runs:
        raise click.ClickException("no system could be put any question; see above")
    click.echo()
    click.echo(text(done.runs))
    click.echo()
    kept = "kept" if done.rows_written else "as it was before, so nothing is written"
    click.echo(f"{repo}: run {done.runs[0].run_id}, {kept}{', accepted' if accept else ''}")
    click.echo(f"As a page, with charts and what moved since the accepted run: relored report --repo {repo}")
    if finished.failure is not None:
        raise finished.failure
