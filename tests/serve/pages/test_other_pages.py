"""The pages of search, inflight and status: counts, caps and caveats are on every one of them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from trees import reply

from relore_serve.pages import inflight, pieces, search, status
from relore_serve.pages.pieces import JUDGED_TODAY, LONGEST_ECHO, caller_words, tier


def query(**changes: Any) -> dict[str, Any]:
    return {**reply("search_empty")["query"], **changes}


def found(**changes: Any) -> str:
    return search.render(reply("search", **changes), compact=True, presentation=False)


def empty(**changes: Any) -> str:
    return search.render(reply("search_empty", **changes), compact=True, presentation=False)


@pytest.mark.parametrize(
    ("counts", "head"),
    [
        ({"count": 10, "total": 212, "threads_total": 57}, "10 of 212 hits for 'nonce', in 57 threads"),
        (
            {"count": 10, "total": 1500, "total_exact": False, "threads_total": 300},
            "10 of at least 1,500 hits for 'nonce', in at least 300 threads",
        ),
        ({"count": 1, "total": 1}, "1 hit for 'nonce'"),
    ],
)
def test_a_page_says_how_many_there_are(counts: dict[str, Any], head: str) -> None:
    assert head in found(**counts).split("\n")


def test_an_empty_page_of_a_bounded_search_does_not_say_that_nothing_matches() -> None:
    text = empty(total_exact=False, machine_withheld=0, query=query(text="tests.c", widened=""))

    assert "0 hits for 'tests.c' among the texts that were looked at" in text.split("\n")
    assert "not every text could be looked at" in text
    assert "nothing matches" not in text
    assert "at least 0" not in text


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"query": query(widened="any-term")}, "widened: no document carries every word"),
        ({"files_untested": 3}, "3 more pull requests would match"),
        (
            {"files_untested": 3, "files_untested_exact": False},
            "at least 3 more pull requests would match",
        ),
        ({"query": query(dropped_terms=5, terms=64)}, "5 words beyond the first 64, which were not asked"),
        ({"query": query(uninformative_errors=["it broke"])}, "'it broke' is no error line"),
        ({"query": query(sort="newest")}, "newest first"),
        ({"cursor": "abc_-"}, "(next page: --cursor abc_-)"),
        ({"scrubbed": {"hidden_characters": 2, "marks": 0, "template_tokens": 0}}, "2 hidden characters"),
        (
            {"query": query(trust_floor=["authoritative"], trust_floor_merged=True)},
            "trust floor: authoritative, and anybody's words on a merged pull request",
        ),
    ],
)
def test_every_caveat_of_a_search_is_on_its_page(changes: dict[str, Any], says: str) -> None:
    assert says in found(**changes)


def test_an_empty_page_is_an_answer_that_repeats_the_question() -> None:
    bounds = query(
        text="zebra",
        kind="failure",
        trust="authoritative",
        filters={"errors": ["RuntimeError: <n>"], "files": ["a.c", "b.c"]},
        since="2024-01-01T00:00:00Z",
        before="2024-02-01T00:00:00Z",
        exclude=["acme/widgets#7"],
        mentioned=True,
    )
    text = empty(query=bounds)

    assert (
        "filters: --kind failure, --trust authoritative, --error 'RuntimeError: <n>' [normalized], --file 'a.c', "
        "--file 'b.c', --mentioned, --since 2024-01-01T00:00:00Z, --before 2024-02-01T00:00:00Z, "
        "--exclude acme/widgets#7 (all must hold)"
    ) in text
    assert "nothing matches." in text


def test_what_carries_some_of_the_words_stands_below_a_line_that_says_so() -> None:
    hit = reply("search")["hits"][0]
    groups = ("best", "further", "some-terms", "some-terms-further")

    text = found(
        hits=[{**hit, "group": group} for group in groups],
        query=query(widened="any-term-below"),
        every_term_total=2,
    )

    assert "widened: 2 of them carry every word; those below a line, some." in text
    places = [text.index(line) for line in (
        "1. #", "-- more of the threads above --", "2. #", "-- only some of the words --", "3. #",
        "-- more of the threads above, with only some of the words --", "4. #",
    )]  # fmt: skip
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"reachable": 300}, "(pages lead to 300 of them only; more words, a filter"),
        (
            {"reachable": 300, "reaches_back_to": "2024-01-01T00:00:00Z"},
            "--before 2024-01-01T00:00:00Z goes on",
        ),
        ({"reachable": 900, "total_exact": True, "cursor": "abc"}, "(next page: --cursor abc)"),
    ],
)
def test_the_last_page_says_when_hits_are_left_that_no_page_leads_to(
    changes: dict[str, Any], says: str
) -> None:
    text = found(**{"count": 10, "total": 900, "total_exact": False, "threads_total": 400, **changes})

    assert says in text
    assert ("pages lead to" in text) is ("cursor" not in changes)


def test_hits_of_one_thread_name_the_verb_that_ranks_its_comments() -> None:
    text = found(count=10, total=225, threads_total=1, cursor="abc", reachable=225)

    assert '(all in one thread: relore thread acme/widgets#8 --focus "..." ranks its comments)' in text


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"machine_withheld": 1},
            "no person's words match; 1 text of machines does, withheld here: --trust machine",
        ),
        ({"machine_withheld": 7, "machine_withheld_exact": False}, "at least 7 texts of machines do"),
    ],
)
def test_an_empty_page_does_not_claim_that_nobody_said_it_when_machines_did(
    changes: dict[str, Any], says: str
) -> None:
    text = empty(**changes)

    assert says in text
    assert "nothing matches" not in text


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"unsearchable_terms": 1}, "1 word of the question is too long to be found by, and not asked."),
        ({"text": "()", "terms": 0}, "the text holds no word that could be looked for."),
        (
            {"text": "()", "terms": 0, "filters": {"files": ["a.c"]}},
            "the text holds no word that could be looked for; the filters alone were asked.",
        ),
        ({"limit_asked": 50}, "(10 hits are the most that a page holds; --cursor goes on)"),
    ],
)
def test_what_of_a_question_was_not_asked_or_not_known_is_told(changes: dict[str, Any], says: str) -> None:
    assert says in found(query=query(**changes))


def test_a_page_says_what_could_not_be_asked_as_of_its_cutoff() -> None:
    """Counted up to a bound, and whatever is shown in today's words."""
    cutoff = query(before="2024-01-01T00:00:00Z")
    assert f"\nas of 2024-01-01T00:00:00Z, but {JUDGED_TODAY}\n" in found(query=cutoff)
    assert f"as of 2024-01-01T00:00:00Z, but {JUDGED_TODAY}; 1 text edited since is not searched" in found(
        query=cutoff, edited_since=1
    )
    many = {"edited_since": 1000, "edited_since_exact": False, "labels_untested": 2}
    said = "more than 1,000 texts edited since are not searched; labels then are not known of 2 threads"
    assert said in found(query=cutoff, **many)
    hits = [{**hit, "todays_words": ["title", "body"]} for hit in reply("search")["hits"]]
    assert "in today's words: titles and opening posts" in found(query=cutoff, hits=hits)


