"""A repository many times as large as one that is held: a history copied into a database of its own, and derived there.

    python benchmarks/scale.py SOURCE_URL TARGET_URL --repo owner/name [--copies 28] [--rare 30]

``SOURCE_URL`` is the owner's address of a database into which ``owner/name`` was imported, ``TARGET_URL`` that of an
empty one, which is migrated first. What is multiplied is what GitHub said (``raw_objects``); everything else is then
derived from it by the program itself, so that what is shown is what is indexed.

Copy 0 is the original. In every other copy threads, comments and commits have numbers, ids and digests of their own,
references between them stay within the copy, and an identifier that at most ``--rare`` objects of the original use
bears a suffix of the copy, in texts, hunks and paths alike. So common words and files become as common as they would
be in a larger history, while a name that was rare stays as rare as it was.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import time
from collections import Counter
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, cast

import orjson
import psycopg

from relore_assets.authority.authors import refresh
from relore_assets.derive.derive import Progress, derive
from relore_assets.schema import upgrade

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TEXTS = frozenset({"body", "title", "message", "diff_hunk", "path", "filename", "previous_filename", "ref"})
ADDRESSES = frozenset({"html_url", "issue_url", "pull_request_url", "url"})
DIGESTS = frozenset({"sha", "commit_id", "original_commit_id", "merge_commit_sha"})
IDS = frozenset({"in_reply_to_id", "pull_request_review_id"})
LEFT_OUT = frozenset({"verification", "patch"})
"""Nothing is derived from these, and they are most of what a commit weighs."""
BY_NUMBER = frozenset({"issue", "issue_detail", "pull"})

ID_STEP = 10**12
NUMBER_STEP = 1_000
OPEN, CLOSE = "\ue000", "\ue001"
"""Stand around what differs from copy to copy while a template is made."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z0-9]_+[A-Za-z0-9]|[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]", re.ASCII)
_COMMENT_ID = r"(?<=#issuecomment-)[0-9]+|(?<=#discussion_r)[0-9]+|(?<=#pullrequestreview-)[0-9]+"
_DIGEST = r"(?<![A-Za-z0-9_])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![A-Za-z0-9_])"
_MARK = re.compile(f'("?){OPEN}(.)([^{CLOSE}]*){CLOSE}("?)')

COPY = """
COPY relore.raw_objects (repo_id, kind, object_id, thread_number, payload, payload_hash, github_updated_at, fetched_at,
    source, redaction_version, redactions, replacements) FROM STDIN
"""


@dataclass(frozen=True)
class History:
    """What the templates are made with."""

    repo: str
    rare: frozenset[str]
    step: int


class Templates:
    """Turns the objects of a history into texts with gaps."""

    def __init__(self, history: History) -> None:
        self._rare = history.rare
        name = re.escape(history.repo)
        self._varying = re.compile(
            rf"(?P<n>(?<={name}/issues/)[0-9]+|(?<={name}/pull/)[0-9]+|(?<={name}/pulls/)[0-9]+"
            rf"|(?<![A-Za-z0-9_&/])#[0-9]+)|(?P<i>{_COMMENT_ID})|(?P<h>{_DIGEST})|(?P<w>{_WORD.pattern})",
            re.ASCII,
        )

    def of(self, payload: dict[str, Any]) -> list[str]:
        """Return the object's JSON in pieces; every second one is a gap: its kind, and what stands in the original."""
        text = orjson.dumps(self._marked(payload, top=True), option=orjson.OPT_SORT_KEYS).decode()
        pieces: list[str] = []
        end = 0
        for gap in _MARK.finditer(text):
            kind = gap[2]
            # A number is a number again: it loses the quotes that it was given.
            number = kind in "NI"
            pieces += [text[end : gap.start() + (0 if number else len(gap[1]))], kind + gap[3]]
            end = gap.end() - (0 if number else len(gap[4]))
        return [*pieces, text[end:]]

    def _marked(self, value: Any, key: str = "", *, top: bool = False) -> Any:
        if isinstance(value, dict):
            fields = cast("dict[str, Any]", value)
            return {
                name: self._field(name, part, whose=key, top=top)
                for name, part in fields.items()
                if name not in LEFT_OUT
            }
        if isinstance(value, list):
            return [self._marked(part, key) for part in cast("list[Any]", value)]
        if not isinstance(value, str):
            return value
        if key in DIGESTS:
            return f"{OPEN}h{value}{CLOSE}"
        return self._varying.sub(self._gap, value) if key in TEXTS or key in ADDRESSES else value

    def _field(self, name: str, value: Any, *, whose: str, top: bool) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            if name in IDS or (top and name == "id"):
                return f"{OPEN}I{value}{CLOSE}"
            if name == "number" and (top or whose == "issue"):
                return f"{OPEN}N{value}{CLOSE}"
        return self._marked(value, name)

    def _gap(self, found: re.Match[str]) -> str:
        kind, text = found.lastgroup or "w", found[0]
        if kind == "n" and text.startswith("#"):
            return f"#{OPEN}n{text[1:]}{CLOSE}" if len(text) <= len("#99999") else text
        if kind == "w" and text not in self._rare:
            return text
        return f"{OPEN}{kind}{text}{CLOSE}"


