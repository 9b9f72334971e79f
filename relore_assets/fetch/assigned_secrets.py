"""Values assigned to names that promise a secret: `client_secret = ...`, `API_KEY: "..."`, `--password=...`.

Only the name says what such a value is, so the value has to look the part: what is code, a placeholder, a
word, a hash, an id or a number is left alone. In a text about cryptography nearly every secret is a test
vector in hexadecimal or base64; names that those texts use (`secret`, `secret_key`, `private_key`)
therefore need a value that no encoding of bytes has.
"""

import math
import re
import string
from collections import Counter
from collections.abc import Iterator
from typing import Final

_AFTER_NAME = r"[a-z0-9_-]{0,24}[\\\"'`\]]{0,4}(?:[ \t]|\\t){0,4}[:=]"
#: What a text in lower case has to hold to be looked at, also where it stands in the bytes of JSON.
BEGINNINGS: Final[tuple[str, ...]] = (
    "secret" + _AFTER_NAME,
    "pass(?:wor|w|phrase)" + _AFTER_NAME,
    "token" + _AFTER_NAME,
    "api[_-]?key" + _AFTER_NAME,
    "access[_-]?key" + _AFTER_NAME,
)

_ASSIGNMENT = re.compile(
    r"""
    (?P<word> secret | passw(?:or)?d | passphrase | token | api[_-]?key | access[_-]?key )
    (?P<tail> [A-Za-z0-9_-]{0,24} )
    (?: \\?["'`] \]? )? [ \t]{0,4} (?: => | := | = | : ) [ \t]{0,4}
    (?P<opening> [brfu]?\\?["'`] )?
    (?P<secret> [A-Za-z0-9_+/.~=!@#$%^&*?-]{8,512} )
    (?P<next> .? )
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL | re.ASCII,
)
_LONGEST = 512
_REST = re.compile(r"[A-Za-z0-9_+/.~=-]+")
_PARAMETER = re.compile(r"&(?=[A-Za-z0-9_.-]{1,40}=)")
_NAME_CHARACTERS = string.ascii_letters + string.digits + "_-"
_MAX_HEAD = 40

_PLACEHOLDER = re.compile(
    r"example|sample|placeholder|change.?me|dummy|redacted|your|insert|replace|xxx|\*\*\*|\.\.\.|12345|abcde|fake|"
    r"foobar|none$|null$|true$|false$|optional|required|undefined",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[$&*@%/.!?^=~+-]"  # a variable, a reference, a path, an operator: not how a secret begins
    r"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$"  # settings.api_key
    r"|https?://|0[xX]"
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*$")
_CHANGE = re.compile(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[0-9]|(?<=[0-9])[A-Za-z]")
_HEX = re.compile(r"[0-9a-fA-F]+$")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")
_SYMBOLS = "!@#$%^&*?~"
_SYMBOL = re.compile(f"[{re.escape(_SYMBOLS)}]")

# Names that service credentials have and cryptography does not.
_SERVICE = re.compile(
    r"(?:client|app|application|api|webhook|consumer|oauth|access|auth|refresh|bearer|bot|deploy|session)[_-]?"
    r"(?:secret|token|key)|passw(?:or)?d|passphrase",
    re.IGNORECASE,
)
_PROMISE = re.compile(r"secret|passw(?:or)?d|passphrase|token|(?:api|access)[_-]?key", re.IGNORECASE)
# The first word that is part of the name decides; every name that promises a secret ends at the last.
_KINDS = (
    ("pass", "password"),
    ("token", "token"),
    ("secret", "secret"),
    ("access", "access-key"),
    ("", "api-key"),
)
# Names whose value is about a secret, or is handed out freely.
_HARMLESS = re.compile(
    r"next|page|pagination|continuation|forward|backward|hash|verifier|policy|public", re.IGNORECASE
)
_PASSWORD = re.compile(r"passw(?:or)?d|passphrase", re.IGNORECASE)
_KEY_MATERIAL = re.compile(r"(?:secret|private|priv|sec)[_-]?key|shared[_-]?secret|secret$", re.IGNORECASE)

_MIN_PASSWORD = 8
_MIN_SERVICE = 12
_MIN_HEX = 32
_MIN_OTHER = 20
_RANDOM_CHANGES = 0.3  # a character; made-up names have below 0.25, random letters and digits about 0.45
_MIN_BITS = 3.0  # a character; random text has above 3.5, words and repetitions below 3


def find(text: str) -> Iterator[tuple[int, int, str]]:
    """Where assigned secrets stand in a text, and their kind."""
    at = 0
    while found := _ASSIGNMENT.search(text, at):
        start = found.start("secret")
        value = found["secret"]
        quoted = found["opening"] is not None
        if not quoted:
            # The next parameter of an address, the end of a sentence.
            value = _PARAMETER.split(value, maxsplit=1)[0].rstrip(".,;:!?*")
        at = start + len(value)
        if not quoted and at == found.end("secret") and found["next"] and found["next"] in "([{<>|":
            continue
        name = _name_before(text, found.start()) + found["word"] + found["tail"]
        if is_secret(name, value, quoted=quoted):
            if len(value) == _LONGEST and (rest := _REST.match(text, at)):
                at = rest.end()
            yield start, at, kind_of(name)


def _name_before(text: str, end: int) -> str:
    """What of the same name stands before a keyword: `client_`, `GITHUB_`, `x-`."""
    before = text[max(0, end - _MAX_HEAD) : end]
    return before[len(before.rstrip(_NAME_CHARACTERS)) :]


def kind_of(name: str) -> str:
    """What a placeholder calls the value of this name."""
    folded = name.lower()
    return next(kind for word, kind in _KINDS if word in folded)


def is_secret(name: str, value: str, *, quoted: bool) -> bool:
    """Whether this value of this name is to be kept from everybody."""
    if not _PROMISE.search(name) or _HARMLESS.search(name) or not _looks_secret(name, value, quoted=quoted):
        return False
    digits = sum(c.isdigit() for c in value)
    if _PASSWORD.search(name):
        telling = digits > 0 or _SYMBOL.search(value) is not None or "-" in value
        return len(value) >= _MIN_PASSWORD and telling and not _HEX.match(value)
    if _SERVICE.search(name):
        size = _MIN_HEX if _HEX.match(value) else _MIN_SERVICE
        return len(value) >= size and (quoted or not _spelled(value))
    if _HEX.match(value) or len(value) < _MIN_OTHER:
        return False
    if _KEY_MATERIAL.search(name):
        return quoted and digits > 0 and _SYMBOL.search(value) is not None
    return digits > 1 and not _spelled(value)


def _looks_secret(name: str, value: str, *, quoted: bool) -> bool:
    """Whether a value is neither a placeholder, nor an id, nor code, nor words, nor a number."""
    if _PLACEHOLDER.search(value) or _UUID.match(value) or value.isdigit():
        return False
    # Only in quotes, and only for a password, is what code begins with not code.
    if _CODE.match(value) and not (quoted and _PASSWORD.search(name) and value[0] in _SYMBOLS):
        return False
    worded = _IDENTIFIER.match(value) and not any(c.isdigit() for c in value)
    return not worded and _bits(value) >= _MIN_BITS


def _spelled(value: str) -> bool:
    """Whether a value reads like an identifier somebody made up, in which case and digits rarely change."""
    if _IDENTIFIER.match(value) is None:
        return False
    return len(_CHANGE.findall(value)) < _RANDOM_CHANGES * len(value)


def _bits(value: str) -> float:
    """Shannon entropy of a character of the value."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())
