"""Writes cleaned objects to ``raw_objects`` in batches, and only those that differ from what is stored.

A batch is one transaction: its objects, its rejected lines and the marks of the pass stand together or not at
all, so a pass that is killed leaves nothing to clean up and is simply run again. Where the objects come from
is `archives`, how they were cleaned `door`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

import orjson
from psycopg.types.json import Jsonb

from relore_assets.errors import ReloreError
from relore_assets.fetch import removals
from relore_assets.fetch.archives.found import LISTS, Found, Passed, Raw, Rejected, counted_as
from relore_assets.fetch.redact import VERSION as REDACTION_VERSION
from relore_assets.windows import NO_WINDOW, end_of, window_of
from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from datetime import date

    from psycopg import Connection, Cursor

SQL = load("relore_assets.fetch", "staging.sql")

BATCH_OBJECTS = 2_000
BATCH_BYTES = 8 * 1024 * 1024

Source = Literal["archive", "api"]

REPEATED = "repeated in the source"
REMOVED = "removed at the source or on request"
UNREADABLE = "could not be read"


@dataclass
class KindResult:
    """What became of one kind of object. Lists (commits, files) are one object per pull request here."""

    read: int = 0
    written: int = 0
    unchanged: int = 0
    #: Not written because a newer version is stored.
    older: int = 0
    #: Lines of the source, however much of each could not be read.
    rejected: int = 0
    skipped: Counter[str] = field(default_factory=Counter[str])


@dataclass
class StageResult:
    """What became of everything that a pass has read so far."""

    kinds: dict[str, KindResult] = field(default_factory=dict[str, KindResult])
    redactions: int = 0
    replacements: int = 0
    #: Threads whose tombstone was taken away because their head is back: what else belongs to them may have been
    #: kept out before it came.
    back: set[int] = field(default_factory=set[int])

    def of(self, kind: str) -> KindResult:
        """Return the counts of one kind, made when it is first asked for."""
        return self.kinds.setdefault(kind, KindResult())

    @property
    def read(self) -> int:
        """Objects read from the source."""
        return sum(kind.read for kind in self.kinds.values())

    @property
    def written(self) -> int:
        """Rows written, new ones and replaced ones."""
        return sum(kind.written for kind in self.kinds.values())

    @property
    def unchanged(self) -> int:
        """Objects that were stored already, as they are."""
        return sum(kind.unchanged for kind in self.kinds.values())

    @property
    def older(self) -> int:
        """Objects of which a newer version is stored."""
        return sum(kind.older for kind in self.kinds.values())

    @property
    def rejected(self) -> int:
        """Lines that could not be read, or of which something could not."""
        return sum(kind.rejected for kind in self.kinds.values())

    @property
    def skipped(self) -> dict[str, int]:
        """Objects read over on purpose, by reason."""
        return dict(sum((kind.skipped for kind in self.kinds.values()), Counter[str]()))


@dataclass
class _Mark:
    """Counts of one kind in one window, as ``sync_state`` keeps them: in objects of the source."""

    stated: int = 0
    done: int = 0
    high_water: datetime | None = None
    skipped: Counter[str] = field(default_factory=Counter[str])
    #: Everything that changed before this moment, within the window, has been staged.
    walked_to: datetime | None = None


@dataclass
class _Row:
    """One object on its way to the store."""

    found: Found
    json: bytes
    hash: bytes
    #: It belongs to a window of another pass, and is here only to be set against others of its id.
    is_elsewhere: bool = False


class Stage:
    """One pass over a source into one repository's ``raw_objects``.

    Args:
        conn: a connection of the owner with no transaction open; batches commit on it.
        repo_id: the repository.
        marks: prefix of the marks in ``sync_state``: ``import`` or ``fetch``.
        source: where the objects come from.
        windows: the windows this pass covers, None for all. What comes over the API is added up by them when the
            pass ends; how far its walks have come is said by :meth:`walked`.
        on_batch: called after each batch has been committed.
    """

    def __init__(
        self,
        conn: Connection,
        repo_id: int,
        *,
        marks: str,
        source: Source,
        windows: Collection[date] | None = None,
        on_batch: Callable[[StageResult], object] | None = None,
    ) -> None:
        self.result = StageResult()
        self._conn = conn
        self._repo_id = repo_id
        self._pass = marks
        self._source: Source = source
        self._windows = None if windows is None else frozenset(windows)
        self._on_batch = on_batch
        self._rows: dict[tuple[str, str], _Row] = {}
        self._bytes = 0
        self._rejected: list[Rejected] = []
        self._broken: tuple[str, int] | None = None
        self._marks: dict[tuple[str, date], _Mark] = {}
        self._touched: set[tuple[str, date]] = set()
        with conn.transaction():
            conn.execute(SQL["create_incoming"])
            conn.execute(SQL["create_named"])
            conn.execute(SQL["forget_named"])
            if source == "archive":
                conn.execute(SQL["create_met"])
                conn.execute(SQL["forget_met"])
            self._started = conn.execute(SQL["clock"]).fetchone()
            self._write_marks("mark_progress", [(self._pass, NO_WINDOW, _Mark())])

    def add(self, item: Found | Rejected | Passed) -> None:
        """Take one item; writes a batch when enough have come together."""
        if isinstance(item, Found):
            self._add_found(item)
        elif isinstance(item, Rejected):
            self._add_rejected(item)
        else:
            self.result.of(item.counted).skipped[item.reason] += item.count
            self._skip(item.counted, NO_WINDOW, item.reason, item.count)
        if (
            len(self._rows) >= BATCH_OBJECTS
            or self._bytes >= BATCH_BYTES
            or len(self._rejected) >= BATCH_OBJECTS
        ):
            self._flush()

    def meet(self, item: Raw) -> None:
        """Take notice of an object that lies outside the windows: others of its id may have to give way to it.

        It is neither counted nor stored; the pass over its own window does both.
        """
        key = (item.kind, item.object_id)
        rival = self._rows.get(key)
        if rival is not None:
            if not self._replaces(item.updated_at, rival.found.updated_at):
                return
            self._give_way(rival)
        met = Found(item.kind, item.object_id, item.thread_number, {}, item.updated_at, item.members, 0, 0)
        self._rows[key] = _Row(met, b"", b"", is_elsewhere=True)
        if len(self._rows) >= BATCH_OBJECTS:
            self._flush()

    def walked(self, kind: str, window: date, to: datetime) -> None:
        """Say that everything of ``kind`` that changed before ``to``, within the window, has been added.

        The mark is stored with the objects, at the next :meth:`flush`.
        """
        self._mark(kind, window).walked_to = to

    def flush(self) -> None:
        """Store what has been added, and the marks with it."""
        self._flush()

    def end(self) -> StageResult:
        """Write what is left and close the books: the source has been read to its end."""
        self._flush()
        if self._source == "api":
            return self._end_walks()
        if self._windows is None:
            keys = sorted(self._marks)
        else:
            # A window in which the source holds nothing has been done all the same.
            kinds = {kind for kind, _ in self._marks}
            keys = sorted({*self._marks, *((kind, window) for kind in kinds for window in self._windows)})
        total = _Mark(
            stated=sum(mark.stated for mark in self._marks.values()),
            done=sum(mark.done for mark in self._marks.values()),
            high_water=max(
                (mark.high_water for mark in self._marks.values() if mark.high_water), default=None
            ),
        )
        rows = [
            (f"{self._pass}:{kind}", window, self._marks.get((kind, window), _Mark()))
            for kind, window in keys
        ]
        with self._conn.transaction():
            self._write_marks("mark_ended", [(self._pass, NO_WINDOW, total), *rows])
            if self._windows is None:
                self._execute("drop_unmarked", {"started": self._at})
            self._execute("drop_mended", {})
            self._execute("mark_rule", {})
        return self.result

    def _end_walks(self) -> StageResult:
        """Close the books of a pass over the API: what it did, and what its windows hold now."""
        total = _Mark(stated=self.result.read, done=self.result.read - sum(self.result.skipped.values()))
        total.skipped.update(self.result.skipped)
        windows = sorted(self._windows or ())
        with self._conn.transaction():
            self._write_marks("mark_ended", [(self._pass, NO_WINDOW, total)])
            self._execute(
                "count_windows",
                {
                    "pass": self._pass,
                    "started": self._at,
                    "windows": windows,
                    "ends": [end_of(window) for window in windows],
                },
            )
            self._execute("mark_rule", {})
        return self.result

    def fail(self, error: BaseException) -> None:
        """Note in ``sync_state`` why the pass did not end: in our own words where we have some, else its kind."""
        said = str(error) if isinstance(error, ReloreError) else type(error).__name__
        with self._conn.transaction():
            self._execute("mark_failed", {"pass": self._pass, "started": self._at, "error": said})

    @property
    def _at(self) -> datetime:
        """When the pass began, by the database's clock."""
        if self._started is None:
            raise RuntimeError("the database did not say what time it is")
        return self._started[0]

    def _add_rejected(self, item: Rejected) -> None:
        """Count what cannot be read, and name its line: once, whatever else of it cannot be read either."""
        self._skip(item.counted, NO_WINDOW, UNREADABLE, 1)
        # Readers go line by line, so what they say of one comes together.
        if self._broken != (item.file, item.line):
            self._broken = (item.file, item.line)
            self.result.of(item.counted).rejected += 1
            self._rejected.append(item)

    def _add_found(self, item: Found) -> None:
        """Queue an object, unless the batch holds another of its id that it has to give way to."""
        counted = counted_as(item.kind)
        window = _window(item.updated_at)
        tally = self.result.of(item.kind)
        tally.read += 1
        mark = self._mark(counted, window)
        mark.stated += item.members
        if item.updated_at is not None:
            mark.high_water = max(mark.high_water or item.updated_at, item.updated_at)
        self.result.redactions += item.redactions
        self.result.replacements += item.replacements
        text = orjson.dumps(item.payload, option=orjson.OPT_SORT_KEYS)
        key = (item.kind, item.object_id)
        mark.done += item.members
        rival = self._rows.get(key)
        if rival is not None and not self._replaces(item.updated_at, rival.found.updated_at):
            self._repeat(item.kind, item.members, window)
            return
        if rival is not None:
            self._give_way(rival)
        self._rows[key] = _Row(item, text, blake2b(text, digest_size=16).digest())
        self._bytes += len(text)

    def _replaces(self, arriving: datetime | None, present: datetime | None) -> bool:
        """Return whether a repeated object takes the place of the one that this pass met before.

        GitHub was asked again and says how it is now. An archive is read in the order in which it was written, and
        has to give the same rows each time: of what is equally new, what stands first.
        """
        if self._source == "api":
            return not _is_newer(present, arriving)
        return _is_newer(arriving, present)

    def _give_way(self, row: _Row) -> None:
        """Count an object of the batch as repeated; one of another window is counted there."""
        if not row.is_elsewhere:
            self._repeat(row.found.kind, row.found.members, _window(row.found.updated_at))

    def _repeat(self, kind: str, members: int, window: date) -> None:
        """Count an object that was counted as done and is not stored, for another of its id."""
        self.result.of(kind).skipped[REPEATED] += 1
        self._mark(counted_as(kind), window).done -= members
        self._skip(counted_as(kind), window, REPEATED, members, stated=0)

    def _skip(
        self, counted: str, window: date, reason: str, count: int, *, stated: int | None = None
    ) -> None:
        """Count objects of the source that are not staged."""
        mark = self._mark(counted, window)
        mark.stated += count if stated is None else stated
        mark.skipped[reason] += count

    def _mark(self, counted: str, window: date) -> _Mark:
        key = (counted, window)
        self._touched.add(key)
        return self._marks.setdefault(key, _Mark())

    def _flush(self) -> None:
        """Write the batch."""
        with self._conn.transaction():
            self._keep_out_removed()
            if self._source == "archive":
                self._leave_out_repeated()
            self._write_rows()
            self._write_rejected()
            if self._source == "api":
                self._drop_readable()
            rows = [
                (f"{self._pass}:{kind}", window, self._marks[kind, window])
                for kind, window in sorted(self._touched)
            ]
            if self._source == "api":
                self._write_walks([row for row in rows if row[2].walked_to is not None])
            else:
                self._write_marks("mark_progress", rows)
        self._rows.clear()
        self._rejected.clear()
        self._touched.clear()
        self._bytes = 0
        if self._on_batch is not None:
            self._on_batch(self.result)

    def _keep_out_removed(self) -> None:
        """Leave out of the batch what was removed, but for what is at the source again."""
        keys = [
            (kind, object_id, row.found.thread_number)
            for (kind, object_id), row in self._rows.items()
            if not row.is_elsewhere
        ]
        if not keys:
            return
        known = removals.read(self._conn, self._repo_id, keys)
        back = self._back(known)
        if back:
            removals.lift(self._conn, self._repo_id, back.values())
            self.result.back |= {int(object_id) for kind, object_id in back if kind == removals.THREAD}
        for kind, object_id, number in keys:
            if known.bars(kind, object_id, number) - back.keys():
                self._leave_out((kind, object_id))
            elif known.anything_forgotten:
                self._leave_out_people((kind, object_id), known)

    def _back(self, known: removals.Removals) -> dict[tuple[str, str], removals.Tombstone]:
        """Return the tombstones of what GitHub was seen to hold after they were set."""
        back: dict[tuple[str, str], removals.Tombstone] = {}
        if self._source != "api":
            return back  # an archive shows what was there once
        for kind, object_id in self._rows:
            key = (removals.THREAD, object_id) if removals.is_head(kind) else (kind, object_id)
            stone = known.tombstones.get(key)
            # What was read before the removal proves nothing.
            if stone is not None and stone.reason == removals.DELETED and stone.removed_at < self._at:
                back[key] = stone
        return back

    def _leave_out(self, key: tuple[str, str]) -> None:
        found = self._rows.pop(key).found
        counted, window = counted_as(found.kind), _window(found.updated_at)
        self.result.of(found.kind).skipped[REMOVED] += 1
        self._mark(counted, window).done -= found.members
        self._skip(counted, window, REMOVED, found.members, stated=0)

    def _leave_out_people(self, key: tuple[str, str], known: removals.Removals) -> None:
        row = self._rows[key]
        kept = known.kept(row.found.kind, row.found.payload)
        if kept is None:
            self._leave_out(key)
        elif kept != row.found.payload:
            text = orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)
            digest = blake2b(text, digest_size=16).digest()
            self._rows[key] = _Row(replace(row.found, payload=kept), text, digest)

    def _write_rows(self) -> None:
        """Send what is not stored as it is."""
        if not self._rows:
            return
        stored = self._stored()
        checked: list[tuple[str, str]] = []
        changed: list[_Row] = []
        for key, row in self._rows.items():
            tally = self.result.of(row.found.kind)
            known = stored.get(key)
            if known is None:
                changed.append(row)
            elif known[0] == row.hash:
                tally.unchanged += 1
                if known[2] != REDACTION_VERSION:
                    checked.append(key)
            elif _is_newer(known[1], row.found.updated_at) and not _is_to_come(known[1]):
                tally.older += 1
            else:
                changed.append(row)
        if checked:
            self._execute("mark_checked", {**_keys(checked), "redaction_version": REDACTION_VERSION})
        if changed:
            self._copy(changed)
            self._execute("store", {"source": self._source, "redaction_version": REDACTION_VERSION})
            for row in changed:
                self.result.of(row.found.kind).written += 1

    def _leave_out_repeated(self) -> None:
        """Leave out of the batch what gives way to something in an earlier one, and remember the rest."""
        if not self._rows:
            return
        for kind, object_id, members, at, elsewhere in self._execute("met", _keys(self._rows)).fetchall():
            key = (kind, object_id)
            if not self._replaces(self._rows[key].found.updated_at, at):
                self._give_way(self._rows.pop(key))
            elif not elsewhere:
                self._repeat(kind, members, _window(at))
        rows = self._rows.values()
        self._execute(
            "meet",
            {
                **_keys(self._rows),
                "members": [row.found.members for row in rows],
                "dates": [row.found.updated_at for row in rows],
                "elsewhere": [row.is_elsewhere for row in rows],
            },
        )
        self._rows = {key: row for key, row in self._rows.items() if not row.is_elsewhere}

    def _stored(self) -> dict[tuple[str, str], tuple[bytes, datetime | None, int]]:
        """Return hash, date and redaction rule of what is stored of the batch."""
        rows = self._execute("stored", _keys(self._rows)).fetchall()
        return {(kind, object_id): (bytes(hash_), at, rule) for kind, object_id, hash_, at, rule in rows}

    def _copy(self, rows: Iterable[_Row]) -> None:
        with self._conn.cursor() as cursor, cursor.copy(SQL["copy"]) as copy:
            for row in rows:
                found = row.found
                copy.write_row(
                    (
                        found.kind,
                        found.object_id,
                        found.thread_number,
                        row.json.decode(),
                        row.hash,
                        found.updated_at,
                        found.redactions,
                        found.replacements,
                    )
                )

    def _write_rejected(self) -> None:
        if not self._rejected:
            return
        values = {
            "files": [item.file for item in self._rejected],
            "lines": [item.line for item in self._rejected],
            "reasons": [item.reason for item in self._rejected],
        }
        self._execute("reject", values)
        self._execute("name_lines", values)

    def _drop_readable(self) -> None:
        """Forget that an entry of a list could not be read, where now it could."""
        entries = [
            (LISTS[kind], int(object_id))
            for kind, object_id in self._rows
            if kind in LISTS and object_id.isdigit()
        ]
        if entries:
            values = {"files": [file for file, _ in entries], "lines": [line for _, line in entries]}
            self._execute("drop_readable", values)

    def _write_marks(self, name: str, rows: list[tuple[str, date, _Mark]]) -> None:
        if not rows:
            return
        self._execute(
            name,
            {
                "started": self._at,
                "passes": [name for name, _, _ in rows],
                "windows": [window for _, window, _ in rows],
                "high_waters": [mark.high_water for _, _, mark in rows],
                "stated": [mark.stated for _, _, mark in rows],
                "done": [mark.done for _, _, mark in rows],
                "skipped": [Jsonb(dict(mark.skipped)) for _, _, mark in rows],
            },
        )

    def _write_walks(self, rows: list[tuple[str, date, _Mark]]) -> None:
        if rows:
            self._execute(
                "mark_walked",
                {
                    "started": self._at,
                    "passes": [name for name, _, _ in rows],
                    "windows": [window for _, window, _ in rows],
                    "walked_to": [mark.walked_to for _, _, mark in rows],
                },
            )

    def _execute(self, name: str, values: Mapping[str, object]) -> Cursor[Any]:
        return self._conn.execute(SQL[name], {"repo_id": self._repo_id, **values})


def _window(updated_at: datetime | None) -> date:
    """Return the window in which an object of that date is counted."""
    return NO_WINDOW if updated_at is None else window_of(updated_at)


def _keys(keys: Iterable[tuple[str, str]]) -> dict[str, object]:
    """Return keys as the two arrays that statements take."""
    pairs = list(keys)
    return {"kinds": [kind for kind, _ in pairs], "object_ids": [object_id for _, object_id in pairs]}


def _is_to_come(moment: datetime | None) -> bool:
    """Return whether a date lies in the future, and so is wrong."""
    return moment is not None and moment > datetime.now(UTC)


def _is_newer(stored: datetime | None, arriving: datetime | None) -> bool:
    """Return whether what is there is newer than what arrives."""
    return stored is not None and arriving is not None and stored > arriving
