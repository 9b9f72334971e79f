"""GraphQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fake_github.answer import Answer

if TYPE_CHECKING:
    from fake_github.access import Token
    from fake_github.limits import Limits, Quotas
    from fake_github.world import World


class Session:
    """One request."""

    def __init__(self, world: World, limits: Limits, quotas: Quotas, token: Token) -> None:
        self.world, self.limits, self.quotas, self.token = world, limits, quotas, token
        self.cost = 0
        self.refused = False

    def answer(self, body: Any) -> Answer:
        """Answer."""
        return Answer(body={"data": None})
