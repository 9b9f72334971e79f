"""The page of a search: why each hit is there, what is counted, and what would find something."""

from __future__ import annotations

from typing import Any

import pytest
from trees import reply

from relore_serve.pages import search, why


def query(**changes: Any) -> dict[str, Any]:
    return {**reply("search_empty")["query"], **changes}


def found(**changes: Any) -> str:
    return search.render(reply("search", **changes), compact=True, presentation=False)


def empty(**changes: Any) -> str:
    return search.render(reply("search_empty", **changes), compact=True, presentation=False)


def hit(**changes: Any) -> dict[str, Any]:
    return {**reply("search")["hits"][0], **changes}


def reasons(**changes: Any) -> dict[str, Any]:
    return {"terms": [], "missing": [], "filters": [], "said": [], "legs": [], **changes}


def suggestion(**changes: Any) -> dict[str, Any]:
    return {
        "change": "without --file",
        "form": "relore search nonce",
        "total": 12,
        "total_exact": True,
        **changes,
    }


def test_what_finds_something_is_spelled_as_a_command_with_its_count() -> None:
    page = empty(
        suggestions=[
            suggestion(),
            suggestion(
                change="with --mentioned", form="relore search --mentioned", total=1200, total_exact=False
            ),
        ]
    )

    assert "  without --file, 12 hits: relore search nonce\n" in page
    assert "  with --mentioned, at least 1,200 hits: relore search --mentioned\n" in page


def test_without_suggestions_the_page_promises_nothing() -> None:
    assert "finds something" not in empty(suggestions=[])


def test_prose_given_as_an_error_is_told_the_text_search_once() -> None:
    """With its count where it was tried, and without one where hits of another value stand on the page."""
    tried = suggestion(change="as text instead of --error", form="relore search 'it broke'", total=7)

    page = empty(query=query(uninformative_errors=["it broke"]), suggestions=[tried])

    assert page.count("relore search 'it broke'") == 1
    assert "'it broke' is no error line, so --error cannot match it\n" in page
    assert "as text instead of --error, 7 hits: relore search 'it broke'" in page


@pytest.mark.parametrize(
    ("filters", "echo"),
    [
        ({"kind": "rationale"}, "--kind rationale"),
        ({"trust": "authoritative"}, "--trust authoritative"),
        ({"since": "2024-01-01T00:00:00Z"}, "--since 2024-01-01T00:00:00Z"),
        ({"before": "2024-01-01T00:00:00Z"}, "--before 2024-01-01T00:00:00Z"),
        ({"exclude": ["acme/widgets#7"]}, "--exclude acme/widgets#7"),
        ({"exclude": [f"acme/widgets#{n}" for n in range(1, 9)]}, "--exclude of 3 more"),
        ({"mentioned": True}, "--mentioned"),
        ({"uninformative_errors": ["int"]}, "--error 'int'"),
        *(
            ({"filters": {name: ["x y"]}}, f"--{flag} 'x y'")
            for name, flag in [
                ("files", "file"),
                ("symbols", "symbol"),
                ("errors", "error"),
                ("tests", "test"),
                ("contains", "contains"),
                ("labels", "label"),
                ("authors", "author"),
            ]
        ),
    ],
)
def test_an_empty_page_repeats_every_filter_that_emptied_it(filters: dict[str, Any], echo: str) -> None:
    """The ones that nobody sees on a hit as well."""
    [line] = [line for line in empty(query=query(**filters)).split("\n") if line.startswith("filters: ")]

    assert echo in line


def test_an_empty_page_names_the_repositories_and_whose_words_were_admitted() -> None:
    page = empty(query=query(repos=["acme/widgets", "acme/gadgets"], trust_floor=["authoritative"]))

    assert "repositories asked: acme/widgets, acme/gadgets\n" in page
    assert "trust floor: authoritative\n" in page


@pytest.mark.parametrize(
    ("counts", "head"),
    [
        (
            {"count": 10, "total": 1634, "threads_total": 36, "carrying_total": 49},
            "10 of 1,634 texts of 36 threads that pass the filters; 49 of them carry it themselves",
        ),
        (
            {"count": 1, "total": 1, "threads_total": 1, "carrying_total": 1},
            "1 text of 1 thread that passes the filters",
        ),
        (
            {
                "count": 10,
                "total": 900,
                "threads_total": 90,
                "carrying_total": 1,
                "total_exact": False,
            },
            (
                "10 of at least 900 texts of at least 90 threads that pass the filters; "
                "at least 1 of them carries it itself"
            ),
        ),
        (
            {"count": 2, "total": 2, "threads_total": 2, "carrying_total": None},
            "2 texts of 2 threads that pass the filters",
        ),
    ],
)
def test_filters_alone_say_that_every_text_of_the_threads_is_counted(
    counts: dict[str, Any], head: str
) -> None:
    asked = query(text="", legs=[{"leg": "filters", "term": ""}])

    assert head in found(query=asked, **counts).split("\n")


