"""What one thread's staged objects become."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from payloads import REPO, comment, commit, issue, pull, review, user

from relore_assets.authority.lookup import Standing
from relore_assets.authority.standing import Account, intervals
from relore_assets.derive.fold import fold
from relore_assets.derive.rows import Derived, DocumentRow
from relore_assets.derive.staged import gather, when

NOBODY = Standing([])


def derived(number: int, *objects: tuple[str, dict[str, Any]], standing: Standing = NOBODY) -> Derived:
    staged = gather(number, objects)
    assert staged is not None
    return fold(staged, REPO, standing)


def of_type(found: Derived, source_type: str) -> list[DocumentRow]:
    return [row for row in found.documents if row.source_type == source_type]


def listed(number: int, *items: dict[str, Any]) -> dict[str, Any]:
    return {"number": number, "items": list(items)}


def test_objects_without_a_head_are_orphans() -> None:
    """A comment whose issue was deleted or moved away makes no thread."""
    assert gather(7, [("issue_comment", comment(1, "left behind"))]) is None


def test_an_issue_becomes_a_thread_with_its_title_body_and_comments() -> None:
    """One document per text, each with its own author, address and date."""
    found = derived(
        3,
        ("issue", issue(3, title="Tide is late", body="It is.", comments=1)),
        ("issue_comment", comment(9, "Seen.")),
    )
    assert [(row.source_type, row.source_id, row.body) for row in found.documents] == [
        ("title", "3", "Tide is late"), ("body", "3", "It is."), ("issue_comment", "9", "Seen."),
    ]  # fmt: skip
    assert (found.thread.kind, found.thread.state, found.thread.collected_comments) == ("issue", "open", 1)


@pytest.mark.parametrize("body", [None, "", "  \n\t "], ids=["null", "empty", "blank"])
def test_a_body_without_words_is_no_document(body: str | None) -> None:
    """There is nothing in it to find or to quote."""
    assert of_type(derived(3, ("issue", issue(3, body=body))), "body") == []


def test_a_deleted_account_is_a_ghost_of_the_lowest_tier() -> None:
    """GitHub sends null for it; what it said stays searchable."""
    found = derived(3, ("issue", issue(3)), ("issue_comment", comment(9, "boo", user=None)))
    (row,) = of_type(found, "issue_comment")
    assert (row.author, row.trust) == ("ghost", "reported")


def test_a_review_is_dated_by_when_it_was_submitted() -> None:
    """REST reviews have no created_at."""
    found = derived(4, ("pull", pull(4)), ("review", review(5, "APPROVED", "Fine.")))
    (row,) = of_type(found, "review")
    assert row.created_at == when("2024-01-03T00:00:00Z")
    assert (row.review_state, row.review_id) == ("APPROVED", "5")


def test_only_decisive_reviews_are_verdicts_with_or_without_words() -> None:
    """An approval without typing is one; a remark is none."""
    found = derived(
        4,
        ("pull", pull(4)),
        ("review", review(5, "APPROVED")),
        ("review", review(6, "COMMENTED", "hm")),
        ("review", review(7, "DISMISSED")),
    )
    assert [(row.review_id, row.verdict) for row in found.verdicts] == [("5", "APPROVED"), ("7", "DISMISSED")]
    assert [row.source_id for row in of_type(found, "review")] == ["6"]


def test_an_inline_comment_keeps_its_place_and_names_the_definition_above_it() -> None:
    """A line number dies with the next edit; the name in the hunk's header does not."""
    hunk = "@@ -1,4 +1,5 @@ static int tide_height(int hour)\n {\n+    return (long)hour;\n"
    inline = comment(8, "Why this cast?", path="src/tide.c", line=3, original_line=2, side="RIGHT", diff_hunk=hunk,
                     commit_id="b" * 40, pull_request_review_id=5, in_reply_to_id=2)  # fmt: skip
    (row,) = of_type(derived(4, ("pull", pull(4)), ("review_comment", inline)), "review_comment")
    assert (row.path, row.line, row.original_line, row.enclosing_symbol) == (
        "src/tide.c",
        3,
        2,
        "tide_height",
    )
    assert (row.review_id, row.in_reply_to) == ("5", "2")
    assert ("file", "src/tide.c", "tide.c", "anchor") in {tuple(signal) for signal in row.signals}


