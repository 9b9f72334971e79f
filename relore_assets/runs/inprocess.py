"""One run of some assets in this process, recorded in the instance like any other and visible in the UI.

In-process because a run handed to the daemon waits ten seconds for its process; parallelism inside a run is the
assets' own. The instance methods used here that Dagster does not document are `add_event_listener` and, in
`reaper`, `free_concurrency_slots_for_run`.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import dagster as dg
import psutil

from relore_assets.errors import ReloreError
from relore_assets.partitions import COMMAND_TAG

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

HOST_TAG = "relore/host"
PID_TAG = "relore/pid"
STARTED_TAG = "relore/pid_started"

#: What Dagster says of steps that do not run because another did not; the reason is said by itself.
_DAGSTERS_OWN = ("Skipping step", "Dependencies for step")

#: What the assets say is shown by the listener; Dagster's own console would add every event of every partition.
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


class RunFailed(ReloreError):
    """A run did not succeed; the message says which and why.

    Attributes:
        exit_code: that of the failure behind it, where it has one of its own.
    """

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True)
class _Problem:
    """What went wrong in a run: in words, and by the name of the exception's class."""

    said: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that succeeded: its id and, by asset, the numbers that it recorded (none where nothing had changed)."""

    run_id: str
    recorded: dict[str, dict[str, float]]

    def rows_written(self) -> int:
        """Rows written by all assets together."""
        return int(sum(numbers.get("rows_written", 0) for numbers in self.recorded.values()))


def owner_tags(command: str) -> dict[str, str]:
    """Return the tags by which a later process can tell whether the one that made a run still lives."""
    return {
        COMMAND_TAG: command,
        HOST_TAG: socket.gethostname(),
        PID_TAG: str(os.getpid()),
        STARTED_TAG: f"{psutil.Process().create_time():.2f}",
    }


def run(
    definitions: dg.Definitions,
    instance: dg.DagsterInstance,
    assets: Sequence[str],
    *,
    command: str,
    partition: str | None = None,
    partition_range: tuple[str, str] | None = None,
    config: Mapping[str, Any] | None = None,
    say: Callable[[str], object] | None = None,
) -> Finished:
    """Materialise ``assets`` for one partition or a range of them, and wait for the end.

    Args:
        definitions: the code location.
        instance: where the run is recorded.
        assets: names of assets that share one partitioning.
        command: what started it, for the run's tags.
        partition: one key.
        partition_range: first and last key, both included.
        config: run configuration.
        say: told what the assets log, line by line.

    Raises:
        RunFailed: the run did not succeed.
        KeyboardInterrupt: it was interrupted; the run is recorded as such.
    """
    tags = owner_tags(command)
    if partition_range is not None:
        tags["dagster/asset_partition_range_start"], tags["dagster/asset_partition_range_end"] = (
            partition_range
        )
    run_id = str(uuid4())
    problems: list[_Problem] = []

    def listen(entry: dg.EventLogEntry) -> None:
        if entry.dagster_event is not None:
            problems.extend(_problem(entry.dagster_event))
        elif say is not None and entry.user_message and not entry.user_message.startswith(_DAGSTERS_OWN):
            say(entry.user_message)

    instance.add_event_listener(run_id, listen)
    with _signals() as interrupted, _as_keyboard_interrupt():
        result = definitions.resolve_implicit_global_asset_job_def().execute_in_process(
            instance=instance,
            run_id=run_id,
            raise_on_error=False,
            asset_selection=[dg.AssetKey(name) for name in assets],
            partition_key=partition,
            tags=tags,
            run_config={**(config or {}), **_QUIET},
        )
    if interrupted() or any(
        problem.kind == dg.DagsterExecutionInterruptedError.__name__ for problem in problems
    ):
        raise KeyboardInterrupt
    if not result.success:
        first = problems[0] if problems else _Problem("see the run's log")
        raise RunFailed(f"the run {run_id} ({command}) failed: {first.said}", _exit_code(first.kind))
    return Finished(run_id, _recorded(result))


@contextmanager
def _as_keyboard_interrupt() -> Generator[None]:
    """Raise what Dagster makes of an interruption as what it was."""
    try:
        yield
    except dg.DagsterExecutionInterruptedError:
        raise KeyboardInterrupt from None


@contextmanager
def _signals() -> Generator[Callable[[], bool]]:
    """Yield what tells whether somebody has interrupted us since, whoever took notice of it.

    Between the steps of a run Dagster only remembers a signal, and at the run's end it forgets it: an interruption that
    falls there would be lost, and the next run of the same verb begin as if nothing had been said.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    reader, writer = socket.socketpair()
    reader.settimeout(0)
    writer.settimeout(0)
    before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    came: set[int] = set()

    def interrupted() -> bool:
        with suppress(OSError):  # nothing (more) to be read
            while told := reader.recv(256):
                came.update(told)
        return not came.isdisjoint({signal.SIGINT, signal.SIGTERM})

    try:
        yield interrupted
    finally:
        interrupted()
        signal.set_wakeup_fd(before)
        reader.close()
        writer.close()


def _exit_code(kind: str) -> int:
    """Return the exit code of one of our own failures, of which Dagster keeps the name alone."""
    todo: list[type[ReloreError]] = [ReloreError]
    while todo:
        each = todo.pop()
        if each.__name__ == kind:
            return each.exit_code
        todo += each.__subclasses__()
    return ReloreError.exit_code


def _problem(event: dg.DagsterEvent) -> list[_Problem]:
    """Return what the person at the terminal needs of an event that tells of a failure, else nothing."""
    if event.event_type == dg.DagsterEventType.ASSET_CHECK_EVALUATION:
        check = event.asset_check_evaluation_data
        if check.passed or check.severity == dg.AssetCheckSeverity.WARN:
            return []
        return [
            _Problem(f"check {check.check_name} of {check.asset_key.to_user_string()}: {check.description}")
        ]
    error = getattr(event.event_specific_data, "error", None) if event.is_failure else None
    # What the step raised is the cause of what Dagster made of it; what that came from is for the run's log.
    if error is not None and error.cause is not None:
        error = error.cause
    if error is None:
        return []
    said = str(error.message).strip().splitlines()[0]
    return [_Problem(re.sub(rf"^[\w.]*{re.escape(error.cls_name or '')}: ", "", said), error.cls_name or "")]


def _recorded(result: dg.ExecuteInProcessResult) -> dict[str, dict[str, float]]:
    """Read the numbers off the first materialisation of each asset: all partitions of a run carry the same."""
    recorded: dict[str, dict[str, float]] = {}
    for event in result.get_asset_materialization_events():
        materialization = event.step_materialization_data.materialization
        name = materialization.asset_key.to_user_string()
        if name not in recorded:
            recorded[name] = {
                label: float(value.value)
                for label, value in materialization.metadata.items()
                if isinstance(value, dg.IntMetadataValue | dg.FloatMetadataValue) and value.value is not None
            }
    return recorded
