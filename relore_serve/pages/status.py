"""The page of `status`: what is held, whether it adds up, how fresh it is, what of the quota is left.

Not wrapped: it quotes nobody. The few foreign words on it (names of files, messages of errors) are escaped.
"""

from __future__ import annotations

from typing import Any

from relore_serve.pages import pieces
from relore_serve.pages.untrusted import name

_COLUMNS = ("kind", "stated", "collected", "derived", "unexplained")


def render(payload: dict[str, Any], *, compact: bool, presentation: bool) -> str:
    """Return the page of a scrubbed answer."""
    del compact  # one short row per fact: nothing to shorten
    blocks = [
        "\n".join(_head(payload)),
        *("\n".join(_repository(repo)) for repo in payload["repositories"]),
        "\n".join(_passes(payload)),
        _usage(payload["usage"]) if "usage" in payload else "",
    ]
    if presentation and len(payload["repositories"]) > 1:
        blocks.append("(set RELORE_REPO to one of these, and a bare number needs no --repo)")
    return "\n\n".join(block for block in blocks if block)


def _head(payload: dict[str, Any]) -> list[str]:
    schema = payload["schema"]
    pending = f"pending {', '.join(schema['pending'])}" if schema["pending"] else "nothing pending"
    sizes = ", ".join(
        pieces.counted(payload[size], what)
        for size, what in (
            ("threads", "thread"),
            ("documents", "document"),
            ("raw_objects", "raw object"),
            ("superseded_documents", "superseded document"),
        )
    )
    return [
        f"version {payload['version']}" + (f" (API {payload['api']})" if "api" in payload else ""),
        f"schema {', '.join(schema['applied']) or 'none'}, {pending}",
        f"index {sizes}",
        *([] if payload["repositories"] else ["no repository is indexed here that may be asked about."]),
    ]


def _repository(repo: dict[str, Any]) -> list[str]:
    head = (
        f"{name(repo['repo'])} ({repo['source']}): {pieces.counted(repo['threads'], 'thread')}, "
        f"{pieces.counted(repo['documents'], 'document')}, {repo['unexplained']:,} unexplained"
    )
    return [head, *_table(repo["objects"]), *pieces.present(*_remarks(repo))]


def _table(accounts: list[dict[str, Any]]) -> list[str]:
    rows = [_COLUMNS, *(tuple(_cell(account[column]) for column in _COLUMNS) for account in accounts)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    lines = [
        "  "
        + "  ".join(
            cell.ljust(width) if not column else cell.rjust(width) for column, (cell, width) in entries
        )
        for entries in (list(enumerate(zip(row, widths, strict=True))) for row in rows)
    ]
    return [
        lines[0],
        *(f"{line}{_skipped(account)}" for line, account in zip(lines[1:], accounts, strict=True)),
    ]


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else name(str(value))


def _skipped(account: dict[str, Any]) -> str:
    notes = [f"{number:,} {_reason(reason)}" for reason, number in account["skipped"].items()]
    if account["missing_from_source"]:
        notes.append(f"{account['missing_from_source']:,} fewer than GitHub counts")
    return f"  ({'; '.join(notes)})" if notes else ""


def _reason(reason: str) -> str:
    words = reason.replace("_", " ")
    return words if all(character.isalnum() or character in " ,-" for character in words) else name(reason)


def _remarks(repo: dict[str, Any]) -> list[str | None]:
    orphans, rejected, redactions = repo["orphans"], repo["rejected"], repo["redactions"]
    return [
        "  standing: " + ", ".join(f"{number:,} {tier}" for tier, number in repo["authors"].items()),
        f"  rules: {', '.join(map(_rule, repo['rules']))}" if repo["rules"] else None,
        f"  orphans: {pieces.counted(orphans['objects'], 'object')} of "
        f"{pieces.counted(orphans['numbers'], 'number')} "
        "without a thread"
        if orphans["objects"]
        else None,
        f"  secrets redacted: {redactions['secrets']:,} in "
        f"{pieces.counted(redactions['objects_with_secrets'], 'object')}; "
        f"characters replaced: {redactions['characters']:,}"
        if redactions["secrets"] or redactions["characters"]
        else None,
        f"  lines that could not be read: {rejected['lines']:,}, the first: "
        + ", ".join(
            f"{name(line['file'])}:{line['line']} ({_reason(line['reason'])})" for line in rejected["first"]
        )
        if rejected["lines"]
        else None,
    ]


def _rule(rule: dict[str, Any]) -> str:
    behind = f" (the program has {rule['program']}: derive again)" if rule["current"] is False else ""
    return f"{name(rule['rule'])} {rule['stored']}{behind}"


def _passes(payload: dict[str, Any]) -> list[str]:
    rows = [
        f"  {name(row['repo'])} [{name(row['pass'])}] high-water {row['high_water'] or '-'} "
        f"last-ok {row['last_ok_at'] or '-'}" + _pass_note(row)
        for row in payload["passes"]
    ]
    return (
        [f"passes ({payload['passes_note']}; each thread's page says when it was indexed):", *rows]
        if rows
        else []
    )


def _pass_note(row: dict[str, Any]) -> str:
    notes = pieces.present(row["note"], name(row["error"]) if row["error"] else None)
    return f" ({'; '.join(notes)})" if notes else ""


def _usage(usage: dict[str, Any] | None) -> str:
    if usage is None:
        return "quota none (an open server for its own machine)"
    told = [
        f"{usage[limit]['used']:,}/{usage[limit]['limit']:,} {words}"
        if usage[limit]["limit"]
        else f"no limit {words}"
        for limit, words in (("per_minute", "per minute"), ("daily", "today"))
    ]
    return f"quota {', '.join(told)}"
