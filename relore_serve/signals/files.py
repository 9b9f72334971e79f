"""Which words of a text are paths of files, judged by their shape: a directory, an ending, a well-known name.

GitHub's own lists (a diff, the anchor of a review comment) need no judging and never come here.
"""

from __future__ import annotations

import re

# Endings of what repositories hold. Build products (.o, .so, .exe) are left out: nobody changes them.
EXTENSIONS = frozenset(
    ["ac", "adb", "ads", "ahk", "am", "applescript", "as", "asc", "asciidoc", "asm", "asp", "aspx", "astro", "awk", "bas", "bash", "bat", "bazel", "bib", "bicep", "bats", "bzl", "c", "c++", "cabal", "cc", "cfg", "cjs", "cl", "clj", "cljc", "cljs", "cls", "cmake", "cmd", "cnf", "coffee", "comp", "conf", "config", "cpp", "cr", "cs", "cshtml", "csproj", "css", "csv", "cts", "cu", "cuh", "cxx", "d", "dart", "def", "desktop", "diff", "dockerfile", "dtd", "dts", "dtsi", "edn", "ejs", "el", "elm", "eml", "env", "erb", "erl", "ex", "exs", "f", "f03", "f90", "f95", "feature", "fish", "for", "frag", "fs", "fsi", "fsx", "gd", "gemspec", "geojson", "gif", "glsl", "gml", "go", "gql", "gradle", "graphql", "groovy", "gyp", "gypi", "h", "h++", "haml", "hbs", "hcl", "hh", "hpp", "hrl", "hs", "htm", "html", "hxx", "hy", "ico", "idl", "idr", "iml", "in", "inc", "ini", "inl", "ino", "ipp", "ipynb", "j2", "java", "jinja", "jinja2", "jl", "jpeg", "jpg", "js", "json", "json5", "jsonc", "jsonl", "jsonnet", "jsp", "jsx", "kt", "kts", "lds", "lean", "less", "lhs", "liquid", "lock", "log", "lua", "m", "m4", "make", "mako", "markdown", "md", "mdx", "metal", "mjs", "mk", "ml", "mli", "mm", "mod", "module", "mod", "mts", "mustache", "nasm", "ndjson", "nim", "nims", "nix", "nomad", "nse", "odin", "org", "pas", "patch", "pbxproj", "pc", "pch", "php", "phtml", "pl", "plist", "pm", "png", "po", "pod", "pot", "pp", "prisma", "pro", "prof", "properties", "proto", "ps1", "psd1", "psm1", "pug", "py", "pyi", "pyx", "pxd", "r", "rake", "rb", "rc", "re", "rei", "res", "resx", "rmd", "rkt", "ron", "rs", "rst", "rules", "s", "sage", "sass", "sbt", "scad", "scala", "scm", "scss", "sed", "service", "sh", "shader", "sld", "sln", "snap", "sol", "sql", "sql", "st", "storyboard", "sty", "styl", "sum", "sv", "svelte", "svg", "svh", "swift", "tcl", "tex", "texi", "tf", "tfvars", "thrift", "tml", "toml", "tpl", "ts", "tsv", "tsx", "twig", "txt", "v", "vala", "vb", "vbproj", "vcxproj", "vert", "vhd", "vhdl", "vim", "vue", "wasm", "wat", "wgsl", "wit", "wsdl", "x", "xaml", "xcconfig", "xcscheme", "xhtml", "xib", "xlf", "xml", "xsd", "xsl", "xslt", "yaml", "yml", "yy", "zig", "zon", "zsh"]
)
# Names without an ending (or that are nothing but one).
_BARE = frozenset(
    ["Dockerfile", "Containerfile", "Makefile", "GNUmakefile", "makefile", "Kbuild", "Kconfig", "Jenkinsfile", "Vagrantfile", "Gemfile", "Rakefile", "Podfile", "Brewfile", "Fastfile", "Appfile", "Procfile", "Guardfile", "Berksfile", "Cartfile", "Dangerfile", "Capfile", "Puppetfile", "Tiltfile", "Earthfile", "Justfile", "justfile", "Snakefile", "SConstruct", "SConscript", "Pipfile", "CODEOWNERS", "README", "LICENSE", "COPYING", "CHANGELOG", "CMakeLists.txt", "BUILD.bazel", "go.mod", "go.sum"]
)
_DOTFILES = frozenset(
    [".gitignore", ".gitattributes", ".gitmodules", ".gitkeep", ".mailmap", ".gitlab-ci.yml", ".travis.yml", ".cirrus.yml", ".appveyor.yml", ".dockerignore", ".editorconfig", ".clang-format", ".clang-tidy", ".clangd", ".env", ".envrc", ".npmrc", ".npmignore", ".nvmrc", ".babelrc", ".eslintrc", ".eslintignore", ".prettierrc", ".prettierignore", ".stylelintrc", ".flake8", ".pylintrc", ".coveragerc", ".rspec", ".rubocop.yml", ".ruby-version", ".python-version", ".node-version", ".tool-versions", ".htaccess", ".bashrc", ".zshrc", ".profile", ".vimrc", ".pre-commit-config.yaml", ".readthedocs.yml", ".readthedocs.yaml", ".golangci.yml", ".rustfmt.toml", ".bazelrc", ".yarnrc"]
)
# A path that begins with one of these is inside a repository, whatever it ends with.
_ROOTS = frozenset(
    ["src", "source", "sources", "lib", "libs", "include", "inc", "test", "tests", "testing", "spec", "specs", "doc", "docs", "example", "examples", "bench", "benches", "benchmark", "benchmarks", "contrib", "build-aux", "build_aux", "builds", "ci", "cmake", "config", "configs", "crates", "packages", "pkg", "cmd", "internal", "api", "app", "apps", "server", "client", "core", "tools", "tool", "scripts", "script", "bin", "sage", "fuzz", "util", "utils", "modules", "module", "examples", "assets", "static", "templates", "resources", "vendor", "third_party", "deps", "plugins", "components", "pages", "public", "website", "web", "ui", ".github", ".circleci", ".ci", ".gitlab", ".vscode", ".devcontainer", ".husky", ".cargo", ".config", "m4"]
)
# Sites, products and abbreviations with the shape of a file.
_NOT_FILES = frozenset(
    ["node.js", "next.js", "vue.js", "nuxt.js", "react.js", "express.js", "three.js", "d3.js", "p5.js", "chart.js", "ember.js", "backbone.js", "angular.js", "deno.js", "bun.js", "moment.js", "socket.io", "asp.net", "vb.net", "sharp.js", "underscore.js", "require.js", "discord.js", "ethers.js", "bitcoin.org", "web3.js", "bitcoinjs.js", "i.e", "e.g", "etc.md"]
)
_HOST_ENDINGS = frozenset(["com", "org", "net", "io", "dev", "app", "co", "ai", "edu", "gov", "info", "biz", "me", "uk", "de", "fr", "jp", "cn", "ru", "eu", "us"])
# Where installed packages begin; what follows is the path inside the project.
_INSTALLED = re.compile(r".*[/\\](?:site|dist)-packages[/\\]", re.DOTALL)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
# Not of this project: the system's own headers and libraries.
_SYSTEM = re.compile(
    r"/(?:usr|lib|lib64|opt|etc|proc|sys|dev|bin|sbin|System|Library|Applications|nix|rustc|snap|Volumes|tmp)(?:/|\Z)"
)
_POSITION = re.compile(
    r"(?::\d{1,7}(?:[:.-]\d{1,7})?|#L\d{1,7}(?:C\d+)?(?:-L?\d{1,7}(?:C\d+)?)?|\(\d{1,7}(?:,\d{1,7})?\)):?\Z"
)
_PLAIN = re.compile(r"[\w.@~+-]+(?:/[\w.@~+=-]+)*\Z")
_ENDING = re.compile(r"[a-z][a-z0-9_]{0,15}\Z")

