"""A client of a scripted server, with a clock of the test's."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from scripted_server import Asked, Clock, Say, ScriptedServer
from talking import Start, Talk

from relore_assets.fetch.github.activity import NullActivity
from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.github.tokens import PersonalToken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from relore_assets.fetch.github.client import Timeouts
    from relore_assets.fetch.github.tokens import TokenSource


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def talk(clock: Clock) -> Iterator[Start]:
    """Return a function that starts a server with a script and gives a client of it."""
    with ExitStack() as stack:

        def start(
            script: Callable[[Asked], Say],
            *,
            tokens: TokenSource | Callable[[str], TokenSource] | None = None,
            timeouts: Timeouts | None = None,
            activity: NullActivity | None = None,
            patience: float = 7_500,
        ) -> Talk:
            server = stack.enter_context(ScriptedServer(script))
            source = tokens(server.url) if callable(tokens) else tokens
            github = GitHub(
                server.url,
                source or PersonalToken("secret-token"),
                activity,
                sleep=clock.sleep,
                now=clock.now,
                timeouts=timeouts,
                patience=patience,
            )
            stack.callback(github.close)
            return Talk(github, server, clock)

        yield start
