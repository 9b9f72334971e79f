"""Failures of many languages and tools, and the one form they are compared in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relore_serve.signals import Signal, extract, normalize_error, parse_error
from relore_serve.signals.errors import normal_form

LINES = [
    ("ValueError: expected 768 features, got 1024", "ValueError", "expected <n> features, got <n>"),
    ("E   KeyError: 'foo'", "KeyError", "'foo'"),
    ("requests.exceptions.ConnectionError: no route", "ConnectionError", "no route"),
    ("Caused by: java.lang.NullPointerException: boom at 0x1f", "NullPointerException", "boom at 0x?"),
    ('Exception in thread "main" java.lang.OutOfMemoryError: Java heap space', "OutOfMemoryError", "java heap space"),
    ("Unhandled exception. System.NullReferenceException: No object", "NullReferenceException", "no object"),
    ("Uncaught TypeError: x is not a function", "TypeError", "x is not a function"),
    ("app.rb:3:in `go': no method `a' for nil (NoMethodError)", "NoMethodError", "no method 'a' for nil"),
    ("PHP Fatal error:  Uncaught DomainException: no", "DomainException", "no"),
    ("** (ArgumentError) argument error", "ArgumentError", "argument error"),
    ("terminate called after throwing an instance of 'std::bad_alloc'\n  what():  no room", "bad_alloc", "no room"),
    ("thread 'main' panicked at 'index out of bounds', src/main.rs:3:5", "panic", "index out of bounds"),
    ("thread 'main' panicked at src/main.rs:3:5:\nindex out of bounds", "panic", "index out of bounds"),
    ("panic: runtime error: index out of range [5]", "panic", "runtime error: index out of range [<n>]"),
    ("error[E0382]: borrow of moved value: `x`", "E0382", "borrow of moved value: 'x'"),
    ("a.cpp(12): error C2065: 'x': undeclared identifier", "C2065", "'x': undeclared identifier"),
    ("src/a.ts(3,5): error TS2304: Cannot find name 'x'.", "TS2304", "cannot find name 'x'"),
    ("src/a.c:12:3: error: unknown type name \u2018u\u2019 [-Werror=x]", "error", "unknown type name 'u'"),
    ("/home/u/kit/src/a.c:12: fatal error: gmp.h: No such file", "error", "gmp.h: no such file"),
    ("src/a.c:12:3: warning: unused variable 'x' [-Wunused-variable]", "warning", "unused variable 'x'"),
    ("./a.go:3:5: undefined: foo", "error", "undefined: foo"),
    ("configure: error: no acceptable C compiler", "error", "no acceptable c compiler"),
    ("a.c:(.text+0x1): undefined reference to `foo'", "ld", "undefined reference to 'foo'"),
    ("ld: symbol(s) not found for architecture arm64", "ld", "symbol(s) not found for architecture arm64"),
    ("/usr/bin/ld: cannot find -lgmp", "ld", "cannot find -lgmp"),
    ("./t: error while loading shared libraries: libx.so.0: cannot open", "ld", "libx.so.0: cannot open"),
    ("make[2]: *** [Makefile:12: a.o] Error 1", "make", "[makefile:<n>: a.o] error <n>"),
    ("CMake Error at CMakeLists.txt:3 (find_package):\n  Could not find X", "cmake", "could not find x"),
    ("t: src/a.c:12: main: Assertion `ret == 1' failed.", "assertion", "ret == <n>"),
    ("Assertion failed: (ret == 1), function main, file a.c, line 3.", "assertion", "ret == <n>"),
    ("src/tests.c:123: test condition failed: ret == 1", "assertion", "ret == <n>"),
    ("==7==ERROR: AddressSanitizer: use-after-free on 0x60", "AddressSanitizer", "use-after-free on 0x?"),
    ("a.c:3:5: runtime error: signed integer overflow", "runtime error", "signed integer overflow"),
    ("==7== Invalid read of size 4", "valgrind", "invalid read of size <n>"),
    ("Segmentation fault (core dumped)", "SIGSEGV", ""),
    ("bash: cmake: command not found", "shell", "cmake: command not found"),
    ("fatal: not a git repository", "fatal", "not a git repository"),
    ("AssertionError", "AssertionError", ""),
    ("KeyboardInterrupt", "KeyboardInterrupt", ""),
]  # fmt: skip


@pytest.mark.parametrize(("line", "error_type", "message"), LINES, ids=[line[0][:30] for line in LINES])
def test_both_sides_read_a_line_the_same_way(line: str, error_type: str, message: str) -> None:
    """What is stored from a report and what is asked by pasting it are one error."""
    stored = [
        (one.tail, one.value) for one in extract(f"It failed:\n```\n{line}\n```") if one.kind == "error"
    ]
    asked = parse_error(line)

    assert stored == [(error_type, message)]
    assert (asked.type, asked.message) == (error_type, message)


@pytest.mark.parametrize("line", [line[0] for line in LINES])
def test_a_log_needs_no_fence(line: str) -> None:
    asked = parse_error(line)

    assert (asked.type, asked.message) in [
        (one.tail, one.value) for one in extract(line) if one.kind == "error"
    ]


@pytest.mark.parametrize(
    "prose",
    [
        "I made an error here: the sign is wrong.",
        "We should return an error (i.e. `return 0`) here.",
        "The assertion failed, and they refused to upgrade.",
        "There is no reason to panic here.",
        "This is undefined behaviour, not found in practice.",
        "The default is faulty.",
        "> ValueError: quoted from above",
        "<!-- ValueError: paste the traceback here -->",
    ],
)
def test_talk_of_errors_is_none(prose: str) -> None:
    assert [one for one in extract(prose) if one.kind == "error"] == []


def test_a_class_named_in_a_sentence_counts_without_a_message() -> None:
    found = [(one.tail, one.value) for one in extract("Sometimes raises a KeyError, or `ValueError`.")]

    assert ("KeyError", "") in found
    assert ("ValueError", "") in found


def test_a_class_alone_is_dropped_beside_its_message() -> None:
    assert extract("ValueError: no luck") == [Signal("error", "no luck", "ValueError", "prose")]


def test_a_traceback_names_its_class_whatever_it_is_called() -> None:
    traceback = (
        'Traceback (most recent call last):\n  File "a.py", line 3, in go\n    run()\nkit.Oops: no luck\n'
    )

    assert parse_error(traceback)[:2] == ("Oops", "no luck")


def test_a_log_without_a_fence_survives_its_backticks() -> None:
    """GNU quotes open code spans that the next line closes."""
    body = "a.c: undefined reference to `foo'\nb.c: undefined reference to `bar'\n"

    assert [one.value for one in extract(body) if one.kind == "error"] == [
        "undefined reference to 'foo'",
        "undefined reference to 'bar'",
    ]


@pytest.mark.parametrize(
    ("paste", "error_type", "message"),
    [
        (
            "a.c:3:5: warning: unused\na.c:4:5: error: first\na.c:5:5: error: second\nmake: *** [all] Error 2",
            "error",
            "first",
        ),
        ("ValueError: one\n\nDuring handling, another:\n\nKeyError: 'two'", "KeyError", "'two'"),
        ("make: *** [all] Error 2", "make", "[all] error <n>"),
        (
            "b.c: undefined reference to `foo'\ncollect2: error: ld returned 1 exit status",
            "ld",
            "undefined reference to 'foo'",
        ),
    ],
    ids=["first diagnostic", "last exception", "only make", "not what follows"],
)
def test_the_error_that_the_others_follow_from_is_meant(paste: str, error_type: str, message: str) -> None:
    assert parse_error(paste)[:2] == (error_type, message)


def test_an_error_pasted_as_a_code_span_is_the_same_error() -> None:
    line = "error: conflicting types for 'x_y'"

    assert parse_error(f"`{line}`") == parse_error(line)
    assert [one.value for one in extract(f"I get `{line}` here") if one.kind == "error"] == [
        "conflicting types for 'x_y'"
    ]
    assert [one.value for one in extract(f"`{line}`") if one.kind == "error"] == [
        "conflicting types for 'x_y'"
    ]


def test_a_type_alone_and_plain_words_can_be_asked_for() -> None:
    assert parse_error("RuntimeError") == ("RuntimeError", "", False)
    assert parse_error("first\nno space left on device\n") == (None, "no space left on device", True)
    assert parse_error("") == (None, "", False)


@pytest.mark.parametrize(
    ("message", "informative"),
    [
        ("'x'", False),
        ("12", False),
        ("0x12 at 3", False),
        ("division by zero", True),
        ("'bpe_weights'", True),
    ],
)
def test_short_messages_say_nothing_without_their_type(message: str, informative: bool) -> None:  # noqa: FBT001
    assert normalize_error("KeyError", message).informative is informative


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bad at 0x7fAB12", "bad at 0x99"),
        ("cannot open /home/a/x/y.py", "cannot open /srv/ci/y.py"),
        ("cannot open C:\\a\\y.py", "cannot open D:\\b\\c\\y.py"),
        ("got [1, 2, 3, 4]", "got [7, 8, 9]"),
        ("not in [2..24]", "not in [1..4]"),
        ("expected 3, got 4.5", "expected 17, got 1"),
        ("unknown \u2018x\u2019", "unknown `x'"),
        ("see [the page](https://x.org/1)", "see the page"),
        ("Two   blanks\tand Case", "two blanks and case"),
        ("unused x [-Wunused]", "unused x"),
    ],
)
def test_what_differs_between_runs_does_not_count(one: str, other: str) -> None:
    assert normal_form(one) == normal_form(other)


def test_names_with_digits_stay_themselves() -> None:
    assert (
        normal_form("undefined reference to secp256k1_fe_5x52") == "undefined reference to secp256k1_fe_5x52"
    )


@given(st.text(max_size=400))
def test_the_normal_form_is_stable(message: str) -> None:
    once = normal_form(message)

    assert normal_form(once) == once
    assert len(once) <= 300


@given(st.text(alphabet="0x1af<n>?[](), ./\\-~:wW\u00b2'", max_size=400))
def test_the_normal_form_is_stable_for_hostile_texts(message: str) -> None:
    assert normal_form(normal_form(message)) == normal_form(message)
