"""What each slice asks, of whom, as of when, without which threads, and what it takes for the answer."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from made import days
from rows import History

from relore_assets.mine.mining import MINED, find
from relore_assets.mine.source import Source

if TYPE_CHECKING:
    from relore_assets.mine.example import Example, Slice
    from relore_serve.search.scope import Repo

PROSE = "The bilge fills while the Pump stalls, and nobody on the quay notices it before the tide has turned again."


def mined(history: History, repo: Repo, *slices: Slice) -> list[Example]:
    """Return the questions of some slices."""
    history.fold()
    return find(Source(history.conn, repo.id, repo.name), slices)


def fleet(history: History, repo: Repo) -> None:
    """Old threads whose titles tell what the repository is about."""
    history.thread(repo, 201, "Ballast pump drains onto the winch lock", at=days(300))
    history.thread(repo, 202, "Drain the ballast pump, lock the winch", at=days(299))


def closing_history(history: History) -> Repo:
    """Issue 1, which #2 closed; #3 came too late, #4 was not merged, #5 names #2."""
    repo = history.repo()
    history.thread(
        repo,
        1,
        "Pump stalls",
        f"{PROSE}\n```\nValueError: in code\n```\n> quoted <!-- hidden -->",
        at=days(40),
    )
    history.thread(repo, 2, "Restart the impeller", "Fixes #1.", kind="pr", merged=True, at=days(30))
    history.thread(repo, 3, "And again", "Closes: https://x.test", kind="pr", merged=True, at=days(20))
    history.thread(repo, 4, "Another way", "Fixes #1.", kind="pr", state="closed", at=days(35))
    history.thread(repo, 5, "Notes", "What #2 did.", at=days(10))
    for number in (2, 3, 4):
        history.link(repo, number, "closes", 1)
    history.link(repo, 5, "mentions", 2)
    return repo


def test_closing_title_asks_the_title_of_today(history: History) -> None:
    """Only the issue is withheld, nothing is cut off, and every merged pull request whose body claims it answers."""
    [asked] = mined(history, closing_history(history), "closing-title")

    assert (asked.query, asked.withheld, asked.before, asked.relevant) == ("Pump stalls", (1,), None, (2, 3))
    assert (asked.asked.source_type, asked.asked.number, asked.asked.at) == ("title", 1, days(40))
    assert {answer.judged_by for answer in asked.answers} == {"record"}
    assert asked.evidence["by_number"] == 1


def test_closing_text_adds_the_beginning_of_the_prose(history: History) -> None:
    """Code, quotes and what is hidden are no prose; its case is kept."""
    repo = closing_history(history)
    history.thread(repo, 6, "Short", "Says hardly anything.", at=days(40))
    history.link(repo, 2, "closes", 6)
    history.thread(repo, 7, "Long", "A1 " * 200, at=days(40))
    history.link(repo, 2, "closes", 7)

    asked = {each.asked.number: each for each in mined(history, repo, "closing-text")}

    assert set(asked) == {1, 7}
    assert asked[1].query == f"Pump stalls\n{PROSE}"
    assert len(asked[7].query) <= len("Long ") + 240


def test_closing_asks_before_the_answer_was_known(history: History) -> None:
    """Just before the first merge: what was opened later is no answer, and no signpost is left standing."""
    [asked] = mined(history, closing_history(history), "closing")

    assert asked.before == days(29)
    assert (asked.relevant, asked.withheld) == ((2,), (1, 5))
    assert not asked.leaks


def test_names_marked_as_code_stay_in_a_question(history: History) -> None:
    """Nobody who asks leaves them out; blocks of code do not ask. `closing-text` is of prose alone."""
    repo = history.repo()
    body = f"The `winch_lock` is taken when `pump_drain` runs.\n```\nblock\n```\n{PROSE}"
    history.thread(repo, 1, "Winch", body, at=days(40))
    history.thread(repo, 2, "Release it", kind="pr", merged=True, at=days(30))
    history.link(repo, 2, "closes", 1)

    asked = {each.slice: each.query for each in mined(history, repo, "closing", "closing-text")}

    assert asked == {
        "closing": f"Winch\nThe winch_lock is taken when pump_drain runs. {PROSE}",
        "closing-text": f"Winch\nThe is taken when runs. {PROSE}",
    }


