"""A head as of a cutoff is the head that would have been derived at that moment."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from payloads import add_repo, issue, pull, review, stage, user

from relore_assets.derive.derive import derive
from relore_serve.as_of.heads import heads

OPENED = datetime(2024, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
PEOPLE = ("keel", "mole", "tern")
LABELS = ("bug", "good first issue", "Needs Review")
ACTS = ("label", "label", "close", "rename", "draft", "lock", "request", "request", "answer", "merge")


@dataclass
class Told:
    """One thread as GitHub tells it at a moment; acts change it and leave an event each."""

    number: int
    is_pull: bool
    head: dict[str, Any]
    events: list[dict[str, Any]] = field(default_factory=list)
    reviews: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def opened(cls, number: int, at: datetime, *, is_pull: bool) -> Told:
        """A thread in which nothing has happened."""
        head = {
            "title": f"Title {number}",
            "created_at": at.isoformat(),
            "updated_at": at.isoformat(),
            "labels": [],
            "locked": False,
            "closed_at": None,
        }
        if is_pull:
            head |= {
                "draft": number % 2 == 0,
                "merged_at": None,
                "requested_reviewers": [],
                "requested_teams": [],
            }
        return cls(number, is_pull, head)

    def act(self, name: str, at: datetime, chance: random.Random) -> None:
        """Let somebody do one thing, where it can be done now."""
        head, who = self.head, chance.choice(PEOPLE)
        done: dict[str, Any] | None = None
        if name == "label":
            label = {"name": chance.choice(LABELS)}
            held = label in head["labels"]
            head["labels"] = (
                [each for each in head["labels"] if each != label] if held else [*head["labels"], label]
            )
            done = {"event": "unlabeled" if held else "labeled", "label": label}
        elif name == "close" and not head.get("merged_at"):
            closed = head.get("state") == "closed"
            reason = None if self.is_pull or closed else chance.choice(("completed", "not_planned"))
            head |= {"state": "open" if closed else "closed", "state_reason": reason}
            head |= {
                "closed_at": None if closed else at.isoformat(),
                "closed_by": None if closed else user(who),
            }
            done = {"event": "reopened" if closed else "closed", "state_reason": reason}
        elif name == "rename":
            title = f"Title {self.number} of {at:%d %H}"
            done = {"event": "renamed", "rename": {"from": head["title"], "to": title}}
            head["title"] = title
        elif name == "lock":
            head["locked"] = not head["locked"]
            done = {"event": "locked" if head["locked"] else "unlocked"}
        elif self.is_pull:
            done = self._act_on_pull(name, at, who)
        if done is not None:
            head["updated_at"] = at.isoformat()
            self.events.append({**done, "actor": user(who), "created_at": at.isoformat()})

    def _act_on_pull(self, name: str, at: datetime, who: str) -> dict[str, Any] | None:
        head = self.head
        asked = [each["login"] for each in head["requested_reviewers"]]
        if name == "draft" and not head.get("merged_at"):
            head["draft"] = not head["draft"]
            return {"event": "convert_to_draft" if head["draft"] else "ready_for_review"}
        if name == "request" and who == "tern":
            team = {"slug": "crew"}
            held = team in head["requested_teams"]
            head["requested_teams"] = [] if held else [team]
            return {"event": "review_request_removed" if held else "review_requested", "requested_team": team}
        if name == "request":
            held = who in asked
            left = [user(each) for each in asked if each != who]
            head["requested_reviewers"] = left if held else [*left, user(who)]
            event = "review_request_removed" if held else "review_requested"
            return {"event": event, "requested_reviewer": user(who)}
        if name == "answer" and asked:
            head["requested_reviewers"] = [user(each) for each in asked[1:]]
            head["updated_at"] = at.isoformat()
            number = self.number * 100 + len(self.reviews)
            given = review(number, "COMMENTED", user=user(asked[0]), submitted_at=at.isoformat())
            self.reviews.append(given)
        if name == "merge" and head.get("state") != "closed":
            moment = {"merged_at": at.isoformat(), "closed_at": at.isoformat()}
            head |= {
                "state": "closed",
                "merged": True,
                "merged_by": user(who),
                "closed_by": user(who),
                **moment,
            }
            self.events.append({"event": "merged", "actor": user(who), "created_at": at.isoformat()})
            return {"event": "closed"}
        return None

    def stage(self, conn: psycopg.Connection, repo_id: int) -> None:
        """Stage it as it is."""
        make, kind = (pull, "pull") if self.is_pull else (issue, "issue")
        stage(conn, repo_id, kind, self.number, self.number, make(self.number, **self.head))
        marker = {"number": self.number, "as_of": self.head["updated_at"]}
        stage(conn, repo_id, f"{kind}_detail", self.number, self.number, marker)
        for place, event in enumerate(self.events):
            stage(conn, repo_id, "event", self.number * 1000 + place, self.number, event)
        for given in self.reviews:
            stage(conn, repo_id, "review", given["id"], self.number, given)


def told_at(moment: datetime, seed: int) -> list[Told]:
    """What GitHub told at a moment of ten threads, of which later ones were opened later: the same for every moment."""
    found: list[Told] = []
    for number in range(1, 11):
        chance = random.Random(seed * 100 + number)  # noqa: S311 - a history, not a secret
        opened = OPENED + number * 6 * HOUR
        thread = Told.opened(number, opened, is_pull=number % 3 != 0)
        for step in range(1, 40):
            at = opened + step * 5 * HOUR
            name = chance.choice(ACTS)
            state = chance.getstate()
            if at < moment:
                thread.act(name, at, chance)
            chance.setstate(state)
            chance.random()
        if opened < moment:
            found.append(thread)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_head_of_a_history_that_ends_there(
    conn: psycopg.Connection, database_url: str, seed: int
) -> None:
    """For every thread and field, whatever was done before and after; nothing has to be withheld."""
    whole = add_repo(conn, "harbor/whole")
    for thread in told_at(datetime(2030, 1, 1, tzinfo=UTC), seed):
        thread.stage(conn, whole)
    derive(database_url, "harbor/whole", workers=1)
    ids = dict(conn.execute("SELECT number, id FROM relore.threads WHERE repo_id = %s", [whole]).fetchall())
    moved = 0
    for step, days in enumerate((1, 3, 5, 8, 20)):
        # A cutoff is strict: what happens in that very moment has not happened yet.
        cutoff = OPENED + timedelta(days=days)
        part = add_repo(conn, f"harbor/part-{step}")
        for thread in told_at(cutoff, seed):
            thread.stage(conn, part)
        derive(database_url, f"harbor/part-{step}", workers=1)
        then = dict(
            conn.execute("SELECT number, id FROM relore.threads WHERE repo_id = %s", [part]).fetchall()
        )
        conn.commit()
        told = heads(conn, [ids[number] for number in then], cutoff)
        derived = heads(conn, list(then.values()), None)
        today = heads(conn, list(told), None)
        moved += sum(told[each] != today[each] for each in told)
        for number, thread_id in then.items():
            assert told[ids[number]] == derived[thread_id], (number, cutoff)
    assert moved > len(ids)
