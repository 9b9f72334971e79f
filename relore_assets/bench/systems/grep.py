"""What somebody with a clone does: search the files of today for the question's words, then look who changed them.

git is run without a shell, on a commit and not on a work tree, and every word of a question stands behind an option
that takes it: none can become an option, a pattern or a path.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from relore_assets.bench.systems.system import PAGE, Answered, Shown, milliseconds
from relore_assets.errors import ReloreError
from relore_serve.search import needles
from relore_serve.search.question import QuestionError
from relore_serve.search.scope import statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from psycopg import Connection

    from relore_assets.bench.systems.system import Asked

DEADLINE = 10.0
"""Seconds that one question may take; what takes longer counts as answered with nothing."""
TERMS = 3
"""Words that are looked for, the most telling kinds first."""
LONGEST_TERM = 200
MOST_PATHS = 500
"""Files that threads are looked up for: those with the most matching lines."""

_SQL = statements("relore_assets.bench.systems", "grep.sql")
_PLACEHOLDER = re.compile(r"<\w+>|0x\?")
_LITERAL = 8  # characters of a message that are more than a word
_WORD = 4
_COUNTED = re.compile(rb"(\d+)\n", re.DOTALL)
_OPTIONS = (
    "-I",
    "-F",
    "-i",
    "-c",
    "-z",
    "--full-name",
    "--no-color",
    "--no-textconv",
    "--no-recurse-submodules",
)


class NoClone(ReloreError):
    """A folder is no clone that git can read."""

    exit_code = 2


@dataclass(frozen=True)
class Clone:
    """A clone, with or without a work tree, at the commit that its HEAD names.

    Attributes:
        git_dir: the repository itself.
        commit: what is searched.
    """

    git_dir: Path
    commit: str

    @classmethod
    def at(cls, folder: Path) -> Clone:
        """Find the repository in a folder: the folder itself, or its ``.git``.

        Raises:
            NoClone: there is none, or git cannot read it.
        """
        inner = folder / ".git"
        git_dir = (inner if inner.exists() else folder).absolute()
        try:
            told = _git(git_dir, ("rev-parse", "--verify", "--end-of-options", "HEAD^{commit}"), DEADLINE)
        except (OSError, subprocess.SubprocessError) as error:
            raise NoClone(
                f"{folder} is no clone whose HEAD git can read: name a clone, or a bare copy, of the repository."
            ) from error
        return cls(git_dir, told.decode("ascii").strip())

    def matches(self, term: str, seconds: float) -> dict[str, int]:
        """Return how many lines of each file hold ``term``, in whatever case.

        Raises:
            TimeoutExpired: git took longer than ``seconds``.
        """
        arguments = ("grep", *_OPTIONS, "-e", _one_line(term), self.commit, "--")
        return dict(_counts(_git(self.git_dir, arguments, seconds, fine=(0, 1)), self.commit))


@dataclass(frozen=True)
class Grep:
    """The files at a clone's HEAD, and from these to the threads that changed them.

    Attributes:
        conn: a reader's session.
        clone: what is searched.
    """

    conn: Connection
    clone: Clone
    name: str = "grep"
    window: bool = False
    free: bool = True
    deadline: float = field(default=DEADLINE)

    @property
    def caveats(self) -> Sequence[str]:
        """It searches today's files."""
        return (
            f"{self.name} has no window: it searches the files of commit {self.clone.commit[:12]}, of whatever date.",
            f"Threads younger than a question's cutoff are dropped from what {self.name} finds.",
            f"{self.name} reaches a thread by the files that it changed, so issues are beyond it.",
            f"{self.name} is stopped after {self.deadline:g} seconds of a question, which then counts as empty.",
        )

    @property
    def configuration(self) -> Mapping[str, object]:
        """What is searched, and for how long at most."""
        return {
            "commit": self.clone.commit,
            "terms": TERMS,
            "paths": MOST_PATHS,
            "deadline_seconds": self.deadline,
        }

    def refuses(self, question: Asked) -> str | None:  # noqa: ARG002 - others do
        """Any question may be put to it."""
        return None

    def answer(self, question: Asked) -> Answered:
        """Search for each term, and rank threads by the matching lines of the files that they changed."""
        started = perf_counter()
        weights: dict[str, int] = {}
        try:
            for term in _terms(question):
                left = self.deadline - (perf_counter() - started)
                for path, lines in self.clone.matches(term, max(left, 0)).items():
                    weights[path] = weights.get(path, 0) + lines
        except subprocess.TimeoutExpired:
            note = f"stopped after {self.deadline:g} seconds"
            return Answered((), (), milliseconds(started, perf_counter), note)
        wanted = question.example.filters.files
        paths = [path for path in weights if not wanted or any(_ends(path, each) for each in wanted)]
        paths = sorted(paths, key=lambda path: (-weights[path], path))[:MOST_PATHS]
        values = {
            **question.scope.parameters(),
            "paths": paths,
            "weights": [float(weights[path]) for path in paths],
            "limit": PAGE,
        }
        numbers = tuple(row[0] for row in self.conn.execute(_SQL["threads"], values).fetchall())
        return Answered(numbers, tuple(map(Shown, numbers)), milliseconds(started, perf_counter))


