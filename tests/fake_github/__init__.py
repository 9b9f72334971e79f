"""A GitHub on loopback: the facts of its REST and GraphQL APIs that fetching depends on, over a world the test builds.

    from fake_github import FakeGitHub

    with FakeGitHub() as github:                      # or the fixture `github`
        repo = github.world.repository("harbor/tide")
        repo.issue(1, title="Leak", user="buoy")      # keywords are the fields of GitHub's payloads
        repo.pull(2, merged_at="2024-02-01T00:00:00Z", merged_by="keel")
        repo.comment(1, "seen here too", user="gull")
        ...                                           # requests to github.url with github.token
        assert github.log.count("/repos/{owner}/{repo}/issues") == 1

``github.world["harbor/tide"]`` is that repository again. What exists and how it changes is in `world`, what goes
wrong in `faults`, who may ask in `access`, how much in `limits`, what was asked in `log`. Times that a test does
not name run an hour apart from 2024 on, each later than every time named before; `clock` is the server's own time,
for quotas and tokens.
"""

from fake_github.access import App, Token
from fake_github.clock import Clock
from fake_github.faults import Fault
from fake_github.github import FakeGitHub
from fake_github.limits import Limits
from fake_github.log import Entry, Log
from fake_github.world import Repository, Thread, World

__all__ = [
    "App",
    "Clock",
    "Entry",
    "FakeGitHub",
    "Fault",
    "Limits",
    "Log",
    "Repository",
    "Thread",
    "Token",
    "World",
]
