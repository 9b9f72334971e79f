"""The page of a brief: a thread's head, its people, and the threads beside it, section by section.

Every section says how many it lists of how many there are, and one that lists nothing says why. In the compact form a
row of the same repository is named by number and kind alone: its address is that of the page with another number, which
the page says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from relore_serve.pages import addresses, pieces
from relore_serve.pages.thread import events, identity
from relore_serve.pages.untrusted import login, name, quote, wrap

COMPACT_TITLE = 80
"""Characters of a row's title in the compact form; what is cut is counted."""
_BASES = {
    "changed": "its diff, now or earlier",
    "anchored": "its inline comments",
    "mentioned": "what is said in it",
}


def render(payload: dict[str, Any], *, compact: bool, presentation: bool) -> str:
    """Return the page of a scrubbed answer."""
    thread = payload["thread"]
    rows = _Rows(thread["repo"], addresses.place(thread) if compact else None, compact=compact)
    sections = [
        _closes(payload["closes"], rows),
        _competing(payload, rows),
        _files(payload["file_history"], rows),
        _error(payload["same_error"], rows),
        _similar(payload, rows),
    ]
    nothing = "; ".join(
        pieces.present(
            *(section[0] for section in sections if len(section) == 1),
            f"{pieces.counted(rows.cut, 'title')} cut: --no-compact" if rows.cut else None,
        )
    )
    head = [
        *identity(thread),
        addresses.of(thread["url"]) + (f" (rows: {addresses.with_number(thread)})" if rows.short else ""),
        *events(thread),
        _opener(payload["opener"]),
        *_people(payload["people"]),
        *pieces.present(
            _as_of(payload),
            pieces.left_out(payload["exclude"]),
            _left_out(thread),
            f"indexed {thread['indexed_at']}",
            pieces.scrubbed(payload),
        ),
    ]
    foot = pieces.present(
        f"(read one: relore thread {name(thread['repo'])}#N; one comment of it whole: --comment ID)"
        if presentation
        else None,
    )
    told = [section for section in sections if len(section) > 1]
    blocks = [head, *told, *([[f"({nothing})"]] if nothing else []), *([foot] if foot else [])]
    return wrap("\n\n".join("\n".join(block) for block in blocks))


@dataclass(slots=True)
class _Rows:
    """Prints rows, and counts what it shortened of them.

    Attributes:
        place: what the addresses of the repository's threads begin with, None to print every address whole.
        short: rows whose address was left to the page's own.
        cut: titles that were cut.
    """

    repo: str
    place: str | None
    compact: bool
    short: int = 0
    cut: int = 0

    def lines(self, row: dict[str, Any], *more: str) -> list[str]:
        """Return the lines of one thread: number, kind, state, age, opener, ``more``; its title; the words for it."""
        near = addresses.is_thread_of(self.place, row)
        self.short += near
        closing = pieces.closing(row) if row["state"] == "closed" and not row["merged"] else ""
        verdict = pieces.verdict(row) if row["state"] == "open" else None
        tier = f" [{pieces.tier('machine')}]" if row["trust"] == "machine" else ""
        head = pieces.present(
            f"#{row['number']} {row['type']}" if near else pieces.reference(row),
            pieces.state(row),
            closing,
            f"({verdict})" if verdict else None,
            row["age"],
            f"{login(row['author'])}{tier}",
            *more,
        )
        title = row["title"].strip()
        if self.compact and len(title) > COMPACT_TITLE:
            self.cut += 1
            title = f"{title[:COMPACT_TITLE].rstrip()}…"
        lines = [" ".join(head), quote(title)]
        if not near:
            lines.append(addresses.of(row["url"]))
        # Why a thread is like this one is what another page is for.
        return [
            *lines,
            *(self._words(row["evidence"]) if row["evidence"] and row["how"] != "similar" else ()),
        ]

    def _words(self, said: dict[str, Any]) -> list[str]:
        if said["source_type"] == "title":
            return []
        where = addresses.fragment(said["url"]) if self.place else addresses.of(said["url"])
        line = f":{said['line']}" if said["line"] else ""
        kind = addresses.kind(said, where) if self.place else said["source_type"]
        place = f"{name(said['path'])}{line}" if said["path"] else kind
        tier = f"[{pieces.tier(said['trust'])}]"
        byline = pieces.present(login(said["author"]), tier, said["age"], place, where)
        return [" ".join(byline), quote(said["snippet"])]


def _opener(opener: dict[str, Any]) -> str:
    who = f"opened by {login(opener['author'])} [{pieces.tier(opener['trust'])}]"
    if not opener["known"]:
        return f"{who}: the account is gone, so its record is not known"
    if not opener["prs"] and not opener["issues"]:
        return f"{who}: nothing else by them is indexed here"
    return (
        f"{who}: {pieces.counted(opener['prs'], 'other PR')} here ({opener['merged']:,} merged), "
        f"{pieces.counted(opener['issues'], 'issue')}, first {opener['first_age']} ago"
    )