PATH_LIMIT = 260


def path_of(word: str) -> str | None:
    """Return the path that ``word`` (no blanks, no punctuation around it) names, or None.

    A position behind it (``:12:5``, ``#L12``) and a leading ``./`` are dropped.
    """
    if len(word) > PATH_LIMIT:
        return None
    if word[-1:].isdigit() or word[-1:] in {")", ":"}:
        word = _POSITION.sub("", word)
    if "\\" in word:
        word = word.replace("\\", "/")
    while word.startswith("./"):
        word = word[2:]
    if not _PLAIN.match(word):
        return _absolute(word) if word.startswith("/") else None
    if word.startswith(("../", "~", "-", "@", "+")):
        return None
    if "/" not in word:
        return word if _is_name(word) else None
    first, rest = word.split("/", 1)
    if first in {"a", "b"} and ("/" in rest or _is_name(rest)):
        word, (first, *_) = rest, rest.split("/", 1)
    return word if _is_path(first, word) else None


def located_path(path: str) -> str | None:
    """Return the path inside the project of a file that a tool named with a position, or None for the system's own.

    Tools speak of absolute paths. Without knowing where a checkout stood, what follows the first directory with a usual
    name (``src``, ``tests``) is kept, or else the base name.
    """
    path = path.strip().replace("\\", "/")
    if len(path) > PATH_LIMIT or path.startswith("<") or "://" in path:
        return None
    if not path.startswith("/") and not _DRIVE.match(path):
        while path.startswith(("./", "../")):
            path = path.split("/", 1)[1]
        return path if path and not path.endswith("/") else None
    return _absolute(path)


def _absolute(path: str) -> str | None:
    if installed := _INSTALLED.match(path):
        return path[installed.end() :] or None
    if _SYSTEM.match(path):
        return None
    parts = [part for part in path.split("/") if part]
    if len(parts) < 2 or not _is_name(parts[-1]):  # noqa: PLR2004 - a directory and a name
        return None
    for index, part in enumerate(parts[:-1]):
        if part in _ROOTS and index:
            return "/".join(parts[index:])
    return parts[-1]


def _is_path(first: str, path: str) -> bool:
    name = path.rsplit("/", 1)[1]
    if not name or name in {".", ".."}:
        return False
    if "." in first.strip(".") and first.rsplit(".", 1)[1].lower() in _HOST_ENDINGS:
        return False
    if name in _BARE or name in _DOTFILES:
        return True
    stem, dot, ending = name.rpartition(".")
    if not dot or not ending:
        return False
    if ending.lower() in EXTENSIONS:
        return not (stem and stem.replace(".", "").isdigit())
    if not _ENDING.match(ending):
        return False
    return first in _ROOTS or (path.count("/") > 1 and bool(stem) and first.lstrip(".").islower())


def _is_name(name: str) -> bool:
    """Whether a word without directories is a file's name."""
    if name in _BARE or name in _DOTFILES:
        return True
    stem, dot, ending = name.rpartition(".")
    if not dot or not stem or ending not in EXTENSIONS:
        return False
    if name.lower() in _NOT_FILES or stem[-1] == ".":
        return False
    # `x.d` and `1.5.s` are numbers and members; a dotted stem that ends in one letter is more likely a member.
    return not stem.replace(".", "").isdigit() and stem.strip(".") != ""