def test_a_commit_message_is_a_document_and_its_git_name_is_never_a_login() -> None:
    """Whoever types a maintainer's login as their git name must not gain the maintainer's standing."""
    keel = Standing(intervals([Account("Keel", "OWNER", False)], []))
    found = derived(
        4,
        ("pull", pull(4)),
        ("pull_commits", listed(4, commit("c" * 40, "Round up\n\nBecause tides."))),
        standing=keel,
    )
    (row,) = of_type(found, "commit")
    assert (row.author, row.trust) == ("git:Keel", "reported")
    assert row.body == "Round up\n\nBecause tides."


@pytest.mark.parametrize(
    ("written", "dated"),
    [
        ("2019-05-01T00:00:00Z", "2024-01-02T03:04:05+00:00"),
        ("2024-02-01T00:00:00Z", "2024-02-01T00:00:00+00:00"),
    ],
)
def test_nothing_of_a_thread_is_dated_before_its_opening(written: str, dated: str) -> None:
    """A commit could be read here since its pull request was opened: its facts and claims bear that date too."""
    item = commit("c" * 40, "Fixes #1: `tide.c` leaks")
    item["commit"]["committer"] = {**item["commit"]["committer"], "date": written}
    opened = pull(4, created_at="2024-01-02T03:04:05Z")
    found = derived(4, ("pull", opened), ("pull_commits", listed(4, item)))
    (row,) = of_type(found, "commit")
    (link,) = found.links
    assert (row.created_at, link.stated_at) == (datetime.fromisoformat(dated),) * 2


@pytest.mark.parametrize(
    ("git_name", "account", "machine"),
    [
        ("helper-agent[bot]", None, True),
        ("Helper-Agent[BOT]", user("keel"), True),
        ("Helper", user("helper", "Bot"), True),
        ("Helper", {"login": "helper[bot]", "id": 2}, True),
        ("Helper [bot] of mine", user("keel"), False),
        ("bot", None, False),
    ],
)
def test_what_a_bot_committed_is_no_persons_word(
    git_name: str, account: dict[str, Any] | None, *, machine: bool
) -> None:
    """By the account's type, and by a name that only apps bear, with an account or without."""
    item = commit("c" * 40, "Remove what the build left", author=account)
    item["commit"]["author"] = {**item["commit"]["author"], "name": git_name}
    (row,) = of_type(derived(4, ("pull", pull(4)), ("pull_commits", listed(4, item))), "commit")
    assert (row.machine, row.trust == "machine") == (machine, machine)


def test_a_commit_with_an_account_is_that_accounts() -> None:
    """GitHub resolved the address to an account; that is more than a name."""
    item = commit("c" * 40, "Round up", author=user("keel"))
    (row,) = of_type(derived(4, ("pull", pull(4)), ("pull_commits", listed(4, item))), "commit")
    assert row.author == "keel"


def test_paths_of_the_diff_are_taken_as_they_are() -> None:
    """The guess at what looks like a path is for prose; GitHub's own list is fact."""
    files = [{"filename": name, "status": "modified", "additions": 1, "deletions": 0} for name in
             ("Dockerfile", ".gitignore", "a b/é.x", "LICENSE")]  # fmt: skip
    found = derived(4, ("pull", pull(4, changed_files=4)), ("pull_files", listed(4, *files)))
    assert sorted(row.path for row in found.files) == [".gitignore", "Dockerfile", "LICENSE", "a b/é.x"]
    assert (found.thread.stated_files, found.thread.collected_files) == (4, 4)


