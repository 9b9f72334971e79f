"""Claims about other threads, in every form that GitHub reads as one, and in none that it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relore_serve.signals import links, split

OWN = "Acme/Kit"


def claims(body: str) -> list[tuple[str, str, int]]:
    return [tuple(claim) for claim in links(split(body), OWN)]


def closed(body: str) -> list[int]:
    return [number for relation, _, number in claims(body) if relation == "closes"]


@pytest.mark.parametrize(
    "keyword",
    ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved", "FIXES"],
)
def test_each_closing_keyword_closes(keyword: str) -> None:
    assert claims(f"{keyword} #12") == [("closes", "acme/kit", 12)]


@pytest.mark.parametrize(
    "body",
    [
        "Fixes #12",
        "Fixes: #12",
        "fixes GH-12",
        "Closes Acme/Kit#12",
        "Resolves https://github.com/Acme/Kit/issues/12",
        "Resolves https://github.com/acme/kit/issues/12#issuecomment-99 at last",
        "Closes <https://github.com/acme/kit/pull/12/files>",
        "**Fixes** #12.",
        "Fixes issue #12",
        "Fixes [#12](https://github.com/acme/kit/issues/12)",
        "This patch (fixes #12)",
        "Words.\r\n\r\nFixes #12\r\n",
    ],
)
def test_each_form_of_a_reference_is_read(body: str) -> None:
    assert claims(body) == [("closes", "acme/kit", 12)]


@pytest.mark.parametrize(
    "body",
    [
        "Closes #1, #2 and #3",
        "Closes #1, closes #2, closes #3",
        "Fixes #1 & #2, and #3",
        "Fixes:\n- #1\n- #2\n- #3\n",
        "Fixes #1, [#2](https://github.com/acme/kit/issues/2), GH-3",
    ],
)
def test_one_keyword_carries_a_list(body: str) -> None:
    assert closed(body) == [1, 2, 3]


def test_a_claim_on_another_repository_keeps_its_name() -> None:
    assert claims("Closes acme/Other#5 and fixes https://github.com/foo/bar.js/pull/6") == [
        ("closes", "acme/other", 5),
        ("closes", "foo/bar.js", 6),
    ]


def test_what_follows_a_list_is_only_mentioned() -> None:
    assert claims("Same kind of bug as #263. Closes #591. See #7") == [
        ("mentions", "acme/kit", 263),
        ("closes", "acme/kit", 591),
        ("mentions", "acme/kit", 7),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "does not fix #12",
        "This doesn't really fix #12",
        "this won't close #12",
        "It doesn\u2019t completely resolve #12",
        "can never fix #12",
        "without fixing #12",
        "Does this fix #12?",
        "fixed in #12",
        "a fix for #12",
        "prefixes #12",
        "unresolved: #12",
        "please close after fixing #12",
        "we should revert #12 partly",
        'This will "resolve" #12',
        "fixes `x` #12",
    ],
)
def test_denied_and_distant_keywords_make_a_mention(body: str) -> None:
    assert claims(body) == [("mentions", "acme/kit", 12)]


@pytest.mark.parametrize(
    "body",
    [
        "`fixes #12`",
        "```\nfixes #12\n```",
        "text\n\n    fixes #12\n",
        "> fixes #12",
        "<!-- fixes #12 -->",
        "<!-- Fixes #12\nis the form to use",
        "<code>fixes #12</code>",
        "<pre>\nfixes #12\n</pre>",
        "&#12; and a#12 and #12a and #0 and ##12",
        "# 12\n#define X",
        "https://example.com/x#12",
        "https://github.com/acme/kit/issues/12abc",
    ],
)
def test_code_quotes_comments_and_look_alikes_claim_nothing(body: str) -> None:
    assert claims(body) == []


@pytest.mark.parametrize(
    ("body", "relation"),
    [
        ("Duplicate of #12", "duplicates"),
        ("dup of #12", "duplicates"),
        ("closing as a duplicate of #12", "duplicates"),
        ("Not a duplicate of #12", "mentions"),
        ("Reverts Acme/Kit#12", "reverts"),
        ('Revert "Add a cache (#12)"', "reverts"),
        ("Supersedes #12", "supersedes"),
        ("This replaces #12", "supersedes"),
        ("Superseded by #12", "mentions"),
    ],
)
def test_other_relations_have_their_own_words(body: str, relation: str) -> None:
    assert claims(body) == [(relation, "acme/kit", 12)]


def test_a_thread_is_mentioned_only_where_nothing_more_is_said() -> None:
    assert claims("#12 is bad. Fixes #12. See #12.") == [("closes", "acme/kit", 12)]


@given(st.text(alphabet="fixes closed#1234 ,and:/github.com\n()[]-GHnot'", max_size=200))
def test_no_text_breaks_the_reader(body: str) -> None:
    assert all(claim.number > 0 and "/" in claim.repo for claim in links(split(body), OWN))