def test_the_words_that_hold_a_part_are_named_and_their_cut_is_told() -> None:
    few = {"value": "rotary", "words": ["rotary", "apply_rotary"], "total": 2}
    many = {"value": "con", "words": [f"w{n}" for n in range(200)], "total": 1240}

    page = found(query=query(contains=[few, many]))

    assert "2 words of the index hold 'rotary': rotary, apply_rotary\n" in page
    assert "w7, and 1,232 more; the 200 in the most texts were looked for\n" in page
    assert "which words hold 'zz' is not told here: words bear no dates\n" in empty(
        query=query(contains=[{"value": "zz", "words": [], "total": None}])
    )
    assert "0 words of the index hold 'zz'\n" in empty(
        query=query(contains=[{"value": "zz", "words": [], "total": 0}])
    )


def test_a_foreign_word_that_holds_a_part_stays_on_its_line() -> None:
    hostile = {"value": "abc", "words": ["abc\nrelore: trust me", 'abc"'], "total": 2}

    assert "\nrelore: trust me" not in found(query=query(contains=[hostile]))


def test_an_explained_hit_says_why_it_came() -> None:
    explained = hit(
        score=2.5,
        breakdown={
            "score": 2.5, "lexical": 1.5, "coverage": 0.5, "symbol": 1.0, "said_here": 2.0, "substance": 0.25,
        },
        why=reasons(
            terms=["nonce"],
            missing=["bias"],
            filters=["symbol:fe_add", "file:src/x.c"],
            said=["symbol:fe_add"],
            legs=["text", "symbol"],
        ),
    )  # fmt: skip

    assert why.line(explained) == (
        "why: words 'nonce'; missing 'bias'; says 'symbol:fe_add'; carries 'file:src/x.c'; found by text, symbol; "
        "score 2.500: 0.750 words (50% of the question) + 0.500 symbol in the thread + 1.000 facts in this text "
        "+ 0.250 substance"
    )


def test_an_explained_hit_says_what_its_age_took() -> None:
    explained = hit(
        score=1.0, breakdown={"score": 1.0, "coverage": 1.0, "substance": 0.5, "age_factor": 0.25}
    )

    assert (
        "score 1.000: 0.250 for its age x (3.500 words (100% of the question) + 0.500 substance)"
        in why.line(explained)
    )


def test_only_a_page_that_was_asked_to_explain_does() -> None:
    assert "\nwhy: " not in found()
    assert "\nwhy: " in found(query=query(explain=True))


def test_by_date_nothing_is_scored_and_the_line_says_so() -> None:
    assert why.line(hit(score=None, breakdown=None, why=reasons(legs=["newest"]))) == (
        "why: found by newest; in the order of dates"
    )


def test_hits_that_carry_none_of_the_words_are_counted() -> None:
    """A filter or a fact let them in, and nothing else on the page would show it."""
    lacking = hit(why=reasons(missing=["nonce"], legs=["filters"]))

    page = found(hits=[lacking, hit()], query=query(text="nonce", terms=1))

    assert "1 of the hits here carries none of the words: found by filters\n" in page
    assert "none of the words" not in found()


def test_hits_that_carry_a_part_of_the_words_and_came_by_another_way_are_counted() -> None:
    """The symbol in a pasted line let them in, or a filter; a page that was not widened would seem to match whole."""
    whole = hit(why=reasons(terms=["undefined", "tide"], legs=["text", "symbol"]))
    partly = hit(why=reasons(terms=["tide"], missing=["undefined"], legs=["symbol"]))
    filtered = hit(why=reasons(terms=["tide"], missing=["undefined"], legs=["filters"]))
    topped_up = hit(why=reasons(terms=["tide"], missing=["undefined"], legs=["text"]))
    lacking = hit(why=reasons(missing=["undefined", "tide"], legs=["filters"]))
    asked = query(text="undefined tide", terms=2)

    def says(*hits: dict[str, Any]) -> str:
        return found(hits=list(hits), query=asked)

    assert "\n1 of the hits here carries only some of the words: found by symbol\n" in says(partly, whole)
    assert "\n2 of the hits here carry only some of the words: found by symbol, filters\n" in says(
        partly, filtered
    )
    assert (
        "\n1 of the hits here carries none of the words and 1 carries only some of the words: "
        "found by filters, symbol\n"
    ) in says(partly, lacking)
    assert "of the hits here" not in says(whole, topped_up)


def test_a_widened_page_names_the_words_that_were_not_looked_for() -> None:
    one = found(query=query(widened="any-term", unasked_terms=["ten\nder"]))
    many = found(query=query(widened="any-term", unasked_terms=[f"w{place}" for place in range(10)]))

    assert (
        "looked for in titles and opening posts at most, as too many texts carry it: 'ten der'; where" in one
    )
    assert "carry them: 'w0', 'w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7' and 2 more; where" in many
    assert "looked for" not in found()


def test_a_widened_page_names_the_threads_in_which_machines_said_it_all() -> None:
    page = found(
        query=query(widened="any-term"),
        machine_withheld=2,
        machine_threads=["acme/widgets#9", "acme/widgets#4"],
    )

    assert (
        "2 texts of machines carry every word, withheld here: --trust machine asks for them; "
        "in acme/widgets#9, acme/widgets#4\n"
    ) in page


def test_what_says_nothing_stands_below_a_line_that_says_so() -> None:
    page = found(hits=[hit(), hit(group="noise", source_type="issue_comment", snippet="Thanks!")])

    assert page.index("-- nods, thanks and blank templates --") < page.index("> Thanks!")
