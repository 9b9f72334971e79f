"""Shells complete verbs, flags and values of the program that is installed, and no server hears of it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest
from scripted import ROOT

from relore_client.completion import SHELLS, VARIABLE, script
from relore_client.prose import NAME
from relore_client.verbs import cli

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scripted import Outcome, Script

CASES = [
    (["infl"], {"inflight"}),
    (["search", "--expl"], {"--explain"}),
    (["--json", "prec"], {"precedent"}),
    (["precedent", "--kind", "bug"], {"bug_fix"}),
    (["completion", ""], set(SHELLS)),
    (["thread", "92", "--no-"], {"--no-compact"}),
]


@pytest.fixture
def installed(tmp_path: Path, clean_environment: pytest.MonkeyPatch) -> dict[str, str]:
    """An environment in which the program is installed under its name."""
    del clean_environment
    program = tmp_path / "bin" / NAME
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m relore_client "$@"\n', encoding="utf-8"
    )
    program.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HOME": str(tmp_path),
    }


def test_the_scripts_are_bound_to_the_name_that_is_installed(relore: Callable[..., Outcome]) -> None:
    with (ROOT / "pyproject.toml").open("rb") as declared:
        scripts = tomllib.load(declared)["project"]["scripts"]

    (name,) = [name for name, entry in scripts.items() if entry.startswith("relore_client.")]
    assert name == NAME
    for shell in SHELLS:
        assert relore("completion", shell).out.rstrip() == script(cli, shell).rstrip()
        assert f"{VARIABLE}={shell}_complete" in script(cli, shell)


def run(shell: list[str], code: str, environment: dict[str, str]) -> set[str]:
    done = subprocess.run(
        [*shell, code], env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(("words", "offered"), CASES, ids=[" ".join(words) for words, _ in CASES])
def test_bash_completes(
    words: list[str], offered: set[str], installed: dict[str, str], server: Script
) -> None:
    """By what bash itself holds for the name that is typed."""
    line = shlex.join([NAME, *words])
    code = f"""
eval "$({NAME} completion bash)"
COMP_WORDS=({line}) COMP_CWORD={len(words)}
set -- $(complete -p {NAME})
while [ "$1" != -F ]; do shift; done
"$2" {NAME} {shlex.quote(words[-1])} {NAME}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    assert run(["bash", "--norc", "-c"], code, {**installed, "RELORE_API": server.url}) == offered
    assert server.asked == []


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(("words", "offered"), CASES, ids=[" ".join(words) for words, _ in CASES])
def test_fish_completes(words: list[str], offered: set[str], installed: dict[str, str]) -> None:
    line = " ".join([NAME, *words])
    code = f"{NAME} completion fish | source; complete -C {shlex.quote(line)} | string split -f1 \\t"

    assert run(["fish", "--no-config", "-c"], code, installed) == offered


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
@pytest.mark.parametrize(("words", "offered"), CASES, ids=[" ".join(words) for words, _ in CASES])
def test_zsh_completes(words: list[str], offered: set[str], installed: dict[str, str]) -> None:
    """With zsh's ways of offering replaced by printing, since only its line editor may call those."""
    line = shlex.join([NAME, *words])
    code = f"""
autoload -Uz compinit && compinit -u
eval "$({NAME} completion zsh)"
_describe() {{ print -rl -- ${{completions_with_descriptions%%:*}}; }}
compadd() {{ print -rl -- $completions; }}
words=({line}) CURRENT={len(words) + 1}
$_comps[{NAME}]
"""
    assert run(["zsh", "-f", "-c"], code, installed) == offered


def test_an_older_bash_sorts_instead_of_completing_nothing() -> None:
    """One before 4.4 does not know how to keep the order."""
    bound = [line for line in script(cli, "bash").splitlines() if "complete -F" in line]

    assert len(bound) == 1
    assert "|| complete -F _relore_completion relore" in bound[0]


@pytest.mark.parametrize(("shell", "word"), [("bash", "1"), ("zsh", "1"), ("fish", "infl")])
def test_completing_loads_no_http_client(shell: str, word: str, installed: dict[str, str]) -> None:
    code = """
import sys
from relore_client.cli import main
try:
    main([])
finally:
    print(sorted({"requests", "urllib3", "ssl"} & set(sys.modules)), file=sys.stderr)
"""
    environment = {
        **installed,
        VARIABLE: f"{shell}_complete",
        "COMP_WORDS": "relore infl",
        "COMP_CWORD": word,
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )

    assert "inflight" in done.stdout
    assert done.stderr.strip() == "[]"


def test_a_file_is_completed_from_the_folder_one_stands_in(installed: dict[str, str]) -> None:
    """By the shell itself, which the answer only tells to."""
    environment = {
        **installed,
        VARIABLE: "bash_complete",
        "COMP_WORDS": "relore search --file src/b",
        "COMP_CWORD": "3",
    }
    done = subprocess.run([NAME], env=environment, capture_output=True, text=True, check=False)

    assert (done.stdout.strip(), done.stderr) == ("file,src/b", "")
