"""One thread: what a view of it shows, and what it says of the rest."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from psycopg import Cursor
from rows import NOW, History

from relore_serve.search.engine import search
from relore_serve.search.question import Question
from relore_serve.threads.results import ThreadResult, ThreadView
from relore_serve.threads.thread import read

if TYPE_CHECKING:
    from relore_serve.search.scope import Repo

SAME_SECOND = NOW - timedelta(days=3)


def view(history: History, repo: Repo, number: int = 1, **more: object) -> ThreadResult:
    found = read(history.conn, repo.id, number, ThreadView(**more), NOW)
    assert found is not None
    return found


def ids(found: ThreadResult) -> list[str]:
    return [comment.id for comment in found.comments]


@pytest.fixture
def repo(history: History) -> Repo:
    return history.repo()


def test_a_thread_that_is_not_held_is_none(history: History, repo: Repo) -> None:
    """Nor is one of the same number in another repository."""
    history.thread(history.repo("acme/gadgets"), 1, "Elsewhere")
    assert read(history.conn, repo.id, 1, ThreadView(), NOW) is None


# The opening post


def test_a_long_opening_post_is_cut_and_says_how_much_there_is(history: History, repo: Repo) -> None:
    """Whole on request, word for word."""
    body = "Steps.\n\n" + "word " * 300
    history.thread(repo, 1, "Long", body)
    cut = view(history, repo)
    assert (len(cut.body) <= 800, cut.body_truncated, cut.body_chars) == (
        True,
        True,
        len(" ".join(body.split())),
    )
    full = view(history, repo, full=True)
    assert (full.body, full.body_truncated) == (body, False)


def test_a_remainder_shorter_than_its_announcement_is_served(history: History, repo: Repo) -> None:
    """Eight hundred and eighty characters are not cut to eight hundred."""
    history.thread(repo, 1, "Just over", "x" * 880)
    history.thread(repo, 2, "Too long", "x" * 881)
    assert not view(history, repo, 1).body_truncated
    assert view(history, repo, 2).body_truncated


def test_template_comments_are_left_out_of_a_cut_post_and_counted(history: History, repo: Repo) -> None:
    """So that the eight hundred characters are the author's own."""
    history.thread(repo, 1, "Template", "<!-- Please fill in. -->\nIt crashes. <!-- thanks -->")
    found = view(history, repo)
    assert (found.body, found.hidden_comments) == ("It crashes.", 2)


def test_passages_of_a_post_are_rejoined(history: History, repo: Repo) -> None:
    """They are slices of it."""
    history.thread(repo, 1, "Pieces")
    history.document(repo, 1, "body", "one ", "two\n", "three", source_id="1")
    assert view(history, repo, full=True).body == "one two\nthree"


# Which comments


def test_up_to_ten_comments_are_all_shown_in_order(history: History, repo: Repo) -> None:
    """A sample that holds everything is no sample."""
    history.thread(repo, 1, "Short")
    wanted = [history.comment(repo, 1, f"Comment {number}") for number in range(10)]
    found = view(history, repo)
    assert (ids(found), found.comments_total, found.selection) == (wanted, 10, "ends+middle")


def test_a_sample_is_both_ends_and_six_of_the_middle_reviews_first(history: History, repo: Repo) -> None:
    """A review with a verdict is an act, a thumb is not."""
    history.thread(repo, 1, "Long", kind="pr")
    listed = [
        history.comment(
            repo, 1, f"Text {place}", source_type="review" if place in {20, 30, 41, 55} else "issue_comment"
        )
        for place in range(70)
    ]
    shown = ids(view(history, repo))
    assert len(shown) == 10
    assert shown[:2] + shown[-2:] == listed[:2] + listed[-2:]
    assert {listed[place] for place in (20, 30, 41, 55)} < set(shown)
    others = [
        place for place, comment in enumerate(listed) if comment in shown and place not in {20, 30, 41, 55}
    ]
    assert others == [0, 1, 2, 67, 68, 69]
    assert shown == sorted(shown, key=listed.index)
    assert shown == ids(view(history, repo))


