"""The web page of a search says what likeness let in, as the page of a shell does."""

from __future__ import annotations

from collections.abc import Callable

from fake_encoder import FakeEncoder
from rows import NOW, History

from relore_serve.database import open_reader
from relore_serve.search.scope import Repo
from relore_serve.semantic.tier import Semantic, Tier
from relore_serve.web.app import create_app
from relore_serve.web.tokens import Tokens


def test_a_page_says_what_likeness_let_in(
    history: History, embedded: Callable[[Repo], None], encoder: FakeEncoder, reader_url: str
) -> None:
    repo = history.repo()
    history.thread(repo, 1, "My boat leaks badly", "It does.")
    history.thread(repo, 2, "Vessel ingress", "The vessel has an ingress.")
    embedded(repo)
    pool = open_reader(reader_url, size=1)
    tier = Tier(Semantic(encoder), why_off="")
    client = create_app(reader=pool, tokens=Tokens.parse(""), clock=lambda: NOW, semantic=tier).test_client()

    text = client.get("/?q=boat+leaks+badly").get_data(as_text=True)
    pool.close()

    assert "of them let in by the likeness of their threads alone" in text
    assert "<span>found by likeness</span>" in text
