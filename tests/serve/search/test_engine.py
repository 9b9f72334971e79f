"""One question, one page of hits."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from rows import NOW, History

from relore_serve.pages import why
from relore_serve.search.engine import search
from relore_serve.search.question import MAX_TEXT, Exclusion, Question, QuestionError
from relore_serve.search.ranking import DEFAULT, Ranking

if TYPE_CHECKING:
    from relore_serve.search.results import SearchResult
    from relore_serve.search.scope import Repo


def ask(
    history: History,
    repo: Repo | tuple[Repo, ...],
    text: str = "",
    ranking: Ranking = DEFAULT,
    **more: object,
) -> SearchResult:
    repos = repo if isinstance(repo, tuple) else (repo,)
    return search(history.conn, Question(text, repos=repos, **more), NOW, ranking=ranking)


def numbers(found: SearchResult) -> list[int]:
    """The threads of a page, best first, each once."""
    return list(dict.fromkeys(hit.number for hit in found.hits))


def whole(history: History, repo: Repo, text: str = "", **more: object) -> list[SearchResult]:
    """Every page of an answer."""
    pages = [ask(history, repo, text, **more)]
    while pages[-1].cursor is not None:
        pages.append(ask(history, repo, text, cursor=pages[-1].cursor, **more))
    return pages


@pytest.fixture
def repo(history: History) -> Repo:
    return history.repo()


# Words


def test_a_document_that_carries_every_word_is_found_and_others_are_not(history: History, repo: Repo) -> None:
    """Filtering ANDs."""
    history.thread(repo, 1, "Crash when the optional mask is missing")
    history.thread(repo, 2, "Document the mask")
    history.fold()
    found = ask(history, repo, "optional mask")
    assert numbers(found) == [1]
    assert found.query.widened == ""


def test_from_nothing_a_question_is_widened_to_any_word_the_rare_ones_counting_most(
    history: History, repo: Repo
) -> None:
    """A sentence of seven words finds the comment with five of them first, and the page says that it did so."""
    history.thread(repo, 1, "Training")
    history.comment(repo, 1, "Loading the optional mask crashes whenever the tensor dtype is missing here")
    history.thread(repo, 2, "Crashes")
    history.comment(repo, 2, "It crashes.")
    history.thread(repo, 3, "Unrelated")
    history.fold()
    found = ask(history, repo, "crashes because optional tensor mask dtype differs nonetheless")
    assert numbers(found)[0] == 1
    assert 3 not in numbers(found)
    assert found.query.widened == "any-term"
    assert set(found.hits[0].why.missing) == {"because", "differs", "nonetheless"}


def test_words_that_only_hold_a_sentence_together_are_not_required(history: History, repo: Repo) -> None:
    """`why is the cast here` asks for cast."""
    history.thread(repo, 1, "Cast twice")
    history.fold()
    found = ask(history, repo, "why is the cast")
    assert (numbers(found), found.query.widened) == ([1], "")


@pytest.mark.parametrize("text", ["any", "is not", "all"])
def test_words_that_hold_a_sentence_together_are_found_when_nothing_else_is_asked(
    history: History, repo: Repo, text: str
) -> None:
    """No word is a stop word."""
    history.thread(repo, 1, "np.all and any() is not the same")
    history.thread(repo, 2, "Something else")
    history.fold()
    assert numbers(ask(history, repo, text)) == [1]


@pytest.mark.parametrize(
    "text", ["foo &", "·", "a'b", "multi-agent", '"unclosed', "(", "20.04", "-Werror", ":*", "\\"]
)
def test_punctuation_is_text_and_never_an_error(history: History, repo: Repo, text: str) -> None:
    """Nothing a caller types reaches the query language."""
    history.thread(repo, 1, "Something")
    history.fold()
    assert ask(history, repo, text).count in (0, 1)


def test_a_question_of_punctuation_finds_nothing_rather_than_everything(history: History, repo: Repo) -> None:
    """Text that holds nothing to look for is an honest zero."""
    history.thread(repo, 1, "Something to say that is long enough for everything")
    history.fold()
    assert ask(history, repo, "()").total == 0


def test_a_flag_is_literal(history: History, repo: Repo) -> None:
    """A leading minus excludes nothing."""
    history.thread(repo, 1, "gcc -Werror fails")
    history.thread(repo, 2, "gcc fails")
    history.fold()
    assert numbers(ask(history, repo, "gcc -Werror")) == [1]


def test_a_rare_word_outweighs_a_common_one(history: History, repo: Repo) -> None:
    """Of two that each carry half the question, the one with the rarer half comes first."""
    for number in range(1, 20):
        history.thread(repo, number, f"Tensor shapes number {number}")
    history.thread(repo, 30, "About nonces and other things")
    history.fold()
    assert numbers(ask(history, repo, "tensor nonces"))[0] == 30


def test_words_beyond_what_one_question_holds_are_dropped_and_counted(history: History, repo: Repo) -> None:
    """A pasted log is read as far as it goes, and the page says how far."""
    history.thread(repo, 1, "w1 stands here")
    history.fold()
    found = ask(history, repo, " ".join(f"w{number}" for number in range(100)))
    assert (found.query.terms, found.query.dropped_terms) == (64, 36)


def test_a_question_that_is_too_long_is_refused_with_a_sentence(history: History, repo: Repo) -> None:
    """Cutting it silently would miss what was cut."""
    with pytest.raises(QuestionError, match="characters") as refused:
        ask(history, repo, "x" * (MAX_TEXT + 1))
    assert refused.value.code == "text_too_long"


# Noise


def test_a_nod_does_not_take_the_place_of_what_says_something(history: History, repo: Repo) -> None:
    """For a question without words too; they stand below, and the last."""
    history.thread(repo, 1, "Rework rotation", kind="pr", files=("src/rotate.py",), merged=True)
    for nod in ("LGTM", "+1", "utACK", "/retest", "Thx!"):
        history.comment(repo, 1, nod)
    history.thread(repo, 2, "Rotate left", kind="pr", files=("src/rotate.py",))
    history.comment(repo, 2, "Rotation to the left has to keep the phase, because the encoder depends on it.")
    history.fold()
    found = ask(history, repo, files=("src/rotate.py",))
    assert {hit.snippet for hit in found.hits[-5:]} == {"LGTM", "+1", "utACK", "/retest", "Thx!"}
    assert {hit.group for hit in found.hits[-5:]} == {"noise"}
    assert sorted(hit.number for hit in found.hits[:-5]) == [1, 2, 2]


def test_what_is_short_is_found_and_counted_without_words_too(history: History, repo: Repo) -> None:
    """A filter admits every text: what says little stands below what says more, and is not left out of totals."""
    history.thread(repo, 1, "Rework rotation", kind="pr", labels=("bug",), author="bea")
    history.comment(repo, 1, "Fast review, needs rebasing.", author="cai")
    for number in range(60):
        history.comment(
            repo, 1, f"Rotor {number} turns the wrong way round once its bearing runs warm.", author="bea"
        )
    history.fold()

    by_author = ask(history, repo, authors=("cai",))
    assert ([hit.snippet for hit in by_author.hits], by_author.total) == (["Fast review, needs rebasing."], 1)
    newest = ask(history, repo, labels=("bug",), sort="newest")
    assert (newest.total, newest.total_exact) == (62, True)
    best = ask(history, repo, labels=("bug",), limit=50)
    assert best.hits[-1].snippet == "Fast review, needs rebasing." or best.cursor is not None
    assert not best.total_exact


def test_a_nod_that_names_the_subject_ranks_below_what_discusses_it(history: History, repo: Repo) -> None:
    """Being short earns nothing below a certain length."""
    history.thread(repo, 1, "Other")
    history.comment(repo, 1, "ACK nonces")
    history.comment(repo, 1, "nonces")
    history.thread(repo, 2, "Different")
    history.comment(repo, 2, "Derive nonces from nonces that are derived, since reused nonces leak the key.")
    history.fold()
    assert numbers(ask(history, repo, "nonces"))[0] == 2


# Hits


def test_the_best_document_of_a_kind_stands_for_its_thread_and_three_at_most(
    history: History, repo: Repo
) -> None:
    """Ten comments of one thread that say the same are one hit, until every other thread had its say."""
    history.thread(repo, 1, "Frobnicate", "Please frobnicate.", kind="pr")
    for _ in range(10):
        history.comment(repo, 1, "I frobnicate it daily")
    history.comment(repo, 1, "frobnicate here", source_type="review_comment", path="a.c")
    history.comment(repo, 1, "frobnicate approved", source_type="review")
    history.thread(repo, 2, "Of other things", "and many words that have nothing to do with it: " * 9)
    history.comment(repo, 2, "and so on and on " * 20 + "frobnicate")
    history.fold()
    found = ask(history, repo, "frobnicate")
    assert [(hit.number, hit.group) for hit in found.hits] == [
        *[(1, "best")] * 3,
        (2, "best"),
        *[(1, "further")] * 6,
    ]
    assert len({hit.source_type for hit in found.hits[:3]}) == 3


@pytest.mark.parametrize("sort", ["relevance", "newest"])
def test_every_text_that_matches_is_counted_and_reached(history: History, repo: Repo, sort: str) -> None:
    """However few threads they stand in."""
    history.thread(repo, 1, "Long")
    said = {history.comment(repo, 1, f"Remark {place} on frobnication, and more") for place in range(45)}
    history.thread(repo, 2, "Short")
    said.add(history.comment(repo, 2, "Another frobnication of note"))
    history.fold()
    pages = whole(history, repo, "frobnication", sort=sort)
    assert {(page.total, page.total_exact, page.threads_total, page.reachable) for page in pages} == {
        (46, True, 2, 46)
    }
    hits = [hit.source_id for page in pages for hit in page.hits]
    assert (len(hits), set(hits)) == (46, said)
    assert {hit.number for hit in pages[0].hits} == {1, 2}


def test_pages_of_the_newest_reach_every_thread(history: History, repo: Repo) -> None:
    """Also where more texts match than could be scored."""
    narrow = replace(DEFAULT, candidates=20)
    for number in range(1, 16):
        history.thread(repo, number, f"Change {number}", kind="pr", files=("src/a.c",))
        for place in range(4):
            history.comment(
                repo, number, f"Remark {place} long enough to say something about change {number}"
            )
    history.fold()
    pages = whole(history, repo, ranking=narrow, files=("src/a.c",), sort="newest")
    assert {hit.number for page in pages for hit in page.hits} == set(range(1, 16))
    assert (pages[0].threads_total, pages[0].total_exact) == (15, True)
    bounded = whole(history, repo, ranking=narrow, files=("src/a.c",))
    assert (bounded[-1].cursor, bounded[-1].total_exact, bounded[-1].reachable) == (None, False, 20)
    assert bounded[-1].total == 75


def test_the_newest_of_everything_say_how_far_back_they_reach(history: History, repo: Repo) -> None:
    """Only so many are looked at, and a date goes on from there."""
    for number in range(1, 31):
        history.thread(repo, number, f"Change {number}", at=NOW - timedelta(days=number))
    history.fold()
    (last,) = whole(history, repo, ranking=replace(DEFAULT, candidates=12), sort="newest")[-1:]
    assert (last.total_exact, last.reachable, last.reaches_back_to) == (False, 12, "2024-05-20T12:00:00Z")


def test_where_little_carries_every_word_more_follows_with_some(history: History, repo: Repo) -> None:
    """And each hit says in which half it stands; of two words one says too little."""
    history.thread(repo, 1, "Where secrets go", "Erase the secure buffer with memset")
    history.thread(
        repo, 2, "Why memset may be removed", "The compiler drops a memset of what is not read again"
    )
    history.thread(repo, 3, "Something else")
    history.fold()
    found = ask(history, repo, "secure erase memset")
    assert [(hit.number, hit.group) for hit in found.hits] == [
        (1, "best"),
        (2, "some-terms"),
        (2, "some-terms"),
    ]
    assert (found.query.widened, found.every_term_total, found.total) == ("any-term-below", 1, 3)
    assert numbers(ask(history, repo, "erase memset")) == [1]
    assert numbers(ask(history, repo, "secure erase memset", sort="newest")) == [1]


def test_machines_that_alone_say_it_are_counted_on_the_empty_page(history: History, repo: Repo) -> None:
    """Silence of people is not silence."""
    history.thread(repo, 1, "Bump", trust="machine", author="helper[bot]")
    history.comment(
        repo, 1, "I bumped the frobnicator for you and all of yours", trust="machine", author="helper[bot]"
    )
    history.thread(repo, 2, "People talk of widgets")
    history.fold()
    assert ask(history, repo, "frobnicator").machine_withheld == 1
    assert ask(history, repo, authors=("helper[bot]",)).machine_withheld == 2
    assert ask(history, repo, "zebra").machine_withheld == 0
    assert ask(history, repo, "widgets").machine_withheld == 0
    assert ask(history, repo, "zebra", trust="machine").machine_withheld == 0


def test_a_text_of_no_words_leaves_the_filters_to_ask(history: History, repo: Repo) -> None:
    """And a word that is too long to be found is counted."""
    history.thread(repo, 1, "Tagged", labels=("bug",))
    history.thread(repo, 2, "Other")
    history.fold()
    found = ask(history, repo, "()?!", labels=("bug",))
    assert (numbers(found), found.query.text, found.query.terms) == ([1], "()?!", 0)
    assert ask(history, repo, "z" * 300 + " tagged").query.unsearchable_terms == 1


def test_a_cursor_tells_nothing_of_the_tables(history: History, repo: Repo) -> None:
    """Ids of rows count everything that is held, also for those who may not see it; and they change."""
    for number in range(1, 15):
        history.thread(repo, number, "Widget")
    history.fold()
    first = ask(history, repo, "widget")
    (ids,) = history.conn.execute("SELECT array_agg(id) FROM relore.documents").fetchone()
    content = json.loads(base64.urlsafe_b64decode(first.cursor + "=="))
    assert not set(ids) & {part for part in content[2:] if isinstance(part, int) and part > 3}
    history.conn.execute("UPDATE relore.documents SET id = DEFAULT")
    second = ask(history, repo, "widget", cursor=first.cursor)
    assert len({hit.number for hit in (*first.hits, *second.hits)}) == 14


def test_passages_of_one_comment_are_one_hit_that_says_which_it_is(history: History, repo: Repo) -> None:
    """Two pieces of one text must not read as two people agreeing."""
    history.thread(repo, 1, "Long story")
    comment = history.document(
        repo, 1, "issue_comment", "The frobnicator starts. ", "Filler. ", "The frobnicator ends."
    )
    history.fold()
    (hit,) = ask(history, repo, "frobnicator").hits
    assert hit.document_id in {f"issue_comment:{comment}:0", f"issue_comment:{comment}:2"}
    assert hit.passages == 3


def test_a_hit_says_why_it_came(history: History, repo: Repo) -> None:
    """Words, facts and legs, as asked."""
    history.thread(repo, 1, "Masks", "`build_mask` ignores padding", labels=("bug",))
    history.fold()
    found = ask(history, repo, "padding build_mask", labels=("bug",))
    why = found.hits[0].why
    assert set(why.terms) == {"padding", "build_mask"}
    assert why.missing == ()
    assert why.filters == ("symbol:build_mask", "label:bug")
    assert why.legs == ("text", "symbol")


def test_a_page_counts_what_there_is_and_goes_on_from_where_it_ended(history: History, repo: Repo) -> None:
    """Pages neither lose nor repeat a hit."""
    for number in range(1, 26):
        history.thread(repo, number, f"Widget {number} fails")
    history.fold()
    seen: list[str] = []
    cursor = None
    for _ in range(3):
        page = ask(history, repo, "widget", cursor=cursor)
        assert (page.total, page.total_exact) == (25, True)
        seen += [hit.document_id for hit in page.hits]
        cursor = page.cursor
    assert cursor is None
    assert len(seen) == len(set(seen)) == 25


@pytest.mark.parametrize("cursor", ["", "rubbish", "ÿ", "W10", "WzEsImEiLDEsMiwzXQ"])
def test_a_cursor_that_is_none_is_refused(history: History, repo: Repo, cursor: str) -> None:
    """So is one that another question was given."""
    with pytest.raises(QuestionError) as refused:
        ask(history, repo, "widget", cursor=cursor)
    assert refused.value.code == "bad_cursor"


def test_the_cursor_of_another_question_is_refused(history: History, repo: Repo) -> None:
    """It would silently skip hits."""
    for number in range(1, 15):
        history.thread(repo, number, f"Widget {number} gadget")
    history.fold()
    cursor = ask(history, repo, "widget").cursor
    with pytest.raises(QuestionError, match="another question"):
        ask(history, repo, "gadget", cursor=cursor)


def test_the_snippet_shows_where_the_words_stand(history: History, repo: Repo) -> None:
    """Four hundred characters around the densest match, a hundred and sixty when compact."""
    history.thread(repo, 1, "Long")
    history.comment(
        repo, 1, "mask. " + "Filler text goes on. " * 60 + "The optional mask was dropped. " + "More. " * 90
    )
    history.fold()
    whole = ask(history, repo, "optional mask").hits[0]
    short = ask(history, repo, "optional mask", compact=True).hits[0]
    assert "The optional mask was dropped" in whole.snippet
    assert "The optional mask was dropped" in short.snippet
    assert (len(whole.snippet) <= 400, len(short.snippet) <= 160) == (True, True)
    assert whole.truncated
    assert whole.score is not None
    assert short.score is None


def test_what_a_page_hides_is_neither_ranked_nor_shown(history: History, repo: Repo) -> None:
    """HTML comments are invisible on GitHub."""
    history.thread(repo, 1, "Template", "Shown text <!-- secretword: ignore the above --> and more")
    history.fold()
    assert ask(history, repo, "secretword").total == 0
    (hit,) = [hit for hit in ask(history, repo, "shown text").hits if hit.source_type == "body"]
    assert "ignore" not in hit.snippet


def test_a_hidden_comment_that_a_cut_falls_into_stays_hidden(history: History, repo: Repo) -> None:
    """The second passage begins inside it."""
    history.thread(repo, 1, "Cut")
    history.document(
        repo, 1, "issue_comment", "Begin <!-- do not ", "show this --> but the frobnicator is shown"
    )
    history.fold()
    (hit,) = ask(history, repo, "frobnicator").hits
    assert hit.snippet == "but the frobnicator is shown"


def test_an_answer_is_its_json(history: History, repo: Repo) -> None:
    """Field by field, as the interface names them; a hit bears an age and a date."""
    history.thread(repo, 1, "Widget fails", at=NOW - timedelta(days=3))
    history.fold()
    answer = asdict(ask(history, repo, "widget", exclude=(Exclusion(9),)))
    assert set(answer) == {
        "backend", "query", "count", "total", "total_exact", "threads_total", "every_term_total", "carrying_total",
        "reachable", "reaches_back_to", "files_untested", "files_untested_exact", "hits", "cursor", "machine_withheld",
        "machine_withheld_exact", "machine_threads", "suggestions", "edited_since", "edited_since_exact",
        "labels_untested", "alike_total",
    }  # fmt: skip
    assert answer["query"]["exclude"] == ("acme/widgets#9",)
    hit = answer["hits"][0]
    assert (hit["age"], hit["date"]) == ("3d", "2024-05-29T12:00:00Z")
    assert hit["document_id"] == "title:1:0"


# Scope


def test_two_repositories_with_the_same_numbers_never_mix(history: History, repo: Repo) -> None:
    """A number is unique per repository only."""
    other = history.repo("acme/gadgets")
    history.thread(repo, 1, "Widget one", kind="pr", files=("a.py",))
    history.thread(other, 1, "Widget two", kind="pr", files=("b.py",))
    history.fold()
    assert [hit.title for hit in ask(history, repo, "widget").hits] == ["Widget one"]
    assert [hit.title for hit in ask(history, other, files=("b.py",)).hits] == ["Widget two"]
    assert ask(history, other, files=("a.py",)).total == 0
    assert {hit.repo for hit in ask(history, (repo, other), "widget").hits} == {repo.name, other.name}


def test_without_a_repository_nothing_is_found(history: History, repo: Repo) -> None:
    """An empty scope is an empty answer, never everything."""
    history.thread(repo, 1, "Widget")
    history.fold()
    assert ask(history, (), "widget").total == 0


def test_an_exclusion_withholds_one_thread_of_one_repository(history: History, repo: Repo) -> None:
    """The thread of the same number elsewhere stays."""
    other = history.repo("acme/gadgets")
    history.thread(repo, 7, "Widget here")
    history.thread(other, 7, "Widget there")
    history.fold()
    found = ask(history, (repo, other), "widget", exclude=(Exclusion(7, "ACME/Widgets"),))
    assert [hit.title for hit in found.hits] == ["Widget there"]
    with pytest.raises(QuestionError) as refused:
        ask(history, (repo, other), "widget", exclude=(Exclusion(7),))
    assert refused.value.code == "ambiguous_exclude"


@pytest.mark.parametrize(
    ("kind", "trust", "expected"),
    [
        (None, None, {"authoritative", "unresolved", "reported"}),
        ("failure", None, {"authoritative", "unresolved", "reported"}),
        ("rationale", None, {"authoritative"}),
        ("rationale", "reported", {"authoritative"}),
        ("failure", "authoritative", {"authoritative"}),
        ("precedent", None, {"authoritative"}),
        (None, "machine", {"machine"}),
    ],
)
def test_the_kind_sets_a_floor_that_may_only_be_raised(
    history: History, repo: Repo, kind: str | None, trust: str | None, expected: set[str]
) -> None:
    """Machines are asked by name or not at all, and then alone."""
    for number, label in enumerate(("authoritative", "unresolved", "reported", "machine"), 1):
        history.thread(repo, number, "Widget", trust=label)
    history.fold()
    found = ask(history, repo, "widget", kind=kind, trust=trust)
    assert {hit.trust for hit in found.hits} == expected


def test_anyones_words_on_a_merged_pull_request_are_precedent(history: History, repo: Repo) -> None:
    """Merging was a maintainer's act; raising the floor takes that away, and a machine never gains by it."""
    history.thread(repo, 1, "Widget merged", kind="pr", merged=True)
    history.thread(repo, 2, "Widget proposed", kind="pr")
    history.thread(repo, 3, "Widget bumped", kind="pr", merged=True, trust="machine")
    history.fold()
    found = ask(history, repo, "widget", kind="precedent")
    assert numbers(found) == [1]
    assert found.query.trust_floor_merged
    assert ask(history, repo, "widget", kind="precedent", trust="authoritative").total == 0


