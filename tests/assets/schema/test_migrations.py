"""The steps, run from first to last, end at the schema file; and the role that readers use cannot write."""

from __future__ import annotations

import multiprocessing
from importlib.resources import files
from typing import TYPE_CHECKING, LiteralString, cast

import psycopg
import pytest
from alembic.script import ScriptDirectory

from relore_assets.local.postgres import SUPERUSER, LocalPostgres
from relore_assets.schema import HEAD, MigrationError, Upgrade, current, upgrade
from relore_assets.schema.migrations import configuration
from relore_serve.database import SchemaMismatch, StoreError
from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Iterator

CATALOGUE = {
    "tables": """
        SELECT c.relname, c.relkind, c.relpersistence, pg_catalog.obj_description(c.oid)
        FROM pg_class c WHERE c.relnamespace = 'relore'::regnamespace
          AND c.relkind IN ('r', 'v', 'm', 'p', 'S')""",
    "columns": """
        SELECT c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
               a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid), co.collname,
               a.attstorage, a.attcompression
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        LEFT JOIN pg_collation co ON co.oid = a.attcollation
        WHERE c.relnamespace = 'relore'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p')""",
    "constraints": """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'relore'::regnamespace""",
    "indexes": "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'relore'",
    "functions": """
        SELECT p.proname, pg_get_functiondef(p.oid) FROM pg_proc p
        WHERE p.pronamespace = 'relore'::regnamespace AND p.prokind IN ('f', 'p')""",
    "triggers": """
        SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) FROM pg_trigger
        WHERE NOT tgisinternal""",
    "grants": """
        SELECT c.relname, x.grantee::regrole::text, x.privilege_type, x.is_grantable
        FROM pg_class c, LATERAL aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) x
        WHERE c.relnamespace = 'relore'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p')""",
    "schema grants": """
        SELECT x.grantee::regrole::text, x.privilege_type
        FROM pg_namespace n, LATERAL aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) x
        WHERE n.nspname = 'relore'""",
    "default grants": """
        SELECT d.defaclobjtype, x.grantee::regrole::text, x.privilege_type
        FROM pg_default_acl d, LATERAL aclexplode(d.defaclacl) x
        WHERE d.defaclnamespace = 'relore'::regnamespace""",
    "extensions": "SELECT extname FROM pg_extension",
}


def catalogue(url: str) -> dict[str, list[str]]:
    """Return everything that Postgres knows about the schema, but for the migrations' own table."""
    with psycopg.connect(url) as connection:
        rows = {name: connection.execute(cast("LiteralString", query)) for name, query in CATALOGUE.items()}
        return {
            name: sorted(str(row) for row in found if "schema_version" not in str(row))
            for name, found in rows.items()
        }


def test_all_migrations_together_equal_the_schema_file(database_url: str, empty_database_url: str) -> None:
    """A table, column, default, constraint, index or grant is in both or in neither."""
    text = files("relore_assets.schema").joinpath("schema.sql").read_text(encoding="utf-8")
    with psycopg.connect(empty_database_url) as connection:
        connection.execute(cast("LiteralString", text))

    migrated, written = catalogue(database_url), catalogue(empty_database_url)

    assert migrated == written
    assert len(written["tables"]) >= 17


def test_the_last_step_is_the_version_that_readers_are_written_for() -> None:
    """Adding a step means telling the readers of it."""
    assert ScriptDirectory.from_config(configuration()).get_heads() == [HEAD]


def test_an_upgrade_says_what_it_did(empty_database_url: str) -> None:
    """The first applies the steps, the second finds nothing to do."""
    first, second = upgrade(empty_database_url), upgrade(empty_database_url)

    assert first == Upgrade(before=None, after=HEAD)
    assert first.changed
    assert second == Upgrade(before=HEAD, after=HEAD)
    assert not second.changed


def _upgrade_together(
    url: str, start: multiprocessing.synchronize.Barrier, results: multiprocessing.Queue
) -> None:
    start.wait()
    try:
        results.put(upgrade(url).changed)
    except Exception as error:  # noqa: BLE001 - whatever it is, the test wants to see it
        results.put(repr(error))