def _terms(question: Asked) -> list[str]:
    return list(dict.fromkeys(term for term in _every_term(question) if _one_line(term)))[:TERMS]


def _every_term(question: Asked) -> Iterator[str]:
    """Yield what is worth a search, what tells the most first: errors, tests, symbols, words."""
    try:
        facts = needles.filters(question.question).needles
    except QuestionError:
        facts = ()
    for needle in facts:
        if needle.kind == "error":
            literal = max(_PLACEHOLDER.split(needle.value), key=len).strip()
            yield literal if len(literal) >= _LITERAL else (needle.tail or literal)
    for kind in ("test", "symbol"):
        yield from (needle.tail for needle in facts if needle.kind == kind and needle.tail)
    yield from (term.text for term in question.terms() if len(term.text) >= _WORD)


def _ends(path: str, ending: str) -> bool:
    return path == ending or path.endswith(f"/{ending.removeprefix('/')}")


def _one_line(term: str) -> str:
    """Return a term as one line: git takes each line of a pattern for a pattern of its own."""
    lines = term.replace("\0", " ").split("\n")
    return next((line.strip() for line in lines if line.strip()), "")[:LONGEST_TERM]


def _counts(told: bytes, commit: str) -> Iterator[tuple[str, int]]:
    """Read ``COMMIT:PATH<NUL>COUNT<newline>`` again and again; a path may hold anything but NUL, newlines too."""
    at, prefix = 0, f"{commit}:".encode()
    while at < len(told):
        end = told.index(b"\0", at)
        count = _COUNTED.match(told, end + 1)
        if count is None:
            raise ValueError("git grep -c -z does not say how many lines match")
        yield told[at:end].removeprefix(prefix).decode("utf-8", "replace"), int(count[1])
        at = count.end()


def _git(git_dir: Path, arguments: Sequence[str], seconds: float, fine: Sequence[int] = (0,)) -> bytes:
    """Run git on a repository, deaf to what machine, user and repository have configured.

    Raises:
        TimeoutExpired: it took longer than ``seconds``, and was killed.
        CalledProcessError: it ended with something that is not ``fine``.
        OSError: git is missing.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        [
            "git",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.quotePath=false",
            f"--git-dir={git_dir}",
            *arguments,
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=seconds,
        cwd=git_dir if git_dir.is_dir() else git_dir.parent,
        env=kept
        | {
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "LC_ALL": "C.UTF-8",
        },
    )
    if done.returncode not in fine:
        raise subprocess.CalledProcessError(done.returncode, "git", stderr=done.stderr)
    return done.stdout
