"""Which layout an archive has: recognised by what its folders and first files hold, not by its name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Protocol, cast

from relore_assets.errors import ReloreError
from relore_assets.fetch.archives import github_backup, rest_jsonl, thread_files
from relore_assets.fetch.archives.documents import Broken, Document, read, size
from relore_assets.fetch.archives.found import as_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from relore_assets.fetch.archives.found import Item

# How many files are opened to tell the two layouts of a file per thread apart, should the first be broken.
_LOOK_AT = 20


class UnknownLayoutError(ReloreError):
    """The path holds none of the layouts that can be imported."""


class _Reader(Protocol):
    NAME: str

    @staticmethod
    def files(root: Path) -> list[Path]: ...

    @staticmethod
    def objects(root: Path, on_bytes: Callable[[int], object] | None = None) -> Iterator[Item]: ...


@dataclass(frozen=True)
class Layout:
    """An archive that can be read."""

    root: Path
    reader: _Reader

    @property
    def name(self) -> str:
        """``rest_jsonl``, ``thread_files`` or ``github_backup``."""
        return self.reader.NAME

    def size(self) -> int:
        """Return how many bytes there are to read, as they lie on disk."""
        return sum(size(path) or 0 for path in self.reader.files(self.root))

    def not_read(self) -> list[str]:
        """Return the names of what also holds objects and is left alone, since something else was found first."""
        if self.name != rest_jsonl.NAME:
            return []
        spare = [path.name for path in rest_jsonl.spare_files(self.root)]
        threads = {path.relative_to(self.root).parts[0] for path in thread_files.files(self.root)}
        return [*spare, *(f"{folder}/" for folder in sorted(threads))]

    def objects(self, on_bytes: Callable[[int], object] | None = None) -> Iterator[Item]:
        """Yield everything the archive holds, heads of threads before what needs their dates.

        Memory stays flat: one line or one thread's file is held at a time, and one date per thread.

        Args:
            on_bytes: told how many bytes have been read since it was last told.
        """
        return self.reader.objects(self.root, on_bytes)


def recognise(path: Path) -> Layout:
    """Return the layout of the archive at ``path``.

    Raises:
        UnknownLayoutError: there is none; the sentence says what was looked for.
    """
    _check_folder(path)
    if rest_jsonl.files(path):
        return Layout(path, cast("_Reader", rest_jsonl))
    if any(thread_files.files(path)):
        return Layout(path, _per_thread(path))
    backups = sorted(path.glob("repositories/*/")) or sorted(path.glob("account/repositories/*/"))
    if backups:
        names = ", ".join(backup.relative_to(path).as_posix() for backup in backups[:3])
        raise UnknownLayoutError(f"{path}: this holds several backups; name one of them, such as {names}.")
    raise UnknownLayoutError(
        f"{path}: neither REST objects as JSON lines (issues.jsonl.gz and its like) nor a file per thread "
        "(issues/1.json, pulls/2.json)."
    )


def _check_folder(path: Path) -> None:
    """Refuse what cannot be looked into.

    Raises:
        UnknownLayoutError: it is no folder, or may not be read, or its name could not be remembered.
    """
    try:
        next(path.iterdir(), path).lstat()
    except FileNotFoundError:
        raise UnknownLayoutError(f"{path}: no such folder.") from None
    except NotADirectoryError:
        raise UnknownLayoutError(f"{path}: not a folder.") from None
    except OSError as error:
        raise UnknownLayoutError(f"{path}: {(error.strerror or type(error).__name__).lower()}.") from None
    if not _is_text(path):
        shown = os.fsencode(path).decode("utf-8", "backslashreplace")
        raise UnknownLayoutError(f"{shown}: the name is not UTF-8, rename the folder.")


def _is_text(path: Path) -> bool:
    """Return whether the whole name, which the repository's row remembers, is text."""
    try:
        str(path.resolve()).encode()
    except UnicodeEncodeError:
        return False
    return True


def _per_thread(path: Path) -> _Reader:
    """Tell the two layouts of a file per thread apart by what a file holds.

    Raises:
        UnknownLayoutError: none of the first files is of either.
    """
    refusal = ""
    for file in islice(thread_files.files(path), _LOOK_AT):
        document = next(read(file), None)
        if isinstance(document, Broken):
            refusal = refusal or f" ({file.relative_to(path).as_posix()}: {document.reason})"
        payload = as_object(document.value) if isinstance(document, Document) else None
        if payload is None:
            continue
        if thread_files.holds(payload):
            return cast("_Reader", thread_files)
        if github_backup.holds(payload):
            return cast("_Reader", github_backup)
    raise UnknownLayoutError(
        f"{path}: the files in issues/ and pulls/ are neither github-metadata-backup's nor python-github-backup's"
        f"{refusal}."
    )