def test_an_empty_page_after_widening_says_that_both_were_tried() -> None:
    assert "nothing matches, with every word or with any of them." in empty(query=query(widened="any-term"))


def test_prose_given_as_an_error_is_told_the_question_that_finds_it() -> None:
    prose = query(untyped_errors=["build broke on arm"], filters={"errors": ["build broke on arm"]})

    assert "as text it is: relore search 'build broke on arm'" in empty(query=prose)
    assert "as text it is" not in found(query=prose)


def test_a_page_behind_the_last_one_is_not_a_search_without_hits() -> None:
    text = empty(total=12)

    assert "0 of 12 hits" in text
    assert "nothing follows this cursor" in text


def test_a_title_is_said_once_per_thread() -> None:
    hits = reply("search")["hits"]
    first = {**hits[0], "source_type": "body", "snippet": "first"}
    second = {**copy.deepcopy(hits[0]), "source_type": "issue_comment", "snippet": "second"}
    other = {**copy.deepcopy(second), "repo": "acme/gadgets", "snippet": "third"}

    text = found(hits=[first, second, other], count=3, total=3)

    assert text.count(f"> {hits[0]['title']}") == 2


def test_a_piece_of_a_long_comment_says_which_piece() -> None:
    hit = {**reply("search")["hits"][0], "chunk_index": 3, "passages": 7}

    assert "(passage 4 of 7)" in found(hits=[hit])


def test_no_score_is_printed() -> None:
    hit = {**reply("search")["hits"][0], "score": 123.456}

    assert "123" not in found(hits=[hit])


@pytest.mark.parametrize(
    ("text", "echo"),
    [
        ("a b", "'a b'"),
        ("it's\n a\ttrace", "'it\\'s a trace'"),
        ("x" * 500, f"'{'x' * LONGEST_ECHO}…' (500 characters)"),
    ],
    ids=["plain", "lines", "long"],
)
def test_the_callers_words_are_repeated_on_one_line(text: str, echo: str) -> None:
    assert caller_words(text) == echo


def test_each_tier_has_its_words() -> None:
    assert [tier(trust) for trust in ("authoritative", "reported", "unresolved")] == [
        "authoritative",
        "contributor claim",
        "team member, unconfirmed",
    ]
    assert tier("machine").startswith("MACHINE")


def claims(number: int = 1, **changes: Any) -> dict[str, Any]:
    payload = reply("inflight")
    return {**payload, "claims": [{**payload["claims"][0], **changes} for _ in range(number)]}


