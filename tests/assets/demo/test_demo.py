"""`relored demo` from end to end: a real Postgres, the assets, the server and the client, each in its process."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from relore_assets.demo.questions import QUESTIONS
from relore_assets.local.postgres import LocalPostgres

if TYPE_CHECKING:
    from collections.abc import Iterator

_HIT = re.compile(r"^(?:\d+\. )?(?:acme-harbor/ebbsync)?#(\d+) (?:issue|pr) ", re.MULTILINE)
_COMMAND = [sys.executable, "-m", "relore_assets", "demo", "--once"]


def environment(home: Path) -> dict[str, str]:
    """A state folder of the test's own, and a user's database that must not be touched: nothing listens there."""
    return {
        **os.environ,
        "RELORE_HOME": str(home),
        "RELORE_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing",
        "RELORE_TOKEN": "of another server",
        "PYTHONUNBUFFERED": "1",
    }


def run(home: Path) -> str:
    """What a run of the demo shows."""
    done = subprocess.run(_COMMAND, env=environment(home), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def of_home(home: Path) -> list[psutil.Process]:
    """The living processes that know of a state folder."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            told = [*process.cmdline(), process.environ().get("RELORE_HOME", "")]
            if any(str(home) in part for part in told) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A folder that the embedded server may enter whatever account it runs under."""
    folder = Path(tempfile.mkdtemp(prefix="relore-tests-demo-"))
    folder.chmod(0o711)
    yield folder
    LocalPostgres(folder / "demo" / "postgres").stop()
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def shown(home: Path) -> str:
    """What the first run shows."""
    return run(home)


def test_every_question_finds_the_threads_that_it_should(shown: str) -> None:
    """The thread that answers comes first, and the others are on the page."""
    blocks = re.split(r"^-- \d+ of \d+ -+$", shown, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(QUESTIONS)
    for question, block in zip(QUESTIONS, blocks, strict=True):
        assert question.shows in block
        found = [int(number) for number in _HIT.findall(block)]
        assert found[:1] == [question.expects[0]], block
        assert set(question.expects) <= set(found), block


def test_what_the_questions_say_of_the_answers_is_so(shown: str) -> None:
    """The lines beside the questions make claims of their own."""
    assert "10 of 48 comments, best first" in shown
    assert "#54 pr open (approved by @sextant-dev)" in shown
    assert "#55 pr open draft" in shown
    assert "#51 pr merged" in shown


def test_a_run_leaves_nothing_running(shown: str, home: Path) -> None:
    """Not the server, not Postgres, not the client."""
    assert shown
    assert of_home(home) == []


def test_a_second_run_answers_the_same_and_writes_nothing(shown: str, home: Path) -> None:
    """It says so, and every answer is the one of the first run, but for the random part of the marks."""

    def answers(text: str) -> str:
        plain = re.sub(r"UNTRUSTED relore-\w+", "UNTRUSTED", text)
        plain = re.sub(r"--cursor \S+|indexed at \S+", "", plain)
        return plain[plain.index("-- 1 of") :]

    again = run(home)
    assert "nothing changed: 0 rows written" in again
    assert "0 rows written" not in shown
    assert answers(again) == answers(shown)


def test_an_interrupted_run_ends_what_it_started(home: Path) -> None:
    """Ctrl-C in the middle leaves no process behind, and no word but what was shown before it."""
    with subprocess.Popen(
        _COMMAND, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stdout is not None
        assert any(line.startswith("Sample") for line in demo.stdout)
        demo.send_signal(signal.SIGINT)
        _, complaints = demo.communicate()
    assert demo.returncode == 130
    assert complaints.strip() == ""
    assert of_home(home) == []
