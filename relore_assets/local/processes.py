"""Child processes that outlive nobody's memory: each is known by number and start time, and bears a mark.

A process number alone proves nothing, as it is given out again; number and start time together do.
Grandchildren are known by the mark, a variable in the environment that every descendant inherits.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

MARK = "RELORE_UP"


@dataclass(frozen=True)
class Known:
    """A process that cannot be mistaken for another."""

    pid: int
    started: float

    @classmethod
    def of(cls, pid: int) -> Known | None:
        """Return the process of that number, None when there is none."""
        try:
            return cls(pid, psutil.Process(pid).create_time())
        except psutil.NoSuchProcess:
            return None

    @property
    def alive(self) -> bool:
        """Whether this very process still runs; a zombie does not."""
        try:
            process = psutil.Process(self.pid)
            # The start time is computed from the boot time, which the system may adjust by a little.
            same = abs(process.create_time() - self.started) < 1
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False


def start(arguments: Sequence[str], *, mark: str, log: Path) -> subprocess.Popen[bytes]:
    """Start a child that writes to ``log``, in a session of its own so that Ctrl-C does not reach it."""
    with log.open("ab") as output:
        return subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, MARK: mark, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        )


def marked(mark: str) -> list[psutil.Process]:
    """Return every living process of ours that bears ``mark``."""
    return [process for process in psutil.process_iter() if _bears(process, mark)]


def numbered(pids: Iterable[int]) -> list[psutil.Process]:
    """Return those of the processes that exist; of our own children, whose numbers nobody else can have yet."""
    found: list[psutil.Process] = []
    for pid in pids:
        with contextlib.suppress(psutil.NoSuchProcess):
            found.append(psutil.Process(pid))
    return found


def end(processes: Iterable[psutil.Process], *, patience: float) -> None:
    """Ask the processes to end, and make those end that have not after ``patience`` seconds."""
    asked = list(processes)
    for process in asked:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    for process in _still_running(asked, patience):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    _still_running(asked, patience)


def _still_running(processes: list[psutil.Process], patience: float) -> list[psutil.Process]:
    """Return those that still run after ``patience`` seconds at most.

    A zombie has ended: that its parent does not ask for it, as the first process of many containers does
    not, is no reason to wait.
    """
    deadline = time.monotonic() + patience
    while (running := [process for process in processes if _runs(process)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return running


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _bears(process: psutil.Process, mark: str) -> bool:
    try:
        return process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
        return False