def test_what_says_nothing_takes_no_place_in_a_sample(history: History, repo: Repo) -> None:
    """While anything that says something is left; an approval says it without a word."""
    history.thread(repo, 1, "Long", kind="pr")
    telling = {7: "This leaks the key", 30: "See the standard, section four", 50: "Rather use a table here"}
    listed = [
        history.comment(
            repo,
            1,
            telling.get(place, "LGTM"),
            source_type="review_comment" if place % 2 else "issue_comment",
        )
        for place in range(60)
    ]
    approval = history.comment(
        repo,
        1,
        "LGTM",
        source_type="review",
        review_state="APPROVED",
        at=NOW - timedelta(days=20, seconds=-1030),
    )
    shown = ids(view(history, repo))
    assert len(shown) == 10
    assert {approval, *(listed[place] for place in telling)} < set(shown)


class _Counting(Cursor[Any]):
    """Counts the texts that a session was sent."""

    texts = 0

    def fetchall(self) -> list[Any]:
        """Count rows with a text in them."""
        rows = super().fetchall()
        if "body" in {column.name for column in self.description or ()}:
            _Counting.texts += len(rows)
        return rows


@pytest.mark.parametrize(
    ("asked", "texts"),
    [({}, 11), ({"focus": "remark"}, 11), ({"comment": "1010"}, 2), ({"after": "1010"}, 12)],
    ids=["sample", "focus", "comment", "after"],
)
def test_a_view_is_sent_what_it_shows_and_not_the_thread(
    history: History, repo: Repo, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], texts: int
) -> None:
    """One row of the opening post and one for each comment, and one more where it has to know whether more follow."""
    history.thread(repo, 1, "Long", "The opening post")
    for place in range(200):
        history.comment(repo, 1, f"Remark {place}", source_id=str(1000 + place))
    history.fold()
    monkeypatch.setattr(_Counting, "texts", 0)
    monkeypatch.setattr(history.conn, "cursor_factory", _Counting)
    view(history, repo, **asked)
    assert _Counting.texts == texts


def test_many_reviews_are_sampled_evenly(history: History, repo: Repo) -> None:
    """Six of sixty, ends of the middle included."""
    history.thread(repo, 1, "Reviewed", kind="pr")
    listed = [history.comment(repo, 1, f"Text {place}", source_type="review") for place in range(64)]
    places = [listed.index(comment) for comment in ids(view(history, repo))]
    assert places == [0, 1, 2, 14, 26, 37, 49, 61, 62, 63]


def test_a_focus_orders_and_never_empties(history: History, repo: Repo) -> None:
    """Ten comments come back even when no comment carries a word of it."""
    history.thread(repo, 1, "Long")
    for number in range(30):
        history.comment(repo, 1, f"Plain remark {number}")
    best = history.comment(repo, 1, "Backoff doubles after each retry, up to a minute")
    half = history.comment(repo, 1, "One retry is enough for anybody, I should think")
    history.fold()
    found = view(history, repo, focus="backoff retry")
    assert ids(found)[:2] == [best, half]
    assert (found.comments_returned, found.focus_matched, found.selection) == (10, 1, "focus")
    assert "Backoff doubles" in found.comments[0].snippet
    nothing = view(history, repo, focus="quantization")
    assert (nothing.comments_returned, nothing.focus_matched) == (10, 0)


def test_a_focus_scores_as_search_does(history: History, repo: Repo) -> None:
    """Length counts against the usual one, and repeating a word soon adds nothing."""
    history.thread(repo, 1, "Rotors")
    long = history.comment(
        repo, 1, "rotor stator bearing " + "and the weather in the harbor town was fair " * 60
    )
    often = history.comment(
        repo, 1, "rotor rotor rotor rotor rotor rotor rotor rotor rotor rotor rotor rotor"
    )
    short = history.comment(repo, 1, "The stator and the rotor share one bearing, so both run warm.")
    history.fold()
    question = Question("rotor stator bearing", repos=(repo,))
    searched = [hit.source_id for hit in search(history.conn, question, NOW).hits]

    assert [found for found in searched if found in {long, often, short}] == [short, long, often]
    assert ids(view(history, repo, focus="rotor stator bearing")) == [short, long, often]


