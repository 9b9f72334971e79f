"""One small history, derived, and what each view of it says as of each moment."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

import psycopg
import pytest

from relore_assets.derive.derive import derive
from relore_serve.search.engine import search
from relore_serve.search.question import Exclusion, Question
from relore_serve.search.scope import Repo
from relore_serve.threads import brief
from relore_serve.threads.inflight import claims
from relore_serve.threads.results import Claim, InflightResult, ThreadResult, ThreadView
from relore_serve.threads.thread import read

NOW = datetime(2024, 6, 1, tzinfo=UTC)
REPO = "harbor/tide"


def on(day: int, hour: int = 0) -> datetime:
    return datetime(2024, 3, day, hour, tzinfo=UTC)


def user(login: str) -> dict[str, Any]:
    return {"login": login, "id": 1, "type": "User"}


HEAD = {
    "user": user("buoy"),
    "author_association": "NONE",
    "comments": 3,
    "body": "Fixes #1. The quay sinks.",
}
ISSUE = {
    **HEAD, "number": 1, "title": "The quay sinks", "body": "It sinks.", "state": "open", "labels": [],
    "created_at": on(1).isoformat(), "updated_at": on(1).isoformat(),
}  # fmt: skip
#: Today's head: renamed, closed, reopened, merged, its label taken off, its request for a review taken back.
PULL = {
    **HEAD, "number": 2, "title": "Raise the quay", "state": "closed", "merged": True, "draft": False, "locked": True,
    "labels": [{"name": "late"}], "requested_reviewers": [], "created_at": on(2).isoformat(),
    "updated_at": on(20).isoformat(), "closed_at": on(12).isoformat(), "merged_at": on(12).isoformat(),
    "merged_by": user("keel"), "closed_by": user("keel"), "merge_commit_sha": "c" * 40, "commits": 1,
    "changed_files": 1,
}  # fmt: skip


def event(name: str, at: datetime, actor: str = "keel", **more: Any) -> dict[str, Any]:
    return {"event": name, "created_at": at.isoformat(), "actor": user(actor), **more}


EVENTS = (
    event("convert_to_draft", on(2, 1)),
    event("labeled", on(3), label={"name": "bug"}),
    event("review_requested", on(3), requested_reviewer=user("mole")),
    event("unlabeled", on(5), label={"name": "bug"}),
    event("ready_for_review", on(5)),
    event("renamed", on(6), rename={"from": "Lower the water", "to": "Raise the quay"}),
    event("closed", on(7), actor="mole"),
    event("review_request_removed", on(7), requested_reviewer=user("mole")),
    event("reopened", on(8)),
    event("review_dismissed", on(11), dismissed_review={"review_id": 51, "state": "approved"}),
    event("merged", on(12)),
    event("closed", on(12)),
    event("labeled", on(13), label={"name": "late"}),
    event("locked", on(14)),
)
REVIEWS = (
    {
        "id": 51,
        "user": user("keel"),
        "state": "DISMISSED",
        "body": "Good.",
        "submitted_at": on(4).isoformat(),
    },
    {
        "id": 52,
        "user": user("keel"),
        "state": "CHANGES_REQUESTED",
        "body": "No.",
        "submitted_at": on(9).isoformat(),
    },
    {"id": 53, "user": user("keel"), "state": "APPROVED", "body": "Yes.", "submitted_at": on(12).isoformat()},
)


class Harbor:
    """The one repository: staged, derived, asked."""

    def __init__(self, conn: psycopg.Connection, database_url: str) -> None:
        self.conn, self._url = conn, database_url
        row = conn.execute(
            "INSERT INTO relore.repos (full_name, source_kind, source_location) VALUES (%s, 'api', '-')"
            " RETURNING id",
            [REPO],
        ).fetchone()
        assert row is not None
        self.repo = Repo(row[0], REPO)

    def stage(self, kind: str, object_id: int, number: int, payload: dict[str, Any]) -> None:
        """Stage one object, or a newer version of it."""
        text = json.dumps(payload)
        self.conn.execute(
            "INSERT INTO relore.raw_objects (repo_id, kind, object_id, thread_number, payload, payload_hash,"
            " fetched_at, source, redaction_version) VALUES (%s, %s, %s, %s, %s, %s, now(), 'api', 1)"
            " ON CONFLICT (repo_id, kind, object_id) DO UPDATE"
            " SET payload = excluded.payload, payload_hash = excluded.payload_hash",
            [self.repo.id, kind, str(object_id), number, text, blake2b(text.encode()).digest()],
        )

    def comment(self, body: str, updated_at: datetime) -> None:
        """Stage the one comment of the pull request, as edited by then."""
        dates = {"created_at": on(3).isoformat(), "updated_at": updated_at.isoformat()}
        self.stage("issue_comment", 71, 2, {"id": 71, "user": user("mole"), "body": body, **dates})

    def derive(self) -> None:
        """Bring the tables up to date."""
        self.conn.commit()
        derive(self._url, REPO, workers=1)

    def thread(self, cutoff: datetime | None, number: int = 2, **more: Any) -> ThreadResult | None:
        """Read a thread."""
        return read(self.conn, self.repo.id, number, ThreadView(before=cutoff, **more), NOW)

    def pull(self, cutoff: datetime | None, **more: Any) -> ThreadResult:
        """Read the pull request, which is there."""
        found = self.thread(cutoff, **more)
        assert found is not None
        return found

    def inflight(self, cutoff: datetime | None, **more: Any) -> InflightResult:
        """Ask who claims to close the issue."""
        return claims(self.conn, self.repo, 1, NOW, before=cutoff, **more)

    def claim(self, cutoff: datetime | None) -> Claim:
        """Ask for the one claim there is."""
        (found,) = self.inflight(cutoff).claims
        return found


@pytest.fixture
def harbor(conn: psycopg.Connection, database_url: str) -> Harbor:
    """An issue and a pull request that fixes it, read whole."""
    made = Harbor(conn, database_url)
    made.stage("issue", 1, 1, ISSUE)
    made.stage("issue_detail", 1, 1, {"number": 1, "as_of": on(20).isoformat()})
    made.stage("pull", 2, 2, PULL)
    made.stage("pull_detail", 2, 2, {"number": 2, "as_of": on(20).isoformat()})
    made.stage("pull_files", 2, 2, {"number": 2, "items": [{"filename": "quay.c", "status": "modified"}]})
    for place, each in enumerate(EVENTS):
        made.stage("event", 100 + place, 2, each)
    for review in REVIEWS:
        made.stage("review", review["id"], 2, {**review, "html_url": ""})
    made.comment("first words", on(3))
    made.derive()
    # Standing is no subject of this history: keel has it from the first day on.
    conn.execute(
        "INSERT INTO relore.authors (repo_id, login, tier, reason) VALUES (%s, 'keel', 'authoritative', 'owner')",
        [made.repo.id],
    )
    return made


#: Fact of the pull request, moment, value. A cutoff at the moment of a change itself has not seen it yet.
FACTS: tuple[tuple[str, datetime | None, object], ...] = (
    ("title", on(6), "Lower the water"),
    ("title", on(6, 1), "Raise the quay"),
    ("state", on(7), "open"),
    ("state", on(7, 1), "closed"),
    ("closed_by", on(7, 1), "mole"),
    ("state", on(8, 1), "open"),
    ("closed_by", on(8, 1), None),
    ("merged", on(12), False),
    ("state", on(12, 1), "closed"),
    ("merged", on(12, 1), True),
    ("draft", on(2, 1), False),
    ("draft", on(5), True),
    ("draft", on(5, 1), False),
    ("review_decision", on(4), None),
    ("review_decision", on(5), "approved"),
    ("review_decision", on(10), "changes_requested"),
    ("review_decision", on(12, 1), "approved"),
)


@pytest.mark.parametrize(("fact", "cutoff", "value"), FACTS)
def test_a_thread_and_a_claim_say_what_was_so_then(
    harbor: Harbor, fact: str, cutoff: datetime, value: object
) -> None:
    """Both views of one fact agree, and nothing of it is withheld."""
    assert getattr(harbor.pull(cutoff), fact) == value
    assert getattr(harbor.claim(cutoff), fact) == value
    assert fact not in harbor.pull(cutoff).withheld
    assert fact not in harbor.claim(cutoff).withheld


@pytest.mark.parametrize(
    ("fact", "cutoff", "value"),
    [
        ("labels", on(3), ()),
        ("labels", on(4), ("bug",)),
        ("labels", on(12), ()),
        ("labels", on(14), ("late",)),
        ("requested_reviewers", on(4), ("mole",)),
        ("requested_reviewers", on(8), ()),
        ("locked", on(14), False),
        ("locked", on(15), True),
        ("merged_by", on(12), None),
        ("merged_by", on(12, 1), "keel"),
        ("closed_at", on(7, 1), "2024-03-07T00:00:00Z"),
        ("files_changed", on(7, 1), ()),
        ("files_changed", on(12, 1), ("quay.c",)),
        ("links", on(2, 1), (("closes", "harbor/tide#1"),)),
        ("age", on(4), "2d"),
    ],
)
def test_a_thread_page_says_what_was_so_then(
    harbor: Harbor, fact: str, cutoff: datetime, value: object
) -> None:
    """A diff is known of what was finished by then and not opened again since; closed for a day is not that."""
    found = getattr(harbor.pull(cutoff), fact)
    assert (tuple((link.relationship, link.target) for link in found) if fact == "links" else found) == value


def test_what_is_not_known_as_of_then_is_named(harbor: Harbor) -> None:
    """The diff of a pull request that went on, and its last update; once nothing moved it any more, all is known."""
    withheld = {"updated_at", "comments_stated", "files_changed", "files_total", "files_collected"}
    assert set(harbor.pull(on(7, 1)).withheld) == withheld
    assert harbor.pull(on(7, 1)).todays_words == ("body",)
    settled = harbor.pull(on(21))
    assert (settled.withheld, settled.todays_words, settled.updated_at) == ((), (), "2024-03-20T00:00:00Z")
    assert harbor.claim(on(7, 1)).withheld == ("updated_at",)
    assert harbor.inflight(on(7, 1)).todays_words == ("opening_posts",)


def test_a_path_that_is_named_is_told_also_where_a_later_diff_holds_it(harbor: Harbor) -> None:
    """What is missing from the list would otherwise be what the diff is going to be."""
    harbor.comment("see `docks/quay.c` and `docks/pier.c`", on(3))
    files = {"number": 2, "items": [{"filename": "docks/quay.c", "status": "modified"}]}
    harbor.stage("pull_files", 2, 2, files)
    harbor.derive()
    assert harbor.pull(on(7, 1)).files_mentioned == ("docks/pier.c", "docks/quay.c")
    assert harbor.pull(on(12, 1)).files_mentioned == ("docks/pier.c",)


@pytest.mark.parametrize(
    ("cutoff", "state", "title"), [(on(5), "open", "Lower the water"), (on(13), "closed", None)]
)
def test_a_hit_says_what_was_so_then(harbor: Harbor, cutoff: datetime, state: str, title: str | None) -> None:
    question = Question("quay sinks", repos=(harbor.repo,), before=cutoff)
    hits = [hit for hit in search(harbor.conn, question, NOW).hits if hit.number == 2]
    assert {(hit.state, hit.title) for hit in hits} == {(state, title or "Raise the quay")}


def test_words_of_a_title_are_found_since_the_title_has_them(harbor: Harbor) -> None:
    """Before a rename today's words lead nowhere, and that they were left out is counted."""
    renamed = Question("raise", repos=(harbor.repo,), before=on(6))
    found = search(harbor.conn, renamed, NOW)
    assert (found.total, found.edited_since) == (0, 1)
    later = Question("raise", repos=(harbor.repo,), before=on(6, 1))
    assert [hit.source_type for hit in search(harbor.conn, later, NOW).hits] == ["title"]


