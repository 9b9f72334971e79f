"""Whether vectors can be made on this machine and kept in its database, said before a run is started."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg

from relore_assets.embeddings.embed import require_encoder
from relore_assets.embeddings.keeping import administrator, ready
from relore_serve.database import require_schema, store_errors

if TYPE_CHECKING:
    from relore_assets.settings import Settings


def possible(settings: Settings) -> None:
    """Return if vectors can be made and kept; their tables are there then.

    Raises:
        VectorsUnavailable: they cannot, in one sentence.
    """
    require_encoder()
    settings.ensure_database()
    with store_errors(), psycopg.connect(settings.database_url, autocommit=True) as conn:
        require_schema(conn)
        ready(conn, administer=administrator(settings.database_url))
