"""`relored judge`: verdicts on answers, folded into a set of questions."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from relore_assets.settings import Settings

if TYPE_CHECKING:
    from relore_assets.fetch.repos import Repo
    from relore_assets.judge.judging import Judged


@click.command("judge")
@click.option(
    "--set",
    "file",
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    metavar="FILE",
    help="A set of questions, as `relored mine --out` writes it; it is changed.",
)
@click.option(
    "--repo",
    metavar="OWNER/NAME",
    help="Instead of a file: make a set of all that was mined of this repository and is judged.",
)
@click.option("--name", default="record", show_default=True, help="With --repo, what the set is called.")
@click.option(
    "--labels",
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    metavar="FILE",
    help="Labels, as the server adds them to the file that RELORE_LABELS_PATH names.",
)
@click.option(
    "--as",
    "judged_by",
    type=click.Choice(["human", "model"]),
    help="Fold labels of this kind of judge only, and score the set by it; labels that do not say count as its own.",
)
@click.option("--freeze", is_flag=True, help="The set does not change from now on.")
def command(
    file: Path | None,
    repo: str | None,
    name: str,
    labels: Path | None,
    judged_by: Literal["human", "model"] | None,
    *,
    freeze: bool,
) -> None:
    """Fold labels into a set of questions: the last verdict on a thread stands, of people and of models apart.

    What is not folded is counted and named by its line. The set is kept in its file and in the database. A frozen set
    is refused, and so is a call that would change nothing: both leave with 2.
    """
    if (file is None) == (repo is None):
        raise click.UsageError("say which questions: --set FILE or --repo OWNER/NAME")
    if file is not None and labels is None and not freeze:
        raise click.UsageError("nothing to do: give --labels, --freeze, or both")
    settings = Settings.from_env()
    if repo is not None:
        from relore_assets.runs import judging  # noqa: PLC0415 - imports Dagster, which takes its time

        finished = judging.judge(
            settings, repo, name, labels=labels, judged_by=judged_by, freeze=freeze, say=click.echo
        )
        click.echo(f"{finished.rows_written():,} rows written (run {finished.run_id})")
    elif file is not None:
        settings.ensure_database()
        done, rows = _of_file(settings, file, labels, judged_by, freeze=freeze)
        from relore_assets.judge.telling import told  # noqa: PLC0415 - loads what it tells of

        for line in (*told(done), rows):
            click.echo(line)


def _of_file(
    settings: Settings,
    file: Path,
    labels: Path | None,
    judged_by: Literal["human", "model"] | None,
    *,
    freeze: bool,
) -> tuple[Judged, str]:
    """Judge the set of a file, and write file and rows; returns what came of it, and what is said of the rows."""
    import psycopg  # noqa: PLC0415 - not needed for --help

    from relore_assets.fetch import repos  # noqa: PLC0415 - likewise
    from relore_assets.judge import frozen  # noqa: PLC0415 - likewise
    from relore_assets.judge.judging import Judged, judge_set  # noqa: PLC0415 - likewise
    from relore_assets.mine import sets  # noqa: PLC0415 - likewise

    done = judge_set(sets.read(file), labels, judged_by, freeze=freeze, now=datetime.now(UTC))
    verdicts = done.folded.verdicts if done.folded else {}
    with psycopg.connect(settings.database_url, autocommit=True) as conn:
        known: Repo | None = repos.find(conn, done.held.repo)
        if known is None:
            sets.write(file, done.held)
            return done, f"{file}: written; {done.held.repo} is not indexed here, so no rows were"
        # Rows first: where the file cannot be written then, the same call finds them and writes the file alone.
        held, written = frozen.keep(conn, known.id, done.held, verdicts)
        sets.write(file, held)
    return Judged(held, done.folded, written), f"{file}: written, and {written:,} rows"
