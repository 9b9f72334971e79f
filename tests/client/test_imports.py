"""The client is a client: no database, no web server, no orchestrator, and nothing it does not need yet."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from scripted import ROOT

BLOCKED = (
    "psycopg",
    "psycopg_pool",
    "psycopg2",
    "flask",
    "werkzeug",
    "waitress",
    "dagster",
    "sqlalchemy",
    "alembic",
)
OURS = ("relore_serve", "relore_assets")


def python(code: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


def test_it_runs_with_everything_else_out_of_reach() -> None:
    code = f"""
import sys

class Out_of_reach:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {BLOCKED + OURS!r}:
            raise ImportError(name + " is out of reach")

sys.meta_path.insert(0, Out_of_reach())
from relore_client.cli import main
main(["status", "--api", "http://127.0.0.1:1"])
"""
    done = python(code)

    assert done.returncode == 3, done.stderr
    assert "refuses the connection" in done.stderr


@pytest.mark.parametrize(
    "words",
    [["--help"], ["search", "--help"], ["--version"], ["guide"], ["completion", "zsh"]],
    ids=" ".join,
)
def test_help_loads_neither_an_http_client_nor_any_other_package_of_ours(words: list[str]) -> None:
    code = f"""
import json, sys
from relore_client.cli import main
try:
    main({words!r})
except SystemExit:
    print(json.dumps(sorted({{name.partition(".")[0] for name in sys.modules}})), file=sys.stderr)
"""
    loaded = set(json.loads(python(code).stderr))

    assert loaded & {"requests", "urllib3", "ssl", *BLOCKED, *OURS} == set()