class Copy:
    """Fills the gaps for one copy."""

    def __init__(self, nth: int, history: History) -> None:
        self._nth = nth
        self._step = history.step
        # One digit for another, differently in each of 128 copies, so that a shortened digest stays the beginning of
        # the whole one.
        digits = "0123456789abcdef"
        mixed = [digits[(place * (2 * (nth // 16) + 1) + nth) % 16] for place in range(16)]
        self._digits = str.maketrans(digits, "".join(mixed))

    def text(self, template: list[str]) -> bytes:
        """Return the object as this copy holds it."""
        if self._nth:
            filled = [self._filled(piece) if place % 2 else piece for place, piece in enumerate(template)]
        else:
            filled = [piece[1:] if place % 2 else piece for place, piece in enumerate(template)]
        return "".join(filled).encode()

    def number(self, number: int) -> int:
        """Return the number of the thread that was ``number``."""
        return number + self._nth * self._step

    def object_id(self, kind: str, object_id: str) -> str:
        """Return the id of the object that was ``object_id``."""
        if not self._nth:
            return object_id
        if not object_id.isdecimal():
            return f"{object_id}-{self._nth}"
        if kind in BY_NUMBER or kind.startswith("pull_"):
            return str(self.number(int(object_id)))
        return str(int(object_id) + self._nth * ID_STEP)

    def _filled(self, piece: str) -> str:
        kind, text = piece[0], piece[1:]
        if kind in "nN":
            return str(self.number(int(text)))
        if kind in "iI":
            return str(int(text) + self._nth * ID_STEP)
        if kind == "h":
            return text.translate(self._digits)
        return f"{text}k{self._nth}"


def main() -> None:
    """Multiply, derive, and say how large the result is and how long each step took."""
    parser = argparse.ArgumentParser(description="A repository many times as large as one that is held.")
    parser.add_argument("source_url")
    parser.add_argument("target_url")
    parser.add_argument("--repo", required=True)
    parser.add_argument("--copies", type=int, default=28)
    parser.add_argument(
        "--rare", type=int, default=30, help="objects that may use an identifier that is rare"
    )
    arguments = parser.parse_args()
    upgrade(arguments.target_url)
    started = time.perf_counter()

    def say(what: str) -> None:
        print(f"{time.perf_counter() - started:7.1f} s  {what}", flush=True)

    history = look_at(arguments.source_url, arguments.repo, arguments.rare)
    say(f"{len(history.rare):,} rare identifiers")
    repo_id = register(arguments.source_url, arguments.target_url, arguments.repo, arguments.copies)
    workers = min(multiprocessing.cpu_count(), arguments.copies)
    shares = [range(first, arguments.copies, workers) for first in range(workers)]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        jobs = [(arguments.source_url, arguments.target_url, repo_id, history, share) for share in shares]
        say(f"{sum(pool.starmap(stage, jobs)):,} objects staged")
    with psycopg.connect(arguments.target_url, autocommit=True) as conn:
        conn.execute("VACUUM ANALYZE relore.raw_objects")
        with conn.transaction():
            refresh(conn, repo_id)
    say("standing told")
    steps = iter(range(10, 101, 10))
    following = next(steps)

    def progress(done: Progress) -> None:
        nonlocal following
        if done.total and done.done * 100 >= following * done.total:
            say(f"{following} % derived, {done.documents:,} documents")
            following = next(steps, 101)

    result = derive(arguments.target_url, arguments.repo, on_progress=progress)
    failed = len(result.batch.failed)
    say(f"{result.batch.threads:,} threads, {result.batch.documents:,} documents derived, {failed} failed")
    with psycopg.connect(arguments.target_url, autocommit=True) as conn:
        conn.execute("VACUUM ANALYZE")
    say("tables analysed")


def look_at(url: str, repo: str, rare: int) -> History:
    """Return the history's rare identifiers, and how far apart the numbers of two copies are."""
    uses: Counter[str] = Counter()
    last = 0
    for _, number, payload, *_ in objects(url, repo):
        last = max(last, number)
        uses.update(set(_WORD.findall(" ".join(_texts(payload)))))
    names = frozenset(word for word, count in uses.items() if count <= rare and _IDENTIFIER.search(word))
    return History(repo, names, (last // NUMBER_STEP + 1) * NUMBER_STEP)


def _texts(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in cast("Mapping[str, Any]", value).items():
            if name not in LEFT_OUT:
                yield from _texts(part, name)
    elif isinstance(value, list):
        for part in cast("list[Any]", value):
            yield from _texts(part, key)
    elif isinstance(value, str) and key in TEXTS:
        yield value


def objects(url: str, repo: str) -> Iterator[tuple[Any, ...]]:
    """Yield what is staged of ``repo``."""
    with psycopg.connect(url) as conn, conn.cursor("objects") as cursor:
        cursor.itersize = 1_000
        yield from cursor.execute(
            "SELECT o.object_id, o.thread_number, o.payload, o.kind, o.github_updated_at, o.fetched_at, o.source, "
            "o.redaction_version, o.redactions, o.replacements FROM relore.raw_objects o "
            "JOIN relore.repos r ON r.id = o.repo_id WHERE lower(r.full_name) = lower(%s)",
            (repo,),
        )


def register(source_url: str, target_url: str, repo: str, copies: int) -> int:
    """Make the repository in the target, with the marks of the passes that staged the original."""
    with psycopg.connect(source_url) as source, psycopg.connect(target_url) as target:
        marks = source.execute(
            "SELECT pass, window_start, high_water, last_run_at, last_ok_at, stated * %s, done * %s "
            "FROM relore.sync_state s JOIN relore.repos r ON r.id = s.repo_id "
            "WHERE lower(r.full_name) = lower(%s) AND split_part(pass, ':', 1) IN ('import', 'fetch')",
            (copies, copies, repo),
        ).fetchall()
        row = target.execute(
            "INSERT INTO relore.repos (full_name, source_kind, source_location) "
            "VALUES (%s, 'archive', %s) RETURNING id",
            (repo, f"{copies} copies"),
        ).fetchone()
        if row is None:
            raise AssertionError("an INSERT with RETURNING returns a row")
        with target.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO relore.sync_state (repo_id, pass, window_start, high_water, last_run_at, last_ok_at, "
                "stated, done) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
                [(row[0], *mark) for mark in marks],
            )
        return int(row[0])


def stage(source_url: str, target_url: str, repo_id: int, history: History, share: range) -> int:
    """Write some copies of every object; returns how many rows."""
    templates = Templates(history)
    copies = [Copy(nth, history) for nth in share]
    written = 0
    with psycopg.connect(target_url) as target, target.cursor() as cursor, cursor.copy(COPY) as copy:
        for object_id, number, payload, kind, *rest in objects(source_url, history.repo):
            template = templates.of(payload)
            for each in copies:
                text = each.text(template)
                digest = blake2b(text, digest_size=16).digest()
                copy.write_row(
                    (
                        repo_id,
                        kind,
                        each.object_id(kind, object_id),
                        each.number(number),
                        text.decode(),
                        digest,
                        *rest,
                    )
                )
                written += 1
    return written


if __name__ == "__main__":
    main()
