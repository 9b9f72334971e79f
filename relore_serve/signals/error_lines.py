"""What one line of a log says went wrong: its type and its message, tool by tool and language by language.

A new tool is a pattern and a reader here. Readers are asked in order, the most exact form first; each looks for a
plain word before it tries a pattern. `errors` finds the lines and brings messages into normal form.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# A line longer than these on either side of its telling word is read in part.
BEFORE, AFTER = 400, 600

QUOTE = "[`'\"\u2018\u2019\u201c\u201d]"
_QUOTES = "`'\"\u2018\u2019\u201c\u201d"

# What stands before a line in logs, reports and lists.
_PREFIX = re.compile(
    r"""(?:\d{4}-\d\d-\d\d[T ][\d:.,]+Z?\s+ | \[[\d:. ]{4,30}\]\s* | E\s{2,} | npm[ ](?:ERR!|error)\s
      | [-*+•>|]\s+ | \d{1,3}[.)]\s | \[\d{1,3}m | [+!<>]\s? | `{1,3} | \*{1,2}){1,4}
    """,
    re.VERBOSE,
)

_MODULES = r"(?:[A-Za-z_][\w$]*(?:\.|::|\\))"
_CLASS = (
    r"(?:[A-Z][\w$]*(?:Error|Exception|Warning|Failure|Fault|Interrupt|Violation|Panic)"
    r"|SystemExit|StopIteration|StopAsyncIteration|GeneratorExit|TimeoutExpired|bad_alloc|out_of_range|bad_cast)"
)
_BARE_TYPE = re.compile(rf"({_MODULES}*{_CLASS})")
# `ValueError: said`, `NoMethodError (said)`, or a class alone at the end of a line.
_TYPED = re.compile(
    rf"(?<![^\s(\[\"'`*])({_MODULES}*+{_CLASS})(?::(?!:)\s*(.*)|\s\((?=[a-z])(.*)\)?\Z|\s*\Z)",
)
# Ruby: `app.rb:3:in 'call': said (NoMethodError)`.
_TRAILING_TYPE = re.compile(rf"(.*?)\s*\(((?:[A-Za-z_]\w*::)*{_CLASS})\)\Z")
_RUBY_POSITION = re.compile(r"\S+:\d+:in [`'][^`'\n]*': ")
_CAUSED = re.compile(
    r"(?:Caused by|Suppressed|Exception in thread \"[^\"\n]{0,100}\"|Unhandled exception\."
    r"|Uncaught(?: \(in promise\))?):? ((?:[A-Za-z_][\w$]*\.)*+[A-Z][\w$]*)(?:: (.+)|\s*\Z)"
)
_ELIXIR = re.compile(r"\*\* \(([A-Z]\w*(?:\.\w+)*)\) (.+)")
_THROWN = re.compile(
    r"terminat(?:e called after throwing|ing (?:with|due to) uncaught exception)[^\n]{0,40}?"
    r"(?:an instance of|of type) '?([\w:]{1,120})"
)
_WHAT = re.compile(r"what\(\):\s*(.*)")