@pytest.mark.parametrize(("edited", "query"), [("body", "Pump stalls"), ("title", None)])
def test_words_written_with_the_answer_in_view_are_not_asked(
    history: History, edited: str, query: str | None
) -> None:
    """An opening post that was edited since the merge does not ask; a title that was, ends the question."""
    repo = closing_history(history)
    history.conn.execute(
        "UPDATE relore.documents SET updated_at = %s WHERE source_type = %s AND source_id = '1'",
        [days(1), edited],
    )
    assert [each.query for each in mined(history, repo, "closing")] == ([query] if query else [])


def test_a_commit_that_stands_in_two_pull_requests_closes_by_the_one_that_says_so(history: History) -> None:
    """A pull request that is built upon another carries its commits."""
    repo = history.repo()
    history.thread(repo, 1, "Pump stalls", PROSE, at=days(40))
    history.thread(repo, 2, "Restart it", kind="pr", merged=True, at=days(30))
    history.thread(repo, 3, "Built upon it", kind="pr", merged=True, at=days(29))
    history.link(repo, 2, "closes", 1, source="body")
    for number in (2, 3):
        history.link(repo, number, "closes", 1, source="commit")

    assert [each.relevant for each in mined(history, repo, "closing")] == [(2,)]


def test_a_duplicate_asks_for_its_original(history: History) -> None:
    """As of when it was called one; the original is older, and the duplicate was closed."""
    repo = history.repo()
    history.thread(repo, 1, "Pump stalls", PROSE, at=days(90))
    history.thread(repo, 2, "The pump hangs", PROSE, at=days(50), state="closed")
    history.thread(repo, 3, "Still open", PROSE, at=days(49))
    history.thread(repo, 4, "Newer", PROSE, at=days(48))
    said = {"source": "issue_comment"}
    history.link(repo, 2, "duplicates", 1, stated_at=days(45), **said)
    history.link(repo, 2, "duplicates", 1, stated_at=days(44), **said)
    history.link(repo, 2, "duplicates", 4, stated_at=days(46), **said)
    history.link(repo, 3, "duplicates", 1, stated_at=days(45), **said)

    [asked] = mined(history, repo, "duplicate")

    assert (asked.asked.number, asked.relevant, asked.withheld, asked.before) == (2, (1,), (2,), days(45))
    assert asked.query == f"The pump hangs\n{PROSE}"


SHA = "1a2b3c4d" * 5
FINDING = "Shouldn't the `winch_lock` be taken before the Pump is drained of the ballast water?"


def conversation(history: History, reply: str) -> Repo:
    """A finding on #1 and a reply to it; #7 was opened in between, #8 before, #9 is an issue."""
    repo = history.repo()
    history.thread(repo, 1, "Winch", kind="pr", at=days(40))
    history.thread(repo, 7, "Take the lock first", kind="pr", merged=True, at=days(20))
    history.thread(repo, 8, "Before it all", kind="pr", merged=True, at=days(60))
    history.thread(repo, 9, "An issue", at=days(20))
    history.conn.execute(
        "INSERT INTO relore.commits (repo_id, sha, thread_id, how)"
        " SELECT repo_id, %s, id, 'pull' FROM relore.threads WHERE number = 7",
        [SHA],
    )
    inline = {"source_type": "review_comment", "path": "src/winch.c"}
    root = history.comment(repo, 1, FINDING, author="ada", at=days(30), **inline)
    history.comment(repo, 1, "My own second thoughts", author="bob", at=days(25), in_reply_to=root, **inline)
    history.comment(repo, 1, reply, author="bob", at=days(10), in_reply_to=root, **inline)
    return repo


