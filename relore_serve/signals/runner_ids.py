"""Ids of tests, as the runners of many languages print them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from relore_serve.signals.signal import VALUE_LIMIT, Signal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from relore_serve.signals.signal import Source

# path.py::Class::test[params]; only the brackets may hold blanks.
_NODE = re.compile(r"(?<![\w/.-])([\w./+-]{1,260}\.\w{1,6}(?:::\w{1,120}){1,6})(\[[^\]\n]{0,200}\])?")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\.[A-Za-z_]\w*\.test_\w+\Z")
_REPORTS = re.compile(
    r"""(?:^|\n)[ \t]*(?:[-*][ ])?(?:
        (?:FAIL|ERROR|FAILED)(?::|[ ])[ ]*(?P<unittest>test\w{0,200})[ ]\((?P<case>[\w.]{1,300})\)
      | ---[ ]FAIL:[ ](?P<go>Test[\w/.=-]{0,200})
      | test[ ](?P<rust>[\w:]{1,200})[ ]\.\.\.[ ](?:FAILED|failed)
      | ----[ ](?P<rust_output>[\w:]{1,200})[ ]stdout[ ]----
      | \[[ ]{2}FAILED[ ]{2}\][ ](?P<gtest>[\w/]{1,150}\.[\w/]{1,150})
      | \d{1,5}/\d{1,5}[ ]Test[ ]+\#\d{1,5}:[ ](?P<ctest>\S{1,150})[ ][. ]*\*\*\*
      | \d{1,5}[ ]-[ ](?P<ctest_list>\S{1,150})[ ]
        \((?:Failed|Timeout|SEGFAULT|Not[ ]Run|Child[ ]aborted|ILLEGAL|Subprocess[ ]\w+|Bus[ ]error)\)
      | not[ ]ok[ ]\d{1,6}(?:[ ]-)?[ ](?P<tap>[^\n\#]{1,200})
      | FAIL:[ ](?P<automake>[A-Za-z_][\w./+-]{1,150})(?=[ \t\r]*(?:\n|\Z)|[ ]\(exit|[ ]\d)
      | (?P<gradle>[\w.$]{1,200}[ ]>[ ][^\n>]{1,120}?)[ ]FAILED
      | (?:\[ERROR\][ ]+)?(?P<maven>\w{1,100})\((?P<maven_class>[\w.$]{1,200}Tests?)\)
      | \u25cf[ ](?P<jest>[^\n]{1,200}[ ]\u203a[ ][^\n]{1,200})
    )""",
    re.VERBOSE,
)


def id_of_word(word: str) -> Iterator[Signal]:
    """Yield the ids that one word (no blanks) is: the id as written, and without its parameters."""
    if "::" in word:
        if found := _NODE.match(word):
            yield from _node(found, "prose")
    elif ".test_" in word and len(word) <= VALUE_LIMIT and _DOTTED.match(word):
        yield Signal("test", word, word.rsplit(".", 1)[1], "prose")


def test_signals(text: str, source: Source) -> Iterator[Signal]:
    """Yield the tests that runners report in a text: failures, and node ids wherever they stand."""
    if "::" in text:
        for found in _NODE.finditer(text):
            yield from _node(found, source)
    if (
        "FAIL" in text or "ot ok " in text or "ailed)" in text or "stdout ----" in text or "***" in text
        or "\u25cf" in text or " failed" in text or "Test)" in text or "Tests)" in text or "imeout)" in text
        or "FAULT)" in text or "borted)" in text
    ):  # fmt: skip
        for found in _REPORTS.finditer(text):
            value, tail = _reported(found)
            if len(value) <= VALUE_LIMIT:
                yield Signal("test", value, tail, source)


def _node(found: re.Match[str], source: Source) -> Iterator[Signal]:
    node, parameters = found.groups()
    if not _is_test_node(node):
        return
    tail = node.rsplit("::", 1)[1]
    if parameters:
        yield Signal("test", node + parameters, tail, source)
    yield Signal("test", node, tail, source)


def _is_test_node(node: str) -> bool:
    path, _, rest = node.partition("::")
    return path.endswith((".py", ".php", ".rb", ".js", ".ts")) or rest.rsplit("::", 1)[-1].startswith("test")


def _reported(found: re.Match[str]) -> tuple[str, str]:
    """Return the id as its runner would be asked for it, and the name of the function or case."""
    group = found.lastgroup
    if group == "case":
        name, case = found["unittest"], found["case"]
        return (case if case.endswith("." + name) else f"{case}.{name}"), name
    if group == "maven_class":
        return f"{found['maven_class']}.{found['maven']}", found["maven"]
    value = found[str(group)].strip()
    separator, last = _SEPARATORS.get(str(group), ("/", True))
    name = value.rsplit(separator, 1)[-1] if last else value.split(separator, 1)[0]
    return value, name.strip().removesuffix("()")


# What stands between the parts of an id, and whether the name of the test is the last of them.
_SEPARATORS = {
    "go": ("/", False),
    "rust": ("::", True),
    "rust_output": ("::", True),
    "gtest": (".", True),
    "gradle": ("> ", True),
    "jest": ("\u203a ", True),
}