def test_a_window_of_time_is_strict_at_its_end(history: History, repo: Repo) -> None:
    """What bears no date, and what was edited later, is not known to have been there."""
    when = datetime(2024, 1, 1, tzinfo=UTC)
    history.thread(repo, 1, "Widget early", at=when - timedelta(seconds=1))
    history.thread(repo, 2, "Widget late", at=when)
    history.comment(
        repo, 1, "widget edited", at=when - timedelta(days=1), updated_at=when + timedelta(days=1)
    )
    history.comment(repo, 1, "widget undated", source_type="review", created_at=None)
    history.fold()
    assert {hit.document_id for hit in ask(history, repo, "widget", before=when).hits} == {"title:1:0"}
    assert numbers(ask(history, repo, "widget late", since=when)) == [2]
    with pytest.raises(QuestionError) as refused:
        ask(history, repo, "widget", since=when, before=when)
    assert refused.value.code == "empty_window"


def test_a_hit_is_told_as_it_stood_at_the_cutoff(history: History, repo: Repo) -> None:
    """A pull request merged later was open then; ages are counted from then."""
    opened = NOW - timedelta(days=30)
    history.thread(repo, 1, "Widget", kind="pr", merged=True, at=opened)
    history.fold()
    (hit,) = ask(history, repo, "widget", before=opened + timedelta(hours=5)).hits
    assert (hit.state, hit.merged, hit.age) == ("open", False, "5h")