def inflight_page(payload: dict[str, Any], *, compact: bool = False) -> str:
    return inflight.render(payload, compact=compact, presentation=False)


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"state": "open", "draft": True, "review_decision": None}, " pr open draft "),
        ({"state": "closed", "merged": True, "review_decision": None, "closed_by": None}, " pr merged "),
        (
            {"state": "closed", "state_reason": "duplicate", "closed_by": "boss", "review_decision": None},
            " pr closed as duplicate by @boss ",
        ),
        (
            {
                "state": "open",
                "review_decision": "approved",
                "review_decision_by": ["boss"],
                "review_decision_standing": ["authoritative"],
            },
            " pr open (approved by @boss) ",
        ),
        ({"trust": "machine"}, "[MACHINE"),
    ],
)
def test_a_claim_says_in_which_state_it_is(changes: dict[str, Any], state: str) -> None:
    assert state in inflight_page(claims(**changes))


def test_claims_that_do_not_fit_are_counted() -> None:
    text = inflight_page({**claims(10), "claims_returned": 10, "claims_total": 14})

    assert "14 threads claim to close acme/widgets#7" in text
    assert "(4 more, not shown)" in text


def test_a_title_is_shortened_in_the_compact_form_only_and_counted() -> None:
    payload = claims(title="x" * 300)

    assert "x" * 300 in inflight_page(payload)
    assert "x" * 101 not in inflight_page(payload, compact=True)
    assert "(1 title shortened; --no-compact shows them whole)" in inflight_page(payload, compact=True)


def test_silence_is_no_answer_where_no_relationship_is_held_at_all() -> None:
    silent = reply("inflight_empty", links_indexed=0)

    assert "no relationship rows at all" in inflight_page(silent)
    assert "no relationship rows at all" not in inflight_page(reply("inflight_empty", links_indexed=5))


def test_a_number_nobody_indexed_and_mere_mentions_are_told() -> None:
    text = inflight_page(reply("inflight_empty", indexed=False, mentions_total=2))

    assert "acme/widgets#8 itself is not indexed." in text
    assert "2 more threads name it without claiming to." in text


def status_page(**changes: Any) -> str:
    return status.render(reply("status", **changes), compact=True, presentation=False)


def repository(**changes: Any) -> list[dict[str, Any]]:
    return [{**reply("status")["repositories"][0], **changes}]


def test_the_books_stand_in_columns_and_do_not_hide_what_is_missing() -> None:
    account = {
        "kind": "issue_comment",
        "stated": 1200,
        "github_states": 1202,
        "collected": 1100,
        "derived": 1090,
        "skipped": {"empty_body": 7},
        "unexplained": 3,
        "missing_from_source": 2,
    }

    text = status_page(repositories=repository(objects=[account], unexplained=3))

    assert "3 unexplained" in text
    assert (
        "issue_comment   1,200      1,202      1,100    1,090            3"
        "  (7 empty body; 2 fewer than GitHub counts)" in text
    )


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"rejected": {"lines": 9, "first": [{"file": "a b.jsonl.gz", "line": 3, "reason": "not JSON"}]}},
            'lines that could not be read: 9, the first: "a b.jsonl.gz":3 (not JSON)',
        ),
        (
            {"rules": [{"rule": "signals", "stored": 1, "program": 2, "current": False}]},
            "rules: signals 1 (the program has 2: derive again)",
        ),
        ({"orphans": {"objects": 2, "numbers": 1}}, "orphans: 2 objects of 1 number without a thread"),
        (
            {"redactions": {"secrets": 4, "objects_with_secrets": 2, "characters": 0}},
            "secrets redacted: 4 in 2 objects; characters replaced: 0",
        ),
        ({"authors": {"authoritative": 3, "machine": 1}}, "standing: 3 authoritative, 1 machine"),
    ],
)
def test_what_is_remarkable_about_a_repository_is_said(changes: dict[str, Any], says: str) -> None:
    assert says in status_page(repositories=repository(**changes))


def a_pass(**changes: Any) -> dict[str, Any]:
    return {
        "repo": "acme/widgets",
        "pass": "derive",
        "note": None,
        "high_water": "2024-01-01T00:00:00Z",
        "last_run_at": None,
        "last_ok_at": None,
        "lag_seconds": None,
        "cursor": None,
        "windows": None,
        "error": None,
        **changes,
    }


def test_a_pass_says_how_far_it_came_and_what_stopped_it() -> None:
    text = status_page(passes=[a_pass(note="unfinished", error="disk\nfull")])

    assert '[derive] high-water 2024-01-01T00:00:00Z last-ok - (unfinished; "disk\\nfull")' in text


