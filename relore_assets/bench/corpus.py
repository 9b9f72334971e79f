"""What a measurement needs to know of the index: its threads, how much it holds, and by which rules and server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row

from relore_serve import signals
from relore_serve.search import tokens
from relore_serve.search.results import Backend
from relore_serve.search.scope import Repo, statements

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from psycopg import Connection

SQL = statements("relore_assets.bench", "bench.sql")

#: Rules that decide what a question can find.
RULES = ("signals", "tokens", "chunks", "derive")


@dataclass(frozen=True, slots=True)
class Engine:
    """What answers: figures of two engines are not to be compared.

    Attributes:
        server: the version of Postgres. ranking: the family of the score.
        rules: the versions that the rows were written with.
        code: the versions that questions are taken apart with.
    """

    server: str
    ranking: str
    rules: Mapping[str, int]
    code: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return it as a run's configuration holds it."""
        return {
            "server": self.server,
            "ranking": self.ranking,
            "rules": dict(self.rules),
            "code": dict(self.code),
        }

    @property
    def drift(self) -> tuple[str, ...]:
        """Rules of which questions follow another version than the rows."""
        return tuple(name for name, version in self.code.items() if self.rules.get(name, version) != version)


@dataclass(frozen=True, slots=True)
class Corpus:
    """One indexed repository.

    Attributes:
        ids: of its threads by number. opened: when each was.
        counts: threads, documents, and the dates of the oldest and the newest thread, for a run's configuration.
        written: when a thread was last written, and marks of what else decides an answer; the same while nothing is.
    """

    repo: Repo
    ids: Mapping[int, int]
    opened: Mapping[int, datetime]
    counts: Mapping[str, Any]
    engine: Engine
    written: tuple[object, ...]

    def moved(self, conn: Connection) -> bool:
        """Whether the index is another one by now."""
        now = read(conn, self.repo)
        return (now.counts, now.engine, now.written) != (self.counts, self.engine, self.written)


def read(conn: Connection, repo: Repo) -> Corpus:
    """Read what is known of a repository's index."""
    of = {"repo_id": repo.id}
    threads = conn.execute(SQL["threads"], of).fetchall()
    with conn.cursor(row_factory=dict_row) as cursor:
        counts = cursor.execute(SQL["corpus"], of).fetchone() or {}
        server = cursor.execute(SQL["engine"]).fetchone() or {}
    with conn.transaction():
        conn.execute(SQL["no_hurry"])
        written = conn.execute(SQL["written"], of).fetchone()
    rules = {name: version for name, version in conn.execute(SQL["rules"], of).fetchall() if name in RULES}
    return Corpus(
        repo=repo,
        ids={number: thread for number, thread, _ in threads},
        opened={number: opened for number, _, opened in threads},
        counts={
            name: value.isoformat() if name in {"since", "until"} and value is not None else value
            for name, value in counts.items()
        },
        engine=Engine(
            server=f"postgresql {server.get('server', '')}".split("(", maxsplit=1)[0].strip(),
            ranking=Backend().ranking,
            rules=rules,
            code={"signals": signals.VERSION, "tokens": tokens.VERSION},
        ),
        written=written or (),
    )