def test_naive_times_are_refused(history: History, repo: Repo) -> None:
    """A time without a zone is a guess."""
    with pytest.raises(QuestionError) as refused:
        ask(history, repo, "widget", before=datetime(2024, 1, 1))  # noqa: DTZ001
    assert refused.value.code == "naive_time"


# Order


def test_newest_is_newest_of_the_matches(history: History, repo: Repo) -> None:
    """However well older ones match; expansion changes nothing about it."""
    for number in range(1, 15):
        title = f"fix_widget {number}" + " among many other things" * (15 - number)
        history.thread(repo, number, title, at=NOW - timedelta(days=number))
    history.fold()
    found = ask(history, repo, "fix_widget", sort="newest")
    assert numbers(found) == list(range(1, 11))
    assert (found.total, found.total_exact) == (14, True)
    assert numbers(ask(history, repo, "fix_widget", sort="newest", cursor=found.cursor)) == [11, 12, 13, 14]


def test_a_question_without_words_or_filters_shows_the_newest_that_says_something(
    history: History, repo: Repo
) -> None:
    """`search "" --kind rationale` is a way to read what maintainers said lately."""
    history.thread(repo, 1, "Old", at=NOW - timedelta(days=9), trust="authoritative")
    history.thread(repo, 2, "New", at=NOW - timedelta(days=1), trust="authoritative")
    history.comment(repo, 2, "thx", trust="authoritative")
    history.fold()
    found = ask(history, repo, kind="rationale")
    assert [hit.snippet for hit in found.hits] == ["New", "Old", "thx"]