@pytest.mark.parametrize(
    ("reply", "answers"),
    [
        ("Done in #7.", (7,)),
        ("Good catch! Fixed in https://github.com/acme/widgets/pull/7#issue-1, thanks.", (7,)),
        ("Addressed by [the other one](https://github.com/acme/widgets/pull/7)", (7,)),
        (f"Fixed in `{SHA[:8]}`.", (7,)),
        (f"Fixed in https://github.com/acme/widgets/commit/{SHA}.", (7,)),
        ("Opened #7 for that.", (7,)),
        ("It was already done in #8, which nobody saw.", (8,)),
        ("See #7.", (7,)),
        ("#7", (7,)),
        ("See #8.", ()),  # it was there before the finding: no answer to it
        ("See #7, where the whole matter of ballast tanks is discussed at length by others", ()),
        ("Not fixed in #7.", ()),
        ("This would be fixed in #7.", ()),
        ("> Done in #7.\n\nReally?", ()),
        ("Done in #9.", ()),  # an issue answers nothing
        ("Done in #1.", ()),  # the thread itself
        ("Done in other/place#7.", ()),
        ("Done in #99999999999999999999.", ()),
        ("Fixed in 0000000.", ()),
    ],
)
def test_an_inline_comment_is_answered_where_a_reply_says_so(
    history: History, reply: str, answers: tuple[int, ...]
) -> None:
    asked = mined(history, conversation(history, reply), "answered")

    assert [each.relevant for each in asked] == ([answers] if answers else [])
    for each in asked:
        assert each.query == FINDING.replace("`", "")
        assert (each.withheld, each.before, each.asked.source_type) == ((1,), days(10), "review_comment")


def test_a_comment_that_stands_under_several_threads_is_not_what_was_answered(history: History) -> None:
    repo = conversation(history, "Done in #7.")
    history.thread(repo, 11, "Another winch", kind="pr", at=days(40))
    inline = {"source_type": "review_comment", "path": "src/winch.c"}
    root = history.comment(repo, 11, FINDING, author="ada", at=days(30), **inline)
    history.comment(repo, 11, "Done in #7.", author="bob", at=days(10), in_reply_to=root, **inline)

    assert mined(history, repo, "answered") == []


def test_what_the_replier_asked_before_is_not_what_was_answered(history: History) -> None:
    """The last word of somebody else is."""
    repo = conversation(history, "Done in #7.")
    [asked] = mined(history, repo, "answered")
    by = "SELECT author FROM relore.documents WHERE source_type = 'review_comment' AND source_id = %s"
    assert history.conn.execute(by, [asked.asked.source_id]).fetchone() == ("ada",)


PASTE = """It fails:

```
$ make check
line before
Traceback (most recent call last):
  File "pump.py", line 3, in drain
ValueError: impeller is stuck at 12 degrees
```
"""


@pytest.mark.parametrize("said", ["claim", "comment"])
def test_a_pasted_failure_asks_for_what_settled_it(history: History, said: str) -> None:
    """A claim to close, or a comment that says where it was fixed; as pasted, without the words around it."""
    repo = history.repo()
    history.thread(repo, 1, "Help", PASTE, at=days(40), state="closed")
    history.thread(repo, 2, "Free the impeller", kind="pr", merged=True, at=days(30))
    history.thread(repo, 3, "Only mentions an error", "ValueError: something", at=days(40), state="closed")
    if said == "claim":
        history.link(repo, 2, "closes", 1)
        history.link(repo, 2, "closes", 3)
    else:
        history.comment(repo, 1, "This was fixed in #2.", at=days(5))

    [asked] = mined(history, repo, "traceback")

    assert (asked.relevant, asked.withheld, asked.before) == ((2,), (1,), days(29))
    assert asked.query.splitlines()[-1] == "ValueError: impeller is stuck at 12 degrees"
    assert "It fails" not in asked.query


def test_a_failure_met_again_asks_for_those_who_met_it_before(history: History) -> None:
    """In words of its line, no filter; the other carriers are proposed, and nothing is known."""
    repo = history.repo()
    for number, at in ((1, 50), (2, 40), (3, 30)):
        history.thread(
            repo,
            number,
            f"Report {number}",
            f"```\nValueError: impeller Stuck at {number} degrees\n```",
            at=days(at),
        )

    [asked] = mined(history, repo, "failure")

    assert (asked.asked.number, asked.proposed, asked.relevant) == (3, (1, 2), ())
    assert (asked.withheld, asked.before) == ((3,), days(30))
    assert asked.query == "impeller Stuck degrees"
    assert (asked.filters.kind, asked.filters.errors) == ("failure", ())


def test_a_failure_that_is_met_everywhere_asks_nothing(history: History) -> None:
    repo = history.repo()
    for number in range(1, 10):
        history.thread(
            repo, number, "Report", "```\nValueError: impeller is stuck at last\n```", at=days(number)
        )
    assert mined(history, repo, "failure") == []


