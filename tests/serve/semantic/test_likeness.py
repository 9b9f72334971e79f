"""Threads that are like a question: found without its words, marked as such, and bound by all that binds a search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import timedelta

import pytest
from fake_encoder import FakeEncoder
from rows import NOW, History

from relore_serve.json_tree import tree
from relore_serve.pages import search as page
from relore_serve.pages.untrusted import scrub
from relore_serve.search.engine import search
from relore_serve.search.question import Exclusion, Question, QuestionError
from relore_serve.search.ranking import DEFAULT, Ranking
from relore_serve.search.results import SearchResult
from relore_serve.search.scope import Repo
from relore_serve.semantic.encoder import EncoderUnavailable
from relore_serve.semantic.tier import Semantic, Tier

ASKED = "boat leaks badly"
Embedded = Callable[[Repo], None]


@pytest.fixture
def repo(history: History) -> Repo:
    """One thread with the words, one that means the same, three of something else."""
    repo = history.repo()
    history.thread(repo, 1, "My boat leaks badly", "It does.")
    history.thread(repo, 2, "Vessel ingress", "The vessel has an ingress.")
    for number, title in enumerate(("Paint the mast", "Sails are torn", "Rudder stuck"), start=3):
        history.thread(repo, number, title, f"{title}.")
    return repo


@pytest.fixture
def ask(history: History, encoder: FakeEncoder) -> Callable[..., SearchResult]:
    """Asks with the tier."""

    def asked(repos: Repo | tuple[Repo, ...], text: str = ASKED, **more: object) -> SearchResult:
        repos = repos if isinstance(repos, tuple) else (repos,)
        question = Question(text, repos=repos, **more)
        # Of so few threads all would be alike.
        ranking = replace(DEFAULT, alike_threads=2)
        return search(history.conn, question, NOW, ranking=ranking, semantic=Semantic(encoder))

    return asked


def rendered(found: SearchResult) -> str:
    return page.render(_scrubbed(found), compact=False, presentation=False)


def _scrubbed(found: SearchResult) -> dict:
    payload, removed = scrub(tree(found))
    return {**payload, "scrubbed": asdict(removed)}


def numbers(found: SearchResult) -> list[int]:
    return list(dict.fromkeys(hit.number for hit in found.hits))


def test_a_thread_that_says_the_same_in_other_words_is_found_and_says_so(
    repo: Repo, embedded: Embedded, ask: Callable[..., SearchResult]
) -> None:
    """By its leg, in its score, on the page and in the echo of the question."""
    embedded(repo)

    found = ask(repo, explain=True)

    assert numbers(found) == [1, 2]
    assert [leg.leg for leg in found.query.legs][-1] == "likeness"
    alone = [hit for hit in found.hits if hit.number == 2]
    assert {hit.source_type for hit in alone} == {"title", "body"}
    assert all(hit.why.legs == ("likeness",) and not hit.why.terms for hit in alone)
    text = rendered(found)
    assert "3 of the hits here carry none of the words: found by likeness" in text
    assert "found by likeness" in text.split("2. ")[-1]


def test_a_thread_that_carries_the_words_is_lifted_and_says_so(
    repo: Repo, embedded: Embedded, ask: Callable[..., SearchResult], history: History
) -> None:
    embedded(repo)

    best = ask(repo, explain=True).hits[0]
    plain = search(history.conn, Question(ASKED, repos=(repo,), explain=True), NOW).hits[0]

    assert best.why.legs == ("text", "likeness")
    assert best.breakdown is not None
    assert best.breakdown["likeness"] > 0
    assert best.score is not None
    assert plain.score is not None
    assert best.score == pytest.approx(plain.score + best.breakdown["likeness"], abs=1e-3)


def test_totals_do_not_count_likeness_as_words(
    repo: Repo, embedded: Embedded, ask: Callable[..., SearchResult], history: History
) -> None:
    """What carries every word is as many as without the tier."""
    history.comment(repo, 3, "A boat that leaks is no boat, said somebody who knows about boats.")
    embedded(repo)

    found = ask(repo)
    plain = search(history.conn, Question(ASKED, repos=(repo,)), NOW)

    assert found.alike_total == 3
    assert plain.alike_total is None
    assert found.total - found.alike_total == plain.total
    assert found.every_term_total == plain.every_term_total
    assert "3 of the hits came in by the likeness of their threads alone" in rendered(found)


def test_a_page_of_likeness_alone_says_that_no_text_was_found_by_words(
    repo: Repo, embedded: Embedded, ask: Callable[..., SearchResult]
) -> None:
    embedded(repo)

    found = ask(repo, "harbour leaks badly", exclude=(Exclusion(1),))
    text = rendered(found)

    assert found.total == found.alike_total > 0
    assert found.query.widened == "no-term"
    assert (
        f"nothing matches for 'harbour leaks badly'; {found.total} texts of 1 thread like the question\n"
        in text
    )
    assert "no text was found by its words" in text
    assert "carry some" not in text


def test_what_is_hardly_like_the_question_is_not_let_in_by_that(
    repo: Repo, embedded: Embedded, history: History, encoder: FakeEncoder
) -> None:
    """A page with nothing is an answer, and tells what would find something; what words find is lifted all the same."""
    embedded(repo)
    far = replace(DEFAULT, alike_least=1.1)

    def asked(text: str, ranking: Ranking) -> SearchResult:
        question = Question(text, repos=(repo,), exclude=(Exclusion(1),))
        return search(history.conn, question, NOW, ranking=ranking, semantic=Semantic(encoder))

    assert asked("harbour leaks badly", DEFAULT).total
    assert asked("harbour leaks badly", far).total == 0
    lifted = [(hit.number, hit.score) for hit in asked("vessel ingress", DEFAULT).hits if hit.number == 2]
    assert [(hit.number, hit.score) for hit in asked("vessel ingress", far).hits if hit.number == 2] == lifted


def test_off_is_absent(repo: Repo, history: History, encoder: FakeEncoder, embedded: Embedded) -> None:
    """Without vectors, and without the tier, every answer is the same to the letter."""
    history.fold()
    question = Question(ASKED, repos=(repo,), explain=True)
    plain = asdict(search(history.conn, question, NOW))

    without_vectors = asdict(search(history.conn, question, NOW, semantic=Semantic(encoder)))
    assert encoder.texts == []
    embedded(repo)
    without_tier = asdict(search(history.conn, question, NOW))
    of_another_model = asdict(
        search(history.conn, question, NOW, semantic=Semantic(replace(encoder, name="other/1")))
    )

    assert plain == without_vectors == without_tier == of_another_model


@pytest.mark.parametrize(
    ("text", "more"),
    [
        (ASKED, {"expand": False}),
        (ASKED, {"sort": "newest"}),
        (ASKED, {"trust": "machine"}),
        (ASKED, {"errors": ("ValueError: boat",)}),
        ("", {"files": ("a.c",)}),
        ("boat", {}),
        ("boat_leaks vessel::ingress BOAT-7", {}),
        ("the of and", {}),
    ],
    ids=["expand=false", "newest", "machines", "error", "filters alone", "one word", "names", "no names"],
)
def test_only_prose_is_compared(
    repo: Repo,
    embedded: Embedded,
    ask: Callable[..., SearchResult],
    encoder: FakeEncoder,
    text: str,
    more: dict,
) -> None:
    embedded(repo)
    encoder.texts.clear()

    found = ask(repo, text, **more)

    assert encoder.texts == []
    assert "likeness" not in [leg.leg for leg in found.query.legs]


def test_what_is_withheld_is_not_found_by_likeness(
    repo: Repo, embedded: Embedded, ask: Callable[..., SearchResult], history: History
) -> None:
    """Neither what is excluded, nor what is another repository's."""
    other = history.repo("acme/boats")
    history.thread(other, 2, "Vessel ingress", "The vessel has an ingress.")
    embedded(repo)
    embedded(other)

    assert 2 not in numbers(ask(repo, exclude=(Exclusion(2),)))
    assert {hit.repo for hit in ask(repo).hits} == {"acme/widgets"}
    both = ask((repo, other), exclude=(Exclusion(2, repo.name),))
    assert ("acme/boats", 2) in {(hit.repo, hit.number) for hit in both.hits}


