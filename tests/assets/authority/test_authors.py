"""Table `authors` and the documents' tiers, from staged objects on a real Postgres."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

import dagster as dg
import psycopg
import pytest
from payloads import REPO, add_repo, comment, commit, issue, pull, review, stage, unstage, user

from relore_assets.authority.assets import authors
from relore_assets.authority.authors import QUERIES, AuthorityResult, load_evidence, refresh
from relore_assets.checks import QUERIES as CHECKS
from relore_assets.checks import somebody_has_standing
from relore_assets.derive.derive import derive
from relore_assets.resources import Store


def event(what: str, actor: str | None, at: str, **fields: Any) -> dict[str, Any]:
    account = None if actor is None else user(actor)
    return {"event": what, "actor": account, "created_at": at, **fields}


def acted(conn: psycopg.Connection, repo_id: int, number: int, *events: dict[str, Any]) -> None:
    for index, each in enumerate(events):
        stage(conn, repo_id, "event", number * 1_000 + index, number, each)


def said(
    conn: psycopg.Connection, repo_id: int, key: int, number: int, login: str, at: str, **fields: Any
) -> None:
    body = fields.pop("body", f"word {key}")
    account = fields.pop("user", user(login))
    payload = comment(key, body, user=account, created_at=at, updated_at=at, **fields)
    stage(conn, repo_id, "issue_comment", key, number, payload)


def brought_up(conn: psycopg.Connection, database_url: str, repo_id: int, *bots: str) -> AuthorityResult:
    """Derive with what is known, then a pass over standing; both as the verbs do it."""
    first = refresh(conn, repo_id, configured_bots=frozenset(bots))
    conn.commit()
    derive(database_url, REPO)
    second = refresh(conn, repo_id, configured_bots=frozenset(bots))
    conn.commit()
    assert (second.written, second.documents_moved) == (0, 0)
    return AuthorityResult(first.intervals, first.written, 0, first.people, first.reasons, second.documents)


def trust(conn: psycopg.Connection) -> dict[str, str]:
    rows = conn.execute(
        "SELECT source_id, trust FROM relore.documents WHERE source_type = 'issue_comment'"
    ).fetchall()
    conn.commit()
    return dict(rows)


def acts(conn: psycopg.Connection, repo_id: int) -> set[tuple[str, str, int]]:
    return {(act.login.lower(), act.what, act.thread) for act in load_evidence(conn, repo_id).acts}


# -- what GitHub's own word hides ------------------------------------------------------------------------


def test_a_maintainer_whom_github_calls_contributor_or_member_has_standing_by_acts(
    conn: psycopg.Connection, database_url: str
) -> None:
    """Access through a team and private membership show in what people did, with the reason kept."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "issue", 1, 1, issue(1))
    stage(
        conn,
        repo_id,
        "pull",
        2,
        2,
        pull(2, merged_at="2024-01-01T00:00:00Z", merged_by=user("through-a-team")),
    )
    acted(conn, repo_id, 1, event("labeled", "private-member", "2024-01-01T00:00:00Z"))
    at = "2024-01-05T00:00:00Z"
    said(conn, repo_id, 11, 1, "through-a-team", at, author_association="CONTRIBUTOR")
    said(conn, repo_id, 12, 1, "private-member", at, author_association="MEMBER")
    said(conn, repo_id, 13, 1, "newcomer", at, author_association="MEMBER")
    said(conn, repo_id, 14, 1, "passer", at, author_association="CONTRIBUTOR")

    found = brought_up(conn, database_url, repo_id)

    assert trust(conn) == {"11": "authoritative", "12": "authoritative", "13": "unresolved", "14": "reported"}
    assert found.people == {"authoritative": 2, "unresolved": 2}
    assert found.reasons == {"merged": 1, "acted": 1, "member": 3}
    assert found.documents["unresolved"] == 1


