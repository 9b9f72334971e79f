"""What the page of a thread says, and what it says about what it does not show."""

from __future__ import annotations

from typing import Any

import pytest
from trees import comments, thread

from relore_serve.pages.files import shape
from relore_serve.pages.pieces import JUDGED_TODAY
from relore_serve.pages.thread import render


def page(
    payload: dict[str, Any], *, compact: bool = False, presentation: bool = False, files: bool = False
) -> str:
    return render(payload, compact=compact, presentation=presentation, files=files)


def lines_with(word: str, text: str) -> list[str]:
    return [line for line in text.split("\n") if word in line]


def test_a_sample_is_called_a_sample_and_names_the_way_to_the_rest() -> None:
    text = page(
        thread(comments=comments(10), comments_returned=10, comments_total=89, comments_machine_suppressed=2)
    )

    (head,) = lines_with("-- 10 of 89 comments", text)
    assert "SAMPLED not ranked: the first and last few and a spread of the middle" in head
    assert "2 machine-tier suppressed" in head
    assert "indexed at 2024-06-01T12:00:00Z" in head
    assert (
        "(77 not shown: --outline lists all with the id to read any by; --after ID reads on in order)" in text
    )


def test_a_thread_of_hundreds_is_outlined_in_steps() -> None:
    text = page(thread(comments=comments(10), comments_returned=10, comments_total=639))

    assert "--outline lists all 100 at a time" in text


def test_a_focus_says_how_many_carry_it() -> None:
    text = page(
        thread(
            selection="focus",
            focus="backoff retry",
            focus_matched=2,
            comments=comments(10),
            comments_returned=10,
            comments_total=30,
        )
    )

    assert "-- 10 of 30 comments, best first for 'backoff retry' (2 of 30 carry every word)" in text
    assert "(20 not shown:" in text


def test_the_advice_to_focus_is_for_people_and_the_way_to_the_rest_for_everybody() -> None:
    sampled = thread(comments=comments(10), comments_returned=10, comments_total=30)

    assert '--focus "..."' in page(sampled, presentation=True)
    assert '--focus "..."' not in page(sampled)
    assert "(20 not shown:" in page(sampled)


def test_an_empty_sweep_is_explained() -> None:
    swept = {
        "selection": "after",
        "after": "209",
        "comments": [],
        "comments_returned": 0,
        "comments_total": 68,
    }

    assert "nothing follows that comment: it is the last of this thread's 68" in page(
        thread(**swept, after_status="found")
    )
    assert "no comment of this thread has the id 209" in page(thread(**swept, after_status="unknown"))
    ambiguous = page(thread(**swept, after_status="ambiguous", choices=["review:209", "review_comment:209"]))
    assert "2 comments of this thread have the id 209: give review:209 or review_comment:209." in ambiguous


def test_one_comment_that_several_could_be_is_not_guessed() -> None:
    choices = ["review:7000", "review_comment:7000"]
    text = page(thread("thread_comment", comment=None, comment_status="ambiguous", choices=choices))

    assert "2 comments of this thread have the id 7000: give review:7000 or review_comment:7000" in text


def test_a_cutoff_says_what_it_withholds_and_what_is_in_todays_words() -> None:
    text = page(
        thread(
            before="2024-01-01T00:00:00Z",
            withheld=["labels"],
            todays_words=["title", "body"],
            comments_edited_since=1,
            comments_undated=30,
        )
    )

    assert "left out: labels; in today's words: title and opening post" in text
    assert "1 more left out: edited since 2024-01-01T00:00:00Z" in text
    assert "30 more left out: undated" in text


def test_a_focus_of_no_words_is_told() -> None:
    text = page(thread(focus="()", focus_matched=None))

    assert "the focus holds no word that could be looked for" in text


def test_a_sweep_names_where_to_go_on() -> None:
    text = page(
        thread(
            selection="after",
            after="99",
            after_status="found",
            comments=comments(10),
            comments_returned=10,
            comments_total=30,
            next_after="109",
        )
    )

    assert "in order from after 99" in text
    assert "(next: --after 109)" in text


