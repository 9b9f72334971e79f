"""The doctor asks GitHub once for everything that fetching needs, and names the right that is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from relore_assets.commands import doctor
from relore_assets.fetch.repos import BadNameError
from relore_assets.local.preflight import preflight
from relore_assets.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from fake_github import FakeGitHub, Repository

    from relore_assets.local.doctor import Finding

NAME = "harbor/tide"
LISTS = ("/issues", "/issues/comments", "/pulls", "/pulls/comments")


@pytest.fixture
def repo(github: FakeGitHub) -> Repository:
    """A repository with one of everything."""
    repo = github.world.repository(NAME)
    repo.issue(1, title="Leak", user="buoy")
    repo.comment(1, "Here too.", user="gull")
    repo.pull(2, title="Mend the leak", user="keel")
    repo.review(2, "APPROVED", user="gull")
    repo.review_comment(2, "Tight.", user="gull")
    return repo


@pytest.fixture(autouse=True)
def environment(github: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("GITHUB_TOKEN_FILE", "RELORE_GITHUB_APP_ID", "RELORE_GITHUB_APP_KEY_FILE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.delenv("RELORE_GITHUB_APP_INSTALLATION", raising=False)
    monkeypatch.setenv("RELORE_GITHUB_URL", github.url)
    monkeypatch.setenv("GITHUB_TOKEN", github.token)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """State in a folder of the test."""
    return Settings(home=tmp_path)


def told(settings: Settings, name: str = NAME) -> dict[str, Finding]:
    """Return what the preflight finds, by subject."""
    return {finding.subject: finding for finding in preflight(settings, name)}


def faults(settings: Settings, name: str = NAME) -> dict[str, Finding]:
    """Return what it finds wrong."""
    return {subject: finding for subject, finding in told(settings, name).items() if not finding.healthy}


@pytest.mark.usefixtures("repo")
def test_everything_that_is_needed_is_asked_for_once(settings: Settings, github: FakeGitHub) -> None:
    """And no more."""
    findings = told(settings)

    assert [finding for finding in findings.values() if not finding.healthy] == []
    assert list(findings) == [
        *("github", "issues", "comments", "pulls", "inline", "graphql", "permission", "quota"),
    ]
    endpoints = [
        *("/repos/{owner}/{repo}", *(f"/repos/{{owner}}/{{repo}}{path}" for path in LISTS), "/graphql"),
        "/repos/{owner}/{repo}/collaborators/{login}/permission",
    ]
    assert sorted(entry.endpoint for entry in github.log) == sorted(endpoints)


@pytest.mark.parametrize(
    ("permissions", "missing"),
    [
        ({"issues"}, {"pulls", "inline", "graphql"}),
        ({"pull_requests"}, {"issues", "graphql"}),
        (set[str](), {"issues", "comments", "pulls", "inline", "graphql"}),
    ],
    ids=["issues-only", "pulls-only", "nothing"],
)
@pytest.mark.usefixtures("repo")
def test_a_missing_right_is_named_before_work_begins(
    settings: Settings,
    github: FakeGitHub,
    monkeypatch: pytest.MonkeyPatch,
    permissions: set[str],
    missing: set[str],
) -> None:
    """Each list that it closes, and the right in GitHub's words."""
    github.add_token("narrow", permissions=permissions)
    monkeypatch.setenv("GITHUB_TOKEN", "narrow")

    found = faults(settings)

    assert set(found) == missing
    if "pulls" in missing:
        assert "Give the token the right pull_requests=read" in found["pulls"].remedy
    if "issues" in missing:
        assert "Give the token the right issues=read" in found["issues"].remedy