def test_a_list_that_was_never_read_is_not_an_empty_one() -> None:
    """No list collected and a list of nothing are different answers to 'did it touch that file?'."""
    assert derived(4, ("pull", pull(4, changed_files=2))).thread.collected_files is None
    assert derived(4, ("pull", pull(4, changed_files=0))).thread.collected_files == 0
    assert derived(4, ("pull", pull(4)), ("pull_files", listed(4))).thread.collected_files == 0


def test_a_merge_commit_counts_only_once_merged() -> None:
    """Before that the field names GitHub's throw-away test merge."""
    sha = "d" * 40
    assert derived(4, ("pull", pull(4, merge_commit_sha=sha))).commits == []
    merged = pull(4, merge_commit_sha=sha, merged=True, merged_at="2024-02-01T00:00:00Z", state="closed")
    assert [(row.sha, row.how) for row in derived(4, ("pull", merged)).commits] == [(sha, "merge")]


def test_a_pull_request_listed_only_among_issues_is_a_pull_request() -> None:
    """The pulls endpoint may answer 404 for a number that the issues list carries."""
    stub = issue(4, pull_request={"merged_at": "2024-02-01T00:00:00Z"}, state="closed")
    thread = derived(4, ("issue", stub)).thread
    assert (thread.kind, thread.merged) == ("pr", True)


def test_who_closed_it_is_read_off_the_events_where_the_head_is_silent() -> None:
    """Only a single-issue payload carries closed_by; a list does not."""
    closing = {"event": "closed", "actor": user("keel"), "created_at": "2024-03-01T00:00:00Z"}
    older = {"event": "closed", "actor": user("buoy"), "created_at": "2024-02-01T00:00:00Z"}
    head = issue(3, state="closed", closed_at="2024-03-01T00:00:00Z", state_reason="not_planned")
    thread = derived(3, ("issue", head), ("event", closing), ("event", older)).thread
    assert (thread.closed_by, thread.state_reason) == ("keel", "not_planned")


def test_a_closing_word_is_a_claim_in_a_pull_request_and_a_mention_elsewhere() -> None:
    """An issue that says 'fixes #1' closes nothing."""
    claims = derived(4, ("pull", pull(4, body="Fixes #1, #2.\n\nSame kind of bug as #9."))).links
    assert {(row.relation, row.target_number) for row in claims} == {
        ("closes", 1),
        ("closes", 2),
        ("mentions", 9),
    }
    said = derived(
        3, ("issue", issue(3, body="This fixes #1")), ("issue_comment", comment(5, "closes #2"))
    ).links
    assert {(row.relation, row.target_number) for row in said} == {("mentions", 1), ("mentions", 2)}


def test_a_commit_message_claims_too() -> None:
    """GitHub closes issues by commit messages as by descriptions."""
    found = derived(
        4, ("pull", pull(4)), ("pull_commits", listed(4, commit("c" * 40, "Round up\n\nCloses #12")))
    )
    assert [(row.relation, row.target_number, row.source) for row in found.links] == [
        ("closes", 12, "commit")
    ]


def test_a_thread_does_not_link_to_itself_and_other_repositories_are_kept_by_name() -> None:
    """`target_repo` is what was written, in lower case, whether or not it is indexed here."""
    found = derived(4, ("pull", pull(4, body=f"See #4 and {REPO}#4. Fixes Acme/Other#5."))).links
    assert [(row.relation, row.target_repo, row.target_number) for row in found] == [
        ("closes", "acme/other", 5)
    ]


def test_a_long_comment_is_cut_into_slices_that_join_to_the_whole() -> None:
    """Each slice knows how many there are, and is searched by its own words."""
    body = "start " + "tide " * 1600 + "\n\n" + "ebb " * 1600 + "finish"
    pieces = of_type(derived(3, ("issue", issue(3)), ("issue_comment", comment(9, body))), "issue_comment")
    assert len(pieces) > 1
    assert "".join(piece.body for piece in pieces) == body
    assert {piece.chunk_count for piece in pieces} == {len(pieces)}
    assert "'finish'" in pieces[-1].search_vector
    assert "'finish'" not in pieces[0].search_vector


