"""Installation tokens: renewed in time, once for everybody, and never shown."""

from __future__ import annotations

import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from scripted_server import Asked, Clock, Say, ScriptedServer
from talking import Start, Talk

from relore_assets.fetch.github import errors
from relore_assets.fetch.github.addresses import base
from relore_assets.fetch.github.app_tokens import App, AppToken
from relore_assets.fetch.github.client import GitHub

MINT = "/app/installations/5/access_tokens"


@pytest.fixture(scope="session")
def key() -> Any:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def app(key: Any) -> App:
    return App("12", 5, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode())


class Installation:
    """Gives out tokens that live an hour, or serve so many requests and no more."""

    def __init__(self, clock: Clock, *, good_for: int = 10**9) -> None:
        self.clock = clock
        self.good_for = good_for
        self.minted = 0
        self.left: dict[str, int] = {}

    def __call__(self, asked: Asked) -> Say:
        """Serve a request, or refuse its token."""
        if asked.path == MINT:
            return self.mint()
        if self.left.get(asked.bearer, 0) <= 0:
            return Say({"message": "Bad credentials"}, status=401)
        self.left[asked.bearer] -= 1
        return Say({"served": True})

    def mint(self) -> Say:
        """Give out the next token."""
        self.minted += 1
        token = f"ghs_token{self.minted}"
        self.left[token] = self.good_for
        expires = datetime.fromtimestamp(self.clock.now() + 3600, UTC)
        return Say({"token": token, "expires_at": f"{expires:%Y-%m-%dT%H:%M:%SZ}"}, status=201)


def client(talk: Start, script: Any, app: App, state: Path, clock: Clock) -> Talk:
    return talk(script, tokens=lambda url: AppToken(app, base(url), state, sleep=clock.sleep, now=clock.now))


def test_the_app_proves_itself_with_its_key(
    talk: Start, app: App, key: Any, tmp_path: Path, clock: Clock
) -> None:
    said = client(talk, Installation(clock), app, tmp_path, clock)
    said.github.get("/repos/octo/kit")
    mint, asked = said.asked
    claims = jwt.decode(
        mint.bearer,
        key.public_key(),
        algorithms=["RS256"],
        options={"verify_exp": False, "verify_iat": False},
    )
    assert (mint.method, mint.path, claims["iss"]) == ("POST", MINT, "12")
    assert claims["iat"] < clock.now() < claims["exp"] <= clock.now() + 600
    assert asked.bearer == "ghs_token1"


def test_one_token_serves_an_hour_and_is_renewed_before_it_runs_out(
    talk: Start, app: App, tmp_path: Path, clock: Clock
) -> None:
    installation = Installation(clock)
    said = client(talk, installation, app, tmp_path, clock)
    for _ in range(9):
        said.github.get("/repos/octo/kit")
        clock.sleep(400)
    assert [asked.bearer for asked in said.asked if asked.path != MINT] == ["ghs_token1"] * 9
    clock.sleep(-299)  # 3,301 seconds of 3,600 are over
    said.github.get("/repos/octo/kit")
    assert said.asked[-1].bearer == "ghs_token2"
    assert installation.minted == 2


def test_a_token_that_dies_in_a_run_of_several_threads_is_renewed_once_for_all(
    talk: Start, app: App, tmp_path: Path, clock: Clock
) -> None:
    """Each is good for five requests; nothing fails, and hardly more tokens are made than that takes."""
    installation = Installation(clock, good_for=5)
    said = client(talk, installation, app, tmp_path, clock)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: said.github.get("/repos/octo/kit").body, range(100)))
    assert answers == [{"served": True}] * 100
    assert 20 <= installation.minted <= 21


def test_threads_that_begin_together_share_one_token(
    talk: Start, app: App, tmp_path: Path, clock: Clock
) -> None:
    installation = Installation(clock)
    said = client(talk, installation, app, tmp_path, clock)
    together = threading.Barrier(8)

    def ask(_: int) -> None:
        together.wait()
        said.github.get("/repos/octo/kit")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))
    assert installation.minted == 1


