"""Asks GitHub once for each kind of thing that fetching needs, before hours of work are begun.

A right that is missing otherwise shows only when its list's turn comes. Nothing is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

from relore_assets.errors import ReloreError
from relore_assets.fetch.github.errors import (
    BadToken,
    Exhausted,
    Forbidden,
    GitHubError,
    Gone,
    GraphQLFailed,
    Moved,
    NotFound,
    Unavailable,
)
from relore_assets.local.doctor import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from relore_assets.fetch.github.client import GitHub
    from relore_assets.fetch.github.tokens import Lane
    from relore_assets.settings import Settings

PATIENCE = 15.0
"""Seconds to wait for limits and failing servers: somebody is looking on."""

_PERMISSION = "permission"

# What asking further would only repeat.
_FOR_ALL = (BadToken, Exhausted, Unavailable)


_REMEDIES: tuple[tuple[type[GitHubError], str], ...] = (
    (BadToken, "Make a new token, and set GITHUB_TOKEN to it."),
    (
        Forbidden,
        (
            "Give the token the right {right}: a fine-grained token or an App under its repository permissions, a "
            "classic token by the scope repo (public_repo for public repositories)."
        ),
    ),
    (
        NotFound,
        "Check the spelling; a private repository has to be among those that the token was made for.",
    ),
    (
        Moved,
        "Use {error.new}: relored backfill --repo {error.new} carries over what is indexed under the old name.",
    ),
    (Exhausted, "Wait until {error.resets_at:%Y-%m-%d %H:%M} UTC, or add a token to GITHUB_TOKEN."),
    (Unavailable, "Check RELORE_GITHUB_URL and the network, or try again later."),
)
_NO_REMEDY = "This is GitHub's answer, and no setting here changes it."


@dataclass(frozen=True)
class _Kind:
    """A list that is walked: its subject on the report, where it is, and what it is called."""

    subject: str
    path: str
    what: str


_LISTS = (
    _Kind("issues", "/issues", "issues"),
    _Kind("comments", "/issues/comments", "comments"),
    _Kind("pulls", "/pulls", "pull requests"),
    _Kind("inline", "/pulls/comments", "inline comments"),
)


class _Alone:
    """One of several tokens: each has to have every right, since any of them may be used for anything."""

    def __init__(self, lane: Lane) -> None:
        self.lanes = (lane,)


def preflight(settings: Settings, repo: str) -> Iterator[Finding]:
    """Yield what the configured tokens may do at ``repo`` (``owner/name``), one finding for each thing asked for."""
    # Here and not above: loads the HTTP library, and the key of an App.
    from relore_assets.fetch.github.client import GitHub  # noqa: PLC0415

    try:
        github = settings.github()
    except ReloreError as error:
        yield Finding("github", str(error), "Set GITHUB_TOKEN, or see docs/operations.md for the other ways.")
        return
    for lane in github.tokens.lanes:
        if len(github.tokens.lanes) > 1:
            yield Finding("token", lane.name)
        with GitHub(github.base, _Alone(lane), patience=PATIENCE) as client:
            yield from examine(client, repo)


def examine(client: GitHub, repo: str) -> Iterator[Finding]:
    """Yield a finding for the repository, each list, GraphQL, people's rights and the quota.

    Every request is made once; when one shows that none can succeed, no more are made.
    """
    root = f"/repos/{repo}"
    try:
        found = client.get(root).body
    except GitHubError as error:
        yield Finding("github", str(error), _remedy(error))
        return
    issues = found.get("has_issues", True)
    yield Finding(
        "github", f"{found['full_name']} at {client.base.url}" + ("" if issues else ", issues disabled")
    )
    logins: list[str] = []
    for kind in _LISTS:
        finding, stop = _list(client, root, kind, logins)
        yield finding
        if stop:
            return
    yield _graphql(client, repo)
    yield _permission(client, root, logins)
    yield from _quotas(client)


def _list(client: GitHub, root: str, kind: _Kind, logins: list[str]) -> tuple[Finding, bool]:
    """Ask for one item of a list; returns also whether going on is of no use. Notes who wrote it."""
    try:
        items = client.get(root + kind.path, {"per_page": 1}).body
    except Gone as error:
        if error.disabled:
            return Finding(kind.subject, _disabled(kind)), False
        return Finding(kind.subject, str(error), _remedy(error)), False
    except GitHubError as error:
        return Finding(kind.subject, str(error), _remedy(error)), isinstance(error, _FOR_ALL)
    logins += [login for item in items if (login := _login(item))]
    return Finding(kind.subject, f"{kind.what} can be read" + ("" if items else "; there are none")), False


def _disabled(kind: _Kind) -> str:
    """Return what it means that a list is not served because issues are disabled."""
    if kind.what == "issues":
        return "issues are disabled there: only pull requests are fetched"
    return f"{kind.what} have no list there: those of pull requests come with these"


def _graphql(client: GitHub, repo: str) -> Finding:
    query = files("relore_assets.local").joinpath("preflight.graphql").read_text(encoding="utf-8")
    owner, _, name = repo.partition("/")
    try:
        client.graphql(query, {"owner": owner, "name": name})
    except GraphQLFailed as error:
        return Finding(
            "graphql", str(error), "See what GitHub says; reviews, files and commits come this way."
        )
    except GitHubError as error:
        return Finding("graphql", str(error), _remedy(error))
    return Finding("graphql", "reviews, files, commits and events can be read")


def _permission(client: GitHub, root: str, logins: list[str]) -> Finding:
    """Ask what one person may do. Not being told is no fault: there is another way, and it is said."""
    if not logins:
        return Finding(_PERMISSION, "nobody to ask about yet")
    try:
        client.get(f"{root}/collaborators/{logins[0]}/permission")
    except NotFound:
        pass  # an answer: that account has no rights there
    except Forbidden as error:
        return Finding(_PERMISSION, f"not to be read ({error.right}): standing comes from dated acts instead")
    except GitHubError as error:
        return Finding(_PERMISSION, str(error), _remedy(error))
    return Finding(_PERMISSION, "people's rights can be read")


def _quotas(client: GitHub) -> Iterator[Finding]:
    for (token, resource), quota in sorted(client.activity.quotas.items()):
        yield Finding("quota", f"{token}, {resource}: {quota.remaining:,} of {quota.limit:,} requests left")


def _login(item: dict[str, Any]) -> str | None:
    """Return who wrote an item, None where the account is gone."""
    user = item.get("user")
    return str(cast("dict[str, Any]", user)["login"]) if isinstance(user, dict) else None


def _remedy(error: GitHubError) -> str:
    """Return what to do about a refusal."""
    words = next((words for kind, words in _REMEDIES if isinstance(error, kind)), _NO_REMEDY)
    # GraphQL refuses without a word about what it misses.
    right = getattr(error, "right", "") or "issues=read and pull_requests=read"
    return words.format(error=error, right=right)