def test_who_left_still_speaks_with_authority_at_the_time(
    conn: psycopg.Connection, database_url: str
) -> None:
    """Standing is that of the comment's date; an association of today does not undo it."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "issue", 1, 1, issue(1, created_at="2022-12-01T00:00:00Z"))
    for number, at in ((2, "2023-02-01T00:00:00Z"), (3, "2023-05-01T00:00:00Z")):
        stage(conn, repo_id, "pull", number, number, pull(number, merged_at=at, merged_by=user("keel")))
    for key, at in ((11, "2023-01-01"), (12, "2023-03-01"), (13, "2024-04-29"), (14, "2024-05-01")):
        said(conn, repo_id, key, 1, "keel", f"{at}T00:00:00Z", author_association="NONE")

    brought_up(conn, database_url, repo_id)

    assert trust(conn) == {"11": "reported", "12": "authoritative", "13": "authoritative", "14": "reported"}


def test_a_commit_older_than_its_pull_request_is_judged_alike_by_every_pass(
    conn: psycopg.Connection, database_url: str
) -> None:
    """By the day on which it came to be seen here, which is the one that is kept."""
    repo_id = add_repo(conn)
    for number, at in ((2, "2023-02-01T00:00:00Z"), (3, "2024-01-02T00:00:00Z")):
        stage(conn, repo_id, "pull", number, number, pull(number, merged_at=at, merged_by=user("keel")))
    stage(conn, repo_id, "pull", 4, 4, pull(4, created_at="2023-06-01T00:00:00Z"))
    old = commit("a" * 40, "Round up", author=user("keel"))
    old["commit"]["committer"] = {**old["commit"]["committer"], "date": "2022-01-01T00:00:00Z"}
    stage(conn, repo_id, "pull_commits", 4, 4, {"number": 4, "items": [old]})

    brought_up(conn, database_url, repo_id)

    assert conn.execute("SELECT trust FROM relore.documents WHERE source_type = 'commit'").fetchall() == [
        ("authoritative",)
    ]


def test_bots_are_machines_by_type_suffix_or_list_and_never_maintainers(
    conn: psycopg.Connection, database_url: str
) -> None:
    """A bot with an ordinary account passes for a person until the operator names it; one that merges is none."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "issue", 1, 1, issue(1))
    merger = user("merge-helper", "Bot")
    stage(conn, repo_id, "pull", 2, 2, pull(2, merged_at="2024-01-01T00:00:00Z", merged_by=merger))
    acted(
        conn, repo_id, 1, *(event("labeled", "widget-ci", f"2019-01-0{day}T00:00:00Z") for day in range(1, 9))
    )
    at = "2024-01-05T00:00:00Z"
    for key in range(50):
        said(conn, repo_id, 100 + key, 1, "Widget-CI", at, body="Build passed.")
    said(conn, repo_id, 11, 1, "", at, user=merger)
    said(conn, repo_id, 12, 1, "helper[bot]", at)
    said(conn, repo_id, 13, 1, "keel", at)

    assert brought_up(conn, database_url, repo_id).people == {"authoritative": 1, "machine": 2}
    found = refresh(conn, repo_id, configured_bots=frozenset({"widget-ci"}))
    conn.commit()

    assert found.people == {"machine": 3}
    assert found.reasons == {"configured": 1, "bot": 2}
    assert found.documents_moved == 50
    told = trust(conn)
    assert told.pop("13") == "reported"
    assert set(told.values()) == {"machine"}


# -- what counts as an act -------------------------------------------------------------------------------


def test_what_people_do_to_their_own_threads_proves_nothing(conn: psycopg.Connection) -> None:
    """Everybody may close and rename what is theirs; merging one's own pull request is another matter."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "issue", 1, 1, issue(1, user=user("Buoy")))
    stage(conn, repo_id, "pull", 2, 2, pull(2, user=user("buoy")))
    acted(
        conn,
        repo_id,
        1,
        event("closed", "buoy", "2024-01-01T00:00:00Z"),
        event("renamed", "buoy", "2024-01-01T00:00:01Z"),
    )
    acted(conn, repo_id, 2, event("merged", "buoy", "2024-01-01T00:00:00Z"))
    assert acts(conn, repo_id) == {("buoy", "merged", 2)}


def test_who_merged_may_stand_in_the_detail_alone(conn: psycopg.Connection) -> None:
    """Lists of pull requests do not tell it."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "pull", 2, 2, pull(2, merged_at="2024-01-01T00:00:00Z", merged_by=None))
    stage(conn, repo_id, "pull_detail", 2, 2, {"number": 2, "merged_by": user("keel")})
    assert acts(conn, repo_id) == {("keel", "merged", 2)}