_POSITION = r"(?:[A-Za-z]:)?[^\s:()]{1,300}(?::\d{1,7}){1,2}:|[^\s:()]{1,300}\(\d{1,7}(?:,\d{1,7})?\)[ ]?:"
# `src/a.c:3:5: fatal error: said`, `configure: error: said`, `error[E0382]: said`, `a.cpp(3): error C2065: said`.
_SEVERITY = re.compile(
    rf"""(?:(?:{_POSITION}|[\w./+-]{{1,80}}:|\[?\d{{1,3}}%\]?|\[|\*+|-+|!|>|=)\s*){{0,4}}
        (?:(?:fatal|internal(?:[ ]compiler)?|unrecoverable|syntax)\s)?
        (error|ERROR|Error|warning|WARNING|Warning|fatal|FATAL)
        (?:\]|\s?\[([A-Z]+\d{{2,6}}|[\w-]{{1,40}})\]|\s([A-Z]{{1,6}}\d{{2,6}}))?\s?:(?!:)\s*(.+)
    """,
    re.VERBOSE,
)
# Go's compiler says where and what, and no word for it.
_POSITIONED = re.compile(
    r"[^\s:()]{1,300}\.\w{1,8}(?::\d{1,7}){1,2}: ((?:undefined|undeclared|cannot|declared and not used|missing"
    r"|not enough|imported and not used|syntax error|too many|assignment mismatch|invalid operation)\b.*)"
)
_SANITIZER = re.compile(r"(?:=+\d+=*\s*)?(?:ERROR|WARNING): (\w{2,30}Sanitizer): (.+)")
_UNDEFINED_BEHAVIOUR = re.compile(r"runtime error: (.+)")
_VALGRIND = re.compile(
    r"""==\d+==\s+((?:Conditional[ ]jump|Invalid[ ](?:read|write|free)|Use[ ]of[ ]uninitiali|Syscall[ ]param
      | Process[ ]terminating|Source[ ]and[ ]destination[ ]overlap|Mismatched[ ]free|Jump[ ]to[ ]the[ ]invalid
      | Uninitialised|Argument[ ]'|[\d,]+[ ](?:\([^)]*\)[ ])?bytes[ ]in).*)
    """,
    re.VERBOSE,
)
_NAMED = rf"(?:{QUOTE}[^\n]{{1,200}}?{QUOTE}|[^\s'\"`]{{1,200}}(?:\([^()\n]{{0,200}}\))?)"
_LINKER = re.compile(
    rf"""(
        (?:undefined[ ]reference[ ]to|multiple[ ]definition[ ]of|duplicate[ ]symbol:?|undefined[ ]symbol:)[ ]{_NAMED}
      | unresolved[ ]external[ ]symbol[ ]{_NAMED}(?:[ ]referenced[ ]in[ ]function[ ]{_NAMED})?
      | undefined[ ]symbols[ ]for[ ]architecture[ ]\w+ | symbol\(s\)[ ]not[ ]found(?:[ ]for[ ]architecture[ ]\w+)?
      | cannot[ ]find[ ]-l[\w.+-]+ | library[ ]not[ ]found[ ]for[ ]-l[\w.+-]+
      | (?<=ld:[ ])framework[ ]not[ ]found[ ][\w.+-]+ | relocation[ ]R_\w+[ ]against[ ].+
      | file[ ]not[ ]recognized:[ ].+ | version[ ]{_NAMED}[ ]not[ ]found.*
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_LINKER_WORDS = (
    "undefined ",
    "definition of",
    "symbol",
    "cannot find -l",
    "not found",
    "shared libraries",
    "relocation",
    "recognized:",
)
_LOADER = re.compile(r"error while loading shared libraries: (.+)")
_MAKE = re.compile(r"\w{0,6}make(?:\.exe)?(?:\[\d+\])?: \*\*\* (.+)")
_CMAKE = re.compile(r"CMake (Error|Warning)(?: \(dev\))?(?: at [^\s:]{1,300}(?::\d+)?)?(?: \(\w+\))?:\s*(.*)")
_RUST_PANIC = re.compile(r"(?:thread|task) '[^'\n]{0,200}'(?: \(\d+\))? (?:panicked|failed) at (.+)")
_RUST_POSITION = re.compile(r"\S+:\d+:\d+:\Z")
_GO_PANIC = re.compile(r"(?:kernel )?panic(?:\(\w+\))?: (.+)", re.IGNORECASE)
_ASSERTION = re.compile(
    rf"""\bassertion\s+{QUOTE}(?P<quoted>.+){QUOTE}\s+failed
      | \b(?:(?:static[_ ])?assertion\s+(?:failed|failure)|test\s+condition\s+failed|(?:CHECK|VERIFY)\s+failed)
        :\s*(?P<stated>.+)
      | \bstatic[_ ]assertion[ ]failed\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ASSERTION_TAIL = re.compile(r",?\s+(?:function:? .*|file:? .*|at \S+:\d+.*|line:? \d+.*)\Z", re.IGNORECASE)
_NOT_FOUND = re.compile(
    r"(?:\S{1,80}: ){0,2}(?:line \d+: )?(?P<command>[\w./+-]{1,100}): (?:command )?not found\Z"
)
_DEATH = re.compile(
    r"""\b(?:(?P<SIGSEGV>segmentation[ ](?:fault|violation)|segfault|SIGSEGV\b)
      | (?P<SIGILL>illegal[ ]instruction\b|SIGILL\b)
      | (?P<SIGBUS>bus[ ]error\b|SIGBUS\b) | (?P<SIGFPE>floating[ ]point[ ]exception\b|SIGFPE\b)
      | (?P<SIGABRT>aborted[ ]\(core[ ]dumped\)|SIGABRT\b|abort[ ]trap\b))
    """,
    re.VERBOSE | re.IGNORECASE,
)

# Something that every line with an error contains. Only where it stands are the patterns tried.
TRIGGER = re.compile(
    r"rror|RROR|xception|anic|sser[t ]|ail(?:ure|ed)|FAILED|ault\b|ndefined|arning|WARNING|bort(?:ed| trap)|SIG[A-Z]"
    r"|anitizer|not found|Caused by|ninitiali|Invalid |nterrupt|terminat(?:e called|ing)|egfault|egmentation"
    r"|llegal inst|unresolved ext"
    r"|\*\*\* |bytes in |: cannot |cannot find -l|uplicate symbol|ultiple def|atal:|FATAL|Jump to the"
    r"|destination overlap|Mismatched|Syscall|core dumped|Stop(?:Async)?Iteration|SystemExit|Expired|bad_(?:alloc|cast)"
    r"|out_of_range|not recognized:|iolation|Suppressed|Uncaught|GeneratorExit|library not|elocation R_|and not used"
)

TypeAndMessage = tuple[str, str]


def may_hold_errors(text: str) -> bool:
    """A quick look that passes every text with an error in it and few without."""
    return (
        "rror" in text or "xception" in text or "arning" in text or "RROR" in text or "ailed" in text
        or "anic" in text or "FAILED" in text or "ndefined" in text or "bort" in text or "ault" in text
        or "anitizer" in text or "not found" in text or "*** " in text or "SIG" in text or "==" in text
        or "llegal instr" in text or "nterrupt" in text or "cannot find" in text or "core dumped" in text
        or "Caused by" in text or "symbol" in text or "ultiple def" in text or "atal:" in text
        or "Traceback" in text or "terminat" in text or "ailure" in text or "Iteration" in text
        or "SystemExit" in text or "egfault" in text or "WARNING" in text or "FATAL" in text
        or "iolation" in text or "Uncaught" in text or ".go:" in text or "Expired" in text or "bad_" in text
        or "out_of_range" in text or "elocation" in text or "recognized:" in text or "Suppressed" in text
    )  # fmt: skip


def bare_type(word: str) -> str | None:
    """Return the exception class that a bare word names, without its module."""
    found = _BARE_TYPE.fullmatch(word)
    return last_part(found[1]) if found else None


def last_part(name: str) -> str:
    """Return a class without its module: ``NullPointerException`` of ``java.lang.NullPointerException``."""
    return name.replace("::", ".").replace("\\", ".").rsplit(".", 1)[-1]


def read_line(line: str, text: str, end: int) -> TypeAndMessage | None:
    """Return type and message of the error that a line reports, or None.

    ``text`` and ``end``, where the line ends in it, are for reports whose message stands on the next line.
    """
    if line[:1] == line[-1:] == "`":
        line = line.strip("`")
    if not line.startswith("** (") and (prefix := _PREFIX.match(line)):
        line = line[prefix.end() :]
    for read in _READERS:
        error = read(line, text, end)
        if error is not None:
            return error
    return None


def _next_line(text: str, end: int) -> str:
    """Return the first line that is not blank of the few hundred characters behind ``end``."""
    return next((line.strip() for line in text[end : end + AFTER].split("\n") if line.strip()), "")


def _memory_checker(line: str, _text: str, _end: int) -> TypeAndMessage | None:
    if "Sanitizer: " in line and (found := _SANITIZER.search(line)):
        return found[1], found[2]
    if "runtime error: " in line and "anic: " not in line and (found := _UNDEFINED_BEHAVIOUR.search(line)):
        return "runtime error", found[1]
    if line.startswith("==") and (found := _VALGRIND.match(line)):
        return "valgrind", found[1]
    return None


def _panic(line: str, text: str, end: int) -> TypeAndMessage | None:
    if " at " in line and (found := _RUST_PANIC.search(line)):
        said = found[1].strip()
        if said[:1] in {"'", '"'}:
            return "panic", said[1:].rsplit(said[0], 1)[0]
        return "panic", _next_line(text, end) if _RUST_POSITION.match(said) else said
    if "anic" in line and (found := _GO_PANIC.match(line)):
        return "panic", found[1]
    return None


def _assertion(line: str, _text: str, _end: int) -> TypeAndMessage | None:
    if "fail" not in line or _TYPED.match(line):
        return None
    found = _ASSERTION.search(line)
    if found is None:
        return None
    said = _ASSERTION_TAIL.sub("", found["quoted"] or found["stated"] or "").strip().rstrip(".,")
    if said.startswith("(") and said.endswith(")"):
        said = said[1:-1]
    return "assertion", said.strip(_QUOTES)


def _build_tool(line: str, text: str, end: int) -> TypeAndMessage | None:
    if "***" in line and (found := _MAKE.match(line)):
        return "make", found[1]
    if "CMake " in line and (found := _CMAKE.match(line)):
        return ("cmake" if found[1] == "Error" else "warning"), found[2] or _next_line(text, end)
    return None


def _exception(line: str, text: str, end: int) -> TypeAndMessage | None:
    if ("aused by" in line or "xception" in line or "Uncaught" in line or "Suppressed" in line) and (
        found := _CAUSED.search(line)
    ):
        return last_part(found[1]), found[2] or ""
    if line.startswith("** (") and (found := _ELIXIR.match(line)):
        return last_part(found[1]), found[2]
    if "terminat" in line and (found := _THROWN.search(line)):
        what = _WHAT.match(_next_line(text, end))
        return last_part(found[1]), what[1] if what else ""
    if line.endswith(")") and (found := _TRAILING_TYPE.match(line)):
        return last_part(found[2]), _RUBY_POSITION.sub("", found[1])
    if found := _TYPED.search(line):
        return last_part(found[1]), found[2] or (found[3] or "").removesuffix(")")
    return None


def _linker(line: str, _text: str, _end: int) -> TypeAndMessage | None:
    lowered = line.lower()
    if not any(word in lowered for word in _LINKER_WORDS):
        return None
    found = _LOADER.search(line) or _LINKER.search(line)
    return ("ld", found[1]) if found else None


def _diagnostic(line: str, _text: str, _end: int) -> TypeAndMessage | None:
    if found := _SEVERITY.match(line):
        word, bracketed, code, message = found.groups()
        severity = word.lower()
        if severity != "warning":
            severity = code or (bracketed if bracketed and bracketed[0].isupper() else severity)
        return severity, message
    if found := _POSITIONED.match(line):
        return "error", found[1]
    return None


def _shell(line: str, _text: str, _end: int) -> TypeAndMessage | None:
    if "not found" in line and (found := _NOT_FOUND.match(line)):
        return "shell", f"{found['command']}: command not found"
    return None


def _death(line: str, _text: str, _end: int) -> TypeAndMessage | None:
    found = _DEATH.search(line)
    return (str(found.lastgroup), "") if found else None


_READERS: tuple[Callable[[str, str, int], TypeAndMessage | None], ...] = (
    _memory_checker,
    _panic,
    _assertion,
    _build_tool,
    _exception,
    _linker,
    _diagnostic,
    _shell,
    _death,
)
