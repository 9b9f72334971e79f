"""The shape of answers that are made as dictionaries: what the server says about itself."""

from __future__ import annotations

from typing import TypedDict


class Pinned(TypedDict):
    """What a server that is pinned to a moment withholds from everybody.

    Attributes:
        before: the cutoff; null without one.
        excluded: how many threads are withheld, of the repositories in scope; which ones is told to nobody.
        note: what the other numbers of this answer speak of.
    """

    before: str | None
    excluded: int
    note: str


class Schema(TypedDict):
    """Which version the tables have, and which is missing."""

    dialect: str
    applied: list[str]
    pending: list[str]


class Objects(TypedDict):
    """One kind of object of a source, accounted for."""

    kind: str
    stated: int | None
    github_states: int | None
    collected: int
    derived: int | None
    skipped: dict[str, int]
    unexplained: int
    missing_from_source: int


class Orphans(TypedDict):
    """Objects whose thread is not held, and under how many numbers."""

    objects: int
    numbers: int


class RejectedLine(TypedDict):
    """A line of an archive that could not be read."""

    file: str | None
    line: int | None
    reason: str


class Rejected(TypedDict):
    """Lines that could not be read, the first of them named."""

    lines: int
    first: list[RejectedLine]


class Redactions(TypedDict):
    """What was taken out before anything was stored."""

    secrets: int
    objects_with_secrets: int
    characters: int


class Rule(TypedDict):
    """A rule's version as rows were written with it, and as the program has it."""

    rule: str
    stored: int
    program: int | None
    current: bool | None


class Authors(TypedDict):
    """People by standing."""

    authoritative: int
    unresolved: int
    machine: int


Run = TypedDict(
    "Run",
    {
        "pass": str,
        "run": str,
        "under_way": bool,
        "started_at": str | None,
        "seen_at": str | None,
        "seconds_silent": int | None,
        "ended_at": str | None,
        "doing": str | None,
        "waiting_for": str | None,
        "waiting_until": str | None,
        "done": int,
        "total": int | None,
        "per_second": float | None,
        "seconds_left": int | None,
        "requests": dict[str, int],
        "requests_total": int,
        "not_modified": int,
        "points": int,
        "retries": dict[str, int],
        "waited_seconds": float,
        "error": str | None,
    },
)


class Vectors(TypedDict):
    """How many threads have a vector of ``model``, and how many of these are of words that have changed since."""

    model: str
    threads: int
    vectors: int
    stale: int


class SemanticTier(TypedDict):
    """Whether threads are found by likeness too, else ``why_off``. Sums are over the repositories that have vectors."""

    on: bool
    why_off: str | None
    model: str | None
    threads: int
    vectors: int
    stale: int


class Repository(TypedDict):
    """One repository. What stands from ``threads`` to ``semantic`` is as of ``counted_at``, null until then."""

    repo: str
    source: str
    counted_at: str | None
    ran_since: list[str]
    under_way: list[str]
    threads: int | None
    documents: int | None
    raw_objects: int | None
    superseded_documents: int | None
    objects: list[Objects] | None
    unexplained: int | None
    orphans: Orphans | None
    rejected: Rejected | None
    redactions: Redactions | None
    semantic: Vectors | None
    removed: dict[str, dict[str, int]]
    rules: list[Rule]
    authors: Authors
    activity: list[Run]


class Windows(TypedDict):
    """How much of a history a pass has been through, in quarters."""

    first: str
    last: str
    through: int
    of: int
    open: list[str]


Pass = TypedDict(
    "Pass",
    {
        "repo": str,
        "pass": str,
        "note": str | None,
        "high_water": str | None,
        "last_run_at": str | None,
        "last_ok_at": str | None,
        "lag_seconds": int | None,
        "cursor": str | None,
        "windows": Windows | None,
        "error": str | None,
    },
)


class Sample(TypedDict):
    """A history of which only a part was fetched, on purpose."""

    repo: str
    thread_type: str
    indexed_from: str | None
    selector: str
    sampled_at: str | None


class GitHubQuota(TypedDict):
    """What GitHub last said is left of a token's quota."""

    token: str
    resource: str
    allowed: int | None
    remaining: int | None
    resets_at: str | None
    seen_at: str | None


class Used(TypedDict):
    """What a caller has used of a limit; a limit of null is none."""

    used: int
    limit: int | None


class Usage(TypedDict):
    """What a caller has used of its limits."""

    per_minute: Used
    daily: Used


class Status(TypedDict):
    """What is indexed, how complete and how fresh, and what the caller has used of its quota.

    Attributes:
        pin: what this server withholds from everybody; null on a server that is not pinned.
        usage: null on an open server.
    """

    version: str
    api: int
    oldest_api: int
    pin: Pinned | None
    schema: Schema
    threads: int
    documents: int
    raw_objects: int
    superseded_documents: int
    repositories: list[Repository]
    passes: list[Pass]
    passes_note: str
    samples: list[Sample]
    quotas: list[GitHubQuota]
    semantic: SemanticTier
    usage: Usage | None


class Labelled(TypedDict):
    """A verdict that was kept. Nothing that is asked here is ever answered from it.

    Attributes:
        number: the thread's.
        judge: human or model, as the label said.
    """

    labelled_at: str
    repo: str
    number: int
    verdict: str
    judge: str


class Health(TypedDict):
    """The server answers, and so does its database."""

    status: str
    version: str
