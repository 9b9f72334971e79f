"""Makes ``precedents`` and ``precedent_threads`` of a repository equal to what its derived tables say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from psycopg.rows import dict_row

from relore_serve import sql

if TYPE_CHECKING:
    import psycopg

QUERIES = sql.load("relore_assets.precedents", "build.sql")

#: What a comment says that speaks of an end. Only told from others near the closing.
ENDING = (
    r"\m(clos(e|es|ed|ing)|supersed\w*|in favou?r of|replaced|obsolet\w*|no longer|not (needed|worth|necessary)|"
    r"abandon\w*|stale|inactiv\w*|withdraw\w*|nack|reject\w*|duplicate|won'?t|wontfix|give up|out of scope|"
    r"better (done|handled)|already (fixed|done|merged|included)|picked up|reopen\w*)\M"
)

#: What asks why it was closed, or says that it is not.
NOT_ENDING = r"\mwhy\M[^.\n]{0,60}\mclos|\m(not|never|\w+n['\u2019]?t)\s+(be\s+|going\s+to\s+(be\s+)?)?clos"

#: What few words of the author's have to hold to be a reason: where the work went on, or what was wrong with it.
TELLING = (
    r"#[0-9]|://|\m[0-9a-f]{7,40}\M|\m(accident\w*|already|any ?more|as part|because|branch|broken|differen\w*|fixed|"
    r"fork|instead|irrelevant|invalid|landed|later|merged|mistaken?|moved|need\w*|outdated|rebased|redundant|repo\w*|"
    r"resolved|retract\w*|spam|split|superc?ed\w*|test(ing)?|too|unnecessary|wrong|wont|work\w*)\M"
)

#: In the order in which they are tried; Postgres's regular expressions, on the title as it stands.
WORDS = (
    ("deprecation", r"(?i)\m(deprecat\w*)\M"),
    ("bug_fix", r"(?i)\m(bug-?fix|hotfix|fix|fixes|fixing)\M(?!-)"),
    ("bug_fix", r"(?i)^\W*(?:\w+:\s*)?(fixed)\M(?!-)"),
    ("refactor", r"(?i)\m(refactor\w*|clean-?ups?|clean up|simplif\w+|dedup\w*)\M"),
    ("feature", r"(?i)^\W*(?:\[?wip\]?:?\s+)?(add|adds|implement|implements|introduce|introduces|support)\M"),
)

#: Likewise, on labels in lower case.
LABELS = (
    ("deprecation", r"deprecat"),
    ("bug_fix", r"^(?!.*\mnot\M).*(^|[^a-z])(bug|bugs|bugfix|regression|crash|defect)($|[^a-z])"),
    ("feature", r"(^|[^a-z])(feature|features|enhancement|enhancements)($|[^a-z])"),
    ("refactor", r"refactor|clean-?up|tech(nical)?[ -]debt|code[ -]quality"),
)

#: Prefixes of a title that make its words say nothing of the kinds above.
OTHER_PREFIXES = (
    "doc",
    "docs",
    "test",
    "tests",
    "ci",
    "build",
    "chore",
    "style",
    "release",
    "cmake",
    "bench",
)

_STEPS = ("claims", "units", "index", "issues", "reverts", "attempts", "kinds", "problems")


@dataclass(frozen=True, slots=True)
class Built:
    """What is held after a build, and what the build wrote or removed.

    Attributes:
        units: finished pull requests. counts: how they are made up, by name. written: rows by table, removed ones too.
    """

    units: int
    counts: dict[str, int] = field(default_factory=dict[str, int])
    written: dict[str, int] = field(default_factory=dict[str, int])


def build(conn: psycopg.Connection, repo_id: int) -> Built:
    """Build a repository's precedents anew and write what differs, in one transaction; a second time nothing is."""
    scope = {
        "repo_id": repo_id,
        "ending": ENDING,
        "not_ending": NOT_ENDING,
        "telling": TELLING,
        "word_kinds": [kind for kind, _ in WORDS],
        "word_patterns": [pattern for _, pattern in WORDS],
        "label_kinds": [kind for kind, _ in LABELS],
        "label_patterns": [pattern for _, pattern in LABELS],
        "other_prefixes": list(OTHER_PREFIXES),
    }
    with conn.transaction():
        conn.execute(QUERIES["lock"], scope)
        conn.execute(QUERIES["tables"])
        for step in _STEPS:
            conn.execute(QUERIES[step], scope if "%(" in QUERIES[step] else None)
        written = {
            table: conn.execute(QUERIES[f"remove_{rows}"], scope).rowcount
            + conn.execute(QUERIES[f"write_{rows}"]).rowcount
            for table, rows in (("precedents", "units"), ("precedent_threads", "threads"))
        }
        counts = _counts(conn, repo_id)
        units = counts["merged"] + counts["rejected"]
        conn.execute(QUERIES["record"], {"repo_id": repo_id, "units": units})
    return Built(units, counts, written)


def _counts(conn: psycopg.Connection, repo_id: int) -> dict[str, int]:
    with conn.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(QUERIES["counts"], {"repo_id": repo_id}).fetchone()
    assert row is not None  # noqa: S101 - an aggregate always has a row
    related: dict[str, int] | None = row.pop("related")
    return {**row, **(related or {})}
