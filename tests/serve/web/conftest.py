"""The API over the test's own database, and two repositories whose thread numbers collide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from rows import NOW

from relore_serve.database import open_reader
from relore_serve.web.app import create_app
from relore_serve.web.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from rows import History

    from relore_serve.database import ReaderPool


@pytest.fixture
def reader(reader_url: str) -> Iterator[ReaderPool]:
    """A pool of read-only sessions, as `relored serve` has one."""
    pool = open_reader(reader_url, size=2)
    yield pool
    pool.close()


@pytest.fixture
def start(reader: ReaderPool) -> Callable[..., Flask]:
    """Puts an API together; ``tokens`` is text, all else goes to `create_app`."""

    def make(tokens: str = "", **more: Any) -> Flask:
        more = {"clock": lambda: NOW, "version": "0.1.0", **more}
        return create_app(reader=reader, tokens=Tokens.parse(tokens), **more)

    return make


@pytest.fixture
def client(start: Callable[..., Flask]) -> FlaskClient:
    """A caller of an open server on this machine."""
    return start().test_client()


@pytest.fixture
def widgets(history: History) -> History:
    """One repository with a little of everything."""
    repo = history.repo("acme/widgets")
    history.standing(repo, "grace", "authoritative")
    history.thread(
        repo,
        7,
        "Nonce is reused in batch verification",
        "ValueError: nonce reused\n\nSteps to reproduce are below.",
        labels=("bug", "good first issue"),
    )
    history.comment(
        repo, 7, "The nonce comes from the caller, see src/batch.c", author="grace", trust="authoritative"
    )
    history.comment(repo, 7, "nonce looks fine to me", author="bob")
    history.comment(
        repo, 7, "I am a bot and I think the nonce is fine", author="helper[bot]", trust="machine"
    )
    history.thread(
        repo,
        8,
        "Derive the nonce from the message",
        "Closes #7",
        kind="pr",
        author="carol",
        files=("src/batch.c", "src/batch.h"),
    )
    history.comment(
        repo,
        8,
        "This nonce needs a test",
        author="grace",
        trust="authoritative",
        source_type="review_comment",
        path="src/batch.c",
        line=12,
    )
    history.verdict(repo, 8, "grace", "CHANGES_REQUESTED", NOW)
    history.link(repo, 8, "closes", 7)
    history.fold()
    history.count()
    history.at_work(repo)
    return history


@pytest.fixture
def gadgets(widgets: History) -> History:
    """A second repository with the same numbers."""
    repo = widgets.repo("acme/gadgets")
    widgets.thread(repo, 7, "Gadget nonce is secret", "only for the eyes of gadgets")
    widgets.comment(repo, 7, "the nonce of gadgets", author="mallory")
    widgets.thread(repo, 9, "Gadget fix", "Closes #7", kind="pr", files=("gadget.c",))
    widgets.link(repo, 9, "closes", 7)
    widgets.fold()
    widgets.count()
    return widgets