def test_a_label_filters_as_of_then(harbor: Harbor) -> None:
    def labelled(label: str, cutoff: datetime | None) -> int:
        question = Question("quay", repos=(harbor.repo,), labels=(label,), before=cutoff)
        return search(harbor.conn, question, NOW).threads_total

    assert (labelled("bug", on(4)), labelled("bug", on(6)), labelled("bug", None)) == (1, 0, 0)
    assert (labelled("late", on(4)), labelled("late", on(14))) == (0, 1)


def test_a_label_that_was_renamed_since_is_not_told_of_then(harbor: Harbor) -> None:
    """Renaming moves no thread: its events alone know of the name of then. Today's name is no answer, nor a filter."""
    harbor.stage("pull", 2, 2, {**PULL, "labels": [{"name": "belated"}]})
    harbor.derive()
    found = harbor.pull(on(25))
    assert (found.labels, "labels" in found.withheld, found.state) == ((), True, "closed")
    assert (harbor.pull(None).labels, harbor.pull(None).withheld) == (("belated",), ())

    def labelled(label: str, cutoff: datetime | None) -> tuple[int, int]:
        question = Question("quay", repos=(harbor.repo,), labels=(label,), before=cutoff)
        answer = search(harbor.conn, question, NOW)
        return answer.threads_total, answer.labels_untested

    assert labelled("belated", on(25)) == (0, 1)
    assert labelled("Belated", None) == (1, 0)


