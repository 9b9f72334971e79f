"""What one machine needs around the tables: an embedded Postgres, and the services that `relored up` runs."""
