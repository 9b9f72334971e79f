"""Which words and code spans name something defined in code."""

from __future__ import annotations

import re

from relore_serve.signals import files

NAME_LIMIT = 200
_SHORTEST = 3

# Words that are written as code and name nothing: literals, keywords, commands, branches, talk of reviewers.
_WORDS = frozenset(
    ["true", "false", "null", "nil", "none", "nan", "inf", "undefined", "void", "self", "this", "cls", "super", "todo", "fixme", "xxx", "note", "wip", "nit", "ack", "nack", "utack", "tack", "ok", "yes", "no", "and", "or", "not", "if", "else", "elif", "then", "for", "while", "do", "done", "switch", "case", "default", "break", "continue", "goto", "return", "yield", "try", "catch", "except", "finally", "throw", "throws", "raise", "with", "from", "import", "export", "include", "define", "ifdef", "ifndef", "endif", "pragma", "using", "namespace", "package", "module", "public", "private", "protected", "static", "const", "constexpr", "inline", "extern", "register", "volatile", "restrict", "unsigned", "signed", "int", "char", "short", "long", "float", "double", "bool", "string", "str", "bytes", "byte", "size_t", "ssize_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t", "int32_t", "int64_t", "uintptr_t", "intptr_t", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "usize", "isize", "f32", "f64", "struct", "union", "enum", "typedef", "class", "interface", "trait", "impl", "type", "let", "var", "val", "def", "fn", "func", "function", "async", "await", "new", "delete", "sizeof", "typeof", "instanceof", "in", "is", "as", "of", "pub", "mut", "ref", "mod", "crate", "use", "where", "match", "loop", "move", "dyn", "unsafe", "abstract", "final", "override", "virtual", "template", "typename", "operator", "friend", "explicit", "mutable", "auto", "assert", "pass", "lambda", "global", "nonlocal", "del", "exec", "print", "echo", "git", "make", "cmake", "ninja", "gcc", "clang", "cc", "cxx", "ld", "ar", "nm", "objdump", "gdb", "lldb", "valgrind", "bash", "zsh", "sudo", "apt", "brew", "pip", "npm", "yarn", "cargo", "rustc", "rustup", "go", "python", "python3", "node", "java", "javac", "mvn", "docker", "ssh", "curl", "wget", "tar", "grep", "sed", "awk", "cat", "man", "cd", "ls", "rm", "cp", "mv", "mkdir", "chmod", "autogen", "configure", "install", "uninstall", "clean", "check", "test", "tests", "build", "run", "help", "version", "main", "master", "develop", "dev", "head", "origin", "upstream", "release", "debug", "trunk", "http", "https", "www", "com", "org", "amd64", "arm64", "x86", "x64", "x86_64", "i386", "i686", "aarch64", "armv7", "win32", "win64", "linux", "macos", "windows", "darwin", "ubuntu", "debian", "fedora", "utf-8", "utf8", "ascii", "json", "yaml", "yml", "toml", "xml", "html", "css", "sql"]
)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)~?[A-Za-z_$][\w$]*)*\Z")
_PART = re.compile(r"\.|::|->|#")
_CALL = re.compile(
    r"([A-Za-z_$][\w$]*(?:(?:\.|::|->)~?[A-Za-z_$][\w$]*)*)(?:<[\w\s,:*&<>]{0,80}>)?\s?\([^\n]*\)[;,.]?\Z"
)
_GENERIC = re.compile(r"([A-Za-z_$][\w$]*(?:::[A-Za-z_$][\w$]*)*)(?:::)?<[^\n]{1,120}>\Z")
_INSIDE = re.compile(r"(?<![\w.$/-])[A-Za-z_$][\w$]*+(?:(?:\.|::|->)[A-Za-z_$][\w$]*+)*+(\s?\()?")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_SNAKE = re.compile(r"[A-Za-z0-9$]_+[A-Za-z0-9$]")
_PROSE = re.compile(r"(?:[A-Za-z_][\w]*(?:(?:::|\.|->)~?[A-Za-z_]\w*)*)(?:\(\))?\Z")

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


def name_of_word(word: str) -> str | None:
    """Return the symbol a bare word of prose names: only what no one would write in prose but a name of code.

    ``snake_case``, ``Foo::bar`` and ``call()``; a word in camel case may be a product or a person.
    """
    if not _PROSE.match(word) or len(word) > NAME_LIMIT:
        return None
    name = word.removesuffix("()")
    called = name is not word and len(name) != len(word)
    if not (called or "_" in name or "::" in name or "->" in name):
        return None
    if (
        name.endswith("_")
        or "__" in name[1:-1].strip("_")
        or not (called or "::" in name or "->" in name or _SNAKE.search(name))
    ):
        return None
    return name if _is_named(name, called=called) else None


def looks_like_name(word: str) -> str | None:
    """Return the symbol that a bare word of a question names: camel case and dotted names count as well."""
    if name := name_of_word(word):
        return name
    if not _IDENTIFIER.match(word) or len(word) > NAME_LIMIT or not _is_named(word, called=False):
        return None
    return word if _HUMP.search(word) or "." in word else None


def is_identifier(name: str) -> bool:
    """Whether ``name`` can be defined: long enough, and no keyword, literal or common word of prose."""
    return len(name) >= _SHORTEST and name.lower() not in _WORDS and not name.strip("_").isdigit()


def _is_named(name: str, *, called: bool) -> bool:
    if files.path_of(name) is not None:
        return False
    parts = _PART.split(name)
    last = parts[-1].lstrip("~")
    if len(name) < _SHORTEST or last.strip("_$") == "":
        return False
    if len(parts) > 1:
        # `e.g`, `www.example.org` and `1.x` are no members.
        return (
            len(last) > 1
            and parts[0].lower() not in {"www", "http", "https", "e", "i"}
            and last not in {"com", "org"}
        )
    if name.lower() in _WORDS or name.strip("_").isdigit():
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