def test_that_a_process_ended_is_no_failure_to_ask_for(history: History) -> None:
    """A tool says so of whatever it ran; what else the line says is too little."""
    repo = history.repo()
    for number in (1, 2):
        history.thread(
            repo,
            number,
            "Report",
            "```\nerror: impeller signal SIGABRT dumping core\n```",
            at=days(50 - number),
        )
    assert mined(history, repo, "failure") == []


@pytest.mark.parametrize(
    ("carried_by", "asks"),
    [
        ({"degre": 5_000}, True),
        ({"degre": 5_000, "stuck": 101}, True),
        ({"degre": 5_000, "stuck": 101, "impel": 26}, False),
    ],
)
def test_a_failure_without_words_that_tell_it_from_others_asks_nothing(
    history: History, carried_by: dict[str, int], *, asks: bool
) -> None:
    """Two words are to be rare, or one all but unique."""
    repo = history.repo()
    for number in (1, 2):
        history.thread(
            repo, number, "Report", "```\nValueError: impeller stuck degrees\n```", at=days(50 - number)
        )
    history.fold()
    for lexeme, documents in carried_by.items():
        known = history.conn.execute(
            "UPDATE relore.term_stats SET documents = %s WHERE lexeme = %s", [documents, lexeme]
        )
        assert known.rowcount == 1, lexeme
    assert bool(find(Source(history.conn, repo.id, repo.name), ["failure"])) == asks


@pytest.mark.parametrize(
    ("comment", "proposed"),
    [
        ("We could do it like #2 with `winch_lock` and `pump_drain` in the ballast code.", (2,)),
        ("Introduced in #2, `winch_lock` never drained the ballast.", (2,)),
        ("See #2, #4, #5 and acme/other#7: `winch_lock` drains the ballast.", (2, 5)),
        ("See #2 & [#5](https://github.com/acme/widgets/pull/5), `winch_lock` drains the ballast.", (2, 5)),
        ("See #2. For the rest, #5 has `winch_lock`, which drains the ballast.", (2,)),
        ("Like #2, the pump drains ballast onto the winch.", (2,)),
        ("`winch_lock` and `pump_drain`: unlike what somebody said, the ballast is in #2.", ()),
        ("Like #4, which is younger, `winch_lock` drains the ballast.", ()),
        ("Like #1, this very thread, `winch_lock` drains the ballast.", ()),
        ("```\nlike #2 winch_lock\n```\nthe ballast pump drains well", ()),
    ],
)
def test_a_comment_that_sends_to_earlier_work_asks_for_it(
    history: History, comment: str, proposed: tuple[int, ...]
) -> None:
    """Its own thread is withheld, and it asks in the index before it was written."""
    repo = history.repo()
    history.thread(repo, 1, "Ballast handling", kind="pr", at=days(40))
    history.thread(repo, 2, "Earlier", kind="pr", merged=True, at=days(90))
    history.thread(repo, 4, "Later", kind="pr", at=days(1))
    history.thread(repo, 5, "Earlier still", at=days(95))
    fleet(history, repo)
    history.comment(repo, 1, comment, at=days(10))

    asked = mined(history, repo, "precedent")

    assert [each.proposed for each in asked] == ([proposed] if proposed else [])
    for each in asked:
        assert (each.withheld, each.before, each.filters.kind) == ((1,), days(10), "precedent")
        assert each.query.startswith("winch_lock" if "`" in comment else "pump drains ballast winch")
        assert each.relevant == ()


@pytest.mark.parametrize(
    "comment",
    [
        "Same smells as in #2, please, a strange bug of mature leading, quicker than you figured.",
        "Welcome! :stuck_out_tongue: :winch_lock: See #2, I figured it was quicker.",
        "Changelog was added in #2. Dropping needs-changelog.",
        "I've opened a rebased PR, see #2, and the PRs are reviewed.",
        "See #2, lately the non-experimental ballast, near and beyond.",
    ],
)
def test_a_comment_without_a_subject_asks_nothing(history: History, comment: str) -> None:
    """What is chatted is rare, and would be chosen for that; the title of its thread alone is no question."""
    repo = history.repo()
    history.thread(repo, 1, "Ballast pump handling", kind="pr", at=days(40))
    history.thread(repo, 2, "Earlier", kind="pr", merged=True, at=days(90))
    fleet(history, repo)
    history.comment(repo, 1, comment, at=days(10))

    assert mined(history, repo, "precedent") == []


