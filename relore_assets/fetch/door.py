"""The door between an archive and the store: nothing passes that may not be kept.

Secrets and characters Postgres cannot hold are replaced in every string, and source text is left outside.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import orjson

from relore_assets.fetch.archives import found
from relore_assets.fetch.archives.found import Found
from relore_assets.fetch.redact import redact_json

if TYPE_CHECKING:
    from relore_assets.fetch.archives.found import Payload, Raw


def clean(raw: Raw) -> Found:
    """Return the object as it may be stored."""
    redacted = redact_json(_bytes(_without_source(raw)))
    return Found(
        kind=raw.kind,
        object_id=raw.object_id,
        thread_number=raw.thread_number,
        payload=redacted.payload,
        updated_at=raw.updated_at,
        members=raw.members,
        redactions=sum(redacted.redactions.values()),
        replacements=redacted.replacements,
    )


def _without_source(raw: Raw) -> Payload:
    """Leave out the diffs that lists of files carry: they are source text."""
    if raw.kind != found.PULL_FILES:
        return raw.payload
    items = cast("list[Any]", raw.payload["items"])
    return {
        **raw.payload,
        "items": [{key: value for key, value in item.items() if key != "patch"} for item in items],
    }


def _bytes(payload: Payload) -> bytes:
    try:
        return orjson.dumps(payload)
    except TypeError:
        # Lone surrogates and integers of more than 64 bits; escaped, they arrive where they are replaced.
        return json.dumps(payload).encode("ascii")