def test_between_a_merge_and_its_closing_it_was_closed_by_the_merge(harbor: Harbor) -> None:
    harbor.stage("pull", 2, 2, {**PULL, "closed_at": on(12, 1).isoformat()})
    place = max(place for place, each in enumerate(EVENTS) if each["event"] == "closed")
    harbor.stage("event", 100 + place, 2, event("closed", on(12, 1)))
    harbor.derive()
    found = harbor.pull(on(12, 1))
    assert (found.state, found.closed_at, found.merged_at) == ("closed", *["2024-03-12T00:00:00Z"] * 2)
    assert harbor.pull(on(12, 2)).closed_at == "2024-03-12T01:00:00Z"


def test_a_brief_says_that_a_claim_may_be_of_an_edit_since(harbor: Harbor) -> None:
    """The opening post that makes it bears no date of an edit; once nothing moves its thread, it is of then."""

    def todays_words(cutoff: datetime | None, number: int = 1) -> tuple[str, ...]:
        bounds: dict[str, Any] = {"visible": (), "exclude": (), "compact": False, "now": NOW}
        found = brief.read(harbor.conn, harbor.repo, number, before=cutoff, **bounds)
        assert found is not None
        assert (found.competing.total, found.closes.total) == ((1, 0) if number == 1 else (0, 1))
        return found.todays_words

    assert todays_words(on(7, 1)) == todays_words(on(7, 1), 2) == ("opening_posts",)
    assert todays_words(on(21)) == todays_words(on(21), 2) == todays_words(None) == ()


