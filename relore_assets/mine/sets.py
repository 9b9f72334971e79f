"""Sets of questions in files: JSON Lines, a header first, then one example per line in order of id.

A frozen set does not change any more: what was measured on it stays comparable.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from relore_assets.errors import ReloreError
from relore_assets.mine import example as examples
from relore_assets.mine.example import JUDGES, SELF_EVIDENT, BadExample, Example, instant, parse_instant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

#: Of the file's format.
VERSION = 1

Part = Literal["fit", "held-out"]
ScoredBy = Literal["human", "model", "record"]

_T = TypeVar("_T", str, int)


class FrozenSet(ReloreError):
    """A frozen set was to be changed."""

    exit_code = 2


class NotASet(ReloreError):
    """A file is no set of questions, or not one that this program reads."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Corpus:
    """What was indexed when the set was mined: how much, and the dates of the oldest and the newest thread."""

    threads: int
    documents: int
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class ExampleSet:
    """A set of questions.

    Attributes:
        name: what runs and judgements call it.
        repo: owner/name.
        corpus: what it was mined from.
        versions: of the rules that were in force (signals, tokens, derive, mine).
        examples: in order of id, no id twice.
        frozen_at: since when it may not change; None while it may.
        split: examples asked before it are for fitting, later ones are held out.
        scored_by: whose verdicts count besides the record's: human or model, never both; record for neither.
    """

    name: str
    repo: str
    corpus: Corpus
    versions: Mapping[str, int] = field(default_factory=dict[str, int])
    examples: tuple[Example, ...] = ()
    frozen_at: datetime | None = None
    split: datetime | None = None
    scored_by: ScoredBy = "record"

    @property
    def digest(self) -> str:
        """The sha256 of the example lines, in hexadecimal."""
        return digest_of(self.examples)

    def part(self, example: Example) -> Part:
        """Return which part of the set an example belongs to; without a split nothing is for fitting."""
        return "fit" if self.split is not None and example.asked.at < self.split else "held-out"

    def header(self) -> dict[str, Any]:
        """Return the first line of the file as a JSON object."""
        return {
            "version": VERSION,
            "name": self.name,
            "repo": self.repo,
            "frozen_at": None if self.frozen_at is None else instant(self.frozen_at),
            "split": None if self.split is None else instant(self.split),
            "digest": self.digest,
            "scored_by": self.scored_by,
            "corpus": {
                "threads": self.corpus.threads,
                "documents": self.corpus.documents,
                "since": None if self.corpus.since is None else instant(self.corpus.since),
                "until": None if self.corpus.until is None else instant(self.corpus.until),
            },
            "versions": dict(self.versions),
            "seal": seal(self, self.digest),
        }


def seal(of: ExampleSet, digest: str) -> str:
    """Return the mark of what a header says that decides how a set is measured; its repository may be renamed."""
    moments = [None if moment is None else instant(moment) for moment in (of.frozen_at, of.split)]
    sealed = examples.canonical([of.name, digest, of.scored_by, *moments])
    return sha256(sealed.encode()).hexdigest()[:16]


def digest_of(of: Iterable[Example]) -> str:
    """Return the sha256 of examples as the lines of a file, in hexadecimal."""
    return sha256("".join(f"{line}\n" for line in _lines(of)).encode()).hexdigest()


