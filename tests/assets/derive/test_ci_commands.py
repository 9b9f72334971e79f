"""Which comments are only commands to bots, and what derive makes of them."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import REPO, comment, issue, pull, review, user

from relore_assets.authority.lookup import Standing
from relore_assets.authority.standing import Account, intervals
from relore_assets.derive.ci_commands import (
    MAX_CHARACTERS,
    MAX_WORDS,
    _is_command,
    is_bot_name,
    is_only_commands,
)
from relore_assets.derive.fold import fold
from relore_assets.derive.rows import DocumentRow
from relore_assets.derive.staged import gather

COMMANDS = [
    "/retest",
    "/test pull-kubernetes-e2e-gce",
    "/lgtm\n/approve",
    "/lgtm\r\n/approve\r\n".replace("\r\n", "\n"),
    "/assign @keel @mate",
    "/cherry-pick release-1.2",
    "/kind bug",
    "/milestone v1.2",
    "/azp run",
    "/azp run ci-full",
    "/hold",
    "/close not-planned",
    "/retitle Make the store work on arm64",
    "/run-all-benchmarks",
    "`/retest`",
    "  /retest  ",
    "@bors r+",
    "@bors r=keel rollup=iffy p=1",
    "@bors: retry",
    "@bors try @rust-timer queue",
    "@bors delegate+",
    "@bors r+ thanks!",
    "@bors: r+ 4ca9fa5 p=20",
    "@bors: p=20 r+",
    "@bors: retry force clean",
    "@bors: rollup-",
    "@bors: force",
    "bors r+",
    "bors merge",
    "r? @keel",
    "@rustbot label +T-compiler -A-diagnostics",
    "@rust-timer build 1a2b3c4 parent=5d6e7f8",
    "@rfcbot fcp merge",
    "@dependabot rebase",
    "@dependabot ignore this major version",
    "@dependabot[bot] recreate",
    "@googlebot I signed it!",
    "@meeseeksdev backport to 1.2.x",
    "@conda-forge-admin, please rerender",
    "@pytorchbot merge -f 'unrelated failures'",
    "@k8s-ci-robot test this",
    "@swift-ci please smoke test",
    "@DrahtBot rerun CI",
    "@copilot squash the commits",
    "Jenkins, test this please",
    "retest this please",
    "Recheck",
    "ok to test",
    "run-slow: bert, gpt2",
    "run_slow: models/bert,models/gpt2",
    "[run-slow] bert",
    "[run_slow]bert,gpt2",
    "!test",
    "@bors try\n\n@rust-timer queue",
    "> Build failed on arm64.\n\n/retest",
]

WORDS = [
    "",
    "\n \n",
    "LGTM",
    "+1",
    "ACK 1a2b3c4",
    "utACK",
    "rebuild",
    "Please test",
    "Run the tests on arm64 before you merge this.",
    "cc @keel",
    "@keel review please",
    "@keel r+",
    "@talbot rebase",
    "@robot-dreams review",
    "@bot-author test",
    "@bors",
    "@bors is down again",
    "@bors why?",
    "@dependabot why did you close this?",
    "@DrahtBot is wrong here",
    "@dependabot-like tools review this",
    "@rfcbot concern abi\n\nThis changes the layout of the struct.",
    "LGTM!\n\n@bors r+",
    "@bors r+\n\nThe lock must stay: without it two writers meet.",
    "@pytorchbot revert -m 'Breaks internal builds because the symbol is gone from the header'",
    "/hold until we know what becomes of the layout question",
    "/close not relevant any more since the store moved",
    "/usr/bin/ld: cannot find -lm",
    "/opt",
    "/etc is missing here",
    "/home",
    "/dev/null",
    "/s",
    "/shrug whatever works for everybody",
    "r? ",
    "r=me with the comments addressed",
    "p=2 is the group order",
    "d-day",
    "run-slow: because I want to see whether it is flaky",
    "[run-slow] because nobody has run it since",
    "!important",
    "![screenshot](https://example.invalid/a.png)",
    "> @bors r+",
    "> /retest\n\nThis did nothing, it seems.",
    "```\n/retest\n```",
    "~~~\n@bors r+\n~~~",
    "To run it again:\n\n    /retest",
    "    /retest",
    "- /retest",
    "| /retest |",
]


@pytest.mark.parametrize("text", COMMANDS)
def test_commands_are_recognised(text: str) -> None:
    """Slash commands, bots that are told to do something, and the phrases that trigger by themselves."""
    assert is_only_commands(text)


@pytest.mark.parametrize("text", WORDS)
def test_words_for_people_are_not(text: str) -> None:
    """A reason, a verdict, a question, a path, an example of a command: all of these are somebody's words."""
    assert not is_only_commands(text)


@pytest.mark.parametrize("text", [text for text in COMMANDS if not text.startswith(">")])
def test_a_sentence_beside_a_command_makes_it_a_persons(text: str) -> None:
    """One line for people is enough, before or after."""
    assert not is_only_commands(f"{text}\n\nThe failure is not ours.")
    assert not is_only_commands(f"The failure is not ours.\n{text}")


