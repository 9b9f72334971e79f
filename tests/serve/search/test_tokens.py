"""What is found by what, on a real Postgres."""

import re
from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relore_assets.local.postgres import LocalPostgres
from relore_serve.search.tokens import MAX_TERMS, Tokens, query, tokenize

# ruff: noqa: RUF001 - look-alikes are what some of this is about


@pytest.fixture(scope="module")
def pg(postgres: LocalPostgres) -> Iterator[psycopg.Connection]:
    """A connection to no tables: these tests ask Postgres about its types alone."""
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as connection:
        yield connection


HOSTILE = st.text(
    st.one_of(
        st.sampled_from("abAB09 _-./:>'\"\\&|!()<*#+@\x00\n\t\u200b\u0301\ud83d日本กำ½ﬁＡİßΣ"),
        st.characters(),
    ),
    max_size=80,
)


def lexemes(text: str) -> set[str]:
    return set(tokenize(text).lexemes)


def found(pg: psycopg.Connection, question: str, document: str) -> bool:
    """Whether a question that asks for all its terms finds a document."""
    row = pg.execute(
        "SELECT %s::tsvector @@ %s::tsquery", (tokenize(document).vector, query(question).conjunction())
    ).fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("norm", "fails in numpy.linalg.norm"),
        ("linalg.norm", "fails in numpy.linalg.norm"),
        ("numpy.linalg.norm", "fails in numpy.linalg.norm."),
        ("foo", "see foo.png"),
        ("mod_x.py", "src/pkg/mod_x.py fails"),
        ("mod_x", "src/pkg/mod_x.py fails"),
        ("pkg/mod_x.py", "`src/pkg/mod_x.py`:12 fails"),
        ("src/pkg/mod_x.py", "(src/pkg/mod_x.py)"),
        ("pkg", "src/pkg/mod_x.py"),
        ("src/pkg", "src/pkg/mod_x.py"),
        ("src/pkg/mod_x.py", r"src\pkg\mod_x.py"),
        (".github/workflows/ci.yml", "edit .github/workflows/ci.yml first"),
        ("workflows/ci.yml", "edit .github/workflows/ci.yml first"),
        ("ecmult_gen.h", "https://example.org/acme/widget/blob/master/src/ecmult_gen.h#L10"),
        ("libwidget-config", "include/libwidget-config.h"),
        ("Makefile", "sub/Makefile"),
        ("CVE-2024-1234", "see CVE-2024-1234"),
        ("2024-1234", "see CVE-2024-1234"),
        ("cve-2024-1234", "see CVE-2024-1234"),
        ("poseidon-1234a", "poseidon-1234a and poseidon-1234"),
        ("poseidon-1234", "poseidon-1234"),
        ("multi-agent", "a multi-agent system"),
        ("multi agent", "a multi-agent system"),
        ("multi-agent", "a multi agent system"),
        ("multi\u2010agent", "a multi-agent system"),
        ("batches", "verify_batches is slow"),
        ("batch", "verify_batches is slow"),
        ("verify_batches", "verifyBatches is slow"),
        ("verifyBatches", "verify_batches is slow"),
        ("VERIFY_BATCHES", "verify_batches is slow"),
        ("verify batches", "Foo::verify_batches is slow"),
        ("verify_batches", "foo->verify_batches is slow"),
        ("foo->bar", "foo->bar = 1"),
        ("Foo::bar", "Foo::bar()"),
        ("bar", "Foo::bar()"),
        ("HTTPServer", "class HTTPServer:"),
        ("server", "class HTTPServer:"),
        ("httpserver", "class HTTPServer:"),
        ("github", "on GitHub"),
        ("PRs", "one PR"),
        ("__init__", "in __init__.py"),
        ("init", "in __init__.py"),
        ("secp256k1", "libs secp256k1_ecmult"),
        ("WidgetType", "use List<WidgetType> here"),
        ("list", "use List<WidgetType> here"),
        ("x.h", "#include <x.h>"),
        ("-Werror", "gcc -Werror"),
        ("gcc -Werror", "gcc -Werror"),
        ("Werror", "gcc `-Werror`"),
        ("--no-cache-dir", "pip install --no-cache-dir ."),
        ("no-cache-dir", "pip install --no-cache-dir ."),
        ("-fsanitize=address", "CFLAGS=-fsanitize=address"),
        ("USE_FIELD", "cmake -DUSE_FIELD=10x26"),
        ("-DUSE_FIELD", "with USE_FIELD set"),
        ("any", "np.all and any() are not the same"),
        ("all", "np.all and any() are not the same"),
        ("not", "np.all and any() are not the same"),
        ("is not", "what is not the same"),
        ("what is it", "but what is it"),
        ("has own in", "object.has its own in set"),
        ("café", "cafe\u0301"),
        ("cafe\u0301", "CAFÉ"),
        ("timeout", "time\u200bout"),
        ("time\u200bout", "timeout"),
        ("time\u00adout", "a timeout"),
        ("Ｗｉｄｇｅｔ", "widget"),
        ("file", "\ufb01le"),
        ("straße", "STRASSE"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("İstanbul", "i\u0307stanbul"),
        ("नमस्ते", "नमस्ते दुनिया"),
        ("क्ष", "क्\u200dष"),
        ("می\u200cخواهم", "میخواهم"),
        ("1", "1\ufe0f\u20e3 first"),
        ("日本", "これは日本語です"),
        ("日本語", "これは日本語です"),
        ("語", "これは日本語です"),
        ("す", "これは日本語です"),
        ("使い方", "Python3の使い方"),
        ("Python3", "Python3の使い方"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("한국어", "한국어를"),
        ("ภาษา", "นี่คือภาษาไทย"),
        ("20.04", "on Ubuntu 20.04"),
        ("v0.3.2", "since v0.3.2"),
        ("0.3.2", "since v0.3.2"),
        ("v0.3.2", "since 0.3.2"),
        ("1.2.3-rc1", "1.2.3-rc1 is out"),
        ("0xDEADBEEF", "at 0xdeadbeef"),
        ("don't", "I don\u2019t know"),
        ("user", "the user's"),
        ("C++", "written in C++."),
        ("c++17", "needs C++17"),
        ("C#", "written in C#"),
        ("running", "it runs"),
        ("#123", "see #123"),
        ("@alice", "thanks @alice!"),
        ("a'b", "a'b"),
        ("foo &", "foo and bar"),
        ('"unclosed', "an unclosed quote"),
    ],
)
def test_a_question_finds(pg: psycopg.Connection, question: str, document: str) -> None:
    """What a person would call the same thing is found by it, in either direction of writing."""
    assert found(pg, question, document)


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("-Werror", "gcc without it"),
        ("C++", "vitamin C"),
        ("-m", "meters m"),
        ("cve-2024-1234", "cve 1234 of 2024"),
        ("verify_batches", "batches to verify"),
        ("日語", "日本語"),
        ("poseidon-1234", "poseidon-1234a"),
        ("1.2.3", "1.2.30"),
        ("pkg/mod_x.py", "pkg2/mod_x.py"),
        ("v2", "2 things"),
        ("widget", "gadget"),
        ("cafe", "café"),
    ],
)
def test_a_question_does_not_find(pg: psycopg.Connection, question: str, document: str) -> None:
    """Parts count in their order, a flag is no negation, and short parts of names do not count."""
    assert not found(pg, question, document)


