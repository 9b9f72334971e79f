"""Pieces that several pages print: who speaks, in which state, how many, and what the question was.

Foreign strings enter a line of ours through `untrusted.name`, `login` and `address` only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from relore_serve.pages.untrusted import login, name, quote
from relore_serve.signals import markdown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MACHINE = "MACHINE: a bot's words, no evidence"
_TIERS = {
    "authoritative": "authoritative",
    "reported": "contributor claim",
    "unresolved": "team member, unconfirmed",
    "machine": MACHINE,
}
_COMMENTS = frozenset({"issue_comment", "review", "review_comment"})
_REVIEW_STATES = {
    "APPROVED": "approved",
    "CHANGES_REQUESTED": "requested changes",
    "DISMISSED": "was dismissed",
}
_FLAGS = {
    "errors": "--error",
    "tests": "--test",
    "files": "--file",
    "symbols": "--symbol",
    "contains": "--contains",
    "labels": "--label",
    "authors": "--author",
}
LONGEST_ECHO = 160
"""Characters of the caller's own words that a page repeats."""
_EXCLUDED = 5
_NAMED = 8
_BREAKS = re.compile(r"\s+")


def tier(trust: str) -> str:
    """Return the standing of an author in words."""
    return _TIERS.get(trust, name(trust))


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return ``1 hit`` or ``1,240 hits``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def unasked(words: Sequence[str], *, heads: bool = False) -> str | None:
    """Return which words of a widened question no text was looked for by; ``heads``: but titles and opening posts."""
    if not words:
        return None
    more = f" and {len(words) - _NAMED:,} more" if len(words) > _NAMED else ""
    named = ", ".join(map(caller_words, words[:_NAMED]))
    where = "looked for in titles and opening posts at most" if heads else "not looked for"
    return (
        f"{where}, as too many texts carry {'it' if len(words) == 1 else 'them'}: {named}{more}; where a text "
        "that was found carries such a word, it counts."
    )


def of(section: dict[str, Any], one: str = "thread") -> str:
    """Return ``3 of 12 threads`` of a section that lists some of a total."""
    return f"{section['returned']:,} of {counted(section['total'], one)}"


def lasting(seconds: int) -> str:
    """Return a length of time to two digits or so: ``40 s``, ``12 min``, ``5 h``, ``3 days``."""
    for unit, length in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length:,} {unit}"
    return f"{seconds} s"


def words(text: str) -> str:
    """Return words of ours as they are; anything that might be somebody else's, in quotes."""
    words = text.replace("_", " ")
    return words if all(character.isalnum() or character in " ,-:;#./" for character in words) else name(text)


def caller_words(text: str) -> str:
    """Return the caller's own words on one line, in quotes, cut to `LONGEST_ECHO` with the cut counted."""
    flat = _BREAKS.sub(" ", text).strip().replace("\\", "\\\\").replace("'", "\\'")
    if len(flat) <= LONGEST_ECHO:
        return f"'{flat}'"
    return f"'{flat[:LONGEST_ECHO]}…' ({len(flat):,} characters)"


def comment_id(text: str) -> str:
    """Return the id of a comment, as it is taken back; its kind before it is one of our words."""
    kind, _, number = text.partition(":")
    return text if kind in _COMMENTS and number.isascii() and number.isalnum() else name(text)


def reference(thread: dict[str, Any]) -> str:
    """Return ``owner/name#92 pr``."""
    return f"{name(thread['repo'])}#{thread['number']} {thread['type']}"


def state(thread: dict[str, Any]) -> str:
    """Return the state in a word or two, as a row needs it; how it was closed is said elsewhere."""
    if thread["merged"]:
        return "merged"
    if thread["state"] is None:
        return "(state not known)"
    return (
        f"{thread['state']} draft" if thread.get("draft") and thread["state"] == "open" else thread["state"]
    )


def closing(thread: dict[str, Any]) -> str:
    """Return how and by whom a thread was closed or merged, or nothing where neither is known."""
    reason = thread.get("state_reason")
    words = [f"as {name(reason).replace('_', ' ')}"] if reason and reason != "completed" else []
    by = thread.get("merged_by") if thread["merged"] else thread.get("closed_by")
    if by:
        words.append("by its author" if by == thread["author"] else f"by {login(by)}")
    return " ".join(words)


def verdict(thread: dict[str, Any]) -> str | None:
    """Return the review decision with who made it and in which standing, None where there is none."""
    decision = thread.get("review_decision")
    if not decision:
        return None
    standings: Sequence[str] = thread.get("review_decision_standing") or ()
    people = [
        login(person) if standing == "authoritative" else f"{login(person)} ({tier(standing)})"
        for person, standing in zip(thread.get("review_decision_by") or (), standings, strict=False)
    ]
    said = "approved" if decision == "approved" else "changes requested"
    return f"{said} by {', '.join(people)}" if people else said


