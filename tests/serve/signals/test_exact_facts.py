"""Files, symbols, tests and commit ids that a text names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relore_serve.signals import Signal, extract
from relore_serve.signals.signal import DOCUMENT_LIMIT, VALUE_LIMIT


def values(body: str, kind: str) -> list[str]:
    return [one.value for one in extract(body) if one.kind == kind]


@pytest.mark.parametrize(
    "path",
    [
        "Dockerfile",
        "Makefile",
        ".gitignore",
        "build.gradle",
        "schema.graphql",
        "app.dockerfile",
        "src/a/b.unknown",
        "src/field_5x52_impl.h",
        ".github/workflows/ci.yml",
        "docs/a.b/index.md",
        "ci/Dockerfile",
        "tests.c",
        "package-lock.json",
        "CMakeLists.txt",
        "field_10x26_arm.s",
        "tests.log",
        "config.h.in",
        "src/\u00fcber/x.py",
    ],
)
@pytest.mark.parametrize(
    "form", ["see {} there", "({})", "in {}.", "`{}`", "**{}**:", "{},", "the file '{}'"]
)
def test_paths_are_known_by_their_shape(path: str, form: str) -> None:
    assert values(form.format(path), "file") == [path]


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("./src/a.py", "src/a.py"),
        ("a/src/a.py", "src/a.py"),
        ("src/a.py:12", "src/a.py"),
        ("src/a.py:12:5", "src/a.py"),
        ("src/a.py#L12-L20", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        ("/home/me/kit/src/a.py", "src/a.py"),
        ("/home/me/kit/a.py", "a.py"),
        ("/venv/lib/site-packages/kit/a.py", "kit/a.py"),
        ("src/a.py's", "src/a.py"),
        ("[src/a.py](https://github.com/o/r/blob/main/src/a.py)", "src/a.py"),
    ],
)
def test_a_path_is_kept_as_the_repository_has_it(written: str, path: str) -> None:
    assert values(f"see {written} there", "file") == [path]


@pytest.mark.parametrize(
    "text",
    [
        "and/or",
        "read/write",
        "n/a",
        "1/2",
        "e.g. i.e.",
        "v1.2.3",
        "Node.js",
        "acme/kit",
        "github.com/acme/kit",
        "example.com/a.html",
        "https://x.org/a.py",
        "me@home.org",
        "rust-lang.org",
        "it works.in short",
        "math.log",
        "P.x",
        "stdint.h",
        "/usr/include/gmp.h",
        "src/a.o",
        "*_impl.h",
        "../a",
        "self.foo",
        "> src/quoted.c",
        "<!-- src/hidden.c -->",
        "```\ncc -c src/logged.c\n```",
    ],
)
def test_words_addresses_and_products_are_no_files(text: str) -> None:
    assert values(text, "file") == []


@pytest.mark.parametrize(
    ("span", "symbols"),
    [
        ("Trainer", ["Trainer"]),
        ("HTTPServer", ["HTTPServer"]),
        ("Foo.bar", ["Foo.bar"]),
        ("Foo::bar", ["Foo::bar"]),
        ("foo_bar(x)", ["foo_bar"]),
        ("memcpy()", ["memcpy"]),
        ("std::vector<int>", ["std::vector"]),
        ("ctx->fe_gen", ["ctx->fe_gen"]),
        ("&foo_bar", ["foo_bar"]),
        ("if (!foo_bar(&x, y_z))", ["foo_bar", "y_z"]),
        ("static int fe_mul(fe_t *r)", ["fe_mul", "fe_t"]),
        ("VERIFY", ["VERIFY"]),
        ("true", []),
        ("int", []),
        ("forward", []),
        ("webapp.py", []),
        ("x", []),
        ("secp256k1_", []),
        ("--enable-foo", []),
        ("1.2.3", []),
        ("#include <a.h>", []),
    ],
)
def test_a_code_span_names_symbols(span: str, symbols: list[str]) -> None:
    assert values(f"see `{span}` there", "symbol") == symbols


def test_the_last_part_of_a_name_is_what_look_ups_compare() -> None:
    tails = [one.tail for one in extract("`Foo.bar` `Foo::baz` `a->qux_x` `run_it`") if one.kind == "symbol"]

    assert tails == ["bar", "baz", "qux_x", "run_it"]


@pytest.mark.parametrize(
    ("prose", "symbols"),
    [
        ("see fe_mul here", ["fe_mul"]),
        ("then memcpy() it", ["memcpy"]),
        ("Foo::bar does", ["Foo::bar"]),
        ("all ARG_CHECKs", ["ARG_CHECK"]),
        ("a :smile_cat: by @some_one", []),
        ("GitHub and OpenBSD", []),
        ("snake case, _emphasis_ and __strong__", []),
    ],
)
def test_prose_names_only_what_can_be_nothing_else(prose: str, symbols: list[str]) -> None:
    assert values(prose, "symbol") == symbols


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("def run(self):", "run"),
        ("    async def run_it(self):", "run_it"),
        ("class Trainer(Base):", "Trainer"),
        ("export default class Trainer {", "Trainer"),
        ("function go_on(a) {", "go_on"),
        ("const handle = async (a) => {", "handle"),
        ("pub(crate) fn mul_add<T>(a: T) {", "mul_add"),
        ("func (s *Server) Handle(w http.ResponseWriter) {", "Handle"),
        ("fun render(a: Int) {", "render"),
        ("#define VERIFY_BITS(x, n) x", "VERIFY_BITS"),
        ("+def added():", "added"),
        ("type Server struct {", "Server"),
    ],
)
def test_a_line_that_defines_names_a_symbol(line: str, name: str) -> None:
    found = extract(f"```\n{line}\n```")

    assert Signal("symbol", name, name, "definition") in found
    assert Signal("symbol", name, name, "definition") in extract(line)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("static int secp_mul(secp *r, const secp *a) {", "secp_mul"),
        ("SECP_API int secp_ctx(", "secp_ctx"),
        ("void secp::mul(void) {", "secp::mul"),
        ("struct secp_fe {", "secp_fe"),
    ],
)
def test_c_defines_without_a_word_for_it(line: str, name: str) -> None:
    assert values(f"```c\n{line}\n```", "symbol") == [name]


@pytest.mark.parametrize(
    "line",
    [
        "class of things",
        "class names:",
        "def not",
        "function that works",
        "struct with care",
        "return foo(bar)",
        "real time (user)",
        "Min(us) Max(us)",
        "interface design for all",
    ],
)
def test_prose_that_begins_like_a_definition_is_prose(line: str) -> None:
    assert values(line, "symbol") == []
    assert values(f"```\n{line}\n```", "symbol") == []


@pytest.mark.parametrize(
    ("frame", "name", "path"),
    [
        ('  File "src/a.py", line 3, in go_on', "go_on", "src/a.py"),
        ("src/a.py:3: in go_on", "go_on", "src/a.py"),
        ("    at Server.go_on (/home/me/kit/src/a.js:3:5)", "Server.go_on", "src/a.js"),
        ("\tat com.acme.Kit.goOn(Kit.java:12)", "com.acme.Kit.goOn", "Kit.java"),
        ("   at Acme.Kit.GoOn(String a) in C:\\w\\src\\Kit.cs:line 12", "Acme.Kit.GoOn", "src/Kit.cs"),
        ("#3 0x00007f in go_on (x=1) at src/a.c:12", "go_on", "src/a.c"),
        ("#1  go_on (x=1) at ../src/a.c:12", "go_on", "src/a.c"),
        ("    #3 0x4f in go_on /home/me/kit/src/a.c:12:3", "go_on", "src/a.c"),
        ("==7==    by 0x4005: go_on (a.c:12)", "go_on", "a.c"),
        ("main.go_on(0x1)\n\t/home/me/kit/pkg/a.go:12 +0x1d", "go_on", "pkg/a.go"),
        ("src/a.rb:12:in `go_on'", "go_on", "src/a.rb"),
        ("src/a.c: In function \u2018go_on\u2019:", "go_on", "src/a.c"),
        ("thread 'main' panicked at src/a.rs:3:5:\nno", None, "src/a.rs"),
        ("src/a.c:3:5: error: no", None, "src/a.c"),
        ("src\\a.c(12): error C2065: no", None, "src/a.c"),
    ],
)
def test_frames_name_their_function_and_file(frame: str, name: str | None, path: str) -> None:
    found = extract(f"Log:\n```\n{frame}\n```")

    assert [one.value for one in found if one.source == "frame" and one.kind == "symbol"] == (
        [name] if name else []
    )
    assert [one.value for one in found if one.source == "frame" and one.kind == "file"] == [path]


def test_frames_of_the_machinery_beneath_are_left_out() -> None:
    log = "#1 0x4f in std::panicking::begin src/panicking.rs:3\n#2 0x4f in go_on src/a.rs:9\n#3 0x4f in main a.rs:1"

    assert values(f"```\n{log}\n```", "symbol") == ["go_on"]


def test_the_mark_of_a_code_span_in_a_text_is_just_a_character() -> None:
    assert values("\ufffc error: `it's` \ufffc\nerror: no `x`", "error") == ["no 'x'"]


def test_frames_without_a_fence_survive_their_backticks() -> None:
    body = "src/a.c: In function `go_on':\nsrc/b.c: In function `go_up':\n"

    assert [one.value for one in extract(body) if one.source == "frame"] == [
        "go_on",
        "src/a.c",
        "go_up",
        "src/b.c",
    ]


@pytest.mark.parametrize(
    ("report", "test_id", "name"),
    [
        ("tests/test_a.py::TestX::test_y", "tests/test_a.py::TestX::test_y", "test_y"),
        ("FAIL: test_y (tests.test_a.TestX)", "tests.test_a.TestX.test_y", "test_y"),
        ("tests.test_a.TestX.test_y fails", "tests.test_a.TestX.test_y", "test_y"),
        ("--- FAIL: TestY/sub_case (0.00s)", "TestY/sub_case", "TestY"),
        ("test field::mul_works ... FAILED", "field::mul_works", "mul_works"),
        ("[  FAILED  ] FieldTest.Mul (3 ms)", "FieldTest.Mul", "Mul"),
        ("1/3 Test #1: field_tests ....***Failed    0.1 sec", "field_tests", "field_tests"),
        ("\t  2 - noverify_tests (Failed)", "noverify_tests", "noverify_tests"),
        ("FAIL: noverify_tests", "noverify_tests", "noverify_tests"),
        ("not ok 3 - adds two", "adds two", "adds two"),
        ("com.acme.KitTest > addsTwo FAILED", "com.acme.KitTest > addsTwo", "addsTwo"),
        ("[ERROR] addsTwo(com.acme.KitTest)", "com.acme.KitTest.addsTwo", "addsTwo"),
        ("\u25cf Kit \u203a adds two", "Kit \u203a adds two", "adds two"),
    ],
)
def test_runners_name_their_tests(report: str, test_id: str, name: str) -> None:
    assert (test_id, name) in [(one.value, one.tail) for one in extract(report) if one.kind == "test"]


def test_a_parametrised_test_is_known_with_and_without_its_parameters() -> None:
    assert values("tests/test_a.py::test_y[a b-1] fails", "test") == [
        "tests/test_a.py::test_y[a b-1]",
        "tests/test_a.py::test_y",
    ]
    assert values("tests/test_a.py::test_y[a b-1] fails", "file") == ["tests/test_a.py"]


SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("text", "shas"),
    [
        ("fixed in abc1234.", ["abc1234"]),
        (f"ACK {SHA}", [SHA]),
        ("`abc1234`", ["abc1234"]),
        ("abc1234..def5678", ["abc1234", "def5678"]),
        ("acme/kit@abc1234", ["abc1234"]),
        (f"https://github.com/acme/kit/commit/{SHA}", [SHA]),
        (f"[here](https://github.com/acme/kit/pull/3/commits/{SHA})", [SHA]),
        ("https://github.com/a/b/compare/abc1234...def5678", ["abc1234", "def5678"]),
        ("https://github.com/a/b/tree/20210504", []),
        ("1234567 and 12345678901234567890", []),
        ("defaced facade", []),
        ("100000e5", []),
        ("0xabc1234", []),
        ("ed25519", []),
        ("abc123", []),
        ("ABC1234", []),
        ("550e8400-e29b-41d4-a716-446655440000", []),
        ("d41d8cd98f00b204e9800998ecf8427e", []),
        (SHA + "0", []),
        ("> abc1234", []),
    ],
)
def test_commit_ids_are_neither_numbers_nor_words(text: str, shas: list[str]) -> None:
    assert values(text, "sha") == shas


def test_a_commit_id_is_looked_up_by_seven_digits() -> None:
    assert extract(SHA) == [Signal("sha", SHA, SHA[:7], "prose")]


def test_each_fact_is_stated_once_and_keeps_its_strongest_place() -> None:
    found = extract("src/a.c and src/a.c\n```\nsrc/a.c:3:5: error: no\n```\n`src/a.c`")

    assert [one for one in found if one.kind == "file"] == [Signal("file", "src/a.c", "a.c", "frame")]


def test_a_document_names_a_bounded_number_of_facts() -> None:
    found = extract(" ".join(f"src/file_{number}.c" for number in range(3 * DOCUMENT_LIMIT)))

    assert len(found) == DOCUMENT_LIMIT
    assert found[0].value == "src/file_0.c"


@given(st.text(max_size=500))
def test_any_text_gives_well_formed_facts(body: str) -> None:
    found = extract(body)

    assert len(found) == len(set(found))
    for one in found:
        assert len(one.value) <= VALUE_LIMIT
        assert one.tail
        assert one.value or one.kind == "error"


@given(
    st.lists(
        st.sampled_from(
            [
                "`",
                "src/a.c",
                ":12",
                ": error: ",
                "Error",
                "\n",
                "    ",
                "> ",
                "def f(",
                "::",
                "test_x",
                "#1 0x1 in f",
                "'",
            ]
        ),
        max_size=30,
    )
)
def test_pieces_of_logs_in_any_order_give_well_formed_facts(pieces: list[str]) -> None:
    for one in extract("".join(pieces)):
        assert one.tail