def test_a_flag_is_a_word_and_not_a_negation(pg: psycopg.Connection) -> None:
    """`gcc -Werror` asks for what it names."""
    assert query("-Werror").terms[0].lexemes[0] == "-werror"
    assert found(pg, "gcc -Werror", "gcc -Wall -Werror")
    assert not found(pg, "gcc -Werror", "gcc -Wall")


@pytest.mark.parametrize(
    "text",
    ["", " ", "&", "·", "(", "!!", "<->", "'", "\\", "''::", ":*", "\x00", "🚀", "❤\ufe0f 👩\u200d💻", "---"],
)
def test_a_question_without_words_has_no_terms(text: str) -> None:
    """And both its queries are empty, which callers have to ask for before they ask Postgres."""
    assert query(text) == ((), 0, 0)
    assert query(text).conjunction() == query(text).disjunction() == ""
    assert tokenize(text) == ("", frozenset(), 0, 0)


@pytest.mark.parametrize(
    "text",
    [
        "foo & bar",
        "a'b",
        "x' | 'y",
        "a\\b",
        "'; DROP TABLE x; --",
        "foo:* & !bar",
        "<3>",
        "(unclosed",
        "20.04",
        "a:1A,2B",
    ],
)
def test_query_syntax_is_text(pg: psycopg.Connection, text: str) -> None:
    """Whatever a question holds, its queries are valid and find the text itself."""
    assert found(pg, text, text)
    pg.execute("SELECT %s::tsquery", (query(text).disjunction(),))