HOSTILE = "a\x00b \ud83d \u202e'; DROP TABLE relore.threads; -- %s %(x)s {0}"


def test_no_text_of_a_question_can_break_it(history: History, repo: Repo) -> None:
    """Whatever stands in it, it is a value, and one that can be stored."""
    history.thread(repo, 1, "Widget")
    history.fold()
    for name in ("files", "symbols", "errors", "tests", "labels", "authors"):
        assert ask(history, repo, HOSTILE, **{name: (HOSTILE,)}).total == 0
    assert ask(history, repo, "widget").total == 1


def test_labels_are_asked_as_of_the_cutoff(history: History, repo: Repo) -> None:
    """What was put on later, or taken off by then, does not count; threads of unknown labels are counted apart.

    So are those that rest since: a label is renamed without moving them.
    """
    day = timedelta(days=1)
    opened = NOW - 20 * day
    for number in range(1, 6):
        history.thread(
            repo, number, f"widget {number}", at=opened, updated_at=NOW, labels=("bug",) * (number == 1)
        )
    history.event(repo, 2, "labeled", value="Bug", at=opened + 10 * day)
    history.event(repo, 3, "labeled", value="bug", at=opened)
    history.event(repo, 3, "unlabeled", value="bug", at=opened + 10 * day)
    history.thread(repo, 6, "widget 6", at=opened, updated_at=NOW, labels=("bug",), undated=["labels"])
    history.thread(repo, 7, "widget 7", at=opened, labels=("bug",), undated=["labels"])
    history.fold()
    then = ask(history, repo, "widget", labels=("bug",), before=opened + 5 * day)
    assert sorted(numbers(then)) == [1, 3]
    assert then.labels_untested == 2
    assert then.hits[0].why.filters == ("label:bug",)
    later = ask(history, repo, "widget", labels=("bug",), before=opened + 10 * day + timedelta(seconds=1))
    assert sorted(numbers(later)) == [1, 2]
    assert sorted(numbers(ask(history, repo, "widget", labels=("bug",)))) == [1, 6, 7]


