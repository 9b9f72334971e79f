"""The API for a WSGI server of one's own, from nothing but the environment."""

from __future__ import annotations

import pytest

from relore_serve.database import SchemaMismatch, StoreUnavailable
from relore_serve.web.pin import PinError
from relore_serve.web.tokens import TokenError
from relore_serve.web.wsgi import NotConfigured, app


@pytest.mark.parametrize("variable", ["RELORE_READER_URL", "RELORE_DATABASE_URL"])
@pytest.mark.usefixtures("widgets")
def test_it_answers_from_the_database_that_is_named(variable: str, reader_url: str) -> None:
    served = app({variable: reader_url, "RELORE_API_TOKENS": "s3cret:acme/widgets"})

    answer = served.test_client().get("/api/v1/thread/7", headers={"Authorization": "Bearer s3cret"})

    assert answer.get_json()["thread"]["title"] == "Nonce is reused in batch verification"


def test_without_tokens_it_answers_its_own_machine_whoever_listens(reader_url: str) -> None:
    elsewhere = {"REMOTE_ADDR": "192.0.2.7"}

    careful = app({"RELORE_READER_URL": reader_url}).test_client()
    trusting = app({"RELORE_READER_URL": reader_url, "RELORE_TRUST_NETWORK": "1"}).test_client()

    assert careful.get("/api/v1/status", environ_base=elsewhere).status_code == 403
    assert trusting.get("/api/v1/status", environ_base=elsewhere).status_code == 200


def test_an_environment_that_names_no_database_is_refused() -> None:
    with pytest.raises(NotConfigured, match="RELORE_READER_URL"):
        app({})


def test_a_database_that_cannot_be_served_is_refused_at_the_start(
    postgres: object, empty_database_url: str
) -> None:
    with pytest.raises(StoreUnavailable):
        app({"RELORE_READER_URL": "postgresql://nobody@127.0.0.1:1/nothing"})
    with pytest.raises(SchemaMismatch, match="relored migrate"):
        app({"RELORE_READER_URL": empty_database_url.replace("relore_owner", "relore_reader")})
    assert postgres


def test_tokens_that_cannot_be_read_are_refused_at_the_start(reader_url: str) -> None:
    with pytest.raises(TokenError):
        app({"RELORE_READER_URL": reader_url, "RELORE_API_TOKENS": "no-colon"})


@pytest.mark.usefixtures("widgets")
def test_it_is_pinned_by_the_environment(reader_url: str) -> None:
    pinned = {"RELORE_AS_OF": "2024-05-03T00:00:00Z", "RELORE_EXCLUDE_THREADS": "8 acme/widgets#9"}

    status = app({"RELORE_READER_URL": reader_url, **pinned}).test_client().get("/api/v1/status").get_json()

    assert (status["pin"]["before"], status["pin"]["excluded"]) == ("2024-05-03T00:00:00Z", 2)
    with pytest.raises(PinError, match="acme/none#1"):
        app({"RELORE_READER_URL": reader_url, "RELORE_EXCLUDE_THREADS": "acme/none#1"})
