"""`relored` lists its verbs without loading them, and shows a person sentences, not tracebacks."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from relore_assets import cli

HEAVY = ("dagster", "psycopg", "flask", "alembic", "sqlalchemy", "psutil", "relore_serve")


def relored(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the program."""
    return subprocess.run(
        [sys.executable, "-m", "relore_assets", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )


def test_the_help_lists_every_verb_and_loads_none() -> None:
    """It costs what click costs."""
    program = (
        "import sys, relore_assets.cli as c\n"
        "try: c.main(['--help'])\n"
        f"finally: print('LOADED', [name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "LOADED []" in done.stdout
    for verb in cli.VERBS:
        assert f"\n  {verb} " in done.stdout


@pytest.mark.parametrize("verb", cli.VERBS)
def test_every_verb_is_there_and_explains_itself_and_its_options(verb: str) -> None:
    """The table names modules by text; each exposes a command of that name whose options have help."""
    command = cli.cli.get_command(click.Context(cli.cli), verb)

    assert command is not None
    assert command.name == verb
    assert command.help
    silent = [
        option.name
        for option in command.params
        if isinstance(option, click.Option) and not option.help and not option.show_default
    ]
    assert silent == []


def test_an_expected_failure_is_one_sentence_and_exit_code_1() -> None:
    """No traceback: the sentence is what helps."""
    done = relored("migrate", environment={"RELORE_DATABASE_URL": "sqlite:///x.db"})

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("Error: RELORE_DATABASE_URL names an SQLite file")
    assert done.stderr.count("\n") == 1


def test_a_database_that_is_away_is_one_sentence_too() -> None:
    """The driver's error has passed the one door."""
    done = relored("migrate", environment={"RELORE_DATABASE_URL": "postgresql://127.0.0.1:1/relore"})

    assert done.returncode == 1
    assert done.stderr.startswith("Error: The database cannot be reached:")
    assert "Traceback" not in done.stderr


def test_an_unknown_verb_is_a_usage_error() -> None:
    """As click has it: exit code 2."""
    assert relored("migrat").returncode == 2


def test_an_interruption_is_silent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever pressed Ctrl-C knows; the shell is told by 130."""

    @click.command()
    def command() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.cli, "get_command", lambda *_: command)
    with pytest.raises(SystemExit) as left:
        cli.main(["migrate"])

    assert left.value.code == 130
    assert capsys.readouterr().err.strip() == ""


def test_a_fault_of_the_program_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only failures that the caller can act on are shortened."""

    @click.command()
    def command() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cli.cli, "get_command", lambda *_: command)
    with pytest.raises(ZeroDivisionError):
        cli.main(["migrate"])
