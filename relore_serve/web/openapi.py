"""The OpenAPI 3.1 document of this server, made of what the program itself reads and answers by."""

from __future__ import annotations

import re
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from relore_serve.pages.untrusted import NOTICE
from relore_serve.web.errors import CODES
from relore_serve.web.fields import MAX_NUMBER
from relore_serve.web.handshake import API, API_HEADER, CLIENT_HEADER, NOTE_HEADER, VERSION_HEADER
from relore_serve.web.picking import Picker
from relore_serve.web.routes import ABOUT, ROUTES
from relore_serve.web.schemas import schema_of

if TYPE_CHECKING:
    from relore_serve.web.fields import Field, Schema
    from relore_serve.web.routes import Route

_FACTS: dict[str, Schema] = {
    "parameter": {"type": "string", "description": "the parameter that is wrong"},
    "field": {"type": "string", "description": "the path that leads nowhere"},
    "nearest": {"type": ["string", "null"], "description": "the nearest name that is known"},
    "repositories": {"type": "array", "items": {"type": "string"}},
    "repo": {"type": "string"},
    "number": {"type": "integer"},
    "behind": {"enum": ["client", "server"]},
    "api": {"type": "integer"},
    "oldest_api": {"type": "integer"},
    "version": {"type": "string"},
    "limit": {"enum": ["per-minute", "daily"]},
    "scope": {"type": "string", "description": "what the token would have to have"},
    "of": {"type": "integer"},
    "retry_after": {"type": "integer"},
}
_FRAME: dict[str, Schema] = {
    "notice": {"type": "string", "description": NOTICE},
    "scrubbed": {"$ref": "#/components/schemas/Scrubbed"},
    "rendered": {"type": "string", "description": "the text page, where render was set"},
}
_LIMIT_ASKED: dict[str, Schema] = {
    "limit_asked": {
        "type": "integer",
        "description": "where it is more than a page holds, which is then limit",
    }
}
_ADDED: dict[str, dict[str, Schema]] = {"QueryEcho": _LIMIT_ASKED, "PrecedentEcho": _LIMIT_ASKED}
"""What is added to answers here, where it is worth telling."""
_SCRUBBED: Schema = {
    "type": "object",
    "description": "How much was removed or defused in the answer.",
    "properties": {name: {"type": "integer"} for name in ("hidden_characters", "marks", "template_tokens")},
    "required": ["hidden_characters", "marks", "template_tokens"],
}
_HEADERS: dict[str, Schema] = {
    VERSION_HEADER: {"description": "the server's program version, for people", "schema": {"type": "string"}},
    API_HEADER: {
        "description": "the version of the API that the server speaks",
        "schema": {"type": "integer"},
    },
    NOTE_HEADER: {
        "description": "where the client is older and is answered all the same: what it cannot ask for",
        "schema": {"type": "string"},
    },
}
_OPEN_STATUSES = (405, 500, 503)
_STATUSES = (400, 401, 403, 404, 405, 414, 426, 429, 500, 503)
_POSTED_STATUSES = (413, 415)


@cache
def components() -> dict[str, Schema]:
    """Return the schemas that answers are made of, by name."""
    found: dict[str, Schema] = {"Scrubbed": _SCRUBBED, "Refusal": _refusal()}
    for route in ROUTES:
        if route.answer is not None:
            schema_of(route.answer, found)
    for name, schema in found.items():
        schema.pop("x-source", None)
        schema.get("properties", {}).update(_ADDED.get(name, {}))
    return found


@cache
def answer_schema(route: Route) -> Schema:
    """Return the schema of what a route answers with 200."""
    schema: dict[str, Any] = _reference(route)
    if route.inside is not None:
        schema = {"type": "object", "properties": {route.inside: schema}, "required": [route.inside]}
    if not route.foreign:
        return schema
    if route.inside is None:
        schema = components()[_name(route)]
    properties: dict[str, Schema] = {"notice": _FRAME["notice"], **schema["properties"]}
    properties |= {name: _FRAME[name] for name in ("scrubbed", "rendered")}
    return {
        "type": "object",
        "properties": properties,
        "required": sorted([*schema["required"], "notice", "scrubbed"]),
    }


@cache
def picker(route: Route) -> Picker:
    """Return what knows the fields of a route's answer."""
    schema = answer_schema(route)
    # The text page goes with no fields.
    properties = {name: below for name, below in schema.get("properties", {}).items() if name != "rendered"}
    return Picker({**schema, "properties": properties}, components())