def test_passages_of_one_comment_take_one_place_under_a_focus(history: History, repo: Repo) -> None:
    """The one that says most; the comment says that it has more of them."""
    history.thread(repo, 1, "Chunks")
    history.document(repo, 1, "issue_comment", "Nothing yet. ", "The retry budget is here.")
    history.fold()
    (comment,) = view(history, repo, focus="retry budget").comments
    assert (comment.chunk_index, comment.passages, comment.truncated) == (1, 2, True)


# Outline and sweep


def outline_ids(found: ThreadResult) -> list[str]:
    return [row.id for row in found.outline]


def test_an_outline_lists_a_hundred_and_says_how_to_go_on(history: History, repo: Repo) -> None:
    """In order, one short line each."""
    history.thread(repo, 1, "Huge")
    listed = [history.comment(repo, 1, f"Remark {place} " + "and so on " * 20) for place in range(130)]
    first = view(history, repo, outline=True)
    assert (outline_ids(first), first.outline_reachable, first.next_after) == (listed[:100], 130, listed[99])
    assert all(len(row.snippet) <= 60 for row in first.outline)
    assert first.comments == ()
    rest = view(history, repo, outline=True, after=first.next_after)
    assert (outline_ids(rest), rest.outline_reachable, rest.next_after) == (listed[100:], 30, None)


def test_a_focus_narrows_an_outline_to_comments_with_any_of_its_words(history: History, repo: Repo) -> None:
    """In any passage; little words do not count."""
    history.thread(repo, 1, "Narrow")
    flash = history.comment(repo, 1, "Flash is broken")
    history.comment(repo, 1, "The rest is of no interest")
    late = history.document(repo, 1, "issue_comment", "Long ago. ", "Attention was needed.")
    history.fold()
    found = view(history, repo, outline=True, focus="the flash of attention")
    assert (outline_ids(found), found.outline_matched, found.outline_widened) == ([flash, late], 2, False)


def test_an_outline_whose_focus_says_nothing_is_the_whole_outline(history: History, repo: Repo) -> None:
    """And says so: an empty one would be read as an answer."""
    history.thread(repo, 1, "Narrow")
    history.comment(repo, 1, "Something")
    history.fold()
    found = view(history, repo, outline=True, focus="quantization")
    assert (found.outline_returned, found.outline_matched, found.outline_widened) == (1, 0, True)


@pytest.mark.parametrize("outline", [True, False], ids=["outline", "bodies"])
def test_a_sweep_loses_and_repeats_nothing(history: History, repo: Repo, *, outline: bool) -> None:
    """Not even among comments of one second whose ids have different lengths, or that bear no date."""
    history.thread(repo, 1, "Sweep", kind="pr")
    for number in (8, 9, 10, 11, 99, 100, 101, 7, 1000):
        for kind in ("review", "issue_comment", "review_comment"):
            history.comment(
                repo, 1, "Same second", source_type=kind, source_id=f"{number}{len(kind)}", at=SAME_SECOND
            )
    history.comment(repo, 1, "Undated", source_type="review", source_id="5", created_at=None)
    everything = outline_ids(view(history, repo, outline=True))
    assert everything[-1] == "5"
    seen: list[str] = []
    after: str | None = everything[0]
    while after is not None:
        found = view(history, repo, outline=outline, after=after)
        seen += outline_ids(found) if outline else ids(found)
        after = found.next_after
    assert seen == everything[1:]


