"""Writes rows of one repository, as import, fetch and derive would."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from relore_assets import books
from relore_serve.status import facts

if TYPE_CHECKING:
    from psycopg import Connection

STAGED = datetime(2024, 6, 1, tzinfo=UTC)
DERIVED = STAGED + timedelta(hours=1)
WINDOW = "2024-04-01"


class Ledger:
    """Writes rows of one repository, as import and derive would."""

    def __init__(self, conn: Connection, name: str = "harbor/tide") -> None:
        self.conn = conn
        self.name = name
        self.id = self._one(
            """INSERT INTO relore.repos (full_name, source_kind, source_location)
               VALUES (%s, 'archive', '/a') RETURNING id""",
            name,
        )

    def raw(self, kind: str, ident: object, number: int, *, at: datetime = STAGED, **payload: Any) -> None:
        """Stage an object."""
        self.conn.execute(
            """INSERT INTO relore.raw_objects (repo_id, kind, object_id, thread_number, payload, payload_hash,
                                               github_updated_at, fetched_at, source, redaction_version)
               VALUES (%s, %s, %s, %s, %s, '', '2024-05-05', %s, 'archive', 1)""",
            (self.id, kind, str(ident), number, json.dumps(payload), at),
        )

    def thread(self, number: int, **counts: int | None) -> int:
        """Derive a thread; returns its row's id."""
        columns = {"stated_comments": None, "collected_comments": 0, **counts}
        return self._one(
            f"""INSERT INTO relore.threads (repo_id, number, kind, title, author, state, url, created_at, updated_at,
                                            indexed_at, input_hash, {", ".join(columns)})
                VALUES (%s, %s, 'pr', 't', 'buoy', 'open', 'u', now(), now(), now(), '',
                        {", ".join(["%s"] * len(columns))}) RETURNING id""",
            self.id,
            number,
            *columns.values(),
        )

    def document(self, thread: int, source_type: str, ident: object, pieces: int = 1) -> None:
        """Derive a text."""
        for piece in range(pieces):
            self.conn.execute(
                """INSERT INTO relore.documents (repo_id, thread_id, source_type, source_id, chunk_index, chunk_count,
                                                 author, trust, url, body, search_vector, lexemes, content_hash)
                   VALUES (%s, %s, %s, %s, %s, %s, 'buoy', 'reported', 'u', 'b', '', 0, '')""",
                (self.id, thread, source_type, str(ident), piece, pieces),
            )

    def mark(self, name: str, window: str = "0001-01-01", **columns: Any) -> None:
        """Mark a pass."""
        names = ", ".join(columns)
        self.conn.execute(
            f"""INSERT INTO relore.sync_state (repo_id, pass, window_start, {names})
                VALUES (%s, %s, %s, {", ".join(["%s"] * len(columns))})""",
            (self.id, name, window, *columns.values()),
        )

    def derived(self, at: datetime = DERIVED) -> None:
        """Mark that derive has run over everything."""
        self.mark("derive", last_run_at=at, last_ok_at=at)

    def count(self) -> dict[str, Any]:
        """Add up the books as a pass does when it ends, and return them."""
        self.conn.commit()
        return books.add_up(self.conn, self.id)

    def account(self, kind: str) -> dict[str, Any]:
        """Return the account of one kind."""
        return {account["kind"]: account for account in self.count()["objects"]}[kind]

    def facts(self, now: datetime | None = None) -> dict[str, Any]:
        """Return what status says of this repository."""
        (repo,) = self.status(now)["repositories"]
        return repo

    def status(self, now: datetime | None = None) -> dict[str, Any]:
        """Return what status says, of this repository alone."""
        self.conn.commit()
        return facts(self.conn, [self.id], now=now or datetime.now(UTC))

    def _one(self, statement: str, *values: object) -> int:
        row = self.conn.execute(statement, values).fetchone()  # pyright: ignore[reportArgumentType, reportCallIssue]
        assert row is not None
        return row[0]
