"""Asking GitHub who may write: whom, how often, and what becomes of answers that do not come."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

import dagster as dg
import psycopg
import pytest
from click.testing import CliRunner
from fake_github import FakeGitHub
from payloads import REPO, add_repo, comment, issue, pull, stage, user

from relore_assets.authority.assets import ASKING, authors
from relore_assets.authority.permissions import FRESH, KEEP_EVERY, PATIENCE, QUERIES, Asked, ask
from relore_assets.cli import cli
from relore_assets.fetch import repos
from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.github.errors import BadToken, Exhausted, Moved, NotFound
from relore_assets.fetch.github.tokens import PersonalToken
from relore_assets.resources import Store

NOW = datetime(2024, 6, 1, tzinfo=UTC)


@pytest.fixture
def live(database_url: str) -> Iterator[psycopg.Connection]:
    """A connection that commits every statement, as a pass has it."""
    with psycopg.connect(database_url, autocommit=True) as conn:
        yield conn


@pytest.fixture
def people(live: psycopg.Connection, github: FakeGitHub) -> int:
    """A repository with keel (two comments, CONTRIBUTOR), mate (three, MEMBER), and some who need no question."""
    github.world.repository(REPO).permissions.update(keel="maintain", Mate="triage")
    repo_id = add_repo(live)
    stage(live, repo_id, "issue", 1, 1, issue(1))
    wrote = [
        ("Mate", "MEMBER", 3), ("keel", "CONTRIBUTOR", 2), ("passer", "NONE", 5), ("boss", "OWNER", 1),
        ("ghost", "CONTRIBUTOR", 4), ("helper[bot]", "CONTRIBUTOR", 4), ("Ci-User", "MEMBER", 4),
    ]  # fmt: skip
    key = 10
    for login, association, count in wrote:
        for _ in range(count):
            key += 1
            payload = comment(key, f"word {key}", user=user(login), author_association=association)
            stage(live, repo_id, "issue_comment", key, 1, payload)
    return repo_id


def asked(
    conn: psycopg.Connection,
    github: FakeGitHub,
    *,
    now: datetime = NOW,
    token: str | None = None,
    **options: Any,
) -> Asked:
    tokens = PersonalToken(token or github.token)
    with GitHub(github.url, tokens, sleep=lambda _: None, patience=60) as client:
        return ask(
            conn,
            repos.known(conn, REPO),
            client,
            configured_bots=frozenset({"ci-user"}),
            now=lambda: now,
            **options,
        )


def logins(github: FakeGitHub) -> list[str]:
    return [entry.path.split("/")[-2] for entry in github.log if entry.path.endswith("/permission")]


def answers(conn: psycopg.Connection) -> list[tuple[Any, ...]]:
    return conn.execute(
        "SELECT login, permission, since, checked_at FROM relore.permissions ORDER BY login, since"
    ).fetchall()


# -- whom ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("people")
def test_people_who_may_have_access_are_asked_about_who_wrote_most_first(
    live: psycopg.Connection, github: FakeGitHub
) -> None:
    """Not machines, owners, strangers, nor the account that stands for deleted ones."""
    found = asked(live, github)
    assert logins(github) == ["Mate", "keel"]
    assert (found.candidates, found.fresh, found.answered, found.changed) == (2, 0, 2, 2)
    assert answers(live) == [("keel", "maintain", NOW, NOW), ("mate", "triage", NOW, NOW)]


def test_a_stranger_who_acted_is_asked_about(
    live: psycopg.Connection, people: int, github: FakeGitHub
) -> None:
    """Whoever was seen to close another's issue may have access, whatever GitHub calls them and if they never wrote."""
    for key, login in ((1, "passer"), (2, "silent")):
        closed = {"event": "closed", "actor": user(login), "created_at": "2024-01-01T00:00:00Z"}
        stage(live, people, "event", key, 1, closed)
    asked(live, github)
    assert logins(github) == ["passer", "Mate", "keel", "silent"]