def test_a_pass_says_how_long_ago_it_was_well_and_where_it_has_not_been() -> None:
    windows = {"first": "2020-01-01", "last": "2024-04-01", "through": 8, "of": 18, "open": ["2020-04-01"]}

    text = status_page(passes=[a_pass(last_ok_at="2024-06-01T00:00:00Z", lag_seconds=7300, windows=windows)])

    assert (
        "last-ok 2024-06-01T00:00:00Z, 2 h ago "
        "(8 of 18 quarters since 2020-01-01, not through: 2020-04-01 and 9 more)" in text
    )


def test_counts_stand_beside_their_date_and_what_has_run_since() -> None:
    text = status_page(
        repositories=repository(
            counted_at="2024-05-01T00:00:00Z", ran_since=["derive", "fetch"], unexplained=0, activity=[]
        )
    )

    assert "0 unexplained, counted at 2024-05-01T00:00:00Z" in text
    assert "derive and fetch ran since: these counts are of 2024-05-01T00:00:00Z and may have changed" in text


def test_what_was_not_counted_yet_shows_no_number() -> None:
    nothing = dict.fromkeys(("counted_at", "threads", "documents", "objects", "unexplained"))
    nothing |= dict.fromkeys(("orphans", "rejected", "redactions"))

    text = status_page(repositories=repository(**nothing, under_way=["import"], activity=[]))

    assert "acme/widgets (archive): not counted yet" in text
    assert "now: import is under way" in text
    assert "without 1 repository not counted yet" in text
    assert "unexplained" not in text


def activity(**changes: Any) -> str:
    told = {**reply("status")["repositories"][0]["activity"][0], **changes}
    text = status_page(repositories=repository(activity=[told], under_way=["fetch"]))
    (line,) = (line for line in text.splitlines() if ": fetch: " in line)
    return line


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"per_second": 0.5, "seconds_left": 1300, "seconds_silent": 3},
            (
                "now: fetch: issues since 2024-01-01, page 7; 650 of 1,300, 0.5 a second, about 21 min left; "
                "last sign of life 3 s ago; 7 requests, 12 GraphQL points, 1 retry"
            ),
        ),
        ({"total": None, "per_second": None, "seconds_left": None}, "page 7; 650 so far; last sign"),
        (
            {"waiting_for": "secondary limit", "waiting_until": "2024-06-01T12:05:00Z"},
            "waiting for secondary limit until 2024-06-01T12:05:00Z",
        ),
        (
            {"not_modified": 5, "points": 0, "retries": {}, "waited_seconds": 200.0},
            "7 requests, 5 of them free (not modified), waited 3 min",
        ),
        (
            {"under_way": False, "doing": None},
            "last: fetch: no sign of life since 2024-06-01T12:00:00Z: it died; run it again; 7 requests",
        ),
        (
            {"under_way": False, "ended_at": "2024-06-01T12:01:00Z"},
            "last: fetch: ended at 2024-06-01T12:01:00Z; 7 requests",
        ),
        (
            {"under_way": False, "ended_at": "2024-06-01T12:01:00Z", "error": "acme/widgets\nhas moved"},
            'last: fetch: failed at 2024-06-01T12:01:00Z: "acme/widgets\\nhas moved"; 7 requests',
        ),
    ],
    ids=["at-work", "no-total", "waits", "idle-cost", "died", "ended", "failed"],
)
def test_a_run_says_what_it_does_or_how_it_ended(changes: dict[str, Any], says: str) -> None:
    assert says in activity(**changes)


@pytest.mark.parametrize(
    ("seconds", "says"),
    [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"), (400_000, "4 days")],
)
def test_a_length_of_time_is_said_in_one_unit(seconds: int, says: str) -> None:
    assert pieces.lasting(seconds) == says


def test_a_sample_a_removal_and_githubs_quota_are_told() -> None:
    text = status_page()

    assert (
        "SAMPLE: only merged pull requests updated since 2024-05-22T12:00:00Z were fetched "
        "(declared 2024-06-01T11:00:00Z); older ones are missing on purpose" in text
    )
    assert "removed: 1 issue comment deleted" in text
    assert "token 1 core: 4,321 of 5,000 left until 2024-06-01T13:00:00Z (as of 2024-06-01T12:00:00Z)" in text


@pytest.mark.parametrize(
    ("usage", "says"),
    [
        (
            {"per_minute": {"used": 1, "limit": 60}, "daily": {"used": 1, "limit": 5000}},
            "quota 1/60 per minute, 1/5,000 today",
        ),
        (
            {"per_minute": {"used": 0, "limit": None}, "daily": {"used": 3, "limit": 5}},
            "quota no limit per minute, 3/5 today",
        ),
        (None, "quota none"),
    ],
)
def test_the_quota_is_on_the_page(usage: dict[str, Any] | None, says: str) -> None:
    assert says in status_page(usage=usage)


def test_an_index_without_repositories_says_so() -> None:
    assert "no repository is indexed here" in status_page(repositories=[], passes=[])
