"""What says nothing of the subject, and what does although it is short."""

from __future__ import annotations

import pytest

from relore_serve.signals import split
from relore_serve.signals.noise import MAX_CHARACTERS, is_noise


@pytest.mark.parametrize(
    "text",
    [
        "LGTM",
        "lgtm!",
        "+1",
        ":+1: :tada:",
        "👍",
        "🎉🎉 🚀",
        "Thanks!",
        "thank you so much, @ada-l 🙏",
        "ACK 1234abcd",
        "utACK 0cad3df503b8426a4304f0f433562f201759514e",
        "utACK https://github.test/acme/widgets/pull/12/commits/0cad3df503b8426a4304f0f433562f201759514e",
        "ACK https://github.test/acme/widgets/commit/0cad3df .",
        "Full ACK!",
        "Thanks for your contribution!",
        "@ada-l Want to review this?",
        "Approach ACK 0cad3df",
        "All good now, ACK 0cad3df503b8",
        "Closing.",
        "Closing this PR for now, thanks.",
        "**Nice catch**, fixed.",
        "Done.",
        "any update?",
        "bump",
        "Looks good to me",
        "That\u2019s right.",
        "/retest",
        "/ok-to-test",
        "@bors r+",
        "retest this please",
        "Merci !",
        "谢谢",
        "спасибо",
        "...",
        "",
        "### Describe the bug\n\n### Steps to reproduce\n\n### Expected behavior\n\n_No response_",
        "**What happened?**\n\n**Additional context**\nN/A",
        "- [x] I have read the contributing guide\n- [ ] My change needs documentation\n- [ ] Bug fix",
    ],
)
def test_nods_thanks_commands_and_blank_templates_say_nothing(text: str) -> None:
    assert is_noise(text)


@pytest.mark.parametrize(
    "text",
    [
        "NACK",
        "This does not work.",
        "not fixed",
        "Why?",
        "Crashes on ARM.",
        "+1, but the nonce is reused",
        "LGTM except for the cast in secp256k1.c",
        "fixes #12",
        "see https://example.test/a",
        "ACK https://github.test/acme/widgets/pull/12",
        "ACK https://github.test/acme/widgets/commit/0cad3df#diff-1",
        "Closing in favor of the other one.",
        "Closing as stale.",
        "Done in v2.1",
        "thanks, `memset` it is",
        "```\nok\n```",
        "> Should the cache be flushed here?\n\nYes",
        "-your\n+you",
        "ECMULT_WINDOW_SIZE",
        "/usr/lib/libsecp256k1.so",
        "タイムアウト",
        "### Describe the bug\n\nThe nonce is reused.\n\n### Steps to reproduce",
        "### Segfault in verify_batch\n\n### Steps to reproduce",
        "- [ ] port the field code\n- [ ] measure it",
        "42",
    ],
)
def test_one_other_word_a_quotation_or_code_makes_it_substance(text: str) -> None:
    assert not is_noise(text)


def test_what_github_hides_does_not_count() -> None:
    """A template's instructions stand in comments that nobody sees."""
    body = "<!-- Thank you for reporting! Tell us what you did. -->\n### Bug description\n\n### Environment\n"

    assert is_noise(split(body).visible)


def test_a_long_text_is_never_noise() -> None:
    """Whoever writes that much of nothing is not looked at word by word."""
    assert not is_noise("thanks " * MAX_CHARACTERS)
