"""The tier as a program has it: on or off, why, and which threads a question is like."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from relore_serve.semantic import encoder, vectors
from relore_serve.semantic.encoder import EncoderUnavailable
from relore_serve.semantic.text import of_question

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from psycopg import Connection

    from relore_serve.search.alike import Alike
    from relore_serve.search.scope import Scope
    from relore_serve.semantic.encoder import Encoder

SWITCH = "RELORE_SEMANTIC"
BELIEVED = 60.0
"""Seconds for which it is believed that there are no vectors."""

_SWITCHED_OFF = f"{SWITCH}=off"
_NOT_INSTALLED = "the extra relore[semantic] is not installed"
_LOG = logging.getLogger(__name__)


class Semantic:
    """Which threads are like a text, by their vectors; it is `relore_serve.search.alike.Likeness`.

    Vectors may come, and go, while a server runs. That there are none is believed for a minute, so that where nobody
    makes any no question pays for asking.

    Args:
        encoder: makes the vector of a text.
        clock: seconds that only ever grow.
    """

    def __init__(self, encoder: Encoder, clock: Callable[[], float] = monotonic) -> None:
        self.encoder = encoder
        self._clock = clock
        self._ask_again_at = 0.0

    def threads(self, conn: Connection, text: str, scope: Scope, most: int) -> Sequence[Alike]:
        """Return the threads that are like ``text``; none without vectors of this model."""
        if self._clock() < self._ask_again_at:
            return ()
        home = vectors.home(conn)
        if home is None:
            self._ask_again_at = self._clock() + BELIEVED
            return ()
        try:
            vector = self.encoder.vector(of_question(text))
        except EncoderUnavailable as error:
            _LOG.warning("The semantic tier is off: %s", error)
            return ()
        return vectors.nearest(conn, home, vector, model=self.encoder.name, scope=scope, most=most)


@dataclass(frozen=True, slots=True)
class Tier:
    """What of the tier this program may use: ``likeness``, or why there is none."""

    likeness: Semantic | None = None
    why_off: str = field(default=_NOT_INSTALLED)

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Tier:
        """Return the tier that is installed, unless RELORE_SEMANTIC is ``off``."""
        if environ.get(SWITCH, "").strip().lower() == "off":
            return cls(why_off=_SWITCHED_OFF)
        installed = encoder.installed()
        return cls() if installed is None else cls(Semantic(installed), why_off="")
