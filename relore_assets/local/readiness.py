"""How one knows that a service answers, asked over the loopback interface."""

from __future__ import annotations

import http.client
import json
from typing import Any, cast

LOOPBACK = "127.0.0.1"

_LOCATIONS = """{ workspaceOrError { ... on Workspace { locationEntries {
    loadStatus locationOrLoadError { ... on PythonError { message } } } } } }"""
_UNREACHABLE = "DagsterUserCodeUnreachableError"


def answers(port: int, path: str) -> bool:
    """Whether somebody answers there and is not in trouble."""
    status, _ = _ask(port, "GET", path)
    return 0 < status < 500  # noqa: PLR2004 - what counts is that it is there, whatever it says


def definitions_settled(port: int) -> bool:
    """Whether the UI on ``port`` has loaded the definitions, or has found that they cannot be loaded."""
    state = _location(port)
    if state is None or state.get("loadStatus") != "LOADED":
        return False
    # The UI finds the code server by itself once that is up; until then this is not yet an error.
    return _UNREACHABLE not in _message(state)


def definitions_error(port: int) -> str:
    """Return why the definitions cannot be loaded, nothing when they can."""
    return _message(_location(port) or {})


def _location(port: int) -> dict[str, Any] | None:
    status, body = _ask(port, "POST", "/graphql", json.dumps({"query": _LOCATIONS}))
    if status != 200:  # noqa: PLR2004 - OK
        return None
    try:
        entries = json.loads(body)["data"]["workspaceOrError"]["locationEntries"]
    except (ValueError, KeyError, TypeError):
        return None
    return cast("dict[str, Any]", entries[0]) if entries else None


def _message(location: dict[str, Any]) -> str:
    fault = cast("dict[str, str]", location.get("locationOrLoadError") or {})
    return fault.get("message", "").strip()


def _ask(port: int, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
    """Return status and body, status 0 when nobody answers."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=10)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()
    except (OSError, http.client.HTTPException):
        return 0, b""
    finally:
        connection.close()