def _people(people: dict[str, Any]) -> list[str]:
    machines = people["machine_comments"]
    bots = f"; {pieces.counted(machines, 'machine comment')} not listed" if machines else ""
    if not people["total"]:
        return [f"replies: nobody else's{bots}"]
    returned, total = people["returned"], people["total"]
    of = f"{returned:,} of {total:,}" if returned < total else f"{total:,}"
    # Where all are listed, the lines below say it.
    partly = returned < total
    standing = [f", {people['authoritative']:,} with write access"] if partly else []
    if partly and people["unresolved"]:
        standing.append(f", {people['unresolved']:,} of the team unconfirmed")
    who = f"{of} {'person' if total == 1 else 'people'}"
    return [f"replies (count, last): {who}{''.join(standing)}{bots}", *_by_tier(people["listed"])]


def _by_tier(people: list[dict[str, Any]]) -> list[str]:
    """Return a line for each standing, those with most of it first."""
    lines: list[str] = []
    for tier in dict.fromkeys(one["trust"] for one in people):
        told = [
            f"{login(one['author'])} {one['comments']:,} {one['age']}"
            for one in people
            if one["trust"] == tier
        ]
        lines.append(f"[{pieces.tier(tier)}] {', '.join(told)}")
    return lines


def _as_of(payload: dict[str, Any]) -> str | None:
    rows = [f"{field} of some rows" for field in payload["rows_withheld"]]
    return pieces.withheld(
        [*payload["thread"]["withheld"], *rows], payload["before"], payload["todays_words"]
    )


def _left_out(thread: dict[str, Any]) -> str | None:
    number = thread["comments_edited_since"] + thread["comments_undated"]
    if not number:
        return None
    return f"{pieces.counted(number, 'comment')} edited since or undated: left out, not counted among replies"


def _closes(closes: dict[str, Any], rows: _Rows) -> list[str]:
    if not closes["total"]:
        return ["closes nothing"]
    lines = [f"closes: {pieces.of(closes)}"]
    for one in closes["listed"]:
        lines += (
            rows.lines(one["thread"]) if one["thread"] else [f"{_target(one['target'], rows)}: not indexed"]
        )
    return lines


def _target(target: str, rows: _Rows) -> str:
    owner, _, number = target.rpartition("#")
    return f"#{number}" if owner.lower() == rows.repo.lower() else name(target)


def _competing(payload: dict[str, Any], rows: _Rows) -> list[str]:
    competing = payload["competing"]
    word = "in flight" if payload["thread"]["type"] == "issue" else "competing"
    targets = [_target(target, rows) for target in competing["targets"]]
    if not competing["total"]:
        none = f"nobody {'' if word == 'in flight' else 'else '}claims {' or '.join(targets)}"
        if competing["links_indexed"]:
            return [none]
        return [
            f"{none}, but this repository has no relationship rows at all, so that is no answer: derive it first"
        ]
    lines = [f"{word}: {pieces.of(competing)} {'claims' if competing['total'] == 1 else 'claim'} to close"]
    for row in competing["threads"]:
        lines += rows.lines(row, f"closes {', '.join(_target(one, rows) for one in row['targets'])}")
    return lines


def _files(history: dict[str, Any], rows: _Rows) -> list[str]:
    if history["basis"] is None:
        return ["no path known"]
    used, total = len(history["paths_used"]), history["paths_total"]
    some = f"the rarest {used:,} of " if used < total else ""
    least = "" if history["total_exact"] else "at least "
    found = f"{history['total']:,}"
    by_diff = history["returned"] > 1 and all(row["how"] == "changed" for row in history["threads"])
    ways = pieces.present(
        f"{history['mentioning']:,} only name one" if history["mentioning"] else None,
        f"{history['above']:,} above" if history["above"] else None,
        f"{pieces.counted(history['untested'], 'PR')} unchecked, no whole list"
        if history["untested"]
        else None,
    )
    asked = f"{some}{pieces.counted(total, 'path')} of {_BASES[history['basis']]}"
    listed = f"{history['returned']:,} of {least}{found}{', by their diffs' if by_diff else ''}"
    lines = [f"same files of any date ({asked}): {'; '.join([listed, *ways])}"]
    for row in history["threads"]:
        paths = pieces.counted(row["paths"], "path") if by_diff else str(row["paths"])
        lines += rows.lines(
            row, *pieces.present(None if by_diff else row["how"], paths if used > 1 else None)
        )
    return lines


def _above(section: dict[str, Any]) -> str:
    return f", {section['above']:,} above" if section["above"] else ""


def _error(same: dict[str, Any], rows: _Rows) -> list[str]:
    if same["error"] is None:
        return ["no telling error"]
    if not same["total"]:
        return ["same error: met in no other thread", quote(same["error"])]
    lines = [f"same error: {pieces.of(same, 'other thread')}{_above(same)}", quote(same["error"])]
    for row in same["threads"]:
        lines += rows.lines(row)
    return lines


def _similar(payload: dict[str, Any], rows: _Rows) -> list[str]:
    similar = payload["similar"]
    if not similar["returned"]:
        return [f"none like it{_above(similar)}"]
    least = "" if similar["total_exact"] else "at least "
    thread = payload["thread"]
    # The first line says of which repository.
    why = f"relore similar {'…' if rows.place else name(thread['repo'])}#{thread['number']}"
    lines = [f"similar: {similar['returned']:,} of {least}{similar['total']:,}{_above(similar)} ({why})"]
    for row in similar["threads"]:
        duplicate = {"of": "called its original", "by": "called its duplicate"}.get(row["duplicate"] or "")
        lines += rows.lines(row, *pieces.present(duplicate))
    return lines