def test_a_long_comment_asks_by_what_stands_around_its_reference(history: History) -> None:
    """It speaks of other things, and names these, too."""
    repo = history.repo()
    history.thread(repo, 1, "Hull", kind="pr", at=days(40))
    history.thread(repo, 2, "Earlier", kind="pr", merged=True, at=days(90))
    fleet(history, repo)
    far = f"`hull_paint` and `keel_bolt` first. {QUAY * 4}"
    history.comment(repo, 1, f"{far} Like #2, `winch_lock` drains ballast onto the pump.", at=days(10))

    [asked] = mined(history, repo, "precedent")
    assert asked.query == "winch_lock drains ballast pump"


def test_a_note_that_stands_under_several_threads_asks_nothing(history: History) -> None:
    """Numbers apart, it is the same text."""
    repo = history.repo()
    for number in (1, 2, 3):
        history.thread(repo, number, "Ballast handling", kind="pr", at=days(90 - number))
    fleet(history, repo)
    history.comment(repo, 2, "As in #1, `winch_lock` drains the ballast pump.", at=days(10))
    assert len(mined(history, repo, "precedent")) == 1

    history.comment(repo, 3, "As in #2,  `winch_lock` drains the ballast pump.", at=days(9))
    assert mined(history, repo, "precedent") == []


def test_a_finding_that_is_made_under_several_threads_asks_nothing(history: History) -> None:
    repo = history.repo()
    fleet(history, repo)
    inline = {"source_type": "review_comment", "path": "src/winch.c"}
    for number, expected in ((1, 1), (2, 0)):
        history.thread(repo, number, "Winch", kind="pr", at=days(40))
        root = history.comment(repo, number, FINDING, author="ada", at=days(30), **inline)
        reply = {"author": "bob", "trust": "authoritative", "in_reply_to": root}
        history.comment(repo, number, REASON, at=days(20), **inline, **reply)
        assert len(mined(history, repo, "rationale")) == expected


def test_a_reply_makes_a_rationale_or_a_precedent_and_never_both(history: History) -> None:
    """Whatever slices are mined together."""
    repo = history.repo()
    history.thread(repo, 1, "Winch", kind="pr", at=days(40))
    history.thread(repo, 2, "Locking", trust="authoritative", at=days(90))
    fleet(history, repo)
    inline = {"source_type": "review_comment", "path": "src/winch.c"}
    root = history.comment(repo, 1, FINDING, author="ada", at=days(30), **inline)
    reply = (
        "See #2, where the `winch_lock` and the ballast pump were discussed at length, and stay as they are."
    )
    said = {"author": "bob", "trust": "authoritative", "at": days(20), **inline}
    history.comment(repo, 1, reply, in_reply_to=root, **said)
    assert [each.slice for each in mined(history, repo, "precedent", "rationale")] == ["rationale"]
    assert mined(history, repo, "precedent") == []

    history.comment(repo, 1, f"{reply} Truly.", **said)
    found = mined(history, repo, "precedent", "rationale")
    assert sorted(each.slice for each in found) == ["precedent", "rationale"]


QUAY = "Nobody on the quay notices it before the tide has turned. "
REASON = (
    "This is intentional: by design the lock is taken late, because the winch would otherwise never turn."
)


@pytest.mark.parametrize(("by", "leaks"), [("reported", True), ("machine", False)])
def test_a_reason_beside_its_finding_leaks_unless_a_machine_found_it(
    history: History, by: str, *, leaks: bool
) -> None:
    """A person's finding is in the index, in the very thread that answers."""
    repo = history.repo()
    history.thread(repo, 1, "Winch", kind="pr", at=days(40))
    fleet(history, repo)
    inline = {"source_type": "review_comment", "path": "src/winch.c"}
    root = history.comment(repo, 1, FINDING, author="ada", trust=by, at=days(30), **inline)
    history.comment(
        repo, 1, REASON, author="bob", trust="authoritative", at=days(20), in_reply_to=root, **inline
    )

    [asked] = mined(history, repo, "rationale")

    assert (asked.proposed, asked.withheld, asked.leaks) == ((1,), (), leaks)
    assert (asked.filters.files, asked.filters.kind) == (("src/winch.c",), "rationale")
    assert asked.query.split()[0] == "winch_lock"


