"""Asks GitHub who may write to a repository, and keeps its answers with the dates on which they were given.

https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
A token whose owner may not push to the repository is refused this; standing then rests on recorded acts alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from relore_assets.authority.authors import load_evidence
from relore_assets.fetch.github.errors import (
    BadToken,
    Blocked,
    Exhausted,
    Forbidden,
    ForeignOrigin,
    GitHubError,
    Moved,
    NotFound,
)
from relore_serve import sql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import psycopg

    from relore_assets.authority.authors import Evidence
    from relore_assets.authority.standing import Account
    from relore_assets.fetch.github.client import GitHub
    from relore_assets.fetch.repos import Repo

QUERIES = sql.load("relore_assets.authority", "permissions.sql")

#: An answer younger than this is not asked for again.
FRESH = timedelta(days=30)
#: How many failures one after the other mean that GitHub fails, and not the question about one person.
PATIENCE = 3
#: Answers are kept this many at a time, so that a pass that is killed has not asked in vain.
KEEP_EVERY = 25

_WORTH_ASKING = frozenset({"MEMBER", "COLLABORATOR", "CONTRIBUTOR"})
_ROLES = frozenset({"admin", "maintain", "write", "triage", "read", "none"})
# What befalls the token or the repository befalls every further question, too.
_FATAL = (BadToken, Blocked, Exhausted, ForeignOrigin, Moved)


@dataclass(slots=True)
class Asked:
    """What asking came to.

    Attributes:
        candidates: people worth asking about. fresh: those whose answer is young enough.
        answered: answers received now. changed: those that differ from the answer before.
        failed: about whom GitHub gave no answer, and why; they keep the answer they had.
        refused: why nobody could be asked about (any more), in a sentence; empty when all were.
    """

    candidates: int = 0
    fresh: int = 0
    answered: int = 0
    changed: int = 0
    failed: dict[str, str] = field(default_factory=dict[str, str])
    refused: str = ""


def ask(
    conn: psycopg.Connection,
    repo: Repo,
    github: GitHub,
    *,
    again: bool = False,
    configured_bots: frozenset[str] = frozenset(),
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Asked:
    """Ask for the permission of everybody who may have standing; who wrote most comes first.

    Args:
        conn: in autocommit mode; answers are kept as they come.
        repo: the repository.
        github: where to ask.
        again: ask also where the answer is fresh.
        configured_bots: lower-case logins of machines, about whom nothing is asked.
        now: the time.

    Raises:
        NotFound: the repository itself is not there.
        GitHubError: the token or the repository cannot be used at all. Answers given before stay.
    """
    known = load_evidence(conn, repo.id)
    people = candidates(known, configured_bots)
    young = {answer.login for answer in known.permissions if answer.checked_at > now() - FRESH and not again}
    due = [login for login in people if login.lower() not in young]
    result = Asked(candidates=len(people), fresh=len(people) - len(due))
    answers: list[tuple[str, str, datetime]] = []
    in_a_row = 0
    seen = False
    try:
        for position, login in enumerate(due):
            github.activity.doing(f"permission of {login}")
            github.activity.progress(position, len(due))
            try:
                answers.append((login.lower(), _permission(github, repo.full_name, login), now()))
            except NotFound:
                # There is no such account. Or no such repository for this token: then everybody would seem gone.
                if not seen:
                    github.get(f"/repos/{repo.full_name}")
                    seen = True
                answers.append((login.lower(), "none", now()))
            except Forbidden as refusal:
                result.refused = (
                    f"GitHub does not tell this token who may write to {repo.full_name}: {refusal}"
                )
                break
            except _FATAL:
                raise
            except GitHubError as failure:
                result.failed[login] = str(failure)
                in_a_row += 1
                if in_a_row == PATIENCE:
                    result.refused = (
                        f"{PATIENCE} questions about permissions failed in a row, the last because: {failure}"
                    )
                    break
                continue
            in_a_row = 0
            if len(answers) == KEEP_EVERY:
                _keep(conn, repo.id, answers, result)
        else:
            github.activity.progress(len(due), len(due))
    finally:
        _keep(conn, repo.id, answers, result)
    return result


def candidates(known: Evidence, configured_bots: frozenset[str] = frozenset()) -> list[str]:
    """Return who may have write access, as GitHub spells them, who wrote most first.

    That is everybody whom GitHub counts to the team or to the contributors, since it calls people CONTRIBUTOR whose
    access comes through a team, and everybody who was seen to use more than a reader's access.
    """
    found: dict[str, tuple[int, str]] = {}
    apart = {"ghost", *configured_bots}
    texts: dict[str, int] = {}
    for account in known.accounts:
        login = account.login.lower()
        texts[login] = account.texts
        if _is_settled(account):
            apart.add(login)
        elif account.association in _WORTH_ASKING:
            found[login] = (-account.texts, account.login)
    for act in known.acts:
        login = act.login.lower()
        if act.proof != "review":
            found.setdefault(login, (-texts.get(login, 0), act.login))
    return [spelled for _, spelled in sorted(found[login] for login in found.keys() - apart)]


def _is_settled(account: Account) -> bool:
    """Return whether no answer could change an account's standing."""
    return account.is_bot or account.login.lower().endswith("[bot]") or account.association == "OWNER"


def _permission(github: GitHub, repo: str, login: str) -> str:
    """Return the role that GitHub names, or where it is one of an organisation's own making, what that builds on."""
    body: Any = github.get(f"/repos/{repo}/collaborators/{quote(login, safe='')}/permission").body
    told = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    for key in ("role_name", "permission"):
        if told.get(key) in _ROLES:
            return str(told[key])
    raise GitHubError(f"GitHub's answer about {login} names no permission.")


def _keep(
    conn: psycopg.Connection, repo_id: int, answers: list[tuple[str, str, datetime]], result: Asked
) -> None:
    """Store answers and empty the list."""
    if answers:
        result.answered += len(answers)
        result.changed += conn.execute(QUERIES["keep"], {"repo_id": repo_id, **_columns(answers)}).rowcount
        answers.clear()


def _columns(answers: Iterable[tuple[str, str, datetime]]) -> dict[str, list[Any]]:
    login, permission, at = (list(column) for column in zip(*answers, strict=True))
    return {"login": login, "permission": permission, "at": at}
