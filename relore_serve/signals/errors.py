"""Failures of any language or tool, in one normal form on both sides.

An error has a type and a message. The type is the class where there is one (``ValueError``), the code where the
compiler gives one (``E0382``, ``C2065``, ``TS2304``), and otherwise the family below:

========================  ===============================================================================
``error``, ``warning``    any tool's ``error: …`` (compilers, linkers' drivers, configure, pip, cargo)
``ld``                    linking and loading: undefined references, missing libraries
``make``, ``cmake``       the build tool's own failure
``panic``                 Rust and Go
``assertion``             C ``assert``, test conditions; Python's keeps its class, ``AssertionError``
``AddressSanitizer`` …    each sanitizer by its name; ``runtime error`` for undefined behaviour
``valgrind``              its findings
``SIGSEGV`` …             death by signal
``shell``                 command not found
``fatal``                 git's ``fatal: …``
========================  ===============================================================================

The normal form of a message keeps what two runs of one failure share: no addresses, numbers, directories or
typographic quotes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from relore_serve.signals.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from relore_serve.signals.signal import Source

MESSAGE_LIMIT = 300
_RAW_LIMIT = 2_000

# Compilers quote in ASCII or typographically, by locale; reports of one failure differ in nothing else.
_QUOTES = str.maketrans(dict.fromkeys('"`\u2018\u2019\u201c\u201d\u00b4\u00ab\u00bb', "'"))
_MARKDOWN_LINK = re.compile(r"\[([^\[\]\n]{0,500})\]\([^()\s]{0,500}\)")
_ADDRESS = re.compile(r"\b0x[0-9a-f]+\b|(?<![\w?])(?=[a-f]*[0-9])[0-9a-f]{16,}\b")
_QUOTE = "[`'\"\u2018\u2019\u201c\u201d]"
_DIRECTORY = re.compile(r"(?<![\w.~/\\<?])(?:~|[a-z]:)?[/\\](?:[\w.+@~-]+[/\\]+)+(?=[\w.])")
_LIST = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:, ?-?\d+(?:\.\d+)?){2,}(?![\w.])")
_NUMBER = re.compile(r"(?<![\w.])(?!0x)\d+(?:[.,:]\d+)*")
_BLANKS = re.compile(r"\s+")
# The name of the check that complains: `[-Wunused]`, `[bugprone-macro]`.
_FLAG = re.compile(r"\s*\[(?:-|[a-z]+[.-])[a-z][\w.+=<>-]*(?:, ?-?[a-z][\w.+=<>-]*)*\]\Z")
_WORD = re.compile(r"[^\W\d]{3,}")
_PLACEHOLDER = re.compile(r"<n>|<values>|0x\?")
_LONG_WORD = 8


class ErrorPattern(NamedTuple):
    """What a question about an error asks for.

    An uninformative message (``<n>``, ``'x'``) says nothing without its type and must match whole.
    """

    type: str | None
    message: str
    informative: bool


class FoundError(NamedTuple):
    """An error read off a text, in normal form, and where its line began."""

    type: str
    message: str
    start: int


def normal_form(message: str) -> str:
    """Return what two reports of the same failure share of its message; applying it twice changes nothing."""
    text = message[:_RAW_LIMIT]
    for _ in range(4):
        again = _normalize_once(text)
        if again == text:
            break
        text = again
    return text


def _normalize_once(text: str) -> str:
    text = text.lower().translate(_QUOTES)
    if "](" in text:
        text = _MARKDOWN_LINK.sub(r"\1", text)
    text = _ADDRESS.sub("0x?", text)
    if "/" in text or "\\" in text:
        text = _DIRECTORY.sub("", text)
    text = _LIST.sub("<values>", text)
    text = _NUMBER.sub("<n>", text)
    text = _BLANKS.sub(" ", text).strip()
    if len(text) > MESSAGE_LIMIT:
        text = text[: MESSAGE_LIMIT + 1]
        # A placeholder is not cut in two.
        text = text.rsplit(" ", 1)[0] if " " in text else text[:MESSAGE_LIMIT]
    while (shorter := _FLAG.sub("", text).rstrip(" .:;,")) != text:
        text = shorter
    return text


def normalize_error(error_type: str | None, message: str) -> ErrorPattern:
    """Return the pattern that a stored error of this type and message also has."""
    normal = normal_form(message)
    words = _WORD.findall(_PLACEHOLDER.sub(" ", normal))
    return ErrorPattern(error_type, normal, len(words) > 1 or any(len(word) >= _LONG_WORD for word in words))


def parse_error(text: str) -> ErrorPattern:
    """Return the error that a question or a paste is about.

    Of several the raised one is meant: the last exception, the first diagnostic of a compiler, and a build tool's
    complaint only if nothing else is there. Without any, the last line that is not blank.
    """
    found = list(find_errors(text))
    if found:
        best = raised(found)
        return normalize_error(best.type, best.message)
    line = next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
    line = line.strip("`* ")
    if bare := _BARE_TYPE.fullmatch(line):
        return normalize_error(_last(bare[1]), "")
    return normalize_error(None, line)


def raised(found: list[FoundError]) -> FoundError:
    """Of the errors of one paste, in order, the one that the others follow from."""
    causes = [
        one for one in found if one.type not in _CONSEQUENCES and not _CONSEQUENCE.match(one.message)
    ] or found
    errors = [one for one in causes if one.type != "warning"] or causes
    if errors[-1].type in _FIRST_COUNTS:
        return next(one for one in errors if one.type in _FIRST_COUNTS)
    return errors[-1]


_CONSEQUENCES = frozenset({"make"})
_CONSEQUENCE = re.compile(
    r"ld returned|linker command failed|could not compile|aborting due to|process didn't exit|subcommand failed"
    r"|build failed|command '|recipe for target"
)
_FIRST_COUNTS = frozenset({"error", "ld", "warning", "cmake"})


def is_exception_name(word: str) -> bool:
    """Whether a bare word is the name of an exception class."""
    return bool(_BARE_TYPE.fullmatch(word))


def bare_type(word: str) -> str | None:
    """Return the exception class a bare word names, without its module."""
    return _last(word) if is_exception_name(word) else None


_ENDINGS = r"(?:Error|Exception|Warning|Failure|Fault|Interrupt|Violation|Panic)"
_WELL_KNOWN = r"(?:SystemExit|StopIteration|StopAsyncIteration|GeneratorExit|TimeoutExpired|bad_alloc|out_of_range|bad_cast)"
_CLASS = rf"(?:[A-Z][\w$]*{_ENDINGS}|{_WELL_KNOWN})"
_BARE_TYPE = re.compile(rf"((?:[A-Za-z_][\w$]*(?:\.|::|\\))*{_CLASS})")
_TYPED = re.compile(
    rf"(?<![^\s(\[\"'`*])((?:[A-Za-z_][\w$]*(?:\.|::|\\))*+{_CLASS})(?::(?!:)\s*(.*)|\s\((?=[a-z])(.*)\)?\Z|\s*\Z)"
)
_TRAILING_TYPE = re.compile(rf"(.*?)\s*\(((?:[A-Za-z_]\w*::)*{_CLASS})\)\Z")
_PATH_POSITION = r"(?:[A-Za-z]:)?[^\s:()]{1,300}(?::\d{1,7}){1,2}:|[^\s:()]{1,300}\(\d{1,7}(?:,\d{1,7})?\) ?:"
_SEVERITY = re.compile(
    rf"(?:(?:{_PATH_POSITION}|[\w./+-]{{1,80}}:|\[?\d{{1,3}}%\]?|\[|\*+|-+|!|>|=|e:|w:)\s*){{0,4}}"
    r"(?:(?:fatal|internal(?: compiler)?|unrecoverable|syntax)\s)?(error|ERROR|Error|warning|WARNING|Warning|fatal|FATAL)"
    r"(?:\]|\s?\[([A-Z]+\d{2,6}|[\w-]{1,40})\]|\s([A-Z]{1,6}\d{2,6}))?\s?:(?!:)\s*(.+)"
)
_POSITIONED = re.compile(
    r"([^\s:()]{1,300}\.\w{1,8})(?::\d{1,7}){1,2}: ((?:undefined|undeclared|cannot|declared and not used|imported and not used"
    r"|multiple definition|missing|syntax error|not enough|too many|assignment mismatch|invalid operation)\b.*)"
)
_SANITIZER = re.compile(r"(?:=+\d+=*\s*)?(?:ERROR|WARNING): (\w{2,30}Sanitizer): (.+)")
_UNDEFINED_BEHAVIOUR = re.compile(r"runtime error: (.+)")
_VALGRIND = re.compile(
    r"==\d+==\s+((?:Conditional jump|Invalid (?:read|write|free)|Use of uninitiali|Syscall param|Process terminating"
    r"|Source and destination overlap|Mismatched free|Jump to the invalid|Uninitialised|Argument '|[\d,]+ (?:\([^)]*\) )?bytes in).*)"
)
_NAMED = rf"(?:{_QUOTE}[^\n]{{1,200}}?{_QUOTE}|[^\s'\"`]{{1,200}}(?:\([^()\n]{{0,200}}\))?)"
_LINKER = re.compile(
    rf"""(?:ld:\ |^)?(
        (?:undefined\ reference\ to|multiple\ definition\ of|duplicate\ symbol:?|undefined\ symbol:)\ {_NAMED}
      | unresolved\ external\ symbol\ {_NAMED}(?:\ referenced\ in\ function\ {_NAMED})?
      | undefined\ symbols\ for\ architecture\ \w+ | symbol\(s\)\ not\ found(?:\ for\ architecture\ \w+)?
      | cannot\ find\ -l[\w.+-]+ | library\ not\ found\ for\ -l[\w.+-]+ | (?<=ld:\ )framework\ not\ found\ [\w.+-]+
      | relocation\ R_\w+\ against\ .+ | file\ not\ recognized:\ .+ | version\ {_NAMED}\ not\ found.*
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_LOADER = re.compile(r"error while loading shared libraries: (.+)")
_MAKE = re.compile(r"\w{0,6}make(?:\.exe)?(?:\[\d+\])?: \*\*\* (.+)")
_CMAKE = re.compile(r"CMake (Error|Warning)(?: \(dev\))?(?: at [^\s:]{1,300}(?::\d+)?)?(?: \(\w+\))?:\s*(.*)")
_RUST_PANIC = re.compile(r"(?:thread|task) '[^'\n]{0,200}'(?: \(\d+\))? (?:panicked|failed) at (.+)")
_GO_PANIC = re.compile(r"(?:kernel )?panic(?:\(\w+\))?: (.+)", re.IGNORECASE)
_ASSERTION = re.compile(
    rf"""\bassertion\s+{_QUOTE}(?P<quoted>.+){_QUOTE}\s+failed
      | \b(?:(?:static[_ ])?assertion\s+(?:failed|failure)|test\s+condition\s+failed|(?:CHECK|VERIFY)\s+failed):\s*(?P<stated>.+)
      | \bstatic[_ ]assertion\ failed\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ASSERT_TAIL = re.compile(r",?\s+(?:function:? .*|file:? .*|at \S+:\d+.*|line:? \d+.*)\Z", re.IGNORECASE)
_THROWN = re.compile(
    r"terminat(?:e called after throwing|ing (?:with uncaught exception|due to uncaught exception)).*?(?:of (?:an instance of|type) '?([\w:]{1,120}))"
)
_NOT_FOUND = re.compile(
    r"(?:\S{1,80}: ){0,2}(?:line \d+: )?(?P<command>[\w./+-]{1,100}): (?:command )?not found\Z"
)
_SIGNALS = (
    ("SIGSEGV", re.compile(r"\bsegmentation (?:fault|violation)|\bsegfault|\bSIGSEGV\b", re.IGNORECASE)),
    ("SIGILL", re.compile(r"\billegal instruction\b|\bSIGILL\b", re.IGNORECASE)),
    ("SIGBUS", re.compile(r"\bbus error\b|\bSIGBUS\b", re.IGNORECASE)),
    ("SIGFPE", re.compile(r"\bfloating point exception\b|\bSIGFPE\b", re.IGNORECASE)),
    ("SIGABRT", re.compile(r"\baborted \(core dumped\)|\bSIGABRT\b|\babort trap\b", re.IGNORECASE)),
)
_TRACEBACK = re.compile(
    r"Traceback \(most recent call last\):[ \t\r]*\n(?:[ \t|+][^\n]*\n|[ \t\r]*\n)++(?P<last>[A-Za-z_][\w.]{0,200})(?::[ ]?(?P<message>[^\n]*))?(?=\n|\Z)"
)
_CAUSED = re.compile(
    r"(?:Caused by|Suppressed|Exception in thread \"[^\"\n]{0,100}\"|Unhandled exception\.|Uncaught(?: \(in promise\))?):? ((?:[A-Za-z_][\w$]*\.)*+[A-Z][\w$]*)(?:: (.+)|\s*\Z)"
)
_ELIXIR = re.compile(r"\*\* \(([A-Z]\w*(?:\.\w+)*)\) (.+)")

# What stands before a line in logs, reports and lists.
_PREFIX = re.compile(
    r"(?:\d{4}-\d\d-\d\d[T ][\d:.,]+Z?\s+|\[[\d:. ]{4,30}\]\s*|E\s{2,}|npm ERR!\s|npm error\s|[-*+•>|]\s+|\d{1,3}[.)]\s|\[\d{1,3}m|[+!<>]\s?|`{1,3}|\*{1,2}|>+\s){1,4}"
)
# Something that every line above contains. Searched as plain text before any pattern is tried.
_TRIGGER = re.compile(
    r"rror|RROR|xception|anic|sser[ t]|ailure|ailed|FAILED|ault\b|ndefined|arning:|WARNING:|abort|Abort|SIG[A-Z]|anitizer|not found"
    r"|Caused by|ninitiali|Invalid |nterrupt|terminat|egfault|egmentation|llegal inst|unresolved|make|bytes in|failed|cannot "
    r"|duplicate symbol|multiple def|fatal:|Jump to|overlap|Mismatched|Syscall|core dumped|Iteration|SystemExit|Expired|bad_|out_of_range|recognized|iolation|condition"
)
_BEFORE, _AFTER = 400, 600


def may_hold_errors(text: str) -> bool:
    """A quick look that passes every text with an error and most without are refused by."""
    return (
        "rror" in text
        or "xception" in text
        or "arning:" in text
        or "RROR" in text
        or "ailed" in text
        or "anic" in text
        or "FAILED" in text
        or "ndefined" in text
        or "abort" in text
        or "ault" in text
        or "anitizer" in text
        or "not found" in text
        or "***" in text
        or "SIG" in text
        or "==" in text
        or "llegal instr" in text
        or "nterrupt" in text
        or "annot find" in text
        or "core dumped" in text
        or "Caused by" in text
        or "symbol" in text
        or "multiple def" in text
        or "fatal:" in text
        or "Traceback" in text
        or "terminat" in text
        or "ailure" in text
        or "StopIteration" in text
        or "SystemExit" in text
    )


def find_errors(text: str) -> Iterator[FoundError]:
    """Yield the errors of a text, one at most from each line, in order."""
    seen: set[str] = set()
    tracebacks = {match.start("last"): match for match in _tracebacks(text)}
    position = 0
    size = len(text)
    while found := _TRIGGER.search(text, position):
        at = found.start()
        start = text.rfind("\n", max(position, at - _BEFORE), at) + 1 or max(position, at - _BEFORE)
        end = text.find("\n", at, min(size, at + _AFTER))
        end = min(size, at + _AFTER) if end < 0 else end
        for last in [last for last in tracebacks if last < start]:
            yield _of_traceback(tracebacks.pop(last))
        position = end
        if start in tracebacks:
            yield _of_traceback(tracebacks.pop(start))
            continue
        line = text[start:end].strip()
        if line in seen:
            continue
        seen.add(line)
        error = _of_line(line, text, end)
        if error is not None:
            yield FoundError(error[0], normal_form(error[1]), start)
    for match in tracebacks.values():
        yield _of_traceback(match)


def error_signals(text: str, source: Source) -> Iterator[Signal]:
    """Yield the errors of a text as signals."""
    for error in find_errors(text):
        yield Signal("error", error.message, error.type, source)


def _tracebacks(text: str) -> Iterator[re.Match[str]]:
    return _TRACEBACK.finditer(text) if "Traceback (most recent call last):" in text else iter(())


def _of_traceback(match: re.Match[str]) -> FoundError:
    return FoundError(_last(match["last"]), normal_form(match["message"] or ""), match.start("last"))


def _last(name: str) -> str:
    """Return a class without its module: ``NullPointerException`` of ``java.lang.NullPointerException``."""
    return name.replace("::", ".").replace("\\", ".").rsplit(".", 1)[-1]


def _next_line(text: str, end: int) -> str:
    """Return the first line that is not blank of the few hundred characters behind ``end``."""
    return next((line.strip() for line in text[end : end + _AFTER].split("\n") if line.strip()), "")


def _of_line(line: str, text: str, end: int) -> tuple[str, str] | None:
    """Return type and message of the error that a line reports, or None."""
    if prefix := _PREFIX.match(line):
        line = line[prefix.end() :]
    for read in _READERS:
        error = read(line, text, end)
        if error is not None:
            return error
    return None


def _sanitizer(line: str, _text: str, _end: int) -> tuple[str, str] | None:
    if "Sanitizer: " in line and (found := _SANITIZER.search(line)):
        return found[1], found[2]
    if (
        "runtime error: " in line
        and not line.startswith(("panic", "Go"))
        and (found := _UNDEFINED_BEHAVIOUR.search(line))
    ):
        return "runtime error", found[1]
    if line.startswith("==") and (found := _VALGRIND.match(line)):
        return "valgrind", found[1]
    return None


def _panic(line: str, text: str, end: int) -> tuple[str, str] | None:
    if ("panicked at" in line or "failed at" in line) and (found := _RUST_PANIC.search(line)):
        said = found[1].strip()
        if said[:1] in {"'", '"'}:
            return "panic", said[1:].rsplit(said[0], 1)[0]
        return "panic", _next_line(text, end) if re.fullmatch(r"\S+:\d+:\d+:", said) else said
    if found := _GO_PANIC.match(line):
        return "panic", found[1]
    return None


def _assertion(line: str, _text: str, _end: int) -> tuple[str, str] | None:
    if "fail" not in line.lower():
        return None
    found = _ASSERTION.search(line)
    if found is None or _TYPED.match(line):
        return None
    said = found["quoted"] or found["stated"] or ""
    said = _ASSERT_TAIL.sub("", said).strip().rstrip(".,")
    if said.startswith("(") and said.endswith(")"):
        said = said[1:-1]
    return "assertion", said.strip("`'\"\u2018\u2019\u201c\u201d")


def _linker(line: str, _text: str, _end: int) -> tuple[str, str] | None:
    if found := _LOADER.search(line):
        return "ld", found[1]
    if found := _LINKER.search(line):
        return "ld", found[1]
    return None


def _build_tool(line: str, text: str, end: int) -> tuple[str, str] | None:
    if "***" in line and (found := _MAKE.match(line)):
        return "make", found[1]
    if "CMake " in line and (found := _CMAKE.match(line)):
        return ("cmake" if found[1] == "Error" else "warning"), found[2] or _next_line(text, end)
    return None


def _exception(line: str, text: str, end: int) -> tuple[str, str] | None:
    if found := _CAUSED.search(line):
        return _last(found[1]), found[2] or ""
    if line.startswith("**") and (found := _ELIXIR.match(line)):
        return _last(found[1]), found[2]
    if "terminat" in line and (found := _THROWN.search(line)):
        what = re.match(r"what\(\):\s*(.*)", _next_line(text, end))
        return _last(found[1]), what[1] if what else ""
    if line.endswith(")") and (found := _TRAILING_TYPE.match(line)):
        return _last(found[2]), re.sub(r"\A\S+:\d+:in [`'][^`'\n]*': ", "", found[1])
    if found := _TYPED.search(line):
        return _last(found[1]), found[2] or (found[3] or "").removesuffix(")")
    return None


def _diagnostic(line: str, _text: str, _end: int) -> tuple[str, str] | None:
    if found := _SEVERITY.match(line):
        word, bracketed, code, message = found.groups()
        severity = word.lower()
        if severity == "warning":
            return "warning", message
        named = code or (bracketed if bracketed and bracketed[0].isupper() else None)
        return named or severity, message
    if found := _POSITIONED.match(line):
        return "error", found[2]
    return None


def _shell(line: str, _text: str, _end: int) -> tuple[str, str] | None:
    if "not found" in line and (found := _NOT_FOUND.match(line)):
        return "shell", f"{found['command']}: command not found"
    return None


def _death(line: str, _text: str, _end: int) -> tuple[str, str] | None:
    for name, pattern in _SIGNALS:
        if pattern.search(line):
            return name, ""
    return None


_READERS: tuple[Callable[[str, str, int], tuple[str, str] | None], ...] = (
    _sanitizer,
    _panic,
    _assertion,
    _build_tool,
    _exception,
    _linker,
    _diagnostic,
    _shell,
    _death,
)
