"""The API for a WSGI server of one's own: ``gunicorn 'relore_serve.web.wsgi:app()'``.

Everything is read from the environment: RELORE_READER_URL or else RELORE_DATABASE_URL, the tokens, the quota
and what the server is pinned to. `relored serve` does the same with Waitress, and can start the embedded
Postgres. Without tokens only requests from this machine are answered, whatever address the WSGI server listens
on; RELORE_TRUST_NETWORK=1 says otherwise.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from relore_serve.database import connect_reader, open_reader, require_schema
from relore_serve.search.scope import repositories
from relore_serve.semantic.tier import Tier
from relore_serve.web.app import create_app
from relore_serve.web.labels import Labels
from relore_serve.web.pin import Pin
from relore_serve.web.quota import Limits
from relore_serve.web.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask

ADDRESSES = ("RELORE_READER_URL", "RELORE_DATABASE_URL")
TRUST_VARIABLE = "RELORE_TRUST_NETWORK"
THREADS_VARIABLE = "RELORE_THREADS"
AS_OF_VARIABLE = "RELORE_AS_OF"
EXCLUDE_VARIABLE = "RELORE_EXCLUDE_THREADS"


class NotConfigured(Exception):
    """The environment does not say what to serve."""


def app(environ: Mapping[str, str] | None = None) -> Flask:
    """Return the application that the environment describes.

    Raises:
        NotConfigured: no database is named.
        StoreError: the database cannot be reached, or holds a schema of another version.
        TokenError: the tokens cannot be read.
        LabelsError: there can be no file where labels are to go.
        PinError: what it is to be pinned to cannot be read, or fits nothing.
    """
    environ = os.environ if environ is None else environ
    url = next((environ[name] for name in ADDRESSES if environ.get(name)), None)
    if url is None:
        raise NotConfigured(f"Set {ADDRESSES[0]} to the reader's address of the database.")
    pin = Pin.parse(environ.get(AS_OF_VARIABLE) or None, environ.get(EXCLUDE_VARIABLE, "").split())
    with connect_reader(url) as connection:
        require_schema(connection)
        pin = pin.resolved(repositories(connection))
    return create_app(
        reader=open_reader(url, size=int(environ.get(THREADS_VARIABLE) or 8)),
        tokens=Tokens.from_env(environ),
        limits=Limits.from_env(environ),
        trust_network=environ.get(TRUST_VARIABLE, "") == "1",
        pin=pin,
        labels=Labels.from_env(environ),
        semantic=Tier.from_env(environ),
    )
