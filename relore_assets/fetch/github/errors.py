"""What GitHub can refuse us, as one tree under `ReloreError`.

::

    GitHubError
    ├── BadToken                 401, or no token at all
    ├── Forbidden                403: the token lacks a right, which is named
    ├── NotFound                 404: not there, or not for this token
    ├── Gone                     410: issues are disabled, or one issue was deleted
    ├── Blocked                  451: GitHub does not show it, by law
    ├── Moved                    301: the repository has another name
    ├── Transferred              301: the thread went to another repository
    ├── CapReached               422: the list goes on, and GitHub does not serve the rest of it by this way
    ├── Rejected                 any other 4xx: the request itself is wrong
    ├── Exhausted                the quota is used up, and waiting for it would take longer than we may wait
    ├── Unavailable              time-outs, dropped connections and 5xx, after every retry
    ├── ForeignOrigin            a link or a redirect that leads away from the configured address
    └── GraphQLFailed            a query that was answered with errors, wholly or in part

Which exit code each class has is tabulated in docs/operations.md. No message ever holds a token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relore_assets.errors import ReloreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


class GitHubError(ReloreError):
    """GitHub did not give what was asked for."""


class BadToken(GitHubError):
    """GitHub does not accept the token, or there is none."""

    exit_code = 3


class Forbidden(GitHubError):
    """The token may not do this.

    Attributes:
        right: the missing right in GitHub's words, such as ``pull_requests=read``; empty when GitHub named none.
    """

    exit_code = 4

    def __init__(self, message: str, right: str = "") -> None:
        super().__init__(message)
        self.right = right


class NotFound(GitHubError):
    """There is no such thing, or none that this token may see: GitHub makes no difference."""

    exit_code = 5


class Moved(GitHubError):
    """The repository has been renamed or transferred.

    Attributes:
        old: the name that was asked for. new: its name today.
    """

    exit_code = 6

    def __init__(self, old: str, new: str) -> None:
        super().__init__(
            f"{old} is now {new} on GitHub: run relored backfill --repo {new} once, which carries what is indexed over "
            "to that name."
        )
        self.old = old
        self.new = new


class Transferred(GitHubError):
    """One thread has been transferred to another repository, where it is no longer ours.

    Attributes:
        path: what was asked for. repo: the repository that has it now.
    """

    exit_code = 5

    def __init__(self, path: str, repo: str) -> None:
        super().__init__(f"{path} has been transferred to {repo}.")
        self.path = path
        self.repo = repo


class Gone(GitHubError):
    """It was there and is no more.

    Attributes:
        disabled: the repository's issues are switched off, as opposed to one issue that was deleted.
    """

    exit_code = 7

    def __init__(self, message: str, *, disabled: bool) -> None:
        super().__init__(message)
        self.disabled = disabled


class Blocked(GitHubError):
    """GitHub withholds the repository for legal reasons."""

    exit_code = 8


class Exhausted(GitHubError):
    """A limit of GitHub's does not let us on within the time that we may wait.

    Attributes:
        resource: core, graphql or search. resets_at: when it would go on.
    """

    exit_code = 9

    def __init__(self, message: str, *, resource: str, resets_at: datetime) -> None:
        super().__init__(message)
        self.resource = resource
        self.resets_at = resets_at


class Unavailable(GitHubError):
    """GitHub could not be reached, or failed, each time we tried.

    Attributes:
        heavy: it looked as if the answer were too much work; asking for less may help.
    """

    exit_code = 10

    def __init__(self, message: str, *, heavy: bool = False) -> None:
        super().__init__(message)
        self.heavy = heavy


class ForeignOrigin(GitHubError):
    """An answer pointed to another host, port or scheme than the configured one; nothing was sent there."""

    exit_code = 11


class CapReached(GitHubError):
    """GitHub does not page further into this list, although it goes on."""

    exit_code = 12


class Rejected(GitHubError):
    """GitHub finds fault with the request.

    Attributes:
        status: GitHub's.
    """

    exit_code = 12

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class GraphQLProblem:
    """One entry of ``errors``: its words, GitHub's type (``NOT_FOUND``…; may be empty), and where it struck."""

    message: str
    type: str = ""
    path: tuple[str | int, ...] = ()

    @property
    def is_spared(self) -> bool:
        """Whether it struck a field that an answer is whole without."""
        return self.path[-1:] == ("requestedReviewer",)


class GraphQLFailed(GitHubError):
    """A query came back with errors; what came with them is part of an answer and must not pass for a whole one.

    Attributes:
        partial: the data that came along, None when there was none.
        problems: the errors.
        heavy: it looked as if the query were too much work; asking for less may help.
    """

    exit_code = 12

    def __init__(
        self, partial: dict[str, Any] | None, problems: Sequence[GraphQLProblem], *, heavy: bool = False
    ) -> None:
        said = problems[0].message if problems else "no data"
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"GitHub answered a GraphQL query with errors: {said}{more}")
        self.partial = partial
        self.problems = tuple(problems)
        self.heavy = heavy

    @property
    def only_missing(self) -> bool:
        """Whether everything that failed is simply not there (any more); the rest of ``partial`` is whole then."""
        return self.partial is not None and all(problem.type == "NOT_FOUND" for problem in self.problems)
