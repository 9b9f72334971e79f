"""What the environment says about GitHub."""

from __future__ import annotations

from pathlib import Path

import pytest

from relore_assets.fetch.github.app_tokens import AppToken
from relore_assets.fetch.github.errors import BadToken
from relore_assets.fetch.github.settings import GitHubSettings
from relore_assets.settings import Settings, SettingsError

TOKEN = {"GITHUB_TOKEN": "secret-token"}


def settings(tmp_path: Path, **env: str) -> GitHubSettings:
    return Settings(home=tmp_path).github(env)


def bearers(told: GitHubSettings) -> list[str]:
    return [lane.bearer() for lane in told.tokens.lanes]


def test_github_is_where_it_is_known_to_be(tmp_path: Path) -> None:
    told = settings(tmp_path, **TOKEN)
    assert (told.base.url, told.git) == ("https://api.github.com", "https://github.com")


def test_an_enterprise_server_is_named_with_its_path(tmp_path: Path) -> None:
    told = settings(
        tmp_path,
        **TOKEN,
        RELORE_GITHUB_URL="https://git.example/api/v3/",
        RELORE_GIT_URL="https://git.example/",
    )
    assert (told.base.url, told.git) == ("https://git.example/api/v3", "https://git.example")
    assert told.base.graphql == "https://git.example/api/graphql"


@pytest.mark.parametrize("name", ["RELORE_GITHUB_URL", "RELORE_GIT_URL"])
@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/", "http://git.example", "file:///x", "ext::sh -c x"]
)
def test_an_address_that_is_not_https_is_refused(tmp_path: Path, name: str, url: str) -> None:
    with pytest.raises(SettingsError, match=f"^{name} must"):
        settings(tmp_path, **TOKEN, **{name: url})


def test_plain_http_is_for_this_machine_or_for_who_insists(tmp_path: Path) -> None:
    assert settings(tmp_path, **TOKEN, RELORE_GITHUB_URL="http://127.0.0.1:8470").base.loopback
    assert settings(tmp_path, **TOKEN, RELORE_GITHUB_URL="http://git.example", RELORE_GITHUB_ALLOW_HTTP="1")
    with pytest.raises(SettingsError):
        settings(tmp_path, **TOKEN, RELORE_GITHUB_URL="http://git.example", RELORE_GITHUB_ALLOW_HTTP="0")


def test_a_token_comes_from_the_environment_or_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text("one\ntwo\n", encoding="utf-8")
    assert bearers(settings(tmp_path, **TOKEN, GITHUB_TOKEN_FILE=str(file))) == ["secret-token"]
    assert bearers(settings(tmp_path, GITHUB_TOKEN="", GITHUB_TOKEN_FILE=str(file))) == ["one", "two"]


def test_a_file_of_tokens_that_cannot_be_read_is_named_by_its_variable(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="GITHUB_TOKEN_FILE names a file that cannot be read"):
        settings(tmp_path, GITHUB_TOKEN_FILE=str(tmp_path / "none"))


def test_without_a_token_nothing_is_asked(tmp_path: Path) -> None:
    with pytest.raises(BadToken, match="set GITHUB_TOKEN") as caught:
        settings(tmp_path)
    assert caught.value.exit_code == 3


def test_an_app_takes_three_variables_and_goes_before_a_token(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.write_text("key", encoding="utf-8")
    app = {
        "RELORE_GITHUB_APP_ID": "12",
        "RELORE_GITHUB_APP_KEY_FILE": str(key),
        "RELORE_GITHUB_APP_INSTALLATION": "5",
    }
    told = settings(tmp_path, **TOKEN, **app)
    assert isinstance(told.tokens, AppToken)
    assert told.tokens.lanes[0].name == "installation 5 of the App 12"
    for name in app:
        with pytest.raises(SettingsError, match=f"set {name} too"):
            settings(tmp_path, **TOKEN, **{key: value for key, value in app.items() if key != name})


@pytest.mark.parametrize("number", ["five", "5/../6", "²"])
def test_an_installation_is_a_number(tmp_path: Path, number: str) -> None:
    """It becomes part of an address."""
    key = tmp_path / "key.pem"
    key.write_text("key", encoding="utf-8")
    with pytest.raises(SettingsError, match="must be a number"):
        settings(
            tmp_path,
            RELORE_GITHUB_APP_ID="12",
            RELORE_GITHUB_APP_KEY_FILE=str(key),
            RELORE_GITHUB_APP_INSTALLATION=number,
        )


def test_how_long_limits_are_waited_for_is_the_operators_to_say(tmp_path: Path) -> None:
    assert settings(tmp_path, **TOKEN).patience == 7_500
    assert settings(tmp_path, **TOKEN, RELORE_GITHUB_MAX_WAIT="0").patience == 0
    with pytest.raises(SettingsError, match="RELORE_GITHUB_MAX_WAIT must be a number of seconds"):
        settings(tmp_path, **TOKEN, RELORE_GITHUB_MAX_WAIT="1h")


def test_settings_do_not_show_a_token(tmp_path: Path) -> None:
    assert "secret-token" not in repr(settings(tmp_path, **TOKEN))


def test_a_client_talks_to_the_address_of_the_settings(tmp_path: Path) -> None:
    with settings(tmp_path, **TOKEN).client() as github:
        assert github.base.url == "https://api.github.com"