def test_closing_a_pull_request_by_deleting_ones_fork_is_no_act(conn: psycopg.Connection) -> None:
    """The branch is somebody's own although the pull request is not."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "pull", 2, 2, pull(2, user=user("buoy"), head={"user": user("Gull")}))
    acted(
        conn,
        repo_id,
        2,
        event("closed", "gull", "2024-01-01T00:00:00Z"),
        event("labeled", "gull", "2024-01-01T00:00:01Z"),
    )
    assert acts(conn, repo_id) == {("gull", "labeled", 2)}


def test_an_assignment_is_the_assigners_act(conn: psycopg.Connection) -> None:
    """The payload's actor may be the one who was assigned, and that takes no rights."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "issue", 1, 1, issue(1))
    at = "2024-01-01T00:00:00Z"
    acted(
        conn, repo_id, 1,
        event("assigned", "gull", at, assignee=user("gull"), assigner=user("keel")),
        event("assigned", "tern", at, assignee=user("tern")),
        event("unassigned", "mate", at, assignee=user("tern"), assigner=None),
    )  # fmt: skip
    assert acts(conn, repo_id) == {("keel", "assigned", 1), ("mate", "unassigned", 1)}


def test_accounts_that_are_nobody_in_particular_do_not_act(conn: psycopg.Connection) -> None:
    """Deleted accounts, organisations, bots and placeholders of an import have no standing to show."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "issue", 1, 1, issue(1))
    at = "2024-01-01T00:00:00Z"
    kinds = ("Bot", "Organization", "Mannequin")
    acted(
        conn, repo_id, 1, event("closed", None, at), event("labeled", "keel", at),
        *({"event": "locked", "actor": user(kind.lower(), kind), "created_at": at} for kind in kinds),
    )  # fmt: skip
    assert acts(conn, repo_id) == {("keel", "labeled", 1)}


def test_a_head_tells_the_last_closing_where_no_events_were_collected(conn: psycopg.Connection) -> None:
    """With the event at hand the head would count the same act again."""
    repo_id = add_repo(conn)
    closed = {"closed_at": "2024-01-02T00:00:00Z", "closed_by": user("keel")}
    stage(conn, repo_id, "issue", 1, 1, issue(1, **closed))
    stage(conn, repo_id, "issue", 2, 2, issue(2, **closed))
    acted(conn, repo_id, 2, event("closed", "keel", "2024-01-02T00:00:01Z"))
    found = load_evidence(conn, repo_id).acts
    assert sorted((act.thread, act.at.second) for act in found) == [(1, 0), (2, 1)]


def test_only_decisive_reviews_of_other_peoples_work_are_acts(conn: psycopg.Connection) -> None:
    """A comment decides nothing, and nobody reviews themselves."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "pull", 2, 2, pull(2))
    for key, (state, login) in enumerate(
        [("APPROVED", "keel"), ("COMMENTED", "gull"), ("CHANGES_REQUESTED", "buoy")]
    ):
        stage(conn, repo_id, "review", key, 2, review(key, state, user=user(login)))
    assert acts(conn, repo_id) == {("keel", "reviewed", 2)}


def test_acts_in_a_thread_without_a_head_are_left_out(conn: psycopg.Connection) -> None:
    """Nobody can say whose thread it was."""
    repo_id = add_repo(conn)
    acted(conn, repo_id, 9, event("closed", "keel", "2024-01-01T00:00:00Z"))
    assert acts(conn, repo_id) == set()


# -- writing ---------------------------------------------------------------------------------------------


def test_a_pass_over_standing_leaves_to_machines_what_derive_gave_them(
    conn: psycopg.Connection, database_url: str
) -> None:
    """A maintainer's command to a bot stays a machine's, so does what only the payload tells; other words move."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "pull", 2, 2, pull(2))
    app = commit("a" * 40, "Bump it", author=user("bumper", "Bot"))
    stage(conn, repo_id, "pull_commits", 2, 2, {"number": 2, "items": [app]})
    said(conn, repo_id, 11, 2, "keel", "2024-02-05T00:00:00Z", body="@bors r+")
    said(conn, repo_id, 12, 2, "keel", "2024-02-05T00:00:00Z", body="We keep the lock.")
    assert derive(database_url, REPO).batch.failed == {}
    assert trust(conn) == {"11": "machine", "12": "reported"}

    stage(conn, repo_id, "pull", 3, 3, pull(3, merged_at="2024-02-01T00:00:00Z", merged_by=user("keel")))
    moved = refresh(conn, repo_id)
    conn.commit()

    assert moved.documents_moved == 1
    assert trust(conn) == {"11": "machine", "12": "authoritative"}
    commits = conn.execute("SELECT trust FROM relore.documents WHERE source_type = 'commit'").fetchall()
    assert commits == [("machine",)]
    held = conn.execute("SELECT login, tier FROM relore.authors").fetchall()
    assert held == [("keel", "authoritative")]


def test_a_commit_of_an_account_that_the_operator_lists_is_a_machines(
    conn: psycopg.Connection, database_url: str
) -> None:
    """Where the commit carries the login; a name in it that reads the same is anybody's."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "pull", 2, 2, pull(2))
    listed = commit("a" * 40, "Bump it", author=user("Widget-CI"))
    named = commit("b" * 40, "Bump it too")
    named["commit"]["author"] = {**named["commit"]["author"], "name": "widget-ci"}
    stage(conn, repo_id, "pull_commits", 2, 2, {"number": 2, "items": [listed, named]})
    refresh(conn, repo_id, configured_bots=frozenset({"widget-ci"}))
    conn.commit()
    assert derive(database_url, REPO).batch.failed == {}
    query = "SELECT source_id, trust FROM relore.documents WHERE source_type = 'commit'"
    told = {"a" * 40: "machine", "b" * 40: "reported"}
    assert dict(conn.execute(query).fetchall()) == told

    refresh(conn, repo_id, configured_bots=frozenset({"widget-ci"}))
    assert dict(conn.execute(query).fetchall()) == told