def test_under_a_cutoff_only_what_was_written_and_not_edited_since_is_like_anything(
    history: History, repo: Repo, embedded: Embedded, ask: Callable[..., SearchResult]
) -> None:
    cutoff = NOW - timedelta(days=10)
    later = {"at": NOW - timedelta(days=5)}
    history.thread(repo, 11, "Vessel with ingress", "Today.", **later)
    history.thread(repo, 12, "Vessel and ingress", "Edited since.")
    history.thread(repo, 13, "Vessel or ingress", "Renamed since.")
    history.thread(repo, 14, "Vessel nor ingress", "No date of its edit.", updated_at=NOW - timedelta(days=5))
    history.conn.execute(
        "INSERT INTO relore.document_versions (repo_id, thread_number, source_type, source_id, chunk_index, author,"
        " body, content_hash, replaced_at, reason)"
        " VALUES (%s, 14, 'body', '14', 0, 'ada', 'Kittens.', '-', %s, 'edited')",
        [repo.id, NOW - timedelta(days=1)],
    )
    for number, kind in ((12, "body"), (13, "title")):
        history.conn.execute(
            "UPDATE relore.documents d SET updated_at = %s FROM relore.threads t"
            " WHERE t.id = d.thread_id AND t.number = %s AND d.source_type = %s",
            [NOW - timedelta(days=5), number, kind],
        )
    embedded(repo)

    today = {hit.number for limit in (10,) for hit in ask(repo, "vessel ingress now", limit=limit).hits}
    then = ask(repo, ASKED, before=cutoff)

    assert today & {11, 12, 13, 14}
    assert set(numbers(then)) == {1, 2}