def freeze(unfrozen: ExampleSet, now: datetime) -> ExampleSet:
    """Return the set as one that does not change any more.

    It is split at the median date of asking over the examples whose answers the record states; where there are none,
    over all.

    Raises:
        FrozenSet: it is frozen already.
    """
    if unfrozen.frozen_at is not None:
        raise FrozenSet(f"{unfrozen.name} has been frozen since {instant(unfrozen.frozen_at)}.")
    dates = sorted(each.asked.at for each in unfrozen.examples if each.slice in SELF_EVIDENT)
    dates = dates or sorted(each.asked.at for each in unfrozen.examples)
    return replace(unfrozen, frozen_at=now, split=dates[len(dates) // 2] if dates else None)


def write(path: Path, to_write: ExampleSet) -> bool:
    """Write a set; returns whether the file changed. What is there is replaced as a whole or not at all.

    Raises:
        FrozenSet: a frozen set that differs stands there.
        NotASet: a file that is no set of questions stands there, or an id is in the set twice.
    """
    _check_ids(to_write.examples, path)
    text = "".join(
        f"{line}\n" for line in (examples.canonical(to_write.header()), *_lines(to_write.examples))
    )
    if path.exists():
        there = read(path)
        if path.read_text(encoding="utf-8") == text:
            return False
        if there.frozen_at is not None:
            raise _frozen(path, there)
    _replace(path, text)
    return True


def check_unfrozen(path: Path) -> None:
    """Refuse a file that may not be written to, before any work is done for it.

    Raises:
        FrozenSet: a frozen set stands there.
        NotASet: a file that is no set of questions stands there.
    """
    if path.exists():
        there = read(path)
        if there.frozen_at is not None:
            raise _frozen(path, there)


def read(path: Path) -> ExampleSet:
    """Read a set from a file.

    Raises:
        NotASet: the file cannot be read, is of an unknown version, or a line of it is wrong: named by its number; its
            header has been changed, or it is frozen and its lines are not those that were.
    """
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            lines = file.read().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise NotASet(f"{path} cannot be read: {reason}.") from error
    if lines[-1] == "":
        lines.pop()
    header = _json(path, 1, lines[0] if lines else "")
    found = read_header(path, header)
    # Else a frozen set could be thawed, or its split be moved, by a word in its first line.
    if header.get("seal") != seal(*found):
        raise NotASet(
            f"{path}, line 1: this header has been changed by hand: bring the file back, or mine anew."
        )
    read_examples = tuple(_example(path, number, line) for number, line in enumerate(lines[1:], 2))
    _check_ids(read_examples, path)
    held = replace(found[0], examples=tuple(sorted(read_examples, key=lambda each: each.id)))
    if held.frozen_at is not None and held.digest != found[1]:
        raise NotASet(
            f"{path} says that it is frozen, but its lines are not those that were: bring the frozen file back."
        )
    return held


def _frozen(path: Path, there: ExampleSet) -> FrozenSet:
    since = instant(there.frozen_at) if there.frozen_at else "some time"
    return FrozenSet(
        f"{path} holds the set {there.name}, which has been frozen since {since}: name another file."
    )


def _lines(of: Iterable[Example]) -> list[str]:
    ordered = sorted(of, key=lambda each: each.id)
    return [examples.canonical(examples.to_json(each)) for each in ordered]


def _replace(path: Path, text: str) -> None:
    try:
        with NamedTemporaryFile(
            "w", encoding="utf-8", newline="\n", dir=path.parent, prefix=f".{path.name}-", delete=False
        ) as file:
            unfinished = Path(file.name)
            try:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
                unfinished.chmod(0o644)
                unfinished.replace(path)
            except BaseException:
                unfinished.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise NotASet(f"{path} cannot be written: {error.strerror}.") from error


def _check_ids(of: Iterable[Example], path: Path) -> None:
    seen: set[str] = set()
    for each in of:
        if each.id in seen:
            raise NotASet(f"{path}: {each.id} is in the set twice.")
        seen.add(each.id)


def _json(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        value: object = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise NotASet(f"{path}, line {number}: no JSON.") from error
    if not isinstance(value, dict):
        raise NotASet(f"{path}, line {number}: no JSON object.")
    return cast("dict[str, Any]", value)


def _no_number(name: str) -> None:
    raise ValueError(name)


def _example(path: Path, number: int, line: str) -> Example:
    try:
        return examples.from_json(_json(path, number, line))
    except BadExample as error:
        raise NotASet(f"{path}, line {number}: {error}") from error


def read_header(path: Path | str, header: dict[str, Any]) -> tuple[ExampleSet, str]:
    """Return the set without its examples, and the digest that the header states; ``path`` is where it stands.

    Raises:
        NotASet: it is no header, or one of a version that is not known here.
    """
    version = header.get("version")
    if version != VERSION:
        said = "has no version" if version is None else f"is of version {version!r}"
        raise NotASet(f"{path} {said}, and this program reads version {VERSION}.")
    try:
        corpus = cast("dict[str, Any]", header["corpus"])
        return (
            ExampleSet(
                name=_of(str, header["name"]),
                repo=_of(str, header["repo"]),
                corpus=Corpus(
                    threads=_of(int, corpus["threads"]),
                    documents=_of(int, corpus["documents"]),
                    since=_moment(corpus["since"]),
                    until=_moment(corpus["until"]),
                ),
                versions={
                    _of(str, rule): _of(int, number)
                    for rule, number in cast("dict[str, Any]", header["versions"]).items()
                },
                frozen_at=_moment(header["frozen_at"]),
                split=_moment(header["split"]),
                scored_by=_scored_by(header.get("scored_by", "record")),
            ),
            _of(str, header["digest"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotASet(f"{path}, line 1: this is no header of a set of questions.") from error


def _moment(value: object) -> datetime | None:
    return None if value is None else parse_instant(_of(str, value))


def _scored_by(value: object) -> ScoredBy:
    if value not in JUDGES:
        raise ValueError
    return value


def _of(kind: type[_T], value: object) -> _T:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError
    return value