@pytest.mark.parametrize(
    "changes",
    [
        {"trust": "reported"},
        {"author": "ada"},
        {"body": "By design."},
        {"body": "Thank you for looking at all of this so closely, I have changed it as you said."},
        {"body": f"{REASON} " * 30},
    ],
    ids=["no standing", "own finding", "too short", "no reason", "too long"],
)
def test_a_reply_that_gives_no_reason_asks_nothing(history: History, changes: dict[str, Any]) -> None:
    repo = history.repo()
    history.thread(repo, 1, "Winch", kind="pr", at=days(40))
    fleet(history, repo)
    inline = {"source_type": "review_comment", "path": "src/winch.c"}
    root = history.comment(repo, 1, FINDING, author="ada", at=days(30), **inline)
    reply = {"author": "bob", "trust": "authoritative", "body": REASON, **changes}
    body = reply.pop("body")
    history.comment(repo, 1, body, at=days(20), in_reply_to=root, **inline, **reply)
    assert mined(history, repo, "rationale") == []


def test_a_reason_that_stands_elsewhere_is_asked_without_the_asking_thread(history: History) -> None:
    repo = history.repo()
    history.thread(repo, 1, "Winch", kind="pr", at=days(40))
    history.thread(repo, 2, "Locking", trust="authoritative", at=days(90))
    fleet(history, repo)
    inline = {"source_type": "review_comment", "path": "src/winch.c"}
    root = history.comment(repo, 1, FINDING, author="ada", at=days(30), **inline)
    reply = (
        "The order of the two was discussed in #2, and it ought to stay as it is for the sake of the winch."
    )
    history.comment(
        repo, 1, reply, author="bob", trust="authoritative", at=days(20), in_reply_to=root, **inline
    )

    [asked] = mined(history, repo, "rationale")

    assert (asked.proposed, asked.withheld, asked.before, asked.leaks) == ((2,), (1,), days(20), False)


def test_threads_of_another_repository_with_the_same_numbers_are_not_mixed_in(history: History) -> None:
    repo = closing_history(history)
    other = history.repo("acme/other")
    history.thread(other, 1, "Not this one", PROSE, at=days(40))
    history.thread(other, 2, "Nor this", kind="pr", merged=True, at=days(30))
    history.thread(other, 3, "Closes the one over there", kind="pr", merged=True, at=days(30))
    history.link(other, 3, "closes", 1, target_repo="acme/widgets")
    history.link(other, 2, "closes", 1)

    assert {each.query for each in mined(history, repo, "closing-title")} == {"Pump stalls"}
    assert [each.relevant for each in mined(history, repo, "closing")] == [(2,)]
    assert [(each.query, each.relevant) for each in mined(history, other, "closing-title")] == [
        ("Not this one", (2,))
    ]


@pytest.mark.parametrize(
    "title",
    [
        "\u202egnp.exe\u200b stalls",
        "%s %(repo_id)s {documents_in_scope} '; DROP TABLE relore.threads; --",
        "\x1b[2J\ufffc bilge",
        "(a+)+$ " * 2_000,
    ],
)
def test_hostile_words_are_asked_as_they_are_held_and_do_nothing(
    conn: psycopg.Connection, history: History, title: str
) -> None:
    repo = history.repo()
    history.thread(
        repo,
        1,
        title,
        f"{title} {PROSE}\n```\n{title}\nValueError: {title}\n```",
        at=days(40),
        state="closed",
    )
    history.thread(repo, 2, title, "Fixes #1", kind="pr", merged=True, at=days(30))
    history.link(repo, 2, "closes", 1)
    history.comment(repo, 2, f"`{title}` like #1 {title}", at=days(29) + timedelta(hours=1))

    asked = mined(history, repo, *MINED)

    assert {each.slice for each in asked} >= {"closing-text", "closing", "traceback"}
    assert not any(mark in each.query for each in asked for mark in "\u202e\u200b\x1b")
    assert conn.execute("SELECT count(*) FROM relore.threads").fetchone() == (2,)
