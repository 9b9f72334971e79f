"""A failure met again → the threads that met it before. Proposals, for somebody to judge.

The newest text that carries an error or a failing test asks, by three words of its line, in the index as it stood when
it was written; the other carriers are proposed. The question does not filter by the error: with it the answer would be
looked up, not searched for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from relore_assets.mine.example import Asked, Filters
from relore_assets.mine.source import Mined, Source, proposed
from relore_assets.mine.texts import error_line, lexemes, one_line, rarest, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: A failure that more threads report is met everywhere, and a shorter message says nothing.
CARRIERS_MOST = 8
MESSAGE_LEAST = 12
QUERY_WORDS = 3

#: Groups that are looked at, the smallest first.
GROUPS_MOST = 1_000

#: What every line of its kind says, and tools whose failure only passes on another's.
_EVERYWHERE = frozenset({"error", "errors", "warning", "warnings", "fatal", "note", "home", "usr", "src"})

#: What says that a process ended, of whatever: no failure is told from another by it.
_ENDED_WORDS = """
    abort aborted aborting code command core crashed died dumped dumping exception exit exited failed failure fault job
    killed process returned returning segfault segmentation signal status step stopped terminated
"""
_ENDED = frozenset(_ENDED_WORDS.split())
_SIGNAL = re.compile(r"SIG[A-Z]{2,6}\d?")
_PASSES_ON = frozenset({"make", "shell"})

#: A word is rare that one of so many documents carries, and in a small history, so many of them.
_FEW = (250, 100)
_HARDLY_ANY = (1_000, 25)

Row = dict[str, Any]


def mine(source: Source) -> Iterator[Mined]:
    """Yield ``failure``; the fewer threads carry it, the better."""
    groups = source.rows("shared_failures", carriers_most=CARRIERS_MOST, message_least=MESSAGE_LEAST)
    asked: list[tuple[Row, Row, list[int], list[str]]] = []
    for group in groups[:GROUPS_MOST]:
        if group["tail"] in _PASSES_ON:
            continue
        carriers = source.rows("carriers", kind=group["kind"], tail=group["tail"], value=group["value"])
        if not carriers:
            continue
        newest = max(carriers, key=lambda row: (row["created_at"], row["number"]))
        earlier = [row["number"] for row in carriers if row["created_at"] < newest["created_at"]]
        line = _line(group, newest["body"])
        if earlier and line:
            asked.append((group, newest, earlier, _telling(line, group["value"])))
    frequencies = source.frequencies(word for *_, listed in asked for word in listed)
    [corpus] = source.rows("corpus")
    few, hardly_any = (max(least, corpus["documents"] // part) for part, least in (_FEW, _HARDLY_ANY))
    seen: set[tuple[int, tuple[int, ...]]] = set()
    for group, newest, earlier, listed in asked:
        chosen = rarest(listed, frequencies, QUERY_WORDS)
        # Lines of one paste are one failure.
        same = (newest["number"], tuple(earlier))
        if len(chosen) < QUERY_WORDS or same in seen or not _tells(chosen, frequencies, few, hardly_any):
            continue
        seen.add(same)
        example = source.example(
            "failure",
            " ".join(chosen),
            Asked(
                newest["number"],
                newest["source_type"],
                newest["source_id"],
                newest["url"],
                newest["created_at"],
            ),
            [proposed(number, "it reports the same failure") for number in earlier],
            filters=Filters(kind="failure"),
            withheld=[newest["number"]],
            before=newest["created_at"],
            evidence={"kind": group["kind"], "carriers": len(group["numbers"])},
        )
        yield Mined(-len(group["numbers"]), example)


def _tells(chosen: list[str], frequencies: Mapping[str, int], few: int, hardly_any: int) -> bool:
    """Whether words tell one failure from others: two of them are rare, or one is all but unique."""
    counts = sorted(frequencies.get(lexeme, 0) for lexeme in lexemes(chosen).values())
    return counts[1] <= few or counts[0] <= hardly_any


def _telling(line: str, message: str) -> list[str]:
    """Return the words of a line that stand in its message too: not where the tool stands, nor where it looked."""
    said = {word.lower() for word in words(message)} - _EVERYWHERE - _ENDED
    return [
        word for word in words(one_line(line)) if word.lower() in said and not _SIGNAL.fullmatch(word.upper())
    ]


def _line(group: Row, body: str) -> str | None:
    if group["kind"] == "error":
        return error_line(body, group["tail"], group["value"])
    value: str = group["value"]
    return value if value in body else None