# Edits


def test_an_edited_comment_reads_as_it_did_then(harbor: Harbor) -> None:
    """In every view but a search; marked with the date of that text. Where no version is held, it is left out."""
    harbor.comment("second words", on(10))
    harbor.derive()
    harbor.comment("third words", on(15))
    harbor.derive()

    def shown(cutoff: datetime) -> tuple[list[tuple[str, str | None]], int]:
        found = harbor.pull(cutoff)
        texts = [(each.snippet, each.version) for each in found.comments if each.id == "71"]
        return texts, found.comments_edited_since

    assert shown(on(5)) == ([("first words", "2024-03-03T00:00:00Z")], 0)
    assert shown(on(11)) == ([("second words", "2024-03-10T00:00:00Z")], 0)
    assert shown(on(16)) == ([("third words", None)], 0)
    row = next(each for each in harbor.pull(on(5), outline=True).outline if each.id == "71")
    assert (row.snippet, row.version) == ("first words", "2024-03-03T00:00:00Z")
    whole = harbor.pull(on(5), comment="71").comment
    assert whole is not None
    assert (whole.body, whole.version) == ("first words", "2024-03-03T00:00:00Z")
    focused = harbor.pull(on(5), focus="third")
    assert focused.focus_matched == 0
    assert "first words" in [each.snippet for each in focused.comments]
    harbor.conn.execute("DELETE FROM relore.document_versions")
    assert shown(on(5)) == ([], 1)
    assert harbor.pull(on(5), comment="71").comment_status == "edited"
    assert search(harbor.conn, Question("third", repos=(harbor.repo,), before=on(5)), NOW).total == 0


