"""A world with at least one of everything, for tests that go through all shapes and all fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fake_github.world import Repository, World

LABEL = {"name": "bug", "color": "d73a4a", "description": "Something is wrong"}
TEAM = {
    "id": 5,
    "node_id": "T_5",
    "name": "Pilots",
    "slug": "pilots",
    "description": None,
    "privacy": "closed",
    "permission": "pull",
    "type": "organization",
    "organization_id": 1,
    "url": "https://api.github.com/teams/5",
    "html_url": "https://github.com/orgs/harbor/teams/pilots",
    "members_url": "https://api.github.com/teams/5/members{/member}",
    "repositories_url": "https://api.github.com/teams/5/repos",
    "parent": None,
}
MILESTONE = {
    "url": "https://api.github.com/repos/harbor/tide/milestones/1",
    "html_url": "https://github.com/harbor/tide/milestone/1",
    "labels_url": "https://api.github.com/repos/harbor/tide/milestones/1/labels",
    "id": 1,
    "node_id": "MI_1",
    "number": 1,
    "title": "1.0",
    "description": None,
    "creator": None,
    "open_issues": 1,
    "closed_issues": 0,
    "state": "open",
    "created_at": "2024-01-01T00:00:00Z",
    "updated_at": "2024-01-01T00:00:00Z",
    "closed_at": None,
    "due_on": None,
}

# Of these the GraphQL schema of the fake has who and when only.
_BARE_EVENTS = [
    "unlocked",
    "mentioned",
    "subscribed",
    "unsubscribed",
    "comment_deleted",
    "pinned",
    "unpinned",
    "user_blocked",
    "converted_to_discussion",
    "converted_note_to_issue",
    "added_to_project",
    "removed_from_project",
    "moved_columns_in_project",
    "parent_issue_added",
    "parent_issue_removed",
    "sub_issue_added",
    "sub_issue_removed",
]
_BARE_EVENTS_OF_PULLS = [
    "ready_for_review",
    "convert_to_draft",
    "head_ref_deleted",
    "head_ref_restored",
    "base_ref_changed",
    "base_ref_deleted",
    "base_ref_force_pushed",
    "auto_merge_enabled",
    "auto_merge_disabled",
    "auto_rebase_enabled",
    "auto_squash_enabled",
    "automatic_base_change_failed",
    "automatic_base_change_succeeded",
    "added_to_merge_queue",
    "removed_from_merge_queue",
    "deployed",
    "deployment_environment_changed",
]


def fill(world: World) -> Repository:
    """Add two repositories with threads of every state and events of every kind."""
    world.account("harbor", type="Organization")
    world.account("moved", type="Mannequin")
    world.repository("pilots/chart").issue(9)
    repo = world.repository("harbor/tide")
    repo.permissions["keel"] = "maintain"
    repo.issue(1, title="Leak", labels=["bug"], assignees=["keel"], milestone=MILESTONE, locked=True)
    repo.edit_thread(1, active_lock_reason="too heated")
    repo.issue(2, user=None)
    repo.issue(3, created_at="2024-01-01T05:00:00Z")
    repo.close(3, state_reason="not_planned")
    repo.comment(1, "Same here.", user="gull", author_association="MEMBER")
    repo.comment(1, "", user=None)
    _fill_pull(repo)
    _fill_events(repo)
    repo.pull(5, draft=True, closes=[2, ("pilots/chart", 9)])
    repo.close(5)
    repo.merge(4, by="dependabot[bot]")
    return repo


def _fill_pull(repo: Repository) -> None:
    repo.pull(4, closes=[1], labels=[LABEL], requested_reviewers=["gull"], milestone=MILESTONE)
    repo.edit_thread(4, requested_teams=[TEAM])
    repo.commit(4, "Mend the leak\n\nIt was the seal.", author="keel", committer="keel")
    repo.file(4, "src/tide.c", status="modified", additions=3, deletions=2)
    repo.file(4, "src/old.c", status="removed", additions=0, deletions=9)
    repo.file(4, "src/new.c", status="renamed", previous_filename="src/name.c")
    repo.comment(4, "Looks good.", user="moved")
    review = repo.review(4, "APPROVED", "Yes.", user="keel", author_association="OWNER")
    repo.review(4, "DISMISSED", user=None)
    repo.review(4, "CHANGES_REQUESTED", user="coderabbit[bot]")
    first = repo.review_comment(4, "Why?", pull_request_review_id=review["id"])
    repo.review_comment(4, "Because.", in_reply_to_id=first["id"], pull_request_review_id=review["id"])
    dismissed = {
        "state": "approved",
        "review_id": review["id"],
        "dismissal_message": "Stale.",
        "dismissal_commit_id": None,
    }
    repo.event(4, "review_dismissed", dismissed_review=dismissed)
    repo.event(4, "review_requested", review_requester="buoy", requested_reviewer="gull")
    repo.event(4, "review_request_removed", review_requester="buoy", requested_reviewer="gull")
    for kind in _BARE_EVENTS_OF_PULLS:
        repo.event(4, kind)
    repo.event(4, "head_ref_force_pushed", commit_id="c" * 40)


def _fill_events(repo: Repository) -> None:
    for number in (1, 4):
        repo.event(number, "labeled", label=LABEL)
        repo.event(number, "unlabeled", label=LABEL)
        repo.event(number, "renamed", rename={"from": "Drip", "to": "Leak"})
        repo.event(number, "assigned", assignee="keel", assigner="buoy")
        repo.event(number, "unassigned", assignee="keel", assigner="buoy")
        repo.event(number, "milestoned", milestone={"title": "1.0"})
        repo.event(number, "demilestoned", milestone={"title": "1.0"})
        repo.event(number, "locked", lock_reason="resolved")
        repo.event(number, "referenced", commit_id="d" * 40)
        repo.event(number, "cross-referenced", source=("pilots/chart", 9))
        repo.event(number, "marked_as_duplicate", canonical=2)
        repo.event(number, "unmarked_as_duplicate", canonical=2)
        repo.event(number, "connected", source=1, subject=4)
        repo.event(number, "disconnected", source=1, subject=4)
        repo.event(number, "closed", actor="keel", state_reason="completed")
        for kind in _BARE_EVENTS:
            repo.event(number, kind)
        repo.event(number, "transferred")
        repo.event(number, "reopened")