def test_what_github_hides_is_kept_and_not_found() -> None:
    """A template's comment drowns the words, and an instruction hidden in one must not be matched."""
    (row,) = of_type(derived(3, ("issue", issue(3, body="Seen <!-- obey me --> here"))), "body")
    assert "obey me" in row.body
    assert "'obey'" not in row.search_vector


def test_characters_that_show_nothing_are_gone_from_every_string() -> None:
    """Tag characters spell text that only a machine reads."""
    tag = "\U000e0041\u200b"
    head = issue(3, title=f"Ti{tag}de", body=f"la{tag}te", labels=[{"name": f"bu{tag}g"}])
    found = derived(3, ("issue", head))
    assert (found.thread.title, found.thread.labels) == ("Tide", ["bug"])
    assert of_type(found, "body")[0].body == "late"


def test_the_hash_moves_with_the_place_and_not_with_the_tier() -> None:
    """The same words on another line are another fact; a promotion is not an edit."""

    def at(line: int, standing: Standing = NOBODY) -> DocumentRow:
        inline = comment(8, "Why?", path="a.c", line=line, diff_hunk="", user=user("keel"))
        return of_type(
            derived(4, ("pull", pull(4)), ("review_comment", inline), standing=standing), "review_comment"
        )[0]

    owner = Standing(intervals([Account("keel", "OWNER", False)], []))
    assert at(10).content_hash != at(14).content_hash
    assert at(10).content_hash == at(10, owner).content_hash
    assert at(10, owner).trust == "authoritative"


def test_a_head_without_a_date_is_refused_by_name() -> None:
    """Nothing could be asked of it as of a date."""
    with pytest.raises(ValueError, match=r"harbor/tide#3: .*created_at"):
        derived(3, ("issue", issue(3, created_at=None)))


def test_of_two_words_on_a_thread_the_newer_counts() -> None:
    """A pull request's own object says more than the issue's of the same age, and less than a later one."""
    issue_ = issue(4, title="Caulk it", closed_at=None, updated_at="2024-02-02T00:00:00Z")
    pull_ = pull(4, title="Caulk", merged_by=user("keel"), merged=True, closed_at="2024-01-09T00:00:00Z")
    later = derived(4, ("issue", issue_), ("pull", {**pull_, "updated_at": "2024-02-01T00:00:00Z"})).thread
    assert (later.title, later.closed_at, later.merged_by) == ("Caulk it", None, "keel")
    same = derived(4, ("issue", issue_), ("pull", {**pull_, "updated_at": "2024-02-02T00:00:00Z"})).thread
    assert (same.title, same.merged_by) == ("Caulk", "keel")


def test_what_was_read_in_detail_completes_the_list() -> None:
    """Counts and who merged, which no list tells; an older reading gives way to a newer pull request."""
    listed_ = {
        key: value for key, value in pull(4).items() if key not in {"commits", "merged", "changed_files"}
    }
    detail = {"as_of": "2024-01-02T00:00:00Z", "number": 4, "changed_files": 3, "commits": 2, "merged": True,
              "merged_by": user("keel"), "unread": ["files"]}  # fmt: skip
    row = derived(4, ("pull", listed_), ("pull_detail", detail)).thread
    assert (row.stated_files, row.stated_commits, row.merged, row.merged_by) == (3, 2, True, "keel")
    newer = {**pull(4, changed_files=5), "updated_at": "2024-03-01T00:00:00Z"}
    assert derived(4, ("pull", newer), ("pull_detail", detail)).thread.stated_files == 5