def test_an_opening_post_without_a_date_of_its_edit_is_given_in_the_oldest_words_held(harbor: Harbor) -> None:
    """Marked, since they may themselves be of an edit; today's words are not those of then for certain."""
    for body in ("Second words.", "Third words."):
        harbor.stage("issue", 1, 1, {**ISSUE, "body": body, "updated_at": on(20).isoformat()})
        harbor.derive()

    def post(cutoff: datetime | None) -> tuple[str, bool, tuple[str, ...]]:
        found = harbor.thread(cutoff, 1)
        assert found is not None
        return found.body, found.body_held_until is not None, found.todays_words

    assert post(on(5)) == ("It sinks.", True, ())
    # Nothing has moved it since.
    assert post(on(21)) == post(None) == ("Third words.", False, ())
    harbor.conn.execute("UPDATE relore.document_versions SET replaced_at = '2024-03-04'")
    assert post(on(5)) == ("Third words.", False, ("body",))


def test_a_search_leaves_out_an_opening_post_of_which_the_text_of_then_is_held(harbor: Harbor) -> None:
    """It is neither found by today's words nor quoted, and counted as edited since, though its edit bears no date."""
    edited = search(harbor.conn, Question("quay", repos=(harbor.repo,), before=on(5)), NOW).edited_since
    body = "A walrus sleeps on it. Closes #2."
    harbor.stage("issue", 1, 1, {**ISSUE, "body": body, "updated_at": on(20).isoformat()})
    harbor.derive()

    def asked(text: str, cutoff: datetime | None) -> tuple[set[str], int]:
        found = search(harbor.conn, Question(text, repos=(harbor.repo,), before=cutoff), NOW)
        return {hit.source_type for hit in found.hits if hit.number == 1}, found.edited_since

    def claims_then(cutoff: datetime) -> list[str]:
        thread = harbor.thread(cutoff, 1)
        assert thread is not None
        return [link.target for link in thread.links]

    assert asked("walrus sleeps", None) == ({"body"}, 0)
    assert asked("walrus sleeps", on(5)) == (set(), edited + 1)
    assert asked("sinks", on(5))[0] == {"title"}
    assert claims_then(on(5)) == []
    # Nothing has moved it since: the index alone was behind.
    assert asked("walrus sleeps", on(21))[0] == {"body"}
    assert claims_then(on(21)) == ["harbor/tide#2"]
    # It was replaced before the cutoff.
    harbor.conn.execute("UPDATE relore.document_versions SET replaced_at = '2024-03-04'")
    assert asked("walrus sleeps", on(5)) == ({"body"}, edited)


def test_a_claim_in_a_text_that_was_edited_since_is_no_claim_of_then(harbor: Harbor) -> None:
    """Nor one that is said later."""
    harbor.stage("issue", 3, 3, {**ISSUE, "number": 3, "created_at": on(2).isoformat(), "body": ""})
    dates = {"created_at": on(3).isoformat(), "updated_at": on(9).isoformat()}
    harbor.stage("issue_comment", 72, 3, {"id": 72, "user": user("mole"), "body": "Duplicate of #1", **dates})
    harbor.derive()
    assert harbor.inflight(on(5)).mentions_total == 0
    assert harbor.inflight(on(10)).mentions_total == 1
    assert [link.target for link in harbor.thread(on(10), 3).links] == ["harbor/tide#1"]
    assert harbor.thread(on(5), 3).links == ()


# Cutoffs and exclusions


def test_a_thread_is_there_from_its_opening_on(harbor: Harbor) -> None:
    """Not at that very moment, and not by one of its comments either."""
    assert harbor.thread(on(2)) is None
    assert harbor.thread(on(2), comment="71") is None
    assert harbor.thread(on(2, 1)) is not None
    assert harbor.inflight(on(2)).claims_total == 0


@pytest.mark.parametrize("named", [None, "Harbor/Tide"])
def test_an_excluded_thread_is_nowhere(harbor: Harbor, named: str | None) -> None:
    """By its number alone or with its repository; of another repository the number means another thread."""
    one, two = Exclusion(1, named), Exclusion(2, named)
    assert harbor.thread(None, exclude=(two,)) is None
    assert harbor.pull(None, exclude=(one,)).links == ()
    assert harbor.inflight(None, exclude=(two,)).claims_total == 0
    elsewhere = Exclusion(2, "harbor/ebb")
    assert harbor.thread(None, exclude=(elsewhere,)) is not None
    assert harbor.inflight(None, exclude=(elsewhere,)).claims_total == 1


