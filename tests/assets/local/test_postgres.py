"""The embedded server is private, survives what happens to processes, and is one however many start it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import stat
import time
from pathlib import Path

import psutil
import psycopg
import pytest

from relore_assets.local.binaries import Account
from relore_assets.local.postgres import READER, SUPERUSER, LocalPostgres, LocalPostgresError
from relore_assets.local.sockets import private_folder
from relore_assets.local.state import StateError


def test_starting_again_finds_the_server_that_runs(server: LocalPostgres) -> None:
    """The second start changes nothing, and stopping is asked for once."""
    first, second = server.start(), server.start()

    assert first == second
    assert first.ready
    assert server.stop()
    assert not server.stop()
    assert server.status() is None


def test_nobody_reaches_it_over_the_network(server: LocalPostgres) -> None:
    """It listens on a socket in a folder that its own account alone may enter, and lets nobody else in."""
    running = server.start()

    with psycopg.connect(server.url()) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
    assert psutil.Process(running.pid).net_connections("tcp") == []
    assert (server.data / "pg_hba.conf").read_text(encoding="utf-8") == "local all all trust\n"
    found = running.socket_folder.stat()
    assert stat.S_IMODE(found.st_mode) == 0o700
    assert found.st_uid == server.account.uid


def test_a_folder_with_a_long_path_still_gets_a_socket(place: Path) -> None:
    """The address of a socket holds some hundred bytes; the socket then lives elsewhere, as private as ever."""
    long = place / ("a" * 60) / ("b" * 60)
    long.parent.mkdir(mode=0o711)
    server = LocalPostgres(long, durable=False)
    try:
        running = server.start()
        with psycopg.connect(server.url()) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    finally:
        server.stop()

    assert not running.socket_folder.is_relative_to(place)
    assert stat.S_IMODE(running.socket_folder.stat().st_mode) == 0o700
    running.socket_folder.rmdir()


@pytest.mark.parametrize(
    "name",
    [
        "with spaces",
        "it's, a list",
        'in "quotes"',
        "back\\slash",
        "$HOME `id` $(id)",
        "50%20#é?a=b&c",
    ],
    ids=["space", "apostrophe and comma", "quotes", "backslash", "shell", "address"],
)
def test_a_folder_may_have_any_name_that_is_text(place: Path, name: str) -> None:
    """No address, list, setting or shell that it is written into reads it as something else."""
    server = LocalPostgres(place / name / "postgres", durable=False)
    server.home.parent.mkdir(mode=0o711)
    try:
        running = server.start()
        with psycopg.connect(server.url()) as connection:
            assert connection.execute("SELECT current_database()").fetchone() == ("relore",)
        assert server.start() == running
        assert server.home.parent.name == name
    finally:
        server.stop()
    running.socket_folder.rmdir()
    assert sorted(path.name for path in place.iterdir()) == [name]


@pytest.mark.parametrize("name", [b"two\nlines", b"not utf-8 \xff"], ids=["line break", "bytes"])
def test_a_folder_whose_name_is_no_line_of_text_is_refused(place: Path, name: bytes) -> None:
    """Pid files are read line by line; the sentence can be printed anywhere."""
    with pytest.raises(StateError, match="RELORE_HOME") as refusal:
        LocalPostgres(place / os.fsdecode(name))

    assert str(refusal.value).isascii()
    assert "\n" not in str(refusal.value)


def test_programs_whose_place_a_shell_misreads_are_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They call each other through one; the sentence says what to do."""
    odd = place / "$HOME"
    odd.mkdir()
    (odd / "initdb").touch()
    monkeypatch.setenv("RELORE_PG_BINDIR", str(odd))

    with pytest.raises(LocalPostgresError, match="a shell misreads: install them elsewhere"):
        LocalPostgres(place / "postgres").start()


def test_a_folder_that_cannot_be_written_to_is_one_sentence(place: Path) -> None:
    """Whatever step it is that the system refuses."""
    server = LocalPostgres(place / "postgres", durable=False)
    server.home.mkdir()
    (server.home / "lock").mkdir()

    with pytest.raises(LocalPostgresError, match=r"cannot be started: .*lock"):
        server.start()


def test_a_socket_folder_that_somebody_else_made_first_is_refused(place: Path) -> None:
    """In the system's temporary folder anybody may take a name; ours is then not used."""
    taken = place / "socket"
    taken.mkdir()
    taken.chmod(0o777)
    (place / "link").symlink_to(taken)

    for wanted in (taken, place / "link"):
        with pytest.raises(LocalPostgresError, match="remove it"):
            private_folder(wanted, Account.ours())


