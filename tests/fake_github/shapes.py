"""GitHub's REST payloads: what a thread and its parts look like to whoever asks.

Shapes follow GitHub's OpenAPI description (https://github.com/github/rest-api-description), which a test checks.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fake_github.world import Fields, Repository, Thread

SITE = "https://github.com"

_ACCOUNT_LINKS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}
_REPOSITORY_LINKS = {
    "archive": "{archive_format}{/ref}",
    "assignees": "assignees{/user}",
    "blobs": "git/blobs{/sha}",
    "branches": "branches{/branch}",
    "collaborators": "collaborators{/collaborator}",
    "comments": "comments{/number}",
    "commits": "commits{/sha}",
    "compare": "compare/{base}...{head}",
    "contents": "contents/{+path}",
    "contributors": "contributors",
    "deployments": "deployments",
    "downloads": "downloads",
    "events": "events",
    "forks": "forks",
    "git_commits": "git/commits{/sha}",
    "git_refs": "git/refs{/sha}",
    "git_tags": "git/tags{/sha}",
    "hooks": "hooks",
    "issue_comment": "issues/comments{/number}",
    "issue_events": "issues/events{/number}",
    "issues": "issues{/number}",
    "keys": "keys{/key_id}",
    "labels": "labels{/name}",
    "languages": "languages",
    "merges": "merges",
    "milestones": "milestones{/number}",
    "notifications": "notifications{?since,all,participating}",
    "pulls": "pulls{/number}",
    "releases": "releases{/id}",
    "stargazers": "stargazers",
    "statuses": "statuses/{sha}",
    "subscribers": "subscribers",
    "subscription": "subscription",
    "tags": "tags",
    "teams": "teams",
    "trees": "git/trees{/sha}",
}
# What a pull request has and its issue has not, and the other way round.
_PULL_ONLY = frozenset({
    "head", "base", "merged", "merged_at", "merged_by", "merge_commit_sha", "mergeable", "mergeable_state",
    "rebaseable", "maintainer_can_modify", "requested_reviewers", "requested_teams", "commits", "additions",
    "deletions", "changed_files", "review_comments", "auto_merge", "review_decision",
})  # fmt: skip
_ISSUE_ONLY = frozenset({"state_reason", "closed_by", "reactions", "issue_id", "review_decision"})
# What only GET …/pulls/{number} tells and the list of pull requests does not.
_DETAIL_ONLY = frozenset({
    "merged", "mergeable", "mergeable_state", "rebaseable", "merged_by", "maintainer_can_modify", "comments",
    "review_comments", "commits", "additions", "deletions", "changed_files",
})  # fmt: skip


def node_id(kind: str, number: int | str) -> str:
    """Return a global id for GraphQL; opaque, as GitHub's are."""
    return f"{kind}_{base64.urlsafe_b64encode(str(number).encode()).decode().rstrip('=')}"


def is_merged(thread: Thread) -> bool:
    """Say whether a pull request has been merged."""
    return bool(thread.fields.get("merged", thread.fields.get("merged_at")))


def state(thread: Thread) -> str:
    """Return "open" or "closed"."""
    closed = thread.fields.get("closed_at") or is_merged(thread)
    return thread.fields.get("state") or ("closed" if closed else "open")


def sha_of(thread: Thread) -> str:
    """Return the last commit of a pull request."""
    given = (thread.fields.get("head") or {}).get("sha")
    return given or (thread.commits[-1]["sha"] if thread.commits else f"{thread.number:040x}")


def counts(thread: Thread) -> dict[str, int]:
    """Return what is counted, as the payload states it."""
    counted = {
        "comments": len(thread.comments),
        "review_comments": len(thread.review_comments),
        "commits": len(thread.commits),
        "changed_files": len(thread.files),
        "additions": sum(one["additions"] for one in thread.files),
        "deletions": sum(one["deletions"] for one in thread.files),
    }
    return {name: thread.fields.get(name, count) for name, count in counted.items()}