def test_few_plain_words_are_arguments_and_more_are_a_sentence() -> None:
    """Whoever gives a reason speaks to people."""
    few = " ".join(["word"] * MAX_WORDS)
    assert is_only_commands(f"/hold {few}")
    assert not is_only_commands(f"/hold {few} more")
    assert is_only_commands(f"/test {' '.join(f'job-{number}' for number in range(40))}")


def test_nobody_commands_at_length() -> None:
    """What is longer than any command is somebody's, whatever it looks like."""
    assert is_only_commands("/retest\n" * (MAX_CHARACTERS // 8))
    assert not is_only_commands("/retest\n" * (MAX_CHARACTERS // 8 + 1))


@pytest.mark.parametrize(
    ("login", "is_bot"),
    [
        ("dependabot", True), ("DrahtBot", True), ("k8s-ci-robot", True), ("cla_bot", True), ("swift-ci", True),
        ("anything[bot]", True), ("talbot", False), ("Abbot", False), ("robot-dreams", False), ("bot", False),
        ("Bot", False), ("ci", False), ("keel", False),
    ],
)  # fmt: skip
def test_names_of_bots(login: str, *, is_bot: bool) -> None:
    """Commands are sent to accounts that are named for it."""
    assert is_bot_name(login) is is_bot


@given(st.text(st.sampled_from("/@!>`r+-=?:, \nabBot"), max_size=60))
def test_the_last_line_is_like_every_other(text: str) -> None:
    """A comment of commands stays one when it is said twice, and blank lines say nothing."""
    assert is_only_commands(text) is is_only_commands(f"\n\n{text}\n\n{text}\n")


@pytest.mark.parametrize("piece", ["/a ", "@bors ", "a-", "run-slow: a,", "r?", "@a-", "!a", "> ", "please "])
def test_the_rule_is_linear(piece: str) -> None:
    """Lines of any shape cost what their length costs, also beyond the limit; measured against itself."""

    def cost(count: int) -> float:
        text = piece * count
        began = time.process_time()
        for line in text.split("\n"):
            _is_command(line.strip())
        return time.process_time() - began

    cost(1_000)
    small, large = max(cost(20_000), 1e-4), cost(160_000)
    assert large < small * 8 * 6


# -- in derive -------------------------------------------------------------------------------------------


def rows_of(*objects: tuple[str, dict[str, Any]], standing: Standing | None = None) -> dict[str, DocumentRow]:
    staged = gather(2, objects)
    assert staged is not None
    found = fold(staged, REPO, standing or Standing([])).documents
    return {f"{row.source_type} {row.source_id}": row for row in found}


def test_a_maintainers_command_is_a_machines_and_its_author_stays_human() -> None:
    """The text is machine tier; its author's other words keep theirs."""
    owner = Standing(intervals([Account("keel", "OWNER", is_bot=False)], []))
    rows = rows_of(
        ("pull", pull(2)),
        ("issue_comment", comment(9, "@bors r+", user=user("keel"))),
        ("issue_comment", comment(10, "We keep the lock.", user=user("keel"))),
        ("review", review(11, "APPROVED", "/lgtm")),
        ("review_comment", comment(12, "/retest", path="a.c", diff_hunk="@@ -1 +1 @@\n-a\n+b")),
        standing=owner,
    )
    told = {
        key: (row.trust, row.machine, row.author) for key, row in rows.items() if not key.startswith("title")
    }
    assert told == {
        "issue_comment 9": ("machine", True, "keel"),
        "issue_comment 10": ("authoritative", False, "keel"),
        "review 11": ("machine", True, "keel"),
        "review_comment 12": ("machine", True, "buoy"),
    }


def test_titles_bodies_and_commits_are_never_commands() -> None:
    """What opens a thread is what it is about, however short."""
    rows = rows_of(("issue", issue(2, title="/retest", body="/retest")))
    assert {key: row.trust for key, row in rows.items()} == {"title 2": "reported", "body 2": "reported"}


def test_what_github_hides_does_not_make_a_command_a_sentence() -> None:
    """Bots and templates leave HTML comments behind."""
    rows = rows_of(("issue", issue(2)), ("issue_comment", comment(9, "<!-- sent by a template -->\n/retest")))
    assert rows["issue_comment 9"].trust == "machine"


def test_a_bots_own_account_is_a_machine_whatever_it_says() -> None:
    """Kept with the row, for passes that see no payload."""
    rows = rows_of(
        ("issue", issue(2)), ("issue_comment", comment(9, "All is well.", user=user("helper", "Bot")))
    )
    assert (rows["issue_comment 9"].trust, rows["issue_comment 9"].machine) == ("machine", True)


def test_an_account_that_standing_calls_a_machine_is_not_kept_with_the_row() -> None:
    """The operator's list may change; what follows from it is standing, and moves with it."""
    listed = Standing(intervals([], [], configured_bots=frozenset({"buoy"})))
    rows = rows_of(("issue", issue(2)), ("issue_comment", comment(9, "All is well.")), standing=listed)
    assert (rows["issue_comment 9"].trust, rows["issue_comment 9"].machine) == ("machine", False)