@pytest.mark.usefixtures("repo")
def test_every_token_is_examined(
    settings: Settings, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any of them may be used for anything, so what one lacks is missing."""
    github.add_token("narrow", permissions={"issues"})
    monkeypatch.setenv("GITHUB_TOKEN", f"{github.token}, narrow")

    findings = list(preflight(settings, NAME))

    second = [finding.subject for finding in findings].index("token", 1)
    assert [finding.text for finding in findings if finding.subject == "token"] == [
        "GITHUB_TOKEN number 1",
        "GITHUB_TOKEN number 2",
    ]
    assert all(finding.healthy for finding in findings[:second])
    assert {finding.subject for finding in findings if not finding.healthy} == {"pulls", "inline", "graphql"}


@pytest.mark.usefixtures("repo")
def test_not_being_told_of_peoples_rights_is_no_fault(
    settings: Settings, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is another way, and the doctor says which."""
    github.add_token("guest", push=False)
    monkeypatch.setenv("GITHUB_TOKEN", "guest")

    finding = told(settings)["permission"]

    assert finding.healthy
    assert "standing comes from dated acts" in finding.text


def test_a_token_that_github_does_not_know_ends_it(
    settings: Settings, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence, one remedy, and not the token."""
    monkeypatch.setenv("GITHUB_TOKEN", "gh-mistyped")

    findings = list(preflight(settings, NAME))

    assert [finding.subject for finding in findings] == ["github"]
    assert "Make a new token" in findings[0].remedy
    assert "mistyped" not in str(findings)
    assert len(github.log) == 1


def test_no_token_at_all_is_found_without_asking(
    settings: Settings, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GitHub would answer, at a rate that no history can be fetched at."""
    monkeypatch.delenv("GITHUB_TOKEN")

    assert "Set GITHUB_TOKEN" in faults(settings)["github"].remedy
    assert len(github.log) == 0


def test_a_repository_that_is_not_there_or_elsewhere_is_said(
    settings: Settings, github: FakeGitHub, repo: Repository
) -> None:
    """With the name it has now."""
    assert "Check the spelling" in faults(settings, "harbor/none")["github"].remedy
    github.world.rename(NAME, "harbor/flood")
    assert "Use harbor/flood" in faults(settings)["github"].remedy
    repo.blocked = True
    assert "legal reasons" in faults(settings, "harbor/flood")["github"].text


def test_disabled_issues_are_a_fact_and_no_fault(settings: Settings, repo: Repository) -> None:
    """The pull requests can be fetched."""
    repo.issues_disabled = True

    findings = told(settings)

    assert findings["issues"].healthy
    assert findings["issues"].text.startswith("issues are disabled there")
    assert findings["pulls"].healthy


def test_an_empty_repository_is_in_order(settings: Settings, github: FakeGitHub) -> None:
    """There is nobody to ask about."""
    github.world.repository(NAME)

    findings = told(settings)

    assert all(finding.healthy for finding in findings.values())
    assert findings["issues"].text == "issues can be read; there are none"
    assert findings["permission"].text == "nobody to ask about yet"


@pytest.mark.usefixtures("repo")
def test_a_quota_that_is_used_up_is_not_waited_for(settings: Settings, github: FakeGitHub) -> None:
    """Somebody is looking on: the doctor says until when it lasts."""
    github.limits.core = 2

    findings = list(preflight(settings, NAME))

    assert [finding.subject for finding in findings] == ["github", "issues", "comments"]
    assert findings[-1].remedy.startswith("Wait until ")


@pytest.mark.usefixtures("repo")
def test_the_verb_adds_github_to_what_it_examines(
    tmp_path: Path, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And ends with 1 for a right that is missing, as for any other fault."""
    monkeypatch.setenv("RELORE_HOME", str(tmp_path))
    monkeypatch.setenv("RELORE_DATABASE_URL", "postgresql://127.0.0.1:1/relore")
    github.add_token("narrow", permissions={"issues"})
    monkeypatch.setenv("GITHUB_TOKEN", "narrow")

    done = CliRunner().invoke(doctor.command, ["--repo", NAME], standalone_mode=False)

    lines = [line.split(maxsplit=2)[:2] for line in done.stdout.splitlines()]
    assert ["ok", "python"] in lines
    assert ["ok", "issues"] in lines
    assert ["FAULT", "pulls"] in lines
    assert done.return_value == 1


def test_a_name_that_is_none_is_refused_before_anything_is_examined() -> None:
    with pytest.raises(BadNameError):
        CliRunner().invoke(doctor.command, ["--repo", "tide"], catch_exceptions=False)