@settings(deadline=None, max_examples=300)
@given(HOSTILE)
def test_any_text_is_found_by_itself(pg: psycopg.Connection, text: str) -> None:
    """Vector and queries are valid, the lexemes are those of the vector, and a text matches all its own terms."""
    made, asked = tokenize(text), query(text)
    row = pg.execute("SELECT tsvector_to_array(%s::tsvector)", (made.vector,)).fetchone()
    assert row is not None
    assert set(row[0]) == made.lexemes
    assert bool(asked.terms) == bool(made.lexemes)
    for term in asked.terms:
        assert term.lexemes
        assert not pg.execute(
            "SELECT %s::tsvector @@ (!! (%s)::tsquery)", (made.vector, term.tsquery)
        ).fetchone()[0]
    if asked.terms:
        both = f"({asked.conjunction()}) & ({asked.disjunction()})"
        assert pg.execute("SELECT %s::tsvector @@ %s::tsquery", (made.vector, both)).fetchone() == (True,)


@given(HOSTILE, HOSTILE)
def test_words_are_the_same_wherever_they_stand(before: str, after: str) -> None:
    """A text's lexemes do not depend on the texts around it."""
    assert lexemes(f"{before} {after}") == lexemes(before) | lexemes(after)


def test_positions_count_the_words() -> None:
    """A whole stands where its first part stands; parts of one name are neighbours, and of neighbouring words too."""
    assert tokenize("see src/a_b.py twice twice") == (
        "'see':1 'src/a_b.py':2 'src':2 'a':3 'b':4 'py':5 'a_b':3 'a_b.py':3 'twice':6,7",
        frozenset({"see", "src/a_b.py", "src", "a", "b", "py", "a_b", "a_b.py", "twice"}),
        7,
        0,
    )


def test_a_term_names_the_whole_first() -> None:
    (term,) = query("verify_batches").terms
    assert term == (
        "verify_batches",
        "('verify_batches' | 'verifi' <-> 'batch')",
        ("verify_batches", "verifi", "batch"),
    )


def test_a_plain_word_is_one_lexeme() -> None:
    assert query("Failing").terms == (("Failing", "'fail'", ("fail",)),)


def test_terms_come_once_and_in_order() -> None:
    asked = query("beta alpha Beta betas")
    assert [term.text for term in asked.terms] == ["beta", "alpha"]
    assert (asked.dropped, asked.unsearchable) == (0, 0)
    assert asked.conjunction() == "'beta' & 'alpha'"
    assert asked.disjunction() == "'beta' | 'alpha'"


def test_a_very_long_question_is_capped_and_says_so(pg: psycopg.Connection) -> None:
    """40,000 words, as of a pasted log."""
    asked = query(" ".join(f"word{n}" for n in range(40_000)))
    assert len(asked.terms) == MAX_TERMS
    assert asked.dropped == 40_000 - MAX_TERMS
    pg.execute("SELECT %s::tsquery, %s::tsquery", (asked.conjunction(), asked.disjunction()))


def test_the_longest_terms_are_a_query_that_postgres_takes(pg: psycopg.Connection) -> None:
    long_path = "/".join(["directory_with_a_long_name"] * 50)
    asked = query(" ".join(f"{long_path}/{n}" for n in range(MAX_TERMS)))
    assert len(asked.terms) == 1, "beyond its first parts one such path is like the other"
    asked = query(" ".join(f"{n}/{long_path}" for n in range(MAX_TERMS)))
    assert len(asked.terms) == MAX_TERMS
    pg.execute("SELECT %s::tsquery, %s::tsquery", (asked.conjunction(), asked.disjunction()))


