"""Lines that define something: the one syntax that a prose sentence hardly ever has, language by language."""

from __future__ import annotations

import re

from relore_serve.signals import symbols

_NAME = r"(?P<{0}>[A-Za-z_$][\w$]{{0,150}})"


def _named(group: str) -> str:
    return _NAME.format(group)


# At the start of a line, behind a diff's mark and any indentation. What follows the name makes it a definition.
_KEYWORD = re.compile(
    rf"""(?:
        (?:async[ ]+)?def[ ]+(?:self\.)?{_named("method")}[?!=]?[ ]*(?=[(:\[]|\Z)
      | (?:export[ ]+)?(?:default[ ]+)?(?:async[ ]+)?function[ ]*\*?[ ]+{_named("function")}[ ]*(?=[(<])
      | (?:(?:export|default|public|private|protected|internal|static|final|abstract|sealed|partial|data|open|case|pub)
           [ ]+){{0,4}}
        (?:class|interface|trait|object|protocol|struct|enum[ ]class|enum|union|record|impl|mod|module|extension
          |namespace)[ ]+{_named("type")}(?:<[^\n]{{0,100}}>)?
        [ ]*(?=[({{:]|\Z|(?:extends|implements|with|where|for)\b|<)
      | (?:pub(?:\([\w:]{{1,40}}\))?[ ]+)?(?:(?:const|async|unsafe|extern(?:[ ]"C")?)[ ]+){{0,3}}
        fn[ ]+{_named("fn")}[ ]*(?=[(<])
      | func[ ]+(?:\([^()\n]{{0,80}}\)[ ]*)?{_named("func")}[ ]*(?=[(\[<])
      | (?:(?:private|protected|public|internal|override|suspend|inline|open)[ ]+){{0,4}}
        fun[ ]+{_named("fun")}[ ]*(?=[(<])
      | (?:export[ ]+)?(?:const|let|var)[ ]+{_named("arrow")}[ ]*=[ ]*(?:async[ ]*)?
        (?:function\b|\([^()\n]{{0,200}}\)[ ]*=>|\w+[ ]*=>)
      | \#[ ]*define[ ]+{_named("macro")}
      | type[ ]+{_named("go_type")}[ ]+(?=struct\b|interface\b|func\b|=)
      | defmodule[ ]+{_named("elixir")}
    )""",
    re.VERBOSE,
)
# C and its kin: types, a name, and in parentheses nothing, the first parameter, or the end of the line.
_C_FUNCTION = re.compile(
    r"""(?!(?:return|else|if|for|while|switch|case|do|goto|typedef|new|delete|throw|sizeof|using|import|from|in|and|or
            |not|assert|print|await|yield|with|def|class|elif|except|raise|lambda|fn|func|function|let|var|the|a|an|this
            |it|to|see|package|echo|make|git|sudo|export|cd|test)\b)
        (?:[A-Za-z_]\w*+(?:::\w++)*+(?:<[^<>;(){}\n]{0,100}>)?(?:\([^()\n]{0,60}\)(?=[ ]))?[ \t*&]++){1,8}
        (?P<name>~?[A-Za-z_][\w:~]{2,200})\(
        (?=\)|\Z|void\b|\.\.\.
          |(?:const|struct|unsigned|signed|enum|int|char|long|short|size_t|bool|float|double|uint\d+_t|int\d+_t)\b
          |[A-Za-z_][\w:]*(?:<[^<>\n]{0,80}>)?(?:[ ]*[*&]+[ ]*|[ ]+)(?:const[ ]+)?[A-Za-z_]\w*[ ]*[,)=\[])""",
    re.VERBOSE,
)
_C_STRUCT = re.compile(r"(?:typedef[ ]+)?(?:struct|union|enum)[ ]+(?P<name>[A-Za-z_]\w{2,150})[ ]*(?=\{|\Z)")
# What a compiler defines by itself, and the macro that keeps a header from being read twice.
_NO_MACRO = re.compile(r"__\w+__\Z|\w+_(?:H|HPP|INCLUDED)_*\Z")


def definition_of(line: str, *, c_like: bool) -> str | None:
    """Return the name that ``line`` (no diff mark before it) defines, or None.

    Prose is told from code by what follows the name, and by the name being one. ``c_like`` also takes
    ``int name(``, which in prose would be a sentence with a parenthesis.
    """
    stripped = line.strip()
    if found := _KEYWORD.match(stripped):
        group = str(found.lastgroup)
        name = found[group]
        if group == "macro" and _NO_MACRO.match(name):
            return None
        if group in {"type", "go_type"} and name.islower() and "_" not in name:
            # "class names:" and "type checking = …" are English.
            follows = stripped[found.end() :][:1]
            if not c_like or follows not in {"{", "("}:
                return None
    else:
        found = _c_definition(stripped, at_margin=line[:1] == stripped[:1]) if c_like and stripped else None
        if found is None:
            return None
        name = found["name"]
    return name if symbols.is_identifier(name) else None


def _c_definition(line: str, *, at_margin: bool) -> re.Match[str] | None:
    return _C_STRUCT.match(line) or (_C_FUNCTION.match(line) if at_margin else None)