@pytest.mark.parametrize(("cut", "says"), [(1, "(1 of these is cut"), (3, "(3 of these are cut")])
def test_comments_that_are_cut_are_counted(cut: int, says: str) -> None:
    shown = [*comments(cut, truncated=True), *comments(2)]

    assert says in page(thread(comments=shown, comments_returned=cut + 2, comments_total=cut + 2))


def test_a_filtered_thread_is_not_a_quiet_one() -> None:
    text = page(thread(comments=[], comments_returned=0, comments_total=1, comments_machine_suppressed=1))

    assert "-- 0 of 1 comment, 1 machine-tier suppressed" in text


def test_comments_that_github_counts_and_nobody_holds_are_told() -> None:
    assert "at least 4 that GitHub counts are not held" in page(thread(comments_total=1, comments_stated=5))
    assert "that GitHub counts" not in page(thread(comments_total=5, comments_stated=5))


FILES = {"files_changed": ["src/a/x.py", "src/a/b/y.py", "README"], "files_collected": 3}


def test_a_truncated_list_cannot_be_taken_for_an_answer() -> None:
    cut = thread(**FILES, files_total=323, files_truncated=True, files_cut_after="src/a/x.py")

    for text in (page(cut), page(cut, compact=True), page(cut, files=True), page(cut, presentation=True)):
        assert "changed files: 3 of 323 collected. TRUNCATED: a path that is absent here may still" in text
        assert "the first 3 in path order, cut after src/a/x.py" in text
    assert "src/a/b/y.py" in page(cut, files=True)
    assert "src/a/b/y.py" not in page(cut)
    assert "(paths withheld; --files serves them)" in page(cut)
    assert "2 under src/a/ across 2 directories, 1 at the root" in page(cut, files=True, compact=True)


def test_a_complete_list_keeps_its_paths_in_the_compact_form() -> None:
    whole = thread(**FILES, files_total=3)

    assert "src/a/x.py, src/a/b/y.py, README" in page(whole, files=True, compact=True)
    assert "changed files: 3 of 3, complete" in page(whole, compact=True)


def test_a_list_nobody_collected_answers_nothing() -> None:
    none = thread(
        files_changed=[], files_collected=None, files_total=12, files_anchored=["a.c"], files_mentioned=[]
    )

    text = page(none)

    assert "changed files: none collected of 12, so whether a path was touched cannot be answered" in text
    assert "the diff holds or held, by the inline comments on it: a.c (others may be absent)" in text


def test_anchors_beyond_the_list_are_evidence_and_mentions_are_not() -> None:
    text = page(
        thread(
            **FILES,
            files_total=323,
            files_truncated=True,
            files_cut_after=None,
            files_anchored=["README", "zz.py"],
            files_mentioned=["config.json"],
            files_mentioned_total=4,
        )
    )

    assert "+ 1 more that the diff holds or held, by the inline comments on it: zz.py" in text
    assert "mentioned in the discussion: 4, named by somebody, NOT the diff: config.json and 3 more" in text


def test_an_anchor_outside_of_a_complete_list_is_of_an_earlier_version() -> None:
    """A comment stays on its file when a later push takes that file out of the diff."""
    text = page(thread(**FILES, files_total=3, files_anchored=["README", "gone.py"], files_mentioned=[]))

    assert "an earlier version of the diff also held, by the inline comments on it: gone.py" in text
    assert "diff holds or held" not in text


def test_anchors_without_end_are_cut_and_counted() -> None:
    text = page(
        thread(**FILES, files_total=3, files_anchored=[f"{n}.py" for n in range(100)], files_mentioned=[])
    )

    assert "39.py and 60 more" in text
    assert "40.py" not in text


