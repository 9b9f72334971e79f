"""Whose requests they are: tokens, what is left of their quotas, and which of several is used next.

A `Lane` is one token's place in the traffic. The token itself never appears in a representation, a message or a
log; a lane is named by its place in the configuration. Installation tokens of a GitHub App are in `app_tokens`.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from relore_assets.fetch.github.errors import BadToken
from relore_assets.fetch.github.protocol import Quota

if TYPE_CHECKING:
    from collections.abc import Sequence


_MARGIN = 1.0  # seconds after a reset, for what clocks and roundings differ by
_SAME_WINDOW = 5.0
_UNKNOWN_RESET = 60.0  # GitHub says that a quota is used up, and not until when


@dataclass(frozen=True)
class Turn:
    """When a lane may be used: after ``seconds`` from now, for the reason given when that is not 0."""

    seconds: float = 0.0
    reason: str = ""


class Lane:
    """One token's place: what GitHub last said of its quotas, and until when it rests. Safe to share by threads."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        self._quotas: dict[str, Quota] = {}
        self._rests_until = 0.0
        self._secondary_in_a_row = 0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def bearer(self) -> str:
        """Return the token for one request; empty for none.

        Raises:
            GitHubError: there is none to be had.
        """
        return ""

    @property
    def secret(self) -> str:
        """The token as it is now, not to be shown; empty for none. Asks nobody."""
        return ""

    def renew(self, stale: str) -> bool:  # noqa: ARG002 - for lanes that can
        """Replace the token that GitHub did not accept, unless another thread already has; False if we cannot."""
        return False

    def note(self, quota: Quota) -> Quota:
        """Remember GitHub's word on a quota; return what is believed now.

        Answers overtake each other, so within one window the lowest word is the newest.
        """
        with self._lock:
            known = self._quotas.get(quota.resource)
            if (
                known is None
                or abs(known.resets_at - quota.resets_at) > _SAME_WINDOW
                or quota.remaining < known.remaining
            ):
                self._quotas[quota.resource] = quota
            return self._quotas[quota.resource]

    def spent(self, resource: str, now: float, seconds: float | None) -> None:
        """Remember that a quota is used up, for so many seconds or as long as GitHub last said it would be."""
        with self._lock:
            known = self._quotas.get(resource)
            if seconds is not None:
                resets_at = now + seconds
            elif known is not None and known.resets_at > now:
                resets_at = known.resets_at
            else:
                resets_at = now + _UNKNOWN_RESET
            self._quotas[resource] = Quota(resource, known.limit if known else 0, 0, resets_at)

    def rest(self, until: float) -> None:
        """Stay away altogether: a secondary limit is the token's, whatever was asked for."""
        with self._lock:
            self._rests_until = max(self._rests_until, until)

    def secondary(self) -> int:
        """Count one more secondary limit in a row and return the count."""
        with self._lock:
            self._secondary_in_a_row += 1
            return self._secondary_in_a_row

    def served(self) -> None:
        """Note that a request was answered, which ends a row of secondary limits."""
        with self._lock:
            self._secondary_in_a_row = 0

    def waited(self, resource: str) -> None:
        """Note that what `turn` asked for has been waited out."""
        with self._lock:
            self._rests_until = 0.0
            quota = self._quotas.get(resource)
            if quota is not None and quota.remaining == 0:
                del self._quotas[resource]

    def turn(self, resource: str, now: float) -> Turn:
        """Return when this lane may next be used for ``resource``."""
        with self._lock:
            if self._rests_until > now:
                return Turn(self._rests_until - now, "secondary limit")
            quota = self._quotas.get(resource)
            if quota is None or quota.remaining > 0 or quota.resets_at <= now:
                return Turn()
            limit = f" of {quota.limit:,}" if quota.limit else ""
            return Turn(quota.resets_at - now + _MARGIN, f"{resource} quota{limit}")

    def left(self, resource: str, now: float) -> float:
        """Return what is left of a quota as far as we know; without bounds when it was not asked yet."""
        with self._lock:
            quota = self._quotas.get(resource)
        return float("inf") if quota is None or quota.resets_at <= now else quota.remaining


class TokenSource(Protocol):
    """Where tokens come from."""

    @property
    def lanes(self) -> Sequence[Lane]:
        """One lane per token, at least one; always the same objects."""
        ...


def choose(lanes: Sequence[Lane], resource: str, now: float) -> tuple[Lane, Turn]:
    """Return the lane to use next and when: of those that may go at once the one with most left, else the first to.

    Ties go to the first, so that a single request does not wander.
    """
    ready = [lane for lane in lanes if not lane.turn(resource, now).seconds]
    if ready:
        return max(ready, key=lambda lane: lane.left(resource, now)), Turn()
    return min(
        ((lane, lane.turn(resource, now)) for lane in lanes), key=lambda candidate: candidate[1].seconds
    )


class PersonalToken:
    """Tokens of accounts: one, or several that are used in turn by what is left of their quotas.

    Args:
        tokens: as GitHub shows them, ``ghp_…`` or ``github_pat_…``.
        named: how to name them in messages; several are numbered.

    Raises:
        BadToken: there is none, or one cannot be a token.
    """

    def __init__(self, *tokens: str, named: str = "GITHUB_TOKEN") -> None:
        if not tokens:
            raise BadToken("No GitHub token: set GITHUB_TOKEN, or GITHUB_TOKEN_FILE to a file that holds it.")
        names = (
            [named]
            if len(tokens) == 1
            else [f"{named} number {place}" for place in range(1, len(tokens) + 1)]
        )
        self._lanes = tuple(_PersonalLane(name, token) for name, token in zip(names, tokens, strict=True))

    def __repr__(self) -> str:
        return f"<PersonalToken {', '.join(lane.name for lane in self._lanes)}>"

    @classmethod
    def parse(cls, text: str, named: str) -> PersonalToken:
        """Read tokens divided by commas or white space.

        Raises:
            BadToken: there is none, or one cannot be a token.
        """
        return cls(*[token for token in re.split(r"[\s,]+", text) if token], named=named)

    @property
    def lanes(self) -> Sequence[Lane]:
        """One lane per token."""
        return self._lanes


class _PersonalLane(Lane):
    def __init__(self, name: str, token: str) -> None:
        super().__init__(name)
        # It goes into a header, where a line break would begin another one.
        if not re.fullmatch(r"[\x21-\x7e]+", token):
            raise BadToken(f"{name} holds characters that no GitHub token has.")
        self._token = token

    @property
    def secret(self) -> str:
        return self._token

    def bearer(self) -> str:
        return self._token
