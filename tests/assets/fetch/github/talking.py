"""A client and the server that it talks to, as the fixture ``talk`` makes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scripted_server import Asked, Clock, ScriptedServer

from relore_assets.fetch.github.client import GitHub, Timeouts

#: For servers that never answer.
SHORT = Timeouts(connect=5, read=0.05, total=5)


@dataclass
class Talk:
    """A client, its server, and their clock."""

    github: GitHub
    server: ScriptedServer
    clock: Clock

    @property
    def asked(self) -> list[Asked]:
        """What the server was asked, in order."""
        return self.server.asked


#: Takes a script, and optionally tokens, timeouts, an activity and a patience.
Start = Callable[..., Talk]
