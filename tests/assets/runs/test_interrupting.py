"""Whoever interrupts a run is heard, wherever in it that falls."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import dagster as dg
import pytest

from relore_assets.runs.inprocess import run

if TYPE_CHECKING:
    from collections.abc import Callable


@dg.asset(name="quick")
def quick() -> None:
    """Takes no time."""


@dg.asset(name="slow")
def slow() -> None:
    """Is interrupted while it works."""
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(10_000_000):
        pass


def once(event: str, act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let something happen when Dagster stores an event of a kind, outside of any step."""
    handled = dg.DagsterInstance.handle_new_event

    def handle(self: dg.DagsterInstance, entry: dg.EventLogEntry, **how: Any) -> None:
        handled(self, entry, **how)
        if entry.dagster_event is not None and entry.dagster_event.event_type_value == event:
            act()

    monkeypatch.setattr(dg.DagsterInstance, "handle_new_event", handle)


@pytest.mark.parametrize("event", ["PIPELINE_START", "STEP_START", "STEP_SUCCESS", "PIPELINE_SUCCESS"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_between_the_steps_is_not_forgotten(
    monkeypatch: pytest.MonkeyPatch, event: str, number: signal.Signals
) -> None:
    """Dagster notes it there, and clears its note at the end of the run."""
    struck: list[int] = []

    def strike() -> None:
        if not struck:
            struck.append(number)
            os.kill(os.getpid(), number)

    with dg.DagsterInstance.ephemeral() as instance:
        once(event, strike, monkeypatch)
        with pytest.raises(KeyboardInterrupt):
            run(dg.Definitions(assets=[quick]), instance, ["quick"], command="test")
    assert struck == [number]


def test_an_interruption_within_a_step_ends_it() -> None:
    with dg.DagsterInstance.ephemeral() as instance, pytest.raises(KeyboardInterrupt):
        run(dg.Definitions(assets=[slow]), instance, ["slow"], command="test")


def test_afterwards_signals_are_heard_as_before() -> None:
    """Nothing of the watch is left."""
    with dg.DagsterInstance.ephemeral() as instance:
        run(dg.Definitions(assets=[quick]), instance, ["quick"], command="test")
    assert signal.set_wakeup_fd(-1) == -1
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
