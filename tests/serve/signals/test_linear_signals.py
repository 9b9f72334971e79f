"""No text, however hostile, costs more than its length: 65,536 characters of anything are read in one go."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest

from relore_serve import signals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LENGTH = 65_536

TOKENS = [
    " ", "a", "`", "``", "` ", "\n", "\t", "\r\n", "<!--", "-->", "<!-- ", "<?", "<!a", "<![CDATA[", "\n[a]: b",
    "\n\n[a]: b '", "\n[a]:\n'", "[a]:'", "[", "](", "[a](", "![", "(", "()",
    "x(y)", "{", "<", "<a", "<a>", "<pre>", "<code>", "</code>", "#", "#1 ", "a#1", "a/b#1", "owner/name#1 ",
    "GH-1 ", "fixes ", "fixes #1, ", "not fixes #1 ", "fixes\n", "github.com/a/b/pull/1 ",
    "https://github.com/", "http://", "a.", "a.b", ".a", "a/", "/", "/a/", "../", "a.c ", "a.c:1: ", "a.c(1): ",
    "src/", "~/", "C:\\", "\\", "\\`", "::", "a::b", "A::a<", "a.py::a", "a.test_", "0x", "0x1 ", "1", "1,",
    "1, ", "1:", "1.", "abcdef1", "abcdef1 ", "a1", "a_", "_", "a_b ", "-", "--", "=", "==", "==1== ", "*",
    "**", "* ", "** (", ":", "'", '"', "'a ", ">", "\n> ", "\n    a", "\n\n    a", "\n- ", "```\n", "~~~\n",
    "error: ", "error:\n", "aError: ", "Error", "Error (", "Caused by: ",
    "Traceback (most recent call last):\n",
    "Traceback (most recent call last):\n x", '  File "a", line 1\n', "\n at a(", "\n\tat a.b(A.java:1)",
    "#0 0x1 in a ", "#0 a (", "by 0x1: a (", "panicked at ", "thread 'a' panicked at ", "Assertion `a",
    "assertion failed: ", "undefined reference to ", "undefined reference to `a", '"_a", referenced from:',
    "a not found", "make: *** ", "CMake Error: ", "warning: a [-Wa]", "[-W", "FAIL: ", "\nFAIL: a",
    "--- FAIL: Test", "not ok 1 ", "1/1 Test #1: a ", "1 - a (", "a > b FAILED", "\n\u25cf a \u203a ",
    "a(b.Test)", "def a(", "\nclass A", "\nint a", "\nint a(int b", "\nconst a = (", "#define ", "pub ", "a *",
    "diff --git a/", "+++ b/a\n", "\n+", "@@ ", "\ufffc", "\xe9", "\U0001f600", "\u0130",
]  # fmt: skip


READERS: dict[str, Callable[[str], object]] = {
    "plain": signals.plain,
    "extract": signals.extract,
    "extract a fence": lambda text: signals.extract(f"```\n{text}\n```"),
    "links": lambda text: signals.links(signals.split(text), "o/r"),
    "parse_error": signals.parse_error,
    "question": signals.signals_of_question,
    "hunk": lambda text: signals.extract_hunk(f"@@ -1,1 +1,1 @@ {text}\n+{text}", "a.c"),
}


def _texts() -> Iterator[tuple[str, ...]]:
    yield from ((token,) for token in TOKENS)
    chosen = random.Random(7)  # noqa: S311 - the same pairs in every run
    yield from ((chosen.choice(TOKENS), chosen.choice(TOKENS)) for _ in range(25))


def _repeated(token: str) -> str:
    return (token * (LENGTH // len(token) + 1))[:LENGTH]


def _seconds(read: Callable[[str], object], text: str, tries: int) -> float:
    best = float("inf")
    for _ in range(tries):
        before = time.process_time()
        read(text)
        best = min(best, time.process_time() - before)
    return best


def _is_linear(read: Callable[[str], object], text: str, usual: float) -> bool:
    """Whether four times the text costs about four times as much, or hardly more than ordinary words of that length.

    A quadratic reader takes sixteen times as long for four times the text.
    """
    if _seconds(read, text, 1) <= 8 * usual:
        return True
    return any(_seconds(read, text, 3) <= 9 * _seconds(read, text[: LENGTH // 4], 3) for _ in range(4))


@pytest.mark.parametrize("reader", READERS)
def test_work_grows_with_length_and_no_faster(reader: str) -> None:
    read = READERS[reader]
    words = "The quick brown fox jumps over the lazy dog, again and again.\n"
    usual = _seconds(read, _repeated(words), 3)

    slow = [
        tokens for tokens in _texts() if not _is_linear(read, _repeated("".join(tokens)), max(usual, 0.001))
    ]

    assert slow == []
