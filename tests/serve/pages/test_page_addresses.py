"""Addresses that a page says once are still the addresses of every row."""

from __future__ import annotations

from typing import Any

import pytest
from trees import reply

from relore_serve.pages import addresses, inflight, precedent, search, similar

BEGINNING = "https://github.test/acme/widgets/"


def hits(*changes: dict[str, Any]) -> list[dict[str, Any]]:
    one = reply("search")["hits"][0]
    return [{**one, **change} for change in changes]


def page(shown: list[dict[str, Any]], *, compact: bool = True) -> str:
    return search.render(reply("search", hits=shown, count=len(shown)), compact=compact, presentation=False)


def test_hits_of_one_repository_name_it_and_its_address_once() -> None:
    shown = hits(
        {"number": 8, "url": f"{BEGINNING}pull/8#issuecomment-1"},
        {"number": 9, "url": f"{BEGINNING}commit/0a1b"},
    )

    text = page(shown).split("\n")

    assert f"all of acme/widgets; addresses begin with {BEGINNING}" in text
    rebuilt = [f"{BEGINNING}{line}" for line in text if line.startswith(("pull/", "commit/"))]
    assert rebuilt == [hit["url"] for hit in shown]
    assert sum("acme/widgets" in line for line in text) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"repo": "acme/gadgets", "url": "https://github.test/acme/gadgets/pull/9"},
        {"repo": "acme/gadgets", "url": f"{BEGINNING}pull/9"},
        {"url": "https://elsewhere.test/x?pull/9"},
        {"url": "https://github.test/a\u202ecme/widgets/pull/9"},
    ],
    ids=["another repository", "another's name", "no thread's address", "hidden characters"],
)
def test_hits_that_do_not_agree_are_named_in_full(change: dict[str, Any]) -> None:
    text = page(hits({"url": f"{BEGINNING}pull/8"}, {"number": 9, **change}))

    assert "addresses begin" not in text
    assert f"\n{BEGINNING}pull/8\n" in text
    assert "1. acme/widgets#8 pr" in text


def test_claims_of_one_repository_name_it_once_too() -> None:
    (one,) = reply("inflight")["claims"]
    claims = [{**one, "number": n, "url": f"{BEGINNING}pull/{n}"} for n in (8, 9)]
    payload = reply("inflight", claims=claims, claims_returned=2, claims_total=2)

    text = inflight.render(payload, compact=True, presentation=False)

    assert f"all of acme/widgets; addresses begin with {BEGINNING}" in text
    assert "\n1. #8 pr" in text
    assert "\npull/9\n" in text
    assert f"\n{BEGINNING}pull/9\n" in inflight.render(payload, compact=False, presentation=False)


def test_a_terminal_has_every_address_whole() -> None:
    text = page(
        hits({"url": f"{BEGINNING}pull/8"}, {"number": 9, "url": f"{BEGINNING}pull/9"}), compact=False
    )

    assert text.count(BEGINNING) == 2
    assert "addresses begin" not in text


@pytest.mark.parametrize(
    ("url", "number", "beginning"),
    [
        (f"{BEGINNING}issues/7", 7, BEGINNING),
        (f"{BEGINNING}issues/7", 8, None),
        (f"{BEGINNING}issues/7#issuecomment-1", 7, None),
        ("javascript:alert(1)/pull/7", 7, None),
        ("https://github.test/acme/wid gets/pull/7", 7, None),
    ],
)
def test_a_row_goes_by_its_number_where_that_makes_its_address(
    url: str, number: int, beginning: str | None
) -> None:
    assert addresses.place({"url": url, "number": number}) == beginning


def test_a_comments_address_is_its_threads_and_a_fragment() -> None:
    assert addresses.fragment(f"{BEGINNING}pull/8#discussion_r12") == "#discussion_r12"
    assert addresses.fragment(f"{BEGINNING}issues/8") == ""
    assert addresses.fragment("https://elsewhere.test/#x y") == "https://elsewhere.test/#x%20y"


WORDS = {
    "how": "closing", "inferred": False, "author": "bea", "trust": "authoritative", "source_type": "issue_comment",
    "source_id": "5", "document_id": "issue_comment:5:0", "age": "2d", "date": None, "text": "No.", "truncated": False,
}  # fmt: skip


