"""Reads threads in detail over GraphQL: many threads in one query, every list of each to its end.

How many threads share a query adapts to what GitHub can answer: fewer after a failure, more again after a few
answers; a single thread that is still too much is read in smaller pages. Threads with longer lists than one page
wait until there are enough continuations for a query. An answer with errors never counts as an empty one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from relore_assets.fetch.archives import found
from relore_assets.fetch.archives import objects as shape
from relore_assets.fetch.archives.found import Raw, as_object
from relore_assets.fetch.github.errors import GitHubError, GraphQLFailed, GraphQLProblem
from relore_assets.fetch.passes import shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from relore_assets.fetch.archives.found import Payload
    from relore_assets.fetch.github.client import GitHub

#: Threads in one query, at most: pull requests bring four lists that cost GitHub work, issues one.
PULLS = 50
ISSUES = 100
CONTINUATIONS = 25

FIRST = (100, 50, 25, 10)
"""Entries of a list in one page, tried in turn."""

LONGEST_PAUSE = 16.0
"""Seconds between two queries that failed; they begin with one and double."""

MANY_IN_A_ROW = 5
"""So many threads one after the other, each given up on by itself: GitHub answers nobody."""

_GROW_AFTER = 3

#: How a connection is asked for, and the fragment that reads it.
_CONNECTIONS = {
    "reviews": ("reviews", "Reviews"),
    "files": ("files", "Files"),
    "commits": ("commits", "Commits"),
    "closing": ("closingIssuesReferences", "Closing"),
    "talk": ("comments", "Comments"),
}

#: Of these, what is always read; comments have a list at GitHub, but where issues are disabled.
_ALWAYS = ("reviews", "files", "commits", "closing")

#: Kinds of which nothing is known where GitHub has the thread in its lists and does not give it.
UNREAD = ["reviews", "files", "commits", "closing", "events"]


@dataclass(frozen=True)
class Wanted:
    """A thread to be read, and the moment as of which it is then known."""

    number: int
    is_pull: bool
    as_of: datetime


@dataclass(frozen=True)
class Totals:
    """How many issues and pull requests GitHub has in a repository; None where it serves no issues."""

    issues: int | None
    pulls: int


@dataclass
class Detail:
    """A thread as it was read.

    Attributes:
        wanted: what was asked for. raws: what is to be staged; the one that says it was read comes last.
        missing: GitHub lists the thread, but does not give it.
        moved: a changed file had another path before, which only REST tells. talked: its comments were read too.
    """

    wanted: Wanted
    raws: list[Raw] = field(default_factory=list[Raw])
    missing: bool = False
    moved: bool = False
    talked: bool = False

    def ids(self, kind: str) -> list[str]:
        """Return the ids of everything read of a kind."""
        return [raw.object_id for raw in self.raws if raw.kind == kind]


class DetailsFailed(GitHubError):
    """Some threads could not be read, in however small pieces they were asked for; all others were.

    Attributes:
        numbers: which.
    """

    exit_code = 12

    def __init__(self, numbers: list[int], said: str) -> None:
        more = f" and {len(numbers) - 1} more threads" if len(numbers) > 1 else ""
        super().__init__(
            f"GitHub did not give #{numbers[0]}{more} in detail: {said}; all others are stored. "
            "Running this again asks for what is left."
        )
        self.numbers = numbers


@dataclass
class _Thread:
    """A thread that is being read: its own fields, and its connections as far as they have come."""

    wanted: Wanted
    #: Whether comments are read with it.
    comments: bool = False
    node: Payload = field(default_factory=dict[str, Any])
    items: dict[str, list[Payload] | None] = field(default_factory=dict[str, "list[Payload] | None"])
    totals: dict[str, int] = field(default_factory=dict[str, int])
    #: Cursors of connections that go on.
    open: dict[str, str] = field(default_factory=dict[str, str])
    missing: bool = False

    @property
    def connections(self) -> tuple[str, ...]:
        """The names of the lists that are read of it."""
        if not self.wanted.is_pull:
            return ("events",)
        return (*_ALWAYS, *(("talk",) if self.comments else ()), "events")

    def take(self, name: str, connection: Payload | None) -> None:
        """Take a page of a connection. None is GitHub saying that it does not know."""
        self.open.pop(name, None)
        if connection is None:
            self.items.setdefault(name, None)
            return
        nodes: list[Payload | None] = connection["nodes"] or []
        items = self.items.get(name) or []
        items.extend(node for node in nodes if node is not None)
        self.items[name] = items
        self.totals[name] = connection["totalCount"]
        info = connection["pageInfo"]
        if info["hasNextPage"] and info["endCursor"]:
            self.open[name] = info["endCursor"]


@dataclass
class _Size:
    """How much is asked for at once; adapts to what GitHub answers."""

    most: int
    threads: int
    first: int = FIRST[0]
    good: int = 0
    #: In a row.
    failures: int = 0

    def shrink(self, asked: int) -> bool:
        """Ask for less than ``asked`` threads, or for less of one; False when there is no less."""
        self.good = 0
        self.threads = max(1, asked // 2)
        if asked > 1:
            return True
        smaller = [size for size in FIRST if size < self.first]
        if smaller:
            self.first = smaller[0]
        return bool(smaller)

    def grow(self) -> None:
        """Note an answer; after a few ask for more."""
        self.good += 1
        if self.good < _GROW_AFTER:
            return
        self.good = 0
        if self.first < FIRST[0]:
            self.first = next(size for size in reversed(FIRST) if size > self.first)
        else:
            self.threads = min(self.most, self.threads * 2)


def details(
    client: GitHub,
    repo: str,
    wanted: Iterable[Wanted],
    *,
    comments: bool = False,
    on_totals: Callable[[Totals], object] | None = None,
) -> Iterator[list[Detail]]:
    """Read threads, and yield them in batches, each whole.

    Args:
        client: asks GitHub.
        repo: owner/name.
        wanted: the threads.
        comments: read what was said in pull requests too.
        on_totals: told with every answer how many threads GitHub counts in the repository.

    Raises:
        DetailsFailed: at the end, when single threads could not be read.
        GitHubError: nothing more can be read; what was yielded stays good.
    """
    every = list(wanted)
    failed: list[tuple[Wanted, GraphQLFailed]] = []
    for most, group in (
        (PULLS, [one for one in every if one.is_pull]),
        (ISSUES, [one for one in every if not one.is_pull]),
    ):
        yield from _Reader(client, repo, most, failed, comments=comments, on_totals=on_totals).read(group)
    if failed:
        raise DetailsFailed([one.number for one, _ in failed], str(failed[0][1])) from failed[0][1]


class _Reader:
    """Reads threads of one type."""

    def __init__(
        self,
        client: GitHub,
        repo: str,
        most: int,
        failed: list[tuple[Wanted, GraphQLFailed]],
        *,
        comments: bool,
        on_totals: Callable[[Totals], object] | None,
    ) -> None:
        self._on_totals = on_totals
        self._client = client
        self._owner, _, self._name = repo.partition("/")
        self._size = _Size(most, most)
        self._onward = _Size(CONTINUATIONS, CONTINUATIONS)
        self._failed = failed
        self._comments = comments
        self._in_a_row = 0

    def read(self, wanted: list[Wanted]) -> Iterator[list[Detail]]:
        """Yield batches of whole threads."""
        queue = [_Thread(one, comments=self._comments and one.is_pull) for one in wanted]
        unfinished: list[_Thread] = []
        while queue:
            batch = queue[: self._size.threads]
            if not self._ask(self._size, batch, [(thread, None) for thread in batch]):
                if not self._size.shrink(len(batch)):
                    queue = queue[1:]
                    self._size.first = FIRST[0]
                continue
            queue = queue[len(batch) :]
            self._size.grow()
            unfinished += [thread for thread in batch if thread.open]
            whole = self._details(thread for thread in batch if not thread.open)
            if whole:
                yield whole
            while sum(len(thread.open) for thread in unfinished) >= CONTINUATIONS:
                yield from self._go_on(unfinished)
        while unfinished:
            yield from self._go_on(unfinished)

    def _go_on(self, unfinished: list[_Thread]) -> Iterator[list[Detail]]:
        """Read the next pages of some connections; yield the threads that this makes whole, and forget them."""
        pending = [(thread, name) for thread in unfinished for name in thread.open]
        batch = pending[: self._onward.threads]
        threads = list({id(thread): thread for thread, _ in batch}.values())
        if not self._ask(self._onward, threads, batch):
            if not self._onward.shrink(len(batch)):
                unfinished.remove(batch[0][0])
                self._onward.first = FIRST[0]
            return
        self._onward.grow()
        whole = [thread for thread in threads if not thread.open]
        for thread in whole:
            unfinished.remove(thread)
        if whole:
            yield self._details(whole)

    def _details(self, threads: Iterable[_Thread]) -> list[Detail]:
        """Return what is to be staged of threads that were read; one that makes no sense is noted as failed."""
        made: list[Detail] = []
        for thread in threads:
            try:
                made.append(_detail(thread))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                unfit = GraphQLProblem(f"an answer of another shape ({type(error).__name__})")
                self._failed.append((thread.wanted, GraphQLFailed(None, [unfit])))
        return made

    def _ask(self, size: _Size, threads: list[_Thread], parts: Sequence[tuple[_Thread, str | None]]) -> bool:
        """Ask for parts of threads; return whether it was answered. A thread that fails by itself is noted.

        Raises:
            GraphQLFailed: the query itself is refused.
        """
        query, variables = _query(parts)
        variables |= {"owner": self._owner, "name": self._name, "first": size.first}
        try:
            nodes = self._nodes(query, variables, parts)
        except GraphQLFailed as failure:
            self._client.activity.retried("GraphQL errors")
            self._client.pause("GraphQL errors", min(2.0**size.failures, LONGEST_PAUSE))
            size.failures += 1
            if len(parts) == 1 and size.first == FIRST[-1]:
                if not failure.heavy and not any(problem.path for problem in failure.problems):
                    raise
                self._failed.append((threads[0].wanted, failure))
                self._in_a_row += 1
                if self._in_a_row >= MANY_IN_A_ROW:
                    raise  # not these threads, but everything
            return False
        size.failures = self._in_a_row = 0
        for (thread, name), node in zip(parts, nodes, strict=True):
            _take(thread, name, node)
        return True

    def _nodes(
        self, query: str, variables: dict[str, Any], parts: Sequence[tuple[_Thread, str | None]]
    ) -> list[Payload | None]:
        """Return what a query told of each part; None of what GitHub says is not there.

        Raises:
            GraphQLFailed: it was not answered, or not in the shape that was asked for. What is absent without a word
            is not known to be missing.
        """
        missing: set[str | int] = set()
        try:
            data = self._client.graphql(query, variables)
        except GraphQLFailed as failure:
            if not failure.only_missing or failure.partial is None:
                raise
            data = failure.partial
            missing = {problem.path[1] for problem in failure.problems if len(problem.path) == len(_NODE)}
        told: dict[str, Any] = as_object(data.get("repository")) or {}
        totals = _totals(told)
        if totals is not None and self._on_totals is not None:
            self._on_totals(totals)
        nodes: list[Payload | None] = []
        for index, (thread, name) in enumerate(parts):
            alias = f"t{index}"
            node = told.get(alias)
            if not (node is None and alias in missing) and not _is_sound(thread, name, node):
                unfit = GraphQLProblem("an answer that lacks what was asked for", path=("repository", alias))
                raise GraphQLFailed(None, [unfit])
            nodes.append(node)
        return nodes


def _totals(repository: Payload) -> Totals | None:
    """Return what GitHub counts, None where it did not say: threads are read all the same."""
    issues, pulls = (
        (as_object(repository.get(name)) or {}).get("totalCount") for name in ("issues", "pullRequests")
    )
    if not isinstance(issues, int) or not isinstance(pulls, int):
        return None
    return Totals(issues, pulls)


#: Where a thread stands in an answer.
_NODE = ("repository", "alias")


def _is_sound(thread: _Thread, name: str | None, node: object) -> bool:
    """Return whether a node has the lists that were asked for, each a connection or null."""
    if not isinstance(node, dict):
        return False
    told = cast("Payload", node)
    return all(
        each in told and (told[each] is None or _is_connection(told[each]))
        for each in ((name,) if name is not None else thread.connections)
    )


def _is_connection(value: object) -> bool:
    connection = cast("Payload", value) if isinstance(value, dict) else {}
    nodes, info = connection.get("nodes"), connection.get("pageInfo")
    entries = cast("list[object]", nodes) if isinstance(nodes, list) else []
    return (
        isinstance(connection.get("totalCount"), int)
        and (nodes is None or isinstance(nodes, list))
        and all(node is None or isinstance(node, dict) for node in entries)
        and isinstance(info, dict)
        and {"hasNextPage", "endCursor"} <= cast("Payload", info).keys()
    )


def _take(thread: _Thread, name: str | None, node: Payload | None) -> None:
    """Take what a query told of a thread; None is that it is not there."""
    if node is None:
        thread.missing = True
        thread.open.clear()
        return
    if name is not None:
        thread.take(name, node[name])
        return
    thread.node = node
    for each in thread.connections:
        thread.take(each, node[each])


def _query(parts: Sequence[tuple[_Thread, str | None]]) -> tuple[str, dict[str, Any]]:
    """Put a query together: which fragments it takes, what its variables are, one alias a part."""
    declared = ["$owner: String!", "$name: String!", "$first: Int!"]
    variables: dict[str, Any] = {}
    aliases: list[str] = []
    fragments: list[str] = []
    for index, (thread, name) in enumerate(parts):
        field_name = "pullRequest" if thread.wanted.is_pull else "issue"
        declared.append(f"$n{index}: Int!")
        variables[f"n{index}"] = thread.wanted.number
        if name is None:
            fragment = "PullDetail" if thread.wanted.is_pull else "IssueDetail"
            body = f"...{fragment}"
            if thread.comments:
                fragments.append("Talk")
                body += " ...Talk"
        else:
            declared.append(f"$a{index}: String!")
            variables[f"a{index}"] = thread.open[name]
            fragment, body = _continuation(thread.wanted, name, f"$a{index}")
        fragments.append(fragment)
        aliases.append(f"    t{index}: {field_name}(number: $n{index}) {{ {body} }}")
    text = _with_dependencies(fragments)
    wholes = "\n".join(aliases) + "\n" + text
    if "$pullEvents" in wholes:
        declared.append("$pullEvents: [PullRequestTimelineItemsItemType!]")
        variables["pullEvents"] = shapes.item_types(shapes.PULL_EVENTS)
    if "$issueEvents" in wholes:
        declared.append("$issueEvents: [IssueTimelineItemsItemType!]")
        variables["issueEvents"] = shapes.item_types(shapes.ISSUE_EVENTS)
    lines = [
        f"query({', '.join(declared)}) {{",
        "  rateLimit { cost remaining resetAt limit }",
        "  repository(owner: $owner, name: $name) {",
        "    issues(first: 1) { totalCount }",
        "    pullRequests(first: 1) { totalCount }",
        *aliases,
        "  }",
        "}",
        "",
        text,
    ]
    return "\n".join(lines), variables


def _continuation(wanted: Wanted, name: str, after: str) -> tuple[str, str]:
    """Return the fragment and the field that ask for the next page of a connection."""
    if name != "events":
        connection, fragment = _CONNECTIONS[name]
        return fragment, f"{name}: {connection}(first: $first, after: {after}) {{ ...{fragment} }}"
    fragment, types = ("PullEvents", "$pullEvents") if wanted.is_pull else ("IssueEvents", "$issueEvents")
    arguments = f"first: $first, after: {after}, itemTypes: {types}"
    return fragment, f"events: timelineItems({arguments}) {{ ...{fragment} }}"


def _fragments() -> dict[str, str]:
    text = files("relore_assets.fetch.passes").joinpath("details.graphql").read_text(encoding="utf-8")
    parts = re.split(r"^(?=fragment )", text, flags=re.MULTILINE)[1:]
    return {part.split()[1]: part.strip() for part in parts}


_FRAGMENTS = _fragments()


def _with_dependencies(names: Iterable[str]) -> str:
    """Return the texts of fragments and of all that they take, each once."""
    taken: dict[str, str] = {}
    todo = list(dict.fromkeys(names))
    while todo:
        name = todo.pop(0)
        if name not in taken:
            taken[name] = _FRAGMENTS[name]
            todo += re.findall(r"\.\.\.(\w+)", taken[name])
    return "\n\n".join(taken.values())


def _detail(thread: _Thread) -> Detail:
    """Turn what was read into what is staged."""
    wanted, number = thread.wanted, thread.wanted.number
    kind = found.PULL_DETAIL if wanted.is_pull else found.ISSUE_DETAIL
    # The moment is part of the object, or a thread in which nothing else changed would look unread.
    marker: Payload = {"number": number, "as_of": wanted.as_of.isoformat()}
    if "lastEditedAt" in thread.node:
        marker["body_edited_at"] = thread.node["lastEditedAt"]
    if thread.missing:
        unread = UNREAD if wanted.is_pull else ["events"]
        raw = Raw(kind, str(number), number, marker | {"unread": unread}, wanted.as_of)
        return Detail(wanted, [raw], missing=True)
    detail = Detail(wanted, talked=thread.items.get("talk") is not None)
    events = (shapes.event(number, node) for node in thread.items["events"] or [])
    if wanted.is_pull:
        reviews = (shapes.review(number, node) for node in thread.items["reviews"] or [])
        comments = (shapes.comment(number, node) for node in thread.items.get("talk") or [])
        detail.raws += [raw for raw in chain(reviews, comments, events) if raw is not None]
        detail.raws += _lists(thread)
        detail.moved = any(node["changeType"] in shapes.MOVED for node in thread.items["files"] or [])
        marker |= shapes.pull_detail(thread.node, thread.totals.get("commits"))
    else:
        detail.raws += [raw for raw in events if raw is not None]
        marker |= {"events": len(detail.raws)}
    unread = [name for name in UNREAD if name in thread.items and thread.items[name] is None]
    if unread:
        marker["unread"] = unread
    detail.raws.append(Raw(kind, str(number), number, marker, wanted.as_of))
    return detail


def _lists(thread: _Thread) -> Iterator[Raw]:
    """Yield a pull request's lists; of one that GitHub does not know, nothing."""
    number, as_of = thread.wanted.number, thread.wanted.as_of
    for kind, name, read in (
        (found.PULL_FILES, "files", shapes.file),
        (found.PULL_COMMITS, "commits", shapes.commit),
        (found.PULL_CLOSING, "closing", shapes.closing),
    ):
        items = thread.items[name]
        if items is not None:
            yield shape.listing(kind, number, [read(node) for node in items], as_of)