def test_a_filter_binds_what_is_alike(
    history: History, repo: Repo, embedded: Embedded, ask: Callable[..., SearchResult]
) -> None:
    history.thread(repo, 21, "Vessel ingress, mended", kind="pr", files=("hull/plank.c",))
    embedded(repo)

    found = ask(repo, files=("plank.c",))

    assert set(numbers(found)) == {21}


def test_standing_binds_what_is_alike(
    repo: Repo, embedded: Embedded, ask: Callable[..., SearchResult]
) -> None:
    """Authoritative words alone were asked for, and nobody here has any."""
    embedded(repo)

    assert ask(repo, trust="authoritative").total == 0


def test_pages_lose_nothing_and_repeat_nothing(
    history: History, repo: Repo, embedded: Embedded, encoder: FakeEncoder
) -> None:
    for number in range(31, 51):
        history.thread(repo, number, f"Vessel ingress, case {number}", f"The boat of case {number} leaks.")
    embedded(repo)
    question = Question(ASKED, repos=(repo,), limit=4)
    found = [search(history.conn, question, NOW, semantic=Semantic(encoder))]
    while found[-1].cursor is not None:
        following = replace(question, cursor=found[-1].cursor)
        found.append(search(history.conn, following, NOW, semantic=Semantic(encoder)))

    shown = [hit.document_id for each in found for hit in each.hits]
    assert len(shown) == len(set(shown)) == found[0].total
    assert {each.total for each in found} == {found[0].total}
    assert len(found) > 5


def test_a_model_that_cannot_be_loaded_costs_no_answer(
    repo: Repo, embedded: Embedded, ask: Callable[..., SearchResult], encoder: FakeEncoder, history: History
) -> None:
    embedded(repo)

    def broken(_text: str) -> None:
        raise EncoderUnavailable("The file is gone.")

    encoder.before = broken

    assert ask(repo).hits == search(history.conn, Question(ASKED, repos=(repo,)), NOW).hits


def test_vectors_that_come_while_a_server_runs_are_used_within_a_minute(
    repo: Repo, embedded: Embedded, encoder: FakeEncoder, history: History
) -> None:
    """That there are none is not asked with every question."""
    now = [100.0]
    semantic = Semantic(encoder, clock=lambda: now[0])
    history.fold()
    question = Question(ASKED, repos=(repo,))
    asked: list[int | None] = []
    for moment in (100.0, 159.0, 161.0):
        now[0] = moment
        asked.append(search(history.conn, question, NOW, semantic=semantic).alike_total)
        if moment == 100.0:
            embedded(repo)

    assert asked[:2] == [None, None]
    assert asked[2] is not None


def test_the_switch_turns_it_off() -> None:
    assert Tier.from_env({"RELORE_SEMANTIC": " OFF "}).likeness is None
    assert Tier.from_env({"RELORE_SEMANTIC": "off"}).why_off == "RELORE_SEMANTIC=off"


def test_what_carries_every_word_comes_before_what_is_like_the_question(
    repo: Repo, embedded: Embedded, ask: Callable[..., SearchResult], history: History
) -> None:
    """However alike: where few texts carry every word, the others stand below a line that says so."""
    long = " ".join(f"Remark {place} of somebody about something." for place in range(40))
    history.comment(repo, 5, f"{long} Badly said, a boat leaks. {long}")
    history.conn.execute("DELETE FROM relore.documents WHERE body = 'My boat leaks badly'")
    embedded(repo)

    found = ask(repo)
    text = rendered(found)

    assert (found.query.widened, found.every_term_total) == ("any-term-below", 1)
    assert [hit.number for hit in found.hits if hit.group in {"best", "further"}] == [5]
    below = [hit for hit in found.hits if hit.group.startswith("some-terms")]
    assert {hit.why.legs for hit in below} >= {("likeness",)}
    assert text.index("A boat leaks".lower()) < text.index(
        "-- only some of the words, or none and like the question --"
    )


def test_a_cursor_of_a_page_with_likeness_is_refused_where_it_takes_no_part(
    repo: Repo, embedded: Embedded, encoder: FakeEncoder, history: History
) -> None:
    """And the other way: rows would be repeated and lost without a word, as between two servers of one database."""
    embedded(repo)
    question = Question("boat mast rudder", repos=(repo,), limit=1)
    tiers = (None, Semantic(encoder))
    for first, second in (tiers, tiers[::-1]):
        found = search(history.conn, question, NOW, semantic=first)
        following = replace(question, cursor=found.cursor)

        assert found.cursor is not None
        assert search(history.conn, following, NOW, semantic=first).hits
        with pytest.raises(QuestionError, match="begin again without it") as refused:
            search(history.conn, following, NOW, semantic=second)
        assert refused.value.code == "bad_cursor"