def test_a_hit_shows_its_thread_as_of_the_cutoff(history: History, repo: Repo) -> None:
    """Title, state and merge of then; a state that is not known is none; edited texts are counted, not searched."""
    day = timedelta(days=1)
    opened = NOW - 20 * day
    history.thread(
        repo, 1, "Renamed since", "the widget breaks", at=opened, kind="pr", merged=True, updated_at=NOW
    )
    history.event(repo, 1, "renamed", previous="Called so then", value="Renamed since", at=opened + 3 * day)
    undated = ["title", "state", "labels"]
    history.thread(
        repo, 2, "Undated", "the widget too", at=opened, state="closed", updated_at=NOW, undated=undated
    )
    history.comment(repo, 2, "a widget, edited", at=opened, updated_at=opened + 2 * day)
    history.fold()
    found = ask(history, repo, "widget", before=opened + timedelta(hours=1))
    heads = {
        hit.number: (hit.title, hit.state, hit.merged, hit.withheld, hit.todays_words) for hit in found.hits
    }
    assert heads == {
        1: ("Called so then", "open", False, (), ("body",)),
        2: ("Undated", None, False, ("state",), ("title", "body")),
    }
    assert (found.edited_since, found.edited_since_exact) == (1, True)
    # Closed is closed from its last closing on, whatever came before.
    after = ask(history, repo, "too", before=opened + day + timedelta(seconds=1))
    assert [(hit.number, hit.state) for hit in after.hits] == [(2, "closed")]


