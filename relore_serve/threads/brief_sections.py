"""Threads on the same ground as one: on the same files, and with the same error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from relore_serve.signals import errors
from relore_serve.threads.brief_results import FileHistory, SameError
from relore_serve.threads.brief_rows import PATHS, ErrorRow, FileRow, Pick, SaidRow, evidence, rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from relore_serve.threads.brief_results import Evidence
    from relore_serve.threads.brief_rows import Asked, Heads
    from relore_serve.threads.results import ThreadResult

_HOW = ("changed", "anchored", "mentioned")
# Folders of what changes beside what a change is about.
_ASIDE = frozenset({"tests", "test", "docs", "doc", "utils", ".github", "ci"})


@dataclass(frozen=True, slots=True)
class FilesFound:
    """Threads on the same files, before their heads are read."""

    basis: str | None
    paths_total: int
    first: FileRow | None
    picks: list[Pick]

    @classmethod
    def of(cls, asked: Asked, above: Sequence[Pick]) -> Self:
        """Look for threads on the paths of a thread that none of the sections above list."""
        basis, paths, total = paths_of(asked.thread)
        if basis is None:
            return cls(None, 0, None, [])
        parameters = {
            **asked.own,
            "paths": list(paths),
            # What people call a file is the end of its path; a diff has it whole.
            "partial": basis == "mentioned",
            "above": [pick.thread_id for pick in above],
        }
        rows = rows_of(asked.conn, "same_files", parameters, FileRow)
        found = [row for row in rows if row.id is not None]
        words = cls._words(asked, {**parameters, "threads": [row.id for row in found]})
        picks = [
            Pick(row.id or 0, _HOW[row.how], paths=row.paths, evidence=words.get(row.id)) for row in found
        ]
        return cls(basis, total, rows[0], picks)

    @staticmethod
    def _words(asked: Asked, parameters: dict[str, Any]) -> dict[int | None, Evidence]:
        return {
            said.thread_id: evidence(said, {}, compact=asked.compact, now=asked.now)
            for said in rows_of(asked.conn, "anchored_words", parameters, SaidRow)
        }

    def section(self, heads: Heads) -> FileHistory:
        """Return the section."""
        first = self.first
        return FileHistory(
            basis=self.basis,
            paths_used=tuple(first.used) if first else (),
            paths_total=self.paths_total,
            threads=tuple(map(heads.listed, self.picks)),
            returned=len(self.picks),
            total=first.touching + first.mentioning if first else 0,
            mentioning=first.mentioning if first else 0,
            total_exact=not (first and first.bounded),
            above=first.above if first else 0,
            untested=first.untested if first else 0,
        )


def paths_of(thread: ThreadResult) -> tuple[str | None, tuple[str, ...], int]:
    """Return where a thread's paths are best known from, those to ask with, and how many there are."""
    changed = thread.files_changed
    anchored = tuple(path for path in thread.files_anchored if path not in set(changed))
    if changed:
        total = max(thread.files_total or 0, len(changed) + len(anchored))
        return "changed", _telling((*changed, *anchored)), total
    if anchored:
        return "anchored", _telling(anchored), len(anchored)
    if thread.files_mentioned:
        return "mentioned", _telling(thread.files_mentioned), thread.files_mentioned_total
    return None, (), 0


def _telling(paths: Sequence[str]) -> tuple[str, ...]:
    """Return as many paths as are asked with, those of tests, documents and tools last."""
    return tuple(sorted(paths, key=lambda path: path.split("/", 1)[0] in _ASIDE)[:PATHS])


@dataclass(frozen=True, slots=True)
class ErrorsFound:
    """Threads with the same error, before their heads are read."""

    errors: list[str]
    first: ErrorRow | None
    picks: list[Pick]

    @classmethod
    def of(cls, asked: Asked, above: Sequence[Pick]) -> Self:
        """Look for the errors of a thread in others that none of the sections above list."""
        reported = [
            found for found in rows_of(asked.conn, "errors", asked.own, _Reported) if found.informative
        ]
        if not reported:
            return cls([], None, [])
        parameters = {
            **asked.own,
            "error_tails": [found.tail for found in reported],
            "error_values": [found.value for found in reported],
            "above": [pick.thread_id for pick in above],
        }
        rows = rows_of(asked.conn, "same_error", parameters, ErrorRow)
        wanted = {reported[(rows[0].ord or 1) - 1].value: 1.0}
        picks = [
            Pick(row.thread_id, "error", evidence=evidence(row, wanted, compact=asked.compact, now=asked.now))
            for row in rows
            if row.thread_id is not None
        ]
        return cls([str(found) for found in reported], rows[0], picks)

    def section(self, heads: Heads) -> SameError:
        """Return the section."""
        first = self.first
        return SameError(
            error=self.errors[(first.ord if first and first.ord else 1) - 1] if self.errors else None,
            errors_total=len(self.errors),
            threads=tuple(map(heads.listed, self.picks)),
            returned=len(self.picks),
            total=first.total if first else 0,
            above=first.above if first else 0,
        )


@dataclass(frozen=True, slots=True)
class _Reported:
    """An error that a thread reports."""

    tail: str
    value: str

    @property
    def informative(self) -> bool:
        """Whether it tells one failure from another."""
        return errors.normalize_error(self.tail or None, self.value).informative

    def __str__(self) -> str:
        return ": ".join(part for part in (self.tail, self.value) if part)
