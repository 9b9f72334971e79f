"""What GitHub looks at, in its order, before an endpoint answers and after."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlencode

from fake_github import graphql_api, rest, searching
from fake_github.answer import Answer, ApiError, as_json
from fake_github.shapes import Shapes

if TYPE_CHECKING:
    from fake_github.access import Access, Token
    from fake_github.limits import Limits, Quotas
    from fake_github.log import Entry
    from fake_github.world import Repository, World

_REPOSITORY = "/repos/{owner}/{repo}"
_ROUTES = [(_REPOSITORY + tail, rest.pattern(tail), resource, run) for tail, resource, run in rest.ROUTES]
_ADDRESS = re.compile(r"/(?:repos/([^/]+/[^/]+)|repositories/(\d+))(/.*)?")
_INSTALLATION_TOKENS = re.compile(r"/app/installations/(\d+)/access_tokens")
_RATE_LIMITED = "API rate limit exceeded for user ID 1."
_NO_USER_AGENT = (
    "Request forbidden by administrative rules. Please make sure your request has a User-Agent header "
    "(https://docs.github.com/en/rest/overview/resources-in-the-rest-api#user-agent-required)."
)


@dataclass
class Gateway:
    """The way to every endpoint of one GitHub; the addresses it writes begin with ``url``."""

    world: World
    limits: Limits
    quotas: Quotas
    access: Access
    prefix: str
    graphql_path: str
    url: str = ""

    def answer(self, entry: Entry) -> Answer:
        """Answer a request, and note on it what it cost.

        Raises:
            ApiError: for what GitHub refuses before it counts.
        """
        # https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#user-agent
        if not entry.headers.get("user-agent"):
            raise ApiError(403, _NO_USER_AGENT)
        if entry.endpoint == "/graphql":
            return self._graphql(entry)
        if not entry.path.startswith(self.prefix):
            raise ApiError(404, "Not Found")
        path = unquote(entry.path.removeprefix(self.prefix))
        if entry.method == "POST":
            return self._post(entry, path)
        token = self.access.identify(entry.headers.get("authorization"))
        if path == "/rate_limit":
            return Answer(body=self._rate_limit(token))
        return self._charged(entry, path, token)

    def _charged(self, entry: Entry, path: str, token: Token | None) -> Answer:
        """Answer a GET that counts against a quota."""
        holder = token.owner if token else ""
        resource = "search" if path.startswith("/search/") else "core"
        if not self.quotas.take(holder, resource, 1):
            # "If you exceed your primary rate limit, you will receive a 403 or 429 response, and the
            # x-ratelimit-remaining header will be 0."
            # https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
            raise ApiError(403, _RATE_LIMITED, headers=self.quotas.headers(holder, resource, exhausted=True))
        entry.cost = 1
        try:
            answer = self._get(entry, path, token)
        except ApiError as error:
            answer = error.answer
        answer = self._conditional(entry, answer, holder)
        if answer.status == 304 and token is not None:
            # "Making a conditional request does not count against your primary rate limit if a 304 response is
            # returned and the request was made while correctly authorized with an Authorization header."
            # https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
            self.quotas.take(holder, resource, -1)
            entry.cost = 0
        answer.headers = self.quotas.headers(holder, resource) | answer.headers
        return answer

    def endpoint(self, path: str) -> str:
        """Return the template of a path, "" when nothing is served there."""
        if path == self.graphql_path:
            return "/graphql"
        path = unquote(path.removeprefix(self.prefix))
        if path in {"/rate_limit", searching.ENDPOINT}:
            return path
        if _INSTALLATION_TOKENS.fullmatch(path):
            return "/app/installations/{installation_id}/access_tokens"
        if match := _ADDRESS.fullmatch(path):
            tail = (match[3] or "").rstrip("/")
            return next((template for template, pattern, _, _ in _ROUTES if pattern.fullmatch(tail)), "")
        return ""

    def _get(self, entry: Entry, path: str, token: Token | None) -> Answer:
        if path == searching.ENDPOINT:
            shapes = Shapes(self.url)
            return searching.search(self.world, entry.query, self.limits, shapes, f"{self.url}{path}")
        repository, tail = self._repository(entry, path)
        for _, pattern, resource, run in _ROUTES:
            if (match := pattern.fullmatch(tail)) is None:
                continue
            _allow(repository, token, resource)
            if repository.issues_disabled and tail.startswith("/issues"):
                raise ApiError(410, "Issues has been disabled in this repository.")
            url = f"{self.url}/repositories/{repository.id}{tail}"
            shapes = Shapes(self.url)
            return run(rest.Call(repository, match.groupdict(), entry.query, token, self.limits, shapes, url))
        raise ApiError(404, "Not Found")

    def _repository(self, entry: Entry, path: str) -> tuple[Repository, str]:
        """Return the repository of a path and what comes after it."""
        if (match := _ADDRESS.fullmatch(path)) is None:
            raise ApiError(404, "Not Found")
        name, number, tail = match[1], match[2], (match[3] or "").rstrip("/")
        repository = self.world.find(name) if name else self.world.by_id(int(number))
        if repository is None and name and (moved := self.world.renamed.get(name.lower())):
            # https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects
            url = f"{self.url}/repositories/{moved.id}{tail}"
            url += f"?{urlencode(entry.query)}" if entry.query else ""
            raise ApiError(301, "Moved Permanently", headers={"Location": url}, url=url)
        if repository is None:
            raise ApiError(404, "Not Found")
        if repository.blocked:
            block = {
                "reason": "dmca",
                "created_at": "2024-01-01T00:00:00Z",
                "html_url": "https://github.com/github/dmca",
            }
            raise ApiError(451, "Repository access blocked", block=block)
        return repository, tail

    def _post(self, entry: Entry, path: str) -> Answer:
        """Mint an installation token: the only thing there is to post beside GraphQL."""
        match = _INSTALLATION_TOKENS.fullmatch(path)
        if match is None:
            raise ApiError(404, "Not Found")
        app, token = self.access.mint(int(match[1]), entry.headers.get("authorization"))
        allowed = app.permissions or {"issues", "pull_requests", "metadata"}
        expires = datetime.fromtimestamp(token.expires_at or 0, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        body = {
            "token": token.secret,
            "expires_at": expires,
            "permissions": dict.fromkeys(sorted(allowed), "read"),
            "repository_selection": "all",
        }
        return Answer(201, body)

    def _graphql(self, entry: Entry) -> Answer:
        token = self.access.identify(entry.headers.get("authorization"))
        if token is None:
            raise ApiError(401, "This endpoint requires you to be authenticated.")
        session = graphql_api.Session(self.world, self.limits, self.quotas, token)
        answer = session.answer(entry.body)
        entry.cost = session.cost
        exhausted = session.refused
        answer.headers = self.quotas.headers(token.owner, "graphql", exhausted=exhausted) | answer.headers
        return answer

    def _rate_limit(self, token: Token | None) -> dict[str, Any]:
        holder = token.owner if token else ""
        states = {each: self.quotas.state(holder, each) for each in ("core", "search", "graphql")}
        return {"resources": states, "rate": states["core"]}

    def _conditional(self, entry: Entry, answer: Answer, holder: str) -> Answer:
        """Give an answer its ETag, or 304 to who has it already."""
        if answer.status != 200 or answer.body is None or isinstance(answer.body, bytes):
            return answer
        seen = as_json(answer.body) + answer.headers.get("Link", "").encode() + holder.encode()
        tag = f'W/"{hashlib.sha256(seen).hexdigest()}"'
        answer.headers |= {"ETag": tag, "Cache-Control": "private, max-age=60, s-maxage=60"}
        if answer.last_modified is not None:
            moment = datetime.fromisoformat(answer.last_modified)
            answer.headers["Last-Modified"] = format_datetime(moment, usegmt=True)
        known = entry.headers.get("if-none-match")
        since = entry.headers.get("if-modified-since")
        if known is not None:
            fresh = tag in (one.strip() for one in known.split(","))
        else:
            fresh = since is not None and since == answer.headers.get("Last-Modified")
        return replace(answer, status=304, body=None) if fresh else answer


def _allow(repository: Repository, token: Token | None, resource: str) -> None:
    """Refuse who may not read a resource.

    https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#resource-not-accessible
    """
    if token is None:
        if repository.fields.get("private"):
            raise ApiError(404, "Not Found")
        return
    alternatives = resource.split("; ")
    if not any(token.may_read(one) for one in alternatives):
        kind = "integration" if token.is_installation else "personal access token"
        needed = "; ".join(f"{one}=read" for one in alternatives)
        headers = {"X-Accepted-GitHub-Permissions": needed}
        raise ApiError(403, f"Resource not accessible by {kind}", headers=headers)
