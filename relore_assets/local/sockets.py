"""Private folders for unix sockets: nobody else may enter, and the names are short and plain enough."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from relore_assets.local.binaries import LocalPostgresError
from relore_assets.local.state import is_plain

if TYPE_CHECKING:
    from relore_assets.local.binaries import Account

_FOLDER_BYTES = 85  # a socket's whole path may have 103 bytes on macOS, 107 on Linux
_TEMPORARY_BYTES = 50


def private_folder(wanted: Path, account: Account) -> Path:
    """Return ``wanted``, or a folder with a short name for it, as a folder that only ``account`` may enter.

    The short name is taken where the wanted one is too long for a socket, or holds what those who are told of
    the socket read as something else: libpq divides hosts at commas, and gRPC reads an address.

    Raises:
        LocalPostgresError: the folder is there and is somebody else's.
    """
    folder = wanted
    if len(os.fsencode(folder)) > _FOLDER_BYTES or not is_plain(folder):
        digest = hashlib.blake2b(os.fsencode(wanted), digest_size=8).hexdigest()
        folder = _temporary_folder(account) / f"relore-{account.uid}-{digest}"
    try:
        folder.mkdir(mode=0o700)
        account.own(folder)
    except FileExistsError:
        # In a folder that everybody may write to, somebody else may have been first.
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != account.uid or found.st_mode & 0o077:
            raise LocalPostgresError(
                f"{folder} should be a folder that only the account {account.name} can enter, and is not: "
                "remove it."
            ) from None
    return folder


def _temporary_folder(account: Account) -> Path:
    folder = Path(tempfile.gettempdir())
    short = len(os.fsencode(folder)) <= _TEMPORARY_BYTES
    if short and is_plain(folder) and account.reaches(folder):
        return folder
    return Path("/tmp")  # noqa: S108 - the folder made there is checked to be ours