@pytest.mark.parametrize("number", [0, -1, 2**31, 2**80])
def test_numbers_that_no_thread_can_have_are_refused(history: History, repo: Repo, number: int) -> None:
    """With a sentence, not with a failure."""
    with pytest.raises(QuestionError) as refused:
        ask(history, repo, "widget", exclude=(Exclusion(number),))
    assert refused.value.code == "bad_exclude"


def test_a_commit_that_is_part_of_several_pull_requests_is_told_once(history: History, repo: Repo) -> None:
    """Its message in each would read as several people saying so."""
    for number in (1, 2, 3):
        history.thread(repo, number, f"Proposal {number}", kind="pr")
        history.document(repo, number, "commit", "Frobnicate before the encoder runs", source_id="c0ffee")
    history.fold()
    found = ask(history, repo, "frobnicate encoder")
    assert (found.count, found.total, found.total_exact) == (1, 1, True)


@pytest.mark.parametrize("sort", ["relevance", "newest"])
def test_a_commit_told_once_names_the_other_pull_requests_it_is_part_of(
    history: History, repo: Repo, sort: str
) -> None:
    """Otherwise no page would lead to them."""
    for number in range(1, 10):
        history.thread(repo, number, f"Proposal {number}", kind="pr")
        history.document(repo, number, "commit", "Frobnicate before the encoder runs", source_id="c0ffee")
    history.fold()
    found = ask(history, repo, "frobnicate encoder", sort=sort)

    [hit] = found.hits
    assert (found.total, found.threads_total) == (1, 9)
    assert (len(hit.also_in), hit.also_in_total) == (5, 8)
    assert f"acme/widgets#{hit.number}" not in hit.also_in


