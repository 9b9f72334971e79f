"""Sets of questions in the tables: kept whole, never touched again once frozen, and checked whenever they are read.

Beside the header of its file a set's row keeps a mark of each line, so that what was forgotten on request, which is
said there, can be told from what was tampered with.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from relore_assets.fetch.current.questions import forgotten_questions
from relore_assets.mine import example as examples
from relore_assets.mine import sets
from relore_assets.mine.example import BadExample, Example, canonical, instant
from relore_assets.mine.sets import ExampleSet, FrozenSet, NotASet
from relore_serve.sql import load as load_sql

if TYPE_CHECKING:
    from psycopg import Connection

    from relore_assets.judge.fold import Verdicts

SQL = load_sql("relore_assets.judge", "judge.sql")

_MARKS = "marks"
_FORGOTTEN = "forgotten"


def is_frozen(conn: Connection, repo_id: int, name: str) -> bool:
    """Whether there is a set of that name that does not change any more."""
    row = conn.execute(SQL["header"], {"repo_id": repo_id, "name": name}).fetchone()
    return row is not None and row[1] is not None


def load(conn: Connection, repo_id: int, name: str) -> ExampleSet:
    """Return a set as it was kept.

    Raises:
        NotASet: there is none of that name, or its rows are not those that were kept.
    """
    found = find(conn, repo_id, name)
    if found is None:
        names = [str(row[0]) for row in conn.execute(SQL["names"], {"repo_id": repo_id})]
        listed = f"There are {', '.join(names)}" if names else "There is none yet"
        raise NotASet(f"There is no set of questions called {name}. {listed}.")
    return found


def find(conn: Connection, repo_id: int, name: str) -> ExampleSet | None:
    """Return a set as it was kept, None where there is none of that name; raises as `load` does."""
    scope = {"repo_id": repo_id, "name": name}
    with conn.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(SQL["header"], scope).fetchone()
        if row is None:
            return None
        rows = cursor.execute(SQL["examples"], scope).fetchall()
        verdicts = {
            (str(one["example_id"]), int(one["number"]), str(one["judged_by"])): str(one["verdict"])
            for one in cursor.execute(SQL["verdicts"], scope).fetchall()
        }
    header = cast("dict[str, Any]", row["header"])
    bare, digest = sets.read_header(f"The set {name}", header)
    try:
        held = tuple(examples.from_json(one["body"]) for one in rows)
    except BadExample as error:
        raise NotASet(f"The set {name} is not as it was kept: {error}") from error
    found = replace(bare, examples=held)
    wrong = (
        _wrong_header(found, row, digest)
        or _wrong_rows(found, rows)
        or _wrong_lines(found, header, digest)
        or _wrong_verdicts(held, verdicts)
    )
    if wrong:
        raise NotASet(
            f"The set {name} of {found.repo} is not as it was kept: {wrong}. What was measured on it and what would be "
            "measured now are not comparable; restore its rows, or make a set of another name."
        )
    return found


def keep(
    conn: Connection, repo_id: int, to_keep: ExampleSet, verdicts: Verdicts | None = None
) -> tuple[ExampleSet, int]:
    """Write a set, in one transaction; returns it as it is kept, and how many rows were written.

    A set that is frozen with the same questions and verdicts is left alone, and returned as it was frozen. One that is
    not frozen is replaced, unless it is the same.

    Args:
        conn: a session of the owner.
        repo_id: the repository.
        to_keep: the set.
        verdicts: the labels behind its verdicts, for what rows tell besides.

    Raises:
        FrozenSet: another set is frozen under that name.
        NotASet: a frozen set is not as it was kept, or a question is made of what was forgotten on request.
    """
    scope = {"repo_id": repo_id, "name": to_keep.name}
    with conn.transaction():
        conn.execute(SQL["lock_set"], scope)
        row = conn.execute(SQL["header"], scope).fetchone()
        if row is not None and row[1] is not None:
            there = load(conn, repo_id, to_keep.name)
            if (there.digest, there.scored_by) == (to_keep.digest, to_keep.scored_by):
                return there, 0
            raise FrozenSet(
                f"The set {there.name} of {there.repo} has been frozen since {instant(row[1])}, and does not change: "
                "make one of another name."
            )
        if row is not None and _without_marks(row[0]) == to_keep.header():
            return to_keep, 0
        gone = forgotten_questions(conn, repo_id, to_keep.examples)
        if gone:
            raise NotASet(
                f"{len(gone)} questions of the set {to_keep.name} are made of what was forgotten on request, "
                f"{min(gone)} for one: take their lines out of its file, or mine anew."
            )
        conn.execute(SQL["remove_judgements"], scope)
        conn.execute(SQL["remove_set"], scope)
        return to_keep, _add(conn, repo_id, to_keep, verdicts or {})


def _add(conn: Connection, repo_id: int, to_keep: ExampleSet, verdicts: Verdicts) -> int:
    """Write the rows; returns how many."""
    marks = {one.id: [_mark(one), _bare_mark(one)] for one in to_keep.examples}
    header = {**to_keep.header(), _MARKS: marks}
    judged = [(one, answer) for one in to_keep.examples for answer in one.answers if answer.judged_by]
    row = {"frozen_at": to_keep.frozen_at, "split": to_keep.split, "digest": to_keep.digest}
    conn.execute(SQL["add_set"], {**row, "repo_id": repo_id, "name": to_keep.name, "header": Jsonb(header)})
    with conn.cursor() as cursor:
        with cursor.copy(SQL["copy_examples"]) as copy:
            for one in to_keep.examples:
                body = Jsonb(examples.to_json(one))
                copy.write_row((repo_id, to_keep.name, one.id, one.slice, to_keep.part(one), body))
        with cursor.copy(SQL["copy_judgements"]) as copy:
            for one, answer in judged:
                label = verdicts.get((one.id, answer.number, answer.judged_by or ""))
                told = (label.at, Jsonb(label.body)) if label else (None, None)
                said = (answer.number, answer.verdict, answer.judged_by, answer.why)
                copy.write_row((repo_id, to_keep.name, one.id, *said, *told))
    return 1 + len(to_keep.examples) + len(judged)


def _wrong_header(found: ExampleSet, row: dict[str, Any], digest: str) -> str:
    kept = {"frozen_at": found.frozen_at, "split": found.split, "digest": digest}
    wrong = next((name for name, value in kept.items() if row[name] != value), None)
    if wrong:
        return f"its header and its row differ in {wrong}"
    return "" if row["header"].get("seal") == sets.seal(found, digest) else "its header has been changed"


def _without_marks(header: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in header.items() if name != _MARKS}


def _wrong_rows(found: ExampleSet, rows: list[dict[str, Any]]) -> str:
    for one, row in zip(found.examples, rows, strict=True):
        if (one.id, one.slice, found.part(one)) != (row["id"], row["slice"], row["part"]):
            return f"the row of {row['id']} is not that of its question"
    return ""


def _wrong_lines(found: ExampleSet, header: dict[str, Any], digest: str) -> str:
    if found.digest == digest:
        return ""
    marks = cast("dict[str, list[str]]", header.get(_MARKS, {}))
    for one in found.examples:
        whole, bare = marks.get(one.id, ["", ""])
        # A reason that quoted what was forgotten is gone, and nothing else of the line.
        silenced = any(answer.why is None for answer in one.answers)
        if _mark(one) != whole and not (silenced and _bare_mark(one) == bare):
            return f"{one.id} has been changed" if whole else f"{one.id} has been added"
    missing = len(marks) - len(found.examples)
    if missing != header.get(_FORGOTTEN, 0):
        return (
            f"{missing} of its questions are gone, and {header.get(_FORGOTTEN, 0)} were forgotten on request"
        )
    return ""


def _wrong_verdicts(held: tuple[Example, ...], verdicts: dict[tuple[str, int, str], str]) -> str:
    told = {
        (one.id, answer.number, answer.judged_by): answer.verdict
        for one in held
        for answer in one.answers
        if answer.judged_by is not None
    }
    differing = sorted(
        str(key[0]) for key in told.keys() | verdicts.keys() if told.get(key) != verdicts.get(key)
    )
    return f"the verdicts on {differing[0]} differ between its two tables" if differing else ""


def _mark(example: Example) -> str:
    return sha256(canonical(examples.to_json(example)).encode()).hexdigest()[:16]


def _bare_mark(example: Example) -> str:
    """Return the mark of a line without the reasons given."""
    return _mark(replace(example, answers=tuple(replace(one, why=None) for one in example.answers)))