def test_a_sweep_past_the_last_comment_is_empty_and_found(history: History, repo: Repo) -> None:
    """An id of nobody is told apart from the end."""
    history.thread(repo, 1, "End")
    last = history.comment(repo, 1, "Last")
    end = view(history, repo, after=last)
    assert (end.selection, end.comments, end.after_status) == ("after", (), "found")
    assert view(history, repo, after="424242").after_status == "unknown"


def test_ids_that_two_kinds_share_are_told_apart(history: History, repo: Repo) -> None:
    """A sweep by the bare id would begin anew at the first of them, for ever."""
    history.thread(repo, 1, "Collide", kind="pr")
    for number in range(7000, 7015):
        for kind in ("review", "review_comment"):
            history.comment(repo, 1, "Same id", source_type=kind, source_id=str(number))
    alone = history.comment(repo, 1, "Alone")
    everything = outline_ids(view(history, repo, outline=True))
    assert everything[:2] == ["review:7000", "review_comment:7000"]
    assert everything[-1] == alone
    seen: list[str] = []
    after: str | None = everything[0]
    while after is not None:
        found = view(history, repo, after=after)
        seen += ids(found)
        after = found.next_after
    assert seen == everything[1:]
    choices = ("review:7000", "review_comment:7000")
    comment, sweep = view(history, repo, comment="7000"), view(history, repo, after="7000")
    assert (comment.comment_status, comment.choices) == ("ambiguous", choices)
    assert (sweep.after_status, sweep.choices, sweep.comments) == ("ambiguous", choices, ())
    assert view(history, repo, comment="review:7000").comment_status == "served"


@pytest.mark.parametrize("outline", [True, False], ids=["outline", "bodies"])
def test_behind_a_comment_that_is_not_there_is_nothing(
    history: History, repo: Repo, *, outline: bool
) -> None:
    """The first ten would pass for the next ten."""
    history.thread(repo, 1, "End")
    history.comment(repo, 1, "Only")
    found = view(history, repo, outline=outline, after="424242")
    assert (found.after_status, found.comments, found.outline) == ("unknown", (), ())


# One comment


def test_a_comment_is_served_whole_as_github_holds_it(history: History, repo: Repo) -> None:
    """Its passages joined, nothing cut, what it hides counted."""
    history.thread(repo, 1, "One")
    pieces = ("# Head\n\n" + "x" * 900, "\n<!-- hidden -->\n", "tail  ")
    comment = history.document(repo, 1, "issue_comment", *pieces)
    found = view(history, repo, comment=comment)
    assert found.comment is not None
    assert (found.comment_status, found.comment.body) == ("served", "".join(pieces))
    assert (found.comment.passages, found.comment.hidden_comments) == (3, 1)
    assert view(history, repo, comment=f"issue_comment:{comment}:2").comment == found.comment


def test_a_comment_that_is_absent_and_one_that_is_suppressed_are_told_apart(
    history: History, repo: Repo
) -> None:
    """They call for opposite next steps."""
    history.thread(repo, 1, "Bots")
    history.thread(repo, 2, "Other")
    bot = history.comment(repo, 1, "I am a bot", trust="machine")
    elsewhere = history.comment(repo, 2, "Of another thread")
    assert (view(history, repo, comment=bot).comment_status, view(history, repo, comment=bot).comment) == (
        "suppressed",
        None,
    )
    assert view(history, repo, comment=elsewhere).comment_status == "absent"


def test_comments_of_machines_are_counted_and_not_shown(history: History, repo: Repo) -> None:
    """A filtered thread is not a quiet one."""
    history.thread(repo, 1, "Bots")
    history.comment(repo, 1, "Preview deployed", trust="machine")
    found = view(history, repo)
    assert (found.comments_total, found.comments_machine_suppressed, found.comments) == (1, 1, ())
    assert view(history, repo, outline=True).outline == ()
    assert view(history, repo, focus="preview").comments == ()


# Facts about it


