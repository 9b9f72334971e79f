"""docs/cli.md names every verb, flag, variable and exit code, and nothing that is gone."""

from __future__ import annotations

import re

from scripted import ROOT

from relore_client import api, failures
from relore_client.cli import cli
from relore_client.options import GLOBAL_FLAGS
from relore_client.prose import PROGRAM

PAGE = (ROOT / "docs/cli.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """Return what stands below a heading."""
    return PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def options(verb: str) -> set[str]:
    return {
        option
        for parameter in cli.commands[verb].params
        if parameter.param_type_name == "option"
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--")
    } - {*GLOBAL_FLAGS, "--help"}


def test_every_verb_stands_in_the_table() -> None:
    listed = set(re.findall(r"^\| `(\w+)", section("Verbs"), re.MULTILINE))

    assert listed == set(cli.commands)


def test_every_flag_of_every_verb_is_explained_under_it() -> None:
    for verb in cli.commands:
        assert {flag for flag in options(verb) if f"`{flag}" not in section(f"`{verb}`")} == set(), verb


def test_no_flag_is_explained_that_is_gone() -> None:
    known = {"--help", "--version", *GLOBAL_FLAGS}.union(*map(options, cli.commands))

    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", PAGE)) - known == set()


def test_every_flag_of_every_verb_is_in_the_table_of_them() -> None:
    assert {flag for flag in GLOBAL_FLAGS if f"| `{flag}" not in section("Flags of every verb")} == set()


def test_every_variable_is_explained() -> None:
    for name in (api.API_VARIABLE, api.REPO_VARIABLE, *api.TOKEN_VARIABLES):
        assert f"`{name}`" in section("Environment")
        assert name in PROGRAM.epilog
    assert api.DEFAULT_API in section("Environment")
    assert api.DEFAULT_API in PROGRAM.epilog


def test_every_exit_code_is_in_the_table_and_in_the_help() -> None:
    codes = {0, 1, 130, *(kind.exit_code for kind in failures.Failure.__subclasses__())}

    assert {int(code) for code in re.findall(r"^\| (\d+) \|", section("Exit codes"), re.MULTILINE)} == codes
    assert {
        int(code) for code in re.findall(r"(?:^|  )(\d) (?=\w)", PROGRAM.epilog, re.MULTILINE)
    } == codes - {130}