def test_rows_that_were_committed_survive_a_killed_server(server: LocalPostgres) -> None:
    """The next start recovers; the dead one's pid file is no obstacle."""
    running = server.start()
    with psycopg.connect(server.url()) as connection:
        connection.execute("CREATE TABLE kept AS SELECT * FROM generate_series(1, 1000)")
    os.kill(running.pid, signal.SIGKILL)
    while server.status() is not None:  # a signal takes a moment to arrive
        time.sleep(0.01)

    server.start()

    with psycopg.connect(server.url()) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (1000,)


def test_a_stranger_with_the_number_of_a_dead_server_is_not_mistaken_for_it(server: LocalPostgres) -> None:
    """Numbers are given out again: here the pid file of a killed server names the process of this test."""
    server.start()
    pid_file = server.data / "postmaster.pid"
    lines = pid_file.read_text(encoding="utf-8").splitlines(keepends=True)
    server.stop()
    pid_file.write_text("".join([f"{os.getpid()}\n", *lines[1:]]), encoding="utf-8")

    assert server.status() is None
    assert not server.stop()
    assert server.start().pid != os.getpid()


def _start_together(
    home: Path, barrier: multiprocessing.synchronize.Barrier, pids: multiprocessing.Queue
) -> None:
    barrier.wait()
    pids.put(LocalPostgres(home).start().pid)


def test_processes_that_start_it_at_once_get_one_server(server: LocalPostgres, place: Path) -> None:
    """They take turns, from the very first creation on."""
    context = multiprocessing.get_context("spawn")
    barrier, pids = context.Barrier(3), context.Queue()
    starters = [
        context.Process(target=_start_together, args=(place / "postgres", barrier, pids)) for _ in range(3)
    ]
    for starter in starters:
        starter.start()
    started = {pids.get() for _ in starters}
    for starter in starters:
        starter.join()

    running = server.status()
    assert running is not None
    assert started == {running.pid}


def test_a_first_start_that_was_interrupted_is_done_again(server: LocalPostgres) -> None:
    """Half a cluster never gets the name of a whole one."""
    server.home.mkdir(mode=0o711)
    server.account.own(server.home)
    half = server.home / "data.unfinished"
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n", encoding="utf-8")

    assert server.start().ready
    assert not half.exists()


def test_data_of_another_version_is_left_alone(server: LocalPostgres) -> None:
    """Postgres cannot read it; the sentence names both versions and two ways out."""
    server.start()
    server.stop()
    (server.data / "PG_VERSION").write_text("12\n", encoding="utf-8")

    with pytest.raises(LocalPostgresError, match=r"written by Postgres 12 .* RELORE_PG_BINDIR"):
        server.start()


def test_a_start_that_fails_says_what_postgres_said(place: Path) -> None:
    """The end of its log is part of the message."""
    server = LocalPostgres(place / "postgres", durable=False, settings={"shared_buffers": "a lot"})

    with pytest.raises(LocalPostgresError, match='invalid value for parameter "shared_buffers"'):
        server.start()


def test_programs_that_are_not_there_are_named(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """RELORE_PG_BINDIR chooses an installed Postgres."""
    monkeypatch.setenv("RELORE_PG_BINDIR", str(place))

    with pytest.raises(LocalPostgresError, match=f"names {place}, which holds no Postgres programs"):
        LocalPostgres(place / "postgres").start()


def test_the_reader_is_read_only_before_any_migration(server: LocalPostgres) -> None:
    """Its defaults are the role's, so that every client of it has them."""
    server.start()

    with psycopg.connect(server.url(user=READER), autocommit=True) as connection:
        assert connection.execute("SHOW transaction_read_only").fetchone() == ("on",)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("BEGIN READ WRITE; CREATE TEMPORARY TABLE t (x integer)")


def test_sessions_counts_those_of_others(server: LocalPostgres) -> None:
    """Whoever wants to stop the server can see whether somebody is using it."""
    assert server.sessions() == 0
    server.start()
    with psycopg.connect(server.url("postgres", user=SUPERUSER)):
        assert server.sessions() == 1


def test_an_account_reaches_what_every_folder_on_the_way_lets_it_into(place: Path) -> None:
    """Root's private home, with an environment inside, is what a server's account typically cannot enter."""
    inside = place / "private" / "open"
    inside.mkdir(parents=True)
    stranger = Account(name="stranger", uid=place.stat().st_uid + 4242, gid=-1, switch=True)

    assert stranger.reaches(inside)
    (place / "private").chmod(0o700)
    assert not stranger.reaches(inside)
    assert Account.ours().reaches(inside)


def test_programs_that_the_account_cannot_reach_are_copied_to_where_it_can(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy is whole: a server runs from it."""
    reaches = Account.reaches
    monkeypatch.setattr(Account, "reaches", lambda self, path: path.name != "bin" and reaches(self, path))
    server = LocalPostgres(place / "postgres", durable=False)
    try:
        server.start()
        assert server.programs.folder.is_relative_to(place)
        with psycopg.connect(server.url()) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    finally:
        server.stop()
