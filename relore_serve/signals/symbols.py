"""Which words and code spans name something defined in code."""

from __future__ import annotations

import re

from relore_serve.signals import files
from relore_serve.signals.vocabulary import COMMANDS, KEYWORDS

NAME_LIMIT = 200
_SHORTEST = 3

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)~?[A-Za-z_$][\w$]*)*\Z")
_PART = re.compile(r"\.|::|->|#")
_CALL = re.compile(
    r"([A-Za-z_$][\w$]*(?:(?:\.|::|->)~?[A-Za-z_$][\w$]*)*)(?:<[\w\s,:*&<>]{0,80}>)?\s?\([^\n]*\)[;,.]?\Z"
)
_GENERIC = re.compile(r"([A-Za-z_$][\w$]*(?:::[A-Za-z_$][\w$]*)*)(?:::)?<[^\n]{1,120}>\Z")
_INSIDE = re.compile(r"(?<![\w.$/-])[A-Za-z_$][\w$]*+(?:(?:\.|::|->)[A-Za-z_$][\w$]*+)*+(\s?\()?")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_SNAKE = re.compile(r"[A-Za-z0-9$]_+[A-Za-z0-9$]")
_PROSE = re.compile(r"[A-Za-z_]\w*(?:(?:::|\.|->)~?[A-Za-z_]\w*)*\Z")
_PLURAL = re.compile(r"_[A-Z]{2,}s\Z")

# A span with more is an excerpt; its first names say what it is about.
_INSIDE_LIMIT = 12


def names_of_span(span: str) -> list[str]:
    """Return the symbols a code span names: itself, the function of a call, or the names within an expression."""
    text = span.strip()
    if len(text) > NAME_LIMIT:
        text = text[:NAME_LIMIT]
    while text[:1] in {"&", "*", "!", "@"}:
        text = text[1:]
    if _IDENTIFIER.match(text):
        return [text] if _is_named(text, called=False) else []
    if called := _CALL.match(text):
        outer = [called[1]] if _is_named(called[1], called=True) else []
        return list(dict.fromkeys(outer + _inside(text)))
    if generic := _GENERIC.match(text):
        return [generic[1]] if _is_named(generic[1], called=True) else []
    if text.startswith(("#include", "--", "http://", "https://", "$ ")):
        return []
    return _inside(text)


def name_of_word(word: str, *, called: bool = False) -> str | None:
    """Return the symbol a bare word of prose names: only what no one would write in prose but a name of code.

    ``snake_case``, ``Foo::bar`` and, with ``called`` or its parentheses, ``call()``; a word in camel case may be a
    product or a person. A plural is the name of one: ``ARG_CHECKs``.
    """
    name = word.removesuffix("()")
    called = called or name != word
    if len(name) > NAME_LIMIT or not (called or "_" in name or "::" in name or "->" in name):
        return None
    if not _PROSE.match(name) or not (called or "::" in name or "->" in name or _SNAKE.search(name)):
        return None
    if _PLURAL.search(name):
        name = name[:-1]
    return name if _is_named(name, called=called) else None


def looks_like_name(word: str) -> str | None:
    """Return the symbol that a bare word of a question names: camel case and dotted names count as well."""
    if name := name_of_word(word):
        return name
    if not _IDENTIFIER.match(word) or len(word) > NAME_LIMIT or not _is_named(word, called=False):
        return None
    return word if _HUMP.search(word) or "." in word else None


def is_identifier(name: str) -> bool:
    """Whether ``name`` can be defined: long enough, and no keyword or literal."""
    return len(name) >= _SHORTEST and name.lower() not in KEYWORDS and not name.strip("_").isdigit()


def _is_named(name: str, *, called: bool) -> bool:
    if files.path_of(name) is not None:
        return False
    parts = _PART.split(name)
    last = parts[-1].lstrip("~")
    if len(name) < _SHORTEST or last.strip("_$") == "" or (name.endswith("_") and not name.startswith("__")):
        # `secp256k1_` stands for all names that begin so.
        return False
    if len(parts) > 1:
        # `e.g`, `www.example.org` and `1.x` are no members.
        return (
            len(last) > 1
            and parts[0].lower() not in {"www", "http", "https", "e", "i"}
            and last not in {"com", "org"}
        )
    if name.lower() in KEYWORDS or name.lower() in COMMANDS or name.strip("_").isdigit():
        return False
    return called or "_" in name or name != name.lower()


def _inside(text: str) -> list[str]:
    names: list[str] = []
    for found in _INSIDE.finditer(text):
        called = bool(found[1])
        name = found[0].removesuffix(found[1] or "").rstrip()
        if (called or _SNAKE.search(name) or "::" in name or _HUMP.search(name)) and _is_named(
            name, called=called
        ):
            names.append(name)
            if len(names) == _INSIDE_LIMIT:
                break
    return names