def review_state(state: str) -> str:
    """Return GitHub's word for what a review did, in ours."""
    return _REVIEW_STATES.get(state.upper(), name(state))


def byline(document: dict[str, Any]) -> str:
    """Return ``[tier] age source_type @author``, with the place of an inline comment and the passage."""
    words = [
        f"[{tier(document['trust'])}]",
        document["age"],
        document["source_type"],
        login(document["author"]),
    ]
    if document.get("review_state") and document["review_state"] != "COMMENTED":
        words.append(review_state(document["review_state"]))
    if document.get("path"):
        line = f":{document['line']}" if document.get("line") else ""
        words.append(f"{name(document['path'])}{line}")
    if document.get("passages"):
        words.append(f"(passage {document['chunk_index'] + 1} of {document['passages']})")
    if document.get("version"):
        words.append(earlier(document["version"]))
    return " ".join(words)


def earlier(version: str) -> str:
    """Return the note on a text that was edited since the cutoff and is told as it read before."""
    return f"(text of {version}, edited since)"


def hidden_parts(body: str) -> tuple[tuple[int, int], ...]:
    """Return where in a post GitHub shows nothing: HTML comments and the like, and where links go by their label."""
    return markdown.split(body).hidden_spans


def shown(body: str) -> str:
    """Return a whole post, quoted, with what GitHub hides left out and its place and size marked."""
    spans = hidden_parts(body)
    parts: list[str] = []
    done = 0
    for start, end in spans:
        parts += [body[done:start], f"[hidden on GitHub, {end - start:,} characters left out]"]
        done = end
    return quote("".join([*parts, body[done:]]).strip("\n"))


def filters(query: dict[str, Any]) -> list[str]:
    """Return every bound of a question as the flag it was given by, the ones nobody sees on a hit too."""
    found = [f"--kind {query['kind']}"] if query["kind"] else []
    found += [f"--trust {query['trust']}"] if query["trust"] else []
    for field, values in query["filters"].items():
        flag = _FLAGS.get(field, field)
        note = " [normalized]" if field == "errors" else ""
        found += [f"{flag} {caller_words(value)}{note}" for value in values]
    found += [f"--error {caller_words(value)}" for value in query.get("uninformative_errors", ())]
    found += ["--mentioned"] if query.get("mentioned") else []
    found += [f"--{bound} {query[bound]}" for bound in ("since", "before") if query[bound]]
    found += [f"--exclude {thread}" for thread in query["exclude"][:_EXCLUDED]]
    if len(query["exclude"]) > _EXCLUDED:
        found.append(f"--exclude of {len(query['exclude']) - _EXCLUDED:,} more")
    return found


def trust_floor(query: dict[str, Any]) -> str | None:
    """Return whose words were admitted, None where it is everybody but machines."""
    floor = query["trust_floor"]
    if set(floor) >= {"authoritative", "unresolved", "reported"}:
        return None
    merged = ", and anybody's words on a merged pull request" if query.get("trust_floor_merged") else ""
    return f"trust floor: {', '.join(tier(trust) for trust in floor)}{merged}"


def scrubbed(payload: dict[str, Any]) -> str | None:
    """Return what scrubbing took out, None where it was nothing."""
    removed = payload["scrubbed"]
    counts = [
        counted(removed["hidden_characters"], "hidden character") if removed["hidden_characters"] else "",
        counted(removed["marks"], "look-alike of a relore mark", "look-alikes of relore marks")
        if removed["marks"]
        else "",
        counted(removed["template_tokens"], "template token") if removed["template_tokens"] else "",
    ]
    named = [count for count in counts if count]
    return f"(removed or defused in this answer, --json included: {', '.join(named)})" if named else None


def left_out(threads: Sequence[str]) -> str | None:
    """Return the line that names the threads that the question itself left out; None where there are none."""
    if not threads:
        return None
    more = f" and {len(threads) - _EXCLUDED:,} more" if len(threads) > _EXCLUDED else ""
    return f"left out as asked: {', '.join(map(name, threads[:_EXCLUDED]))}{more}"


JUDGED_TODAY = "who is on the team, and how rare words are, is told as of today"
"""What no page as of a date can tell as of then."""


def withheld(fields: Iterable[str], before: str | None, today: Iterable[str] = ()) -> str | None:
    """Return the cutoff, which facts it leaves unsaid, and which are said as of ``today``; None without one."""
    names = ", ".join(field.replace("_", " ") for field in fields)
    said = " and ".join(field.replace("_", " ") for field in today)
    parts = [f"as of {before}, but {JUDGED_TODAY}"]
    parts += [f"not known as of then and left out: {names}"] if names else []
    parts += [f"in today's words: {said}"] if said else []
    return "; ".join(parts) if before else None


def present(*lines: str | None) -> list[str]:
    """Return the lines that have something to say."""
    return [line for line in lines if line]