def test_commits_count_too_where_not_all_matches_are_scored(history: History, repo: Repo) -> None:
    for number in range(1, 10):
        history.thread(repo, number, f"Proposal {number}", kind="pr")
        history.document(repo, number, "commit", f"Frobnicate before encoder {number} runs")
    history.fold()
    found = ask(history, repo, "frobnicate encoder", replace(DEFAULT, candidates=5))

    assert (found.total, found.total_exact, found.threads_total) == (5, False, 9)


def test_filters_alone_put_first_what_is_about_them(history: History, repo: Repo) -> None:
    """Not what is newest."""
    history.thread(repo, 1, "build_mask drops padding", "`build_mask` drops it; `build_mask` has to keep it")
    history.thread(repo, 2, "Many things", "x " * 400 + "`build_mask` " + "y " * 400)
    history.fold()
    found = ask(history, repo, symbols=("build_mask",))
    assert (found.hits[0].number, found.hits[0].why.missing) == (1, ())


# Noise


@pytest.mark.parametrize("sort", ["relevance", "newest"])
def test_what_says_nothing_stands_below_everything_that_says_something(
    history: History, repo: Repo, sort: str
) -> None:
    """However well it matches and however new it is; it is counted, reached, and said to be such."""
    history.thread(repo, 1, "Speed", "Concept ACK on the idea, though the approach costs a multiplication.")
    for _ in range(12):
        history.comment(repo, 1, "Concept ACK", at=NOW - timedelta(hours=1))
    for number in range(2, 14):
        history.thread(repo, number, f"Change {number}", at=NOW - timedelta(days=number))
        history.comment(repo, number, "ACK 1234abcd", at=NOW - timedelta(minutes=number))
        history.comment(repo, number, f"I would ACK this if part {number} had a test of its own.")
    history.fold()

    pages = whole(history, repo, "ack", sort=sort)

    groups = [hit.group for page in pages for hit in page.hits]
    assert groups == sorted(groups, key=lambda group: group == "noise")
    assert all(hit.group != "noise" for hit in pages[0].hits)
    assert groups.count("noise") == 24
    assert len(groups) == pages[0].total


def test_what_says_nothing_is_still_found_where_nothing_else_is(history: History, repo: Repo) -> None:
    history.thread(repo, 1, "Speed")
    history.comment(repo, 1, "LGTM")
    history.fold()

    [hit] = ask(history, repo, "lgtm").hits

    assert (hit.snippet, hit.group) == ("LGTM", "noise")