@cache
def document(version: str) -> dict[str, Any]:
    """Return the document of a server of that program version."""
    paths: dict[str, Any] = {}
    for route in ROUTES:
        path = re.sub(r"<(\w+)>", r"{\1}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "relore",
            "version": version,
            "summary": "A repository's whole conversation, indexed and answerable. "
            "Nothing that is asked of it changes it.",
            "description": f"{NOTICE} This is version {API} of the API.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": components(),
            "headers": _HEADERS,
            "parameters": {
                "Api": _header(
                    API_HEADER, "the version of the API that the client speaks", {"type": "integer"}
                ),
                "Client": _header(CLIENT_HEADER, "the client's program version", {"type": "string"}),
            },
            "responses": {str(status): _refused(status) for status in CODES},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        # The empty one is a server without tokens, which answers its own machine only.
        "security": [{"token": []}, {}],
    }


def _operation(route: Route) -> dict[str, Any]:
    posted = route.method == "POST"
    statuses = (
        _OPEN_STATUSES if route.is_open else sorted({*_STATUSES, *(_POSTED_STATUSES if posted else ())})
    )
    operation: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.summary,
        "parameters": [] if posted else [_parameter(name, kind) for name, kind in route.fields.items()],
        "responses": {
            "200": _answered(route),
            **(
                {"304": {"description": "The answer that the tag is of still holds."}} if route.tagged else {}
            ),
            **{str(status): {"$ref": f"#/components/responses/{status}"} for status in statuses},
        },
    }
    if route.is_open:
        operation["security"] = []
    else:
        operation["parameters"] += [{"$ref": f"#/components/parameters/{name}"} for name in ("Api", "Client")]
    if "<number>" in route.path:
        operation["parameters"].insert(0, _NUMBER)
    if route.tagged:
        operation["parameters"].append(_header("If-None-Match", "tags of answers held", {"type": "string"}))
    if posted:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _body(route)}},
        }
    return operation


_NUMBER: dict[str, Any] = {
    "name": "number",
    "in": "path",
    "required": True,
    "description": "the thread's",
    "schema": {"type": "integer", "minimum": 1, "maximum": MAX_NUMBER},
}


def _header(name: str, about: str, schema: Schema) -> dict[str, Any]:
    return {"name": name, "in": "header", "description": about, "schema": schema}


def _parameter(name: str, kind: Field) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "in": "query", "description": ABOUT[name], "schema": kind.schema}
    return {**found, "style": "form", "explode": True} if kind.many else found


def _body(route: Route) -> Schema:
    properties: dict[str, Schema] = {
        name: {**_nullable(kind.schema, name not in route.required), "description": ABOUT[name]}
        for name, kind in route.fields.items()
    }
    body: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**body, "required": list(route.required)} if route.required else body


def _nullable(schema: Schema, is_optional: bool) -> Schema:  # noqa: FBT001 - a helper of one place
    return {"anyOf": [schema, {"type": "null"}]} if is_optional else schema


def _answered(route: Route) -> dict[str, Any]:
    headers: dict[str, Schema] = {name: {"$ref": f"#/components/headers/{name}"} for name in _HEADERS}
    if route.tagged:
        headers["ETag"] = {"description": "of this answer, ages included", "schema": {"type": "string"}}
    whole = answer_schema(route)
    return {"description": route.summary, "headers": headers, "content": {route.media: {"schema": whole}}}


def _refusal() -> Schema:
    codes = [code for by_code in CODES.values() for code in by_code]
    return {
        "type": "object",
        "description": "Why a question was not answered.",
        "properties": {
            "error": {"enum": codes, "description": "stable, for programs"},
            "message": {"type": "string", "description": "one sentence that says what to do"},
            **_FACTS,
        },
        "required": ["error", "message"],
    }


def _refused(status: int) -> dict[str, Any]:
    schema = {
        "allOf": [
            {"$ref": "#/components/schemas/Refusal"},
            {"properties": {"error": {"enum": list(CODES[status])}}},
        ]
    }
    headers: dict[str, Any] = {}
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        headers["Retry-After"] = {"description": "seconds to wait", "schema": {"type": "integer"}}
    return {
        "description": HTTPStatus(status).phrase,
        "headers": headers,
        "content": {"application/json": {"schema": schema}},
    }


def _reference(route: Route) -> Schema:
    name = _name(route)
    return {"$ref": f"#/components/schemas/{name}"} if name in components() else schema_of(route.answer, {})


def _name(route: Route) -> str:
    return getattr(route.answer, "__name__", "")