def test_processes_share_one_token_through_the_state_folder(app: App, tmp_path: Path, clock: Clock) -> None:
    installation = Installation(clock, good_for=3)
    with ScriptedServer(installation) as server:
        clients = [
            GitHub(
                server.url,
                AppToken(app, base(server.url), tmp_path, sleep=clock.sleep, now=clock.now),
                sleep=clock.sleep,
                now=clock.now,
            )
            for _ in range(2)
        ]
        for _ in range(3):
            for github in clients:
                github.get("/repos/octo/kit")
        for github in clients:
            github.close()
    assert installation.minted == 2
    assert [asked.bearer for asked in server.asked if asked.path != MINT] == [
        *["ghs_token1"] * 3,
        "ghs_token1",  # refused: the second process renews it
        *["ghs_token2"] * 1,
        "ghs_token1",  # refused: the first finds what the second has left
        *["ghs_token2"] * 2,
    ]


def test_the_shared_token_is_for_its_owners_eyes(talk: Start, app: App, tmp_path: Path, clock: Clock) -> None:
    state = tmp_path / "github"
    client(talk, Installation(clock), app, state, clock).github.get("/repos/octo/kit")
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    (file,) = state.glob("*.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert {path.suffix for path in state.iterdir()} <= {".json", ".lock"}


def test_a_shared_token_that_was_cut_off_is_replaced(
    talk: Start, app: App, tmp_path: Path, clock: Clock
) -> None:
    installation = Installation(clock)
    client(talk, installation, app, tmp_path, clock).github.get("/repos/octo/kit")
    (file,) = tmp_path.glob("*.json")
    file.write_text('{"token": "ghs_', encoding="utf-8")
    with ScriptedServer(installation) as server:
        source = AppToken(app, base(server.url), tmp_path, sleep=clock.sleep, now=clock.now)
        other = AppToken(App("13", 5, app.key), base(server.url), tmp_path, sleep=clock.sleep, now=clock.now)
        tokens = [source.lanes[0].bearer(), other.lanes[0].bearer()]
    assert tokens == ["ghs_token2", "ghs_token3"]


def test_tokens_that_are_refused_however_new_are_an_error(
    talk: Start, app: App, tmp_path: Path, clock: Clock
) -> None:
    installation = Installation(clock, good_for=0)
    said = client(talk, installation, app, tmp_path, clock)
    with pytest.raises(errors.BadToken, match="It was installation 5 of the App 12"):
        said.github.get("/repos/octo/kit")
    assert installation.minted == 3


@pytest.mark.parametrize(
    ("status", "sentence"),
    [(404, "RELORE_GITHUB_APP_INSTALLATION"), (401, "the key of the App 12")],
    ids=["no installation", "wrong key"],
)
def test_an_app_that_is_set_up_wrongly_is_told_what_to_check(
    talk: Start, app: App, tmp_path: Path, clock: Clock, status: int, sentence: str
) -> None:
    said = client(talk, lambda _: Say({"message": "no"}, status=status), app, tmp_path, clock)
    with pytest.raises(errors.BadToken, match=sentence):
        said.github.get("/repos/octo/kit")


def test_a_failure_while_a_token_is_made_is_tried_again(
    talk: Start, app: App, tmp_path: Path, clock: Clock
) -> None:
    installation = Installation(clock)
    failures = [Say(status=502), Say(hang_up=True)]

    def script(asked: Asked) -> Say:
        return failures.pop() if failures else installation(asked)

    said = client(talk, script, app, tmp_path, clock)
    assert said.github.get("/repos/octo/kit").body == {"served": True}


def test_a_key_that_is_none_is_said_without_showing_it(talk: Start, tmp_path: Path, clock: Clock) -> None:
    said = client(talk, Installation(clock), App("12", 5, "my secret key"), tmp_path, clock)
    with pytest.raises(errors.BadToken, match="holds no private RSA key") as caught:
        said.github.get("/repos/octo/kit")
    assert "my secret key" not in str(caught.value)
    assert said.asked == []


def test_a_state_folder_that_cannot_be_written_is_named(
    talk: Start, app: App, tmp_path: Path, clock: Clock
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    said = client(talk, Installation(clock), app, tmp_path / "file" / "github", clock)
    with pytest.raises(errors.BadToken, match=r"cannot be kept in .*: Not a directory; that folder must be"):
        said.github.get("/repos/octo/kit")


def test_neither_key_nor_token_shows_in_a_representation(
    talk: Start, app: App, tmp_path: Path, clock: Clock
) -> None:
    said = client(talk, Installation(clock), app, tmp_path, clock)
    said.github.get("/repos/octo/kit")
    source = said.github._tokens
    shown = repr(app) + repr(source) + repr(source.lanes) + repr(source.lanes[0]._current)
    assert "ghs_" not in shown
    assert "PRIVATE KEY" not in shown
