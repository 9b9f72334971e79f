"""Which repositories a question is about: what was named, cut to what the caller may read.

A repository that is not indexed and one that is out of scope get the same answer, for whether it exists is
not the caller's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_serve.search.question import Exclusion
from relore_serve.search.scope import repositories as held
from relore_serve.web.errors import NotFound, Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    import psycopg

    from relore_serve.search.scope import Repo
    from relore_serve.web.tokens import Caller

_LISTED = 20


def repositories(connection: psycopg.Connection, caller: Caller) -> tuple[Repo, ...]:
    """Return the indexed repositories that the caller may read, by name."""
    return held(connection, None if caller.repos is None else sorted(caller.repos))


def named(scope: Sequence[Repo], names: Sequence[str]) -> tuple[Repo, ...]:
    """Return the repositories of those names, or the whole scope where none is named.

    Raises:
        NotFound: one of them is not there for this caller.
    """
    if not names:
        return tuple(scope)
    by_name = {repo.name.lower(): repo for repo in scope}
    missing = next((name for name in names if name.lower() not in by_name), None)
    if missing is not None:
        raise NotFound(
            f"There is no repository {missing} here for this caller.",
            code="no_such_repository",
            facts={"parameter": "repo"},
        )
    return tuple(dict.fromkeys(by_name[name.lower()] for name in names))


def exclusions(
    scope: Sequence[Repo], excluded: Sequence[tuple[str | None, int]], own: str | None = None
) -> list[Exclusion]:
    """Return the threads to withhold. One of a repository that is not there would withhold nothing, and nobody knew.

    Args:
        scope: what the caller may read.
        excluded: as given; without a name one is of ``own``, or of the only repository asked.
        own: the repository that the question is about.

    Raises:
        NotFound: a repository is not there for this caller.
    """
    known = {repo.name.lower() for repo in scope}
    missing = next((name for name, _ in excluded if name is not None and name.lower() not in known), None)
    if missing is not None:
        raise NotFound(
            f"exclude names a repository that is not here for this caller: {missing}.",
            code="no_such_repository",
            facts={"parameter": "exclude"},
        )
    return [Exclusion(number, name or own) for name, number in excluded]


def one(scope: Sequence[Repo], name: str | None) -> Repo:
    """Return the repository that a bare number belongs to.

    Raises:
        NotFound: it is not there for this caller, or nothing is.
        Refused: none was named and there are several.
    """
    if name is not None:
        return named(scope, [name])[0]
    if len(scope) == 1:
        return scope[0]
    if not scope:
        raise NotFound(
            "No repository that may be asked about is indexed here, so a number names nothing.",
            code="nothing_indexed",
        )
    names = [repo.name for repo in scope]
    listed = ", ".join(names[:_LISTED]) + (
        f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    )
    raise Refused(
        f"{len(names)} repositories are in scope, so a number needs one: pass repo (--repo owner/name), or "
        "set "
        f"RELORE_REPO once for the session. In scope: {listed}.",
        code="repository_needed",
        facts={"parameter": "repo", "repositories": names},
    )