def test_a_long_token_is_counted_and_hides_nothing(pg: psycopg.Connection) -> None:
    """A minified line or a base64 blob before a word."""
    made = tokenize("a" * 3000 + " tail")
    assert (made.lexemes, made.length, made.unsearchable) == ({"tail"}, 2, 1)
    assert query("a" * 3000) == ((), 0, 1)
    assert found(pg, "tail", "a" * 3000 + " tail")


def test_a_lexeme_has_at_most_200_bytes() -> None:
    assert lexemes("x" * 200) == {"x" * 200}
    assert tokenize("x" * 201).unsearchable == 1
    assert tokenize("ж" * 101).unsearchable == 1


def test_a_long_path_is_found_by_its_end_and_its_parts() -> None:
    made = tokenize("very/" * 60 + "deep/inner_part.c")
    assert {"deep/inner_part.c", "inner_part.c", "inner_part", "deep", "veri"} <= made.lexemes
    assert made.unsearchable == 0


def test_letters_in_random_case_are_one_word() -> None:
    """Encoded data is not taken apart."""
    assert lexemes("aGVsbG8gd29ybGQh") == {"agvsbg8gd29ybgqh"}


def stored(pg: psycopg.Connection, made: Tokens) -> tuple[int, int, int]:
    """Lexemes, most positions of one, and last position, as Postgres stores them."""
    row = pg.execute(
        "SELECT count(*), max(cardinality(positions)), max((SELECT max(p) FROM unnest(positions) p))"
        " FROM unnest(%s::tsvector)",
        (made.vector,),
    ).fetchone()
    assert row is not None
    return row


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"{n:032d}" for n in range(40_000)),
        " ".join(f"{'ж' * 90}{n}" for n in range(20_000)),
        " ".join(f"a{n}/b{n}/c{n}/d{n}/e{n}/f{n}/g{n}/{'h' * 150}" for n in range(5_000)),
    ],
    ids=["distinct words", "two-byte letters", "paths"],
)
def test_a_document_of_any_size_is_a_vector_that_postgres_takes(pg: psycopg.Connection, text: str) -> None:
    """What comes too late is counted, what comes first is found."""
    made = tokenize(text)
    assert made.unsearchable > 0
    assert stored(pg, made)[0] == len(made.lexemes)
    assert found(pg, text.split(maxsplit=1)[0], text)


def test_positions_stay_within_what_postgres_keeps(pg: psycopg.Connection) -> None:
    """One word 65,536 times, and one that comes after 40,000 others."""
    count, most, last = stored(pg, tokenize("word " * 65_536))
    assert count == 1
    assert 200 <= most < 256
    made = tokenize("word " * 40_000 + "tail")
    assert max(int(n) for n in re.findall(r"\d+", made.vector)) == 16_383
    assert last < 16_384
    assert made.length == 40_001


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "A",
        "aA",
        "Aa",
        "é",
        "日",
        "ก",
        "\u0301",
        "a\u0301",
        "-",
        "--a",
        "_",
        "a_",
        ".",
        "a.",
        "/",
        "a/",
        "::",
        "a::",
        "'",
        "a's ",
        "C++ ",
        "-D",
        "v1.",
        " ",
        "\n",
        "\x00",
        "\u200b",
        "\ud83d",
        "a ",
        "<a>",
        "\ufdfa",
        "🚀",
        "0",
        "0x",
        "'t",
    ],
)
def test_repetition_of_anything_is_a_valid_vector(pg: psycopg.Connection, unit: str) -> None:
    """65,536 characters of it, document and question."""
    text = unit * (65_536 // len(unit))
    made, asked = tokenize(text), query(text)
    pg.execute("SELECT %s::tsvector", (made.vector,))
    assert len(asked.terms) <= MAX_TERMS
    assert all(len(lexeme.encode()) <= 200 for lexeme in made.lexemes)
    if asked.terms:
        pg.execute("SELECT %s::tsquery", (asked.conjunction(),))


def test_what_was_met_before_is_not_remembered_for_ever() -> None:
    """More distinct words than are kept come out the same each time."""
    text = " ".join(f"w{n}" for n in range(70_000))
    assert tokenize(text) == tokenize(text)
