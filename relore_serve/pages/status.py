"""The page of `status`: what is held, whether it adds up, how fresh it is, what of the quota is left.

Not wrapped: it quotes nobody. The few foreign words on it (names of files, messages of errors) are escaped.
"""

from __future__ import annotations

from typing import Any

from relore_serve.pages import activity, pieces
from relore_serve.pages.untrusted import name

#: Fields of an account, and how their columns are headed. What the source says it holds, and what GitHub itself
#: counts, are two things.
_COLUMNS = {
    "kind": "kind",
    "stated": "stated",
    "github_states": "on GitHub",
    "collected": "collected",
    "derived": "derived",
    "unexplained": "unexplained",
}


def render(payload: dict[str, Any], *, compact: bool, presentation: bool) -> str:
    """Return the page of a scrubbed answer."""
    del compact  # one short row per fact: nothing to shorten
    blocks = [
        "\n".join(_head(payload)),
        *("\n".join(_repository(repo, payload)) for repo in payload["repositories"]),
        "\n".join(_passes(payload)),
        "\n".join(_quotas(payload["quotas"])),
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
    uncounted = sum(repo["counted_at"] is None for repo in payload["repositories"])
    without = f", without {pieces.counted(uncounted, 'repository', 'repositories')} not counted yet"
    return [
        f"version {payload['version']}" + (f" (API {payload['api']})" if "api" in payload else ""),
        *_pin(payload.get("pin")),
        _semantic(payload["semantic"]),
        f"schema {', '.join(schema['applied']) or 'none'}, {pending}",
        f"index {sizes}" + (without if uncounted else ""),
        *([] if payload["repositories"] else ["no repository is indexed here that may be asked about."]),
    ]


def _semantic(tier: dict[str, Any]) -> str:
    """Return whether threads are found by likeness too, and how many can be."""
    if not tier["on"]:
        return f"semantic tier off: {tier['why_off']}"
    stale = f", {tier['stale']:,} of them of words that have changed since" if tier["stale"] else ""
    without = tier["threads"] - tier["vectors"]
    others = f"; {without:,} {'is' if without == 1 else 'are'} found by words alone" if without > 0 else ""
    return (
        f"semantic tier on ({tier['model']}): {tier['vectors']:,} of {pieces.counted(tier['threads'], 'thread')} "
        f"{'has' if tier['vectors'] == 1 else 'have'} a vector{stale}{others}"
    )


def _pin(pin: dict[str, Any] | None) -> list[str]:
    """Return what a pinned server withholds from everybody."""
    if pin is None:
        return []
    bounds = [f"every page is as of {pin['before']}"] if pin["before"] else []
    bounds += [f"{pieces.counted(pin['excluded'], 'thread')} withheld from all"] if pin["excluded"] else []
    return [f"EVALUATION MODE: {'; '.join(bounds) or 'some threads are withheld'}", pin["note"]]


def _repository(repo: dict[str, Any], payload: dict[str, Any]) -> list[str]:
    samples = [sample for sample in payload["samples"] if sample["repo"] == repo["repo"]]
    return [
        *_books(repo),
        *(f"  now: {pieces.words(each)} is under way" for each in _at_work_in_silence(repo)),
        *(activity.line(run) for run in repo["activity"]),
        *(_table(repo["objects"]) if repo["objects"] is not None else []),
        *pieces.present(*_remarks(repo)),
        *map(_sample, samples),
    ]


def _books(repo: dict[str, Any]) -> list[str]:
    """Return the sums with their date, and why they may be out of date."""
    head = f"{name(repo['repo'])} ({repo['source']}): "
    if repo["counted_at"] is None:
        return [f"{head}not counted yet; that is done when a pass over it ends, `relored derive` is one"]
    sums = (
        f"{pieces.counted(repo['threads'], 'thread')}, {pieces.counted(repo['documents'], 'document')}, "
        f"{repo['unexplained']:,} unexplained, counted at {repo['counted_at']}"
    )
    since = " and ".join(map(pieces.words, repo["ran_since"]))
    stale = f"  {since} ran since: these counts are of {repo['counted_at']} and may have changed"
    return [f"{head}{sums}", *([stale] if since else [])]


def _at_work_in_silence(repo: dict[str, Any]) -> list[str]:
    """Return passes under way that do not write down what they are doing."""
    talking = {run["pass"] for run in repo["activity"] if run["under_way"]}
    return [each for each in repo["under_way"] if each not in talking]


def _sample(sample: dict[str, Any]) -> str:
    what = "issues" if sample["thread_type"] == "issue" else "pull requests"
    merged = "merged " if sample["selector"] == "merged" else ""
    return (
        f"  SAMPLE: only {merged}{what} updated since {sample['indexed_from']} were fetched "
        f"(declared {sample['sampled_at']}); older ones are missing on purpose"
    )


def _table(accounts: list[dict[str, Any]]) -> list[str]:
    rows = [
        tuple(_COLUMNS.values()),
        *(tuple(_cell(account[field]) for field in _COLUMNS) for account in accounts),
    ]
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
    notes = [f"{number:,} {pieces.words(reason)}" for reason, number in account["skipped"].items()]
    if account["missing_from_source"]:
        notes.append(f"{account['missing_from_source']:,} fewer than GitHub counts")
    return f"  ({'; '.join(notes)})" if notes else ""


def _remarks(repo: dict[str, Any]) -> list[str | None]:
    orphans, rejected, redactions = repo["orphans"], repo["rejected"], repo["redactions"]
    return [
        "  standing: " + ", ".join(f"{number:,} {tier}" for tier, number in repo["authors"].items()),
        f"  rules: {', '.join(map(_rule, repo['rules']))}" if repo["rules"] else None,
        f"  orphans: {pieces.counted(orphans['objects'], 'object')} of "
        f"{pieces.counted(orphans['numbers'], 'number')} "
        "without a thread"
        if orphans and orphans["objects"]
        else None,
        f"  secrets redacted: {redactions['secrets']:,} in "
        f"{pieces.counted(redactions['objects_with_secrets'], 'object')}; "
        f"characters replaced: {redactions['characters']:,}"
        if redactions and (redactions["secrets"] or redactions["characters"])
        else None,
        f"  lines that could not be read: {rejected['lines']:,}, the first: "
        + ", ".join(
            f"{name(line['file'])}:{line['line']} ({pieces.words(line['reason'])})"
            for line in rejected["first"]
        )
        if rejected and rejected["lines"]
        else None,
        _vectors(repo["semantic"]),
        f"  removed: {_removed(repo['removed'])}" if repo["removed"] else None,
    ]


def _vectors(counted: dict[str, Any] | None) -> str | None:
    if counted is None:
        return None
    return (
        f"  vectors: {counted['vectors']:,} of {pieces.counted(counted['threads'], 'thread')}, "
        f"{counted['stale']:,} stale ({name(counted['model'])})"
    )


def _removed(removed: dict[str, dict[str, int]]) -> str:
    """Return what is gone and why; of people only how many."""
    return "; ".join(
        f"{', '.join(pieces.counted(number, pieces.words(kind)) for kind, number in kinds.items())} "
        f"{pieces.words(reason)}"
        for reason, kinds in removed.items()
    )


def _rule(rule: dict[str, Any]) -> str:
    behind = f" (the program has {rule['program']}: derive again)" if rule["current"] is False else ""
    return f"{name(rule['rule'])} {rule['stored']}{behind}"


def _passes(payload: dict[str, Any]) -> list[str]:
    rows = [
        f"  {name(row['repo'])} [{name(row['pass'])}] high-water {row['high_water'] or '-'} "
        f"last-ok {row['last_ok_at'] or '-'}{_lag(row)}" + _pass_note(row)
        for row in payload["passes"]
    ]
    return (
        [f"passes ({payload['passes_note']}; each thread's page says when it was indexed):", *rows]
        if rows
        else []
    )


def _pass_note(row: dict[str, Any]) -> str:
    notes = pieces.present(
        row["note"],
        _coverage(row["windows"]) if row["windows"] else None,
        name(row["error"]) if row["error"] else None,
    )
    return f" ({'; '.join(notes)})" if notes else ""


def _lag(row: dict[str, Any]) -> str:
    return "" if row["lag_seconds"] is None else f", {pieces.lasting(row['lag_seconds'])} ago"


def _coverage(windows: dict[str, Any]) -> str:
    """Return how many quarters a pass has been through, and the first of those it has not."""
    total = f"{windows['through']:,} of {pieces.counted(windows['of'], 'quarter')} since {windows['first']}"
    left = windows["of"] - windows["through"]
    if not left:
        return total
    more = f" and {left - len(windows['open']):,} more" if left > len(windows["open"]) else ""
    return f"{total}, not through: {', '.join(windows['open'])}{more}"


def _quotas(quotas: list[dict[str, Any]]) -> list[str]:
    rows = [
        f"  {pieces.words(row['token'])} {pieces.words(row['resource'])}: "
        f"{row['remaining']:,} of {row['allowed']:,} left until {row['resets_at']} (as of {row['seen_at']})"
        for row in quotas
    ]
    return ["GitHub's quota, as it last said:", *rows] if rows else []


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
