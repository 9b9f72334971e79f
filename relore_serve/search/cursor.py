"""Where a page ended, as an opaque text that only fits the question it was given for."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, cast

from relore_serve.search.question import QuestionError

if TYPE_CHECKING:
    from relore_serve.search.question import Question

_VERSION = 3
_LAST_TIER = 4
_TIE = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Position:
    """The last hit shown: its place in the order, and what decides between equals.

    ``alike`` is whether likeness took part in that order, which no question says.
    """

    tier: int
    key: float
    moment: float
    tie: str
    alike: bool = False


def encode(position: Position, question: Question) -> str:
    """Return the cursor that continues ``question`` after ``position``."""
    content = json.dumps(
        [
            *(_VERSION, _digest(question), position.tier, position.key, position.moment, position.tie),
            int(position.alike),
        ],
        separators=(",", ":"),
    )
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


def decode(cursor: str, question: Question) -> Position:
    """Return where ``question`` goes on.

    Raises:
        QuestionError: it is no cursor, or the cursor of another question.
    """
    try:
        version, digest, position = _read(cursor)
    except (binascii.Error, ValueError, TypeError, RecursionError) as error:
        raise QuestionError("bad_cursor", "This is not a cursor that a page of hits gave out.") from error
    if version != _VERSION or digest != _digest(question):
        raise QuestionError(
            "bad_cursor",
            "The cursor belongs to another question: repeat everything but the cursor unchanged.",
        )
    return position


def fits(position: Position, *, alike: bool) -> None:
    """Hold a page to the order of the one before it.

    Raises:
        QuestionError: likeness took part in the one and does not in the other, so rows would be lost and repeated.
    """
    if position.alike != alike:
        order, here = ("with", "takes no part") if position.alike else ("without", "takes part")
        raise QuestionError(
            "bad_cursor",
            f"The cursor is of a page put in order {order} likeness, which {here} here: begin again without it.",
        )


def _read(cursor: str) -> tuple[object, object, Position]:
    content = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    version, digest, tier, key, moment, tie, alike = cast("list[float]", content)
    if not 0 <= tier <= _LAST_TIER or not _TIE.fullmatch(cast("str", tie)):
        # No page gave this out.
        raise ValueError(tier)
    return version, digest, Position(int(tier), float(key), float(moment), cast("str", tie), bool(alike))


def _digest(question: Question) -> str:
    """Digest what decides the order of hits; the size of a page and what it tells of a hit do not."""
    deciding = replace(question, cursor=None, limit=0, compact=False, explain=False)
    return blake2b(repr(deciding).encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()
