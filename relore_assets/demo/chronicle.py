"""Builds the bundled git repository, and remembers which commits belong to which pull request.

Everything that goes into a commit is stated in the sources, dates and names included, so its sha is the same on every
machine, and the archive can refer to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relore_assets.demo.errors import GitFailed, SourceError
from relore_assets.demo.git import Git, create
from relore_assets.demo.series import DIRECT, Patch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from pathlib import Path

    from relore_assets.demo.people import Person
    from relore_assets.demo.threads import Thread


@dataclass(frozen=True)
class Commit:
    """A commit that exists in the repository."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    at: datetime
    message: str


@dataclass(frozen=True)
class PullCommits:
    """What the repository holds of one pull request."""

    base: str
    commits: tuple[Commit, ...]
    merge_sha: str | None

    @property
    def head(self) -> str:
        """The tip of the pull request's branch."""
        return self.commits[-1].sha


@dataclass(frozen=True)
class Chronicle:
    """A built repository and its pull requests by number."""

    git: Git
    main: str
    pulls: dict[int, PullCommits]


def build(
    directory: Path,
    threads: Iterable[Thread],
    series: Mapping[int, list[Patch]],
    people: Mapping[str, Person],
) -> Chronicle:
    """A new bare repository at directory: main, and refs/pull/N/head of every pull request.

    Raises:
        SourceError: a patch does not apply, or patches and threads do not name the same pull requests.
    """
    pulls = {thread.number: thread for thread in threads if thread.is_pull}
    if set(pulls) != set(series) - {DIRECT}:
        odd = sorted(set(pulls) ^ (set(series) - {DIRECT}))
        raise SourceError(f"pull requests without patches, or patches without a pull request: {odd}")
    return _Builder(create(directory), people).build(pulls, series)


class _Builder:
    def __init__(self, git: Git, people: Mapping[str, Person]) -> None:
        self._git = git
        self._people = people
        self._main: list[tuple[datetime, Commit]] = []
        self._built: dict[int, PullCommits] = {}

    def build(self, pulls: Mapping[int, Thread], series: Mapping[int, list[Patch]]) -> Chronicle:
        for patch in series[DIRECT]:
            self._push(self._commit(patch, DIRECT, self._main[-1][1] if self._main else None))
        merged = [(thread.merging, thread) for thread in pulls.values() if thread.merging]
        for merging, thread in sorted(merged, key=lambda pair: pair[0].at):
            self._merge(thread, merging.by, merging.style, merging.at, series[thread.number])
        for number, thread in pulls.items():
            if thread.merging is None:
                self._branch(number, series[number])
        tip = self._main[-1][1].sha
        self._point("refs/heads/main", tip)
        for number, built in self._built.items():
            self._point(f"refs/pull/{number}/head", built.head)
        (self._git.directory / "relore-demo.index").unlink()
        return Chronicle(self._git, tip, self._built)

    def _push(self, commit: Commit) -> None:
        self._main.append((commit.at, commit))

    def _tip_at(self, moment: datetime) -> Commit:
        """The tip of main when somebody began to work, which is where a branch starts."""
        return [commit for at, commit in self._main if at <= moment][-1]

    def _branch(self, number: int, patches: list[Patch]) -> tuple[Commit, ...]:
        base = self._tip_at(patches[0].at)
        commits: list[Commit] = []
        for patch in patches:
            commits.append(self._commit(patch, number, commits[-1] if commits else base))
        self._built[number] = PullCommits(base.sha, tuple(commits), None)
        return tuple(commits)

    def _merge(self, thread: Thread, by: str, style: str, at: datetime, patches: list[Patch]) -> None:
        branch = self._branch(thread.number, patches)
        tip, person = self._main[-1][1], self._people[by]
        if style == "rebase":
            for patch in patches:
                tip = self._commit(patch, thread.number, tip, committer=person, committed=at)
            merged = tip
        else:
            tree = tip.tree
            for patch in patches:
                tree = self._tree(patch, thread.number, tree)
            if style == "squash":
                body = patches[0].message.partition("\n")[2].strip()
                message = f"{thread.title} (#{thread.number})" + (f"\n\n{body}" if body else "")
                author, parents = self._people[thread.author], (tip.sha,)
            else:
                message = f"Merge pull request #{thread.number} from {thread.author}/{thread.branch}\n\n{thread.title}"
                author, parents = person, (tip.sha, branch[-1].sha)
            merged = self._write(tree, parents, author, at, message, committer=person)
        self._main.append((at, merged))
        built = self._built[thread.number]
        self._built[thread.number] = PullCommits(built.base, built.commits, merged.sha)

    def _commit(
        self,
        patch: Patch,
        number: int,
        parent: Commit | None,
        *,
        committer: Person | None = None,
        committed: datetime | None = None,
    ) -> Commit:
        tree = self._tree(patch, number, parent.tree if parent else None)
        parents = (parent.sha,) if parent else ()
        author = self._people[patch.author]
        return self._write(
            tree, parents, author, patch.at, patch.message, committer=committer, committed=committed
        )

    def _tree(self, patch: Patch, number: int, tree: str | None) -> str:
        self._git.run("read-tree", tree or "--empty")
        if patch.diff:
            try:
                self._git.run(
                    "apply", "--cached", "--recount", "--whitespace=nowarn", "-", feed=patch.diff.encode()
                )
            except GitFailed as error:
                raise SourceError(f"{number:04d}.patch: {patch.subject!r} does not apply: {error}") from error
        return self._git.run("write-tree")

    def _write(
        self,
        tree: str,
        parents: tuple[str, ...],
        author: Person,
        at: datetime,
        message: str,
        *,
        committer: Person | None = None,
        committed: datetime | None = None,
    ) -> Commit:
        committer = committer or author
        sha = self._git.run(
            "commit-tree",
            tree,
            *(part for parent in parents for part in ("-p", parent)),
            feed=f"{message}\n".encode(),
            extra={
                "GIT_AUTHOR_NAME": author.login,
                "GIT_AUTHOR_EMAIL": author.email,
                "GIT_AUTHOR_DATE": f"{int(at.timestamp())} +0000",
                "GIT_COMMITTER_NAME": committer.login,
                "GIT_COMMITTER_EMAIL": committer.email,
                "GIT_COMMITTER_DATE": f"{int((committed or at).timestamp())} +0000",
            },
        )
        return Commit(sha, tree, parents, author, at, message)

    def _point(self, reference: str, sha: str) -> None:
        self._git.run("update-ref", reference, sha)
