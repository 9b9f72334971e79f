"""Which systems can run here, by name."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from relore_assets.bench.systems.fulltext import FullText
from relore_assets.bench.systems.github import GitHubSearch
from relore_assets.bench.systems.grep import Clone, Grep
from relore_assets.bench.systems.index import Index
from relore_assets.errors import ReloreError
from relore_assets.fetch.github.errors import BadToken
from relore_serve.semantic import vectors
from relore_serve.semantic.tier import Tier

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from datetime import datetime

    from psycopg import Connection

    from relore_assets.bench.systems.system import System
    from relore_assets.settings import Settings
    from relore_serve.semantic.tier import Semantic

NAMES: Final = ("index", "index+expand", "index+semantic", "fulltext", "grep", "github")


class CannotRun(ReloreError):
    """A system was asked for that cannot run here."""

    exit_code = 2


@contextmanager
def chosen(
    conn: Connection,
    now: datetime,
    names: Sequence[str],
    *,
    clone: str,
    settings: Settings,
    from_github: bool,
) -> Generator[list[System]]:
    """Yield the systems of these names in the order of `NAMES`; without names all that can run here.

    Args:
        conn: a reader's session.
        now: what ages are counted from.
        names: some of `NAMES`.
        clone: a folder with a clone, which grep needs; may be empty.
        settings: how GitHub is reached.
        from_github: whether the repository is read from GitHub, where alone its search finds what is indexed here.

    Raises:
        CannotRun: a name is none of a system, or the system lacks what it needs.
        NoClone: the folder is no clone.
    """
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise CannotRun(f"{unknown[0]!r} is no system: choose among {', '.join(NAMES)}.")
    if "grep" in names and not clone:
        raise CannotRun("grep searches a clone: name its folder with --clone.")
    likeness = _likeness(conn) if not names or "index+semantic" in names else None
    if "index+semantic" in names and likeness is None:
        raise CannotRun(
            "index+semantic needs the extra relore[semantic], switched on, and vectors: relored embeddings."
        )
    wanted = names or NAMES
    made: dict[str, System] = {
        "index": Index(conn, now, "index", expand=False),
        "index+expand": Index(conn, now, "index+expand", expand=True),
        "fulltext": FullText(conn),
    }
    if likeness is not None:
        made["index+semantic"] = Index(
            conn, now, "index+semantic", expand=True, semantic=likeness, model=likeness.encoder.name
        )
    with ExitStack() as stack:
        if "grep" in wanted and clone:
            made["grep"] = Grep(conn, Clone.at(Path(clone)))
        if "github" in wanted and (names or from_github):
            try:
                made["github"] = GitHubSearch(stack.enter_context(settings.github().client()))
            except BadToken as error:
                if names:
                    raise CannotRun(f"github needs a token: {error}") from error
        yield [made[name] for name in NAMES if name in wanted and name in made]


def _likeness(conn: Connection) -> Semantic | None:
    """Return what tells likeness by vectors, None where it is not installed, switched off, or there are none."""
    likeness = Tier.from_env(os.environ).likeness
    if likeness is None or vectors.home(conn) is None or likeness.encoder.name not in vectors.models(conn):
        return None
    return likeness
