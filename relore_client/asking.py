"""From what was given on the command line to a question, and from its answer to what is printed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

import click

from relore_client import api, output
from relore_client.failures import Refused
from relore_client.options import on_terminal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from relore_client.options import Shared

_FLAGS = {
    "repos": "repo",
    "errors": "error",
    "files": "file",
    "symbols": "symbol",
    "tests": "test",
    "labels": "label",
    "authors": "author",
}


def post(shared: Shared, route: str, query: tuple[str, ...], asked: Mapping[str, object]) -> None:
    """Ask in words and filters, and print the answer.

    Raises:
        click.UsageError: something was given without a value.
        Failure: there is no answer.
    """
    body = {"query": " ".join(query), **asked, **_view(shared)}
    _answer(shared, api.Question(f"/api/v1/{route}", body=_body(body)))


def by_number(
    shared: Shared,
    route: str,
    reference: tuple[str | None, int],
    repo: str | None,
    asked: Mapping[str, object],
) -> None:
    """Ask about one thread, and print the answer.

    Raises:
        click.UsageError: the reference and ``--repo`` name two repositories, or something is without a value.
        Failure: there is no answer.
    """
    part, number = reference
    given = click.get_current_context().get_parameter_source("repo")
    if part and repo and given is click.core.ParameterSource.COMMANDLINE and part.lower() != repo.lower():
        raise click.UsageError(f"{part}#{number} is not in {repo}: name one repository.")
    parameters = {"repo": part or repo, **asked, **_view(shared)}
    _answer(shared, api.Question(f"/api/v1/{route}/{number}", _parameters(parameters)))


def status(shared: Shared) -> None:
    """Ask what the server holds, and print the answer.

    Raises:
        Failure: there is no answer.
    """
    _answer(shared, api.Question("/api/v1/status", _parameters(_view(shared))))


def tell(shared: Shared, payload: Mapping[str, str], text: str) -> None:
    """Print what this program knows by itself, without a server.

    Raises:
        Refused: ``--fields`` names something else than what there is.
    """
    if not shared.machine:
        output.show(text)
        return
    _body({"fields": shared.fields})
    wanted = [name.strip() for name in shared.fields.split(",")] if shared.fields else list(payload)
    for name in wanted:
        if name not in payload:
            raise Refused(f"This answer has no field {name}; it has {', '.join(payload)}.")
    output.show(_json({name: value for name, value in payload.items() if name in wanted}))


def _view(shared: Shared) -> dict[str, object]:
    """Return how the answer is to be shown; what is off is left out."""
    terminal = on_terminal()
    view = {
        "render": not shared.machine,
        "compact": shared.shortened(terminal=terminal),
        "presentation": not shared.machine and shared.presentation(terminal=terminal),
    }
    return {**{name: True for name, wanted in view.items() if wanted}, "fields": shared.fields}


def _body(values: Mapping[str, object]) -> dict[str, object]:
    """Return the JSON of a question; what was not given is left out."""
    given = {name: _sendable(value) for name, value in values.items()}
    for name, value in given.items():
        if name != "query" and (value == "" or (isinstance(value, list) and "" in value)):
            flag = _FLAGS.get(name, name)
            raise click.UsageError(f"--{flag} is empty: leave it out, or give it a value.")
    return {name: value for name, value in given.items() if value or name == "expand"}


def _parameters(values: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of a query string; what was not given is left out."""
    pairs: list[tuple[str, str]] = []
    for name, value in _body(values).items():
        several = cast("list[object]", value) if isinstance(value, list) else [value]
        pairs += [(name, "true" if one is True else str(one)) for one in several]
    return tuple(pairs)


def _sendable(value: object) -> object:
    """Return ``value`` with bytes that are no UTF-8 replaced, as a shell may hand them over in arguments."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, tuple):
        return [_sendable(item) for item in cast("tuple[object, ...]", value)]
    return value


def _answer(shared: Shared, question: api.Question) -> None:
    server = api.Server.from_env(os.environ, url=shared.api)
    answer = api.ask(server, question)
    if shared.machine:
        if not answer.payload.get("notice"):  # every answer of relore has it, whichever fields were asked for
            raise api.unreadable(server)
        try:
            text = _json(answer.payload)
        except RecursionError as error:
            raise api.unreadable(server) from error
    else:
        text = answer.payload.get("rendered")
        if not isinstance(text, str) or not text:
            raise api.unreadable(server)
    if answer.note:
        output.complain(answer.note)
    output.show(text)


def _json(payload: Mapping[str, object]) -> str:
    import json  # noqa: PLC0415  # needed here only

    return json.dumps(payload, indent=2, ensure_ascii=True)