# -- how often -------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("people")
def test_a_fresh_answer_is_not_asked_for_again_unless_told(
    live: psycopg.Connection, github: FakeGitHub
) -> None:
    """Thirty days are fresh."""
    asked(live, github)
    again = asked(live, github, now=NOW + FRESH - timedelta(seconds=1))
    assert (again.fresh, again.answered, len(logins(github))) == (2, 0, 2)
    told = asked(live, github, now=NOW + timedelta(days=1), again=True)
    assert (told.fresh, told.answered, told.changed) == (0, 2, 0)
    stale = asked(live, github, now=NOW + FRESH + timedelta(days=1))
    assert stale.answered == 2


@pytest.mark.usefixtures("people")
def test_a_repeated_answer_is_dated_anew_and_another_one_begins_a_row(
    live: psycopg.Connection, github: FakeGitHub
) -> None:
    """So a maintainer who lost access at the last check was one until then."""
    later, last = NOW + timedelta(days=40), NOW + timedelta(days=80)
    asked(live, github)
    asked(live, github, now=later)
    github.world.find(REPO).permissions["keel"] = "read"  # type: ignore[union-attr]
    assert asked(live, github, now=last).changed == 1
    final = last + timedelta(days=40)
    assert asked(live, github, now=final).changed == 0
    assert answers(live) == [
        ("keel", "maintain", NOW, later), ("keel", "read", last, final), ("mate", "triage", NOW, final),
    ]  # fmt: skip


# -- what GitHub answers ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("people")
def test_a_role_of_an_organisations_own_making_counts_as_what_it_builds_on(
    live: psycopg.Connection, github: FakeGitHub
) -> None:
    """GitHub names the base in `permission`."""
    github.fault(
        "Mate/permission", alter=lambda body: body | {"role_name": "release-crew", "permission": "write"}
    )
    asked(live, github)
    assert ("mate", "write", NOW, NOW) in answers(live)


@pytest.mark.usefixtures("people")
def test_an_account_that_is_gone_has_no_access(live: psycopg.Connection, github: FakeGitHub) -> None:
    """GitHub answers 404 about somebody who is no user any more."""
    del github.world.find(REPO).permissions["Mate"]  # type: ignore[union-attr]
    found = asked(live, github)
    assert found.failed == {}
    assert [row[:2] for row in answers(live)] == [("keel", "maintain"), ("mate", "none")]


@pytest.mark.usefixtures("people")
def test_a_repository_that_is_gone_does_not_take_everybodys_access(
    live: psycopg.Connection, github: FakeGitHub
) -> None:
    """404 about everybody may mean that the token does not see the repository, so that is asked about, too."""
    github.fault(status=404, times=None)
    with pytest.raises(NotFound):
        asked(live, github)
    assert answers(live) == []


@pytest.mark.usefixtures("people")
def test_a_token_that_may_not_ask_is_told_once_and_said_so(
    live: psycopg.Connection, github: FakeGitHub
) -> None:
    """The endpoint takes push access; without it every question would be refused."""
    github.add_token("of-a-reader", push=False)
    found = asked(live, github, token="of-a-reader")
    assert "does not tell this token who may write to harbor/tide" in found.refused
    assert "push access" in found.refused
    assert (len(logins(github)), found.answered, found.failed) == (1, 0, {})


@pytest.mark.usefixtures("people")
def test_one_failing_login_does_not_keep_the_others_from_their_answers(
    live: psycopg.Connection, github: FakeGitHub
) -> None:
    """It keeps the answer it had, is named, and is asked about again next time."""
    asked(live, github)
    later = NOW + timedelta(days=40)
    github.fault("Mate/permission", status=502, times=None)
    found = asked(live, github, now=later)
    assert list(found.failed) == ["Mate"]
    assert (found.answered, found.refused) == (1, "")
    assert answers(live) == [("keel", "maintain", NOW, later), ("mate", "triage", NOW, NOW)]


@pytest.mark.usefixtures("people")
def test_a_malformed_answer_is_no_answer(live: psycopg.Connection, github: FakeGitHub) -> None:
    """Something else in a body of 200 must not pass for `none`."""
    github.fault("Mate/permission", alter=lambda _: [], times=None)
    github.fault("keel/permission", alter=lambda body: {"user": body["user"]}, times=None)
    found = asked(live, github)
    assert sorted(found.failed) == ["Mate", "keel"]
    assert answers(live) == []


