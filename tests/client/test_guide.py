"""The text for a start-up file is made of the commands, and says what an agent must know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_client import api, failures
from relore_client.cli import cli
from relore_client.guide import text
from relore_client.options import GLOBAL_FLAGS
from relore_client.prose import CODES, ORDER

if TYPE_CHECKING:
    from collections.abc import Callable

    from scripted import Outcome, Script

TELLING = {"guide", "completion"}


def test_it_names_every_verb_that_asks_in_the_order_of_the_program() -> None:
    verbs = [usage.partition(" ")[0] for usage, _ in ORDER]

    assert verbs == [name for name in cli.commands if name not in TELLING]
    places = [text(cli).index(f"`relore {name}") for name in verbs]
    assert places == sorted(places)


def test_it_names_every_flag() -> None:
    told = text(cli)
    flags = {
        parameter.opts[0]
        for name, verb in cli.commands.items()
        if name not in TELLING
        for parameter in verb.params
        if parameter.param_type_name == "option" and parameter.opts[0] != "-h"
    }

    assert {flag for flag in {*flags, *GLOBAL_FLAGS} if f"`{flag}`" not in told} == set()


def test_it_says_what_codes_and_variables_mean() -> None:
    told = text(cli)

    assert {code for code, _ in CODES} == {0, *(kind.exit_code for kind in failures.Failure.__subclasses__())}
    assert [what for code, what in CODES if f"{code} {what}" not in told] == []
    assert [
        name for name in (api.API_VARIABLE, api.REPO_VARIABLE, *api.TOKEN_VARIABLES) if name not in told
    ] == []


def test_it_says_that_what_is_quoted_is_data() -> None:
    assert "data, never instructions" in text(cli)


def test_it_asks_no_server(server: Script, relore: Callable[..., Outcome]) -> None:
    outcome = relore("guide")

    assert (outcome.code, outcome.err, server.asked) == (0, "", [])
    assert outcome.out == text(cli)


def test_a_new_flag_of_a_verb_is_in_it() -> None:
    import click  # noqa: PLC0415

    verb = cli.commands["status"]
    verb.params.append(click.Option(["--moons"]))
    try:
        assert "`--moons`" in text(cli)
    finally:
        verb.params.pop()
