"""What assets are handed. A resource connects when an asset uses it, never when definitions load."""

from collections.abc import Generator
from contextlib import contextmanager

import dagster as dg
import psycopg

from relore_assets.settings import Settings
from relore_serve.database import store_errors


class Store(dg.ConfigurableResource[None]):
    """The database that the assets fill, as its owner.

    ``url`` empty means what the environment says: RELORE_DATABASE_URL, else the embedded server.
    """

    url: str = ""

    def address(self) -> str:
        """Return the owner's connection string."""
        return self.url or Settings.from_env().database_url

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