def test_files_come_from_three_places_and_are_never_merged(history: History, repo: Repo) -> None:
    """Touched, commented on, and merely named; a machine's naming does not count."""
    history.thread(
        repo, 1, "Change", "See `config.json` and `src/a.py`", kind="pr", files=("src/a.py",), stated_files=3
    )
    history.comment(repo, 1, "Here", source_type="review_comment", path="src/b.py")
    history.comment(repo, 1, "touches `other/c.py`", trust="machine")
    found = view(history, repo)
    assert (found.files_changed, found.files_anchored, found.files_mentioned) == (
        ("src/a.py",),
        ("src/b.py",),
        ("config.json",),
    )
    assert (found.files_collected, found.files_total, found.files_truncated) == (1, 3, True)
    assert found.files_cut_after == "src/a.py"


def test_a_list_is_cut_in_the_order_of_bytes(history: History, repo: Repo) -> None:
    """As GitHub orders a diff."""
    history.thread(repo, 1, "Change", kind="pr", files=("src/b.py", "Zed.md", "src/a.py"), stated_files=9)
    assert view(history, repo).files_changed == ("Zed.md", "src/a.py", "src/b.py")
    assert view(history, repo).files_cut_after == "src/b.py"


def test_no_list_is_not_an_empty_list(history: History, repo: Repo) -> None:
    """Nothing can be concluded from it."""
    history.thread(repo, 1, "Change", kind="pr", stated_files=4)
    found = view(history, repo)
    assert (found.files_collected, found.files_total, found.files_truncated) == (None, 4, False)


def test_whether_a_linked_thread_is_held_is_asked_now(history: History, repo: Repo) -> None:
    """So it is right the moment the other arrives; repositories out of sight read as not held."""
    other = history.repo("acme/Gadgets")
    history.thread(repo, 1, "Fix", kind="pr")
    history.link(repo, 1, "closes", 2)
    history.link(repo, 1, "closes", 2, source="commit")
    history.link(repo, 1, "mentions", 5, target_repo="acme/Gadgets")
    history.thread(other, 5, "Elsewhere")
    before = view(history, repo)
    assert [(link.relationship, link.target, link.indexed) for link in before.links] == [
        ("closes", "acme/widgets#2", False),
        ("mentions", "acme/gadgets#5", False),
    ]
    history.thread(repo, 2, "Bug")
    after = view(history, repo, visible=(other.id,))
    assert [(link.target, link.indexed) for link in after.links] == [
        ("acme/widgets#2", True),
        ("acme/Gadgets#5", True),
    ]
    assert after.links_total == 2


def test_the_decision_is_the_latest_verdict_of_people_with_standing_then(
    history: History, repo: Repo
) -> None:
    """A request for changes, taken back; an approval by somebody passing by, listed and not counted."""
    history.thread(repo, 1, "Change", kind="pr", author="opener")
    history.standing(repo, "maintainer", "authoritative", NOW - timedelta(days=100))
    history.verdict(repo, 1, "Maintainer", "CHANGES_REQUESTED", NOW - timedelta(days=9))
    history.verdict(repo, 1, "passer-by", "APPROVED", NOW - timedelta(days=8))
    asked = view(history, repo)
    assert (asked.review_decision, asked.review_decision_by) == ("changes_requested", ("Maintainer",))
    history.verdict(repo, 1, "Maintainer", "APPROVED", NOW - timedelta(days=7))
    given = view(history, repo)
    assert (given.review_decision, given.review_decision_by, given.review_decision_standing) == (
        "approved",
        ("Maintainer",),
        ("authoritative",),
    )
    assert [(verdict.author, verdict.trust) for verdict in given.verdicts] == [
        ("Maintainer", "authoritative"),
        ("passer-by", "reported"),
    ]


