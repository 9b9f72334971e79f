"""Who may ask, and about which repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from relore_serve.web.errors import Unauthorized
from relore_serve.web.tokens import ANYBODY, TokenError, Tokens


def test_a_token_reads_the_repositories_it_names_in_any_spelling() -> None:
    caller = Tokens.parse("s3cret:octo/kit,Octo/Other").caller("Bearer s3cret")

    assert caller.may_read("Octo/Kit")
    assert caller.may_read("octo/other")
    assert not caller.may_read("octo/third")


def test_a_star_reads_everything() -> None:
    assert Tokens.parse("s3cret:*").caller("bearer s3cret").may_read("any/thing")


def test_scopes_are_what_stands_behind_the_second_colon() -> None:
    assert Tokens.parse("s3cret:*:label,admin").caller("Bearer s3cret").scopes == {"label", "admin"}


def test_each_of_several_tokens_is_somebody_else() -> None:
    tokens = Tokens.parse("one:a/b\n  two:c/d ")

    assert tokens.caller("Bearer one").name != tokens.caller("Bearer two").name
    assert tokens.caller("Bearer two").may_read("c/d")


@pytest.mark.parametrize(
    ("header", "says"),
    [
        (None, "none was sent"),
        ("", "none was sent"),
        ("Bearer wrong", "does not know"),
        ("Bearer ", "does not know"),
        ("Bearer s3cre\u00e9", "does not know"),
        ("Bearer \udcff", "does not know"),
        ("Basic czNjcmV0", "bearer tokens"),
        ("s3cret", "bearer tokens"),
    ],
)
def test_whoever_is_not_known_is_told_which_way(header: str | None, says: str) -> None:
    with pytest.raises(Unauthorized, match=says):
        Tokens.parse("s3cret:*").caller(header)


def test_without_tokens_anybody_asks_unmetered() -> None:
    assert Tokens.parse("").caller(None) == ANYBODY


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("s3cret", "secret:repos"),
        ("s3cret:a/b:x:y", "secret:repos"),
        ("s3cret:", "owner/name"),
        ("s3cret:a", "owner/name"),
        ("s3cret:a/b,", "owner/name"),
        (":a/b", "printable"),
        ("s3cr\u00e9t:*", "printable"),
        ("s3cret:*:UPPER", "lower-case"),
        ("s3cret:* s3cret:a/b", "repeats"),
    ],
)
def test_an_entry_that_cannot_be_read_is_named_by_position_and_never_by_secret(text: str, says: str) -> None:
    with pytest.raises(TokenError, match=says) as raised:
        Tokens.parse(text)

    assert "s3cr" not in str(raised.value)
    assert "entry" in str(raised.value)


def test_a_file_of_tokens_may_hold_comments(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text("# agents\none:a/b  # the first\n\ntwo:*\n", encoding="utf-8")

    tokens = Tokens.from_env({"RELORE_API_TOKENS_FILE": str(file)})

    assert tokens.caller("Bearer one").may_read("a/b")
    assert tokens.caller("Bearer two").may_read("c/d")


@pytest.mark.parametrize("content", [None, "", "# nothing\n"], ids=["absent", "empty", "comments only"])
def test_a_file_that_was_named_and_holds_no_token_is_a_lost_secret(
    tmp_path: Path, content: str | None
) -> None:
    """Serving openly instead would be the worst reading of it."""
    file = tmp_path / "tokens"
    if content is not None:
        file.write_text(content, encoding="utf-8")

    with pytest.raises(TokenError):
        Tokens.from_env({"RELORE_API_TOKENS_FILE": str(file)})


def test_tokens_from_two_places_are_refused() -> None:
    with pytest.raises(TokenError, match="not both"):
        Tokens.from_env({"RELORE_API_TOKENS": "a:*", "RELORE_API_TOKENS_FILE": "/somewhere"})


def test_an_empty_environment_has_no_tokens() -> None:
    assert not Tokens.from_env({"RELORE_API_TOKENS": "  ", "RELORE_API_TOKENS_FILE": ""})
