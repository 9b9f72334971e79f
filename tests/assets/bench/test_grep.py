"""grep on real repositories: whatever a question holds is text, and whatever a path holds is a path."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from benched import REPO, THEN, example

from relore_assets.bench.systems import grep as module
from relore_assets.bench.systems.grep import Clone, Grep, NoClone
from relore_assets.bench.systems.system import asked
from relore_assets.mine.example import Filters
from relore_serve.search.scope import Repo, repositories

if TYPE_CHECKING:
    from pathlib import Path

    from psycopg import Connection
    from rows import History

    from relore_assets.mine.example import Example


def git(folder: Path, *arguments: str) -> None:
    """Run git as a test does; nobody's configuration counts."""
    subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=Ada", "-c", "user.email=ada@example.test", *arguments],
        check=True,
        capture_output=True,
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with a work tree, whose files have the worst names that git allows."""
    folder = tmp_path / "clone"
    folder.mkdir()
    git(folder, "init", "-q")
    for name, text in {
        "src/winch.c": "winch\nwinch\nWINCH\n",
        "src/two\nlines.c": "capstan\n",
        "--output=x": "bollard\n",
        "src/notes.txt": "-e winch --help (a+)+$ [ \\\n",
    }.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "src/picture.bin").write_bytes(b"\0winch\0")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "All")
    return folder


@pytest.fixture
def pulls(history: History) -> None:
    """Pull requests that changed these files, and an issue that asks."""
    repo = history.repo(REPO)
    history.thread(repo, 1, "Which winch", at=THEN)
    for number, path in enumerate(
        ("src/winch.c", "src/two\nlines.c", "--output=x", "src/notes.txt", "src/winch.c"), 2
    ):
        history.thread(repo, number, "Change", kind="pr", merged=True, files=(path,), at=THEN)
    history.conn.commit()


def answered(reader: Connection, clone: Path, question: Example) -> tuple[int, ...]:
    rows = reader.execute("SELECT number, id FROM relore.threads").fetchall()
    repo = the_repo(reader)
    return Grep(reader, Clone.at(clone)).answer(asked(question, repo, dict(rows))).threads


def the_repo(reader: Connection) -> Repo:
    return repositories(reader)[0]


def test_lines_are_counted_in_whatever_case(clone: Path) -> None:
    """By file; what is no text is passed over."""
    assert Clone.at(clone).matches("winch", 10) == {"src/winch.c": 3, "src/notes.txt": 1}


def test_a_path_may_hold_a_newline(clone: Path) -> None:
    """Nothing of git's output is taken apart by lines."""
    assert Clone.at(clone).matches("capstan", 10) == {"src/two\nlines.c": 1}


@pytest.mark.parametrize(
    "term", ["-e winch", "--help", "(a+)+$", "[", "\\", "--output=y", "--open-files-in-pager=touch x"]
)
def test_a_question_is_never_an_option_nor_a_pattern(clone: Path, term: str) -> None:
    """What looks like either is looked for as it stands; git runs nothing and writes nothing."""
    before = sorted(path.name for path in clone.rglob("*") if ".git" not in path.parts)
    found = Clone.at(clone).matches(term, 10)

    assert set(found) <= {"src/notes.txt"}
    assert ("src/notes.txt" in found) == (term in "-e winch --help (a+)+$ [ \\")
    assert sorted(path.name for path in clone.rglob("*") if ".git" not in path.parts) == before


def test_of_several_lines_the_first_that_says_something_is_looked_for(clone: Path) -> None:
    """Git would take every line for a pattern of its own, and an empty one for everything."""
    assert Clone.at(clone).matches("\n\n  capstan\n\nwinch", 10) == {"src/two\nlines.c": 1}


@pytest.mark.usefixtures("pulls")
def test_threads_come_by_the_matching_lines_of_what_they_changed(reader: Connection, clone: Path) -> None:
    """The newer of two that changed the same file first; whoever asks is left out."""
    assert answered(reader, clone, example(1, "Which winch", 2)) == (6, 2, 5)
    assert answered(reader, clone, example(1, "bollard capstan", 2)) == (4, 3)
    assert answered(reader, clone, example(1, "winch", 2, withheld=[6])) == (2, 5)


@pytest.mark.usefixtures("pulls")
def test_a_filter_for_files_keeps_to_these(reader: Connection, clone: Path) -> None:
    """By any trailing part of a path, at a separator."""
    only = example(1, "winch", 2, filters=Filters(files=("notes.txt",)))
    part_of_a_name = example(1, "winch", 2, filters=Filters(files=("otes.txt",)))

    assert answered(reader, clone, only) == (5,)
    assert answered(reader, clone, part_of_a_name) == ()


@pytest.mark.usefixtures("pulls")
def test_errors_tests_and_symbols_are_looked_for_before_words(reader: Connection, clone: Path) -> None:
    """Three terms are looked for; with two symbols and a test none is left for the words."""
    facts = Filters(symbols=("bollard", "Deck.capstan"), tests=("tests/test_deck.py::test_deck",))

    assert answered(reader, clone, example(1, "winch", 2, filters=facts)) == (4, 3)


def test_a_bare_copy_is_searched_alike(clone: Path, tmp_path: Path) -> None:
    """At the commit of its HEAD."""
    bare = tmp_path / "bare"
    git(tmp_path, "clone", "-q", "--bare", str(clone), str(bare))

    assert Clone.at(bare).commit == Clone.at(clone).commit
    assert Clone.at(bare).matches("bollard", 10) == {"--output=x": 1}


def test_the_configuration_of_a_clone_decides_nothing(clone: Path) -> None:
    """Patterns stay texts, and nothing it names is run."""
    ran = clone / "ran"
    for name, value in {
        "grep.patternType": "perl",
        "grep.lineNumber": "true",
        "color.ui": "always",
        "core.fsmonitor": f"touch {ran}",
        "core.pager": f"touch {ran}",
    }.items():
        git(clone, "config", name, value)

    assert Clone.at(clone).matches("(a+)+$", 10) == {"src/notes.txt": 1}
    assert not ran.exists()


def test_a_folder_that_is_no_clone_is_refused(tmp_path: Path) -> None:
    """Also one within somebody else's repository, and an empty repository."""
    git(tmp_path, "init", "-q")
    (tmp_path / "inner").mkdir()

    for folder in (tmp_path, tmp_path / "inner", tmp_path / "absent"):
        with pytest.raises(NoClone):
            Clone.at(folder)


@pytest.mark.usefixtures("pulls")
def test_a_search_that_takes_too_long_is_stopped_and_told_of(reader: Connection, clone: Path) -> None:
    """It counts as answered with nothing, and the bound stands in the caveats."""
    slow = Grep(reader, Clone.at(clone), deadline=0.0)
    rows = dict(reader.execute("SELECT number, id FROM relore.threads").fetchall())
    found = slow.answer(asked(example(1, "winch", 2), the_repo(reader), rows))

    assert (found.threads, found.note) == ((), "stopped after 0 seconds")
    assert any("0 seconds" in caveat for caveat in slow.caveats)


def test_the_caveats_say_that_there_is_no_window(reader: Connection, clone: Path) -> None:
    """And which commit was searched."""
    told = Grep(reader, Clone.at(clone))

    assert not told.window
    assert told.clone.commit[:12] in told.caveats[0]
    assert told.configuration["terms"] == module.TERMS
