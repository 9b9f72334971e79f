"""The formats of secrets that say what they are: tokens of providers, private keys, passwords in addresses.

One row a format. Every pattern begins with a literal and repeats one class, bounded, so that time is linear
whatever the text. Whoever adds a format adds its beginning to `BEGINNINGS` too, which decide whether a text
is looked at.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple


class Format(NamedTuple):
    """One kind of secret."""

    kind: str
    needle: re.Pattern[str]
    """A text in which this is not found holds no such secret."""
    pattern: re.Pattern[str]
    """Its group `secret`, or all of it, is the secret."""


def _format(kind: str, needle: str, pattern: str) -> Format:
    return Format(kind, re.compile(needle), re.compile(pattern, re.ASCII))


# What follows is not the end of a longer word.
_START = r"(?<![A-Za-z0-9_])"
_END = r"(?![A-Za-z0-9_])"

FORMATS: Final[tuple[Format, ...]] = (
    _format("github-token", r"gh[pousr]_", r"gh[pousr]_[A-Za-z0-9]{36,}"),
    _format("github-token", "github_pat_", r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9_]{40,}"),
    _format(
        "gitlab-token",
        r"gl[a-z]{2,5}-",
        _START + r"gl(?:pat|ptt|dt|rt|cbt|soat|oas|ft|ffct|imt|agent|wt)-[A-Za-z0-9_-]{20,300}"
        r"(?:\.[0-9a-z]{2}\.[0-9a-z]{7,9})?",
    ),
    _format("npm-token", "npm_", _START + r"npm_[A-Za-z0-9]{36,}"),
    _format("pypi-token", "pypi-", _START + r"pypi-[A-Za-z0-9_-]{50,}"),
    _format("rubygems-token", "rubygems_", _START + r"rubygems_[0-9a-f]{48}"),
    _format("slack-token", "xox", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}"),
    _format("slack-token", "xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{20,}"),
    _format(
        "slack-webhook",
        r"hooks\.slack",
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9_/+-]{20,200})",
    ),
    _format(
        "discord-webhook",
        "/webhooks/",
        r"discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/(?P<secret>[0-9]{15,21}/[A-Za-z0-9_-]{50,100})",
    ),
    _format(
        "aws-key-id",
        r"A(?:[KS]IA|BIA|CCA|3T)",
        _START + r"A(?:[KS]IA|BIA|CCA|3T[A-Z0-9])[A-Z0-9]{16}" + _END,
    ),
    _format(
        "aws-secret-key",
        r"(?i:secret)",
        r"(?i:secret_?access_?key|aws_?secret(?:_?key)?)\\?[\"'`]?[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4}\\?[\"'`]?"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    _format("google-key", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
    _format("google-secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{24,}"),
    _format("google-token", r"ya29\.", _START + r"ya29\.[A-Za-z0-9_-]{30,}"),
    _format(
        "azure-key",
        "Key=",
        r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,90}={0,2})",
    ),
    _format(
        "azure-secret",
        "Q~",
        r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])",
    ),
    _format("stripe-key", "k_live_", _START + r"[rs]k_live_[A-Za-z0-9]{16,}"),
    _format("webhook-secret", "whsec_", _START + r"whsec_[A-Za-z0-9+/]{24,100}={0,2}"),
    _format("anthropic-key", "sk-ant-", _START + r"sk-ant-[A-Za-z0-9_-]{20,}"),
    _format(
        "openai-key",
        "sk-",
        r"(?<![A-Za-z0-9_-])sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,250}"
        r"|(?=[A-Za-z]{0,60}[0-9])[A-Za-z0-9]{20,100}(?![A-Za-z0-9_-]))",
    ),
    _format("groq-key", "gsk_", _START + r"gsk_[A-Za-z0-9]{40,}"),
    _format("perplexity-key", "pplx-", _START + r"pplx-[A-Za-z0-9]{40,}"),
    _format("xai-key", "xai-", _START + r"xai-[A-Za-z0-9]{60,}"),
    _format("hugging-face-token", r"hf_|api_org_", _START + r"(?:hf_|api_org_)[A-Za-z0-9]{34,}"),
    _format("replicate-token", "r8_", _START + r"r8_[A-Za-z0-9]{37}" + _END),
    _format("sentry-token", r"sntry[su]_", r"sntry[su]_[A-Za-z0-9+/=_-]{32,}"),
    _format("sendgrid-key", r"SG\.", _START + r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,}"),
    _format("twilio-key", "SK", _START + r"SK[0-9a-f]{32}" + _END),
    _format("telegram-token", ":AA", r"(?<![A-Za-z0-9_:])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
    _format("digitalocean-token", "_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _format("shopify-token", "shp", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _format("databricks-token", "dapi", _START + r"dapi[0-9a-f]{32}(?:-[0-9])?(?![A-Za-z0-9])"),
    _format("docker-token", r"dckr_", r"dckr_[po]at_[A-Za-z0-9_-]{20,}"),
    _format("vault-token", r"hv[bsr]\.", _START + r"hv[bsr]\.[A-Za-z0-9_-]{24,}"),
    _format(
        "grafana-token",
        "gl(?:sa|c)_",
        _START + r"gl(?:sa_[A-Za-z0-9]{32}_[0-9a-f]{8}|c_eyJ[A-Za-z0-9+/=]{30,400})",
    ),
    _format("linear-key", "lin_api_", _START + r"lin_api_[A-Za-z0-9]{40}"),
    _format("notion-token", "ntn_", _START + r"ntn_[A-Za-z0-9]{40,}"),
    _format("supabase-token", "sbp_", _START + r"sbp_[0-9a-f]{40}" + _END),
    _format("postman-key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _format("tailscale-key", "tskey-", _START + r"tskey-[a-z]{3,10}-[A-Za-z0-9]{8,20}-[A-Za-z0-9]{16,}"),
    _format("age-key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{58,}"),
    _format(
        "jwt",
        r"\.eyJ",
        r"(?<![A-Za-z0-9_.-])eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{5,8000}\.[A-Za-z0-9_-]{10,}",
    ),
    _format(
        "url-password",
        "://",
        r"://[^\s/:@\"'<>\[\]()]{0,100}:(?P<secret>(?![$%{*]|x{3}|passw|(?:pass|pwd|token|secret)@)"
        r"[^\s/@\"'<>\[\](){}`\\]{1,200})@[A-Za-z0-9_.-]",
    ),
    _format(
        "bearer-token",
        "earer ",
        r"[Bb]earer (?P<secret>(?=[A-Za-z_.~+/-]{0,60}[0-9])[A-Za-z0-9_.~+/-]{30,500}={0,2})(?![\w(<])",
    ),
    _format(
        "basic-credentials", "asic ", r"[Aa]uthorization:? [Bb]asic (?P<secret>[A-Za-z0-9+/]{12,400}={0,2})"
    ),
)

# What a text has to hold to be looked at: each begins with a literal that is not frequent, and is as narrow
# as it can cheaply be. All but the last are also found in the bytes of JSON, where no escape can stand in a
# token.
BEGINNINGS: Final[tuple[str, ...]] = (
    (
        r"_(?=[A-Za-z0-9+/_-]{16})(?:(?<=gh[pousr]_)|(?<=_[po]at_)|(?<=npm_)|(?<=hf_)|(?<=k_live_)|(?<=whsec_)"
        r"|(?<=sntry[su]_)|(?<=_v1_)|(?<=shp(?:at|ca|pa|ss)_)|(?<=api_org_)|(?<=lin_api_)|(?<=gsk_)|(?<=glsa_)"
        r"|(?<=glc_)|(?<=ntn_)|(?<=sbp_)|(?<=r8_)|(?<=rubygems_))"
    ),
    (
        r"-(?=[A-Za-z0-9_-]{10})(?:(?<=xox[abeoprs]-)|(?<=xapp-)|(?<=pypi-)|(?<=gl[dfrw]t-)|(?<=gloas-)"
        r"|(?<=gl(?:pat|ptt|cbt|imt)-)|(?<=glsoat-)|(?<=glffct-)|(?<=glagent-)|(?<=sk-)|(?<=GOCSPX-)|(?<=SECRET-KEY-)"
        r"|(?<=PMAK-)|(?<=tskey-)|(?<=pplx-)|(?<=xai-))"
    ),
    r"\.[A-Za-z0-9_-]{16}(?<=(?:SG|v[bsr]|29)\..{16})",
    r"\.eyJ[A-Za-z0-9_-]{5}",
    r"A(?:[KSB]IA|CCA|3T[A-Z0-9]|Iza)[A-Za-z0-9_-]{16}",
    r"SK[0-9a-f]{32}",
    r"~(?<=[78]Q~)",
    r":AA[A-Za-z0-9_-]{33}",
    r"dapi[0-9a-f]{32}",
    r"hooks\.slack",
    r"/webhooks/[0-9]{15}",
    r"Key=[A-Za-z0-9+/]{40}",
    r"PRIVATE KEY",
    r"earer [A-Za-z0-9_.~+/-]{30}",
    r"asic [A-Za-z0-9+/]{12}",
    r"://[^\s/:@\"'<>\[\]()]{0,100}:[^\s/@\"'<>\[\](){}`\\]{1,200}@",
)

_ARMOUR = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_ENCODED = re.compile(r"[A-Za-z0-9+/=]{20}")
_ENCODED_LINE = re.compile(r"[ \t>+|-]{0,20}[A-Za-z0-9+/=]{20,200}[ \t]{0,20}(?:\r?\n|$)|\s{1,20}")
_LONGEST_KEY = 40_000


def find(text: str) -> Iterator[tuple[int, int, str]]:
    """Where such secrets stand in a text, and their kind; in no order, and one may overlap another."""
    for kind, needle, pattern in FORMATS:
        if needle.search(text):
            group = "secret" if pattern.groupindex else 0
            for found in pattern.finditer(text):
                yield found.start(group), found.end(group), kind
    if "PRIVATE KEY" in text:
        yield from _private_keys(text)


def _private_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Private keys, their armour included; one that is cut off counts, armour around nothing does not."""
    begin: re.Match[str] | None = None
    for mark in _ARMOUR.finditer(text):
        if begin is not None:
            yield from _armoured(text, begin, mark)
        begin = mark if mark[1] == "BEGIN" else None
    if begin is not None:
        yield from _armoured(text, begin, None)


def _armoured(text: str, begin: re.Match[str], mark: re.Match[str] | None) -> Iterator[tuple[int, int, str]]:
    """The key from its first line to its last, or to where what looks like a key ends."""
    start = end = begin.end()
    if mark is not None and mark[1] == "END" and mark.start() - start <= _LONGEST_KEY:
        end = mark.end()
    else:
        limit = min(mark.start() if mark else len(text), start + _LONGEST_KEY)
        while end < limit and (line := _ENCODED_LINE.match(text, end, limit)):
            end = line.end()
    if _ENCODED.search(text, start, end):
        yield begin.start(), end, "private-key"