def test_finished_work_of_one_repository_names_it_once() -> None:
    """Texts of the thread above are told by their fragment, which says their kind; others by their address."""
    (one,) = reply("precedent")["units"][:1]
    related = {**one, "role": "attempt", "how": "linked", "evidence": "closes (body)", "state": "closed",
               "merged": False, "reverted": False, "words_state": "given", "number": 3,
               "url": f"{BEGINNING}pull/3"}  # fmt: skip
    units = [
        {
            **one, "number": n, "url": f"{BEGINNING}pull/{n}", "words_state": "given", "match": None,
            "words": {**WORDS, "url": f"{BEGINNING}pull/{n}#issuecomment-5"},
            "problem": {**WORDS, "url": f"{BEGINNING}issues/2"},
            "related": [{**related, "words": {**WORDS, "url": f"{BEGINNING}pull/3#issuecomment-5"}}],
            "issues_total": 0, "attempts_total": 1, "reverts_total": 0,
        }
        for n in (8, 9)
    ]  # fmt: skip
    text = precedent.render(
        reply("precedent", units=units, count=2, total=2), compact=True, presentation=False
    )
    lines = text.split("\n")

    assert sum("acme/widgets" in line for line in lines) == 1
    assert f"all of acme/widgets; addresses begin with {BEGINNING} (that of #N: pull/N)" in lines
    assert [line for line in lines if line.startswith(("pull/", "issues/", "#issue"))] == [
        "issues/2", "#issuecomment-5", "#issuecomment-5",
    ] * 2  # fmt: skip
    assert lines.count("reason (said with the closing): [authoritative] 2d @bea") == 2
    assert lines.count("days: from opening to end; a kind of work is named where something tells it") == 1
    assert "from opening to end" not in "".join(line for line in lines if "review round" in line)
    whole = precedent.render(
        reply("precedent", units=units, count=2, total=2), compact=False, presentation=False
    )
    assert f"\n{BEGINNING}pull/3#issuecomment-5\n" in whole
    assert "reason (said with the closing): [authoritative] 2d issue_comment @bea" in whole
    assert whole.count("from opening to end") == 2


def test_an_opening_post_is_its_threads_authors() -> None:
    """Who opened the thread is said once on a short page; somebody else's post is somebody else's."""
    (one,) = reply("precedent")["units"][:1]
    units = [
        {**one, "number": n, "url": f"{BEGINNING}pull/{n}", "author": author, "words": None, "match": None,
         "related": [],
         "problem": {**WORDS, "source_type": "body", "how": "statement", "url": f"{BEGINNING}pull/{n}"}}
        for n, author in ((8, "bea"), (9, "ada"))
    ]  # fmt: skip
    lines = precedent.render(
        reply("precedent", units=units, count=2, total=2), compact=True, presentation=False
    ).split("\n")

    assert [line for line in lines if line.startswith("problem")] == [
        "problem (from its opening post): [authoritative] 2d body",
        "problem (from its opening post): [authoritative] 2d body @bea",
    ]


def test_threads_alike_of_one_repository_name_it_once() -> None:
    (one,) = reply("similar")["similar"][:1]
    rows = [
        {**one, "number": n, "url": f"{BEGINNING}issues/{n}", "duplicate": None,
         "passage": {**WORDS, "url": f"{BEGINNING}issues/{n}#issuecomment-5"}}
        for n in (8, 9)
    ]  # fmt: skip
    lines = similar.render(
        reply("similar", similar=rows, returned=2), compact=True, presentation=False
    ).split("\n")

    assert f"all of acme/widgets; addresses begin with {BEGINNING} (that of #N: pull/N)" in lines
    assert [line for line in lines if line.startswith(("issues/", "#issue"))] == ["#issuecomment-5"] * 2


def test_what_several_threads_share_is_said_once() -> None:
    """The others name the place of the first; a terminal has it each time, and so has what is short."""
    (one,) = reply("similar")["similar"][:1]
    rows = [
        {**one, "number": n, "url": f"{BEGINNING}issues/{n}", "duplicate": None, "passage": None, "files": [],
         "errors": ["ValueError: the tide is out"] if n != 9 else ["TypeError"], "terms": ["a"], "tests": [],
         "symbols": []}
        for n in (7, 8, 9)
    ]  # fmt: skip
    answer = reply("similar", similar=rows, returned=3)
    shared = {
        compact: [
            line
            for line in similar.render(answer, compact=compact, presentation=False).split("\n")
            if line.startswith("shared")
        ]
        for compact in (True, False)
    }

    words, errors = 'shared words: "a"', 'shared errors: "ValueError: the tide is out"'
    last = 'shared errors: "TypeError"'
    assert shared[True] == [errors, words, "shared errors: as in 1", words, last, words]
    assert shared[False] == [errors, words, errors, words, last, words]