ODD = [{"a": 1}, ["x"], "str", 7, 2**70, -1, True, None]


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_no_field_of_an_odd_type_costs_the_thread(odd: object) -> None:
    """What is no name, date, count, list or object is left out; everything else of the thread is derived."""
    head_fields = (
        "title", "body", "user", "labels", "requested_reviewers", "requested_teams", "comments", "commits",
        "changed_files", "merged_by", "merge_commit_sha", "state_reason", "author_association", "closed_at",
        "html_url", "updated_at", "closed_by", "pull_request",
    )  # fmt: skip
    whole_head = pull(4, state="closed", merged=True, merged_at="2024-02-01T00:00:00Z")
    for name in head_fields:
        assert derived(4, ("pull", {**whole_head, name: odd})).thread.number == 4
    for name in ("body", "user", "author_association", "created_at", "path", "line", "side", "commit_id",
                 "diff_hunk", "in_reply_to_id", "pull_request_review_id", "html_url"):  # fmt: skip
        inline = comment(8, "words", path="a.c", diff_hunk="@@ -1 +1 @@") | {name: odd}
        assert derived(4, ("pull", pull(4)), ("review_comment", inline)).thread.number == 4
    for name in ("body", "user", "state", "submitted_at", "commit_id", "author_association"):
        assert derived(4, ("pull", pull(4)), ("review", review(5, "APPROVED", "fine") | {name: odd})).thread
    for name in ("sha", "commit", "author", "html_url"):
        items = listed(4, commit("c" * 40, "Round up") | {name: odd})
        assert derived(4, ("pull", pull(4)), ("pull_commits", items)).thread
    for name in ("message", "author", "committer"):
        item = commit("c" * 40, "Round up")
        item["commit"] = {**item["commit"], name: odd}
        assert derived(4, ("pull", pull(4)), ("pull_commits", listed(4, item))).thread
    assert derived(4, ("pull", pull(4)), ("pull_commits", {"number": 4, "items": odd})).thread
    assert derived(
        4, ("pull", pull(4)), ("pull_files", {"number": 4, "items": [odd, {"filename": odd}]})
    ).thread


@pytest.mark.parametrize(
    "date", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "1969-01-01T00:00:00Z"]
)
def test_an_impossible_date_is_no_date(date: str) -> None:
    """Postgres stores such a date and then nobody can read it; git's dates are whatever a clock said."""
    (row,) = of_type(
        derived(3, ("issue", issue(3)), ("issue_comment", comment(9, "boo", created_at=date))),
        "issue_comment",
    )
    assert row.created_at is None
    item = commit("c" * 40, "Round up")
    item["commit"]["committer"] = item["commit"]["author"] = {"name": "k", "date": date}
    assert (
        of_type(derived(4, ("pull", pull(4)), ("pull_commits", listed(4, item))), "commit")[0].created_at
        is None
    )


def test_a_commit_listed_twice_is_one_document() -> None:
    """A list may repeat itself; one text is one document."""
    twice = listed(4, commit("c" * 40, "Round up"), commit("C" * 40, "Round up"))
    assert len(of_type(derived(4, ("pull", pull(4)), ("pull_commits", twice)), "commit")) == 1


@pytest.mark.parametrize(
    ("marker", "dated"),
    [
        ({}, None),
        ({"body_edited_at": None}, "2024-01-01T00:00:00+00:00"),
        ({"body_edited_at": "2024-01-02T10:00:00Z"}, "2024-01-02T10:00:00+00:00"),
        ({"body_edited_at": None, "as_of": "2024-01-01T12:00:00Z"}, None),
    ],
)
def test_an_opening_post_is_dated_by_a_reading_of_the_thread_as_it_is_today(
    marker: dict[str, Any], dated: str | None
) -> None:
    """By its last edit, else by its creation; not by a reading older than the head, nor by one that does not say."""
    detail = {"number": 1, "as_of": "2024-01-02T00:00:00Z", **marker}
    found = derived(1, ("issue", issue(1, body="It sinks.")), ("issue_detail", detail))
    (body,) = of_type(found, "body")
    assert body.updated_at == (None if dated is None else datetime.fromisoformat(dated))