# Counts of what filters admit


def test_filters_alone_count_what_carries_the_fact_beside_what_stands_in_its_threads(
    history: History, repo: Repo
) -> None:
    """A thread's other texts are hits too, and a total of them must not pass for mentions."""
    history.thread(repo, 1, "Overflow", "The sum in `fe_add_int` overflows on the last limb.")
    for place in range(4):
        history.comment(repo, 1, f"I can reproduce this on machine {place}, with any compiler at all.")
    history.fold()

    found = ask(history, repo, symbols=("fe_add_int",))

    assert (found.total, found.threads_total, found.carrying_total) == (6, 1, 1)
    assert found.hits[0].why.said == ("symbol:fe_add_int",)
    assert all(hit.why.said == () for hit in found.hits[1:])
    assert ask(history, repo, "overflows").carrying_total is None


def test_what_carries_a_fact_is_counted_alike_whatever_the_order(history: History, repo: Repo) -> None:
    """By date too a long text is told by the passage that carries it, and counts as carrying it."""
    history.thread(repo, 1, "Overflow")
    pieces = ("The first passage is of other things. ", "In the second `fe_add_int` overflows.")
    history.document(repo, 1, "issue_comment", *pieces, source_id="77")
    history.fold()
    history.conn.execute(
        "UPDATE relore.signals SET document_id = (SELECT id FROM relore.documents WHERE chunk_index = 1)"
    )

    best = ask(history, repo, symbols=("fe_add_int",))
    newest = ask(history, repo, symbols=("fe_add_int",), sort="newest")

    assert best.carrying_total == newest.carrying_total == 1
    assert {(hit.source_id, hit.chunk_index) for hit in newest.hits} >= {("77", 1)}


def test_a_compact_hit_that_is_explained_tells_its_score(history: History, repo: Repo) -> None:
    history.thread(repo, 1, "Nonce reuse", "The nonce is used twice here, and that leaks the key.")
    history.fold()

    explained = ask(history, repo, "nonce", compact=True, explain=True).hits[0]
    plain = ask(history, repo, "nonce", compact=True).hits[0]

    assert plain.score is None
    assert explained.score == pytest.approx(explained.breakdown["score"], abs=1e-3)


def test_an_explained_hit_says_that_a_threads_further_text_is_put_lower(history: History, repo: Repo) -> None:
    """Else the order would contradict the scores that are told."""
    history.thread(repo, 1, "Nonce reuse", "The nonce is used twice here, and that leaks the key.")
    history.thread(repo, 2, "Key")
    history.fold()

    first, second = ask(history, repo, "nonce", explain=True).hits

    assert "repeat_factor" not in first.breakdown
    assert second.breakdown["repeat_factor"] == pytest.approx(DEFAULT.repeat)
    assert "put lower, x 0.70, as a further text of its thread" in why.line(asdict(second))
    assert "put lower" not in why.line(asdict(first))


def test_a_widened_page_names_the_threads_in_which_machines_said_every_word(
    history: History, repo: Repo
) -> None:
    """Their words are not served, but that they stand there is worth knowing, since no person said it all."""
    history.thread(repo, 1, "Callback wording")
    history.comment(repo, 1, "The wording overstates what callers override.", trust="machine")
    history.thread(repo, 2, "Docs", "The wording of the guide could be better in many places.")
    history.fold()

    found = ask(history, repo, "wording overstates override")
    asked = ask(history, repo, "wording overstates override", trust="machine")

    assert found.query.widened == "any-term"
    assert (found.machine_withheld, found.machine_threads) == (1, ("acme/widgets#1",))
    assert all(hit.trust != "machine" for hit in found.hits)
    assert (asked.total, asked.machine_threads) == (1, ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("连接超时 重试失败", "连接超时后没有任何提示"),
        ("café übergröße", "die Übergröße ist falsch"),
        ("таймаут соединения", "таймаут наступает сразу"),
    ],
)
def test_any_writing_is_widened_and_shown_where_it_matches(
    history: History, repo: Repo, text: str, said: str
) -> None:
    history.thread(
        repo, 1, "Report", f"{'filler words without meaning ' * 40}{said}{' and more of them' * 40}"
    )
    history.fold()

    found = ask(history, repo, text, compact=True)

    assert found.query.widened == "any-term"
    assert said in found.hits[0].snippet


def test_a_rare_old_word_is_found_by_date_too(history: History, repo: Repo) -> None:
    """Matches first, then their order: the newest documents that lack the word do not stand in its way."""
    history.thread(repo, 1, "Zeppelin", at=NOW - timedelta(days=3000))
    for number in range(2, 40):
        history.thread(repo, number, f"Widget {number}", "Nothing of that kind is said in here at all.")
    history.fold()

    assert numbers(ask(history, repo, "zeppelin", sort="newest")) == [1]
