"""The columns of our tables as Dagster shows them, read off ``schema/schema.sql`` so that they cannot differ."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

import dagster as dg

_TABLE = re.compile(r"((?:^--[^\n]*\n)*)^CREATE TABLE relore\.(\w+) \(\n(.*?)^\);", re.MULTILINE | re.DOTALL)
_COLUMN = re.compile(r"^    ([a-z_]+) +([a-z]+(?: [a-z]+)*(?:\[\])?)(.*?)(?: +-- (.*))?$", re.MULTILINE)
_TYPES = (
    "bigint",
    "integer",
    "smallint",
    "boolean",
    "text",
    "timestamptz",
    "date",
    "jsonb",
    "bytea",
    "tsvector",
)


def table_metadata(table: str) -> dict[str, Any]:
    """Return the metadata of an asset that fills ``table``: where its rows are, and its columns.

    Raises:
        KeyError: there is no such table.
    """
    return {
        "dagster/relation_identifier": f"relore.{table}",
        "dagster/column_schema": dg.TableSchema(columns=list(_schema()[table])),
    }


@cache
def _schema() -> dict[str, tuple[dg.TableColumn, ...]]:
    text = files("relore_assets.schema").joinpath("schema.sql").read_text(encoding="utf-8")
    return {name: tuple(_columns(body)) for _, name, body in _TABLE.findall(text)}


def _columns(body: str) -> list[dg.TableColumn]:
    found: list[dg.TableColumn] = []
    for name, kind, rest, comment in _COLUMN.findall(body):
        if kind.split()[0].removesuffix("[]") not in _TYPES:
            continue
        column_type = next(known for known in _TYPES if kind.startswith(known))
        found.append(
            dg.TableColumn(
                name=name,
                type=f"{column_type}[]" if "[]" in kind else column_type,
                description=comment or None,
                constraints=dg.TableColumnConstraints(
                    nullable="NOT NULL" not in f"{kind}{rest}" and "PRIMARY KEY" not in rest
                ),
            )
        )
    return found
