"""Secrets out of everything that is stored.

Detection, not a guarantee: the token formats of providers, private keys, passwords in addresses, and
assignments to names that promise a secret (see `assigned_secrets`). A placeholder says which kind stood
there; the value is never kept. What only looks random (hashes, ids, test vectors) stays.

Rules are versioned: rows remember the version they were written with, so that a later one can be run over
them.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

import orjson

from relore_assets.fetch import assigned_secrets
from relore_serve.hidden_characters import HIDDEN, replace_unstorable

VERSION: Final = 1


class RedactedJson(NamedTuple):
    """One JSON object without secrets and without characters that Postgres cannot hold."""

    payload: dict[str, Any]
    redactions: dict[str, int]
    """How many of each kind were replaced."""
    replacements: int
    """How many NULs and lone surrogates became U+FFFD."""


class _Rule(NamedTuple):
    """One kind of secret."""

    kind: str
    needles: tuple[str, ...]
    """A text that holds none of these holds no such secret."""
    pattern: re.Pattern[str]
    """Its group `secret`, or all of it, is the secret."""


def _rule(kind: str, needles: str, pattern: str) -> _Rule:
    return _Rule(kind, tuple(needles.split()), re.compile(pattern))


# Every pattern begins with a literal and repeats one class, bounded: linear, whatever the text. `_START`
# keeps longer words that merely end like a prefix out.
_START = r"(?<![A-Za-z0-9_])"
_RULES: tuple[_Rule, ...] = (
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    _rule("github-token", "github_pat_", r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}|github_pat_\w{40,255}"),
    _rule(
        "gitlab-token",
        "glpat- glptt- gldt- glrt- glcbt- glsoat- gloas- glft- glimt- glagent- glwt-",
        _START
        + r"gl(?:pat|ptt|dt|rt|cbt|soat|oas|ft|imt|agent|wt)-[A-Za-z0-9_-]{20,300}(?:\.[a-z0-9.]{9,20})?",
    ),
    _rule("npm-token", "npm_", _START + r"npm_[A-Za-z0-9]{36,64}"),
    _rule("pypi-token", "pypi-", _START + r"pypi-[A-Za-z0-9_-]{50,1000}"),
    _rule("slack-token", "xox", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,250}"),
    _rule("slack-token", "xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{20,250}"),
    _rule(
        "slack-webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/+-]{20,200})",
    ),
    _rule(
        "discord-webhook",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/(?P<secret>[0-9]{15,21}/[\w-]{50,100})",
    ),
    _rule(
        "aws-key-id",
        "AKIA ASIA ABIA ACCA A3T",
        _START + r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9_])",
    ),
    _rule("google-key", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
    _rule("google-secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{24,40}"),
    _rule("google-token", "ya29.", _START + r"ya29\.[A-Za-z0-9_-]{30,500}"),
    _rule(
        "azure-key",
        "AccountKey= SharedAccessKey=",
        r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,90}={0,2})",
    ),
    _rule("azure-secret", "Q~", r"(?<![\w~.-])[\w~.-]{3}[78]Q~[\w~.-]{31,34}(?![\w~.-])"),
    _rule("stripe-key", "k_live_", _START + r"[rs]k_live_[A-Za-z0-9]{16,250}"),
    _rule("webhook-secret", "whsec_", _START + r"whsec_[A-Za-z0-9+/]{24,100}={0,2}"),
    _rule("anthropic-key", "sk-ant-", _START + r"sk-ant-[A-Za-z0-9_-]{20,250}"),
    _rule(
        "openai-key",
        "sk-",
        r"(?<![A-Za-z0-9_-])sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,250}|[A-Za-z0-9]{20,100})",
    ),
    _rule("hugging-face-token", "hf_ api_org_", _START + r"(?:hf_|api_org_)[A-Za-z0-9]{34,60}"),
    _rule("sentry-token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9+/=_-]{32,500}"),
    _rule("sendgrid-key", "SG.", _START + r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}"),
    _rule("twilio-key", "SK", _START + r"SK[0-9a-f]{32}(?![A-Za-z0-9_])"),
    _rule("telegram-token", ":AA", r"(?<![A-Za-z0-9_:])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
    _rule("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _rule("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _rule("databricks-token", "dapi", _START + r"dapi[0-9a-f]{32}(?:-[0-9])?(?![A-Za-z0-9])"),
    _rule("docker-token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[A-Za-z0-9_-]{20,80}"),
    _rule("vault-token", "hvs. hvb. hvr.", _START + r"hv[bsr]\.[A-Za-z0-9_-]{24,300}"),
    _rule("age-key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{58,90}"),
    _rule(
        "jwt",
        "eyJ",
        r"(?<![A-Za-z0-9_.-])eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{5,8000}\.[A-Za-z0-9_-]{10,2000}",
    ),
    _rule(
        "url-password",
        "@",
        r"://[^\s/:@\"'<>\[\]()]{0,100}:(?P<secret>(?![$%{*]|x{3}|passw|pass@|pwd@|token@|secret@)"
        r"[^\s/@\"'<>\[\](){}`\\]{1,200})@[\w.-]",
    ),
    _rule(
        "aws-secret-key",
        "ecret",
        r"(?i:secret_?access_?key|aws_?secret(?:_?key)?)\\?[\"'`]?[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4}\\?[\"'`]?"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
)

_PEM = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_ENCODED = re.compile(r"[A-Za-z0-9+/=]{20}")
_ENCODED_LINE = re.compile(r"[ \t>+|-]{0,20}[A-Za-z0-9+/=]{20,}[ \t]{0,20}(?:\r?\n|$)|\s{1,20}")
_MAX_PEM = 40_000


def redact_text(text: str) -> tuple[str, dict[str, int]]:
    """The text with a placeholder for each secret, and how many of each kind there were."""
    seen, places = _seen(text)
    found = _secrets(seen)
    if not found:
        return text, {}
    counts: Counter[str] = Counter()
    pieces: list[str] = []
    done = 0
    for start, end, kind in found:
        first, last = (start, end) if places is None else (places[start], places[end - 1] + 1)
        pieces += (text[done:first], f"[redacted {kind}]")
        done = last
        counts[kind] += 1
    pieces.append(text[done:])
    return "".join(pieces), dict(counts)


def contains_secret(text: str) -> bool:
    """Whether `redact_text` would change this text."""
    return bool(_secrets(_seen(text)[0]))


def redact_json(line: bytes) -> RedactedJson:
    """One JSON object, every string of it redacted and fit for Postgres.

    Raises:
        ValueError: The bytes are not one JSON object.
    """
    payload = _parsed(line)
    if not _suspicious(line):
        return RedactedJson(payload, {}, 0)
    walk = _Walk()
    return RedactedJson(cast("dict[str, Any]", walk.value(payload)), dict(walk.redactions), walk.replacements)


def _parsed(line: bytes) -> dict[str, Any]:
    """The object in the line, lone surrogates included."""
    try:
        payload = orjson.loads(line)
    except ValueError:
        # The fast parser refuses lone surrogates, which GitHub has and the standard library takes.
        try:
            payload = json.loads(line)
        except RecursionError as error:
            raise ValueError("the JSON is nested too deeply") from error
    if not isinstance(payload, dict):
        raise ValueError("the JSON is not an object")  # noqa: TRY004 - a value is wrong
    return cast("dict[str, Any]", payload)


def _suspicious(line: bytes) -> bool:
    """Whether a line may hold anything that has to be replaced."""
    if b"\\u" in line or not line.isascii():
        return True
    lowered = line.lower()
    return any(needle in line for needle in _BYTE_NEEDLES) or any(
        needle in lowered for needle in _LOWER_NEEDLES
    )


_BYTE_NEEDLES = (b"PRIVATE KEY", *(needle.encode() for rule in _RULES for needle in rule.needles))
_LOWER_NEEDLES = tuple(needle.encode() for needle in assigned_secrets.NEEDLES)

#: A text that holds none of these, in whatever case, holds no secret: for sorting out texts where they are stored.
BEGINNINGS: Final = (
    "PRIVATE KEY",
    *dict.fromkeys(needle for rule in _RULES for needle in rule.needles),
    *assigned_secrets.NEEDLES,
)


class _Walk:
    """A copy of a JSON tree with every string of it, keys included, made fit to be stored."""

    def __init__(self) -> None:
        self.redactions: Counter[str] = Counter()
        self.replacements = 0

    def value(self, value: object) -> object:
        """The copy of one value."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.value(item) for item in cast("list[object]", value)]
        if isinstance(value, dict):
            return {self._text(k): self._member(k, v) for k, v in cast("dict[str, object]", value).items()}
        return value

    def _member(self, name: str, value: object) -> object:
        """The copy of a value that has a name, which may say that it is a secret."""
        if not (isinstance(value, str) and assigned_secrets.is_secret(name, value, quoted=True)):
            return self.value(value)
        kind = assigned_secrets.kind_of(name)
        self.redactions[kind] += 1
        return f"[redacted {kind}]"

    def _text(self, text: str) -> str:
        redacted, counts = redact_text(text)
        self.redactions.update(counts)
        stored, replaced = replace_unstorable(redacted)
        self.replacements += replaced
        return stored