def test_an_issue_has_no_diff_to_speak_of() -> None:
    text = page(
        thread("thread_focus", files_changed=[], files_collected=None, files_total=None, files_mentioned=[])
    )

    assert "changed files" not in text


@pytest.mark.parametrize(
    ("paths", "told"),
    [
        (
            [f"m/{n}/x.py" for n in range(5)],
            "1 under m/0/, 1 under m/1/, 1 under m/2/, 2 under 2 other folders",
        ),
        (["a/b/c/1", "a/b/d/2", "a/b/3"], "3 under a/b/ across 3 directories"),
        (["x", "y"], "2 at the root"),
        (["two words/x"], '1 under "two words/"'),
    ],
)
def test_the_shape_of_a_list_is_a_sentence(paths: list[str], told: str) -> None:
    assert shape(paths) == told


PR = {
    "type": "pr",
    "verdicts": [],
    "review_decision": None,
    "review_decision_by": [],
    "review_decision_standing": [],
}
EVENTS: list[tuple[dict[str, Any], str]] = [
    ({**PR, "merged": True, "merged_by": "boss", "state": "closed"}, "merged by @boss"),
    ({**PR, "merged": True, "merged_by": None, "state": "closed"}, "merged"),
    (
        {"state": "closed", "state_reason": "not_planned", "closed_by": "boss"},
        "closed as not planned by @boss",
    ),
    ({"state": "closed", "state_reason": "completed", "closed_by": "boss"}, "closed by @boss"),
    ({"state": "closed", "state_reason": None, "author": "me", "closed_by": "me"}, "closed by its author"),
    (
        {**PR, "requested_reviewers": ["rev", "org/team"]},
        "review: requested from @rev, @org/team, no verdict yet",
    ),
    ({**PR, "requested_reviewers": []}, "review: nobody approved or blocked it"),
    (
        {
            **PR,
            "review_decision": "approved",
            "review_decision_by": ["a", "b"],
            "review_decision_standing": ["authoritative", "reported"],
        },
        "review: approved by @a, @b (contributor claim)",
    ),
    (
        {**PR, "verdicts": [{"author": "passer", "verdict": "approved", "trust": "reported", "date": None}]},
        "other verdicts: @passer approved [contributor claim]",
    ),
    ({"labels": ["bug", "good first issue"]}, 'labels: bug, "good first issue"'),
    ({"locked": True}, "locked: only collaborators may comment"),
    (
        {
            "links": [
                {"relationship": "closes", "target": "acme/widgets#3", "indexed": True},
                {"relationship": "mentions", "target": "acme/widgets#5", "indexed": True},
                {"relationship": "mentions", "target": "other/one#4", "indexed": False},
                {"relationship": "mentions", "target": "Acme/Widgets#6", "indexed": True},
            ],
            "links_total": 9,
        },
        "links: closes #3; mentions #5, #6; mentions other/one#4 (not indexed) and 5 more",
    ),
    (
        {"withheld": ["labels", "files_changed"], "before": "2024-01-01T00:00:00Z"},
        f"as of 2024-01-01T00:00:00Z, but {JUDGED_TODAY}; not known as of then and left out: labels, files changed",
    ),
]


@pytest.mark.parametrize(("changes", "line"), EVENTS, ids=[line for _, line in EVENTS])
def test_what_happened_to_a_thread_is_a_line_of_its_own(changes: dict[str, Any], line: str) -> None:
    assert line in page(thread(**changes)).split("\n")


def test_a_body_that_is_cut_says_how_much_and_how_to_have_it_all() -> None:
    text = page(thread(body="x" * 800, body_chars=1234, body_truncated=True))

    assert "(body truncated: 800 of 1,234 characters; --full serves it whole)" in text


def backlinks(*numbers: int, relationship: str = "mentions", **changes: Any) -> dict[str, Any]:
    listed = [
        {"repo": "acme/widgets", "number": n, "type": "pr", "relationship": relationship, "date": None}
        for n in numbers
    ]
    sums = {"returned": len(listed), "total": len(listed), "machine_only": 0, "collected": True}
    return {"listed": listed, **sums, **changes}