def test_processes_that_upgrade_at_once_take_turns(empty_database_url: str) -> None:
    """One of them applies the steps, the others find them applied."""
    context = multiprocessing.get_context("spawn")
    start, results = context.Barrier(3), context.Queue()
    processes = [
        context.Process(target=_upgrade_together, args=(empty_database_url, start, results)) for _ in range(3)
    ]
    for process in processes:
        process.start()
    changed = [results.get() for _ in processes]
    for process in processes:
        process.join()

    with psycopg.connect(empty_database_url) as connection:
        assert current(connection) == HEAD
    assert [outcome for outcome in changed if outcome is not False] == [True]


def test_a_step_that_fails_leaves_nothing_behind(empty_database_url: str) -> None:
    """All steps are one transaction: a table that stands in the way stops them all."""
    with psycopg.connect(empty_database_url) as connection:
        connection.execute("CREATE SCHEMA relore")
        connection.execute("CREATE TABLE relore.term_stats (mine integer)")

    with pytest.raises(
        MigrationError, match=f'from nothing to version {HEAD}, and is as it was: .*"term_stats"'
    ):
        upgrade(empty_database_url)

    with psycopg.connect(empty_database_url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'relore'").fetchall()
        assert tables == [("term_stats",)]
        assert current(connection) is None


def test_a_newer_schema_is_left_alone(database_url: str) -> None:
    """A program that is older than its database touches nothing and says so."""
    with psycopg.connect(database_url) as connection:
        connection.execute("UPDATE relore.schema_version SET version_num = '9999'")

    with pytest.raises(SchemaMismatch, match=f"version 9999, newer than this program's {HEAD}"):
        upgrade(database_url)


@pytest.mark.parametrize("version", ["abc", "0000", "", "4", "000४"])
def test_a_version_that_is_none_of_ours_is_left_alone(database_url: str, version: str) -> None:
    """Nothing leads from there to here; the sentence shows what was found."""
    with psycopg.connect(database_url) as connection:
        connection.execute("UPDATE relore.schema_version SET version_num = %s", [version])

    with pytest.raises(SchemaMismatch, match=f"version '{version}', which is none of relore's"):
        upgrade(database_url)


def test_tables_without_a_version_are_left_alone(database_url: str) -> None:
    """What a restored half of a backup looks like: the first step finds them in its way."""
    with psycopg.connect(database_url) as connection:
        connection.execute("DELETE FROM relore.schema_version")

    with pytest.raises(MigrationError, match=r"from nothing to version .* already exists"):
        upgrade(database_url)


def test_a_schema_that_is_somebody_elses_is_left_alone(
    postgres: LocalPostgres, empty_database_url: str
) -> None:
    """Also where it is a statement of Alembic's own that is refused."""
    with psycopg.connect(empty_database_url) as connection:
        name = connection.info.dbname
    with psycopg.connect(postgres.url(name, user=SUPERUSER)) as connection:
        connection.execute("CREATE SCHEMA relore")

    with pytest.raises(MigrationError, match="permission denied for schema relore"):
        upgrade(empty_database_url)


def test_a_database_that_cannot_hold_every_text_is_refused(ascii_url: str) -> None:
    """Before anything is made in it; the sentence tells how to make another."""
    with pytest.raises(
        StoreError, match=r"holds text as SQL_ASCII and relore needs UTF8: .* TEMPLATE template0"
    ):
        upgrade(ascii_url)

    with psycopg.connect(ascii_url) as connection:
        assert connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'relore'").fetchone() is None


@pytest.fixture
def bare_server(postgres: LocalPostgres) -> Iterator[psycopg.Connection]:
    """The administrator's connection to the server, with the reader's role out of the way for one test."""
    with psycopg.connect(postgres.url("postgres", user=SUPERUSER), autocommit=True) as connection:
        connection.execute("ALTER ROLE relore_reader RENAME TO reader_put_aside")
        connection.execute("CREATE ROLE a_dba LOGIN CREATEROLE")
        connection.execute("CREATE ROLE a_user LOGIN")
        try:
            yield connection
        finally:
            for name in ("of_a_dba", "of_a_user"):
                postgres.drop_database(name)
            connection.execute("DROP ROLE IF EXISTS relore_reader")
            connection.execute("DROP ROLE a_dba")
            connection.execute("DROP ROLE a_user")
            connection.execute("ALTER ROLE reader_put_aside RENAME TO relore_reader")


def test_the_reader_is_created_where_that_is_allowed(
    bare_server: psycopg.Connection, postgres: LocalPostgres
) -> None:
    """On a server that is not ours an owner who may create roles gets the reader, and may become it."""
    bare_server.execute("CREATE DATABASE of_a_dba OWNER a_dba")
    url = postgres.url("of_a_dba", user="a_dba")

    upgrade(url)

    with psycopg.connect(url) as connection:
        connection.execute("SET ROLE relore_reader")
        assert connection.execute("SELECT count(*) FROM relore.threads").fetchone() == (0,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("DELETE FROM relore.threads")


def test_where_it_is_not_allowed_the_administrator_is_told_what_to_run(
    bare_server: psycopg.Connection, postgres: LocalPostgres
) -> None:
    """The sentence holds the statements; once they have been run, the upgrade passes."""
    bare_server.execute("CREATE DATABASE of_a_user OWNER a_user")
    url = postgres.url("of_a_user", user="a_user")

    with pytest.raises(MigrationError) as refusal:
        upgrade(url)
    statements = str(refusal.value).partition("to run: ")[2]
    bare_server.execute(cast("LiteralString", statements))

    assert statements.startswith("CREATE ROLE relore_reader NOLOGIN; GRANT relore_reader TO")
    assert upgrade(url).after == HEAD


WRITES = {
    "insert": "INSERT INTO relore.rule_versions (repo_id, rule, version) VALUES (1, 'derive', 1)",
    "update": "UPDATE relore.threads SET title = ''",
    "delete": "DELETE FROM relore.threads",
    "truncate": "TRUNCATE relore.threads CASCADE",
    "copy": "COPY relore.repos FROM PROGRAM 'echo'",
    "create table": "CREATE TABLE relore.mine (x integer)",
    "create in public": "CREATE TABLE public.mine (x integer)",
    "create temporary": "CREATE TEMPORARY TABLE mine (x integer)",
    "create schema": "CREATE SCHEMA mine",
    "create function": "CREATE FUNCTION relore.f() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "sequence": "SELECT nextval('relore.repos_id_seq')",
    "become owner": "SET ROLE relore_owner",
    "become administrator": "SET ROLE postgres",
    "session authorization": "SET SESSION AUTHORIZATION postgres",
    "grant": "GRANT relore_owner TO relore_reader",
    "read files": "SELECT pg_read_file('postgresql.conf')",
    "large object": "SELECT lo_create(0)",
}


@pytest.mark.parametrize("statement", WRITES.values(), ids=WRITES.keys())
def test_a_reader_that_lifts_its_own_read_only_mode_still_cannot_write(
    reader_url: str, statement: str
) -> None:
    """The mode is a courtesy; the role's rights are the fence."""
    with psycopg.connect(reader_url, autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(cast("LiteralString", statement))


def test_a_readers_session_is_read_only_from_the_start(reader_url: str) -> None:
    """Nobody has to ask for it: it is the role's own setting, and so is the time limit."""
    with psycopg.connect(reader_url, autocommit=True) as connection:
        assert connection.execute("SHOW transaction_read_only").fetchone() == ("on",)
        assert connection.execute("SHOW statement_timeout").fetchone() == ("30s",)
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            connection.execute(cast("LiteralString", WRITES["create table"]))


def test_a_reader_reads_every_table_including_those_of_later_steps(
    database_url: str, reader_url: str
) -> None:
    """Rights are given to all tables of the schema, present and future."""
    with psycopg.connect(database_url) as connection:
        connection.execute("CREATE TABLE relore.of_a_later_step (x integer)")
    with psycopg.connect(reader_url, autocommit=True) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'relore'").fetchall()
        for (table,) in tables:
            connection.execute(
                psycopg.sql.SQL("SELECT * FROM relore.{} LIMIT 1").format(psycopg.sql.Identifier(table))
            )

    assert len(tables) >= 19


def test_the_reader_does_not_reach_the_orchestrators_database(postgres: LocalPostgres) -> None:
    """Serving has no business there."""
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(postgres.url("dagster", user="relore_reader"))


def test_every_statement_around_the_migrations_is_used() -> None:
    """A statement that nobody calls is a statement that nobody tests."""
    source = files("relore_assets.schema").joinpath("migrations.py").read_text(encoding="utf-8")

    assert [
        name for name in load("relore_assets.schema", "statements.sql") if f'"{name}"' not in source
    ] == []
