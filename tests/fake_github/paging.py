"""Pages of a list, and the Link header that leads from one to the next.

https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fake_github.answer import Answer, ApiError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fake_github.limits import Limits
    from fake_github.world import Fields

_TOO_FAR = (
    "In order to keep the API fast for everyone, pagination is limited for this resource. Check the rel=last link "
    "relation in the Link response header to see how far back you can traverse."
)
_BY_CURSOR = (
    "Pagination with the page parameter is not supported for large datasets, please use cursor based pagination "
    "(after/before)"
)


@dataclass(frozen=True)
class Address:
    """Where a list is and how it was asked for. Links name the repository by number, as GitHub's do."""

    url: str
    query: dict[str, str]

    def to(self, **changes: Any) -> str:
        """Return the address of another page."""
        kept = {key: value for key, value in self.query.items() if key not in {"page", "after", "before"}}
        return f"{self.url}?{urlencode(kept | {key: str(value) for key, value in changes.items()})}"


def page(
    items: Sequence[Any],
    show: Callable[[Any], Fields],
    address: Address,
    limits: Limits,
    *,
    cap: int | None = None,
    by_cursor: bool = False,
) -> Answer:
    """Return the page that was asked for.

    Args:
        items: the whole list.
        show: makes the payload of an item.
        address: where the list is.
        limits: GitHub's figures.
        cap: where the list ends, however many there are.
        by_cursor: whether a long list goes on by cursor only.

    Raises:
        ApiError: 422 for a page that GitHub does not go to.
    """
    size = min(max(_number(address.query.get("per_page"), limits.per_page_default), 1), limits.per_page_max)
    number = max(_number(address.query.get("page"), 1), 1)
    if by_cursor and len(items) > limits.numbered_items:
        return _cursor_page(items, show, address, size, number, limits)
    if cap is not None:
        if number > 1 and (number - 1) * size >= cap:
            raise ApiError(422, _TOO_FAR)
        items = items[:cap]
    last = max(1, -(-len(items) // size))
    relations: dict[str, str] = {}
    if number > 1:
        relations["prev"] = address.to(page=min(number - 1, last))
    if number < last:
        relations |= {"next": address.to(page=number + 1), "last": address.to(page=last)}
    if number > 1:
        relations["first"] = address.to(page=1)
    return Answer(
        body=[show(one) for one in items[(number - 1) * size : number * size]], headers=_link(relations)
    )


def _cursor_page(
    items: Sequence[Any],
    show: Callable[[Any], Fields],
    address: Address,
    size: int,
    number: int,
    limits: Limits,
) -> Answer:
    start = (number - 1) * size
    if after := address.query.get("after"):
        start = _position(after)
    elif start + size > limits.numbered_items:
        raise ApiError(422, _BY_CURSOR)
    stop = start + size
    relations = {"next": address.to(after=_cursor(stop), page=number + 1)} if stop < len(items) else {}
    return Answer(body=[show(one) for one in items[start:stop]], headers=_link(relations))


def _number(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isdecimal() else default


def _cursor(position: int) -> str:
    return base64.b64encode(f"cursor:{position}".encode()).decode()


def _position(cursor: str) -> int:
    try:
        return int(base64.b64decode(cursor, validate=True).decode().removeprefix("cursor:"))
    except (binascii.Error, ValueError):
        raise ApiError(422, "Invalid cursor.") from None


def _link(relations: dict[str, str]) -> dict[str, str]:
    if not relations:
        return {}
    return {"Link": ", ".join(f'<{url}>; rel="{name}"' for name, url in relations.items())}