def test_an_edited_command_becomes_its_authors_word(conn: psycopg.Connection, database_url: str) -> None:
    """The tier follows the text, both ways."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "issue", 1, 1, issue(1))
    for body, tier in (
        ("/retest", "machine"),
        ("/retest\nIt failed before the fix.", "reported"),
        ("/retest", "machine"),
    ):
        said(conn, repo_id, 11, 1, "keel", "2024-02-05T00:00:00Z", body=body)
        derive(database_url, REPO)
        assert trust(conn) == {"11": tier}


def test_only_what_differs_is_written(conn: psycopg.Connection) -> None:
    """A second pass writes nothing; a new act rewrites its own person; what is gone leaves no row behind."""
    repo_id = add_repo(conn)
    for number, login in ((2, "keel"), (3, "mate")):
        stage(
            conn, repo_id, "pull", number, number,
            pull(number, merged_at="2024-01-01T00:00:00Z", merged_by=user(login)),
        )  # fmt: skip
    assert refresh(conn, repo_id).written == 2
    assert refresh(conn, repo_id).written == 0
    untouched = conn.execute("SELECT xmin, ctid FROM relore.authors WHERE login = 'mate'").fetchall()
    stage(conn, repo_id, "pull", 4, 4, pull(4, merged_at="2024-03-01T00:00:00Z", merged_by=user("keel")))
    assert refresh(conn, repo_id).written == 2  # one interval went, one came
    assert conn.execute("SELECT xmin, ctid FROM relore.authors WHERE login = 'mate'").fetchall() == untouched
    for number in (2, 4):
        unstage(conn, repo_id, "pull", number)
    assert refresh(conn, repo_id).written == 1
    assert conn.execute("SELECT login FROM relore.authors").fetchall() == [("mate",)]


def test_repositories_do_not_mix(conn: psycopg.Connection, database_url: str) -> None:
    """Standing in one repository is none in another."""
    here, there = add_repo(conn), add_repo(conn, "harbor/other")
    stage(conn, there, "pull", 2, 2, pull(2, merged_at="2024-01-01T00:00:00Z", merged_by=user("keel")))
    stage(conn, here, "issue", 2, 2, issue(2))
    said(conn, here, 11, 2, "keel", "2024-01-05T00:00:00Z")
    refresh(conn, there)
    conn.commit()
    brought_up(conn, database_url, here)
    assert trust(conn) == {"11": "reported"}


def test_stored_answers_count(conn: psycopg.Connection) -> None:
    """A pass that asks nobody still knows what was answered before."""
    repo_id = add_repo(conn)
    at = datetime(2024, 1, 1, tzinfo=UTC)
    conn.execute(
        "INSERT INTO relore.permissions (repo_id, login, permission, checked_at, since) "
        "VALUES (%s, 'keel', 'admin', %s, %s)",
        (repo_id, at, at),
    )
    refresh(conn, repo_id)
    rows = conn.execute("SELECT login, tier, reason, from_at, to_at FROM relore.authors").fetchall()
    assert rows == [("keel", "authoritative", "permission", at, None)]


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_every_statement_is_used(name: str) -> None:
    """A statement that nobody calls is a statement that nobody tests."""
    assert f'"{name}"' in files("relore_assets.authority").joinpath("authors.py").read_text(encoding="utf-8")


def test_what_makes_a_text_a_machines_may_change_while_its_tier_does_not(
    conn: psycopg.Connection, database_url: str
) -> None:
    """An account that the operator listed turns out to be a bot by GitHub's own word, and leaves the list."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "issue", 1, 1, issue(1))
    listed = frozenset({"helper"})
    for kind in ("User", "Bot"):
        said(conn, repo_id, 11, 1, "helper", "2024-01-05T00:00:00Z", user=user("helper", kind))
        refresh(conn, repo_id, configured_bots=listed)
        conn.commit()
        derive(database_url, REPO)
        assert trust(conn) == {"11": "machine"}
        kept = conn.execute(
            "SELECT machine FROM relore.documents WHERE source_type = 'issue_comment'"
        ).fetchall()
        assert kept == [(kind == "Bot",)]
        conn.commit()