# What the events do not tell


def test_without_its_events_nothing_of_a_head_is_guessed(harbor: Harbor) -> None:
    """Before its last closing a state is none, and the page says so; merged it was since the merge all the same."""
    detail = {"number": 2, "as_of": on(20).isoformat(), "unread": ["events"]}
    harbor.stage("pull_detail", 2, 2, detail)
    harbor.derive()
    found = harbor.pull(on(10))
    assert (found.state, found.labels, found.merged) == (None, (), False)
    unknown = {
        "state",
        "state_reason",
        "closed_by",
        "closed_at",
        "draft",
        "locked",
        "labels",
        "requested_reviewers",
    }
    assert unknown <= set(found.withheld)
    assert found.todays_words == ("title", "body")
    claim = harbor.claim(on(10))
    assert (claim.state, set(claim.withheld)) == (
        None, {"state", "state_reason", "closed_by", "draft", "updated_at"},
    )  # fmt: skip
    after = harbor.pull(on(13))
    assert (after.state, after.merged, "state" in after.withheld) == ("closed", True, False)


def test_a_dismissal_without_a_date_leaves_the_decision_unsaid(harbor: Harbor) -> None:
    """It may have stood then, and it may not."""
    for place, each in enumerate(EVENTS):
        if each["event"] == "review_dismissed":
            harbor.stage("event", 100 + place, 2, {**each, "dismissed_review": None})
    harbor.derive()
    found = harbor.pull(on(5))
    assert (found.review_decision, "review_decision" in found.withheld) == (None, True)
    assert "review_decision" in harbor.claim(on(5)).withheld
    assert harbor.pull(on(10)).review_decision == "changes_requested"


# Nothing of later


def dates(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Every date of an answer, with the name of its field."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from dates(each, key)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from dates(each, name)
    elif isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value):
        yield name, value


@pytest.mark.parametrize("day", range(3, 21))
def test_no_page_bears_a_date_of_later(harbor: Harbor, day: int) -> None:
    """But for the cutoff itself, and for when the index was written."""
    cutoff = on(day, 12)
    harbor.comment("second words", on(10))
    harbor.derive()
    question = Question("quay", repos=(harbor.repo,), before=cutoff)
    answers: list[Any] = [
        *(
            harbor.pull(cutoff, **view)
            for view in ({}, {"outline": True}, {"focus": "words"}, {"comment": "71"})
        ),
        harbor.thread(cutoff, 1),
        harbor.inflight(cutoff),
        search(harbor.conn, question, NOW),
    ]
    told = [
        found
        for answer in answers
        for found in dates(asdict(answer))
        if found[0] not in {"before", "indexed_at"}
    ]
    assert told
    assert [found for found in told if datetime.fromisoformat(found[1]) >= cutoff] == []


def test_the_line_of_an_inline_comment_is_the_one_it_was_put_on(harbor: Harbor) -> None:
    """Pushes move today's, or take it away, and none of that is dated."""
    said = {"user": user("mole"), "body": "Mind the bollard.", "path": "quay.c", "original_line": 7}
    dates = {"created_at": on(4).isoformat(), "updated_at": on(4).isoformat()}
    harbor.stage("review_comment", 81, 2, {"id": 81, "line": None, **said, **dates})
    harbor.stage("review_comment", 82, 2, {"id": 82, "line": 9, **said, **dates})
    harbor.derive()

    def lines(cutoff: datetime | None) -> dict[str, set[tuple[str, int | None]]]:
        views = {
            "sample": harbor.pull(cutoff).comments,
            "focus": harbor.pull(cutoff, focus="bollard").comments,
            "onward": harbor.pull(cutoff, after="71").comments,
            "search": search(harbor.conn, Question("bollard", repos=(harbor.repo,), before=cutoff), NOW).hits,
            "one": [one for key in ("81", "82") if (one := harbor.pull(cutoff, comment=key).comment)],
        }
        return {
            view: {(each.source_id, each.line) for each in found if each.path}
            for view, found in views.items()
        }

    then, today = lines(on(15)), lines(None)

    assert then == {view: {("81", 7), ("82", 7)} for view in then}
    assert today == {view: {("81", None), ("82", 9)} for view in today}
