"""What assets are handed. A resource connects when an asset uses it, never when definitions load."""

from collections.abc import Generator
from contextlib import contextmanager

import dagster as dg
import psycopg

from relore_assets.settings import Settings
from relore_serve.database import store_errors


class Store(dg.ConfigurableResource[None]):
    """The database that the assets fill, as its owner.

    ``url`` empty means what the environment says: RELORE_DATABASE_URL, else the embedded server. ``reader_url``
    likewise, of who may read and nothing else: RELORE_READER_URL, else the same server.
    """

    url: str = ""
    reader_url: str = ""

    def address(self) -> str:
        """Return the owner's connection string."""
        return self.url or Settings.from_env().database_url

    def reader_address(self) -> str:
        """Return a reader's connection string."""
        return self.reader_url or Settings.from_env().reader_url

    @contextmanager
    def connect(self) -> Generator[psycopg.Connection]:
        """Yield a connection in autocommit mode.

        Raises:
            StoreUnavailable: the server cannot be reached.
        """
        with store_errors():
            conn = psycopg.connect(self.address(), autocommit=True)
        with conn:
            yield conn