def _seen(text: str) -> tuple[str, list[int] | None]:
    """The text as it looks, and where each of its characters stands: hidden ones may split a secret."""
    if text.isascii() and text.isprintable():
        return text, None
    hidden = [found.start() for found in _UNSEEN.finditer(text)]
    if not hidden:
        return text, None
    dropped = set(hidden)
    places = [place for place in range(len(text)) if place not in dropped]
    return "".join([text[place] for place in places]), places


_UNSEEN = re.compile(f"{HIDDEN.pattern}|[\ud800-\udfff]")


def _secrets(text: str) -> list[tuple[int, int, str]]:
    """Where secrets stand, in order and apart; of two that overlap, the one that begins first."""
    found = [
        (*match.span("secret" if rule.pattern.groupindex else 0), rule.kind)
        for rule in _RULES
        if any(needle in text for needle in rule.needles)
        for match in rule.pattern.finditer(text)
    ]
    if "PRIVATE KEY" in text:
        found += _private_keys(text)
    lowered = text.lower()
    if any(needle in lowered for needle in assigned_secrets.NEEDLES):
        found += assigned_secrets.find(text)
    found.sort(key=lambda place: (place[0], -place[1]))
    apart: list[tuple[int, int, str]] = []
    end = -1
    for place in found:
        if place[0] >= end:
            apart.append(place)
            end = place[1]
    return apart


def _private_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Private keys in armour, the armour included; one cut off at the end counts, an empty one does not."""
    begin = None
    for mark in _PEM.finditer(text):
        if begin is not None:
            yield from _armoured(text, begin, mark)
            begin = None
        if mark[1] == "BEGIN":
            begin = mark
    if begin is not None:
        yield from _armoured(text, begin, None)


def _armoured(text: str, begin: re.Match[str], mark: re.Match[str] | None) -> Iterator[tuple[int, int, str]]:
    """The key between its first line and its last, where that is there."""
    if mark is not None and mark[1] == "END" and mark.start() - begin.end() <= _MAX_PEM:
        if _ENCODED.search(text, begin.end(), mark.start()):
            yield begin.start(), mark.end(), "private-key"
        return
    end = begin.end()
    limit = min(mark.start() if mark else len(text), end + _MAX_PEM)
    while end < limit and (line := _ENCODED_LINE.match(text, end, limit)):
        end = line.end()
    if _ENCODED.search(text, begin.end(), end):
        yield begin.start(), end, "private-key"