def test_an_approval_without_standing_or_by_the_author_decides_nothing(history: History, repo: Repo) -> None:
    """Nor does one from before the person had it, nor one that was dismissed."""
    history.thread(repo, 1, "Change", kind="pr", author="Opener")
    history.standing(repo, "opener", "authoritative")
    history.standing(repo, "late", "authoritative", NOW - timedelta(days=1))
    history.standing(repo, "gone", "authoritative")
    for who in ("opener", "late", "stranger"):
        history.verdict(repo, 1, who, "APPROVED", NOW - timedelta(days=5))
    history.verdict(repo, 1, "gone", "APPROVED", NOW - timedelta(days=5))
    history.verdict(repo, 1, "gone", "DISMISSED", NOW - timedelta(days=4))
    assert view(history, repo).review_decision is None


# As of a date


def test_before_its_first_day_a_thread_is_not_there(history: History, repo: Repo) -> None:
    """Which is another answer than an empty thread."""
    history.thread(repo, 1, "Later", at=NOW - timedelta(days=5))
    assert read(history.conn, repo.id, 1, ThreadView(before=NOW - timedelta(days=5)), NOW) is None


def test_as_of_a_date_nothing_later_shows_and_what_is_not_known_is_named(
    history: History, repo: Repo
) -> None:
    """State, comments, links, verdicts, labels and ages as of then; a diff is only known as of now."""
    opened = datetime(2024, 1, 1, tzinfo=UTC)
    cutoff = opened + timedelta(hours=12)
    history.thread(
        repo,
        1,
        "Change",
        kind="pr",
        merged=True,
        at=opened,
        labels=("early",),
        files=("a.py",),
        merged_by="m",
        author="o",
    )
    early = history.comment(repo, 1, "Early", at=opened + timedelta(hours=1))
    late = history.comment(repo, 1, "Late", at=opened + timedelta(hours=20))
    history.link(repo, 1, "closes", 2, stated_at=opened + timedelta(hours=20))
    history.standing(repo, "m", "authoritative")
    history.verdict(repo, 1, "m", "APPROVED", opened + timedelta(hours=20))
    found = view(history, repo, before=cutoff)
    assert (found.state, found.merged, found.merged_by, found.age) == ("open", False, None, "12h")
    assert (ids(found), found.links, found.review_decision, found.labels) == ([early], (), None, ("early",))
    assert (found.files_changed, found.files_collected) == ((), None)
    assert "files_changed" in found.withheld
    assert view(history, repo, before=cutoff, comment=late).comment_status == "absent"
    assert found.todays_words == ("body",)
    history.comment(
        repo, 1, "Edited", at=opened + timedelta(hours=2), updated_at=opened + timedelta(hours=30)
    )
    history.comment(repo, 1, "Undated", source_type="review", created_at=None)
    found = view(history, repo, before=cutoff)
    assert (ids(found), found.comments_edited_since, found.comments_undated) == ([early], 1, 1)
    assert view(history, repo).withheld == ()


def test_an_answer_is_its_json(history: History, repo: Repo) -> None:
    """Everything in it is plain data."""
    history.thread(repo, 1, "Plain")
    history.comment(repo, 1, "Text")
    answer = asdict(view(history, repo))
    assert answer["indexed_at"] == "2024-06-01T12:00:00Z"
    assert answer["comments"][0]["document_id"].startswith("issue_comment:")


@pytest.mark.parametrize("number", [0, -3, 2**31, 2**90])
def test_a_number_that_no_thread_can_have_is_none(history: History, repo: Repo, number: int) -> None:
    """Rather than a failure."""
    assert read(history.conn, repo.id, number, ThreadView(), NOW) is None


def test_no_text_of_a_view_can_break_it(history: History, repo: Repo) -> None:
    """Focus and ids are values, and made such as can be stored."""
    history.thread(repo, 1, "Plain")
    history.comment(repo, 1, "Text")
    hostile = "a\x00b \ud83d '; --"
    assert view(history, repo, focus=hostile).comments_returned == 1
    assert view(history, repo, after=hostile).after_status == "unknown"
    assert view(history, repo, comment=hostile).comment_status == "absent"
