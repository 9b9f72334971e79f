"""A process is known by number and start time, its descendants by their mark; nobody else is touched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from relore_assets.local import processes
from relore_assets.local.processes import Known

if TYPE_CHECKING:
    from collections.abc import Iterator

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]
# A child whose own child outlives it, as a code server's does that is killed.
PARENT = [sys.executable, "-c", f"import subprocess; subprocess.Popen({SLEEPER!r})"]
DEAF = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)",
]


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process like ours that is not ours."""
    with subprocess.Popen(SLEEPER) as process:
        yield process
        process.kill()


def test_a_process_is_not_taken_for_another_that_got_its_number() -> None:
    """The number alone proves nothing."""
    ours = Known.of(os.getpid())

    assert ours is not None
    assert ours.alive
    assert not Known(ours.pid, ours.started - 3600).alive


def test_a_process_that_is_gone_is_not_alive() -> None:
    """Neither is one that is dead and whose parent has not asked for it yet."""
    with subprocess.Popen(SLEEPER) as process:
        known = Known.of(process.pid)
        assert known is not None
        process.kill()
        while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE:
            pass
        assert not known.alive

    assert not known.alive
    assert Known.of(process.pid) is None


def test_descendants_are_found_by_their_mark_when_their_parent_is_gone(
    tmp_path: Path, bystander: subprocess.Popen[bytes]
) -> None:
    """What a killed service had started is ended with it, and nothing else is."""
    parent = processes.start(PARENT, mark="of-this-test", log=tmp_path / "log")
    parent.wait()

    orphans = processes.marked("of-this-test")
    processes.end(orphans, patience=10)

    assert len(orphans) == 1
    assert processes.marked("of-this-test") == []
    assert bystander.poll() is None


def test_who_does_not_listen_is_made_to_end(tmp_path: Path) -> None:
    """After its time to finish has passed."""
    log = tmp_path / "log"
    deaf = processes.start(DEAF, mark="deaf", log=log)
    known = Known.of(deaf.pid)
    assert known is not None
    while "deaf" not in log.read_text(encoding="utf-8"):
        pass

    processes.end(processes.marked("deaf"), patience=0.2)

    deaf.wait()
    assert not known.alive