@pytest.mark.parametrize("bots", ["", "train"], ids=["by a person", "by a listed bot"])
def test_a_repository_that_only_bots_merge_into_lacks_nobody_with_standing(
    conn: psycopg.Connection, database_url: str, monkeypatch: pytest.MonkeyPatch, bots: str
) -> None:
    """The check behind the asset looks for people who merged and got no standing, and bots are none."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "pull", 2, 2, pull(2, merged_at="2024-01-01T00:00:00Z", merged_by=None))
    stage(conn, repo_id, "pull_detail", 2, 2, {"number": 2, "merged_by": user("train")})
    stage(
        conn, repo_id, "pull", 3, 3, pull(3, merged_at="2024-01-01T00:00:00Z", merged_by=user("app", "Bot"))
    )
    monkeypatch.setenv("RELORE_BOT_ACCOUNTS", bots)
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("repos", [REPO])
        result = dg.materialize(
            [authors, somebody_has_standing], instance=instance, partition_key=REPO,
            resources={"store": Store(url=database_url)},
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )  # fmt: skip
        (evaluation,) = result.get_asset_check_evaluations()
    assert evaluation.passed
    merged = conn.execute(CHECKS["standing"], {"repo_id": repo_id}).fetchone()
    assert merged == ((0, 0, 0) if bots else (1, 1, 0))


def then(conn: psycopg.Connection) -> dict[str, tuple[list[datetime] | None, list[str] | None]]:
    rows = conn.execute(
        "SELECT source_id, trust_until, trust_then FROM relore.documents WHERE source_type = 'issue_comment'"
    ).fetchall()
    conn.commit()
    return {key: (until, tiers) for key, until, tiers in rows}


def test_a_text_keeps_what_its_tier_was_as_seen_earlier(conn: psycopg.Connection, database_url: str) -> None:
    """A label and a merge make a maintainer of the time between, from the merge on; both passes agree."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "issue", 1, 1, issue(1, created_at="2020-01-01T00:00:00Z"))
    acted(conn, repo_id, 1, event("labeled", "keel", "2020-02-01T00:00:00Z"))
    merged = pull(2, merged_at="2021-01-01T00:00:00Z", merged_by=user("keel"))
    stage(conn, repo_id, "pull", 2, 2, merged)
    for key, at in ((11, "2020-01-15"), (12, "2020-06-01"), (13, "2021-06-01")):
        said(conn, repo_id, key, 1, "keel", f"{at}T00:00:00Z")
    said(conn, repo_id, 14, 1, "keel", "2020-06-01T00:00:00Z", body="/retest")

    brought_up(conn, database_url, repo_id)

    assert trust(conn) == {"11": "reported", "12": "authoritative", "13": "authoritative", "14": "machine"}
    moment = datetime(2021, 1, 1, tzinfo=UTC)
    told = then(conn)
    assert told == {
        "11": (None, None),
        "12": ([moment], ["reported"]),
        "13": (None, None),
        "14": (None, None),
    }

    unstage(conn, repo_id, "pull", 2)
    derive(database_url, REPO)
    assert refresh(conn, repo_id).documents_moved == 2
    conn.commit()
    assert set(then(conn).values()) == {(None, None)}
    stage(conn, repo_id, "pull", 2, 2, merged)
    refresh(conn, repo_id)
    conn.commit()
    assert then(conn) == told
    # The title of the pull request is new; that derive moves nothing shows that it sees what the other pass saw.
    assert derive(database_url, REPO, full=True).batch.written.documents == 1
