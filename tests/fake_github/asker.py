"""Asking the fake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import requests

from fake_github import FakeGitHub


@dataclass
class Asker:
    """Sends requests below /repos/harbor/tide, with the token that may read everything."""

    github: FakeGitHub

    def get(self, path: str = "", token: str | None = "", **headers: str) -> requests.Response:
        """Ask for a path there, or for a whole address; ``token`` None is no token."""
        url = path if path.startswith("http") else f"{self.github.url}/repos/harbor/tide{path}"
        if token is not None:
            headers["Authorization"] = f"Bearer {token or self.github.token}"
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return requests.get(url, headers=given, allow_redirects=False, timeout=60)

    def all(self, path: str) -> list[Any]:
        """Return the items of all pages, going by the Link header."""
        items: list[Any] = []
        reply = self.get(path)
        while True:
            assert reply.status_code == 200
            items += reply.json()
            if "next" not in reply.links:
                return items
            reply = self.get(reply.links["next"]["url"])