def test_failures_in_a_row_end_the_pass(live: psycopg.Connection, people: int, github: FakeGitHub) -> None:
    """Then it is GitHub that fails, and asking on would take hours of retries."""
    for number in range(2 * PATIENCE):
        closed = {"event": "closed", "actor": user(f"mate-{number}"), "created_at": "2024-01-01T00:00:00Z"}
        stage(live, people, "event", number, 1, closed)
    github.fault("/permission", status=500, times=None)
    found = asked(live, github)
    assert len(found.failed) == PATIENCE
    assert f"{PATIENCE} questions about permissions failed in a row" in found.refused


def test_failures_far_between_do_not_end_the_pass(
    live: psycopg.Connection, people: int, github: FakeGitHub
) -> None:
    """Each answer shows that GitHub is there."""
    for number in range(4 * PATIENCE):
        closed = {"event": "closed", "actor": user(f"mate-{number:02}"), "created_at": "2024-01-01T00:00:00Z"}
        stage(live, people, "event", number, 1, closed)
    github.fault(r"mate-\d[02468]/permission", status=500, times=None)
    found = asked(live, github)
    assert len(found.failed) == 2 * PATIENCE
    assert (found.refused, found.answered) == ("", 2 * PATIENCE + 2)


@pytest.mark.usefixtures("people")
def test_what_was_answered_before_the_end_is_kept(live: psycopg.Connection, github: FakeGitHub) -> None:
    """A token that is revoked, or a quota that ends, in the middle takes nothing back."""
    github.add_token("short", requests_left=1)
    with pytest.raises(BadToken):
        asked(live, github, token="short")
    assert [row[0] for row in answers(live)] == ["mate"]


@pytest.mark.usefixtures("people")
def test_a_used_up_quota_ends_the_pass_by_its_own_name(live: psycopg.Connection, github: FakeGitHub) -> None:
    """It is no answer about anybody."""
    github.limits.core = 1
    with pytest.raises(Exhausted):
        asked(live, github)
    assert [row[0] for row in answers(live)] == ["mate"]


@pytest.mark.usefixtures("people")
def test_a_renamed_repository_is_named(live: psycopg.Connection, github: FakeGitHub) -> None:
    """The new name is in the error."""
    github.world.rename(REPO, "harbor/flood")
    with pytest.raises(Moved, match="harbor/flood"):
        asked(live, github)


def test_more_answers_than_are_kept_at_a_time(
    live: psycopg.Connection, people: int, github: FakeGitHub
) -> None:
    """Nothing is lost or told twice at a border."""
    crew = [f"mate-{number:02}" for number in range(2 * KEEP_EVERY)]
    github.world.find(REPO).permissions.update(dict.fromkeys(crew, "write"))  # type: ignore[union-attr]
    for number, login in enumerate(crew):
        closed = {"event": "closed", "actor": user(login), "created_at": "2024-01-01T00:00:00Z"}
        stage(live, people, "event", number, 1, closed)
    found = asked(live, github)
    assert (found.answered, found.changed, len(answers(live))) == (2 * KEEP_EVERY + 2,) * 3


# -- the asset and its verb ------------------------------------------------------------------------------


