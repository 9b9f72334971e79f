"""Duplicate → original: the opening of a closed thread that somebody called a duplicate of an older one.

Asked in the index as it stood before that was said; the duplicate is withheld.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from relore_assets.mine.example import Asked, Example
from relore_assets.mine.source import Source, by_record
from relore_assets.mine.texts import one_line, opening

if TYPE_CHECKING:
    from collections.abc import Iterator


def mine(source: Source) -> Iterator[Example]:
    """Yield ``duplicate``."""
    for number, group in groupby(source.rows("duplicates"), key=lambda row: row["copy"]):
        claims = list(group)
        copy = claims[0]
        before = min(claim["stated_at"] for claim in claims)
        originals = [claim["original"] for claim in claims if claim["stated_at"] == before]
        if copy["title_at"] is not None and copy["title_at"] >= before:
            continue
        edited = copy["body_at"] is not None and copy["body_at"] >= before
        query = opening(copy["title"], "" if edited else copy["body"])
        if not query or copy["copy_at"] >= before:
            continue
        yield source.example(
            "duplicate",
            query,
            Asked(
                number,
                "title" if query == one_line(copy["title"]) else "body",
                str(number),
                copy["url"],
                copy["copy_at"],
            ),
            [by_record(original, f"#{number} was called a duplicate of it") for original in originals],
            withheld=[number],
            before=before,
        )
