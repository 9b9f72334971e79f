"""Small histories, written straight into the tables with real vectors and signals."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING

from psycopg.types.json import Jsonb

from relore_assets import books
from relore_serve.search import tokens
from relore_serve.search.scope import Repo
from relore_serve.signals import extract, markdown
from relore_serve.signals.noise import is_noise

if TYPE_CHECKING:
    from psycopg import Connection

NOW = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)


@dataclass
class History:
    """Adds repositories, threads and what was said in them; `fold` counts the words, as the pipeline does."""

    conn: Connection
    _ids: int = 1000
    _threads: dict[tuple[int, int], int] = field(default_factory=dict)

    def repo(self, name: str = "acme/widgets") -> Repo:
        """Add a repository."""
        row = self.conn.execute(
            "INSERT INTO relore.repos (full_name, source_kind, source_location) VALUES (%s, 'archive', '-')"
            " RETURNING id",
            [name],
        ).fetchone()
        return Repo(row[0], name)

    def thread(
        self,
        repo: Repo,
        number: int,
        title: str,
        body: str = "",
        *,
        kind: str = "issue",
        author: str = "ada",
        trust: str = "reported",
        state: str = "open",
        merged: bool = False,
        labels: tuple[str, ...] = (),
        files: tuple[str, ...] | None = None,
        renamed: dict[str, str] | None = None,
        stated_files: int | None = None,
        at: datetime | None = None,
        **columns: object,
    ) -> int:
        """Add a thread with its title and opening post.

        ``files`` is the list held of a pull request, ``renamed`` what some of them were called before.
        """
        created = at or NOW - timedelta(days=30, seconds=-number)
        ended = created + timedelta(days=1) if merged or state == "closed" else None
        values = {
            "repo_id": repo.id,
            "number": number,
            "kind": kind,
            "title": title,
            "author": author,
            "state": "closed" if merged else state,
            "merged": merged,
            "merged_at": created + timedelta(days=1) if merged else None,
            "closed_at": ended,
            "labels": list(labels),
            "url": f"https://github.test/{repo.name}/{'pull' if kind == 'pr' else 'issues'}/{number}",
            "created_at": created,
            "updated_at": ended or created,
            "indexed_at": NOW,
            "input_hash": b"-",
            "undated": [],
            "collected_files": None if files is None else len(files),
            "stated_files": len(files) if stated_files is None and files is not None else stated_files,
            **columns,
        }
        thread = self._insert("threads", values, returning="id")
        self._threads[repo.id, number] = thread
        for label in labels:
            self.event(repo, number, "labeled", at=created, value=label)
        for name in ("merged",) * merged + ("closed",) * (ended is not None):
            self.event(repo, number, name, at=values["closed_at"])
        common = {"author": author, "trust": trust, "at": created}
        self.document(repo, number, "title", title, source_id=str(number), **common)
        if body:
            self.document(repo, number, "body", body, source_id=str(number), **common)
        for path in files or ():
            self._insert(
                "changed_files",
                {
                    "repo_id": repo.id,
                    "thread_id": thread,
                    "path": path,
                    "tail": path.rsplit("/", 1)[-1],
                    "change_type": "modified",
                    "additions": 1,
                    "deletions": 1,
                    "previous_path": (renamed or {}).get(path),
                },
            )
        return thread

    def event(
        self,
        repo: Repo,
        number: int,
        event: str,
        *,
        at: datetime,
        actor: str | None = None,
        value: str | None = None,
        previous: str | None = None,
    ) -> None:
        """Add a dated change of a thread's head, after those that are there."""
        thread = self._threads[repo.id, number]
        self.conn.execute(
            "INSERT INTO relore.thread_events (repo_id, thread_id, position, event, at, actor, value, previous)"
            " SELECT %s, %s, count(*), %s, %s, %s, %s, %s FROM relore.thread_events WHERE thread_id = %s",
            [repo.id, thread, event, at, actor, value, previous, thread],
        )

    def comment(self, repo: Repo, number: int, body: str, **more: object) -> str:
        """Add a comment and return its id; ``source_type`` makes it a review or an inline comment."""
        source_type = str(more.pop("source_type", "issue_comment"))
        return self.document(repo, number, source_type, body, **more)

    def document(
        self,
        repo: Repo,
        number: int,
        source_type: str,
        *pieces: str,
        source_id: str | None = None,
        author: str = "ada",
        trust: str = "reported",
        at: datetime | None = None,
        **columns: object,
    ) -> str:
        """Add one text, in as many pieces as are given; facts read off the whole stand at the first."""
        self._ids += 1
        source_id = source_id or str(self._ids)
        thread = self._threads[repo.id, number]
        created = at or NOW - timedelta(days=20) + timedelta(seconds=self._ids)
        first = None
        for place, piece in enumerate(pieces):
            found = tokens.tokenize(markdown.split(piece).visible)
            row = {
                "repo_id": repo.id,
                "thread_id": thread,
                "source_type": source_type,
                "source_id": source_id,
                "chunk_index": place,
                "chunk_count": len(pieces),
                "author": author,
                "trust": trust,
                "url": f"https://github.test/{repo.name}/issues/{number}#{source_id}",
                "body": piece,
                "search_vector": found.vector,
                "lexemes": found.length,
                "created_at": created,
                "content_hash": blake2b(piece.encode(), digest_size=8).digest(),
                "noise": len(pieces) == 1 and source_type != "title" and is_noise(piece),
                **columns,
            }
            document = self._insert("documents", row, returning="id")
            first = first or document
        for signal in extract("".join(pieces)):
            self.signal(repo, number, first, signal.kind, signal.value, signal.tail, signal.source, created)
        path = columns.get("path")
        if path:
            self.signal(
                repo, number, first, "file", str(path), str(path).rsplit("/", 1)[-1], "anchor", created
            )
        return source_id

    def signal(
        self,
        repo: Repo,
        number: int,
        document: int,
        kind: str,
        value: str,
        tail: str,
        source: str,
        at: datetime,
    ) -> None:
        """Add one fact."""
        row = {"repo_id": repo.id, "document_id": document, "kind": kind, "value": value, "tail": tail}
        row["thread_id"] = self._threads[repo.id, number]
        self._insert("signals", {**row, "source": source, "first_seen_at": at})

    def link(self, repo: Repo, number: int, relation: str, target: int, **more: object) -> None:
        """Add a claim of one thread about another."""
        values = {
            "repo_id": repo.id,
            "thread_id": self._threads[repo.id, number],
            "relation": relation,
            "target_repo": str(more.pop("target_repo", repo.name)).lower(),
            "target_number": target,
            "source": "body",
            "stated_at": NOW - timedelta(days=10),
            **more,
        }
        self._insert("links", values)

    def verdict(self, repo: Repo, number: int, author: str, verdict: str, at: datetime) -> None:
        """Add a decisive review."""
        self._ids += 1
        row = {"repo_id": repo.id, "thread_id": self._threads[repo.id, number], "review_id": str(self._ids)}
        self._insert("verdicts", {**row, "author": author, "verdict": verdict, "stated_at": at})

    def standing(self, repo: Repo, login: str, tier: str, from_at: datetime | None = None) -> None:
        """Give somebody a standing from a date on."""
        row = {"repo_id": repo.id, "login": login, "tier": tier, "reason": "owner", "from_at": from_at}
        self._insert("authors", row)

    def fold(self) -> None:
        """Count words and sizes anew."""
        self.conn.execute("DELETE FROM relore.term_stats")
        self.conn.execute("DELETE FROM relore.repo_stats")
        self.conn.execute(
            "INSERT INTO relore.term_stats (repo_id, lexeme, documents)"
            " SELECT d.repo_id, w.lexeme, count(*)"
            " FROM relore.documents d, unnest(d.search_vector) w GROUP BY 1, 2"
        )
        self.conn.execute(
            "INSERT INTO relore.repo_stats (repo_id, threads, documents, lexemes)"
            " SELECT r.id, (SELECT count(*) FROM relore.threads t WHERE t.repo_id = r.id), count(d.id),"
            " coalesce(sum(d.lexemes), 0)"
            " FROM relore.repos r LEFT JOIN relore.documents d ON d.repo_id = r.id GROUP BY r.id"
        )

    def count(self) -> None:
        """Commit, and add up the books of every repository, as passes do when they end; as of `NOW`."""
        self.conn.commit()
        for (repo_id,) in self.conn.execute("SELECT id FROM relore.repos").fetchall():
            self.conn.commit()
            books.add_up(self.conn, repo_id)
        self.conn.execute("UPDATE relore.books SET counted_at = %s", [NOW])
        self.conn.commit()

    def at_work(self, repo: Repo) -> None:
        """Commit marks of two passes, a run that is fetching, a quota, a sample and a removal."""
        hour = timedelta(hours=1)
        for name, window, ok in (("fetch:issue", "2024-01-01", NOW - hour), ("derive", "2024-01-01", NOW)):
            mark = {"repo_id": repo.id, "pass": name, "window_start": window, "high_water": NOW - 2 * hour}
            self._insert("sync_state", {**mark, "last_run_at": NOW - hour, "last_ok_at": ok})
        run = {
            "repo_id": repo.id,
            "run_id": "run-1",
            "pass": "fetch",
            "started_at": NOW - hour,
            "seen_at": NOW,
        }
        progress = {"doing": "issues since 2024-01-01, page 7", "done": 650, "total": 1300, "points": 12}
        progress["worked_seconds"] = 1300.0
        counts = {"requests": Jsonb({"repos/issues": 7}), "retries": Jsonb({"502": 1})}
        self._insert("fetch_activity", {**run, **progress, **counts})
        quota = {"token_name": "token 1", "resource": "core", "allowed": 5000, "remaining": 4321}
        self._insert("quotas", {**quota, "resets_at": NOW + hour, "seen_at": NOW})
        sample = {"repo_id": repo.id, "kind": "pr", "merged_only": True}
        self._insert("samples", {**sample, "floor": NOW - 240 * hour, "declared_at": NOW - hour})
        gone = {"repo_id": repo.id, "kind": "issue_comment", "object_id": "1", "thread_number": 7}
        self._insert("tombstones", {**gone, "reason": "deleted", "removed_at": NOW - hour})
        self._insert("rule_versions", {"repo_id": repo.id, "rule": "tokens", "version": tokens.VERSION})
        self.conn.commit()

    def _insert(self, table: str, values: dict[str, object], returning: str = "") -> int:
        names = ", ".join(values)
        slots = ", ".join(["%s"] * len(values))
        end = f" RETURNING {returning}" if returning else ""
        found = self.conn.execute(
            f"INSERT INTO relore.{table} ({names}) VALUES ({slots}){end}", list(values.values())
        )
        return found.fetchone()[0] if returning else 0
