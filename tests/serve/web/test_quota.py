"""How often a token may ask."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Thread

import pytest

from relore_serve.web.errors import RateLimited
from relore_serve.web.quota import Limits, Quota

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def test_the_minute_slides() -> None:
    quota = Quota(Limits(per_minute=2, per_day=0))
    quota.charge("a", NOON)
    quota.charge("a", NOON + 30 * SECOND)

    with pytest.raises(RateLimited) as refused:
        quota.charge("a", NOON + 45 * SECOND)

    assert refused.value.facts == {"limit": "per-minute", "of": 2, "retry_after": 15}
    assert refused.value.headers == {"Retry-After": "15"}
    quota.charge("a", NOON + 60 * SECOND)


def test_the_day_ends_at_midnight_utc() -> None:
    quota = Quota(Limits(per_minute=0, per_day=1))
    quota.charge("a", NOON)

    with pytest.raises(RateLimited) as refused:
        quota.charge("a", NOON + 11 * 3600 * SECOND)

    assert refused.value.facts == {"limit": "daily", "of": 1, "retry_after": 3600}
    quota.charge("a", NOON + 12 * 3600 * SECOND)


def test_a_refused_call_is_not_counted() -> None:
    quota = Quota(Limits(per_minute=1, per_day=5))
    quota.charge("a", NOON)
    for _ in range(3):
        with pytest.raises(RateLimited):
            quota.charge("a", NOON)

    assert quota.usage("a", NOON)["daily"] == {"used": 1, "limit": 5}


def test_one_token_does_not_use_up_what_another_has() -> None:
    quota = Quota(Limits(per_minute=1, per_day=1))
    quota.charge("a", NOON)

    quota.charge("b", NOON)

    assert quota.usage("b", NOON) == {
        "per_minute": {"used": 1, "limit": 1},
        "daily": {"used": 1, "limit": 1},
    }


def test_zero_is_without_limit() -> None:
    quota = Quota(Limits(per_minute=0, per_day=0))
    for _ in range(1000):
        quota.charge("a", NOON)

    assert quota.usage("a", NOON)["daily"] == {"used": 1000, "limit": None}


def test_threads_do_not_lose_calls() -> None:
    quota = Quota(Limits(per_minute=0, per_day=0))

    def ask() -> None:
        for _ in range(500):
            quota.charge("a", NOON)

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert quota.usage("a", NOON)["daily"]["used"] == 4000


def test_limits_are_read_from_the_environment() -> None:
    assert Limits.from_env({}) == Limits(per_minute=60, per_day=5000)
    assert Limits.from_env({"RELORE_API_RATE_PER_MINUTE": "5", "RELORE_API_RATE_PER_DAY": "0"}) == Limits(
        5, 0
    )
    with pytest.raises(ValueError, match="RELORE_API_RATE_PER_DAY"):
        Limits.from_env({"RELORE_API_RATE_PER_DAY": "many"})