class Shapes:
    """Shapes with the addresses of one API."""

    def __init__(self, api: str) -> None:
        self.api = api

    def account(self, fields: Fields | None) -> Fields | None:
        """An account; None for one that is deleted."""
        if fields is None:
            return None
        url, html = f"{self.api}/users/{fields['login']}", f"{SITE}/{fields['login']}"
        links = {key: url + tail for key, tail in _ACCOUNT_LINKS.items()}
        more = {"node_id": node_id("U", fields["id"]), "url": url, "html_url": html, "gravatar_id": ""}
        picture = f"https://avatars.githubusercontent.com/u/{fields['id']}?v=4"
        return (
            links | more | {"avatar_url": picture, "site_admin": False, "user_view_type": "public"} | fields
        )

    def repository(self, repository: Repository) -> Fields:
        """A repository in full."""
        owner, name = repository.full_name.split("/")
        url, html = self._repo(repository), f"{SITE}/{repository.full_name}"
        zero = (
            "forks",
            "forks_count",
            "stargazers_count",
            "watchers",
            "watchers_count",
            "size",
            "network_count",
        )
        issues = sum(state(thread) == "open" for thread in repository.threads.values())
        given = {
            "id": repository.id,
            "node_id": node_id("R", repository.id),
            "name": name,
            "full_name": repository.full_name,
            "owner": self.account(repository.world.account(owner)),
            "private": False,
            "visibility": "public",
            "html_url": html,
            "url": url,
            "git_url": f"git://github.com/{repository.full_name}.git",
            "ssh_url": f"git@github.com:{repository.full_name}.git",
            "clone_url": f"{html}.git",
            "svn_url": html,
            "mirror_url": None,
            "homepage": None,
            "language": None,
            "license": None,
            "description": None,
            "default_branch": "main",
            "fork": False,
            "archived": False,
            "disabled": False,
            "has_issues": not repository.issues_disabled,
            "has_projects": True,
            "has_downloads": True,
            "has_wiki": True,
            "has_pages": False,
            "has_discussions": False,
            "created_at": "2020-01-01T00:00:00Z",
            "updated_at": "2024-01-01T00:00:00Z",
            "pushed_at": "2024-01-01T00:00:00Z",
            "open_issues": issues,
            "open_issues_count": issues,
            "subscribers_count": 0,
        }
        links = {f"{key}_url": f"{url}/{tail}" for key, tail in _REPOSITORY_LINKS.items()}
        return links | dict.fromkeys(zero, 0) | given | repository.fields

    def issue(self, repository: Repository, thread: Thread) -> Fields:
        """An issue, or the issue that every pull request is as well."""
        url = f"{self._repo(repository)}/issues/{thread.number}"
        shown = {
            "node_id": node_id("PR" if thread.is_pull else "I", thread.fields["id"]),
            "url": url,
            "repository_url": self._repo(repository),
            "labels_url": f"{url}/labels{{/name}}",
            "comments_url": f"{url}/comments",
            "events_url": f"{url}/events",
            "timeline_url": f"{url}/timeline",
            "state_reason": None,
            "performed_via_github_app": None,
        }
        shown |= self._head(repository, thread, hidden=_PULL_ONLY)
        # The issue of a pull request has an id of its own.
        shown["id"] = thread.fields.get(
            "issue_id", thread.fields["id"] + (500_000_000 if thread.is_pull else 0)
        )
        shown["closed_by"] = self.account(thread.fields.get("closed_by"))
        shown["comments"] = counts(thread)["comments"]
        shown.pop("issue_id", None)
        if thread.is_pull:
            html = f"{SITE}/{repository.full_name}/pull/{thread.number}"
            shown["pull_request"] = {
                "url": f"{self._repo(repository)}/pulls/{thread.number}",
                "html_url": html,
                "diff_url": f"{html}.diff",
                "patch_url": f"{html}.patch",
                "merged_at": thread.fields.get("merged_at"),
            }
        return shown

    def pull(self, repository: Repository, thread: Thread, *, detail: bool) -> Fields:
        """A pull request, as the list shows it or in detail."""
        url = f"{self._repo(repository)}/pulls/{thread.number}"
        issue = f"{self._repo(repository)}/issues/{thread.number}"
        html = f"{SITE}/{repository.full_name}/pull/{thread.number}"
        links = {
            "self": url,
            "html": html,
            "issue": issue,
            "comments": f"{issue}/comments",
            "review_comments": f"{url}/comments",
            "review_comment": f"{self._repo(repository)}/pulls/comments{{/number}}",
            "commits": f"{url}/commits",
            "statuses": f"{self._repo(repository)}/statuses/{sha_of(thread)}",
        }
        shown: Fields = {
            f"{key}_url": link for key, link in links.items() if key not in {"self", "html", "issue"}
        }
        shown |= {
            "url": url,
            "node_id": node_id("PR", thread.fields["id"]),
            "issue_url": issue,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
            "_links": {key: {"href": link} for key, link in links.items()},
            "draft": False,
            "merged_at": None,
            "merge_commit_sha": None,
            "auto_merge": None,
            "mergeable": None,
            "mergeable_state": "unknown",
            "rebaseable": None,
            "maintainer_can_modify": False,
            "requested_reviewers": [],
            "requested_teams": [],
        }
        shown |= self._head(repository, thread, hidden=_ISSUE_ONLY) | counts(thread)
        shown["merged"] = is_merged(thread)
        shown["merged_by"] = self.account(thread.fields.get("merged_by"))
        shown["requested_reviewers"] = [self.account(one) for one in shown["requested_reviewers"]]
        for side, ref, sha in (("head", f"pull-{thread.number}", sha_of(thread)), ("base", "main", "b" * 40)):
            shown[side] = self._side(repository, ref, sha, thread.fields.get(side) or {})
        return shown if detail else {key: value for key, value in shown.items() if key not in _DETAIL_ONLY}

    def comment(self, repository: Repository, thread: Thread, comment: Fields) -> Fields:
        """A comment of an issue or pull request."""
        kind = "pull" if thread.is_pull else "issues"
        return self._part(
            comment,
            node_id=node_id("IC", comment["id"]),
            url=f"{self._repo(repository)}/issues/comments/{comment['id']}",
            issue_url=f"{self._repo(repository)}/issues/{thread.number}",
            html_url=f"{SITE}/{repository.full_name}/{kind}/{thread.number}#issuecomment-{comment['id']}",
            performed_via_github_app=None,
        )

    def review(self, repository: Repository, thread: Thread, review: Fields) -> Fields:
        """A review. It has no updated_at here, though GraphQL knows it."""
        pull = f"{self._repo(repository)}/pulls/{thread.number}"
        html = f"{SITE}/{repository.full_name}/pull/{thread.number}#pullrequestreview-{review['id']}"
        shown = self._part(
            review,
            node_id=node_id("PRR", review["id"]),
            html_url=html,
            pull_request_url=pull,
            commit_id=sha_of(thread),
            _links={"html": {"href": html}, "pull_request": {"href": pull}},
        )
        del shown["updated_at"]
        if review["state"] == "PENDING":
            del shown["submitted_at"]
        return shown

    def review_comment(self, repository: Repository, thread: Thread, comment: Fields) -> Fields:
        """A comment on a line."""
        url = f"{self._repo(repository)}/pulls/comments/{comment['id']}"
        pull = f"{self._repo(repository)}/pulls/{thread.number}"
        html = f"{SITE}/{repository.full_name}/pull/{thread.number}#discussion_r{comment['id']}"
        return self._part(
            comment,
            node_id=node_id("PRRC", comment["id"]),
            url=url,
            html_url=html,
            pull_request_url=pull,
            _links={"self": {"href": url}, "html": {"href": html}, "pull_request": {"href": pull}},
            pull_request_review_id=None,
            diff_hunk="@@ -1,1 +1,2 @@\n line\n+line",
            path="src/tide.c",
            position=1,
            original_position=1,
            line=2,
            original_line=2,
            side="RIGHT",
            start_line=None,
            original_start_line=None,
            start_side=None,
            subject_type="line",
            commit_id=sha_of(thread),
            original_commit_id=sha_of(thread),
        )

    def event(self, repository: Repository, event: Fields, *, hidden: frozenset[str]) -> Fields:
        """An event of a thread, without what the list at hand does not tell."""
        sha = event.get("commit_id")
        shown = {
            "node_id": node_id("EV", event["id"]),
            "url": f"{self._repo(repository)}/issues/events/{event['id']}",
            "commit_id": None,
            "commit_url": f"{self._repo(repository)}/commits/{sha}" if sha else None,
            "performed_via_github_app": None,
        }
        shown |= {key: value for key, value in event.items() if key not in hidden}
        return shown | {key: self.account(shown[key]) for key in _ACCOUNTS_OF_EVENTS if key in shown}

    def commit(self, repository: Repository, commit: Fields) -> Fields:
        """A commit of a pull request."""
        url, sha = self._repo(repository), commit["sha"]
        git = commit["commit"]
        unsigned = {
            "verified": False,
            "reason": "unsigned",
            "signature": None,
            "payload": None,
            "verified_at": None,
        }
        shown = {
            "node_id": node_id("C", sha),
            "url": f"{url}/commits/{sha}",
            "html_url": f"{SITE}/{repository.full_name}/commit/{sha}",
            "comments_url": f"{url}/commits/{sha}/comments",
            "parents": [],
        }
        inner = {
            "url": f"{url}/git/commits/{sha}",
            "tree": {"sha": sha, "url": f"{url}/git/trees/{sha}"},
            "comment_count": 0,
            "verification": unsigned,
        }
        people = {key: self.account(commit.get(key)) for key in ("author", "committer")}
        return shown | commit | people | {"commit": inner | git}

    def file(self, repository: Repository, thread: Thread, changed: Fields) -> Fields:
        """A changed file. A large one has no ``patch``."""
        path, sha = changed["filename"], sha_of(thread)
        shown = {
            "sha": f"{len(path):040x}",
            "changes": changed["additions"] + changed["deletions"],
            "blob_url": f"{SITE}/{repository.full_name}/blob/{sha}/{path}",
            "raw_url": f"{SITE}/{repository.full_name}/raw/{sha}/{path}",
            "contents_url": f"{self._repo(repository)}/contents/{path}?ref={sha}",
            "patch": "@@ -1,1 +1,2 @@\n line\n+line",
        }
        return shown | changed

    # -- parts -------------------------------------------------------------------------------------

    def _repo(self, repository: Repository) -> str:
        return f"{self.api}/repos/{repository.full_name}"

    def _head(self, repository: Repository, thread: Thread, *, hidden: frozenset[str]) -> Fields:
        """What an issue and a pull request have in common."""
        kind = "pull" if thread.is_pull else "issues"
        assignees = [self.account(one) for one in thread.fields.get("assignees", [])]
        shown: Fields = {
            "html_url": f"{SITE}/{repository.full_name}/{kind}/{thread.number}",
            "locked": False,
            "active_lock_reason": None,
            "milestone": None,
            "author_association": "NONE",
            "closed_at": thread.fields.get("merged_at"),
        }
        if thread.is_pull:
            shown["draft"] = False
        shown |= {key: value for key, value in thread.fields.items() if key not in hidden}
        return shown | {
            "state": state(thread),
            "user": self.account(thread.fields["user"]),
            "assignees": assignees,
            "assignee": assignees[0] if assignees else None,
            "labels": [self.label(repository, label) for label in thread.fields.get("labels", [])],
        }

    def label(self, repository: Repository, label: str | Fields) -> Fields:
        """A label, given by name or in part."""
        given = {"name": label} if isinstance(label, str) else label
        number = sum(given["name"].encode())
        shown = {
            "id": number,
            "node_id": node_id("LA", number),
            "url": f"{self._repo(repository)}/labels/{given['name']}",
            "color": "ededed",
            "default": False,
            "description": None,
        }
        return shown | given

    def _side(self, repository: Repository, ref: str, sha: str, given: Fields) -> Fields:
        """Where a pull request comes from or goes to."""
        owner = repository.full_name.split("/")[0]
        shown = {
            "ref": ref,
            "sha": sha,
            "label": f"{owner}:{given.get('ref', ref)}",
            "user": self.account(repository.world.account(owner)),
            "repo": self.repository(repository),
        }
        return shown | given

    def _part(self, fields: Fields, **shown: Any) -> Fields:
        """A comment or review over the fields it has whoever wrote it."""
        return {"author_association": "NONE"} | shown | fields | {"user": self.account(fields["user"])}


_ACCOUNTS_OF_EVENTS = ("actor", "assignee", "assigner", "requested_reviewer", "review_requester")
# Only GraphQL tells which threads an event connects.
_THREADS_OF_EVENTS = frozenset({"source", "subject", "canonical"})
#: What a list of events, and what a timeline, does not tell of an event.
NOT_IN_EVENTS = _THREADS_OF_EVENTS | {"state_reason"}
NOT_IN_TIMELINES = _THREADS_OF_EVENTS | {"assigner"}
