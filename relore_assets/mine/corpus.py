"""A repository's documents as a file that other programs can search, and by which two machines compare.

JSON Lines: a header, then one line per document in a stable order, by the predicate that search itself admits documents
by. The same index gives the same bytes.
"""

from __future__ import annotations

import gzip
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from shutil import copyfileobj
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from psycopg.rows import dict_row

from relore_assets.errors import ReloreError
from relore_assets.fetch import repos
from relore_assets.mine.example import canonical, instant
from relore_serve.database import SCHEMA_VERSION
from relore_serve.search.scope import HUMAN, MACHINE, Floor, Repo, Scope, statements

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from psycopg import Connection

#: Of the file's format.
VERSION = 1

#: What tells one document from all others.
IDENTITY = ("number", "source_type", "source_id", "chunk_index")

_ROWS_AT_ONCE = 500
_GZIP_LEVEL = 6

LIMITS = (
    "Texts are as they are now: under a cutoff, what was edited at or after it is left out, since it read otherwise.",
    "A commit bears the date that its author's clock gave it, and no date before its pull request's.",
    "Labels, states and links of threads, and the facts read off texts, are not part of this file.",
    "Source code is not part of the index: diffs, and the hunks above inline comments, are left out.",
)


class CannotWrite(ReloreError):
    """The file cannot be written."""


@dataclass(frozen=True, slots=True)
class Exported:
    """How many documents a file holds, and the sha256 of its lines behind the header."""

    documents: int
    digest: str


def export(
    conn: Connection,
    repo: str,
    out: Path | None,
    *,
    before: datetime | None = None,
    exclude: Sequence[int] = (),
    machine: bool = False,
) -> Exported:
    """Write the documents of a repository that search may show; what is there is replaced as a whole or not at all.

    Documents are read and written one after the other: memory does not grow with their number. Their lines wait in a
    temporary file for the header, which states their digest.

    Args:
        conn: a connection that is in no transaction.
        repo: owner/name.
        out: where to; None for standard output. A name that ends in ``.gz`` is compressed.
        before: only what was there strictly before it.
        exclude: numbers of threads to leave out.
        machine: also what machines wrote.

    Raises:
        BadNameError, UnknownRepository: nothing was written.
        CannotWrite: likewise.
    """
    known = repos.known(conn, repo)
    with TemporaryFile() as lines, conn.transaction():
        sql = statements("relore_assets.mine", "corpus.sql")
        conn.execute(sql["one_moment"])
        values = {"repo_id": known.id, "numbers": sorted(set(exclude))}
        scope = Scope(
            repos=(Repo(known.id, known.full_name),),
            floor=Floor(HUMAN + MACHINE if machine else HUMAN),
            before=before,
            withheld=tuple(row[0] for row in conn.execute(sql["withheld"], values)),
        )
        digest, count = sha256(), 0
        for line in _lines(conn, scope):
            lines.write(line)
            digest.update(line)
            count += 1
        done = Exported(count, digest.hexdigest())
        header = {
            "version": VERSION,
            "repo": known.full_name,
            "before": None if before is None else instant(before),
            "excluded": sorted(set(exclude)),
            "machine": machine,
            "identity": list(IDENTITY),
            "documents": done.documents,
            "sha256": done.digest,
            "versions": {
                "schema": SCHEMA_VERSION,
                **dict(conn.execute(sql["versions"], values).fetchall()),
            },
            "limits": list(LIMITS),
        }
        lines.seek(0)
        try:
            with _opened(out) as file:
                file.write(f"{canonical(header)}\n".encode())
                copyfileobj(lines, file)
        except OSError as error:
            raise CannotWrite(f"{out or 'standard output'} cannot be written: {error.strerror}.") from error
    return done


def _lines(conn: Connection, scope: Scope) -> Iterator[bytes]:
    """Yield one line per document, read as they are asked for."""
    sql = statements("relore_assets.mine", "corpus.sql")
    with conn.cursor(name="corpus", row_factory=dict_row) as cursor:
        cursor.itersize = _ROWS_AT_ONCE
        for row in cursor.execute(sql["documents"], scope.parameters()):
            yield f"{canonical({name: _plain(value) for name, value in row.items()})}\n".encode()


def _plain(value: Any) -> Any:
    return instant(value) if isinstance(value, datetime) else value


@contextmanager
def _opened(out: Path | None) -> Generator[IO[bytes]]:
    """Yield what to write to; a file appears under its name when all has been written."""
    if out is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with NamedTemporaryFile(dir=out.parent, prefix=f".{out.name}-", delete=False) as file:
        unfinished = Path(file.name)
        try:
            if out.name.endswith(".gz"):
                # Without name and time, which would make equal contents unequal files.
                with gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as packed:
                    yield packed  # type: ignore[misc] - a file of bytes, though not by its class
            else:
                yield file  # type: ignore[misc] - likewise
            file.flush()
            unfinished.chmod(0o644)
            unfinished.replace(out)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
