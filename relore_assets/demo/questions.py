"""What the demo asks of the sample history, and what the answers show."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """A call of `relore`.

    Attributes:
        arguments: the command line after `relore`.
        shows: one line for the person who watches.
        expects: numbers of threads that a good answer holds, the first of them on top.
    """

    arguments: tuple[str, ...]
    shows: str
    expects: tuple[int, ...]


TRACEBACK = """\
Traceback (most recent call last):
  File "/srv/backup/nightly.py", line 12, in <module>
    manifest = store.manifest()
  File "/srv/venv/lib/python3.12/site-packages/ebbsync/manifest.py", line 31, in load
    return cls({name: Entry(**row) for name, row in json.loads(text).items()})
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"""

QUESTIONS = (
    Question(
        ("search", TRACEBACK, "--kind", "failure", "--limit", "3"),
        "You hit an error: paste it whole. The report of the same failure comes first, from other paths and lines.",
        (4, 6),
    ),
    Question(
        (
            "search",
            "why is this cast here",
            "--kind",
            "rationale",
            "--file",
            "ebbsync/_chunker.c",
            "--limit",
            "3",
        ),
        "A line looks redundant: ask before you tidy it. Only the words of people who decided count as reasons.",
        (36, 8),
    ),
    Question(
        (
            "search",
            "why not sqlite",
            "--kind",
            "rationale",
            "--file",
            "ebbsync/manifest.py",
            "--limit",
            "2",
        ),
        "You have an idea: somebody had it before. A pull request that was closed says why it was.",
        (27,),
    ),
    Question(
        ("precedent", "manifest database", "--rejected", "--limit", "1"),
        "And what became of it, as a whole: for which issue, in whose words it was turned down, what came instead.",
        (27,),
    ),
    Question(
        ("search", "--symbol", "StoreInUse", "--limit", "2"),
        "A name you meet in the code: where people talked about it, matched exactly.",
        (30,),
    ),
    Question(
        ("thread", "23", "--focus", "mtime granularity"),
        "A discussion of 48 comments: the ten that speak of your question, out of all of them.",
        (23,),
    ),
    Question(
        ("inflight", "50"),
        "Before you write a patch: who is at it already? One is open and approved, one a draft, one was merged.",
        (54, 55, 51),
    ),
)
