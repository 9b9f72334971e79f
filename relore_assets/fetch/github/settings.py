"""What the environment says about GitHub: where it is, where repositories are cloned from, and with which tokens.

Read by `relore_assets.settings.Settings.github`; nothing is asked of GitHub here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from relore_assets.fetch.github.addresses import GITHUB, BadBase, Base, base
from relore_assets.fetch.github.app_tokens import App, AppToken
from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.github.exchange import PATIENCE
from relore_assets.fetch.github.tokens import PersonalToken
from relore_assets.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from relore_assets.fetch.github.activity import NullActivity
    from relore_assets.fetch.github.tokens import TokenSource

GIT = "https://github.com"

_APP = ("RELORE_GITHUB_APP_ID", "RELORE_GITHUB_APP_KEY_FILE", "RELORE_GITHUB_APP_INSTALLATION")


@dataclass(frozen=True)
class GitHubSettings:
    """GitHub as the operator has set it up.

    Attributes:
        base: the REST API. git: where repositories are cloned from, without a slash at the end.
        tokens: whose requests they are; one object for the whole process, so that all share what is known of
        quotas. patience: seconds that one request waits for limits in all.
    """

    base: Base
    git: str
    tokens: TokenSource = field(repr=False)
    patience: float = PATIENCE

    @classmethod
    def from_env(cls, env: Mapping[str, str], home: Path) -> GitHubSettings:
        """Read the environment; ``home`` is the state folder.

        Raises:
            SettingsError: an address cannot be used, or a file cannot be read.
            BadToken: there is no token.
        """
        allow_http = env.get("RELORE_GITHUB_ALLOW_HTTP") == "1"
        api = _base("RELORE_GITHUB_URL", env.get("RELORE_GITHUB_URL") or GITHUB, allow_http=allow_http)
        git = _base("RELORE_GIT_URL", env.get("RELORE_GIT_URL") or GIT, allow_http=allow_http)
        return cls(api, git.url, _tokens(env, api, home), _seconds("RELORE_GITHUB_MAX_WAIT", env, PATIENCE))

    def client(self, activity: NullActivity | None = None) -> GitHub:
        """Return a client, to be closed by the caller."""
        return GitHub(self.base, self.tokens, activity, patience=self.patience)


def _base(name: str, url: str, *, allow_http: bool) -> Base:
    try:
        return base(url, allow_http=allow_http)
    except BadBase as error:
        raise SettingsError(f"{name} {error}.") from None


def _tokens(env: Mapping[str, str], api: Base, home: Path) -> TokenSource:
    """Return the App where one is named, which nobody does by accident, else the personal tokens."""
    if any(env.get(name) for name in _APP):
        return AppToken(_app(env), api, home / "github")
    text = env.get("GITHUB_TOKEN", "").strip()
    if text:
        return PersonalToken.parse(text, "GITHUB_TOKEN")
    name = "GITHUB_TOKEN_FILE"
    file = env.get(name)
    return PersonalToken.parse(_text(name, file) if file else "", name)


def _app(env: Mapping[str, str]) -> App:
    missing = [name for name in _APP if not env.get(name)]
    if missing:
        raise SettingsError(f"A GitHub App takes {', '.join(_APP)}: set {' and '.join(missing)} too.")
    app_id, key_file, installation = (env[name].strip() for name in _APP)
    if not installation.isascii() or not installation.isdigit():
        raise SettingsError(
            f"{_APP[2]} must be a number: it ends the address of the installation's settings."
        )
    return App(app_id, int(installation), _text(_APP[1], key_file))


def _seconds(name: str, env: Mapping[str, str], default: float) -> float:
    value = env.get(name)
    if not value:
        return default
    if not value.isascii() or not value.isdigit():
        raise SettingsError(f"{name} must be a number of seconds.")
    return float(value)


def _text(name: str, file: str) -> str:
    try:
        return Path(file).expanduser().read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise SettingsError(f"{name} names a file that cannot be read: {type(error).__name__}.") from None
