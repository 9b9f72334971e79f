"""How old something is, in two or three characters, and the date beside it that leaves nothing to guess."""

from __future__ import annotations

from datetime import UTC, datetime

_HOUR = 3600
_DAY = 24 * _HOUR
_MONTH = 30.4375 * _DAY
_YEAR = 365.25 * _DAY


def age(then: datetime | None, now: datetime) -> str:
    """Return ``?`` for an unknown date, ``0h`` for one to come, else hours, days, months or years."""
    if then is None:
        return "?"
    seconds = (now - then).total_seconds()
    if seconds < 0:
        return "0h"
    if seconds < _HOUR:
        return "<1h"
    return _whole(seconds)


def _whole(seconds: float) -> str:
    if seconds < 48 * _HOUR:
        return f"{int(seconds // _HOUR)}h"
    if seconds < 60 * _DAY:
        return f"{int(seconds // _DAY)}d"
    if seconds < 2 * _YEAR:
        return f"{max(2, int(seconds // _MONTH))}mo"
    return f"{int(seconds // _YEAR)}y"


def utc(then: datetime | None) -> str | None:
    """Return the instant in UTC to the whole second, with a ``Z``."""
    if then is None:
        return None
    return then.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"
