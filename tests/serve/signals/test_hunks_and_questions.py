"""What the anchor of a review comment says, and what a question asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relore_serve.signals import Signal, enclosing, extract_hunk, signals_of_question


def hunk(header: str, *lines: str) -> str:
    return "\n".join((f"@@ -10,4 +10,5 @@ {header}", *lines))


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("static void secp256k1_fe_mul(secp256k1_fe *r, const secp", "secp256k1_fe_mul"),
        ("SECP_API SECP_WARN_UNUSED int secp_ctx_make(", "secp_ctx_make"),
        ("def forward(self, x):", "forward"),
        ("    async def go_on(self):", "go_on"),
        ("class Trainer(Base):", "Trainer"),
        ("func (s *Server) Handle(w http.ResponseWriter, r *http.Req", "Handle"),
        ("impl Widget {", "Widget"),
        ("pub fn mul_add<T: Num>(a: T, b: T) -> T {", "mul_add"),
        ("public static List<String> namesOf(Map<String, Integer> a", "namesOf"),
        ("function goOn(a, b) {", "goOn"),
        ("export class Panel extends Base {", "Panel"),
        ("", None),
        ("public:", None),
        ("# Usage", None),
        ("if (a) {", None),
        ("int x = 3;", None),
    ],
)
def test_the_header_names_what_a_hunk_stands_in(header: str, name: str | None) -> None:
    assert enclosing(hunk(header, "     int i;", "+    i = 3;")) == name


def test_a_definition_inside_the_hunk_comes_before_its_header() -> None:
    lines = (" }", " ", "+static int second(int a) {", "+    int i;", "+    if (a) {", "+        i = 3;")

    assert enclosing(hunk("static int first(int a) {", *lines)) == "second"


def test_the_commented_line_may_be_the_definition() -> None:
    assert enclosing(hunk("int first(void) {", " }", "+int second(int a) {")) == "second"


def test_a_method_comes_before_its_class() -> None:
    lines = (
        "+class Cache:",
        "+    size = 3",
        "+",
        "+    def get(self, key):",
        "+        if key:",
        "+            return 1",
    )

    assert enclosing(hunk("", *lines)) == "get"
    assert enclosing(hunk("", *lines[:2])) == "Cache"


def test_between_two_definitions_stands_nothing() -> None:
    assert enclosing(hunk("int first(void) {", "     return 1;", " }", " ", "+int limit = 3;")) is None
    assert enclosing(hunk("int first(void) {", " }", "+/* About", "+ * the next. */")) is None
    assert enclosing(hunk("int first(void) {", "+/* About", "+ * the next. */")) is None
    assert enclosing(hunk("", "+int stated(int a);", "+", "+    orphan")) is None


def test_lines_of_the_other_side_are_not_there() -> None:
    lines = ("-static int old_name(int a) {", "+static int new_name(int a) {", "     int i;")

    assert enclosing(hunk("", *lines)) == "new_name"
    assert (
        enclosing(hunk("", "-int old_name(int a) {", "+int new_name(int a) {", "-    int i;")) == "old_name"
    )


def test_an_anchor_names_its_file_its_definition_and_what_changes_nearby() -> None:
    text = hunk("int first(void) {", "     return 1;", "+#define LIMIT_BITS 3", "+    x = LIMIT_BITS;")

    assert extract_hunk(text, "src/a.c") == [
        Signal("file", "src/a.c", "a.c", "anchor"),
        Signal("symbol", "first", "first", "hunk"),
        Signal("symbol", "LIMIT_BITS", "LIMIT_BITS", "definition"),
    ]


def test_prose_files_define_nothing_and_any_path_is_kept() -> None:
    assert extract_hunk(hunk("## def x(", "+class Foo:"), "README.md") == [
        Signal("file", "README.md", "README.md", "anchor")
    ]
    assert extract_hunk("", "LICENSE-MIT") == [Signal("file", "LICENSE-MIT", "LICENSE-MIT", "anchor")]
    assert extract_hunk("", None) == []


@given(st.text(alphabet="@-+ 1,\n{}def class(int a)#;*/", max_size=300))
def test_no_hunk_breaks_the_reader(text: str) -> None:
    for one in extract_hunk(text, "a.c"):
        assert one.tail
    assert enclosing(text) != ""


TRACEBACK = """Traceback (most recent call last):
  File "/home/me/kit/src/outer.py", line 3, in outer
    inner()
  File "/home/me/kit/src/inner.py", line 9, in inner_most
    raise ValueError(3)
ValueError: got 3
"""

JAVA = """java.lang.IllegalStateException: closed
\tat com.acme.Pool.take(Pool.java:12)
\tat com.acme.Kit.run(Kit.java:40)
"""


def first(text: str, kind: str) -> str:
    return next(one.value for one in signals_of_question(text) if one.kind == kind)


def test_the_raising_frame_of_a_traceback_comes_first() -> None:
    assert first(TRACEBACK, "symbol") == "inner_most"
    assert first(TRACEBACK, "file") == "src/inner.py"
    assert first(TRACEBACK, "error") == "got <n>"


def test_the_raising_frame_of_other_languages_is_the_upper_one() -> None:
    assert first(JAVA, "symbol") == "com.acme.Pool.take"
    assert first(JAVA, "file") == "Pool.java"
    assert signals_of_question(JAVA)[0] == Signal("error", "closed", "IllegalStateException", "code")


def test_the_first_diagnostic_leads_a_build_log() -> None:
    log = "a.c:1:2: error: first\nb.c:3:4: error: second\nmake: *** [all] Error 1"

    assert first(log, "error") == "first"
    assert first(log, "file") == "a.c"


@pytest.mark.parametrize(
    ("question", "symbols"),
    [
        ("what does GemmaRotaryEmbedding do", ["GemmaRotaryEmbedding"]),
        ("numpy.linalg.norm is slow", ["numpy.linalg.norm"]),
        ("why is fe_mul inlined?", ["fe_mul"]),
        ("Foo::bar vs `baz`", ["Foo::bar"]),
        ("a KeyError in src/my_mod/a_b.py", []),
        ("why is this cast here", []),
    ],
)
def test_bare_identifiers_of_a_question_are_symbols(question: str, symbols: list[str]) -> None:
    assert [one.value for one in signals_of_question(question) if one.kind == "symbol"] == symbols


def test_an_exceptions_name_alone_is_an_error() -> None:
    assert [one[:3] for one in signals_of_question("KeyError")] == [("error", "", "KeyError")]


def test_a_stored_error_and_the_same_one_pasted_are_one() -> None:
    asked = signals_of_question("src/a.c:99:1: error: conflicting types for \u2018f_g\u2019")

    assert asked[0] == Signal("error", "conflicting types for 'f_g'", "error", "code")


@given(st.text(max_size=300))
def test_no_question_breaks_the_reader(text: str) -> None:
    found = signals_of_question(text)

    assert len(found) == len({one[:3] for one in found})
