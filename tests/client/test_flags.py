"""Every global flag on every verb, on either side of it; and what each of them changes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from relore_client import asking
from relore_client import cli as program
from relore_client.options import GLOBAL_FLAGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from scripted import Outcome, Script

ASKING = {
    "inflight": ["92"],
    "brief": ["92"],
    "search": ["nonce"],
    "precedent": ["nonce"],
    "thread": ["92"],
    "similar": ["92"],
    "status": [],
}
TELLING = {"guide": [], "completion": ["bash"]}
"""What the program knows by itself."""
VERBS = {**ASKING, **TELLING}
SIDES = {
    "before": lambda flag, verb, words: [*flag, verb, *words],
    "after": lambda flag, verb, words: [verb, *words, *flag],
}


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person is looking."""
    monkeypatch.setattr(asking, "on_terminal", lambda: True)


def test_the_matrix_below_knows_every_verb() -> None:
    assert set(VERBS) == set(program.cli.commands)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("flag", GLOBAL_FLAGS)
@pytest.mark.parametrize("verb", VERBS)
def test_every_global_flag_works_on_every_verb_on_either_side(
    verb: str,
    flag: str,
    side: str,
    server: Script,
    relore: Callable[..., Outcome],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = [flag]
    if flag == "--api":
        monkeypatch.setenv("RELORE_API", "http://127.0.0.1:1")
        given = [flag, server.url]
    elif flag == "--fields":
        given = [flag, {"guide": "guide", "completion": "script"}.get(verb, "a,b.c")]

    outcome = relore(*SIDES[side](given, verb, VERBS[verb]))

    assert (outcome.code, outcome.err) == (0, "")
    if flag in {"--version", "--help"} or verb in TELLING:
        assert server.asked == []
        check_what_is_told(verb, flag, outcome.out)
        return
    (asked,) = server.asked
    view = {
        name: asked.everything.get(name) in (True, "true") for name in ("render", "compact", "presentation")
    }
    machine = flag in {"--json", "--fields"}
    assert view == {
        "render": not machine,
        "compact": not machine and flag != "--no-compact",
        "presentation": False,
    }
    assert asked.everything.get("fields") == ("a,b.c" if flag == "--fields" else None)
    if machine:
        assert json.loads(outcome.out) == {"notice": "Data.", "rendered": "a page"}
    else:
        assert outcome.out == "a page\n"


def check_what_is_told(verb: str, flag: str, out: str) -> None:
    if flag == "--version":
        assert re.fullmatch(r"relore \S+ \(API \d+\)\n", out)
    elif flag == "--help":
        assert out.startswith(f"Usage: relore {verb} ")
    elif flag in {"--json", "--fields"}:
        assert {"guide": "## The history", "completion": "_relore_completion()"}[verb] in "".join(
            json.loads(out).values()
        )
    else:
        assert out.startswith({"guide": "## The history", "completion": "_relore_completion()"}[verb])


@pytest.mark.parametrize("verb", TELLING)
def test_a_field_that_is_not_there_is_refused_by_name(verb: str, relore: Callable[..., Outcome]) -> None:
    outcome = relore(verb, *VERBS[verb], "--fields", "rendered")

    assert (outcome.code, outcome.out) == (2, "")
    assert "no field rendered; it has" in outcome.err


@pytest.mark.parametrize(
    ("flags", "view"),
    [
        ([], {"render": True, "presentation": True}),
        (["--plain"], {"render": True, "compact": True}),
        (["--plain", "--no-compact"], {"render": True}),
        (["--compact"], {"render": True, "compact": True, "presentation": True}),
        (["--json"], {}),
        (["--json", "--compact"], {"compact": True}),
        (["--fields", "count"], {"fields": "count"}),
        (["--fields", "count", "--compact", "--plain"], {"fields": "count", "compact": True}),
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("terminal")
def test_a_terminal_gets_everything_and_advice(
    flags: list[str], view: dict[str, bool], server: Script, relore: Callable[..., Outcome]
) -> None:
    """--plain there is the piped form, byte for byte: short, and without advice."""
    assert relore("search", "x", *flags).code == 0

    assert server.asked[0].body == {"query": "x", **view}


def test_the_flag_nearer_to_the_verb_wins(server: Script, relore: Callable[..., Outcome]) -> None:
    relore("--compact", "status", "--no-compact")

    assert server.asked[0].query == [("render", "true")]


QUESTIONS: list[tuple[list[str], str, dict[str, Any]]] = [
    (["search"], "/api/v1/search", {}),
    (["search", "schnorr", "nonce"], "/api/v1/search", {"query": "schnorr nonce"}),
    (
        [
            "search",
            "--error",
            "E: x",
            "--error",
            "y",
            "--file",
            "a.c",
            "--symbol",
            "f",
            "--test",
            "t",
            "--label",
            "bug",
        ],
        "/api/v1/search",
        {"errors": ["E: x", "y"], "files": ["a.c"], "symbols": ["f"], "tests": ["t"], "labels": ["bug"]},
    ),
    (
        [
            "search",
            "--author",
            "ada",
            "--kind",
            "failure",
            "--trust",
            "machine",
            "--sort",
            "newest",
            "--limit",
            "3",
        ],
        "/api/v1/search",
        {"authors": ["ada"], "kind": "failure", "trust": "machine", "sort": "newest", "limit": 3},
    ),
    (
        ["search", "--since", "2026-01-01", "--before", "2026-02-01", "--exclude", "7", "--exclude", "a/b#8"],
        "/api/v1/search",
        {"since": "2026-01-01", "before": "2026-02-01", "exclude": ["7", "a/b#8"]},
    ),
    (
        ["search", "--mentioned", "--no-expand", "--cursor", "abc", "--repo", "a/b", "--repo", "c/d"],
        "/api/v1/search",
        {"mentioned": True, "expand": False, "cursor": "abc", "repos": ["a/b", "c/d"]},
    ),
    (
        ["search", "--contains", "gej", "--contains", "add_", "--explain"],
        "/api/v1/search",
        {"contains": ["gej", "add_"], "explain": True},
    ),
    (["search", "--", "-Werror"], "/api/v1/search", {"query": "-Werror"}),
    (["precedent"], "/api/v1/precedent", {}),
    (
        [
            "precedent",
            "constant",
            "time",
            "--kind",
            "bug_fix",
            "--rejected",
            "--limit",
            "3",
            "--cursor",
            "abc",
        ],
        "/api/v1/precedent",
        {"query": "constant time", "kind": "bug_fix", "rejected": True, "limit": 3, "cursor": "abc"},
    ),
    (
        ["precedent", "--file", "a.c", "--file", "b/", "--error", "E: x", "--symbol", "f", "--repo", "a/b"],
        "/api/v1/precedent",
        {"files": ["a.c", "b/"], "errors": ["E: x"], "symbols": ["f"], "repos": ["a/b"]},
    ),
    (
        ["precedent", "x", "--since", "2026-01-01", "--before", "2026-02-01", "--exclude", "7"],
        "/api/v1/precedent",
        {"query": "x", "since": "2026-01-01", "before": "2026-02-01", "exclude": ["7"]},
    ),
    (
        ["brief", "a/b#92", "--before", "2026-02-01", "--exclude", "7"],
        "/api/v1/brief/92",
        {"repo": "a/b", "before": "2026-02-01", "exclude": "7"},
    ),
    (
        ["similar", "92", "--limit", "3", "--repo", "a/b", "--before", "2026-02-01", "--exclude", "7"],
        "/api/v1/similar/92",
        {"limit": "3", "repo": "a/b", "before": "2026-02-01", "exclude": "7"},
    ),
    (["thread", "92", "--repo", "a/b"], "/api/v1/thread/92", {"repo": "a/b"}),
    (["thread", "#92"], "/api/v1/thread/92", {}),
    (["thread", "a/b#92"], "/api/v1/thread/92", {"repo": "a/b"}),
    (
        ["thread", "92", "--focus", "x y", "--full", "--outline", "--after", "5", "--files"],
        "/api/v1/thread/92",
        {"focus": "x y", "full": "true", "outline": "true", "after": "5", "files": "true"},
    ),
    (["thread", "92", "--comment", "5"], "/api/v1/thread/92", {"comment": "5"}),
    (["thread", "92", "--before", "2026-02-01"], "/api/v1/thread/92", {"before": "2026-02-01"}),
    (["inflight", "92", "--exclude", "7"], "/api/v1/inflight/92", {"exclude": "7"}),
    (["status"], "/api/v1/status", {}),
]


@pytest.mark.parametrize(
    ("words", "path", "asked"), QUESTIONS, ids=[" ".join(words) for words, _, _ in QUESTIONS]
)
def test_a_command_line_becomes_this_question(
    words: list[str], path: str, asked: dict[str, Any], server: Script, relore: Callable[..., Outcome]
) -> None:
    outcome = relore("--json", *words)

    assert (outcome.code, outcome.err) == (0, "")
    assert server.asked[0].path == path
    assert server.asked[0].everything == asked


def test_every_option_of_every_verb_stands_in_a_question_above() -> None:
    used = {word for words, _, _ in QUESTIONS for word in words if word.startswith("--")}
    known = {
        option
        for verb in program.cli.commands.values()
        for parameter in verb.params
        if parameter.param_type_name == "option" and parameter.name != "help"
        for option in (*parameter.opts, *parameter.secondary_opts)
    }

    assert known - used - set(GLOBAL_FLAGS) == set()


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["thread", "92"], "octo/kit"),
        (["inflight", "92"], "octo/kit"),
        (["brief", "92"], "octo/kit"),
        (["similar", "92"], "octo/kit"),
        (["precedent", "x"], ["octo/kit"]),
        (["precedent", "x", "--repo", "a/b"], ["a/b"]),
        (["search", "x"], ["octo/kit"]),
        (["thread", "92", "--repo", "a/b"], "a/b"),
        (["thread", "a/b#92"], "a/b"),
        (["search", "x", "--repo", "a/b"], ["a/b"]),
    ],
)
def test_the_repository_of_the_environment_is_a_default(
    words: list[str],
    asked: object,
    server: Script,
    relore: Callable[..., Outcome],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RELORE_REPO", "octo/kit")

    relore(*words)

    assert server.asked[0].everything["repos" if words[0] in {"search", "precedent"} else "repo"] == asked


def test_an_empty_variable_is_as_good_as_none(
    server: Script, relore: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELORE_REPO", "")
    monkeypatch.setenv("RELORE_TOKEN", "")
    monkeypatch.setenv("RELORE_API_TOKEN", "second")

    relore("thread", "92")

    assert "repo" not in server.asked[0].everything
    assert server.asked[0].headers["authorization"] == "Bearer second"


WRONG: list[tuple[list[str], str]] = [
    (
        ["--limit", "3", "search", "x"],
        "--limit is misplaced: it belongs to search, precedent and similar and goes after the verb",
    ),
    (["--contains", "x", "search"], "--contains is misplaced: it belongs to search and goes after the verb"),
    (["--repo", "a/b", "thread", "3"], "--repo is misplaced: it belongs to inflight, brief, search, "),
    (["thread", "3", "--kind", "failure"], "thread has no option --kind; search and precedent have."),
    (["status", "--contains", "x"], "status has no option --contains; search has."),
    (["completion", "tcsh"], "'tcsh' is not one of"),
    (["precedent", "-Werror"], "goes behind --: relore precedent -- -Werror"),
    (["precedent", "x", "--kind", "failure"], "'failure' is not one of"),
    (["thread", "3", "--fokus", "x"], "thread has no option --fokus. Did you mean --focus"),
    (["search", "-Werror"], "goes behind --: relore search -- -Werror"),
    (["--jsn", "status"], "relore has no option --jsn. Did you mean --json?"),
    (["serch", "x"], "No such command 'serch'"),
    (["thread", "x"], "x is no thread"),
    (["thread", "a/b#3", "--repo", "c/d"], "a/b#3 is not in c/d"),
    (["thread"], "Missing argument"),
    (["search", "--kind", "bug"], "'bug' is not one of"),
    (["search", "--limit", "0"], "0 is not in the range"),
]


@pytest.mark.parametrize(("words", "says"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_a_wrong_command_line_is_told_what_is_right(
    words: list[str], says: str, server: Script, relore: Callable[..., Outcome]
) -> None:
    outcome = relore(*words)

    assert outcome.code == 2
    assert outcome.out == ""
    assert says in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert server.asked == []


@pytest.mark.parametrize("verb", [None, *VERBS])
def test_help_needs_no_server_and_is_complete(verb: str | None, relore: Callable[..., Outcome]) -> None:
    outcome = relore(*([verb] if verb else []), "--help")

    assert (outcome.code, outcome.err) == (0, "")
    for flag in GLOBAL_FLAGS:
        assert flag in outcome.out
    assert "Environment:" in outcome.out
    assert "Examples:" in outcome.out
    if verb is None:
        assert [name for name in ASKING if f"relore {name} " not in outcome.out] == []


@pytest.mark.parametrize(
    ("words", "usage"),
    [
        (["--help"], "relore [OPTIONS]"),
        (["--json", "-h", "--compact", "thread"], "relore thread"),
        (["--help", "--api", "status"], "relore [OPTIONS]"),
        (["search", "--", "--help", "status"], None),
    ],
)
def test_help_is_of_the_verb_that_follows(
    words: list[str], usage: str | None, server: Script, relore: Callable[..., Outcome]
) -> None:
    outcome = relore(*words)

    assert outcome.code == 0
    if usage:
        assert outcome.out.startswith(f"Usage: {usage}")
    else:
        assert server.asked[0].body["query"] == "--help status"


def test_every_option_explains_itself() -> None:
    unexplained = [
        (verb.name, parameter.name)
        for verb in program.cli.commands.values()
        for parameter in verb.params
        if parameter.param_type_name == "option" and not getattr(parameter, "help", None)
    ]

    assert unexplained == []


@pytest.mark.parametrize(
    "words",
    [
        ["search", "x", "--before", ""],
        ["search", "x", "--since", ""],
        ["search", "x", "--cursor", ""],
        ["search", "x", "--file", "a.py", "--file", ""],
        ["search", "x", "--repo", ""],
        ["search", "x", "--exclude", ""],
        ["thread", "7", "--comment", ""],
        ["thread", "7", "--after", ""],
        ["thread", "7", "--focus", ""],
        ["thread", "7", "--repo", ""],
        ["inflight", "7", "--before", ""],
        ["status", "--api", ""],
        ["status", "--fields", ""],
        ["guide", "--fields", ""],
        ["search", "--contains", ""],
        ["precedent", "--symbol", ""],
        ["precedent", "x", "--cursor", ""],
        ["brief", "7", "--before", ""],
        ["similar", "7", "--exclude", ""],
    ],
    ids=" ".join,
)
def test_an_empty_value_is_refused(words: list[str], server: Script, relore: Callable[..., Outcome]) -> None:
    """Dropped in silence it would lift a bound."""
    outcome = relore(*words)

    assert (outcome.code, server.asked) == (2, [])
    assert f"{words[-2]} is empty" in outcome.err


def test_no_words_are_a_question(server: Script, relore: Callable[..., Outcome]) -> None:
    assert relore("search", "", "--kind", "rationale").code == 0
    assert "query" not in server.asked[0].body


@pytest.mark.parametrize("number", ["9" * 5_000, "99999999999"])
def test_a_number_that_no_thread_has_is_a_usage_error(
    number: str, server: Script, relore: Callable[..., Outcome]
) -> None:
    outcome = relore("thread", number)

    assert (outcome.code, server.asked) == (2, [])
    assert len(outcome.err) < 400