def materialised(database_url: str, config: dict[str, Any] | None = None) -> dict[str, Any]:
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("repos", [REPO])
        result = dg.materialize(
            [authors], instance=instance, partition_key=REPO, resources={"store": Store(url=database_url)},
            run_config={**(config or {}), "loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            raise_on_error=True,
        )  # fmt: skip
        (event,) = result.get_asset_materialization_events()
        return {
            key: value.value
            for key, value in event.step_materialization_data.materialization.metadata.items()
        }


@pytest.fixture
def online(
    live: psycopg.Connection, people: int, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> int:
    """An environment that names the fake GitHub, and a repository that comes from it."""
    live.execute("UPDATE relore.repos SET source_kind = 'api'")
    monkeypatch.setenv("RELORE_HOME", str(tmp_path))
    monkeypatch.setenv("RELORE_GITHUB_URL", github.url)
    monkeypatch.setenv("GITHUB_TOKEN", github.token)
    monkeypatch.delenv("GITHUB_TOKEN_FILE", raising=False)
    monkeypatch.setenv("RELORE_BOT_ACCOUNTS", "Ci-User")
    return people


def mark(conn: psycopg.Connection) -> tuple[Any, ...]:
    row = conn.execute(
        "SELECT stated, done, skipped, error, last_ok_at IS NOT NULL FROM relore.sync_state WHERE pass = 'authority'"
    ).fetchone()
    assert row is not None
    return row


@pytest.mark.usefixtures("online")
def test_the_asset_asks_nobody_unless_told(database_url: str, github: FakeGitHub) -> None:
    """Deriving stays offline."""
    assert materialised(database_url)["people_unresolved"] == 1
    assert len(github.log) == 0


@pytest.mark.usefixtures("online", "github")
def test_the_asset_asks_when_told_and_counts(live: psycopg.Connection, database_url: str) -> None:
    """Answers become standing in the same run, requests show in its activity, and the pass leaves its mark."""
    found = materialised(database_url, ASKING)
    assert (found["candidates"], found["permissions_answered"], found["permissions_failed"]) == (2, 2, 0)
    assert found["by_permission"] == 1
    assert (found["people_authoritative"], found["people_unresolved"], found["people_machine"]) == (2, 1, 2)
    assert mark(live) == (2, 2, {}, None, True)
    requests = live.execute("SELECT pass, requests FROM relore.fetch_activity").fetchall()
    assert requests == [("authority", {"collaborators/*/permission": 2})]


def test_without_a_token_standing_rests_on_acts(
    live: psycopg.Connection, database_url: str, online: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is a limit and no failure."""
    monkeypatch.delenv("GITHUB_TOKEN")
    stage(live, online, "pull", 2, 2, pull(2, merged_at="2024-01-01T00:00:00Z", merged_by=user("keel")))
    found = materialised(database_url, ASKING)
    assert (found["by_merged"], found["permissions_answered"]) == (1, 0)


@pytest.mark.usefixtures("online")
def test_a_refused_token_leaves_its_reason_in_the_mark(
    live: psycopg.Connection, database_url: str, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that status can say why nobody's permission is known."""
    github.add_token("of-a-reader", push=False)
    monkeypatch.setenv("GITHUB_TOKEN", "of-a-reader")
    materialised(database_url, ASKING)
    stated, done, skipped, error, well = mark(live)
    assert (stated, done, list(skipped.values()), error, well) == (2, 0, [2], None, True)
    assert "does not tell this token" in next(iter(skipped))


def test_a_wrong_token_fails_the_run_after_acts_have_been_counted(
    live: psycopg.Connection, database_url: str, online: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that is known without GitHub waits for it."""
    monkeypatch.setenv("GITHUB_TOKEN", "of-nobody")
    stage(live, online, "pull", 2, 2, pull(2, merged_at="2024-01-01T00:00:00Z", merged_by=user("keel")))
    with pytest.raises(BadToken):
        materialised(database_url, ASKING)
    assert live.execute("SELECT reason FROM relore.authors WHERE login = 'keel'").fetchall() == [("merged",)]
    *_, error, well = mark(live)
    assert "token" in error
    assert not well


@pytest.mark.usefixtures("online")
def test_of_an_archives_repository_github_is_asked_only_when_told_twice(
    live: psycopg.Connection, database_url: str, github: FakeGitHub
) -> None:
    """An archive may be of a repository that is not there under this name."""
    live.execute("UPDATE relore.repos SET source_kind = 'archive'")
    materialised(database_url, ASKING)
    assert len(github.log) == 0
    materialised(database_url, {"ops": {"authors": {"config": {"again": True}}}})
    assert logins(github) == ["Mate", "keel"]


def test_offline_and_refresh_exclude_each_other() -> None:
    """The verb refuses before anything starts."""
    refused = CliRunner().invoke(cli, ["authority", "--repo", REPO, "--offline", "--refresh"])
    assert refused.exit_code == 2
    assert "exclude each other" in refused.output


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_every_statement_is_used(name: str) -> None:
    """A statement that nobody calls is a statement that nobody tests."""
    package = files("relore_assets.authority")
    source = "".join(package.joinpath(name).read_text("utf-8") for name in ("permissions.py", "asking.py"))
    assert f'"{name}"' in source