@pytest.mark.parametrize(
    ("held", "line"),
    [
        (backlinks(3, 4, total=40), "said elsewhere: mentioned in #3, #4 and 38 more"),
        (backlinks(3, relationship="duplicates"), "said elsewhere: called the original by #3"),
        (
            backlinks(3, machine_only=1),
            "said elsewhere: mentioned in #3; 1 thread in which only machines name it",
        ),
        (backlinks(machine_only=2), "said elsewhere: 2 threads in which only machines name it"),
        (
            backlinks(collected=False),
            "said elsewhere: not collected, this index holds no links at all: derive it first",
        ),
    ],
)
def test_who_speaks_of_a_thread_is_a_line_with_its_total(held: dict[str, Any], line: str) -> None:
    assert line in page(thread(backlinks=held)).split("\n")


def test_nobody_speaking_of_a_thread_takes_no_line() -> None:
    assert "said elsewhere" not in page(thread(backlinks=backlinks()))


def test_mere_mentions_are_named_up_to_eight_in_the_compact_form_and_all_counted() -> None:
    many = backlinks(*range(10, 30), total=31)

    assert "mentioned in #10, #11, #12, #13, #14, #15, #16, #17 and 23 more" in page(
        thread(backlinks=many), compact=True
    )
    assert "#29 and 11 more" in page(thread(backlinks=many))


def outline(**changes: Any) -> str:
    return page(thread("thread_outline", **changes))


def test_an_outline_that_does_not_reach_the_end_says_so_loudly() -> None:
    text = outline(outline_returned=100, outline_reachable=639, next_after="498")

    assert "-- outline: 100 of 639 comments, oldest first, " in text
    assert "CAPPED: 539 more this view did not reach" in text
    assert "(next: --outline --after 498)" in text


def test_an_outline_can_be_narrowed_and_widens_back() -> None:
    narrowed = outline(focus="flash attention", outline_matched=40, outline_returned=40, outline_reachable=40)
    widened = outline(focus="quantization", outline_matched=0, outline_widened=True)

    assert "carrying any word of 'flash attention': 40 of" in narrowed
    assert "no comment carries any word of 'quantization', so this is the unnarrowed outline" in widened


def test_a_row_of_an_outline_is_an_id_a_standing_and_a_few_words() -> None:
    text = outline()

    assert "1003 [authoritative] 19d issue_comment @grace\n> The nonce comes from the caller" in text


def test_a_compact_outline_says_once_what_the_signs_in_its_rows_mean() -> None:
    (row, *_) = thread("thread_outline")["thread"]["outline"]
    kinds = [
        ("authoritative", "issue_comment"),
        ("reported", "review"),
        ("reported", "issue_comment"),
        ("unresolved", "review"),
    ]
    rows = [
        {**row, "id": str(n), "trust": trust, "source_type": kind} for n, (trust, kind) in enumerate(kinds, 1)
    ]

    text = page(thread("thread_outline", outline=rows), compact=True)

    assert (
        "[A] authoritative, [C] contributor claim, [T] team member, unconfirmed, no kind: issue_comment\n"
        "1 [A] 19d @grace\n"
    ) in text
    assert "\n2 [C] 19d review @grace\n" in text
    assert "1 [authoritative] 19d issue_comment @grace" in outline(outline=rows)


def test_one_comment_is_two_lines_of_identity_and_the_comment() -> None:
    text = page(thread("thread_comment"))

    body = text.split("\n\n", 1)[1].split("\n")[:-1]
    assert body == [
        "acme/widgets#7 issue open 29d",
        "> Nonce is reused in batch verification",
        "-- comment 1003 [authoritative] 19d issue_comment @grace, 48 characters, whole --",
        "> The nonce comes from the caller, see src/batch.c",
        "https://github.test/acme/widgets/issues/7#1003",
    ]
